//! Whether a command goes on in the next line: quotes, here-documents, operators at the end, loops. A linear pass over lines; the
//! shell reader has the last word on what a command is.

/// What keeps a command from being complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    Nothing,
    /// A quote, a here-document, a backslash or an operator at the end: the next line certainly belongs to it.
    Text,
    /// A loop, a condition or a group.
    Compound,
}

/// How far a command has been read, line by line, so that a long one is looked at once.
#[derive(Default)]
pub(super) struct Pending {
    quote: Option<char>,
    /// Here-documents that are open, first one first; whether tabs before the end are allowed.
    here: Vec<(String, bool)>,
    depth: i32,
    /// Round brackets that are open: of substitutions, lists and groups.
    brackets: usize,
    goes_on: bool,
}

impl Pending {
    pub(super) fn line(&mut self, line: &str) {
        if self.quote.is_none()
            && let Some((end, tabs)) = self.here.first()
        {
            if (if *tabs { line.trim_start_matches('\t') } else { line }) == end {
                self.here.remove(0);
            }
            return;
        }
        let visible = unquoted(line, &mut self.quote);
        self.here.extend(here_documents(line, &visible));
        self.depth += depth(&visible);
        // The pattern of a choice closes one that nothing opened.
        self.brackets =
            (self.brackets + visible.matches('(').count()).saturating_sub(visible.matches(')').count());
        let end = visible.trim_end();
        self.goes_on = visible.ends_with('\\') || end.ends_with('|') || end.ends_with("&&");
    }

    /// A round bracket was never closed: then it was none that a shell would know.
    pub(super) fn misses_a_bracket(&self) -> bool {
        self.brackets > 0
    }

    pub(super) fn open(&self) -> Open {
        if self.quote.is_some() || !self.here.is_empty() || self.goes_on {
            Open::Text
        } else if self.depth > 0 || self.brackets > 0 {
            Open::Compound
        } else {
            Open::Nothing
        }
    }
}

/// Whether a loop, a condition or a choice begins with the first line and ends with a later one.
pub(super) fn begins_a_statement(lines: &[&str]) -> bool {
    const ENDS: [(&str, &str); 6] = [
        ("if", "fi"),
        ("for", "done"),
        ("while", "done"),
        ("until", "done"),
        ("select", "done"),
        ("case", "esac"),
    ];
    let first = lines.first().and_then(|line| line.split_whitespace().next());
    let Some((_, end)) = ENDS.iter().find(|(begin, _)| Some(*begin) == first) else { return false };
    let mut pending = Pending::default();
    let closing = lines.iter().position(|line| {
        pending.line(line);
        pending.open() == Open::Nothing
    });
    closing.is_some_and(|at| at > 0 && lines[at].split([' ', '\t', ';', ')']).any(|word| word == *end))
}

/// The line with everything quoted blanked to `_`, so that places stay; a backslash at the end stays.
fn unquoted(line: &str, quote: &mut Option<char>) -> String {
    let mut visible = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let shown = match (*quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => {
                *quote = None;
                '_'
            }
            (Some('"') | None, '\\') => {
                if letters.next().is_some() {
                    visible.push('_');
                    '_'
                } else if quote.is_none() {
                    '\\'
                } else {
                    '_'
                }
            }
            (Some(_), _) => '_',
            (None, '\'' | '"') => {
                *quote = Some(letter);
                '_'
            }
            (None, '#') if before.is_whitespace() => break,
            (None, _) => letter,
        };
        visible.push(shown);
        before = letter;
    }
    visible
}

/// The here-documents that `line` opens: their ends, and whether tabs before the end are allowed. `visible` has the
/// same characters in the same places, quoted ones blanked.
fn here_documents(line: &str, visible: &str) -> Vec<(String, bool)> {
    let written: Vec<char> = line.chars().collect();
    let shown: Vec<char> = visible.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at + 1 < shown.len() {
        if shown[at] != '<' || shown[at + 1] != '<' {
            at += 1;
            continue;
        }
        at += 2;
        if shown.get(at) == Some(&'<') {
            at += 1;
            continue;
        }
        let tabs = shown.get(at) == Some(&'-');
        at += usize::from(tabs);
        while written.get(at).is_some_and(|letter| *letter == ' ') {
            at += 1;
        }
        let end: String = written[at.min(written.len())..]
            .iter()
            .take_while(|letter| !letter.is_whitespace() && !";&|<>()".contains(**letter))
            .filter(|letter| !"'\"\\".contains(**letter))
            .collect();
        // `$((1 << 2))` is arithmetic, not a document.
        if !end.is_empty() && !end.starts_with(|first: char| first.is_ascii_digit()) {
            found.push((end, tabs));
        }
    }
    found
}

/// How many loops, conditions and groups a line opens more than it closes.
fn depth(line: &str) -> i32 {
    let mut depth = 0;
    for clause in line.split([';', '&', '|']) {
        let mut at_start = true;
        for word in clause.split_whitespace() {
            match word {
                "for" | "while" | "until" | "if" | "case" | "select" if at_start => depth += 1,
                "done" | "fi" | "esac" if at_start => depth -= 1,
                "{" => depth += 1,
                "}" if at_start => depth -= 1,
                "then" | "do" | "else" | "!" => continue,
                _ => {}
            }
            at_start = word.ends_with("()");
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_statement_to_its_end() {
        let begins = |text: &str| begins_a_statement(&text.lines().collect::<Vec<_>>());
        for text in [
            "if\n  true\nthen\n  echo\nfi",
            "for a\ndo\n  echo\ndone",
            "while read -r line\ndo echo; done < file",
            "case $x in\n  a) echo ;;\nesac\necho",
        ] {
            assert!(begins(text), "{text}");
        }
        for text in ["if you want to\nmake install", "for example\nls", "case closed", "make\nfi", ""] {
            assert!(!begins(text), "{text}");
        }
    }

    #[test]
    fn brackets_hold_a_command_together() {
        let open = |text: &str| {
            let mut pending = Pending::default();
            text.lines().for_each(|line| pending.line(line));
            pending.open()
        };
        for text in ["v=$(cat <<E\n)\nE", "list=(\n one # )", "f() {", "x=$((1 +"] {
            assert_eq!(open(text), Open::Compound, "{text}");
        }
        for text in [
            "v=$(cat <<E\n)\nE\n)",
            "list=(\n one # )\n)",
            "case a in\na) ls;;\n(b) ls;;\nesac",
            "echo ')' \\)",
        ] {
            assert_eq!(open(text), Open::Nothing, "{text}");
        }
    }
}
