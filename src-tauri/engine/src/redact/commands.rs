//! Where secrets stand in commands: behind options, in what variables are set to, in headers and logins, and in what is
//! piped into a program that reads a password. A table says it for each program; what a text means to bash in full is
//! not needed for that, so any text may be given, also one that only quotes commands. It never changes what runs.

mod around;
mod table;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::names;
use around::{anywhere, fields, piped};
use table::{
    ATTACHED, LOGIN_OPTIONS, ONLY_SPEAKS, OPERANDS, OPTIONS, PROGRAMS, PROSE, Part, Programs, SET_OPTIONS,
    SETTERS, STARTERS, WORD,
};

/// Text in quotes is read as a command so many levels deep.
const DEEPEST: u32 = 3;
/// A value from this length on may look as if nobody had thought of it.
const MADE: usize = 8;

/// Where secrets stand, from front to back and apart from each other.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    read(text, 0..text.len(), 0, &mut found);
    piped(text, &mut found);
    anywhere(text, &mut found);
    merged(found)
}

fn read(text: &str, within: Range<usize>, depth: u32, found: &mut Vec<Range<usize>>) {
    let mut command = Reading::default();
    for word in Words::of(text, within, depth > 0) {
        let Word::Is(place) = word else {
            command = Reading::default();
            continue;
        };
        // What stands in quotes may be a command itself, as in `bash -c '…'` and `ssh host '…'`.
        if let Some(inner) = quoted_part(text, place.clone())
            && depth < DEEPEST
            && text[inner.clone()].contains([' ', '\n'])
        {
            read(text, inner, depth + 1, found);
        }
        command.take(text, place, found);
    }
}

/// Between the quotes of a word that ends with one.
fn quoted_part(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let word = &text[place.clone()];
    let at = word.find(['"', '\''])?;
    (word.len() > at + 1 && word.as_bytes().last() == word.as_bytes().get(at))
        .then(|| place.start + at + 1..place.end - 1)
}

/// Sorted, and what overlaps as one.
pub(super) fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    found.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
    found
}

/// What is known of a command so far, word by word.
#[derive(Default)]
struct Reading<'t> {
    seen: Vec<&'t str>,
    program: bool,
    sets: bool,
    tables: Vec<&'static Programs>,
    /// The next word is a value: which part of it is the secret, and which values will do.
    next: Option<(Part, Takes)>,
    sets_next: bool,
    /// Words so far that are no options, the program left out.
    operands: usize,
}

/// Which words are taken for a value.
#[derive(Debug, Clone, Copy)]
enum Takes {
    Any,
    /// No path, no option and nothing that goes on a sentence.
    NoProse,
    /// Only what looks as if nobody had thought of it.
    Made,
}

impl Takes {
    fn takes(self, word: &str) -> bool {
        match self {
            Self::Any => true,
            Self::NoProse => !word.starts_with(['-', '/', '~', '@', '.']) && !PROSE.contains(&word),
            Self::Made => looks_made(word),
        }
    }
}

impl<'t> Reading<'t> {
    fn take(&mut self, text: &'t str, place: Range<usize>, found: &mut Vec<Range<usize>>) {
        let place = unquoted(text, place);
        let word = &text[place.clone()];
        if let Some((part, takes)) = self.next.take()
            && takes.takes(word)
        {
            add(text, place, part, found);
            return;
        }
        let sets = std::mem::take(&mut self.sets_next) || self.sets || !self.program;
        if assignment(text, place.clone(), sets, found) && sets {
            return;
        }
        self.sets_next = SET_OPTIONS.contains(&word);
        if let Some((option, value)) = word.split_once('=')
            && SET_OPTIONS.contains(&option)
        {
            assignment(text, place.end - value.len()..place.end, true, found);
        }
        if let Some(value) = SET_OPTIONS.iter().filter(|option| option.len() == 2).find_map(|option| {
            word.strip_prefix(option).filter(|value| value.starts_with(|c: char| c.is_ascii_uppercase()))
        }) {
            assignment(text, place.end - value.len()..place.end, true, found);
        }
        self.name(word);
        self.operand(text, place.clone(), found);
        let in_tables = self.sign(text, place.clone(), found);
        if !in_tables {
            self.option(text, place.clone(), found);
            attached(text, place.clone(), found);
            let is_known = self.tables.iter().any(|table| table.fields);
            fields(text, place.clone(), is_known, found);
        }
        const NPM: &str = ":_authToken=";
        if let Some(at) = word.find(NPM) {
            add(text, place.start + at + NPM.len()..place.end, Part::Whole, found);
        }
        self.seen.push(word);
    }

    fn name(&mut self, word: &str) {
        let name = word.rsplit('/').next().unwrap_or(word);
        let starts = |table: &&'static Programs| table.names.iter().any(|name| STARTERS.contains(name));
        if !word.starts_with('-') && (self.tables.is_empty() || self.tables.iter().any(starts)) {
            self.tables = PROGRAMS.iter().filter(|table| table.names.contains(&name)).collect();
        }
        self.sets = self.sets || SETTERS.contains(&name) && !self.program;
        self.program = true;
    }

    /// A word that is a secret by its place alone.
    fn operand(&mut self, text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) {
        let word = &text[place.clone()];
        // What `sudo` starts counts as if it stood alone.
        let started = self.seen.iter().position(|word| !SETTERS.contains(word)).unwrap_or(self.seen.len());
        let Some(program) = self.seen.get(started).filter(|_| !word.starts_with('-')) else {
            return;
        };
        self.operands += 1;
        let program = program.rsplit('/').next().unwrap_or(program);
        let known = OPERANDS.iter().find(|(name, behind, _)| {
            *name == program && self.seen.iter().any(|word| is_behind(word, behind))
        });
        // A path, or an option of another system.
        if known.is_some_and(|(.., operand)| *operand == self.operands) && !word.starts_with('/') {
            add(text, place, Part::Whole, found);
        }
    }

    /// An option that a table tells of.
    fn sign(&mut self, text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) -> bool {
        let word = &text[place.clone()];
        let tables =
            self.tables.iter().filter(|table| table.behind.is_empty() || self.seen.contains(&table.behind));
        for sign in tables.flat_map(|table| table.signs) {
            // In `-sSu name:password` the option stands at the end of others; what has no `:` is no login.
            let is_last = sign.part != Part::Whole && sign.apart && ends_cluster(word, sign.option);
            let Some(value) = word.strip_prefix(sign.option).or(is_last.then_some("")) else { continue };
            if value.is_empty() {
                let takes = if sign.option.starts_with('-') { Takes::Any } else { Takes::NoProse };
                self.next = sign.apart.then_some((sign.part, takes));
                return sign.apart;
            }
            // A longer option that only begins alike.
            if !sign.near || sign.option.len() > 3 && !value.starts_with('=') {
                continue;
            }
            let start = place.end - value.len() + usize::from(value.starts_with('='));
            add(text, unquoted(text, start..place.end), sign.part, found);
            return true;
        }
        false
    }

    /// An option, or a word alone, that says by its name what its value is.
    fn option(&mut self, text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) {
        let word = &text[place.clone()];
        let bare = word.trim_start_matches('-');
        let dashes = word.len() - bare.len();
        if dashes > 2 {
            return;
        }
        let (name, value) = bare.split_once('=').map_or((bare, None), |(name, value)| (name, Some(value)));
        let lower = name.trim_end_matches(':').to_ascii_lowercase().replace('_', "-");
        let ends_with = |ends: &[&str]| {
            ends.iter().any(|end| {
                lower
                    .strip_suffix(end)
                    .is_some_and(|front| front.is_empty() || front.ends_with(['-', '.']) || end.len() > 5)
            })
        };
        let speaks = lower.split('-').next().is_some_and(|first| ONLY_SPEAKS.contains(&first));
        let (part, takes) = match dashes {
            _ if speaks => return,
            0 if ends_with(OPTIONS) => (Part::Whole, Takes::Made),
            0 => return,
            _ if ends_with(OPTIONS) => (Part::Whole, Takes::NoProse),
            // A name of a file, or what something is sorted by, is a key as well.
            _ if ends_with(&["key"]) => (Part::Whole, Takes::Made),
            _ if LOGIN_OPTIONS.contains(&lower.as_str()) => (Part::After(b':'), Takes::NoProse),
            _ => return,
        };
        match value {
            // What a word alone is set to was looked at as what a variable is set to.
            Some(_) if dashes == 0 => {}
            Some(value) => {
                let place = unquoted(text, place.end - value.len()..place.end);
                if takes.takes(&text[place.clone()]) {
                    add(text, place, part, found);
                }
            }
            None => self.next = Some((part, takes)),
        }
    }
}

/// Whether a word is the other, or options of one letter among which it is: `-b` is in `-nb`.
fn is_behind(word: &str, behind: &str) -> bool {
    match (letters(word), letters(behind)) {
        (Some(word), Some(letter)) => letter.len() == 1 && word.contains(letter),
        _ => behind.is_empty() || word == behind,
    }
}

fn ends_cluster(word: &str, option: &str) -> bool {
    let (Some(cluster), Some(letter)) = (letters(word), letters(option)) else { return false };
    letter.len() == 1
        && (2..=8).contains(&cluster.len())
        && cluster.bytes().all(|byte| byte.is_ascii_alphabetic())
        && cluster.ends_with(letter)
}

/// Of options of one letter.
fn letters(word: &str) -> Option<&str> {
    word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))
}

/// Whether a value looks as if nobody had thought of it: letters and digits by turns, and nothing that paths, addresses,
/// versions and lists have.
fn looks_made(value: &str) -> bool {
    let turns = value.as_bytes().windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit());
    value.len() >= MADE
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && value.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\:,.=()?".contains(&byte))
        && turns.count() >= 2
}

/// A value in one word with an option of one letter, of a program that no table knows: what looks made is no word, no
/// path and no number.
fn attached(text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) {
    let word = &text[place.clone()];
    let letter = word.strip_prefix('-').and_then(|rest| rest.chars().next());
    if letter.is_some_and(|letter| ATTACHED.contains(&letter)) && looks_made(&word[2..]) {
        add(text, place.start + 2..place.end, Part::Whole, found);
    }
}

/// `NAME=value` where the name says that it is secret, beyond doubt where it is not known to set a variable; whether it
/// is of that form at all.
fn assignment(text: &str, place: Range<usize>, sets: bool, found: &mut Vec<Range<usize>>) -> bool {
    let word = &text[place.clone()];
    let Some((name, value)) = word.split_once('=') else { return false };
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !is_name {
        return false;
    }
    let place = unquoted(text, place.end - value.len()..place.end);
    if (sets || names::is_sure(name)) && names::is_set_to_secret(name, &text[place.clone()]) {
        add(text, place, Part::Whole, found);
    }
    true
}

/// Takes the place up, unless what stands there stands for another: `$TOKEN`, `<token>`, `***`.
fn add(text: &str, place: Range<usize>, part: Part, found: &mut Vec<Range<usize>>) {
    let place = match part {
        Part::Whole => place,
        Part::After(sign) => match text[place.clone()].bytes().position(|byte| byte == sign) {
            Some(at) => place.start + at + 1..place.end,
            None => return,
        },
        Part::Between(first, last) => {
            let value = &text[place.clone()];
            let Some(end) = value.bytes().rposition(|byte| byte == last) else { return };
            let Some(start) = value[..end].bytes().rposition(|byte| byte == first) else { return };
            place.start + start + 1..place.start + end
        }
    };
    // A quote may end there and another begin.
    let value = text[place.clone()].trim_start_matches(['"', '\'']);
    if !(value.is_empty() || value.starts_with(['$', '<', '{', '*', '[', '…', '`']) || value == "%s") {
        found.push(place);
    }
}

/// Without the quotes around it.
fn unquoted(text: &str, place: Range<usize>) -> Range<usize> {
    let word = &text[place.clone()];
    for quote in ["\\\"", "\"", "'"] {
        if word.len() >= 2 * quote.len() && word.starts_with(quote) && word.ends_with(quote) {
            return place.start + quote.len()..place.end - quote.len();
        }
    }
    place
}

enum Word {
    Is(Range<usize>),
    /// Of a command.
    End,
}

/// The words of a text as a shell would cut it, roughly: quotes hold within a line.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
    /// Line breaks may be written as `\n`.
    escaped: bool,
}

impl<'t> Words<'t> {
    fn of(text: &'t str, within: Range<usize>, escaped: bool) -> Self {
        Self { text: &text.as_bytes()[..within.end], at: within.start, escaped }
    }

    fn is_escaped_break(&self) -> bool {
        self.escaped && self.text[self.at..].starts_with(b"\\n")
    }

    /// The end of what is quoted here; `None` when the quote is only a sign.
    fn quote_end(&self, at: usize) -> Option<usize> {
        let quote = *self.text.get(at)?;
        let mut here = at + 1;
        while let Some(byte) = self.text.get(here).filter(|byte| **byte != b'\n' && here - at < WORD) {
            match byte {
                b'\\' if quote == b'"' => here += 1,
                byte if *byte == quote => return Some(here + 1),
                _ => {}
            }
            here += 1;
        }
        None
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'`' => {
                    self.at += 1;
                    return Some(Word::End);
                }
                b'\\' if self.is_escaped_break() => {
                    self.at += 2;
                    return Some(Word::End);
                }
                // The command goes on in the next line.
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                b' ' | b'\t' | b'\r' | b'<' | b'>' => self.at += 1,
                _ => break,
            }
        }
        let start = self.at;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'`' | b' ' | b'\t' | b'\r' | b'<' | b'>' => break,
                b'\\' if self.is_escaped_break() => break,
                b'\\' => {
                    self.at +=
                        if self.text.get(self.at + 1).is_some_and(|next| *next != b'\n') { 2 } else { 1 }
                }
                b'"' | b'\'' => self.at = self.quote_end(self.at).unwrap_or(self.at + 1),
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        // Every sign that is looked for is ASCII, so a word ends between characters, but behind a backslash.
        while self.at < self.text.len() && self.text[self.at] & 0xc0 == 0x80 {
            self.at += 1;
        }
        (self.at > start).then_some(Word::Is(start..self.at))
    }
}
