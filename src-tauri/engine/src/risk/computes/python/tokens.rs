//! The words and signs of Python, with its texts of several lines, its patterns and the values that are put into texts.

use crate::risk::computes::Token;

/// Values that are put into a text are looked into this deep.
const DEEPEST: u8 = 3;
/// Stands for an escape: what it spells is not followed, and no name has it.
const ESCAPED: char = '\u{1}';

pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    read(text, 0).map(whole_lines)
}

/// A line goes on as long as a bracket is open.
fn whole_lines(tokens: Vec<Token>) -> Vec<Token> {
    let mut depth = 0_u32;
    tokens
        .into_iter()
        .filter(|token| {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_) => {}
            }
            depth == 0 || *token != Token::Sign('\n')
        })
        .collect()
}

fn read(text: &str, depth: u8) -> Option<Vec<Token>> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match c {
            ' ' | '\t' => at += 1,
            '#' => {
                while chars.get(at).is_some_and(|c| *c != '\n') {
                    at += 1;
                }
            }
            // A line that goes on.
            '\\' if chars.get(at + 1) == Some(&'\n') => at += 2,
            '"' | '\'' => at = quoted(&chars, at, "", depth, &mut tokens)?,
            '0'..='9' => {
                let mut number = String::new();
                while let Some(&digit) = chars.get(at).filter(|c| c.is_ascii_digit() || **c == '_') {
                    number.extend((digit != '_').then_some(digit));
                    at += 1;
                }
                if chars.get(at).is_some_and(|next| next.is_alphabetic()) {
                    return None;
                }
                tokens.push(Token::Number(number.parse().ok()?));
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let start = at;
                while chars.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    at += 1;
                }
                let name: String = chars.get(start..at)?.iter().collect();
                if matches!(chars.get(at), Some('"' | '\'')) {
                    let kind = name.to_lowercase();
                    matches!(kind.as_str(), "r" | "b" | "u" | "rb" | "br" | "f" | "fr" | "rf")
                        .then_some(())?;
                    at = quoted(&chars, at, &kind, depth, &mut tokens)?;
                } else {
                    tokens.push(Token::Name(name));
                }
            }
            c if "+-*/%()[]{},:;.=<>!&|^~\n".contains(c) => {
                tokens.push(Token::Sign(c));
                at += 1;
            }
            _ => return None,
        }
    }
    Some(tokens)
}

/// A text from its first quote on; gives where it ends.
fn quoted(chars: &[char], start: usize, kind: &str, depth: u8, tokens: &mut Vec<Token>) -> Option<usize> {
    let quote = *chars.get(start)?;
    let long = chars.get(start + 1) == Some(&quote) && chars.get(start + 2) == Some(&quote);
    let mut at = start + if long { 3 } else { 1 };
    let mut inside = String::new();
    loop {
        let c = *chars.get(at)?;
        if c == '\\' {
            let next = *chars.get(at + 1)?;
            match next {
                _ if kind.contains('r') => inside.extend([c, next]),
                'n' | 't' | '\n' => inside.push(' '),
                // What it spells may be anything.
                _ => inside.push(ESCAPED),
            }
            at += 2;
        } else if c == quote
            && (!long || chars.get(at + 1) == Some(&quote) && chars.get(at + 2) == Some(&quote))
        {
            at += if long { 3 } else { 1 };
            break;
        } else if c == '\n' && !long {
            return None;
        } else {
            inside.push(c);
            at += 1;
        }
    }
    if kind.contains('f') {
        put_in(&inside, depth, tokens)?;
    } else {
        tokens.push(Token::Text(inside));
    }
    Some(at)
}

/// `f"{name:>10} {len(x)}"` is read as `str(name, len(x))`.
fn put_in(text: &str, depth: u8, tokens: &mut Vec<Token>) -> Option<()> {
    (depth < DEEPEST).then_some(())?;
    tokens.extend([Token::Name("str".to_owned()), Token::Sign('(')]);
    let mut rest = text;
    while let Some((said, tail)) = rest.split_once('{') {
        tokens.extend([Token::Piece(said.to_owned()), Token::Sign(',')]);
        // Two braces are one that is shown; of a format there are none.
        if let Some(shown) = tail.strip_prefix('{').filter(|_| depth == 0) {
            tokens.extend([Token::Piece("{".to_owned()), Token::Sign(',')]);
            rest = shown;
            continue;
        }
        let end = closing(tail)?;
        let inner = tail.get(..end)?;
        let (value, form) = parts(inner);
        tokens.extend(read(value.trim_end().trim_end_matches('='), depth + 1)?);
        tokens.push(Token::Sign(','));
        // What it is filled up with may be anything but digits.
        if !form.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | 'd')) || inner.ends_with('=') {
            tokens.extend([Token::Piece(ESCAPED.to_string()), Token::Sign(',')]);
        }
        // A width is no more than a line.
        let wide = form.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 3);
        (!wide).then_some(())?;
        if form.contains('{') {
            put_in(form, depth + 1, tokens)?;
            tokens.push(Token::Sign(','));
        }
        rest = tail.get(end + 1..)?;
    }
    tokens.extend([Token::Piece(rest.to_owned()), Token::Sign(')')]);
    Some(())
}

/// Where the brace closes that was opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '(' | '[') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}' | ')' | ']') => depth = depth.checked_sub(1)?,
            (None, ESCAPED | '\\') => return None,
            (None, _) => {}
        }
    }
    None
}

/// The value and, behind `!` or `:`, how it is shown.
fn parts(inner: &str) -> (&str, &str) {
    let mut depth = 0_u32;
    let mut quote = None;
    let bytes = inner.as_bytes();
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '(' | '[') => depth += 1,
            (None, '}' | ')' | ']') => depth = depth.saturating_sub(1),
            (None, '!') if depth == 0 && bytes.get(at + 1) != Some(&b'=') => return inner.split_at(at),
            (None, ':') if depth == 0 => return inner.split_at(at),
            (None, _) => {}
        }
    }
    (inner, "")
}
