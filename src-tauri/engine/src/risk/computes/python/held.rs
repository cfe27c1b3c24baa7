//! What the names in Python hold that lead to files, each by the one place where it is given a value.

use std::collections::BTreeMap;

use super::bound::{statements, word};
use super::places::{DEEP, ENTRY, Found, Held, Names, PART, are_single, asks, list, sign, value};
use crate::risk::computes::{Token, close};

/// No bracket is followed further than this.
const FAR: usize = 400;

/// Calls that only look at a list.
pub(super) const LOOKS: [&str; 10] =
    ["len", "sorted", "list", "set", "sum", "min", "max", "any", "enumerate", "print"];

/// What is known of the names in it, each by the one place where it is given a value.
pub(super) fn held<'t>(tokens: &'t [Token], marks: &[bool]) -> Names<'t> {
    let mut times = BTreeMap::<&str, usize>::new();
    for (at, token) in tokens.iter().enumerate() {
        if let (Token::Name(name), Some(true)) = (token, marks.get(at)) {
            let again = sign(tokens, at + 1, '[') && thins_out(tokens, at);
            *times.entry(name.as_str()).or_default() += usize::from(!again);
        }
    }
    let mut reader = Reader { tokens, times, changed: changed_lists(tokens), names: Names::new() };
    let begins: BTreeMap<usize, usize> = statements(tokens).into_iter().collect();
    let mut files = BTreeMap::<&str, usize>::new();
    for (at, token) in tokens.iter().enumerate() {
        if let Some(end) = begins.get(&at) {
            reader.given(at, *end);
        }
        if word(Some(token), "for") {
            reader.looped(at + 1, begins.contains_key(&at));
        }
        if word(Some(token), "open")
            && sign(tokens, at + 1, '(')
            && let Some(name) = file_of(tokens, at)
        {
            *files.entry(name).or_default() += 1;
        }
    }
    for (name, count) in files {
        if reader.times.get(name) == Some(&count) {
            reader.names.insert(name, Held::File);
        }
    }
    reader.names
}

/// The name that is given to the file which the `open` at `at` opens: `with open("a") as f`, `with p.open("w") as f`,
/// `f = open("a")`.
fn file_of(tokens: &[Token], at: usize) -> Option<&str> {
    let close = close(tokens, at + 1, FAR)?;
    if let (true, Some(Token::Name(name))) = (word(tokens.get(close + 1), "as"), tokens.get(close + 2)) {
        return Some(name);
    }
    let ends = matches!(tokens.get(close + 1), None | Some(Token::Sign(';' | '\n')));
    match tokens.get(at.checked_sub(2)?..at)? {
        [Token::Name(name), Token::Sign('=')] if ends => Some(name),
        _ => None,
    }
}

struct Reader<'t> {
    tokens: &'t [Token],
    /// How often each name is given a value.
    times: BTreeMap<&'t str, usize>,
    /// Names whose list may be changed.
    changed: Vec<&'t str>,
    /// What was found.
    names: Names<'t>,
}

impl<'t> Reader<'t> {
    fn once(&self, name: &str) -> bool {
        self.times.get(name) == Some(&1)
    }

    fn stays(&self, list: &str) -> bool {
        !self.changed.contains(&list)
    }

    /// `name = value`, and nothing behind it.
    fn given(&mut self, at: usize, end: usize) {
        let tokens = self.tokens;
        match tokens.get(at..end) {
            Some([Token::Name(name), Token::Sign('='), ..]) if self.once(name) => {
                let whole = |found: Found| found.filter(|(_, next)| *next == end).map(|(places, _)| places);
                if let Some(places) = whole(value(tokens, at + 2, &self.names)) {
                    self.names.insert(name, Held::Places(places));
                } else if let Some(places) = whole(list(tokens, at + 2, &self.names))
                    && self.stays(name)
                {
                    self.names.insert(name, Held::List(places));
                }
            }
            // `base, ext = os.path.splitext(f)`
            Some([Token::Name(base), Token::Sign(','), Token::Name(ending), Token::Sign('='), ..])
                if self.once(base) && self.once(ending) && tokens.get(at + 5).is_some() =>
            {
                if !asks(tokens, at + 4, &["os", "path", "splitext"]) {
                    return;
                }
                let Some((places, next)) = value(tokens, at + 10, &self.names) else { return };
                if are_single(&places) && sign(tokens, next, ')') && next + 1 == end {
                    for name in [base, ending] {
                        self.names.insert(name, Held::Places(vec![PART.to_string()]));
                    }
                }
            }
            _ => {}
        }
    }

    /// `for name in list`, from behind the `for` on; whether a statement begins with it.
    fn looped(&mut self, at: usize, begins: bool) {
        let tokens = self.tokens;
        match tokens.get(at..) {
            Some([Token::Name(name), within, ..]) if word(Some(within), "in") && self.once(name) => {
                let Some((places, next)) = list(tokens, at + 2, &self.names) else { return };
                let ends = match tokens.get(next) {
                    Some(Token::Sign(sign)) => matches!(sign, ':' | ')' | ']' | '}'),
                    // `for n in a if b else c:` goes over something else.
                    other => !begins && (word(other, "if") || word(other, "for")),
                };
                if ends {
                    self.names.insert(name, Held::Places(places));
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
                let Some((places, next)) = value(tokens, at + 10, &self.names) else { return };
                let whole = sign(tokens, next, ')') && sign(tokens, next + 1, ':');
                // Where it goes hangs on the list of folders.
                if !whole || !self.stays(folders) || folders != "_" && !self.once(folders) {
                    return;
                }
                if self.once(root) {
                    let below = places.iter().map(|place| format!("{place}/{DEEP}")).collect();
                    self.names.insert(root, Held::Places(below));
                }
                for name in [folders, files] {
                    if self.once(name) && self.stays(name) {
                        self.names.insert(name, Held::List(vec![ENTRY.to_owned()]));
                    }
                }
            }
            _ => {}
        }
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
    let ends = || {
        let after = close(tokens, at + 5, FAR).map(|close| tokens.get(close + 1));
        matches!(after, Some(None | Some(Token::Sign(';' | '\n'))))
    };
    shape && matches!(rest.get(5), Some(Token::Sign(']') | Token::Name(_))) && ends()
}

/// Names that are used in a way which may change a list, or hand it on.
fn changed_lists(tokens: &[Token]) -> Vec<&str> {
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
