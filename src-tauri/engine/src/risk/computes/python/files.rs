//! Files that Python reads: `open("package.json")`, `pathlib.Path("src").rglob("*.py")`, and those that are listed before they
//! are opened.

use super::names::{MODULES, PACKAGES};
use crate::risk::computes::Token;
use crate::risk::computes::reads::{self, Opened, is_one_kind, made_known, named};

/// `tokens` with the calls that open a file for reading put in as `OPENED`; `None` when one names its file in another way.
pub(super) fn taken_in(tokens: &[Token], readable: &dyn Fn(&str) -> bool) -> Option<Vec<Token>> {
    let listed = listed(tokens, readable);
    reads::taken_in(tokens, readable, |rest| partly(rest, &listed, readable).or_else(|| opened(rest)))
}

/// The names of loops over files of one kind: `for p in sorted(glob.glob("src/*.py"))`, where nothing else is called so.
fn listed(tokens: &[Token], readable: &dyn Fn(&str) -> bool) -> Vec<String> {
    use Token::{Name, Sign, Text};
    let word = |token: &Token, wanted: &str| matches!(token, Name(name) if name == wanted);
    /// No more loops than this are looked at: each is compared with the whole text.
    const MOST: usize = 32;
    let mut found: Vec<String> = Vec::new();
    let mut looked = 0;
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
        looked += usize::from(of_one_kind);
        if !of_one_kind || looked > MOST {
            continue;
        }
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
        if bound.count() == 1 && !among && !unpacked {
            found.push(name.clone());
        }
    }
    found
}

/// Calls of modules of which only these are known.
fn partly(rest: &[Token], listed: &[String], readable: &dyn Fn(&str) -> bool) -> Option<Opened> {
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
        Token::Sign(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_) => false,
    });
    let module = matches!(tail.first(), Some(Token::Name(module))
        if MODULES.contains(&module.as_str()) || PACKAGES.contains(&module.as_str()));
    (plain && module && end % 2 == 1).then_some(end + 1)
}

fn opened(rest: &[Token]) -> Option<Opened> {
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
        // What is packed in an archive.
        [module, Sign('.'), open, Sign('('), Text(name), Sign(')'), ..]
            if word(module, "zipfile") && word(open, "ZipFile")
                || word(module, "tarfile") && word(open, "open") =>
        {
            named(name, 6, false)
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
            ends.then_some(made_known(4))
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
        // Nothing but questions are known of it.
        [module, Sign('.'), connect, Sign('('), Text(name), Sign(')'), ..]
            if word(module, "sqlite3") && word(connect, "connect") =>
        {
            named(name, 6, false)
        }
        _ => None,
    }
}
