//! Files that Node reads: `fs.readFileSync("package.json")`.

use crate::risk::computes::Token;
use crate::risk::computes::reads::{self, Opened, made_known, named};

/// What only looks at a file or a folder.
const READERS: [&str; 4] = ["readFileSync", "existsSync", "readdirSync", "statSync"];

/// `tokens` with the calls that open a file for reading put in as `OPENED`; `None` when one names its file in another way.
pub(super) fn taken_in(tokens: &[Token], readable: &dyn Fn(&str) -> bool) -> Option<Vec<Token>> {
    reads::taken_in(tokens, readable, opened)
}

fn opened(rest: &[Token]) -> Option<Opened> {
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
            ends.then_some(made_known(7))
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
            Some(made_known(9))
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
