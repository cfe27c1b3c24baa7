//! What is looked at before the parser sees a text: nesting and characters that hide. A light scan that may call a text
//! deeper than it is, for instance when braces stand unclosed in words; it knows no grammar.

use super::place::small;
use crate::MAX_NESTING;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Paren,
    Brace,
    Double,
    Backtick,
}

/// Each doubles the parser's time: brackets side by side, braces within one word, `case` within `case`.
const MOST_BRACKETS: usize = 10;
const MOST_BRACES: usize = 8;
const MOST_CASES: usize = 6;

/// Whether brackets, substitutions and compound commands stand in each other more than `MAX_NESTING` deep, or in a way
/// that takes the parser for ever much earlier.
pub(super) fn nests_too_deep(text: &str) -> bool {
    let mut open: Vec<Open> = Vec::new();
    let mut compound = 0usize;
    let (mut brackets, mut braces, mut cases) = (0usize, 0usize, 0usize);
    let mut word = String::new();
    let mut starts_command = true;
    let mut previous = '\n';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let quoted = open.last() == Some(&Open::Double);
        if c.is_alphabetic() || c == '!' {
            word.push(c);
        } else {
            if !word.is_empty() && !quoted {
                let ends_word = c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '{');
                if starts_command && ends_word {
                    match word.as_str() {
                        "if" | "case" | "while" | "until" | "for" | "select" | "function" => compound += 1,
                        "fi" | "esac" | "done" => compound = compound.saturating_sub(1),
                        _ => {}
                    }
                    match word.as_str() {
                        "case" => cases += 1,
                        "esac" => cases = cases.saturating_sub(1),
                        _ => {}
                    }
                }
                starts_command = starts_command
                    && ends_word
                    && matches!(
                        word.as_str(),
                        "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "time" | "!" | "coproc"
                    );
                word.clear();
            }
            match c {
                // `)` ends the patterns of a case's branch; after any other, what follows is no more than counted twice.
                ';' | '&' | '|' | '(' | ')' | '{' | '\n' | '`' => starts_command = true,
                c if c.is_whitespace() => {}
                _ => starts_command = false,
            }
        }
        match c {
            '\\' => {
                chars.next();
            }
            '\'' if !quoted => {
                let ansi = previous == '$';
                while let Some(inner) = chars.next() {
                    match inner {
                        '\\' if ansi => {
                            chars.next();
                        }
                        '\'' => break,
                        _ => {}
                    }
                }
            }
            '#' if !quoted && (previous.is_whitespace() || matches!(previous, ';' | '(' | '&' | '|')) => {
                while chars.next_if(|c| *c != '\n').is_some() {}
            }
            '"' if quoted => {
                open.pop();
            }
            '"' => open.push(Open::Double),
            '`' => match open.iter().rposition(|o| *o == Open::Backtick) {
                Some(at) => open.truncate(at),
                None => open.push(Open::Backtick),
            },
            '(' if !quoted || previous == '$' => open.push(Open::Paren),
            '{' if !quoted || previous == '$' => open.push(Open::Brace),
            ')' if open.last() == Some(&Open::Paren) => {
                open.pop();
            }
            '}' if open.last() == Some(&Open::Brace) => {
                open.pop();
            }
            '[' if previous == '$' => compound += 1,
            _ => {}
        }
        brackets = if c == '(' { brackets + 1 } else { 0 };
        braces = match c {
            '{' if previous != '$' => braces + 1,
            '}' => braces.saturating_sub(1),
            c if c.is_whitespace() => 0,
            _ => braces,
        };
        if open.len() + compound > MAX_NESTING
            || brackets > MOST_BRACKETS
            || braces > MOST_BRACES
            || cases > MOST_CASES
        {
            return true;
        }
        previous = c;
    }
    false
}

/// Whether a here-document's end would have to be read as old arithmetic: the tokenizer never comes back from that.
pub(super) fn ends_document_oddly(text: &str) -> bool {
    text.split("<<").skip(1).any(|after| {
        let delimiter = after.trim_start_matches(['-', ' ', '\t']);
        let end = delimiter.find(char::is_whitespace).unwrap_or(delimiter.len());
        delimiter.get(..end).is_some_and(|delimiter| delimiter.contains("$["))
    })
}

/// The first character that does not show what it does: its line, from 1, and its name.
pub(super) fn hidden_character(text: &str) -> Option<(u32, String)> {
    let (at, character) = text.chars().enumerate().find(|(_, c)| hides(*c))?;
    let line = small(text.chars().take(at).filter(|c| *c == '\n').count()).saturating_add(1);
    let what = match character {
        '\r' => "a carriage return".to_owned(),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{1680}' => {
            format!("a blank that bash does not take for one (U+{:04X})", u32::from(character))
        }
        _ => format!("an invisible or control character (U+{:04X})", u32::from(character)),
    };
    Some((line, what))
}

fn hides(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' => true,
        '\u{a0}' | '\u{1680}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => true,
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}
