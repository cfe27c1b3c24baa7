//! Files that a one-liner reads: `open("package.json")`, `fs.readFileSync("a.js")`. Each such call, with its file named in so
//! many letters, becomes one known name; any other way to a file stays what nobody has heard of. What the calls are is for
//! the languages to say.

use super::Token;
use crate::risk::asked;

/// Stands for what was opened.
pub(super) const OPENED: &str = "opened";

/// A call that opens a file, at the beginning of what was looked at.
pub(super) struct Opened {
    /// The file; empty for what comes in or was judged before. `None` when nothing is opened yet.
    name: Option<String>,
    /// How many words and signs it takes.
    length: usize,
    /// A folder or file that other names can be put behind.
    walk: bool,
}

pub(super) fn named(name: &str, length: usize, walk: bool) -> Option<Opened> {
    Some(Opened { name: Some(name.to_owned()), length, walk })
}

/// What only makes a module known, whose every use is one of the calls that open.
pub(super) fn made_known(length: usize) -> Opened {
    Opened { name: None, length, walk: false }
}

/// `tokens` with the calls that `find` knows put in as `OPENED`; `None` when one names its file in another way.
pub(super) fn taken_in(
    tokens: &[Token],
    readable: &dyn Fn(&str) -> bool,
    find: impl Fn(&[Token]) -> Option<Opened>,
) -> Option<Vec<Token>> {
    let mut taken: Vec<Token> = Vec::new();
    let mut rest = tokens;
    let mut walks = false;
    while let Some(first) = rest.first() {
        let member = taken.last() == Some(&Token::Sign('.'));
        let found = if member { None } else { find(rest) };
        match found {
            Some(Opened { name: Some(name), length, walk }) => {
                if !name.is_empty() && !readable(&name) {
                    return None;
                }
                walks |= walk;
                taken.push(Token::Name(OPENED.to_owned()));
                rest = rest.get(length..)?;
            }
            Some(Opened { name: None, length, .. }) => rest = rest.get(length..)?,
            None => {
                let of = taken.len().checked_sub(2).and_then(|of| taken.get(of));
                if member && !fits(first, rest, of, readable) {
                    return None;
                }
                taken.push(first.clone());
                rest = rest.get(1..)?;
            }
        }
    }
    // `Path("a") / ".." / "b"` leads anywhere, and so may a file's name that is put together.
    let joins = |token: &Token| *token == Token::Sign('/');
    (!walks || !taken.iter().any(joins)).then_some(taken)
}

/// Names of one kind only: among all names are those of keys.
pub(super) fn is_one_kind(pattern: &str, readable: &dyn Fn(&str) -> bool) -> bool {
    let ending = pattern.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric()))
        && readable(&pattern.replace('*', "x"))
}

/// Whether two arguments stand at the beginning of `tokens`, which go on from the opening bracket.
fn takes_two(tokens: &[Token]) -> bool {
    let mut depth = 0_u32;
    for token in tokens {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') if depth == 0 => return false,
            Token::Sign(')' | ']' | '}') => depth -= 1,
            Token::Sign(',') if depth == 0 => return true,
            Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_) => {}
        }
    }
    false
}

/// The one statement that a database is given, from behind the opening bracket on. Of what is put into a question only
/// the values may be unknown: they make it another question, and no second statement is taken.
fn statement(given: &[Token]) -> Option<String> {
    let text = match given {
        [Token::Text(text), Token::Sign(')' | ','), ..] => text.clone(),
        [Token::Name(str), Token::Sign('('), Token::Piece(_), ..] if str == "str" => {
            let close = super::close(given, 1, given.len())?;
            matches!(given.get(close + 1), Some(Token::Sign(')' | ','))).then_some(())?;
            let said = given.get(..close)?.iter().filter_map(|token| match token {
                Token::Piece(said) => Some(said.as_str()),
                Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Sign(_) => None,
            });
            let text = said.collect::<Vec<&str>>().join("x");
            text.trim_start().to_lowercase().starts_with("select ").then_some(text)?
        }
        _ => return None,
    };
    (!text.contains('\u{1}')).then_some(text)
}

/// Whether what is asked of a value behind a dot is all right with what it is given.
fn fits(member: &Token, rest: &[Token], of: Option<&Token>, readable: &dyn Fn(&str) -> bool) -> bool {
    let Token::Name(name) = member else { return true };
    let given = match rest.get(1..4) {
        Some([Token::Sign('('), Token::Text(text), Token::Sign(')')]) => Some(text.as_str()),
        Some(_) | None => None,
    };
    match name.as_str() {
        // Names of one kind only: among all names are those of keys.
        "glob" | "rglob" => given.is_some_and(|pattern| is_one_kind(pattern, readable)),
        "execute" => rest.get(2..).and_then(statement).is_some_and(|text| asked::only_asks(&text)),
        // With one thing given a path would get another name; a text is given two.
        "replace" => rest.get(1) != Some(&Token::Sign('(')) || takes_two(rest.get(2..).unwrap_or_default()),
        // What it would copy to.
        "copy" => matches!(rest.get(1..3), Some([Token::Sign('('), Token::Sign(')')])),
        "write" => matches!(of, Some(Token::Name(of)) if matches!(of.as_str(), "stdout" | "stderr")),
        _ => true,
    }
}
