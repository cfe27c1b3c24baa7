//! Words of very plain commands, for when no facts came from the reader. It is no parser: whatever it does not know
//! for certain (expansions, groups, patterns, here-documents, escapes) makes it give up.

use planwright_shell::{Context, Facts, Redirect, RedirectKind, SimpleCommand, Span, Value, Word};

/// Facts of a text made only of plain words, quotes without expansions, `&&`, `||`, `;`, `|` and file redirections.
pub(super) fn read(text: &str) -> Option<Facts> {
    let mut facts = Facts::default();
    let mut words: Vec<Word> = Vec::new();
    let mut redirects: Vec<Redirect> = Vec::new();
    let mut pending: Option<RedirectKind> = None;
    let mut context = Context::default();
    let chars: Vec<char> = text.trim_end().chars().collect();
    let mut at = 0;
    while at <= chars.len() {
        let next = chars.get(at).copied();
        match next {
            Some(' ' | '\t') => at += 1,
            None | Some('&' | '|' | ';' | '\n') => {
                let mut after = Context { pipeline: context.pipeline + 1, ..Context::default() };
                let mut width = 1;
                match (next, chars.get(at + 1)) {
                    (Some('&'), Some('&')) | (Some('|'), Some('|')) => {
                        after.conditional = true;
                        width = 2;
                    }
                    (Some('|'), Some('&')) | (Some('&'), _) => return None,
                    (Some('|'), _) => {
                        context.piped_into = true;
                        after = Context { piped_from: true, stage: context.stage + 1, ..context };
                        after.piped_into = false;
                    }
                    _ => {}
                }
                if pending.is_some() {
                    return None;
                }
                if let Some(first) = words.first() {
                    let span = Span { start: first.span.start, end: at as u32 };
                    let (words, redirects) = (std::mem::take(&mut words), std::mem::take(&mut redirects));
                    facts.commands.push(SimpleCommand {
                        words,
                        assignments: vec![],
                        redirects,
                        span,
                        context,
                    });
                }
                context = after;
                at += width;
            }
            Some('>' | '<') => {
                let double = chars.get(at + 1) == next.as_ref();
                let kind = match (next, double) {
                    (Some('>'), true) => RedirectKind::Append,
                    (Some('>'), false) => RedirectKind::Write,
                    (_, false) => RedirectKind::Read,
                    (_, true) => return None,
                };
                if pending.replace(kind).is_some() || chars.get(at + 1) == Some(&'&') {
                    return None;
                }
                at += if double { 2 } else { 1 };
            }
            Some(_) => {
                let word = word(&chars, at)?;
                at = word.span.end as usize;
                match pending.take() {
                    Some(kind) => {
                        let fd = i32::from(kind != RedirectKind::Read);
                        redirects.push(Redirect { kind, fd, target: word });
                    }
                    None => words.push(word),
                }
            }
        }
    }
    (!facts.commands.is_empty()).then_some(facts)
}

fn word(chars: &[char], start: usize) -> Option<Word> {
    let mut text = String::new();
    let mut at = start;
    while let Some(&c) = chars.get(at) {
        match c {
            ' ' | '\t' | '\n' | '&' | '|' | ';' | '<' | '>' => break,
            '\'' | '"' => {
                let close = at + 1 + chars.get(at + 1..)?.iter().position(|&other| other == c)?;
                let inside = &chars[at + 1..close];
                if c == '"' && inside.iter().any(|c| "$`\\!".contains(*c)) {
                    return None;
                }
                text.extend(inside);
                at = close;
            }
            '$' | '`' | '\\' | '(' | ')' | '{' | '}' | '*' | '?' | '[' | '#' | '~' | '!' => return None,
            other if other.is_control() => return None,
            other => text.push(other),
        }
        at += 1;
    }
    let raw: String = chars[start..at].iter().collect();
    // `2>file` and `NAME=value program` need a real reader.
    let descriptor = matches!(chars.get(at), Some('<' | '>')) && raw.chars().all(|c| c.is_ascii_digit());
    let assignment = raw.split_once('=').is_some_and(|(name, _)| is_name(name));
    if descriptor || assignment {
        return None;
    }
    let bare = raw == text;
    let span = Span { start: start as u32, end: at as u32 };
    Some(Word { raw, value: Value::Known { text, tilde: false }, span, bare })
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Option<Vec<Vec<String>>> {
        let commands = read(text)?.commands;
        Some(commands.iter().map(|c| c.words.iter().map(|w| w.raw.clone()).collect()).collect())
    }

    #[test]
    fn plain_commands_are_read() {
        let read = texts("cd 'my dir' && gti push | tee log; ls").unwrap_or_default();
        assert_eq!(read, [vec!["cd", "'my dir'"], vec!["gti", "push"], vec!["tee", "log"], vec!["ls"]]);
        assert_eq!(super::read("echo hi > out/x.txt").map(|f| f.commands[0].redirects.len()), Some(1));
    }

    #[test]
    fn anything_clever_is_refused() {
        for text in [
            "echo $HOME",
            "ls *.txt",
            "(cd x; ls)",
            "cat <<E",
            "A=1 b",
            "ls 2>x",
            "a & b",
            "x \\ y",
            "\"$x\"",
            "'open",
        ] {
            assert_eq!(texts(text), None, "{text}");
        }
    }
}
