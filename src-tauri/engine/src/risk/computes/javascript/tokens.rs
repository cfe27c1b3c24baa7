//! The words and signs of JavaScript, with its patterns and the values that are put into texts.

use crate::risk::computes::Token;

/// Behind these a slash begins a pattern.
const BEFORE_PATTERN: [&str; 7] = ["return", "typeof", "in", "case", "void", "delete", "instanceof"];

pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    if text.contains("<!--") || text.contains("-->") {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    let tokens = read(&chars, &mut at, 0)?;
    (at == chars.len()).then_some(tokens)
}

/// Up to the end, or inside a template to the brace that closes.
fn read(chars: &[char], at: &mut usize, depth: u8) -> Option<Vec<Token>> {
    (depth < 4).then_some(())?;
    let mut tokens: Vec<Token> = Vec::new();
    let mut braces = 0_u32;
    // For each open round bracket, whether it stands behind `if` and the like.
    let mut asks: Vec<bool> = Vec::new();
    let mut after_question = false;
    while let Some(&c) = chars.get(*at) {
        let next = chars.get(*at + 1).copied();
        match c {
            _ if c.is_whitespace() => *at += 1,
            '/' if next == Some('/') => {
                while chars.get(*at).is_some_and(|c| *c != '\n') {
                    *at += 1;
                }
            }
            '/' if next == Some('*') => {
                let end = (*at + 2..chars.len()).find(|end| chars.get(*end..end + 2) == Some(&['*', '/']))?;
                *at = end + 2;
            }
            '/' => {
                let pattern = match tokens.last() {
                    None => true,
                    Some(Token::Name(word)) => BEFORE_PATTERN.contains(&word.as_str()),
                    Some(Token::Number(_) | Token::Text(_) | Token::Piece(_)) | Some(Token::Sign(']')) => {
                        false
                    }
                    Some(Token::Sign(')')) => after_question,
                    // The end of a block or of a value; a sum that goes on.
                    Some(Token::Sign('}')) => return None,
                    Some(Token::Sign('+' | '-')) => {
                        let twice = tokens.len() > 1 && tokens.get(tokens.len() - 2) == tokens.last();
                        (!twice).then_some(true)?
                    }
                    Some(Token::Sign(_)) => true,
                };
                if pattern {
                    skip_pattern(chars, at)?;
                    tokens.push(Token::Text("/".to_owned()));
                } else {
                    tokens.push(Token::Sign('/'));
                    *at += 1;
                }
            }
            '"' | '\'' => {
                *at += 1;
                let mut inside = String::new();
                loop {
                    let inner = *chars.get(*at)?;
                    *at += 1;
                    match inner {
                        '\n' => return None,
                        '\\' => {
                            let escaped = *chars.get(*at)?;
                            *at += 1;
                            // Other escapes may spell anything.
                            inside.push(if matches!(escaped, 'n' | 't') { ' ' } else { '\u{1}' });
                            (!matches!(escaped, 'x' | 'u' | '0'..='7')).then_some(())?;
                        }
                        _ if inner == c => break,
                        _ => inside.push(inner),
                    }
                }
                tokens.push(Token::Text(inside));
            }
            '`' => {
                // With a name before it, it is given to a function.
                matches!(
                    tokens.last(),
                    None | Some(Token::Sign('(' | ',' | '=' | '+' | '[' | '?' | ':' | '>' | '{'))
                )
                .then_some(())?;
                *at += 1;
                template(chars, at, depth, &mut tokens)?;
            }
            '0'..='9' => {
                let mut number = String::new();
                while let Some(&digit) = chars.get(*at).filter(|c| c.is_ascii_digit() || **c == '_') {
                    number.extend((digit != '_').then_some(digit));
                    *at += 1;
                }
                let letter = chars.get(*at).is_some_and(|c| c.is_alphabetic());
                (!letter || chars.get(*at) == Some(&'e')).then_some(())?;
                tokens.push(Token::Number(number.parse().ok()?));
                if letter {
                    return None;
                }
            }
            _ if c.is_ascii_alphabetic() || c == '_' || c == '$' => {
                let mut name = String::new();
                while let Some(&c) =
                    chars.get(*at).filter(|c| c.is_ascii_alphanumeric() || matches!(**c, '_' | '$'))
                {
                    name.push(c);
                    *at += 1;
                }
                tokens.push(Token::Name(name));
            }
            '(' => {
                asks.push(
                    matches!(tokens.last(), Some(Token::Name(word)) if matches!(word.as_str(), "if" | "for")),
                );
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            ')' => {
                after_question = asks.pop()?;
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            '}' if braces == 0 => return (depth > 0).then_some(tokens),
            '{' | '}' => {
                braces = if c == '{' { braces + 1 } else { braces - 1 };
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            // `a?.()` calls as `a()` does.
            '?' if next == Some('.')
                && chars.get(*at + 2) == Some(&'(')
                && matches!(tokens.last(), Some(Token::Name(_))) =>
            {
                *at += 2;
            }
            _ if "+-*%[],:;.=<>!&|?~^".contains(c) => {
                tokens.push(Token::Sign(c));
                *at += 1;
            }
            _ => return None,
        }
    }
    (depth == 0 && braces == 0).then_some(tokens)
}

fn skip_pattern(chars: &[char], at: &mut usize) -> Option<()> {
    let mut class = false;
    loop {
        *at += 1;
        match *chars.get(*at)? {
            '\\' => *at += 1,
            '\n' => return None,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => break,
            _ => {}
        }
    }
    *at += 1;
    while chars.get(*at).is_some_and(|c| c.is_ascii_lowercase()) {
        *at += 1;
    }
    Some(())
}

/// A text with `${…}` in it is read as `String(…, …)`.
fn template(chars: &[char], at: &mut usize, depth: u8, tokens: &mut Vec<Token>) -> Option<()> {
    tokens.extend([Token::Name("String".to_owned()), Token::Sign('(')]);
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            '`' => break,
            '\\' => *at += 1,
            '$' if chars.get(*at) == Some(&'{') => {
                *at += 1;
                tokens.push(Token::Sign('('));
                tokens.extend(read(chars, at, depth + 1)?);
                (chars.get(*at) == Some(&'}')).then_some(())?;
                *at += 1;
                tokens.extend([Token::Sign(')'), Token::Sign(',')]);
            }
            _ => {}
        }
    }
    tokens.push(Token::Sign(')'));
    Some(())
}
