//! Where a text stands in the outermost text, in characters. Owns the arithmetic of spans and nothing else.

use brush_parser::SourceSpan;

use crate::Span;

/// Start of a text within the outermost one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// Character for character as written, from here.
    At(u32),
    /// Somewhere in here: escapes or line continuations were taken off on the way.
    Within(Span),
}

impl Base {
    pub(super) fn shift(self, characters: usize) -> Self {
        match self {
            Self::At(start) => Self::At(start.saturating_add(small(characters))),
            Self::Within(span) => Self::Within(span),
        }
    }

    pub(super) fn span(self, start: usize, end: usize) -> Span {
        match self {
            Self::At(at) => {
                Span { start: at.saturating_add(small(start)), end: at.saturating_add(small(end.max(start))) }
            }
            Self::Within(span) => span,
        }
    }
}

/// One text that is parsed by itself: the outermost, or the inside of a substitution.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) chars: Vec<char>,
    pub(super) base: Base,
}

impl Layer {
    pub(super) fn outermost(text: &str) -> Self {
        Self::new(text, Base::At(0))
    }

    pub(super) fn new(text: &str, base: Base) -> Self {
        Self { chars: text.chars().collect(), base }
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &[char] {
        let end = end.min(self.chars.len());
        self.chars.get(start.min(end)..end).unwrap_or(&[])
    }

    /// Start and end of a token, without the line continuations and the newline that the tokenizer sometimes counts in.
    pub(super) fn trimmed(&self, location: &SourceSpan) -> (usize, usize) {
        let mut start = location.start.index.min(self.chars.len());
        let mut end = location.end.index.clamp(start, self.chars.len());
        while self.slice(start, end).starts_with(&['\\', '\n']) {
            start += 2;
        }
        while self.slice(start, end).ends_with(&['\n']) {
            end -= 1;
            if self.slice(start, end).ends_with(&['\\']) {
                end -= 1;
            }
        }
        (start, end)
    }
}

/// Line of a character, from 1.
pub(super) fn line_of(text: &str, character: usize) -> u32 {
    small(text.chars().take(character).filter(|c| *c == '\n').count()).saturating_add(1)
}

pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
