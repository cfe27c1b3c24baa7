//! Where files lie that Python names: `Path("src") / name`, `f"icons/{n}.png"`, `os.path.join(root, file)`. A name of a
//! file is known as a pattern in which a part that is not known may be any name, but never a way to another folder.

use std::collections::BTreeMap;

use super::bound::word;
use crate::risk::computes::Token;

/// Some text without a slash.
pub(super) const PART: char = '\u{2}';
/// Folders below one another, or none.
pub(super) const DEEP: &str = "\u{3}";
/// A whole name that a folder lists: never `..`.
pub(super) const ENTRY: &str = "*";

/// No more names are followed, none longer, and no deeper.
const MOST: usize = 64;
const LONGEST: usize = 256;
const DEEPEST: u8 = 12;

/// What is known of a name that is given one value in the whole text.
#[derive(Debug, Clone)]
pub(super) enum Held {
    Places(Vec<String>),
    /// A list that nothing changes.
    List(Vec<String>),
    File,
}

pub(super) type Names<'t> = BTreeMap<&'t str, Held>;
/// The patterns, and where what follows them begins.
pub(super) type Found = Option<(Vec<String>, usize)>;

pub(super) fn sign(tokens: &[Token], at: usize, wanted: char) -> bool {
    tokens.get(at) == Some(&Token::Sign(wanted))
}

fn plain(text: &str) -> bool {
    text.len() <= LONGEST && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./@".contains(c))
}

/// Each of `left` with each of `right` behind it.
fn joined(left: &[String], right: &[String], between: &str) -> Option<Vec<String>> {
    let fits = left.len().saturating_mul(right.len()) <= MOST;
    let all = left.iter().flat_map(|left| {
        right.iter().map(move |right| {
            let left =
                if between.is_empty() { left.as_str() } else { left.strip_suffix('/').unwrap_or(left) };
            format!("{left}{between}{right}")
        })
    });
    fits.then(|| all.collect::<Vec<_>>()).filter(|all| all.iter().all(|one| one.len() <= LONGEST))
}

/// What names a place, from `at` on.
pub(super) fn value(tokens: &[Token], at: usize, names: &Names<'_>) -> Found {
    at_depth(tokens, at, names, 0)
}

fn at_depth(tokens: &[Token], at: usize, names: &Names<'_>, depth: u8) -> Found {
    let (mut found, mut at) = operand(tokens, at, names, depth)?;
    for _ in 0..MOST {
        let Some(Token::Sign(kind @ ('/' | '+'))) = tokens.get(at) else { return Some((found, at)) };
        let (right, next) = operand(tokens, at + 1, names, depth)?;
        found = joined(&found, &right, if *kind == '/' { "/" } else { "" })?;
        at = next;
    }
    None
}

/// A place, and what is asked of it.
fn operand(tokens: &[Token], at: usize, names: &Names<'_>, depth: u8) -> Found {
    let (mut found, mut at) = first(tokens, at, names, depth)?;
    for _ in 0..MOST {
        let Some((part, next)) = asked(tokens, at, &found) else { return Some((found, at)) };
        (found, at) = (part, next);
    }
    None
}

fn first(tokens: &[Token], at: usize, names: &Names<'_>, depth: u8) -> Found {
    (depth < DEEPEST).then_some(())?;
    match tokens.get(at)? {
        Token::Text(text) => plain(text).then(|| (vec![text.clone()], at + 1)),
        Token::Number(number) => Some((vec![number.to_string()], at + 1)),
        Token::Sign('(') => {
            let (found, next) = at_depth(tokens, at + 1, names, depth + 1)?;
            sign(tokens, next, ')').then_some((found, next + 1))
        }
        Token::Name(name) if sign(tokens, at + 1, '(') && name == "str" => {
            put_together(tokens, at + 2, names, depth + 1)
        }
        Token::Name(name) if sign(tokens, at + 1, '(') && name == "Path" => {
            arguments(tokens, at + 2, names, depth + 1)
        }
        Token::Name(_) if asks(tokens, at, &["pathlib", "Path"]) => {
            arguments(tokens, at + 4, names, depth + 1)
        }
        Token::Name(_) if asks(tokens, at, &["os", "path", "join"]) => {
            arguments(tokens, at + 6, names, depth + 1)
        }
        Token::Name(name) => match names.get(name.as_str())? {
            Held::Places(places) => Some((places.clone(), at + 1)),
            Held::List(_) | Held::File => None,
        },
        Token::Sign(_) | Token::Piece(_) => None,
    }
}

/// Whether a call of `os.path.join` begins at `at`.
pub(super) fn asks(tokens: &[Token], at: usize, parts: &[&str]) -> bool {
    parts.iter().enumerate().all(|(place, part)| {
        word(tokens.get(at + 2 * place), part) && (place == 0 || sign(tokens, at + 2 * place - 1, '.'))
    }) && sign(tokens, at + 2 * parts.len() - 1, '(')
}

/// `a, b)` behind one another, divided by slashes.
fn arguments(tokens: &[Token], start: usize, names: &Names<'_>, depth: u8) -> Found {
    let (mut found, mut at) = at_depth(tokens, start, names, depth)?;
    while sign(tokens, at, ',') {
        let (next, after) = at_depth(tokens, at + 1, names, depth)?;
        found = joined(&found, &next, "/")?;
        at = after;
    }
    sign(tokens, at, ')').then_some((found, at + 1))
}

/// The pieces and values of a text that is put together.
fn put_together(tokens: &[Token], start: usize, names: &Names<'_>, depth: u8) -> Found {
    let (mut found, mut at) = (vec![String::new()], start);
    loop {
        match tokens.get(at)? {
            Token::Sign(')') => return Some((found, at + 1)),
            Token::Sign(',') => at += 1,
            Token::Piece(text) => {
                found = joined(&found, &[plain(text).then(|| text.clone())?], "")?;
                at += 1;
            }
            Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Sign(_) => {
                let (next, after) = at_depth(tokens, at, names, depth)?;
                matches!(tokens.get(after), Some(Token::Sign(',' | ')'))).then_some(())?;
                found = joined(&found, &next, "")?;
                at = after;
            }
        }
    }
}

/// Whether each is one name, without a folder before it.
pub(super) fn are_single(places: &[String]) -> bool {
    places.iter().all(|place| !place.contains('/') && !place.contains(DEEP))
}

/// What is asked of a place: `.stem`, `.lower()`, `[:-3]`.
fn asked(tokens: &[Token], at: usize, of: &[String]) -> Found {
    let single = are_single(of);
    let part = || vec![PART.to_string()];
    if !sign(tokens, at, '[') && !sign(tokens, at, '.') {
        return None;
    }
    if sign(tokens, at, '[') {
        let end = (at + 1..tokens.len()).take(6).find(|end| sign(tokens, *end, ']'))?;
        let counts = |token: &Token| matches!(token, Token::Number(_) | Token::Sign(':' | '-'));
        return (single && tokens.get(at + 1..end)?.iter().all(counts)).then(|| (part(), end + 1));
    }
    let Token::Name(name) = tokens.get(at + 1)? else { return None };
    let bare = sign(tokens, at + 2, '(') && sign(tokens, at + 3, ')');
    match name.as_str() {
        "stem" | "suffix" | "name" if !sign(tokens, at + 2, '(') => Some((part(), at + 2)),
        "lower" | "upper" | "title" | "casefold" | "capitalize" | "strip" if bare && single => {
            Some((part(), at + 4))
        }
        "replace" if single && sign(tokens, at + 2, '(') => match tokens.get(at + 3..at + 7)? {
            [Token::Text(_), Token::Sign(','), Token::Text(new), Token::Sign(')')]
                if plain(new) && !new.contains('/') =>
            {
                Some((part(), at + 7))
            }
            _ => None,
        },
        "removesuffix" | "removeprefix" if single && sign(tokens, at + 2, '(') => {
            match tokens.get(at + 3..at + 5)? {
                [Token::Text(_), Token::Sign(')')] => Some((part(), at + 5)),
                _ => None,
            }
        }
        "with_suffix" if sign(tokens, at + 2, '(') => {
            let [Token::Text(ending), Token::Sign(')')] = tokens.get(at + 3..at + 5)? else { return None };
            let kind =
                ending.strip_prefix('.').filter(|kind| kind.chars().all(|c| c.is_ascii_alphanumeric()))?;
            let other = |one: &String| match one.rsplit_once('/') {
                Some((folder, _)) => format!("{folder}/{PART}.{kind}"),
                None => format!("{PART}.{kind}"),
            };
            (!kind.is_empty()).then(|| (of.iter().map(other).collect(), at + 5))
        }
        _ => None,
    }
}

/// A pattern as `glob` takes it.
fn pattern(text: &str) -> Option<String> {
    let plain_sign = |c: char| c.is_ascii_alphanumeric() || "_-./@*?".contains(c);
    (text.len() <= LONGEST && text.chars().all(plain_sign)).then_some(())?;
    let part = |part: &str| match part {
        "**" => DEEP.to_owned(),
        "*" => ENTRY.to_owned(),
        part => part.replace(['*', '?'], &PART.to_string()),
    };
    Some(text.split('/').map(part).collect::<Vec<_>>().join("/"))
}

/// What a loop goes over, from `at` on.
pub(super) fn list(tokens: &[Token], at: usize, names: &Names<'_>) -> Found {
    list_at(tokens, at, names, 0)
}

fn list_at(tokens: &[Token], at: usize, names: &Names<'_>, depth: u8) -> Found {
    (depth < DEEPEST).then_some(())?;
    if let Some(Token::Name(name)) = tokens.get(at) {
        if let Some(Held::List(list)) = names.get(name.as_str()) {
            return Some((list.clone(), at + 1));
        }
        if matches!(name.as_str(), "sorted" | "list" | "set") && sign(tokens, at + 1, '(') {
            let (found, next) = list_at(tokens, at + 2, names, depth + 1)?;
            return sign(tokens, next, ')').then_some((found, next + 1));
        }
        if name == "range" && sign(tokens, at + 1, '(') {
            let end = (at + 2..tokens.len()).take(12).find(|end| sign(tokens, *end, ')'))?;
            let nested = tokens.get(at + 2..end)?.contains(&Token::Sign('('));
            return (!nested).then(|| (vec![PART.to_string()], end + 1));
        }
        if asks(tokens, at, &["os", "listdir"]) {
            let (_, next) = value(tokens, at + 4, names)?;
            return sign(tokens, next, ')').then(|| (vec![ENTRY.to_owned()], next + 1));
        }
        if asks(tokens, at, &["glob", "glob"]) || asks(tokens, at, &["glob", "iglob"]) {
            let Token::Text(text) = tokens.get(at + 4)? else { return None };
            let found = vec![pattern(text)?];
            if sign(tokens, at + 5, ')') {
                return Some((found, at + 6));
            }
            let deep = sign(tokens, at + 5, ',')
                && word(tokens.get(at + 6), "recursive")
                && sign(tokens, at + 7, '=')
                && word(tokens.get(at + 8), "True")
                && sign(tokens, at + 9, ')');
            return deep.then_some((found, at + 10));
        }
    }
    // `Path("src").rglob("*.ts")`
    if let Some((folder, next)) = value(tokens, at, names)
        && sign(tokens, next, '.')
    {
        let [Token::Name(call), Token::Sign('('), Token::Text(text), Token::Sign(')')] =
            tokens.get(next + 1..next + 5)?
        else {
            return None;
        };
        let below = match call.as_str() {
            "glob" => pattern(text)?,
            "rglob" => format!("{DEEP}/{}", pattern(text)?),
            _ => return None,
        };
        return Some((joined(&folder, &[below], "/")?, next + 5));
    }
    written_out(tokens, at)
}

/// `("build", "dist")`
fn written_out(tokens: &[Token], at: usize) -> Found {
    let close = match tokens.get(at)? {
        Token::Sign('(') => ')',
        Token::Sign('[') => ']',
        Token::Sign('{') => '}',
        _ => return None,
    };
    let mut found = Vec::new();
    let mut at = at + 1;
    loop {
        match tokens.get(at)? {
            Token::Text(text) if plain(text) => found.push(text.clone()),
            Token::Number(number) => found.push(number.to_string()),
            Token::Sign(sign) if *sign == close && !found.is_empty() => return Some((found, at + 1)),
            _ => return None,
        }
        at += 1;
        if sign(tokens, at, ',') {
            at += 1;
        } else if !sign(tokens, at, close) {
            return None;
        }
        (found.len() <= MOST).then_some(())?;
    }
}

/// A place as the judge takes it: below the folder at hand for certain, and no hidden file. With a star it is a pattern.
pub(super) fn settled(place: &str) -> Option<String> {
    let place = place.strip_prefix("./").unwrap_or(place);
    let parts: Vec<&str> = place.split('/').collect();
    let last = parts.len().checked_sub(1)?;
    let wild = |part: &str| part.contains([PART, '*']) || part == DEEP;
    // A number is something that is open already.
    (!place.chars().all(|c| c.is_ascii_digit())).then_some(())?;
    let mut spread = false;
    for (at, part) in parts.iter().enumerate() {
        if *part == DEEP || *part == ENTRY {
            spread |= at == 0;
        } else if wild(part) {
            // Only what has a letter of its own is no `..`.
            let names = part.chars().any(|c| c.is_ascii_alphanumeric());
            let tame = names && at == last && !part.starts_with('.') && !part.contains(DEEP);
            tame.then_some(())?;
            spread |= at == 0;
        } else if part.is_empty() || part.starts_with(['.', '-']) || part.contains(DEEP) {
            return None;
        }
    }
    // Of all names at hand only those of one kind.
    let kind = parts.last()?.rsplit_once('.').map(|(_, kind)| kind);
    let one_kind =
        kind.is_some_and(|kind| !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric()));
    (!spread || one_kind).then(|| place.replace(PART, "*").replace(DEEP, "*"))
}
