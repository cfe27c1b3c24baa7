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
    let mut taken: Vec<Token> = Vec::new();
    let mut rest = tokens;
    let mut walks = false;
    let listed = if language == Language::Python { listed(tokens, &readable) } else { Vec::new() };
    while let Some(first) = rest.first() {
        let member = taken.last() == Some(&Token::Sign('.'));
        let found = match language {
            Language::Python if !member => partly(rest, &listed, &readable).or_else(|| python(rest)),
            Language::JavaScript if !member => javascript(rest),
            Language::Python | Language::JavaScript | Language::Perl | Language::Ruby | Language::Php => None,
        };
        match found {
            Some(Opened { name: Some(name), length, walk }) => {
                if !name.is_empty() && !readable(&name) {
                    return None;
                }
                walks |= walk;
                taken.push(Token::Name(OPENED.to_owned()));
                rest = rest.get(length..)?;
            }
            // Only makes the module known, whose every use is one of these calls.
            Some(Opened { name: None, length, .. }) => rest = rest.get(length..)?,
            None => {
                let of = taken.len().checked_sub(2).and_then(|of| taken.get(of));
                if member && !fits(first, rest, of, &readable) {
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

/// The names of loops over files of one kind: `for p in sorted(glob.glob("src/*.py"))`, where nothing else is called so.
fn listed(tokens: &[Token], readable: &impl Fn(&str) -> bool) -> Vec<String> {
    use Token::{Name, Sign, Text};
    let word = |token: &Token, wanted: &str| matches!(token, Name(name) if name == wanted);
    let mut found: Vec<String> = Vec::new();
    for at in 0..tokens.len() {
        let Some([start, Name(name), within, rest @ ..]) = tokens.get(at..) else { continue };
        if !word(start, "for") || !word(within, "in") {
            continue;
        }
        let rest = match rest {
            [sorted, Sign('('), rest @ ..] if word(sorted, "sorted") => rest,
            rest => rest,
        };
        let of_one_kind = matches!(rest, [glob, Sign('.'), call, Sign('('), Text(pattern), ..]
            if word(glob, "glob") && (word(call, "glob") || word(call, "iglob")) && is_one_kind(pattern, readable));
        // Bound once, by this loop.
        let bound = tokens.windows(2).filter(|pair| match pair {
            [Name(own), Sign('=')] | [Sign('*'), Name(own)] => own == name,
            [by, Name(own)] => {
                own == name && (word(by, "for") || word(by, "as") || word(by, "def") || word(by, "lambda"))
            }
            [Sign(','), _] => false,
            _ => false,
        });
        let among = tokens.windows(3).any(|three| {
            matches!(three, [Sign(',') | Sign('('), Name(own), Sign('=' | ',')] if own == name)
                && !matches!(three, [_, _, Sign(',')])
        });
        let unpacked = tokens
            .windows(2)
            .any(|pair| matches!(pair, [Name(own), within] if own == name && word(within, "in")))
            && tokens.windows(3).any(
                |three| matches!(three, [Sign(','), Name(own), within] if own == name && word(within, "in")),
            );
        if of_one_kind && bound.count() == 1 && !among && !unpacked {
            found.push(name.clone());
        }
    }
    found
}

/// Names of one kind only: among all names are those of keys.
fn is_one_kind(pattern: &str, readable: &impl Fn(&str) -> bool) -> bool {
    let ending = pattern.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric()))
        && readable(&pattern.replace('*', "x"))
}

/// Calls of modules of which only these are known.
fn partly(rest: &[Token], listed: &[String], readable: &impl Fn(&str) -> bool) -> Option<Opened> {
    use Token::{Name, Sign, Text};
    const OF_PATHS: [&str; 9] =
        ["join", "basename", "dirname", "splitext", "exists", "isfile", "isdir", "getsize", "relpath"];
    let known = |length| named("", length, false);
    match rest {
        [Name(os), Sign('.'), Name(path), Sign('.'), Name(call), ..]
            if os == "os" && path == "path" && OF_PATHS.contains(&call.as_str()) =>
        {
            known(5)
        }
        [Name(os), Sign('.'), Name(call), Sign('('), Text(folder), Sign(')'), ..]
            if os == "os"
                && matches!(call.as_str(), "listdir" | "walk" | "scandir")
                && (folder == "." || readable(folder)) =>
        {
            known(6)
        }
        [Name(os), Sign('.'), Name(call), Sign('('), Sign(')'), ..]
            if os == "os" && matches!(call.as_str(), "getcwd" | "cpu_count" | "listdir") =>
        {
            known(5)
        }
        [Name(os), Sign('.'), Name(call), ..] if os == "os" && matches!(call.as_str(), "sep" | "linesep") => {
            known(3)
        }
        [Name(glob), Sign('.'), Name(call), Sign('('), Text(pattern), Sign(')'), ..]
            if glob == "glob"
                && matches!(call.as_str(), "glob" | "iglob")
                && readable(&pattern.replace('*', "x")) =>
        {
            known(6)
        }
        [
            Name(glob),
            Sign('.'),
            Name(call),
            Sign('('),
            Text(pattern),
            Sign(','),
            Name(key),
            Sign('='),
            Name(_),
            Sign(')'),
            ..,
        ] if glob == "glob"
            && call == "glob"
            && key == "recursive"
            && readable(&pattern.replace('*', "x")) =>
        {
            known(10)
        }
        [Name(open), Sign('('), Name(name), Sign(')'), ..] if open == "open" && listed.contains(name) => {
            known(4)
        }
        [Name(open), Sign('('), Name(name), Sign(','), Text(mode), Sign(')'), ..]
            if open == "open" && listed.contains(name) && matches!(mode.as_str(), "r" | "rb" | "rt") =>
        {
            known(6)
        }
        [Name(open), Sign('('), Name(name), Sign(','), Name(key), Sign('='), Text(_), Sign(')'), ..]
            if open == "open" && listed.contains(name) && matches!(key.as_str(), "encoding" | "errors") =>
        {
            known(8)
        }
        // What a module says of itself: its parts are only named.
        [Name(inspect), Sign('.'), Name(call), Sign('('), tail @ ..]
            if inspect == "inspect"
                && matches!(
                    call.as_str(),
                    "getsource" | "signature" | "getfile" | "getdoc" | "getsourcefile" | "getsourcelines"
                ) =>
        {
            parts_of_module(tail).and_then(|length| known(4 + length))
        }
        [Name(call), Sign('('), tail @ ..] if matches!(call.as_str(), "dir" | "help") => {
            parts_of_module(tail).and_then(|length| known(2 + length))
        }
        [Name(module), Sign('.'), Name(call), Sign('('), Sign(')'), ..]
            if module == "platform" && matches!(call.as_str(), "system" | "platform") =>
        {
            known(5)
        }
        _ => None,
    }
}

/// `json.tool)`: how long that is.
fn parts_of_module(tail: &[Token]) -> Option<usize> {
    let end = tail.iter().position(|token| *token == Token::Sign(')'))?;
    let plain = tail.get(..end)?.iter().enumerate().all(|(at, token)| match token {
        Token::Name(name) => at % 2 == 0 && !name.starts_with('_'),
        Token::Sign('.') => at % 2 == 1,
        Token::Sign(_) | Token::Number(_) | Token::Text(_) => false,
    });
    let module = matches!(tail.first(), Some(Token::Name(module))
        if super::names::MODULES.contains(&module.as_str()) || super::names::PACKAGES.contains(&module.as_str()));
    (plain && module && end % 2 == 1).then_some(end + 1)
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
            open,
            Sign('('),
            Text(name),
            Sign(','),
            Text(mode),
            Sign(','),
            key,
            Sign('='),
            Text(_),
            Sign(')'),
            ..,
        ] if word(open, "open") && word(key, "encoding") && matches!(mode.as_str(), "r" | "rt") => {
            named(name, 10, false)
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

/// What only looks at a file or a folder.
const READERS: [&str; 4] = ["readFileSync", "existsSync", "readdirSync", "statSync"];

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
        // `const { readFileSync } = require("fs")`
        [
            Name(kind),
            Sign('{'),
            Name(read),
            Sign('}'),
            Sign('='),
            require,
            Sign('('),
            Text(module),
            Sign(')'),
            ..,
        ] if kind == "const"
            && READERS.contains(&read.as_str())
            && word(require, "require")
            && files(module) =>
        {
            Some(Opened { name: None, length: 9, walk: false })
        }
        [read, tail @ ..] if READERS.iter().any(|own| word(read, own)) => {
            let (name, length) = argument(tail)?;
            named(name, 1 + length, false)
        }
        [fs, Sign('.'), read, tail @ ..] if word(fs, "fs") && READERS.iter().any(|own| word(read, own)) => {
            let (name, length) = argument(tail)?;
            named(name, 3 + length, false)
        }
        [require, Sign('('), Text(module), Sign(')'), Sign('.'), read, tail @ ..]
            if word(require, "require") && files(module) && READERS.iter().any(|own| word(read, own)) =>
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
        // What comes in.
        [Sign('('), Token::Number(0), Sign(')'), ..] => Some(("", 3)),
        [Sign('('), Token::Number(0), Sign(','), Text(_), Sign(')'), ..] => Some(("", 5)),
        [Sign('('), Text(name), Sign(')'), ..] if name == "/dev/stdin" => Some(("", 3)),
        [Sign('('), Text(name), Sign(','), Text(_), Sign(')'), ..] if name == "/dev/stdin" => Some(("", 5)),
        [Sign('('), Text(name), Sign(')'), ..] => Some((name, 3)),
        [Sign('('), Text(name), Sign(','), Text(_), Sign(')'), ..] => Some((name, 5)),
        _ => None,
    }
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
            Token::Sign(_) | Token::Name(_) | Token::Number(_) | Token::Text(_) => {}
        }
    }
    false
}

/// Whether what is asked of a value behind a dot is all right with what it is given.
fn fits(member: &Token, rest: &[Token], of: Option<&Token>, readable: &impl Fn(&str) -> bool) -> bool {
    let Token::Name(name) = member else { return true };
    let given = match rest.get(1..4) {
        Some([Token::Sign('('), Token::Text(text), Token::Sign(')')]) => Some(text.as_str()),
        Some(_) | None => None,
    };
    match name.as_str() {
        // Names of one kind only: among all names are those of keys.
        "glob" | "rglob" => given.is_some_and(|pattern| is_one_kind(pattern, readable)),
        "execute" => given.is_some_and(|text| !text.contains('\u{1}') && asked::only_asks(text)),
        // With one thing given a path would get another name; a text is given two.
        "replace" => rest.get(1) != Some(&Token::Sign('(')) || takes_two(rest.get(2..).unwrap_or_default()),
        // What it would copy to.
        "copy" => matches!(rest.get(1..3), Some([Token::Sign('('), Token::Sign(')')])),
        "write" => matches!(of, Some(Token::Name(of)) if matches!(of.as_str(), "stdout" | "stderr")),
        _ => true,
    }
}
