//! HTML, as a page of its own and inside Markdown: its text becomes blocks. What is hidden, programs and navigation never do.

mod code;
pub(crate) mod events;
mod parts;
mod tabs;

use std::ops::Range;

use crate::builder::Builder;
use crate::document::{BlockKind, Cell, Container, Document, Form, InlineKind};
use crate::inlines::Rendered;
use events::{Element, Event};
use tabs::{Tabs, text_of};

pub(crate) fn read(text: String) -> Document {
    let events = events::read(&text, 0..text.len());
    let main = parts::main(&events);
    let mut reader = Reader::new(&text, &events, Builder::default(), main.is_none());
    reader.builder.title = events.iter().enumerate().find_map(|(index, event)| match event {
        Event::Open(element) if element.name == "title" => Some(text_of(&events[index..element.close])),
        _ => None,
    });
    reader.walk(main.unwrap_or(0..events.len()));
    let mut builder = reader.builder;
    if builder.sections_mut().len() > 1 {
        // A heading says better what a page is than its title, which names the site too.
        builder.title = None;
    }
    builder.finish(Form::Html, text, None)
}

/// HTML that stands in a page of another form.
pub(crate) fn fragment(text: &str, range: Range<usize>, builder: Builder) -> Builder {
    let events = events::read(text, range);
    let mut reader = Reader::new(text, &events, builder, false);
    reader.walk(0..events.len());
    reader.builder
}

struct Reader<'t> {
    text: &'t str,
    events: &'t [Event],
    builder: Builder,
    whole_page: bool,
    /// Inside a heading or a cell, where all is one text.
    nested: bool,
    prose: Option<(Rendered, Range<usize>)>,
    /// Where inline elements began in the prose: event, offset.
    stretches: Vec<(usize, usize)>,
    lists: Vec<(u32, bool, u32)>,
    /// Tables that are being read; None for one that only lays out.
    tables: Vec<Option<Vec<Vec<Cell>>>>,
    /// What each open block element has to take back.
    depths: Vec<(usize, usize)>,
    tabs: Tabs,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, events: &'t [Event], builder: Builder, whole_page: bool) -> Self {
        Self {
            text,
            events,
            builder,
            whole_page,
            nested: false,
            prose: None,
            stretches: Vec::new(),
            lists: Vec::new(),
            tables: Vec::new(),
            depths: Vec::new(),
            tabs: Tabs::default(),
        }
    }

    fn walk(&mut self, range: Range<usize>) {
        let mut index = range.start;
        while index < range.end {
            let Some(event) = self.events.get(index) else { break };
            index = match event {
                Event::Open(element) => self.open(index, element).max(index + 1),
                Event::Close(open) => {
                    self.close(*open);
                    index + 1
                }
                Event::Text { text, range } => {
                    self.words(text, range);
                    index + 1
                }
                Event::Comment { text, range } => {
                    if self.prose.is_none() {
                        self.builder
                            .block(BlockKind::Comment { text: text.trim().to_owned() }, range.clone());
                    }
                    index + 1
                }
            };
        }
        self.flush();
    }

    /// Answers where to go on.
    fn open(&mut self, index: usize, element: &'t Element) -> usize {
        let inside = index + 1..element.close.max(index + 1);
        if tabs::is_label(element) {
            self.flush();
            self.tabs.label(element, text_of(&self.events[inside]));
            return element.close + 1;
        }
        match parts::passed(element, self.whole_page) {
            Some(parts::Passed::Hidden) => return element.close + 1,
            Some(parts::Passed::Furniture) if element.closed => return element.close + 1,
            Some(parts::Passed::Furniture) => return index + 1,
            None => {}
        }
        let depth = self.builder.depth();
        match element.name.as_str() {
            "br" => self.line_break(element),
            "hr" => self.flush(),
            "img" | "wbr" => {}
            "pre" | "listing" | "xmp" => {
                self.flush();
                let block = code::read(self.text, self.events, index, element);
                self.builder.block(BlockKind::Code(block), element.range.clone());
                return element.close + 1;
            }
            "code" | "tt" | "kbd" | "samp" => {
                // A block of code without `pre` around it has line ends in it.
                if code::is_block(self.events, inside.clone()) {
                    self.flush();
                    let block = code::read(self.text, self.events, index, element);
                    self.builder.block(BlockKind::Code(block), element.range.clone());
                } else {
                    self.code(&inside, element);
                }
                return element.close + 1;
            }
            "a" | "b" | "strong" => {
                let at = self.prose_at(element.range.start).text.len();
                self.stretches.push((index, at));
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !self.nested => {
                self.flush();
                let level = element.name[1..].parse().unwrap_or(6);
                let rendered = self.rendered(inside);
                self.builder.heading(level, rendered, element.range.clone());
                return element.close + 1;
            }
            "table" => {
                self.flush();
                let layout = self.events[inside].iter().any(
                    |event| matches!(event, Event::Open(inner) if matches!(inner.name.as_str(), "pre" | "table" | "h1" | "h2")),
                );
                self.tables.push((!layout && !self.nested).then(Vec::new));
            }
            "tr" => {
                self.flush();
                if let Some(Some(rows)) = self.tables.last_mut() {
                    rows.push(Vec::new());
                }
            }
            "td" | "th" if matches!(self.tables.last(), Some(Some(_))) => {
                let Rendered { text, inline } = self.rendered(inside);
                if let Some(Some(rows)) = self.tables.last_mut() {
                    if rows.is_empty() {
                        rows.push(Vec::new());
                    }
                    if let Some(row) = rows.last_mut() {
                        row.push(Cell { text, inline, range: element.range.clone() });
                    }
                }
                return element.close + 1;
            }
            "ul" | "ol" => {
                self.flush();
                let id = self.builder.new_list();
                let first = element.get("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.lists.push((id, element.name == "ol", first));
            }
            "li" => {
                self.flush();
                if let Some((list, ordered, number)) = self.lists.last_mut() {
                    self.builder.open(Container::Item { ordered: *ordered, number: *number, list: *list });
                    *number = number.saturating_add(1);
                }
            }
            "blockquote" => {
                self.flush();
                self.builder.open(Container::Quote);
            }
            "details" => {
                self.flush();
                self.builder.open(Container::Details { summary: self.summary(inside) });
            }
            "summary" => return element.close + 1,
            _ if tabs::is_panel(element) => {
                self.flush();
                let (group, label) = self.tabs.panel(element, || self.builder.new_group());
                self.builder.open(Container::Tab { group, label });
            }
            name if is_inline(name) => {}
            _ => {
                self.flush();
                if let Some(container) = admonition(element) {
                    self.builder.open(container);
                }
            }
        }
        if element.close > index {
            self.depths.push((index, depth));
        }
        index + 1
    }

    fn close(&mut self, open: usize) {
        let Some(Event::Open(element)) = self.events.get(open) else { return };
        let stretch = matches!(element.name.as_str(), "a" | "b" | "strong");
        let begun = || self.stretches.iter().rposition(|(event, _)| *event == open);
        if let Some(position) = stretch.then(begun).flatten() {
            let (_, at) = self.stretches.remove(position);
            if let Some((rendered, _)) = &mut self.prose {
                let kind = match element.get("href") {
                    Some(target) => InlineKind::Link { target: target.to_owned() },
                    None => InlineKind::Strong,
                };
                if element.name != "a" || element.get("href").is_some() {
                    rendered.mark(kind, at, element.range.clone());
                }
            }
        }
        match element.name.as_str() {
            "table" => {
                self.flush();
                if let Some(Some(mut rows)) = self.tables.pop() {
                    rows.retain(|row| row.iter().any(|cell| !cell.text.is_empty()));
                    if !rows.is_empty() {
                        let inside = &self.events[open..element.close];
                        let header =
                            inside.iter().any(|event| matches!(event, Event::Open(one) if one.name == "th"));
                        self.builder.block(BlockKind::Table { header, rows }, element.range.clone());
                    }
                }
            }
            "ul" | "ol" => {
                self.flush();
                self.lists.pop();
            }
            name if is_inline(name) => {}
            _ => self.flush(),
        }
        while let Some((event, depth)) = self.depths.last().copied().filter(|(event, _)| *event >= open) {
            self.depths.pop();
            if event == open {
                self.builder.close_to(depth);
            }
        }
    }

    fn words(&mut self, text: &str, range: &Range<usize>) {
        if text.trim().is_empty() && self.prose.is_none() {
            return;
        }
        let rendered = &mut self.prose_at(range.start).text;
        collapse(rendered, text);
        if let Some((_, place)) = &mut self.prose {
            place.end = place.end.max(range.end);
        }
    }

    fn line_break(&mut self, element: &Element) {
        if let Some((rendered, place)) = &mut self.prose {
            let kept = rendered.text.trim_end_matches(' ').len();
            rendered.text.truncate(kept);
            rendered.text.push('\n');
            place.end = place.end.max(element.range.end);
        }
    }

    fn code(&mut self, inside: &Range<usize>, element: &Element) {
        let code = text_of(&self.events[inside.clone()]);
        let places = self.events[inside.clone()].iter().filter_map(|event| match event {
            Event::Text { range, .. } => Some(range.clone()),
            _ => None,
        });
        let place = places.reduce(|all, one| all.start..one.end).unwrap_or(element.range.clone());
        if code.is_empty() {
            return;
        }
        self.prose_at(element.range.start).code(&code, place);
        if let Some((_, prose)) = &mut self.prose {
            prose.end = prose.end.max(element.range.end);
        }
    }

    fn prose_at(&mut self, start: usize) -> &mut Rendered {
        &mut self.prose.get_or_insert_with(|| (Rendered::default(), start..start)).0
    }

    /// The prose of events that make one text, such as a heading's or a cell's.
    fn rendered(&mut self, inside: Range<usize>) -> Rendered {
        let mut inner = Reader::new(self.text, self.events, Builder::default(), false);
        inner.nested = true;
        inner.walk(inside);
        let mut all = Rendered::default();
        for section in inner.builder.sections_mut() {
            for block in &mut section.blocks {
                if let BlockKind::Prose { text, inline } = &mut block.kind {
                    if !all.text.is_empty() {
                        all.text.push('\n');
                    }
                    let base = all.text.len();
                    all.text.push_str(text);
                    all.inline.extend(inline.drain(..).map(|mut one| {
                        one.at += base;
                        one
                    }));
                }
            }
        }
        all
    }

    fn summary(&self, inside: Range<usize>) -> String {
        let found =
            self.events[inside.clone()].iter().zip(inside).take(8).find_map(|(event, index)| match event {
                Event::Open(element) if element.name == "summary" => Some(index..element.close),
                _ => None,
            });
        found.map(|range| text_of(&self.events[range])).unwrap_or_default()
    }

    fn flush(&mut self) {
        self.stretches.clear();
        if let Some((rendered, range)) = self.prose.take() {
            self.builder.prose(rendered, range);
        }
    }
}

/// Adds words with single spaces between them, as a browser shows them.
fn collapse(rendered: &mut String, text: &str) {
    let mut space = rendered.is_empty() || rendered.ends_with([' ', '\n']);
    for c in text.chars() {
        let white = c.is_whitespace();
        if !white {
            rendered.push(c);
        } else if !space {
            rendered.push(' ');
        }
        space = white;
    }
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "q"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
            | "br"
    )
}

/// A box with a title, as site generators write them.
fn admonition(element: &Element) -> Option<Container> {
    const BOXES: &[&str] =
        &["admonition", "alert", "callout", "theme-admonition", "custom-block", "hint", "admonitionblock"];
    let classes: Vec<&str> = element.classes().collect();
    if element.name != "div" && element.name != "aside" && element.name != "section" {
        return None;
    }
    if !classes.iter().any(|class| BOXES.contains(class)) {
        return None;
    }
    let kind = classes
        .iter()
        .find_map(|class| crate::words::admonition(class.rsplit(['-', '_']).next().unwrap_or(class)));
    Some(Container::Admonition { kind: kind.unwrap_or("note").to_owned(), title: None })
}
