//! A rewritten text that remembers where each part came from, so that a reader of the rewritten text can still tell places in
//! the source.

use std::ops::Range;

#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) text: String,
    /// Starts of the pieces: in the view, in the source, and whether the piece is the source's own text.
    pieces: Vec<Piece>,
    source_end: usize,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    here: usize,
    source: usize,
    verbatim: bool,
}

impl View {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes + 64), ..Self::default() }
    }

    /// Adds text of the source as it stands.
    pub(crate) fn copy(&mut self, source: &str, start: usize) {
        let joins = self.pieces.last().is_some_and(|last| {
            last.verbatim
                && self.text.len() - last.here == start - last.source.min(start)
                && last.source <= start
        });
        if !joins {
            self.pieces.push(Piece { here: self.text.len(), source: start, verbatim: true });
        }
        self.text.push_str(source);
        self.source_end = start + source.len();
    }

    /// Adds text that stands nowhere; its place is `at`.
    pub(crate) fn insert(&mut self, text: &str, at: usize) {
        self.pieces.push(Piece { here: self.text.len(), source: at, verbatim: false });
        self.text.push_str(text);
        self.source_end = self.source_end.max(at);
    }

    /// The piece that a place of the view is in.
    fn piece(&self, here: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.here <= here);
        self.pieces.get(after.checked_sub(1)?)
    }

    fn source(&self, here: usize) -> usize {
        let place = self
            .piece(here)
            .map_or(0, |piece| piece.source + if piece.verbatim { here - piece.here } else { 0 });
        place.min(self.source_end)
    }

    /// The range in the source of a range of the view.
    pub(crate) fn source_range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.source(range.start);
        // The end is behind the last character, not before what the next piece starts with.
        let last =
            range.end.checked_sub(1).filter(|last| *last >= range.start).and_then(|last| self.piece(last));
        let end = last
            .map_or(start, |piece| piece.source + if piece.verbatim { range.end - piece.here } else { 0 });
        start..end.min(self.source_end).max(start)
    }
}
