//! Markdown: the events of the parser become blocks. What other tools add to Markdown (tabs, admonitions, shortcodes, components)
//! was made into marks before, see [`marks`].

mod info;
mod marks;
mod settle;
mod syntax;

use std::ops::Range;

use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::builder::{Builder, ranges_mut};
use crate::document::{BlockKind, Cell, Code, CodeStyle, Container, Document, Form, InlineKind};
use crate::front_matter;
use crate::inlines::Rendered;

pub(crate) fn read(text: String, form: Form) -> Document {
    let front_matter = front_matter::read(&text);
    let body = front_matter.as_ref().map_or(0, |matter| matter.range.end);
    let prepared = marks::prepare(&text, body..text.len());
    let mut reader = Reader { text: &prepared.view.text, ..Reader::new() };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST;
    for (event, range) in Parser::new_ext(&prepared.view.text, options).into_offset_iter() {
        reader.event(event, range);
    }
    reader.flush();
    let mut builder = reader.builder;
    prepared.settle(&mut builder);
    for section in builder.sections_mut() {
        if let Some(heading) = &mut section.heading {
            heading.range = prepared.view.source_range(&heading.range);
            for one in &mut heading.inline {
                one.range = prepared.view.source_range(&one.range);
            }
        }
        for range in section.blocks.iter_mut().flat_map(ranges_mut) {
            *range = prepared.view.source_range(range);
        }
    }
    builder.finish(form, text, front_matter)
}

#[derive(Debug, Default)]
struct Reader<'t> {
    text: &'t str,
    builder: Builder,
    /// The prose that is being read, and where it stands.
    prose: Option<(Rendered, Range<usize>)>,
    /// Where links and strong stretches began in the prose, with a link's target.
    open: Vec<(usize, usize, Option<String>)>,
    /// Inside images, whose alternative text is no text of the page.
    images: usize,
    code: Option<(Code, Range<usize>)>,
    table: Option<(Vec<Vec<Cell>>, Range<usize>)>,
    /// Open lists: their id, whether they are ordered, the number of the next item.
    lists: Vec<(u32, bool, u64)>,
    heading: Option<u32>,
    /// The tag whose content nobody sees, and how often it is open.
    hidden: Option<(String, usize)>,
    /// Open `<code>` in a line: where it began in the prose and in the source.
    code_tag: Option<(usize, usize)>,
    html: Option<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn new() -> Self {
        Self::default()
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            _ if self.is_hidden(&event) => {}
            Event::Text(text) => match (&mut self.code, &mut self.html) {
                (Some((code, _)), _) => add_code(code, &text, range, self.text),
                (None, Some(place)) => place.end = place.end.max(range.end),
                (None, None) => self.text(&text, range),
            },
            Event::Code(code) if self.images == 0 => {
                let inner = inner_code(self.text, &range);
                self.prose_at(range).code(&code, inner);
            }
            Event::Html(_) => {
                let place = self.html.get_or_insert(range.clone());
                place.end = place.end.max(range.end);
            }
            // Where a line of the source ends means nothing.
            Event::SoftBreak => self.text(" ", range),
            Event::HardBreak => self.text("\n", range),
            Event::Rule => self.flush(),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, range),
            Event::InlineHtml(tag) => self.inline_html(&tag, range),
            Event::Code(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {}
            Tag::Strong => self.begin(range, None),
            Tag::Link { dest_url, .. } => self.begin(range, Some(dest_url.into_string())),
            Tag::Image { .. } => self.images += 1,
            Tag::TableHead | Tag::TableRow => {
                if let Some((rows, _)) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.prose = Some((Rendered::default(), range)),
            Tag::Table(_) => {
                self.flush();
                self.table = Some((Vec::new(), range));
            }
            Tag::Heading { level, .. } => {
                self.flush();
                self.heading = Some(level_number(level));
                self.prose = Some((Rendered::default(), range));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.code = Some((code_of(&kind), range));
            }
            Tag::HtmlBlock => {
                self.flush();
                self.html = Some(range);
            }
            Tag::BlockQuote(kind) => {
                self.flush();
                self.builder.open(quote(kind));
            }
            Tag::List(first) => {
                self.flush();
                let id = self.builder.new_list();
                self.lists.push((id, first.is_some(), first.unwrap_or(1)));
            }
            Tag::Item => {
                self.flush();
                let (list, ordered, number) = self.lists.last().copied().unwrap_or_default();
                if let Some(last) = self.lists.last_mut() {
                    last.2 += 1;
                }
                self.builder.open(Container::Item {
                    ordered,
                    number: u32::try_from(number).unwrap_or(u32::MAX),
                    list,
                });
            }
            Tag::Paragraph
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => self.flush(),
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Subscript => {}
            TagEnd::Strong | TagEnd::Link => self.finish_stretch(),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::TableCell => {
                let cell = self.prose.take();
                self.open.clear();
                if let (Some((rendered, range)), Some((rows, _))) = (cell, &mut self.table) {
                    let Rendered { text, inline } = rendered.trimmed();
                    if let Some(row) = rows.last_mut() {
                        row.push(Cell { text, inline, range });
                    }
                }
            }
            TagEnd::Table => {
                if let Some((rows, range)) = self.table.take() {
                    self.builder.block(BlockKind::Table { header: true, rows }, range);
                }
            }
            TagEnd::Heading(_) => {
                self.open.clear();
                if let (Some(level), Some((rendered, _))) = (self.heading.take(), self.prose.take()) {
                    self.builder.heading(level, rendered, range);
                }
            }
            TagEnd::CodeBlock => {
                if let Some((mut code, range)) = self.code.take() {
                    // Between fences blank lines at the end are of the code; behind an indented block they are of the page.
                    code.text.truncate(code.text.strip_suffix('\n').unwrap_or(&code.text).len());
                    if code.style == CodeStyle::Indented {
                        code.text.truncate(code.text.trim_end_matches('\n').len());
                    }
                    let lines = if code.text.is_empty() { 0 } else { code.text.matches('\n').count() + 1 };
                    code.lines.truncate(lines);
                    if code.style == CodeStyle::Fenced || !code.text.trim().is_empty() {
                        self.builder.block(BlockKind::Code(code), range);
                    }
                }
            }
            TagEnd::HtmlBlock => self.flush(),
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.builder.close();
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Paragraph
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => self.flush(),
        }
    }

    fn is_hidden(&self, event: &Event<'_>) -> bool {
        self.hidden.is_some()
            && matches!(event, Event::Text(_) | Event::Code(_) | Event::SoftBreak | Event::HardBreak)
    }

    /// A tag of HTML inside a line.
    fn inline_html(&mut self, tag: &str, range: Range<usize>) {
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        let closes = inner.starts_with('/');
        let name: String =
            inner.trim_start_matches('/').chars().take_while(|c| c.is_alphanumeric()).collect();
        let name = name.to_ascii_lowercase();
        if let Some((hidden, count)) = &mut self.hidden {
            if *hidden == name && closes {
                *count -= 1;
            } else if *hidden == name {
                *count += 1;
            }
            if *count == 0 {
                self.hidden = None;
            }
            return;
        }
        match name.as_str() {
            "br" => self.text("\n", range),
            _ if !closes
                && !inner.ends_with('/')
                && (syntax::is_hidden(inner) || matches!(name.as_str(), "script" | "style" | "template")) =>
            {
                self.hidden = Some((name, 1));
            }
            "code" | "kbd" | "tt" | "samp" => match self.code_tag.take() {
                Some((at, start)) if closes => {
                    if let Some((rendered, _)) = &mut self.prose {
                        rendered.mark(InlineKind::Code, at, start..range.start);
                    }
                }
                _ if !closes => {
                    let end = range.end;
                    self.code_tag = Some((self.prose_at(range).text.len(), end));
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.images == 0 {
            self.prose_at(range).text.push_str(text);
        }
    }

    fn prose_at(&mut self, range: Range<usize>) -> &mut Rendered {
        let (rendered, place) = self.prose.get_or_insert_with(|| (Rendered::default(), range.clone()));
        place.end = place.end.max(range.end);
        rendered
    }

    fn begin(&mut self, range: Range<usize>, target: Option<String>) {
        let at = self.prose_at(range.clone()).text.len();
        // Its end is known here already; it is found again when the stretch ends.
        self.open.push((at, range.start, target));
        if let Some((_, place)) = &mut self.prose {
            place.end = place.end.max(range.end);
        }
    }

    fn finish_stretch(&mut self) {
        let Some((at, start, target)) = self.open.pop() else { return };
        if let Some((rendered, place)) = &mut self.prose {
            let kind = target.map_or(InlineKind::Strong, |target| InlineKind::Link { target });
            let end = place.end;
            rendered.mark(kind, at, start..end);
        }
    }

    /// What was read so far is a block.
    fn flush(&mut self) {
        self.open.clear();
        self.hidden = None;
        self.code_tag = None;
        if let Some(range) = self.html.take() {
            // The parser's text has no marks of quotes and lists in it, the source has: so it is read from there.
            let builder = std::mem::take(&mut self.builder);
            self.builder = crate::html::fragment(self.text, range, builder);
        }
        if let Some((rendered, range)) = self.prose.take() {
            self.builder.prose(rendered, range);
        }
    }
}

fn level_number(level: HeadingLevel) -> u32 {
    level as u32
}

fn quote(kind: Option<BlockQuoteKind>) -> Container {
    let kind = match kind {
        None => return Container::Quote,
        Some(BlockQuoteKind::Note) => "note",
        Some(BlockQuoteKind::Tip) => "tip",
        Some(BlockQuoteKind::Important) => "important",
        Some(BlockQuoteKind::Warning) => "warning",
        Some(BlockQuoteKind::Caution) => "caution",
    };
    Container::Admonition { kind: kind.to_owned(), title: None }
}

fn code_of(kind: &CodeBlockKind<'_>) -> Code {
    match kind {
        CodeBlockKind::Indented => Code::new(CodeStyle::Indented),
        CodeBlockKind::Fenced(info) => {
            let info = info::read(info);
            Code {
                language: info.language,
                title: info.title,
                attributes: info.attributes,
                ..Code::new(CodeStyle::Fenced)
            }
        }
    }
}

/// One event of a code block may be many lines, or a part of one.
fn add_code(code: &mut Code, text: &str, range: Range<usize>, source: &str) {
    let verbatim = source.get(range.clone()) == Some(text);
    let goes_on = !code.text.is_empty() && !code.text.ends_with('\n');
    code.text.push_str(text);
    let mut start = range.start;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let place = if verbatim { start..start + bare.len() } else { range.clone() };
        start += line.len();
        match code.lines.last_mut() {
            Some(last) if index == 0 && goes_on => last.end = place.end,
            _ => code.lines.push(place),
        }
    }
}

/// Without the backticks and the one space that may stand inside each.
fn inner_code(source: &str, range: &Range<usize>) -> Range<usize> {
    let Some(text) = source.get(range.clone()) else { return range.clone() };
    let ticks = text.len() - text.trim_start_matches('`').len();
    let Some(inner) = text.get(ticks..text.len().saturating_sub(ticks)) else { return range.clone() };
    let start = range.start + ticks + (inner.len() - inner.trim_start().len());
    start..(start + inner.trim().len()).max(start)
}
