//! Files that a one-liner reads: `open("package.json")`, `pathlib.Path("src").rglob("*.py")`. Each such call, with its file
//! named in so many letters, becomes one known name; any other way to a file stays what nobody has heard of.

use super::{Language, Token};
use crate::risk::asked;

/// Stands for what was opened.
pub(super) const OPENED: &str = "opened";

/// `tokens` with the calls that open a file for reading put in as `OPENED`; `None` when one names its file in another way.
pub(super) fn taken_in(
    language: Language,
    tokens: &[Token],
    readable: impl Fn(&str) -> bool,
) -> Option<Vec<Token>> {
    let mut taken = Vec::new();
    let mut rest = tokens;
    let mut walks = false;
    while let Some(first) = rest.first() {
        let member = taken.last() == Some(&Token::Sign('.'));
        let found = match language {
            Language::Python if !member => python(rest),
            Language::JavaScript if !member => javascript(rest),
            Language::Python | Language::JavaScript | Language::Perl | Language::Ruby | Language::Php => None,
        };
        match found {
            Some(Opened { name: Some(name), length, walk }) => {
                if !readable(&name) {
                    return None;
                }
                walks |= walk;
                taken.push(Token::Name(OPENED.to_owned()));
                rest = rest.get(length..)?;
            }
            // Only makes the module known, whose every use is one of these calls.
            Some(Opened { name: None, length, .. }) => rest = rest.get(length..)?,
            None => {
                if member && !fits(first, rest, &readable) {
                    return None;
                }
                taken.push(first.clone());
                rest = rest.get(1..)?;
            }
        }
    }
    // `Path("a") / ".." / "b"` leads anywhere.
    (!walks || !taken.contains(&Token::Sign('/'))).then_some(taken)
}

struct Opened {
    name: Option<String>,
    length: usize,
    /// A folder or file that other names can be put behind.
    walk: bool,
}

fn named(name: &str, length: usize, walk: bool) -> Option<Opened> {
    Some(Opened { name: Some(name.to_owned()), length, walk })
}

fn python(rest: &[Token]) -> Option<Opened> {
    use Token::{Name, Sign, Text};
    let word = |token: &Token, wanted: &str| matches!(token, Name(name) if name == wanted);
    match rest {
        [open, Sign('('), Text(name), Sign(')'), ..] if word(open, "open") => named(name, 4, false),
        [open, Sign('('), Text(name), Sign(','), Text(mode), Sign(')'), ..]
            if word(open, "open") && matches!(mode.as_str(), "r" | "rb" | "rt") =>
        {
            named(name, 6, false)
        }
        [open, Sign('('), Text(name), Sign(','), key, Sign('='), Text(_), Sign(')'), ..]
            if word(open, "open") && word(key, "encoding") =>
        {
            named(name, 8, false)
        }
        [path, Sign('('), Text(name), Sign(')'), ..] if word(path, "Path") => named(name, 4, true),
        [module, Sign('.'), path, Sign('('), Text(name), Sign(')'), ..]
            if word(module, "pathlib") && word(path, "Path") =>
        {
            named(name, 6, true)
        }
        [from, module, import, path, ..]
            if word(from, "from")
                && word(module, "pathlib")
                && word(import, "import")
                && word(path, "Path") =>
        {
            let ends = matches!(rest.get(4), None | Some(Sign(';' | '\n')));
            ends.then_some(Opened { name: None, length: 4, walk: false })
        }
        [
            module,
            Sign('.'),
            connect,
            Sign('('),
            Text(name),
            Sign(','),
            uri,
            Sign('='),
            yes,
            Sign(')'),
            ..,
        ] if word(module, "sqlite3") && word(connect, "connect") && word(uri, "uri") && word(yes, "True") => {
            let file = name.strip_prefix("file:").and_then(|name| name.strip_suffix("?mode=ro"))?;
            named(file, 10, false)
        }
        _ => None,
    }
}

fn javascript(rest: &[Token]) -> Option<Opened> {
    use Token::{Name, Sign, Text};
    let word = |token: &Token, wanted: &str| matches!(token, Name(name) if name == wanted);
    let files = |module: &str| matches!(module, "fs" | "node:fs");
    match rest {
        [Name(kind), fs, Sign('='), require, Sign('('), Text(module), Sign(')'), ..]
            if matches!(kind.as_str(), "const" | "let" | "var")
                && word(fs, "fs")
                && word(require, "require")
                && files(module) =>
        {
            let ends = matches!(rest.get(7), None | Some(Sign(';')));
            ends.then_some(Opened { name: None, length: 7, walk: false })
        }
        [fs, Sign('.'), read, tail @ ..] if word(fs, "fs") && word(read, "readFileSync") => {
            let (name, length) = argument(tail)?;
            named(name, 3 + length, false)
        }
        [require, Sign('('), Text(module), Sign(')'), Sign('.'), read, tail @ ..]
            if word(require, "require") && files(module) && word(read, "readFileSync") =>
        {
            let (name, length) = argument(tail)?;
            named(name, 6 + length, false)
        }
        _ => None,
    }
}

/// `("a.json")` or `("a.json", "utf8")`, and how long that is.
fn argument(tail: &[Token]) -> Option<(&str, usize)> {
    use Token::{Sign, Text};
    match tail {
        [Sign('('), Text(name), Sign(')'), ..] => Some((name, 3)),
        [Sign('('), Text(name), Sign(','), Text(_), Sign(')'), ..] => Some((name, 5)),
        _ => None,
    }
}

/// Whether what is asked of a value behind a dot is all right with what it is given.
fn fits(member: &Token, rest: &[Token], readable: &impl Fn(&str) -> bool) -> bool {
    let Token::Name(name) = member else { return true };
    let given = match rest.get(1..4) {
        Some([Token::Sign('('), Token::Text(text), Token::Sign(')')]) => Some(text.as_str()),
        Some(_) | None => None,
    };
    match name.as_str() {
        // Names of one kind only: among all names are those of keys.
        "glob" | "rglob" => given.is_some_and(|pattern| {
            let ending = pattern.rsplit_once('.').map(|(_, ending)| ending);
            ending
                .is_some_and(|ending| !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric()))
                && readable(&pattern.replace('*', "x"))
        }),
        "execute" => given.is_some_and(asked::only_asks),
        _ => true,
    }
}
