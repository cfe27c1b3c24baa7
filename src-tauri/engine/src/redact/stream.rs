//! Hides secrets in bytes that come in pieces. What comes out is the same however the bytes were cut: a place is hidden
//! when a whole secret covers it, and nothing is let out before it is sure that no secret covers it. What is held back
//! for that is bounded by the longest form and the longest look behind an anchor, less than a kilobyte.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::patterns::{Patterns, What};
use super::shapes::{Class, Look, On};
use super::{HIDDEN, Redactor};

/// Bytes that a stream keeps room for while it waits.
const RESTING: usize = 1024;

/// One stream of output on its way.
pub struct RedactedStream {
    redactor: Redactor,
    patterns: Arc<Patterns>,
    /// How many values `patterns` knows.
    count: usize,
    /// Not let out yet.
    pub(super) held: Vec<u8>,
    /// The last bytes before `held`, as many as tell whether a word begins.
    before: Vec<u8>,
    /// Secrets that began before `held` and reach into it or beyond.
    carried: Vec<Secret>,
    /// The last that was let out stands for a secret.
    hiding: bool,
    /// So much of `held` was let out already, ahead of being sure.
    ahead: usize,
}

/// Bytes before a word that tell whether it begins there.
const NEAR: usize = 8;

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Whether a word can begin behind these bytes: behind what is no letter, a colour's escape sequence (`\x1b[0;32m`), an
/// escaped line break (`\n`) and an encoded sign (`%20`).
fn word_begins(before: &[u8]) -> bool {
    match before {
        [] => true,
        [.., last] if !is_letter(*last) => true,
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [front @ .., b'm'] => front.iter().rposition(|byte| *byte == b'[').is_some_and(|at| {
            at > 0
                && front[at - 1] == 0x1b
                && front[at + 1..].iter().all(|byte| byte.is_ascii_digit() || *byte == b';')
        }),
        _ => false,
    }
}

/// A place that is hidden, in `held`.
#[derive(Debug, Clone, Copy)]
struct Secret {
    from: usize,
    to: usize,
    /// It has reached the end of what came so far, and goes on like this.
    on: Option<On>,
    is_block: bool,
}

impl Secret {
    fn plain(from: usize, to: usize) -> Self {
        Self { from, to, on: None, is_block: false }
    }
}

impl fmt::Debug for RedactedStream {
    /// Without what is held back: it may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedactedStream({} held)", self.held.len())
    }
}

impl RedactedStream {
    pub(super) fn new(redactor: Redactor) -> Self {
        let count = redactor.count();
        let patterns = redactor.patterns();
        Self {
            redactor,
            patterns,
            count,
            held: Vec::new(),
            before: Vec::new(),
            carried: Vec::new(),
            hiding: false,
            ahead: 0,
        }
    }

    /// Takes the next bytes; returns those that can go out.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let count = self.redactor.count();
        if count != self.count {
            self.patterns = self.redactor.patterns();
            self.count = count;
        }
        self.step(bytes, false)
    }

    /// What was held back, at the end of the stream.
    pub fn finish(&mut self) -> Vec<u8> {
        self.step(&[], true)
    }

    /// Lets out what is held, for something else comes next that stands behind it: only where that tells nothing, for it
    /// is the beginning of what any key begins with. What comes later is judged as if it had been held.
    pub(crate) fn let_go(&mut self) -> Vec<u8> {
        let held = &self.held[self.ahead..];
        if held.is_empty() || !self.carried.is_empty() || !self.patterns.tells_nothing(&self.held) {
            return Vec::new();
        }
        let out = held.to_vec();
        self.ahead = self.held.len();
        self.hiding = false;
        out
    }

    fn step(&mut self, bytes: &[u8], end: bool) -> Vec<u8> {
        let came_at = self.held.len();
        self.held.extend_from_slice(bytes);
        let mut secrets = std::mem::take(&mut self.carried);
        for secret in &mut secrets {
            if let Some(on) = secret.on.take() {
                let (length, on) = on.advance(&self.held[came_at..]);
                *secret = Secret { to: came_at + length, on, ..*secret };
            }
        }
        let patterns = Arc::clone(&self.patterns);
        let sure = self.find(&patterns, &mut secrets, end);
        let out = self.let_out(&mut secrets, sure);
        self.carry(secrets, sure);
        out
    }

    /// Adds the secrets that begin in what is held; returns up to where all is sure.
    fn find(&self, patterns: &Patterns, secrets: &mut Vec<Secret>, end: bool) -> usize {
        let held = self.held.as_slice();
        let Some(found) = patterns.find(held) else {
            secrets.push(Secret::plain(0, held.len()));
            return held.len();
        };
        let mut sure = if end { held.len() } else { patterns.unfinished(held) };
        let mut fresh = Vec::new();
        let mut runs = Runs::of(secrets);
        for found in found {
            let shape = match found.what {
                What::Shape(shape) => shape,
                What::Known { alone } => {
                    match (alone, held.get(found.end)) {
                        (true, None) if !end => sure = sure.min(found.start),
                        (true, next) if !self.is_word(found.start, found.end, next.copied()) => {}
                        _ => fresh.push((found.start, Secret::plain(found.start, found.end))),
                    }
                    continue;
                }
            };
            let before = match found.start.checked_sub(1) {
                Some(at) => Some(held[at]),
                None => self.before.last().copied(),
            };
            match shape.look(before, &held[found.end..], end) {
                Look::No => {}
                Look::More => sure = sure.min(found.start),
                Look::Hidden { from, to, on } => {
                    let from = from.map_or(found.start, |from| found.end + from);
                    let is_block = matches!(on, Some(On::Block(_)));
                    let (to, on) = runs.end(found.end + to, on, held);
                    fresh.push((found.start, Secret { from, to, on, is_block }));
                }
            }
        }
        // Those behind are found again when more is there.
        secrets.extend(fresh.into_iter().filter(|(start, _)| *start < sure).map(|(_, secret)| secret));
        sure
    }

    /// Whether what stands there is no part of a longer word.
    fn is_word(&self, start: usize, end: usize, next: Option<u8>) -> bool {
        let (Some(first), Some(last)) = (self.held.get(start), self.held.get(end - 1)) else { return true };
        if is_letter(*last) && next.is_some_and(is_letter) {
            return false;
        }
        if !is_letter(*first) {
            return true;
        }
        let near = &self.held[start.saturating_sub(NEAR)..start];
        let carried = &self.before[self.before.len().saturating_sub(NEAR - near.len())..];
        word_begins(&[carried, near].concat())
    }

    fn let_out(&mut self, secrets: &mut [Secret], sure: usize) -> Vec<u8> {
        secrets.sort_by_key(|secret| secret.from);
        let mut out = Vec::with_capacity(sure);
        let mut at = self.ahead.min(sure);
        for secret in secrets.iter() {
            let (from, to) = (secret.from.max(at).min(sure), secret.to.min(sure));
            if from > at {
                out.extend_from_slice(&self.held[at..from]);
                (at, self.hiding) = (from, false);
            }
            if to > at {
                if !self.hiding {
                    out.extend_from_slice(HIDDEN.as_bytes());
                }
                (at, self.hiding) = (to, true);
            }
        }
        if sure > at {
            out.extend_from_slice(&self.held[at..sure]);
            self.hiding = false;
        }
        out
    }

    /// Keeps what reaches beyond, and what is not sure.
    fn carry(&mut self, secrets: Vec<Secret>, sure: usize) {
        for secret in secrets.into_iter().filter(|secret| secret.to > sure || secret.on.is_some()) {
            let secret = Secret {
                from: secret.from.saturating_sub(sure),
                to: secret.to.saturating_sub(sure),
                ..secret
            };
            // Those that go on alike end alike, and come sorted: the first one covers the others.
            let covered = |other: &Secret| secret.on.is_some() && other.on == secret.on;
            if !self.carried.iter().any(covered) {
                self.carried.push(secret);
            }
        }
        self.before.extend_from_slice(&self.held[sure.saturating_sub(NEAR)..sure]);
        self.before.drain(..self.before.len().saturating_sub(NEAR));
        self.held.drain(..sure);
        self.ahead = self.ahead.saturating_sub(sure);
        // Between two pieces, which may be long apart, it takes no more than it holds.
        self.held.shrink_to(RESTING);
    }
}

/// Where the secrets that go on were seen to end, so that no byte is looked at once for each of many anchors.
struct Runs {
    words: Vec<(Class, usize, usize, Option<On>)>,
    block_end: usize,
}

impl Runs {
    fn of(carried: &[Secret]) -> Self {
        let blocks = carried.iter().filter(|secret| secret.is_block);
        Self { words: Vec::new(), block_end: blocks.map(|secret| secret.to).max().unwrap_or(0) }
    }

    /// Where a secret ends that is sure up to `to`, and how it goes on from there.
    fn end(&mut self, to: usize, on: Option<On>, held: &[u8]) -> (usize, Option<On>) {
        match on {
            None => (to, None),
            Some(On::While(class)) => {
                let known = self
                    .words
                    .iter()
                    .find(|(known, from, end, _)| *known == class && (*from..=*end).contains(&to));
                if let Some((_, _, end, on)) = known {
                    return (*end, *on);
                }
                let (length, on) = On::While(class).advance(&held[to..]);
                self.words.retain(|(known, ..)| *known != class);
                self.words.push((class, to, to + length, on));
                (to + length, on)
            }
            // One inside of another is a part of it.
            Some(On::Block(_)) if to <= self.block_end => (to, None),
            Some(On::Block(block)) => {
                let (length, on) = On::Block(block).advance(&held[to..]);
                self.block_end = to + length;
                (to + length, on)
            }
        }
    }
}

/// Where secrets stand in a text that is there whole; they may overlap.
pub(super) fn places(patterns: &Arc<Patterns>, text: &str) -> Vec<Range<usize>> {
    let stream = for_whole(patterns, text);
    let mut secrets = Vec::new();
    stream.find(patterns, &mut secrets, true);
    secrets.into_iter().map(|secret| secret.from..secret.to.min(text.len())).collect()
}

/// A text that is there whole.
pub(super) fn whole(patterns: &Arc<Patterns>, text: &str) -> String {
    let out = for_whole(patterns, text).step(&[], true);
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn for_whole(patterns: &Arc<Patterns>, text: &str) -> RedactedStream {
    RedactedStream {
        redactor: Redactor::default(),
        patterns: Arc::clone(patterns),
        count: 0,
        held: text.as_bytes().to_vec(),
        before: Vec::new(),
        carried: Vec::new(),
        hiding: false,
        ahead: 0,
    }
}
