//! Transcripts of a terminal: prompts off, continued lines together, what was printed after a command kept as what to
//! expect. A linear pass over lines that only tells commands from output; it never decides what a command does.

use std::sync::LazyLock;

use regex::Regex;

/// One command of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleCommand {
    pub command: String,
    /// Comment lines right above it.
    pub comment: String,
    /// What the page shows it to print; empty when nothing.
    pub expected: String,
    /// Shown with the prompt of the superuser.
    pub as_root: bool,
}

// The pattern is a constant, and a test reads transcripts with it.
#[allow(clippy::expect_used)]
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?<env>\([\w.-]+\) ?)?(?<place>\[?[\w.-]+@[\w.-]+[^$#%>]{0,200}?)?(?<sign>[$#%])(?: (?<command>.*))?$")
        .expect("the pattern is well formed")
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    User,
    Root,
    /// `#` with nothing before it: a comment, or a bare root prompt.
    Hash,
    /// `%` with nothing before it: zsh, or output.
    Percent,
}

fn prompt(line: &str) -> Option<(Sign, &str)> {
    let found = PROMPT.captures(line)?;
    let command = found.name("command").map_or("", |command| command.as_str());
    let placed = found.name("place").is_some() || found.name("env").is_some();
    let sign = match (&found["sign"], placed) {
        ("$", _) | ("%", true) => Sign::User,
        ("#", true) => Sign::Root,
        ("#", false) => Sign::Hash,
        _ => Sign::Percent,
    };
    Some((sign, command))
}

/// Whether a block whose language does not say so is a transcript: its first written line has a `$ ` prompt.
pub(super) fn looks_like_transcript(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("# "));
    first.and_then(prompt).is_some_and(|(sign, command)| sign == Sign::User && !command.is_empty())
}

/// Reads a transcript. `None` when it has no prompt at all: then it is a plain list of commands.
pub(super) fn read(text: &str) -> Option<Vec<ConsoleCommand>> {
    let text = unindented(text);
    let signs = || text.lines().filter_map(prompt).map(|(sign, _)| sign);
    let user = signs().any(|sign| sign == Sign::User || sign == Sign::Root);
    let first = text.lines().find(|line| !line.trim().is_empty()).and_then(prompt).map(|(sign, _)| sign);
    // `# ` is a root prompt only where nothing else can be one; beside `$ ` it is a comment.
    let bare = if user { None } else { first.filter(|sign| matches!(sign, Sign::Hash | Sign::Percent)) };
    if !user && bare.is_none() {
        return None;
    }
    Some(Transcript { bare, ..Transcript::default() }.read(&text))
}

#[derive(Default)]
struct Transcript {
    /// The bare sign that is a prompt here.
    bare: Option<Sign>,
    done: Vec<ConsoleCommand>,
    comment: Vec<String>,
}

impl Transcript {
    fn read(mut self, text: &str) -> Vec<ConsoleCommand> {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let found = prompt(line).filter(|(sign, _)| match sign {
                Sign::User | Sign::Root => true,
                Sign::Hash | Sign::Percent => self.bare == Some(*sign),
            });
            let Some((sign, start)) = found else {
                self.other(line);
                continue;
            };
            let mut command = start.to_owned();
            let mut reading = Reading::default();
            reading.line(start);
            while let Some(next) = lines.peek() {
                let open = reading.open();
                let continuation = next.strip_prefix("> ").or(if *next == ">" { Some("") } else { None });
                let more = match (open, continuation) {
                    (Open::Nothing, _) => break,
                    // A prompt ends a compound that was misread as open; an open quote or here-document goes on.
                    (Open::Compound, None) if prompt(next).is_some() => break,
                    (_, Some(stripped)) => stripped,
                    (_, None) => next,
                };
                command.push('\n');
                command.push_str(more);
                reading.line(more);
                lines.next();
            }
            self.command(command, sign);
        }
        for command in &mut self.done {
            command.expected.truncate(command.expected.trim_end().len());
            if command.expected.trim().is_empty() {
                command.expected.clear();
            }
        }
        self.done
    }

    fn command(&mut self, command: String, sign: Sign) {
        let comment = std::mem::take(&mut self.comment).join("\n");
        if command.trim_start().starts_with('#') && !command.contains('\n') {
            self.comment.push(command.trim_start().trim_start_matches('#').trim().to_owned());
        } else if !command.trim().is_empty() {
            let as_root = matches!(sign, Sign::Root | Sign::Hash);
            self.done.push(ConsoleCommand { command, comment, expected: String::new(), as_root });
        }
    }

    fn other(&mut self, line: &str) {
        if let Some(comment) = line.strip_prefix("# ") {
            self.comment.push(comment.trim().to_owned());
        } else if let Some(last) = self.done.last_mut() {
            // What looked like a comment was printed in the middle of output.
            for misread in self.comment.drain(..) {
                last.expected.push_str(&format!("# {misread}\n"));
            }
            if !(last.expected.is_empty() && line.trim().is_empty()) {
                last.expected.push_str(line);
                last.expected.push('\n');
            }
        }
    }
}

fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let common = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.lines().map(|line| line.get(common..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// What keeps a command from being complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    /// A quote, a here-document, a backslash or an operator at the end: the next line certainly belongs to it.
    Text,
    /// A loop, a condition or a group.
    Compound,
}

/// How far a command has been read, line by line, so that a long one is looked at once.
#[derive(Default)]
struct Reading {
    quote: Option<char>,
    /// Here-documents that are open, first one first; whether tabs before the end are allowed.
    here: Vec<(String, bool)>,
    depth: i32,
    goes_on: bool,
}

impl Reading {
    fn line(&mut self, line: &str) {
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
        let end = visible.trim_end();
        self.goes_on = visible.ends_with('\\') || end.ends_with('|') || end.ends_with("&&");
    }

    fn open(&self) -> Open {
        if self.quote.is_some() || !self.here.is_empty() || self.goes_on {
            Open::Text
        } else if self.depth > 0 {
            Open::Compound
        } else {
            Open::Nothing
        }
    }
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
                "{" | "(" if at_start || word == "{" => depth += 1,
                "}" | ")" if at_start => depth -= 1,
                "then" | "do" | "else" | "!" => continue,
                _ => {}
            }
            at_start = word.ends_with("()");
        }
    }
    depth
}

#[cfg(test)]
#[path = "console_tests.rs"]
mod tests;
