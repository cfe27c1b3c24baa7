//! The text that is judged, by places counted in characters, as the readers count them.

use std::rc::Rc;

use planwright_shell::Span;

/// Asked for a part of it for every word of a text, so it knows where each character begins.
#[derive(Debug, Clone)]
pub(crate) struct Source<'a> {
    text: &'a str,
    /// The byte at which each character begins, and the end. `None`: every character is one byte.
    starts: Option<Rc<[usize]>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let starts = || text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
        Self { text, starts: (!text.is_ascii()).then(starts) }
    }

    /// What stands at `span`, empty when it is not there.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.byte(span.start)
            .zip(self.byte(span.end))
            .and_then(|(start, end)| self.text.get(start..end))
            .unwrap_or_default()
    }

    /// What stands from `place` on.
    pub(crate) fn after(&self, place: u32) -> &'a str {
        self.byte(place).and_then(|start| self.text.get(start..)).unwrap_or_default()
    }

    fn byte(&self, place: u32) -> Option<usize> {
        match &self.starts {
            Some(starts) => starts.get(place as usize).copied(),
            None => Some(place as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, start: u32, end: u32) -> &str {
        Source::new(text).slice(Span { start, end })
    }

    #[test]
    fn places_are_characters() {
        assert_eq!(at("rm a", 3, 4), "a");
        assert_eq!(at("ré à", 3, 4), "à");
        assert_eq!(at("ré à", 1, 3), "é ");
    }

    #[test]
    fn what_is_not_there_is_empty() {
        assert_eq!(at("rm", 1, 9), "");
        assert_eq!(at("ré", 1, 9), "");
        assert_eq!(at("ré", 2, 1), "");
    }
}
