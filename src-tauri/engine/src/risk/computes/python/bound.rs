//! Where Python gives names their values. Generous: what may be such a place counts as one.

use crate::risk::computes::Token;

/// What a statement with others behind its colon begins with.
const BEFORE_COLON: [&str; 10] =
    ["if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def"];

fn is(token: Option<&Token>, sign: char) -> bool {
    token == Some(&Token::Sign(sign))
}

pub(super) fn word(token: Option<&Token>, wanted: &str) -> bool {
    matches!(token, Some(Token::Name(name)) if name == wanted)
}

/// For each of `tokens` whether it may be a name that is given a value there; `None` when that cannot be told.
pub(super) fn bound(tokens: &[Token]) -> Option<Vec<bool>> {
    let mut marks = vec![false; tokens.len()];
    for (start, end) in statements(tokens) {
        statement(tokens, start, end, &mut marks)?;
    }
    Some(marks)
}

/// Where each statement begins and ends.
pub(super) fn statements(tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Sign(';' | '\n') if depth == 0 => {
                found.push((start, at));
                start = at + 1;
            }
            Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_) => {}
        }
    }
    found.push((start, tokens.len()));
    found.retain(|(start, end)| start < end);
    found
}

/// Whether the `=` at `at` gives a value.
fn gives(tokens: &[Token], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
    let shifts = ['<', '>'].iter().any(|sign| is(before(1), *sign) && is(before(2), *sign));
    is(tokens.get(at), '=')
        && !is(tokens.get(at + 1), '=')
        && !is(before(1), '=')
        && !is(before(1), '!')
        && (shifts || !is(before(1), '<') && !is(before(1), '>'))
}

fn statement(tokens: &[Token], start: usize, end: usize, marks: &mut [bool]) -> Option<()> {
    let mut mark = |at: usize| {
        if let Some(mark) = marks.get_mut(at).filter(|_| matches!(tokens.get(at), Some(Token::Name(_)))) {
            *mark = true;
        }
    };
    let first = tokens.get(start);
    let all = ["import", "from", "del", "def", "class", "global", "nonlocal"];
    let whole = all.iter().any(|own| word(first, own));
    // Names up to here belong to a loop, or to a function without a name; the depth says where that ends.
    let mut looped: Option<u32> = None;
    let mut lambdas: Vec<u32> = Vec::new();
    // Of each open bracket whether it asks for a part of something.
    let mut open: Vec<bool> = Vec::new();
    let mut asked = 0_u32;
    let mut part: Vec<usize> = Vec::new();
    // Whether something of a module, or of a value, may be what is given a value in this part.
    let mut member = false;
    let compound = BEFORE_COLON.iter().any(|own| word(first, own));
    let typed = is(tokens.get(start + 1), ':');
    let mut colons = 0_u32;
    for at in start..end {
        let token = tokens.get(at)?;
        let depth = u32::try_from(open.len()).ok()?;
        match token {
            Token::Sign('[') => {
                let asks = asks_for_part(tokens, at);
                asked += u32::from(asks);
                open.push(asks);
            }
            Token::Sign('(' | '{') => open.push(false),
            Token::Sign(')' | ']' | '}') => {
                asked -= u32::from(open.pop()?);
                while lambdas
                    .last()
                    .is_some_and(|own| usize::try_from(*own).is_ok_and(|own| own > open.len()))
                {
                    lambdas.pop();
                }
            }
            Token::Sign(':') if lambdas.last() == Some(&depth) => {
                lambdas.pop();
            }
            Token::Sign(':') if depth == 0 && !gives(tokens, at + 1) => {
                part.clear();
                (member, colons) = (false, colons + 1);
            }
            Token::Sign('.') => {
                (looped.is_none()).then_some(())?;
                member |= asked == 0;
            }
            Token::Sign('=') if depth == 0 && gives(tokens, at) => {
                // `os.path.join: int = f`
                let plain = colons == 0 || colons == 1 && (compound || typed);
                (plain && !member).then_some(())?;
                part.drain(..).for_each(&mut mark);
            }
            Token::Name(name) => match name.as_str() {
                "for" => looped = Some(depth),
                "in" if looped == Some(depth) => looped = None,
                "lambda" => lambdas.push(depth),
                "as" => {
                    // `as (a, b)`
                    let whole = !is(tokens.get(at + 2), '.') && !is(tokens.get(at + 2), '[');
                    (whole && matches!(tokens.get(at + 1), Some(Token::Name(_)))).then_some(())?;
                    mark(at + 1);
                }
                _ => {
                    if asked == 0 {
                        part.push(at);
                    }
                    let named = depth > 0 && gives(tokens, at + 1);
                    let walrus = is(tokens.get(at + 1), ':') && gives(tokens, at + 2);
                    let typed = at == start && typed;
                    if whole && colons == 0
                        || looped.is_some()
                        || !lambdas.is_empty()
                        || named
                        || walrus
                        || typed
                    {
                        mark(at);
                    }
                }
            },
            Token::Sign(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_) => {}
        }
    }
    Some(())
}

/// `x[…]`, not a list.
fn asks_for_part(tokens: &[Token], at: usize) -> bool {
    const WORDS: [&str; 14] = [
        "for", "in", "if", "else", "and", "or", "not", "is", "with", "as", "return", "lambda", "del", "elif",
    ];
    match at.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some(Token::Name(name)) => !WORDS.contains(&name.as_str()),
        Some(Token::Sign(')' | ']')) => true,
        Some(Token::Sign(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_)) | None => false,
    }
}
