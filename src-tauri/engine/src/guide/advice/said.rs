//! What a program said, line by line, without the marks that programs put before their lines; and the words of the command
//! that a message can mean.

use planwright_shell::Span;

use super::super::case::{Case, Run, text};

/// Longest part of a message that is read for advice, in bytes from its end: programs conclude with it.
const MAX_SAID: usize = 32 * 1024;

/// A line without its mark.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    /// Blanks before the text, after the mark.
    pub(super) indent: usize,
}

pub(super) fn lines(said: &str) -> Vec<Line> {
    let mut start = said.len().saturating_sub(MAX_SAID);
    while !said.is_char_boundary(start) {
        start += 1;
    }
    said[start..].lines().map(line).collect()
}

/// Marks that stand before each line of a message and say nothing.
const MARKS: [&str; 12] = [
    "npm ERR! ",
    "npm error ",
    "npm ERR!",
    "npm error",
    "hint: ",
    "hint:",
    "[ERROR] ",
    "[INFO] ",
    "│ ",
    "│",
    "╷",
    "╵",
];

fn line(raw: &str) -> Line {
    let mut rest = raw.trim_end();
    loop {
        let before = rest;
        for mark in MARKS {
            if let Some(after) = rest.strip_prefix(mark) {
                rest = after;
            }
        }
        // `[18:17:33] Try running …`
        if let Some(after) = rest.strip_prefix('[')
            && let Some((stamp, after)) = after.split_once("] ")
            && !stamp.is_empty()
            && stamp.chars().all(|c| c.is_ascii_digit() || c == ':')
        {
            rest = after;
        }
        if rest == before {
            break;
        }
    }
    let rest = without_markup(rest);
    let text = rest.trim_start();
    let indent = rest.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 8 } else { 1 }).sum();
    Line { text: text.to_owned(), indent }
}

/// `[green]did you mean[/]`: colours that a program wrote out where it should have shown them.
fn without_markup(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let (before, tag) = rest.split_at(open);
        let close = tag.find(']').filter(|close| is_colour(&tag[1..*close]));
        plain.push_str(before);
        let (kept, after) = match close {
            Some(close) => ("", &tag[close + 1..]),
            None => tag.split_at(1),
        };
        plain.push_str(kept);
        rest = after;
    }
    plain.push_str(rest);
    plain
}

fn is_colour(tag: &str) -> bool {
    let name = tag.trim_start_matches('/');
    let colours =
        ["red", "green", "yellow", "blue", "cyan", "magenta", "bold", "dim", "warning", "error", "success"];
    tag == "/" || name.split(' ').all(|word| colours.contains(&word))
}

/// A word of the command, or the part of it before or after a `=`.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) span: Span,
    /// Which of the command's words this is, the program being 0.
    pub(super) index: usize,
}

/// Every place of every run that a message can mean, with its run.
pub(super) fn places<'a>(case: &'a Case<'_>) -> Vec<(Run<'a>, Place)> {
    let mut all = Vec::new();
    for run in case.runs() {
        let words = std::iter::once(run.head()).chain(run.args());
        for (index, word) in words.enumerate() {
            let Some(known) = text(word) else {
                // `--inlcude=*.c`, `--exclud="$name"`: what the value becomes is not known, the option's name is.
                if index > 0
                    && let Some((name, _)) = word.raw.split_once('=')
                    && name.starts_with('-')
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
                {
                    let end = word.span.start + name.len() as u32;
                    let span = Span { start: word.span.start, end };
                    all.push((run, Place { text: name.to_owned(), span, index }));
                }
                continue;
            };
            all.push((run, Place { text: known.to_owned(), span: word.span, index }));
            // `-Tpgn`: the letter of an option with its value behind it.
            if word.raw == known
                && index > 0
                && known.len() > 4
                && known.is_ascii()
                && known.starts_with('-')
                && known[1..].starts_with(|c: char| c.is_ascii_alphabetic())
            {
                let value = Span { start: word.span.start + 2, end: word.span.end };
                all.push((run, Place { text: known[2..].to_owned(), span: value, index }));
            }
            if word.raw == known
                && index > 0
                && let Some((name, value)) = known.split_once('=')
                && !name.is_empty()
                && !value.is_empty()
            {
                let middle = word.span.start + name.chars().count() as u32;
                let before = Span { start: word.span.start, end: middle };
                let after = Span { start: middle + 1, end: word.span.end };
                all.push((run, Place { text: name.to_owned(), span: before, index }));
                all.push((run, Place { text: value.to_owned(), span: after, index }));
            }
        }
    }
    all
}

/// Whether `said` names `word` as a word of its own; an option also without its dashes.
pub(super) fn names(said: &str, word: &str) -> bool {
    let bare = word.trim_start_matches('-');
    if bare.is_empty() {
        return false;
    }
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '@');
    said.match_indices(bare).any(|(at, _)| {
        let before = said[..at].trim_end_matches('-').chars().next_back();
        let rest = &said[at + bare.len()..];
        let after = rest.chars().next();
        // A full stop ends a sentence more often than it goes on with a name.
        let ends = match after {
            Some('.') => !rest[1..].starts_with(|c: char| c.is_alphanumeric()),
            Some(c) => !part(c),
            None => true,
        };
        ends && !before.is_some_and(part)
    })
}
