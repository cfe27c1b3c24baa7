//! Lines with their place in the text, which all line readers work on.

use std::ops::Range;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    /// Without its line end.
    pub(crate) text: &'t str,
    pub(crate) start: usize,
}

impl<'t> Line<'t> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Columns of white space in front; a tab goes to the next multiple of eight, of four in Markdown.
    pub(crate) fn indent(&self) -> usize {
        indent(self.text, 8)
    }

    pub(crate) fn trimmed(&self) -> &'t str {
        self.text.trim()
    }

    /// The line without up to `columns` of its indentation.
    pub(crate) fn dedented(&self, columns: usize) -> Line<'t> {
        let mut seen = 0;
        let mut cut = 0;
        for c in self.text.chars() {
            seen = match c {
                ' ' => seen + 1,
                '\t' => (seen / 8 + 1) * 8,
                _ => break,
            };
            if seen > columns {
                break;
            }
            cut += 1;
        }
        Line { text: &self.text[cut..], start: self.start + cut }
    }
}

pub(crate) fn indent(text: &str, tab: usize) -> usize {
    let mut columns = 0;
    for c in text.chars() {
        columns = match c {
            ' ' => columns + 1,
            '\t' => (columns / tab + 1) * tab,
            _ => break,
        };
    }
    columns
}

/// The lines of `text[range]`.
pub(crate) fn lines(text: &str, range: Range<usize>) -> Vec<Line<'_>> {
    let mut start = range.start;
    let mut found = Vec::new();
    for line in text[range].split_inclusive('\n') {
        found.push(Line { text: line.strip_suffix('\n').unwrap_or(line), start });
        start += line.len();
    }
    found
}
