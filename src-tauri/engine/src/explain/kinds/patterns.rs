//! Patterns for names and for text, in words where they are simple.

use super::shortened;

/// `*.log`: names that end in ".log".
pub(super) fn glob(value: &str) -> String {
    let special = |text: &str| text.contains(['*', '?', '[', ']', '{', '}']);
    if !special(value) {
        return format!("named {value}");
    }
    let inner = value.strip_prefix('*').and_then(|rest| rest.strip_suffix('*'));
    let parts = (value.strip_prefix('*'), value.strip_suffix('*'), inner);
    match parts {
        (Some(""), _, _) => "of any name".to_owned(),
        (_, _, Some(middle)) if !special(middle) && !middle.is_empty() => {
            format!("with \"{middle}\" in the name")
        }
        (Some(end), _, _) if !special(end) => format!("whose name ends with \"{end}\""),
        (_, Some(start), _) if !special(start) => format!("whose name begins with \"{start}\""),
        _ => match value.split_once('*') {
            Some((start, end)) if !special(start) && !special(end) => {
                format!("whose name begins with \"{start}\" and ends with \"{end}\"")
            }
            _ => format!("whose name fits the pattern {}", shortened(value)),
        },
    }
}

/// `^error.*disk$`. `extended`: `|`, `+`, `?` and `()` are signs of their own.
pub(super) fn regex(value: &str, extended: bool) -> String {
    let bar = if extended { "|" } else { r"\|" };
    let grouped = extended && value.contains(['(', ')']);
    let told: Option<Vec<String>> = value.split(bar).map(|one| simple(one, extended)).collect();
    match told.filter(|_| !grouped) {
        Some(all) if all.len() <= 4 && !value.is_empty() => all.join(", or "),
        _ => pattern(value),
    }
}

fn pattern(value: &str) -> String {
    format!("text that fits the pattern {}", shortened(value))
}

/// One alternative of a pattern.
fn simple(value: &str, extended: bool) -> Option<String> {
    match value {
        "^$" => return Some("nothing at all".to_owned()),
        "." => return Some("any character".to_owned()),
        ".*" => return Some("anything".to_owned()),
        r"^\s*$" => return Some("nothing but blanks".to_owned()),
        _ => {}
    }
    let (start, rest) = match value.strip_prefix('^') {
        Some(rest) => (" at the beginning", rest),
        None => ("", value),
    };
    let (end, rest) = match rest.strip_suffix('$').filter(|rest| !rest.ends_with('\\')) {
        Some(rest) => (" at the end", rest),
        None => ("", rest),
    };
    let pieces: Option<Vec<String>> = rest.split(".*").map(|piece| self::piece(piece, extended)).collect();
    let pieces = pieces?;
    let place = match (start.is_empty(), end.is_empty()) {
        (false, false) => " as the whole",
        (false, true) => start,
        (true, false) => end,
        (true, true) => "",
    };
    match pieces.as_slice() {
        [one] => Some(format!("{one}{place}")),
        [first, second] if place.is_empty() => Some(format!("{first}, and later {second}")),
        _ => None,
    }
}

/// A piece with no `.*` in it: plain text, or one set of characters.
fn piece(piece: &str, extended: bool) -> Option<String> {
    match piece {
        "[0-9]" | r"\d" | "[[:digit:]]" => return Some("a digit".to_owned()),
        "[0-9]*" | r"\d*" => return Some("a run of digits, or none".to_owned()),
        "[0-9]+" | r"\d+" | "[[:digit:]]+" if extended => return Some("a run of digits".to_owned()),
        r"[0-9]\+" if !extended => return Some("a run of digits".to_owned()),
        r"\s" | "[[:space:]]" | "[ \t]" => return Some("a blank".to_owned()),
        "[[:space:]]*" | r"\s*" | " *" => return Some("a run of blanks, or none".to_owned()),
        "[a-z]" => return Some("a small letter".to_owned()),
        "[A-Z]" => return Some("a capital letter".to_owned()),
        _ => {}
    }
    let mut text = String::new();
    let mut chars = piece.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                c if c.is_ascii_alphanumeric() => return None,
                c if !extended && "+?|(){}<>".contains(c) => return None,
                c => text.push(c),
            },
            '[' | ']' | '*' | '^' | '$' => return None,
            '+' | '?' | '{' | '}' | '|' | '(' | ')' if extended => return None,
            // A dot within a name is nearly always meant as a dot, but it fits any character.
            '.' => text.push('.'),
            c => text.push(c),
        }
    }
    let dots = piece.replace(r"\.", "").contains('.');
    let note = if dots { " (a dot fits any character)" } else { "" };
    (!text.is_empty()).then(|| format!("\"{}\"{note}", shortened(&text)))
}
