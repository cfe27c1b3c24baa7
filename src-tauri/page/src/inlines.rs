//! A text as it is shown, with the stretches of it that are code, links or strong.

use std::ops::Range;

use crate::document::{Inline, InlineKind};

#[derive(Debug, Clone, Default)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) inline: Vec<Inline>,
}

impl Rendered {
    pub(crate) fn code(&mut self, code: &str, range: Range<usize>) {
        let at = self.text.len();
        self.text.push_str(code);
        self.inline.push(Inline { kind: InlineKind::Code, text: code.to_owned(), at, range });
    }

    /// What was added since `at` is of that kind.
    pub(crate) fn mark(&mut self, kind: InlineKind, at: usize, range: Range<usize>) {
        let Some(text) = self.text.get(at..) else { return };
        if !text.trim().is_empty() {
            let text = text.to_owned();
            self.inline.push(Inline { kind, text, at, range });
        }
    }

    /// Without white space around it; stretches keep their place.
    pub(crate) fn trimmed(mut self) -> Self {
        self.text.truncate(self.text.trim_end().len());
        let front = self.text.len() - self.text.trim_start().len();
        self.text.drain(..front);
        let end = self.text.len();
        self.inline.retain_mut(|one| {
            let stop = (one.at + one.text.len()).saturating_sub(front).min(end);
            one.at = one.at.saturating_sub(front);
            match self.text.get(one.at..stop) {
                Some(text) if !text.is_empty() => one.text = text.to_owned(),
                _ => return false,
            }
            true
        });
        self.inline.sort_by_key(|one| one.at);
        self
    }
}
