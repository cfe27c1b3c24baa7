//! A block of code in HTML: its text without the marks that colour it, its language, and where its lines stand.

use std::ops::Range;

use super::events::{Element, Event};
use super::parts;
use crate::document::{Code, CodeStyle};

/// Languages that are none.
const NONE: &[&str] = &["default", "none", "plaintext", "notranslate"];

pub(super) fn is_block(events: &[Event], inside: Range<usize>) -> bool {
    let mut lines = 0;
    for event in &events[inside] {
        match event {
            Event::Text { text, .. } => lines += text.trim().matches('\n').count(),
            Event::Open(element) if element.name == "br" => lines += 1,
            Event::Open(_) | Event::Close(_) | Event::Comment { .. } => {}
        }
    }
    lines > 0
}

pub(super) fn read(source: &str, events: &[Event], index: usize, element: &Element) -> Code {
    let mut code = Code::new(CodeStyle::Preformatted);
    let mut lines = Lines { start: element.range.start, ..Lines::default() };
    let mut at = index + 1;
    while at < element.close {
        match &events[at] {
            Event::Open(inner) if inner.name != "code" && parts::passed(inner, false).is_some() => {
                at = inner.close.max(at);
            }
            Event::Open(inner) if inner.name == "br" => lines.end_line(),
            // Some colourers make an element of each line and no line end.
            Event::Open(inner) if matches!(inner.name.as_str(), "div" | "p" | "li" | "tr") => lines.fresh(),
            Event::Open(inner) => {
                if inner.name == "code" && code.language.is_none() {
                    code.language = language(inner);
                }
            }
            Event::Text { text, range } => lines.add(text, range, source),
            Event::Close(_) | Event::Comment { .. } => {}
        }
        at += 1;
    }
    (code.text, code.lines) = lines.finish();
    code.language = code.language.or_else(|| language(element)).or_else(|| around(events, index));
    code.title = element
        .get("data-title")
        .or(element.get("title"))
        .or(element.get("data-filename"))
        .map(str::to_owned);
    code.attributes = element.attributes.iter().filter(|(name, _)| name == "class").cloned().collect();
    code
}

#[derive(Debug, Default)]
struct Lines {
    /// Where lines stand that have no text in the source.
    start: usize,
    text: String,
    places: Vec<Range<usize>>,
    open: Option<Range<usize>>,
}

impl Lines {
    fn add(&mut self, text: &str, range: &Range<usize>, source: &str) {
        // Characters may be written as entities, but line ends never are: they say where each line stands.
        let raw: Vec<&str> = source.get(range.clone()).unwrap_or_default().split('\n').collect();
        let count = text.matches('\n').count() + 1;
        let mut start = range.start;
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.end_line();
            }
            let place = match raw.get(index).filter(|_| raw.len() == count) {
                Some(raw) => start..start + raw.len(),
                None => range.clone(),
            };
            start = place.end + 1;
            self.text.push_str(line);
            self.open =
                Some(self.open.take().map_or(place.clone(), |open| open.start..place.end.max(open.end)));
        }
    }

    fn fresh(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let last = self.places.last().map_or(self.start, |place| place.end);
        let place = self.open.take().unwrap_or(last..last);
        self.places.push(place);
        self.text.push('\n');
    }

    fn finish(mut self) -> (String, Vec<Range<usize>>) {
        self.end_line();
        // Blank lines at either end are of the page's source, not of the code.
        let blank = || self.text.split_inclusive('\n').take_while(|line| line.trim().is_empty());
        let (front, count) = (blank().map(str::len).sum::<usize>(), blank().count());
        self.text.drain(..front);
        self.places.drain(..count.min(self.places.len()));
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        self.places.truncate(if kept == 0 { 0 } else { self.text.matches('\n').count() + 1 });
        (self.text, self.places)
    }
}

fn language(element: &Element) -> Option<String> {
    let named = element.classes().find_map(|class| {
        ["language-", "lang-", "highlight-source-", "highlight-", "brush:", "sourceCode"]
            .iter()
            .find_map(|prefix| class.strip_prefix(prefix))
    });
    let given = named.or(element.get("data-lang")).or(element.get("data-language")).or(element.get("lang"));
    let language = given?.trim().to_ascii_lowercase();
    (!language.is_empty() && !NONE.contains(&language.as_str())).then_some(language)
}

/// The language of the elements right around: `<div class="highlight-console"><div class="highlight"><pre>`.
fn around(events: &[Event], index: usize) -> Option<String> {
    let before = events[index.saturating_sub(8)..index].iter().rev();
    before
        .filter_map(|event| match event {
            Event::Open(element) if element.close > index => Some(element),
            _ => None,
        })
        .find_map(language)
}
