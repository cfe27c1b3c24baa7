//! Stretches inside a paragraph of the forms that mark them with signs in pairs. What marks what is a table of the form's.

use std::ops::Range;

use crate::document::InlineKind;
use crate::inlines::Rendered;
use crate::lines::Line;
use crate::view::View;

/// How far the end of a stretch is looked for.
const LONGEST: usize = 600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    Strong,
    /// Only the signs go.
    Plain,
}

#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) kind: Kind,
}

pub(crate) const fn pair(open: &'static str, close: &'static str, kind: Kind) -> Pair {
    Pair { open, close, kind }
}

/// What a form's own notation makes of the text from here: how much of it, what it shows, and where a link leads.
pub(crate) struct Special {
    pub(crate) length: usize,
    /// In the text.
    pub(crate) shown: Range<usize>,
    pub(crate) kind: Option<InlineKind>,
}

#[derive(Debug)]
pub(crate) struct Notation {
    pub(crate) pairs: &'static [Pair],
    /// Characters that `special` is asked about.
    pub(crate) starts: &'static [u8],
    pub(crate) special: fn(&str) -> Option<Special>,
}

/// The lines as one paragraph, and the range they stand in.
pub(crate) fn paragraph(lines: &[Line<'_>], notation: &Notation) -> (Rendered, Range<usize>) {
    let range = lines.first().map_or(0, |line| line.start)..lines.last().map_or(0, Line::end);
    let mut view = View::default();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            view.insert("\n", line.start);
        }
        let text = line.text.trim();
        view.copy(text, line.start + (line.text.len() - line.text.trim_start().len()));
    }
    (scan(&view, notation), range)
}

fn scan(view: &View, notation: &Notation) -> Rendered {
    let text = view.text.as_str();
    let mut out = Rendered::default();
    let mut copied = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let byte = rest.as_bytes()[0];
        let found = if notation.starts.contains(&byte) { (notation.special)(near(rest)) } else { None };
        let found = found.or_else(|| in_pair(text, at, notation.pairs));
        match found {
            Some(special) if special.length > 0 => {
                out.text.push_str(&text[copied..at]);
                let shown = &rest[special.shown.clone()];
                let start = out.text.len();
                let place = at + special.shown.start..at + special.shown.end;
                match special.kind {
                    Some(InlineKind::Code) => out.code(shown, view.source_range(&place)),
                    Some(kind) => {
                        out.text.push_str(shown);
                        out.mark(kind, start, view.source_range(&(at..at + special.length)));
                    }
                    None => out.text.push_str(shown),
                }
                at += special.length;
                copied = at;
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    out.text.push_str(&text[copied..]);
    out
}

/// The beginning of a text, so that what never ends costs no more than that.
fn near(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn in_pair(text: &str, at: usize, pairs: &[Pair]) -> Option<Special> {
    let rest = &text[at..];
    let longest =
        pairs.iter().filter(|pair| rest.starts_with(pair.open)).map(|pair| pair.open.len()).max()?;
    let open = pairs.iter().filter(|pair| pair.open.len() == longest && rest.starts_with(pair.open));
    // One sign may have several ends: the nearest counts.
    open.filter_map(|pair| closed(text, at, pair)).min_by_key(|found| found.length)
}

fn closed(text: &str, at: usize, pair: &Pair) -> Option<Special> {
    let rest = &text[at..];
    let word = |c: char| c.is_alphanumeric();
    if text[..at].chars().next_back().is_some_and(word) {
        return None;
    }
    let inner = &rest[pair.open.len()..];
    if inner.starts_with(char::is_whitespace) {
        return None;
    }
    let limit = near(inner).len();
    let mut from = 0;
    loop {
        let end = inner[from..limit].find(pair.close)? + from;
        let behind = &inner[end + pair.close.len()..];
        let ends = !inner[..end].ends_with(char::is_whitespace) && !behind.starts_with(word);
        if end > 0 && ends {
            let shown = pair.open.len()..pair.open.len() + end;
            let kind = match pair.kind {
                Kind::Code => Some(InlineKind::Code),
                Kind::Strong => Some(InlineKind::Strong),
                Kind::Plain => None,
            };
            return Some(Special { length: shown.end + pair.close.len(), shown, kind });
        }
        from = end + 1;
        while !inner.is_char_boundary(from) {
            from += 1;
        }
        if from >= limit {
            return None;
        }
    }
}

/// The end of a bare address.
pub(crate) fn address(text: &str) -> Option<usize> {
    let end =
        ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme).map(|_| scheme.len()))?;
    let stop = text[end..]
        .find(|c: char| c.is_whitespace() || "<>\"`[]()".contains(c))
        .map_or(text.len(), |at| at + end);
    let trimmed = text[..stop].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
    (trimmed.len() > end).then_some(trimmed.len())
}
