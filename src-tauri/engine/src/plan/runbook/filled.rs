//! A command with shell variables where its placeholders stood, quoted as each place needs, so that no value can become syntax.
//! A place where a value would be read as code again (arithmetic, a command in a string) is left as it is and told.

use std::ops::Range;

use crate::plan::page::placeholder::{Blank, blanks, told};

/// A command whose placeholders are variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) command: String,
    /// Those that became variables.
    pub(super) blanks: Vec<Blank>,
    /// Those that could not, each of which a person has to write in.
    pub(super) left: Vec<Blank>,
}

/// How bash reads a place of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    /// In double quotes, or in a here-document that is expanded.
    Expanded,
    Single,
    /// `$'…'`.
    Ansi,
    /// The body of a here-document in which nothing is expanded, by its place among them.
    Literal(usize),
    Comment,
    /// Where a value would be read again as code.
    Code,
}

/// Programs whose arguments are read as code again.
const READS_CODE: [&str; 22] = [
    "eval", "sh", "bash", "zsh", "dash", "ksh", "su", "ssh", "python", "python3", "perl", "ruby", "node",
    "php", "awk", "sed", "psql", "mysql", "watch", "xargs", "trap", "source",
];

/// `named` are variables that are known already, whatever the case that a placeholder writes them in; `replaced` what the page
/// tells to replace besides what looks like a placeholder.
pub(super) fn fill(command: &str, named: &[&str], replaced: &[String]) -> Filled {
    let mut found = blanks(command, true);
    for blank in told(command, replaced) {
        if !found
            .iter()
            .any(|known| known.range.start < blank.range.end && blank.range.start < known.range.end)
        {
            found.push(blank);
        }
    }
    found.sort_by_key(|blank| blank.range.start);
    for blank in &mut found {
        if let Some(known) = named.iter().find(|known| known.eq_ignore_ascii_case(&blank.name)) {
            blank.name = (*known).to_owned();
        }
    }
    if found.is_empty() {
        return Filled { command: command.to_owned(), blanks: Vec::new(), left: Vec::new() };
    }
    let map = Map::of(command);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let (mut filled, mut left) = (Vec::new(), Vec::new());
    let mut opened: Vec<usize> = Vec::new();
    for blank in found {
        let name = &blank.name;
        let place = map.at(command, &blank.range);
        let text = match place {
            Place::Plain => format!("\"${{{name}}}\""),
            Place::Expanded => format!("${{{name}}}"),
            Place::Single => format!("'\"${{{name}}}\"'"),
            Place::Ansi => format!("'\"${{{name}}}\"$'"),
            Place::Literal(document) => {
                if !opened.contains(&document) {
                    opened.push(document);
                }
                format!("${{{name}}}")
            }
            Place::Comment | Place::Code => {
                left.push(blank);
                continue;
            }
        };
        edits.push((blank.range.clone(), text));
        filled.push(blank);
    }
    // A here-document that now expands keeps every other sign of it as it was.
    for document in opened {
        let Here { body, word, .. } = &map.documents[document];
        let bare = command[word.clone()].trim_matches(['\'', '"']).replace('\\', "");
        edits.push((word.clone(), bare));
        for (at, _) in command[body.clone()].match_indices(['\\', '$', '`']) {
            let at = body.start + at;
            if !edits.iter().any(|(range, _)| range.contains(&at)) {
                edits.push((at..at, "\\".to_owned()));
            }
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut command_out = String::with_capacity(command.len() + 16);
    let mut from = 0;
    for (range, text) in edits {
        command_out.push_str(&command[from..range.start]);
        command_out.push_str(&text);
        from = range.end;
    }
    command_out.push_str(&command[from..]);
    Filled { command: command_out, blanks: filled, left }
}

/// A here-document: its body, and the word that ends it as it is written behind `<<`.
#[derive(Debug, Clone)]
struct Here {
    body: Range<usize>,
    word: Range<usize>,
    quoted: bool,
}

/// The command's bytes by how bash reads them.
struct Map {
    places: Vec<Place>,
    documents: Vec<Here>,
}

impl Map {
    fn of(command: &str) -> Self {
        let mut scan = Scan {
            bytes: command.as_bytes(),
            places: Vec::with_capacity(command.len()),
            documents: Vec::new(),
            waiting: Vec::new(),
        };
        scan.read(Place::Plain, None);
        let Scan { mut places, documents, .. } = scan;
        places.resize(command.len(), Place::Code);
        Self { places, documents }
    }

    /// How the whole of a stretch is read; in a command that reads its arguments as code, as code.
    fn at(&self, command: &str, range: &Range<usize>) -> Place {
        let Some(&first) = self.places.get(range.start) else { return Place::Code };
        if self.places[range.clone()].iter().any(|place| *place != first) {
            return Place::Code;
        }
        if matches!(first, Place::Expanded | Place::Literal(_)) && self.is_body(range) {
            return first;
        }
        if self.reads_code(command, range.start) { Place::Code } else { first }
    }

    fn is_body(&self, range: &Range<usize>) -> bool {
        self.documents.iter().any(|one| one.body.start <= range.start && range.end <= one.body.end)
    }

    /// Whether the simple command around `at` hands its words to something that reads them as code.
    fn reads_code(&self, command: &str, at: usize) -> bool {
        let is_break = |place: usize| {
            self.places[place] == Place::Plain
                && matches!(command.as_bytes()[place], b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'`')
        };
        let start = (0..at).rev().find(|place| is_break(*place)).map_or(0, |place| place + 1);
        let words: Vec<&str> = command[start..at].split_whitespace().collect();
        let with_code = words.iter().any(|word| {
            matches!(*word, "-c" | "-e" | "-x" | "--command" | "--eval" | "-S" | "-lc" | "-ic" | "-exec")
                || word.starts_with("-lc")
        });
        words.iter().any(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            matches!(name, "eval" | "ssh" | "awk" | "sed" | "watch" | "xargs" | "trap")
                || with_code && READS_CODE.contains(&name)
        })
    }
}

struct Scan<'t> {
    bytes: &'t [u8],
    places: Vec<Place>,
    documents: Vec<Here>,
    /// Here-documents whose bodies begin at the next line end.
    waiting: Vec<(Range<usize>, bool, bool)>,
}

impl Scan<'_> {
    fn next(&self) -> usize {
        self.places.len()
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.next() + ahead).copied()
    }

    fn take(&mut self, count: usize, place: Place) {
        let count = count.min(self.bytes.len() - self.next());
        self.places.extend(std::iter::repeat_n(place, count));
    }

    /// Reads up to and with `end` at this level.
    fn read(&mut self, place: Place, end: Option<u8>) {
        let mut word_start = true;
        while let Some(byte) = self.byte(0) {
            if Some(byte) == end {
                self.take(1, place);
                return;
            }
            match (place, byte) {
                (Place::Plain, b'#') if word_start => {
                    while self.byte(0).is_some_and(|byte| byte != b'\n') {
                        self.take(1, Place::Comment);
                    }
                    continue;
                }
                (Place::Plain | Place::Expanded, b'\\') => self.take(2, place),
                (Place::Plain, b'\'') => self.quoted(Place::Single),
                (Place::Plain, b'"') => {
                    self.take(1, Place::Plain);
                    self.read(Place::Expanded, Some(b'"'));
                }
                (Place::Plain, b'$') if self.byte(1) == Some(b'\'') => {
                    self.take(1, Place::Plain);
                    self.quoted(Place::Ansi);
                }
                (_, b'$') if self.byte(1) == Some(b'(') && self.byte(2) == Some(b'(') => {
                    self.code(b'(', b')')
                }
                (_, b'$') if self.byte(1) == Some(b'{') => self.code(b'{', b'}'),
                (_, b'$') if self.byte(1) == Some(b'(') => {
                    self.take(2, place);
                    self.read(Place::Plain, Some(b')'));
                }
                (_, b'`') => {
                    // Quotes mean something else in here.
                    self.take(1, Place::Code);
                    while self.byte(0).is_some_and(|byte| byte != b'`') {
                        self.take(1, Place::Code);
                    }
                    self.take(1, Place::Code);
                }
                (Place::Plain, b'(') if self.byte(1) == Some(b'(') => self.code(b'(', b')'),
                (Place::Plain, b'(') => {
                    self.take(1, place);
                    self.read(Place::Plain, Some(b')'));
                }
                (Place::Plain, b'[') if self.byte(1) == Some(b'[') => self.code(b'[', b']'),
                (Place::Plain, b'<') if self.byte(1) == Some(b'<') && self.byte(2) != Some(b'<') => {
                    self.here()
                }
                (Place::Plain, b'\n') => {
                    self.take(1, place);
                    self.bodies();
                }
                _ => self.take(1, place),
            }
            word_start = matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'(');
        }
    }

    fn quoted(&mut self, place: Place) {
        self.take(1, Place::Plain);
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\'' => return self.take(1, Place::Plain),
                b'\\' if place == Place::Ansi => self.take(2, place),
                _ => self.take(1, place),
            }
        }
    }

    /// Balanced marks in which a value would be evaluated.
    fn code(&mut self, open: u8, close: u8) {
        let mut depth = 0usize;
        while let Some(byte) = self.byte(0) {
            self.take(1, Place::Code);
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            }
        }
    }

    fn here(&mut self) {
        self.take(2, Place::Plain);
        let tabs = self.byte(0) == Some(b'-');
        if tabs {
            self.take(1, Place::Plain);
        }
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.take(1, Place::Plain);
        }
        let start = self.next();
        while self.byte(0).is_some_and(|byte| !byte.is_ascii_whitespace() && !b";&|<>()".contains(&byte)) {
            self.take(1, Place::Plain);
        }
        let word = start..self.next();
        let quoted = self.bytes[word.clone()].iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\\'));
        self.waiting.push((word, quoted, tabs));
    }

    fn bodies(&mut self) {
        for (word, quoted, tabs) in std::mem::take(&mut self.waiting) {
            let end: Vec<u8> = self.bytes[word.clone()]
                .iter()
                .copied()
                .filter(|byte| !matches!(byte, b'\'' | b'"' | b'\\'))
                .collect();
            let start = self.next();
            let mut stop = start;
            while stop < self.bytes.len() {
                let line_end = self.bytes[stop..]
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .map_or(self.bytes.len(), |at| stop + at);
                let mut line = &self.bytes[stop..line_end];
                while tabs && line.first() == Some(&b'\t') {
                    line = &line[1..];
                }
                if line == end.as_slice() {
                    break;
                }
                stop = (line_end + 1).min(self.bytes.len());
            }
            let number = self.documents.len();
            self.documents.push(Here { body: start..stop, word, quoted });
            let place = if self.documents[number].quoted { Place::Literal(number) } else { Place::Expanded };
            if quoted {
                self.take(stop - start, place);
            } else {
                self.expanded_body(stop);
            }
            let line_end = self.bytes[stop..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(self.bytes.len(), |at| stop + at + 1);
            self.take(line_end - stop, Place::Plain);
        }
    }

    /// A body in which `$` and backticks mean something.
    fn expanded_body(&mut self, stop: usize) {
        while self.next() < stop {
            match (self.byte(0), self.byte(1)) {
                (Some(b'\\'), _) => self.take(2, Place::Expanded),
                (Some(b'$'), Some(b'(' | b'{')) | (Some(b'`'), _) => {
                    // What is computed in a body is left alone.
                    let close = match self.byte(1) {
                        _ if self.byte(0) == Some(b'`') => b'`',
                        Some(b'{') => b'}',
                        _ => b')',
                    };
                    self.take(1, Place::Code);
                    while self.next() < stop && self.byte(0) != Some(close) {
                        self.take(1, Place::Code);
                    }
                    if self.next() < stop {
                        self.take(1, Place::Code);
                    }
                }
                _ => self.take(1, Place::Expanded),
            }
        }
    }
}

#[cfg(test)]
#[path = "filled_tests.rs"]
mod tests;
