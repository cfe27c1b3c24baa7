//! What is looked for, as one automaton: the forms of the known values, and the anchors of what looks like a secret.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::forms;
use super::shapes::{ANCHORS, Shape};

/// So many bytes of a value give nothing of it away.
const FEW: usize = 3;

pub(super) struct Patterns {
    /// `None` when it could not be built: then everything is hidden.
    automaton: Option<AhoCorasick>,
    /// The first patterns are forms of known values, the others anchors. True: it counts only as a word of its own.
    known: Vec<bool>,
    sorted: Vec<Vec<u8>>,
    first: [bool; 256],
    longest: usize,
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Patterns({} forms)", self.known.len())
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    /// A form of a known value; `alone`: only where it is a word of its own.
    Known {
        alone: bool,
    },
    Shape(Shape),
}

/// Something that was found, before it is known whether a secret stands there.
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) what: What,
}

impl Patterns {
    pub(super) fn of(values: &BTreeSet<Vec<u8>>) -> Self {
        let known: BTreeMap<Vec<u8>, bool> = values.iter().flat_map(|value| forms::of(value)).fold(
            BTreeMap::new(),
            |mut known, (form, alone)| {
                // Where one value makes it a word and another a part of anything, it may stand in anything.
                known.entry(form).and_modify(|known| *known &= alone).or_insert(alone);
                known
            },
        );
        let anchors = ANCHORS.iter().map(|(anchor, _)| anchor.as_bytes().to_vec());
        let all: Vec<Vec<u8>> = known.keys().cloned().chain(anchors).collect();
        // Every byte of every output goes through it: half a megabyte of table is a third of the time of the small automaton.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(&all)
            .inspect_err(|error| tracing::error!(%error, "secrets cannot be found"))
            .ok();
        let mut first = [false; 256];
        all.iter().filter_map(|pattern| pattern.first()).for_each(|byte| first[usize::from(*byte)] = true);
        let longest = all.iter().map(Vec::len).max().unwrap_or(0);
        let mut sorted = all;
        sorted.sort();
        sorted.dedup();
        Self { automaton, known: known.into_values().collect(), sorted, first, longest }
    }

    /// Everything that stands in the text, also where it overlaps; `None` when that cannot be told.
    pub(super) fn find<'t>(&'t self, text: &'t [u8]) -> Option<impl Iterator<Item = Found> + 't> {
        let found = self.automaton.as_ref()?.try_find_overlapping_iter(text).ok()?;
        Some(found.filter_map(|found| {
            let pattern = found.pattern().as_usize();
            let what = match self.known.get(pattern) {
                Some(alone) => What::Known { alone: *alone },
                None => What::Shape(ANCHORS.get(pattern - self.known.len())?.1),
            };
            Some(Found { start: found.start(), end: found.end(), what })
        }))
    }

    /// From where on the text may be the beginning of something that has not come whole.
    pub(super) fn unfinished(&self, text: &[u8]) -> usize {
        let from = text.len().saturating_sub(self.longest.saturating_sub(1));
        let begins = |at: &usize| self.first[usize::from(text[*at])] && self.is_beginning(&text[*at..]);
        (from..text.len()).find(begins).unwrap_or(text.len())
    }

    /// Whether these bytes are few, or begin an anchor and of a known value no more than a few.
    pub(super) fn tells_nothing(&self, part: &[u8]) -> bool {
        let is_known = |at: usize| {
            let part = &part[at..];
            part.len() > FEW && self.sorted_known().any(|known| known.starts_with(part))
        };
        let is_anchor = || ANCHORS.iter().any(|(anchor, _)| anchor.as_bytes().starts_with(part));
        part.len() <= FEW || (is_anchor() && !(0..part.len()).any(is_known))
    }

    fn sorted_known(&self) -> impl Iterator<Item = &Vec<u8>> {
        let is_anchor = |form: &[u8]| ANCHORS.iter().any(|(anchor, _)| anchor.as_bytes() == form);
        self.sorted.iter().filter(move |form| !is_anchor(form))
    }

    fn is_beginning(&self, part: &[u8]) -> bool {
        let at = self.sorted.partition_point(|pattern| pattern.as_slice() < part);
        // The first may be the part itself; all that begin with it stand together.
        self.sorted[at..]
            .iter()
            .take(2)
            .any(|pattern| pattern.len() > part.len() && pattern.starts_with(part))
    }
}
