//! What the names in Python hold that lead to files, each by the one place where it is given a value.

use super::bound::{statements, word};
use super::places::{DEEP, ENTRY, Found, Held, Names, PART, asks, list, sign, value};
use crate::risk::computes::Token;

/// No bracket is followed further than this.
const FAR: usize = 400;

/// What is known of the names in it, each by the one place where it is given a value.
pub(super) fn held<'t>(tokens: &'t [Token], marks: &[bool]) -> Names<'t> {
    let mut names = Names::new();
    let mut times = std::collections::BTreeMap::<&str, usize>::new();
    for (at, token) in tokens.iter().enumerate() {
        if let (Token::Name(name), Some(true)) = (token, marks.get(at)) {
            let again = sign(tokens, at + 1, '[') && thins_out(tokens, at);
            *times.entry(name.as_str()).or_default() += usize::from(!again);
        }
    }
    let changed = changed_lists(tokens);
    let once = |name: &str| times.get(name) == Some(&1);
    let begins: std::collections::BTreeMap<usize, usize> = statements(tokens).into_iter().collect();
    let mut files = std::collections::BTreeMap::<&str, usize>::new();
    for (at, token) in tokens.iter().enumerate() {
        if let Some(end) = begins.get(&at) {
            given(tokens, at, *end, &mut names, &once, &changed);
        }
        if word(Some(token), "for") {
            looped(tokens, at + 1, begins.contains_key(&at), &mut names, &once, &changed);
        }
        // `with open("a") as f`, `with p.open("w") as f`, `f = open("a")`
        if word(Some(token), "open") && sign(tokens, at + 1, '(') {
            let plain = !at.checked_sub(1).is_some_and(|before| sign(tokens, before, '.'));
            if let Some((name, end)) = file_of(tokens, at, plain)
                && end
            {
                *files.entry(name).or_default() += 1;
            }
        }
    }
    for (name, count) in files {
        if times.get(name) == Some(&count) {
            names.insert(name, Held::File);
        }
    }
    names
}

/// The name that is given to the file which the `open` at `at` opens.
fn file_of(tokens: &[Token], at: usize, plain: bool) -> Option<(&str, bool)> {
    let mut depth = 0_u32;
    let close = (at + 1..tokens.len()).take(FAR).find(|place| {
        match tokens.get(*place) {
            Some(Token::Sign('(')) => depth += 1,
            Some(Token::Sign(')')) => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    if let (true, Some(Token::Name(name))) = (word(tokens.get(close + 1), "as"), tokens.get(close + 2)) {
        return Some((name, true));
    }
    let ends = matches!(tokens.get(close + 1), None | Some(Token::Sign(';' | '\n')));
    let start = at.checked_sub(2)?;
    match tokens.get(start..at)? {
        [Token::Name(name), Token::Sign('=')] if plain && ends => Some((name, true)),
        _ => None,
    }
}

/// `name = value`, and nothing behind it.
fn given<'t>(
    tokens: &'t [Token],
    at: usize,
    end: usize,
    names: &mut Names<'t>,
    once: &dyn Fn(&str) -> bool,
    changed: &[&str],
) {
    match tokens.get(at..end) {
        Some([Token::Name(name), Token::Sign('='), ..]) if once(name) => {
            let whole = |found: Found| found.filter(|(_, next)| *next == end).map(|(places, _)| places);
            if let Some(places) = whole(value(tokens, at + 2, names)) {
                names.insert(name, Held::Places(places));
            } else if let Some(places) =
                whole(list(tokens, at + 2, names)).filter(|_| !changed.contains(&name.as_str()))
            {
                names.insert(name, Held::List(places));
            }
        }
        // `base, ext = os.path.splitext(f)`
        Some([Token::Name(base), Token::Sign(','), Token::Name(ending), Token::Sign('='), ..])
            if once(base) && once(ending) && tokens.get(at + 5).is_some() =>
        {
            if !asks(tokens, at + 4, &["os", "path", "splitext"]) {
                return;
            }
            let Some((places, next)) = value(tokens, at + 10, names) else { return };
            let single = places.iter().all(|place| !place.contains(['/', '\u{3}']));
            if single && sign(tokens, next, ')') && next + 1 == end {
                for name in [base, ending] {
                    names.insert(name, Held::Places(vec![PART.to_string()]));
                }
            }
        }
        _ => {}
    }
}

/// `for name in list`, from behind the `for` on.
fn looped<'t>(
    tokens: &'t [Token],
    at: usize,
    begins: bool,
    names: &mut Names<'t>,
    once: &dyn Fn(&str) -> bool,
    changed: &[&str],
) {
    match tokens.get(at..) {
        Some([Token::Name(name), within, ..]) if word(Some(within), "in") && once(name) => {
            let Some((places, next)) = list(tokens, at + 2, names) else { return };
            let ends = match tokens.get(next) {
                Some(Token::Sign(sign)) => matches!(sign, ':' | ')' | ']' | '}'),
                // `for n in a if b else c:` goes over something else.
                other => !begins && (word(other, "if") || word(other, "for")),
            };
            if ends {
                names.insert(name, Held::Places(places));
            }
        }
        Some(
            [
                Token::Name(root),
                Token::Sign(','),
                Token::Name(folders),
                Token::Sign(','),
                Token::Name(files),
                within,
                ..,
            ],
        ) if word(Some(within), "in") && asks(tokens, at + 6, &["os", "walk"]) => {
            let Some((places, next)) = value(tokens, at + 10, names) else { return };
            let whole = sign(tokens, next, ')') && sign(tokens, next + 1, ':');
            // Where it goes hangs on the list of folders.
            if !whole || changed.contains(&folders.as_str()) || folders != "_" && !once(folders) {
                return;
            }
            if once(root) {
                names.insert(
                    root,
                    Held::Places(places.iter().map(|place| format!("{place}/{DEEP}")).collect()),
                );
            }
            for name in [folders, files] {
                if once(name) && !changed.contains(&name.as_str()) {
                    names.insert(name, Held::List(vec![ENTRY.to_owned()]));
                }
            }
        }
        _ => {}
    }
}

/// `dirs[:] = [d for d in dirs if …]`: a list that only gets shorter.
fn thins_out(tokens: &[Token], at: usize) -> bool {
    let Some(name) = tokens.get(at) else { return false };
    let Some(
        [Token::Sign('['), Token::Sign(':'), Token::Sign(']'), Token::Sign('='), Token::Sign('['), rest @ ..],
    ) = tokens.get(at + 1..)
    else {
        return false;
    };
    let [Token::Name(one), start, Token::Name(same), within, list, ..] = rest else { return false };
    let shape = one == same && word(Some(start), "for") && word(Some(within), "in") && list == name;
    let mut depth = 1_u32;
    let close = rest.iter().take(FAR).position(|token| {
        match token {
            Token::Sign('[' | '(' | '{') => depth += 1,
            Token::Sign(']' | ')' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let after = close.map(|close| rest.get(close + 1));
    shape
        && matches!(rest.get(5), Some(Token::Sign(']') | Token::Name(_)))
        && matches!(after, Some(None | Some(Token::Sign(';' | '\n'))))
}

/// Names that are used in a way which may change a list, or hand it on.
fn changed_lists(tokens: &[Token]) -> Vec<&str> {
    const LOOKS: [&str; 10] =
        ["len", "sorted", "list", "set", "sum", "min", "max", "any", "enumerate", "print"];
    let mut changed: Vec<&str> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
        let after = tokens.get(at + 1);
        let moves = matches!(after, Some(Token::Sign('.' | '[' | '(')));
        let iterated = word(before(1), "in") && !moves;
        let asked = before(1) == Some(&Token::Sign('('))
            && matches!(before(2), Some(Token::Name(call)) if LOOKS.contains(&call.as_str()))
            && before(3) != Some(&Token::Sign('.'))
            && after == Some(&Token::Sign(')'));
        let sorts = matches!(tokens.get(at + 1..at + 5),
            Some([Token::Sign('.'), Token::Name(sort), Token::Sign('('), Token::Sign(')')]) if sort == "sort");
        // Where it is given its value: that is counted elsewhere.
        let given = after == Some(&Token::Sign('=')) || word(after, "in") && word(before(1), "for");
        let unpacked = matches!(after, Some(Token::Sign(','))) || word(after, "in");
        let walked = unpacked && matches!(before(1), Some(Token::Sign(','))) && in_walk(tokens, at);
        if !(iterated || asked || sorts || given || walked || thins_out(tokens, at)) {
            changed.push(name);
        }
    }
    changed.sort_unstable();
    changed.dedup();
    changed
}

/// Whether the name at `at` is one of the three that a walk gives.
fn in_walk(tokens: &[Token], at: usize) -> bool {
    [at.checked_sub(3), at.checked_sub(5)].into_iter().flatten().any(|start| {
        word(tokens.get(start), "for")
            && word(tokens.get(start + 6), "in")
            && asks(tokens, start + 7, &["os", "walk"])
    })
}
