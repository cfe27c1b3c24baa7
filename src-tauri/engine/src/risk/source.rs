//! The text that is judged, by places counted in characters, as the readers count them. Behind it stand the texts in it
//! that are read in another form than they are written in: `bash -c "echo \"$x\""`.

use std::borrow::Cow;
use std::rc::Rc;

use planwright_shell::{Facts, Span};

/// A text with those that are in it behind it.
#[derive(Debug)]
pub(crate) struct Texts<'a> {
    all: Cow<'a, str>,
    ends: Rc<[u32]>,
}

impl<'a> Texts<'a> {
    /// `command`, which the reader found to be `facts`.
    pub(crate) fn of(command: &'a str, facts: &Facts) -> Self {
        let mut texts = vec![command];
        let mut waiting = vec![facts];
        while let Some(facts) = waiting.pop() {
            for inner in &facts.inner {
                waiting.push(&inner.facts);
                if !texts.iter().any(|text| text.contains(&inner.text)) {
                    texts.push(&inner.text);
                }
            }
        }
        let mut end = 0_u32;
        let ends = texts.iter().map(|text| {
            end = end.saturating_add(length(text));
            end
        });
        let ends = ends.collect();
        let all = if texts.len() == 1 { Cow::Borrowed(command) } else { Cow::Owned(texts.concat()) };
        Self { all, ends }
    }
}

/// Asked for a part of it for every word of a text, so it knows where each character begins.
#[derive(Debug, Clone)]
pub(crate) struct Source<'a> {
    text: &'a str,
    /// The byte at which each character begins, and the end. `None`: every character is one byte.
    starts: Option<Rc<[usize]>>,
    /// Where each text ends; the first is the one that is judged.
    ends: Rc<[u32]>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self::with(text, Rc::new([length(text)]))
    }

    pub(crate) fn of(texts: &'a Texts<'_>) -> Self {
        Self::with(&texts.all, Rc::clone(&texts.ends))
    }

    fn with(text: &'a str, ends: Rc<[u32]>) -> Self {
        let starts = || text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
        Self { text, starts: (!text.is_ascii()).then(starts), ends }
    }

    /// What stands at `span`, empty when it is not there.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        if span.end > self.end_of(span.start) {
            return "";
        }
        self.byte(span.start)
            .zip(self.byte(span.end))
            .and_then(|(start, end)| self.text.get(start..end))
            .unwrap_or_default()
    }

    /// What stands from `place` on, to the end of its text.
    pub(crate) fn after(&self, place: u32) -> &'a str {
        self.slice(Span { start: place, end: self.end_of(place) })
    }

    /// Whether `place` is one of the text that is judged, and none behind it.
    pub(crate) fn is_own(&self, place: u32) -> bool {
        self.ends.first().is_some_and(|end| place < *end)
    }

    /// Where `text` stands as it is: in `span` if it is there, or else anywhere.
    pub(crate) fn place_of(&self, text: &str, span: Span) -> Option<Span> {
        if text.is_empty() {
            return None;
        }
        let near = self.slice(span).find(text).and_then(|at| Some(at + self.byte(span.start)?));
        let start = self.character(near.or_else(|| self.text.find(text))?)?;
        let end = start.checked_add(length(text))?;
        // Not half in one text and half in the next.
        (end <= self.end_of(start)).then_some(Span { start, end })
    }

    /// Where the text ends in which `place` is.
    fn end_of(&self, place: u32) -> u32 {
        let own = self.ends.iter().find(|end| place < **end).or(self.ends.last());
        own.copied().unwrap_or_default()
    }

    fn byte(&self, place: u32) -> Option<usize> {
        match &self.starts {
            Some(starts) => starts.get(place as usize).copied(),
            None => Some(place as usize),
        }
    }

    /// The number of the character that begins at `byte`.
    fn character(&self, byte: usize) -> Option<u32> {
        let at = match &self.starts {
            Some(starts) => starts.binary_search(&byte).ok()?,
            None => byte,
        };
        u32::try_from(at).ok()
    }
}

/// In characters.
fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use planwright_shell::Inner;

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
    fn a_text_is_found_where_it_stands() {
        let source = Source::new("echo là; sh -c 'echo là'");
        let place = |start, end| source.place_of("echo là", Span { start, end });
        assert_eq!(place(15, 24), Some(Span { start: 16, end: 23 }));
        assert_eq!(place(9, 11), Some(Span { start: 0, end: 7 }));
        assert_eq!(source.place_of("echo la", Span { start: 0, end: 24 }), None);
    }

    #[test]
    fn texts_that_are_written_in_another_form_stand_behind_it() {
        let inner = |text: &str, inner: Vec<Inner>| Inner {
            text: text.to_owned(),
            facts: Facts { inner, ..Facts::default() },
        };
        let facts = Facts {
            inner: vec![inner("sh -c \"ls à\"", vec![inner("ls à", Vec::new())]), inner("ls b", Vec::new())],
            ..Facts::default()
        };
        let texts = Texts::of("bash -c \"sh -c \\\"ls à\\\"\"; ls \\b", &facts);
        let source = Source::of(&texts);
        let place = |text| source.place_of(text, Span { start: 0, end: 3 });
        assert_eq!(
            place("ls à").map(|span| (source.slice(span), source.is_own(span.start))),
            Some(("ls à", true))
        );
        for text in ["sh -c \"ls à\"", "ls b"] {
            assert_eq!(
                place(text).map(|span| (source.slice(span), source.is_own(span.start))),
                Some((text, false))
            );
        }
        assert_eq!(source.after(24), "; ls \\b");
    }

    #[test]
    fn what_is_not_there_is_empty() {
        assert_eq!(at("rm", 1, 9), "");
        assert_eq!(at("ré", 1, 9), "");
        assert_eq!(at("ré", 2, 1), "");
    }
}
