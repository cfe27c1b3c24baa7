//! JavaScript one-liners that only compute. Any part of any value can be reached by a name that is put together, so what
//! counts is what is called: methods that are known, functions that stand here, and nothing that was only found.

mod files;
mod names;
mod tokens;

use super::reads::OPENED;
use super::{Token, close, is_light};
use names::{
    CALLABLE, CALLED_UNSEEN, CALLS, CLASSES, GIVEN_A_FUNCTION, GLOBAL, INWARD, OF_PROCESS, REQUIRED, WORDS,
};

pub(super) fn only_computes(text: &str, readable: &dyn Fn(&str) -> bool) -> bool {
    let tokens = tokens::tokens(text).and_then(|tokens| files::taken_in(&tokens, readable));
    tokens.is_some_and(|tokens| !tokens.is_empty() && is_light(&tokens) && calls_what_is_known(&tokens))
}

/// Whether all that `tokens` call is known.
fn calls_what_is_known(tokens: &[Token]) -> bool {
    let Some(functions) = functions(tokens) else { return false };
    let fresh = fresh(tokens);
    let checked = Checked { tokens, functions, fresh };
    (0..tokens.len()).all(|at| checked.fits(at).is_some())
}

struct Checked<'t> {
    tokens: &'t [Token],
    /// Names of functions that stand here.
    functions: Vec<&'t str>,
    /// Names of objects and lists that are made here.
    fresh: Vec<&'t str>,
}

fn name(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Name(name)) => Some(name),
        Some(Token::Sign(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_)) | None => None,
    }
}

fn sign(token: Option<&Token>) -> Option<char> {
    match token {
        Some(Token::Sign(sign)) => Some(*sign),
        Some(Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_)) | None => None,
    }
}

fn is_own(name: &str) -> bool {
    !GLOBAL.contains(&name)
        && !WORDS.contains(&name)
        && !CALLABLE.contains(&name)
        && !INWARD.contains(&name)
        && !name.starts_with("__")
}

/// Whether a function begins at `at`: `x => …`, `(a, b) => …`, `function (…) …`.
fn is_function(tokens: &[Token], at: usize) -> bool {
    let arrow = |end: usize| sign(tokens.get(end)) == Some('=') && sign(tokens.get(end + 1)) == Some('>');
    match tokens.get(at) {
        Some(Token::Name(word)) if word == "function" => true,
        Some(Token::Name(_)) => arrow(at + 1),
        Some(Token::Sign('(')) => close(tokens, at, usize::MAX).is_some_and(|end| arrow(end + 1)),
        _ => false,
    }
}

/// Names of functions that stand here, and are only ever called by them; `None` when such a name means something else too.
fn functions(tokens: &[Token]) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut bound = Vec::new();
    for at in 0..tokens.len() {
        let Some(own) = name(tokens.get(at + 1)).filter(|own| is_own(own)) else { continue };
        let declared = match name(tokens.get(at)) {
            Some("const") => sign(tokens.get(at + 2)) == Some('=') && is_function(tokens, at + 3),
            Some("function") => true,
            Some(_) | None => false,
        };
        if declared {
            found.push(own);
            bound.push(at + 1);
        }
    }
    let once = tokens.iter().enumerate().all(|(at, token)| {
        let own = name(Some(token)).filter(|own| found.contains(own) && !bound.contains(&at));
        let member = at > 0 && sign(tokens.get(at - 1)) == Some('.');
        own.is_none() || member || sign(tokens.get(at + 1)) == Some('(')
    });
    once.then_some(found)
}

fn fresh(tokens: &[Token]) -> Vec<&str> {
    let made = |at: usize| {
        let literal = matches!(sign(tokens.get(at)), Some('{' | '['));
        let end = close(tokens, at, usize::MAX).filter(|_| literal);
        let created = name(tokens.get(at)) == Some("Object") && name(tokens.get(at + 2)) == Some("create");
        created || end.is_some_and(|end| !matches!(sign(tokens.get(end + 1)), Some('.' | '[' | '=' | '(')))
    };
    (0..tokens.len())
        .filter_map(|at| match (name(tokens.get(at)), name(tokens.get(at + 1)), sign(tokens.get(at + 2))) {
            (Some("const"), Some(own), Some('=')) if is_own(own) && made(at + 3) => Some(own),
            _ => None,
        })
        .collect()
}

impl Checked<'_> {
    fn fits(&self, at: usize) -> Option<()> {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let after = self.tokens.get(at + 1);
        let good = match self.tokens.get(at)? {
            Token::Name(word) if sign(before) == Some('.') => self.member(word, at),
            Token::Name(word) => self.word(word, at, before, after),
            Token::Text(text) => {
                !INWARD.iter().any(|inward| text.contains(inward)) && !CALLED_UNSEEN.contains(&text.as_str())
            }
            Token::Number(number) => *number <= 1 << 53,
            Token::Sign('(') => {
                !matches!(before, Some(Token::Text(_) | Token::Number(_) | Token::Sign(')' | ']' | '.')))
            }
            Token::Sign('=') => self.gives_value(at),
            Token::Sign(_) => true,
            Token::Piece(_) => false,
        };
        good.then_some(())
    }

    fn member(&self, word: &str, at: usize) -> bool {
        let after = self.tokens.get(at + 1);
        if INWARD.contains(&word) || word.starts_with("__") {
            return false;
        }
        if sign(after) != Some('(') {
            // A function that is only found is handed on nowhere: see `takes_functions`.
            return true;
        }
        let of = at.checked_sub(2).and_then(|of| self.tokens.get(of));
        let known = CALLS.contains(&word)
            || matches!(word, "write" | "on" | "setEncoding" | "create") && self.is_stream(word, of);
        known && self.takes_functions(word, at + 1)
    }

    fn is_stream(&self, word: &str, of: Option<&Token>) -> bool {
        match word {
            "write" => name(of) == Some("stdout"),
            "create" => name(of) == Some("Object"),
            _ => name(of) == Some("stdin") || sign(of) == Some(')'),
        }
    }

    /// Whether what is given to a call that calls it stands right there.
    fn takes_functions(&self, word: &str, open: usize) -> bool {
        if !GIVEN_A_FUNCTION.contains(&word) {
            return true;
        }
        let Some(end) = close(self.tokens, open, usize::MAX) else { return false };
        let mut starts = vec![open + 1];
        let mut depth = 0_u32;
        for at in open + 1..end {
            match sign(self.tokens.get(at)) {
                Some('(' | '[' | '{') => depth += 1,
                Some(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Some(',') if depth == 0 => starts.push(at + 1),
                Some(_) | None => {}
            }
        }
        let ends = |at: usize| matches!(sign(self.tokens.get(at)), Some(')' | ','));
        let harmless = |at: usize| {
            is_function(self.tokens, at)
                || match self.tokens.get(at) {
                    Some(Token::Text(_) | Token::Number(_)) => ends(at + 1),
                    Some(Token::Name(word)) => {
                        ["Boolean", "Number", "String", "parseInt", "parseFloat", "null"]
                            .contains(&word.as_str())
                            && ends(at + 1)
                            || word == "String"
                                && close(self.tokens, at + 1, usize::MAX).is_some_and(|end| ends(end + 1))
                    }
                    Some(Token::Sign(')')) => true,
                    Some(Token::Sign('[' | '{')) => {
                        word == "stringify"
                            && close(self.tokens, at, usize::MAX).is_some_and(|end| ends(end + 1))
                    }
                    Some(Token::Sign(_) | Token::Piece(_)) | None => false,
                }
        };
        match word {
            // The value itself comes first.
            "from" | "parse" | "stringify" | "on" => starts.iter().skip(1).all(|at| harmless(*at)),
            "reduce" | "reduceRight" => starts.first().is_some_and(|at| is_function(self.tokens, *at)),
            "replace" | "replaceAll" => starts.iter().skip(1).all(|at| harmless(*at)),
            "group" => true,
            _ => starts.iter().all(|at| harmless(*at)),
        }
    }

    fn word(&self, word: &str, at: usize, before: Option<&Token>, after: Option<&Token>) -> bool {
        let key = sign(after) == Some(':') && matches!(sign(before), Some('{' | ','));
        if key {
            return !CALLED_UNSEEN.contains(&word) && !INWARD.contains(&word);
        }
        // `{ get x() {…} }`
        if matches!(word, "get" | "set" | "async" | "static") && name(after).is_some() {
            return false;
        }
        if name(before) == Some("new") {
            return CLASSES.contains(&word) && matches!(sign(after), Some('(' | '.' | ')' | ';' | ','));
        }
        match word {
            "new" => name(after).is_some(),
            "process" => {
                sign(after) == Some('.')
                    && name(self.tokens.get(at + 2)).is_some_and(|part| OF_PROCESS.contains(&part))
            }
            // `require.resolve("x")` only tells where it is.
            "require" if sign(after) == Some('.') => {
                matches!(self.tokens.get(at + 2..at + 6), Some([Token::Name(part), Token::Sign('('), Token::Text(_), Token::Sign(')')])
                    if part == "resolve")
            }
            "require" => {
                matches!(self.tokens.get(at + 1..at + 4), Some([Token::Sign('('), Token::Text(module), Token::Sign(')')])
                    if is_data(module) || REQUIRED.contains(&module.as_str()))
            }
            OPENED => true,
            _ if CALLABLE.contains(&word) => true,
            _ if WORDS.contains(&word) => {
                sign(after) != Some('(')
                    || matches!(word, "function" | "const" | "let" | "var" | "case" | "throw" | "void")
                    || matches!(word, "Array" | "Object" | "Error")
            }
            _ if is_own(word) => sign(after) != Some('(') || self.functions.contains(&word),
            _ => false,
        }
    }

    /// Whether the `=` at `at` compares, belongs to an arrow, or gives a value to a name of its own or to a part of an
    /// object that is made here.
    fn gives_value(&self, at: usize) -> bool {
        let sign_at = |place: Option<usize>| place.and_then(|place| sign(self.tokens.get(place)));
        if matches!(sign_at(Some(at + 1)), Some('=' | '>'))
            || matches!(sign_at(at.checked_sub(1)), Some('=' | '!'))
        {
            return true;
        }
        let Some(mut target) = at.checked_sub(1) else { return false };
        if matches!(sign_at(Some(target)), Some('<' | '>')) {
            return true;
        }
        // `n += 1`, `n ||= 1`
        while matches!(sign_at(Some(target)), Some('+' | '-' | '*' | '/' | '%' | '|' | '&' | '?')) {
            let Some(before) = target.checked_sub(1) else { return false };
            target = before;
        }
        let own = |place: usize| {
            let member =
                place.checked_sub(1).is_some_and(|before| sign(self.tokens.get(before)) == Some('.'));
            name(self.tokens.get(place)).filter(|own| is_own(own) && !member)
        };
        match self.tokens.get(target) {
            Some(Token::Name(_)) => match own(target) {
                Some(own) => {
                    !self.functions.contains(&own)
                        || name(self.tokens.get(target.wrapping_sub(1))) == Some("const")
                }
                // `totals.sum = …`
                None => {
                    let part = name(self.tokens.get(target))
                        .is_some_and(|part| !CALLED_UNSEEN.contains(&part) && !INWARD.contains(&part));
                    part && target >= 2
                        && sign(self.tokens.get(target - 1)) == Some('.')
                        && own(target - 2).is_some_and(|own| self.fresh.contains(&own))
                }
            },
            // `const { a, b } = …`, or one part of an object: `counts[key] = …`
            Some(Token::Sign(end @ (']' | '}'))) => {
                let open =
                    (0..target).rev().find(|open| close(self.tokens, *open, usize::MAX) == Some(target));
                let Some(open) = open.filter(|open| *open > 0) else { return false };
                let declared = matches!(name(self.tokens.get(open - 1)), Some("const" | "let" | "var"));
                declared || *end == ']' && own(open - 1).is_some_and(|own| self.fresh.contains(&own))
            }
            _ => false,
        }
    }
}

/// A file of the project that holds data only: `./package.json`.
fn is_data(path: &str) -> bool {
    path.starts_with("./")
        && path.ends_with(".json")
        && path.chars().all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c))
        && !path.contains("..")
}
