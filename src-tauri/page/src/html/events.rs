//! HTML as balanced events: each element that opens also closes, whatever the page left out. Linear in the page's length.

use std::collections::HashMap;
use std::ops::Range;

use html5gum::{DefaultEmitter, Span, Token, Tokenizer};

#[derive(Debug)]
pub(crate) enum Event {
    Open(Element),
    /// The index of the element's `Open`.
    Close(usize),
    Text {
        text: String,
        range: Range<usize>,
    },
    Comment {
        text: String,
        range: Range<usize>,
    },
}

#[derive(Debug)]
pub(crate) struct Element {
    /// In lower case.
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// From its first tag to its last.
    pub(crate) range: Range<usize>,
    /// The index of its `Close`; its own index for an element that has none.
    pub(crate) close: usize,
    /// The page itself closed it.
    pub(crate) closed: bool,
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn classes(&self) -> impl Iterator<Item = &str> {
        self.get("class").unwrap_or_default().split_whitespace()
    }
}

const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// Elements before which an open paragraph ends.
const ENDS_PARAGRAPH: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "div",
    "dl",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

/// What an element closes that is open right around it.
fn implied(name: &str) -> &'static [&'static str] {
    match name {
        "li" => &["li", "p"],
        "dt" | "dd" => &["dt", "dd", "p"],
        "td" | "th" => &["td", "th", "p"],
        "tr" | "tbody" | "tfoot" => &["tr", "td", "th", "p", "thead", "tbody"],
        "option" => &["option"],
        _ if ENDS_PARAGRAPH.contains(&name) => &["p"],
        _ => &[],
    }
}

pub(crate) fn read(text: &str, place: Range<usize>) -> Vec<Event> {
    let Some(source) = text.get(place.clone()) else { return Vec::new() };
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut balance = Balance::default();
    let at = |span: Span<usize>| {
        let limit = |offset: usize| (place.start + offset).min(place.end);
        floor(text, limit(span.start))..floor(text, limit(span.end.max(span.start)))
    };
    for token in Tokenizer::new_with_emitter(source, emitter).flatten() {
        match token {
            Token::StartTag(tag) => {
                let attributes =
                    tag.attributes.iter().map(|(name, value)| (string(name), string(&value.value))).collect();
                balance.open(string(&tag.name), attributes, tag.self_closing, at(tag.span));
            }
            Token::EndTag(tag) => balance.close(&string(&tag.name), at(tag.span)),
            Token::String(text) => {
                balance.events.push(Event::Text { range: at(text.span), text: string(&text.value) })
            }
            Token::Comment(text) => {
                balance.events.push(Event::Comment { range: at(text.span), text: string(&text.value) });
            }
            Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    balance.finish(place.end)
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[derive(Debug, Default)]
struct Balance {
    events: Vec<Event>,
    /// Indexes of the open elements.
    open: Vec<usize>,
    /// How often each name is open, so that an end tag without a start is told at once.
    names: HashMap<String, usize>,
}

impl Balance {
    fn open(
        &mut self,
        name: String,
        attributes: Vec<(String, String)>,
        self_closing: bool,
        range: Range<usize>,
    ) {
        let closes = implied(&name);
        while self.innermost().is_some_and(|inner| closes.contains(&inner)) {
            self.pop(range.start, false);
        }
        let index = self.events.len();
        let void = self_closing || VOID.contains(&name.as_str());
        if !void {
            self.open.push(index);
            *self.names.entry(name.clone()).or_default() += 1;
        }
        self.events.push(Event::Open(Element {
            name,
            attributes,
            range: range.clone(),
            close: index,
            closed: void,
        }));
    }

    fn innermost(&self) -> Option<&str> {
        match self.events.get(*self.open.last()?) {
            Some(Event::Open(element)) => Some(&element.name),
            _ => None,
        }
    }

    fn close(&mut self, name: &str, range: Range<usize>) {
        if self.names.get(name).is_none_or(|open| *open == 0) {
            return;
        }
        while let Some(inner) = self.innermost() {
            let found = inner == name;
            self.pop(if found { range.end } else { range.start }, found);
            if found {
                return;
            }
        }
    }

    fn pop(&mut self, end: usize, closed: bool) {
        let Some(index) = self.open.pop() else { return };
        let close = self.events.len();
        if let Some(Event::Open(element)) = self.events.get_mut(index) {
            element.close = close;
            element.closed = closed;
            element.range.end = end.max(element.range.end);
            if let Some(count) = self.names.get_mut(&element.name) {
                *count = count.saturating_sub(1);
            }
        }
        self.events.push(Event::Close(index));
    }

    fn finish(mut self, end: usize) -> Vec<Event> {
        while !self.open.is_empty() {
            self.pop(end, false);
        }
        self.events
    }
}
