//! Python one-liners that only compute: every word, every module and every part that is asked of one is known by name.

mod bound;
mod effects;
mod files;
mod held;
mod names;
mod places;
mod tokens;

use super::reads::OPENED;
use super::{Act, Around, Token, is_light};
use names::{ALIASES, BUILT_IN, MEMBERS, MODULES, NAMED, PACKAGES, PARTLY, VERSIONS, WORDS};

pub(super) fn only_computes(text: &str, around: &Around<'_>) -> bool {
    acts(text, around).is_some_and(|acts| acts.is_empty())
}

/// What it does to files; to read those that it may read is nothing.
pub(super) fn acts(text: &str, around: &Around<'_>) -> Option<Vec<Act>> {
    let (tokens, mut acts) = effects::taken_in(&tokens::tokens(text)?)?;
    let tokens = files::taken_in(&tokens, around.readable)?;
    let known = !may_change_itself(&tokens)
        && !tokens.is_empty()
        && is_light(&tokens)
        && statements(&tokens, around.shadowed);
    known.then_some(())?;
    acts.retain(|act| !matches!(act, Act::Read(name) if (around.readable)(&name.replace('*', "x"))));
    Some(acts)
}

/// Whether a list of the running program, as that of where its modules lie, may be changed under another name.
fn may_change_itself(tokens: &[Token]) -> bool {
    let own = tokens.windows(3).any(|three| {
        matches!(three, [Token::Name(sys), Token::Sign('.'), Token::Name(part)]
            if sys == "sys" && !["argv", "stdin", "stdout", "stderr", "version", "version_info", "maxsize", "platform"]
                .contains(&part.as_str()))
    });
    let changes = |name: &str| {
        [
            "append",
            "extend",
            "insert",
            "pop",
            "remove",
            "clear",
            "update",
            "sort",
            "reverse",
            "add",
            "setdefault",
        ]
        .contains(&name)
    };
    own && (tokens.windows(2).any(|two| two == [Token::Sign(']'), Token::Sign('=')])
        || tokens.iter().any(|token| matches!(token, Token::Name(name) if changes(name))))
}

fn statements(tokens: &[Token], shadowed: &dyn Fn(&str) -> bool) -> bool {
    // Grows with what is imported.
    let mut known: Vec<&str> = WORDS.into_iter().chain([OPENED]).collect();
    tokens
        .split(|token| matches!(token, Token::Sign(';' | '\n')))
        .filter(|statement| !statement.is_empty())
        .all(|statement| match statement {
            [Token::Name(first), rest @ ..] if first == "import" => imports(rest, &mut known, shadowed),
            [Token::Name(first), Token::Name(module), Token::Name(import), names @ ..]
                if first == "from" && import == "import" =>
            {
                MODULES.contains(&module.as_str()) && !shadowed(module) && taken(names, &mut known)
            }
            _ => (0..statement.len()).all(|at| fits_at(statement, at, &known)),
        })
}

/// `import sys, numpy as np`
fn imports<'t>(rest: &'t [Token], known: &mut Vec<&'t str>, shadowed: &dyn Fn(&str) -> bool) -> bool {
    rest.split(|token| *token == Token::Sign(',')).all(|part| {
        let (module, name) = match part {
            // Of it no more than versions is known.
            [Token::Name(top), Token::Sign('.'), Token::Name(module), Token::Name(by), Token::Name(name)]
                if top == "importlib" && module == "metadata" && by == "as" =>
            {
                return !shadowed(top) && is_own(name);
            }
            // Of it no more than reading a file is known.
            [
                Token::Name(xml),
                Token::Sign('.'),
                Token::Name(kind),
                Token::Sign('.'),
                Token::Name(tree),
                Token::Name(by),
                Token::Name(name),
            ] if xml == "xml" && kind == "etree" && tree == "ElementTree" && by == "as" => {
                return !shadowed(xml) && name == "ET";
            }
            [Token::Name(module)] => (module, module),
            [Token::Name(module), Token::Name(by), Token::Name(name)] if by == "as" => (module, name),
            _ => return false,
        };
        if PACKAGES.contains(&module.as_str()) {
            // Never a value of its own: only what is asked of it counts.
            return !shadowed(module) && (name == module || ALIASES.contains(&name.as_str()));
        }
        // Never a value either: what is known of it was taken in before.
        if PARTLY.contains(&module.as_str()) {
            return !shadowed(module) && name == module;
        }
        known.push(name);
        MODULES.contains(&module.as_str()) && !shadowed(module) && (name == module || is_own(name))
    })
}

/// `from math import sqrt, pi`
fn taken<'t>(names: &'t [Token], known: &mut Vec<&'t str>) -> bool {
    names.split(|token| *token == Token::Sign(',')).all(|part| match part {
        [Token::Name(name)] if MEMBERS.contains(&name.as_str()) => {
            known.push(name);
            true
        }
        _ => false,
    })
}

/// A name that a one-liner may give to a value of its own: none that means anything else.
fn is_own(name: &str) -> bool {
    let taken = BUILT_IN.contains(&name)
        || PARTLY.contains(&name)
        || MODULES.contains(&name)
        || is_package(name)
        || WORDS.contains(&name);
    !taken && (name == "_" || !name.starts_with('_'))
}

fn fits_at(tokens: &[Token], at: usize, known: &[&str]) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    match tokens.get(at) {
        Some(Token::Name(name)) => {
            let argument = tokens.get(at + 1) == Some(&Token::Sign('='))
                && (NAMED.contains(&name.as_str()) || is_argument(tokens, at));
            if before == Some(&Token::Sign('.')) {
                MEMBERS.contains(&name.as_str()) || of_package(tokens, at)
            } else if argument {
                gives_value(tokens, at + 1)
            } else if is_package(name) {
                matches!(tokens.get(at + 1..at + 3), Some([Token::Sign('.'), Token::Name(asked)])
                    if VERSIONS.contains(&asked.as_str()) || name == "yaml" && asked == "safe_load")
            } else {
                // A name that was given no value is an error and nothing more.
                is_own(name) || known.contains(&name.as_str())
            }
        }
        // Only what has a name is called: `("system")("id")` is not.
        Some(Token::Sign('(')) => !matches!(before, Some(Token::Text(_) | Token::Sign(')' | ']' | '}'))),
        Some(Token::Sign('=')) => gives_value(tokens, at),
        Some(Token::Number(_) | Token::Text(_) | Token::Piece(_) | Token::Sign(_)) => true,
        None => false,
    }
}

fn is_package(name: &str) -> bool {
    PACKAGES.contains(&name) || ALIASES.contains(&name)
}

/// The version that stands right behind the name of a package.
fn of_package(tokens: &[Token], at: usize) -> bool {
    matches!(at.checked_sub(2).and_then(|start| tokens.get(start..=at)),
        Some([Token::Name(package), Token::Sign('.'), Token::Name(asked)])
            if is_package(package) && VERSIONS.contains(&asked.as_str())
                || package == "yaml" && asked == "safe_load")
}

/// Whether the name at `at` is that of an argument: `sorted(x, key=…)`.
fn is_argument(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    tokens.get(at + 2) != Some(&Token::Sign('=')) && matches!(before, Some(Token::Sign('(' | ',')))
}

/// Whether the `=` at `at` gives a value to a name of the one-liner's own, names an argument, or compares.
fn gives_value(tokens: &[Token], at: usize) -> bool {
    let sign = |place: Option<usize>| match place.and_then(|place| tokens.get(place)) {
        Some(Token::Sign(sign)) => Some(*sign),
        Some(Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Piece(_)) | None => None,
    };
    let compares =
        sign(Some(at + 1)) == Some('=') || matches!(sign(at.checked_sub(1)), Some('=' | '!' | '<' | '>'));
    compares || binds(tokens, at)
}

/// Whether the `=` at `at` gives a value to a name of the one-liner's own or to a part of it, or names an argument. Never
/// to a part of a module.
fn binds(tokens: &[Token], at: usize) -> bool {
    let Some(mut target) = at.checked_sub(1) else { return false };
    // `n += 1`
    if let Some(Token::Sign('+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | ':')) = tokens.get(target) {
        let Some(before) = target.checked_sub(1) else { return false };
        target = before;
        if matches!(tokens.get(target), Some(Token::Sign('*' | '/'))) {
            let Some(before) = target.checked_sub(1) else { return false };
            target = before;
        }
    }
    let mut parts = false;
    while tokens.get(target) == Some(&Token::Sign(']')) {
        parts = true;
        let mut depth = 0_u32;
        loop {
            match tokens.get(target) {
                Some(Token::Sign(']')) => depth += 1,
                Some(Token::Sign('[')) => depth -= 1,
                _ => {}
            }
            let Some(before) = target.checked_sub(1) else { return false };
            target = before;
            if depth == 0 {
                break;
            }
        }
    }
    let member = target.checked_sub(1).and_then(|before| tokens.get(before)) == Some(&Token::Sign('.'));
    match tokens.get(target) {
        Some(Token::Name(_)) if !parts && is_argument(tokens, target) && target + 1 == at => true,
        Some(Token::Name(name)) => !member && is_own(name),
        _ => false,
    }
}
