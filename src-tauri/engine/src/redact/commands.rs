//! Where secrets stand in commands: behind options, in what variables are set to, in headers and logins, and in what is
//! piped into a program that reads a password. A table says it for each program; what a text means to bash in full is
//! not needed for that, so any text may be given, also one that only quotes commands. It never changes what runs.

mod table;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::names;

use table::{ONLY_SPEAKS, OPTIONS, PROGRAMS, PROSE, Part, Programs, SET_OPTIONS, SETTERS, WORD};

/// Where secrets stand, from front to back and apart from each other.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut command = Reading::default();
    for word in Words::of(text) {
        match word {
            Word::End => command = Reading::default(),
            Word::Is(place) => command.take(text, place, &mut found),
        }
    }
    piped(text, &mut found);
    merged(found)
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
    /// The next word is a value, which part of it is the secret, and whether any word will do.
    next: Option<(Part, bool)>,
    sets_next: bool,
}

impl<'t> Reading<'t> {
    fn take(&mut self, text: &'t str, place: Range<usize>, found: &mut Vec<Range<usize>>) {
        let place = unquoted(text, place);
        let word = &text[place.clone()];
        if let Some((part, sure)) = self.next.take()
            && (sure || (!word.starts_with(['-', '/', '~', '@', '.']) && !PROSE.contains(&word)))
        {
            add(text, place, part, found);
            return;
        }
        let sets = std::mem::take(&mut self.sets_next) || self.sets || !self.program;
        if sets && assignment(text, place.clone(), found) {
            return;
        }
        self.sets_next = SET_OPTIONS.contains(&word);
        if let Some((option, value)) = word.split_once('=')
            && SET_OPTIONS.contains(&option)
        {
            assignment(text, place.end - value.len()..place.end, found);
            return;
        }
        self.name(word);
        let in_tables = self.sign(text, place.clone(), found);
        if !in_tables {
            self.option(text, place.clone(), found);
            if self.tables.iter().any(|table| table.fields) {
                fields(text, place.clone(), found);
            }
        }
        const NPM: &str = ":_authToken=";
        if let Some(at) = word.find(NPM) {
            add(text, place.start + at + NPM.len()..place.end, Part::Whole, found);
        }
        self.seen.push(word);
    }

    fn name(&mut self, word: &str) {
        let name = word.rsplit('/').next().unwrap_or(word);
        if !word.starts_with('-') && self.tables.is_empty() {
            self.tables = PROGRAMS.iter().filter(|table| table.names.contains(&name)).collect();
        }
        self.sets = self.sets || SETTERS.contains(&name) && !self.program;
        self.program = true;
    }

    /// An option that a table tells of.
    fn sign(&mut self, text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) -> bool {
        let word = &text[place.clone()];
        let tables =
            self.tables.iter().filter(|table| table.behind.is_empty() || self.seen.contains(&table.behind));
        for sign in tables.flat_map(|table| table.signs) {
            let Some(value) = word.strip_prefix(sign.option) else { continue };
            if value.is_empty() {
                self.next = sign.apart.then_some((sign.part, sign.option.starts_with('-')));
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

    /// An option that says by its name what its value is.
    fn option(&mut self, text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) {
        let word = &text[place.clone()];
        let bare = word.trim_start_matches('-');
        let dashes = word.len() - bare.len();
        if !(1..=2).contains(&dashes) {
            return;
        }
        let (name, value) = bare.split_once('=').map_or((bare, None), |(name, value)| (name, Some(value)));
        let lower = name.to_ascii_lowercase();
        let ends = OPTIONS.iter().any(|end| {
            lower
                .strip_suffix(end)
                .is_some_and(|front| front.is_empty() || front.ends_with(['-', '_', '.']) || end.len() > 5)
        });
        let speaks = lower.split(['-', '_']).next().is_some_and(|first| ONLY_SPEAKS.contains(&first));
        if !ends || speaks {
            return;
        }
        match value {
            Some(value) => {
                let place = unquoted(text, place.end - value.len()..place.end);
                if !text[place.clone()].starts_with(['/', '~', '@', '.']) {
                    add(text, place, Part::Whole, found);
                }
            }
            None => self.next = Some((Part::Whole, false)),
        }
    }
}

/// `NAME=value` where the name says that it is secret; whether it is one that sets a variable at all.
fn assignment(text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) -> bool {
    let word = &text[place.clone()];
    let Some((name, value)) = word.split_once('=') else { return false };
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !is_name {
        return false;
    }
    let place = unquoted(text, place.end - value.len()..place.end);
    if names::is_set_to_secret(name, &text[place.clone()]) {
        add(text, place, Part::Whole, found);
    }
    true
}

/// Headers, fields of forms and of JSON, in one word.
fn fields(text: &str, place: Range<usize>, found: &mut Vec<Range<usize>>) {
    static FIELDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        const NAME: &str =
            "[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key|pwd)";
        [
            format!(r#"(?i)(?:^|[?&,;{{=\s"'@]){NAME}=([^&\s"',;]+)"#),
            format!(r#"(?i)\\?"{NAME}\\?"\s*:\s*\\?"([^"\\]+)"#),
            r"(?i)^[a-z0-9-]*(?:token|key|secret|auth|authorization|cookie|password|session)[a-z0-9-]*:\s*(?:(?:bearer|basic|token|digest|apikey)\s+)?(\S.*)$".to_owned(),
        ]
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
    });
    let word = &text[place.clone()];
    for value in
        FIELDS.iter().flat_map(|pattern| pattern.captures_iter(word)).filter_map(|found| found.get(1))
    {
        add(text, place.start + value.start()..place.start + value.end(), Part::Whole, found);
    }
}

/// What is printed into a program that reads a password from its input.
fn piped(text: &str, found: &mut Vec<Range<usize>>) {
    static PIPED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        const READER: &str = r"(?:sudo\s[^\n|]*-\w*S|[^\n|]*--password-stdin|[^\n|]*--with-token|[^\n|]*--passphrase-fd[= ]0|(?:sudo\s+)?(?:chpasswd|passwd\s+--stdin|cryptsetup\s))";
        const VALUE: &str = r#"("[^"\n]+"|'[^'\n]+'|[^\s|;&"'<>]+)"#;
        [
            format!(r#"\b(?:echo|printf)\s+(?:-\w+\s+)?(?:['"]?%s(?:\\n)?['"]?\s+)?{VALUE}\s*\|\s*{READER}"#),
            format!(r"(?:{READER})[^\n|]*<<<\s*{VALUE}"),
        ]
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
    });
    // The patterns are slow, and hardly any text has either.
    if !(text.contains("<<<") || text.contains("echo") || text.contains("printf")) {
        return;
    }
    for value in PIPED.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|found| found.get(1))
    {
        add(text, unquoted(text, value.range()), Part::Whole, found);
    }
}

/// Takes the place up, unless what stands there stands for another: `$TOKEN`, `<token>`, `***`.
fn add(text: &str, place: Range<usize>, part: Part, found: &mut Vec<Range<usize>>) {
    let place = match part {
        Part::Whole => place,
        Part::After(sign) => match text[place.clone()].bytes().position(|byte| byte == sign) {
            Some(at) => place.start + at + 1..place.end,
            None => return,
        },
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
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
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
