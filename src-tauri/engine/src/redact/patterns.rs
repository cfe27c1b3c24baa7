//! What is looked for, as one automaton: the forms of the known values, and the anchors of what looks like a secret.

use std::collections::BTreeSet;
use std::fmt;

use aho_corasick::AhoCorasick;

use super::forms;
use super::shapes::{ANCHORS, Shape};

pub(super) struct Patterns {
    /// `None` when it could not be built: then everything is hidden.
    automaton: Option<AhoCorasick>,
    /// Patterns below this number are forms of known values, the others anchors.
    known: usize,
    sorted: Vec<Vec<u8>>,
    first: [bool; 256],
    longest: usize,
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Patterns({} forms)", self.known)
    }
}

/// Something that was found, before it is known whether a secret stands there.
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// `None`: a form of a known value.
    pub(super) shape: Option<Shape>,
}

impl Patterns {
    pub(super) fn of(values: &BTreeSet<Vec<u8>>, shapes: bool) -> Self {
        let known: BTreeSet<Vec<u8>> = values.iter().flat_map(|value| forms::of(value)).collect();
        let anchors = ANCHORS.iter().filter(|_| shapes).map(|(anchor, _)| anchor.as_bytes().to_vec());
        let all: Vec<Vec<u8>> = known.iter().cloned().chain(anchors).collect();
        let automaton = AhoCorasick::new(&all)
            .inspect_err(|error| tracing::error!(%error, "secrets cannot be found"))
            .ok();
        let mut first = [false; 256];
        all.iter().filter_map(|pattern| pattern.first()).for_each(|byte| first[usize::from(*byte)] = true);
        let longest = all.iter().map(Vec::len).max().unwrap_or(0);
        let mut sorted = all;
        sorted.sort();
        sorted.dedup();
        Self { automaton, known: known.len(), sorted, first, longest }
    }

    /// Everything that stands in the text, also where it overlaps; `None` when that cannot be told.
    pub(super) fn find<'t>(&'t self, text: &'t [u8]) -> Option<impl Iterator<Item = Found> + 't> {
        let found = self.automaton.as_ref()?.try_find_overlapping_iter(text).ok()?;
        Some(found.map(|found| {
            Found {
                start: found.start(),
                end: found.end(),
                shape: found
                    .pattern()
                    .as_usize()
                    .checked_sub(self.known)
                    .and_then(|at| ANCHORS.get(at))
                    .map(|(_, shape)| *shape),
            }
        }))
    }

    /// From where on the text may be the beginning of something that has not come whole.
    pub(super) fn unfinished(&self, text: &[u8]) -> usize {
        let from = text.len().saturating_sub(self.longest.saturating_sub(1));
        let begins = |at: &usize| self.first[usize::from(text[*at])] && self.is_beginning(&text[*at..]);
        (from..text.len()).find(begins).unwrap_or(text.len())
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
