//! Org, read line by line: headings by stars, blocks between `#+BEGIN` and `#+END`, lists by indentation.

use crate::builder::Builder;
use crate::document::{BlockKind, Cell, CodeStyle, Container, Document, Form, InlineKind};
use crate::inlines::Rendered;
use crate::lines::{Line, lines};
use crate::spans::{Kind, Notation, Special, address, pair};
use crate::{spans, verbatim, words};

const NOTATION: Notation = Notation {
    pairs: &[
        pair("=", "=", Kind::Code),
        pair("~", "~", Kind::Code),
        pair("*", "*", Kind::Strong),
        pair("/", "/", Kind::Plain),
        pair("_", "_", Kind::Plain),
    ],
    starts: b"[h",
    special,
};

/// `[[target][text]]` and bare addresses.
fn special(text: &str) -> Option<Special> {
    if let Some(inner) = text.strip_prefix("[[") {
        let end = inner.find("]]").filter(|end| *end < 1000)?;
        let (target, shown) = match inner[..end].split_once("][") {
            Some((target, label)) => (target, 2 + target.len() + 2..2 + target.len() + 2 + label.len()),
            None => (&inner[..end], 2..2 + end),
        };
        return Some(Special {
            length: end + 4,
            shown,
            kind: Some(InlineKind::Link { target: target.to_owned() }),
        });
    }
    let length = address(text)?;
    Some(Special {
        length,
        shown: 0..length,
        kind: Some(InlineKind::Link { target: text[..length].to_owned() }),
    })
}

pub(crate) fn read(text: String) -> Document {
    let found = lines(&text, 0..text.len());
    let mut reader = Reader { builder: Builder::default(), items: Vec::new() };
    reader.body(&found);
    let builder = reader.builder;
    builder.finish(Form::Org, text, None)
}

struct Reader {
    builder: Builder,
    /// Open items: how far their mark is indented, their list, their number.
    items: Vec<(usize, u32, u32)>,
}

impl Reader {
    fn body(&mut self, lines: &[Line<'_>]) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let text = line.trimmed();
            if text.is_empty() {
                at += 1;
                continue;
            }
            self.leave(line.indent(), item(text).is_some());
            at = if let Some(level) = stars(line.text) {
                self.leave(0, false);
                let (rendered, _) = spans::paragraph(&[title(line, level as usize)], &NOTATION);
                self.builder.heading(level, rendered, line.range());
                at + 1
            } else if let Some(rest) =
                text.get(..2).filter(|start| *start == "#+").and_then(|_| text.get(2..))
            {
                self.keyword(lines, at, rest)
            } else if text == "#" || text.starts_with("# ") {
                let comment = text.trim_start_matches('#').trim().to_owned();
                self.builder.block(BlockKind::Comment { text: comment }, line.range());
                at + 1
            } else if drawer(text) {
                let end = lines
                    .iter()
                    .skip(at)
                    .take(200)
                    .position(|line| line.trimmed().eq_ignore_ascii_case(":end:"));
                at + end.map_or(1, |end| end + 1)
            } else if text == ":" || text.starts_with(": ") {
                let end = run(lines, at, |text| text == ":" || text.starts_with(": "));
                let bare: Vec<Line<'_>> = lines[at..end].iter().map(literal).collect();
                self.code(&bare, CodeStyle::Literal, None, line.start);
                end
            } else if text.starts_with('|') {
                let end = run(lines, at, |text| text.starts_with('|'));
                self.table(&lines[at..end]);
                end
            } else if let Some((ordered, width)) = item(text) {
                let indent = line.indent();
                let list = match self.items.last() {
                    Some((known, list, number)) if *known == indent => {
                        let next = (*list, number + 1);
                        self.items.pop();
                        self.builder.close();
                        next
                    }
                    _ => (self.builder.new_list(), 1),
                };
                self.items.push((indent, list.0, list.1));
                self.builder.open(Container::Item { ordered, number: list.1, list: list.0 });
                let end = paragraph_end(lines, at);
                let skip = line.text.len() - line.text.trim_start().len() + width;
                let mut words = vec![Line { text: &line.text[skip..], start: line.start + skip }];
                words.extend_from_slice(&lines[at + 1..end]);
                self.prose(&words);
                end
            } else {
                let end = paragraph_end(lines, at);
                self.prose(&lines[at..end]);
                end
            };
        }
    }

    /// Items end where a line is indented no more than their mark.
    fn leave(&mut self, indent: usize, item: bool) {
        while let Some((mark, ..)) = self.items.last() {
            if *mark < indent || (item && *mark == indent) {
                break;
            }
            self.items.pop();
            self.builder.close();
        }
    }

    fn prose(&mut self, lines: &[Line<'_>]) {
        let (rendered, range) = spans::paragraph(lines, &NOTATION);
        self.builder.prose(rendered, range);
    }

    fn code(&mut self, lines: &[Line<'_>], style: CodeStyle, arguments: Option<&str>, start: usize) {
        let language = arguments.and_then(|arguments| arguments.split_whitespace().next());
        if let Some((mut code, range)) = verbatim::code(lines, style, language) {
            let words: Vec<&str> = arguments.unwrap_or_default().split_whitespace().skip(1).collect();
            for pair in words.windows(2).filter(|pair| pair[0].starts_with(':')) {
                code.attributes.push((pair[0][1..].to_owned(), pair[1].to_owned()));
            }
            code.title =
                code.attributes.iter().find(|(key, _)| key == "tangle").map(|(_, file)| file.clone());
            code.title = code.title.filter(|file| file != "no" && file != "yes");
            self.builder.block(BlockKind::Code(code), start.min(range.start)..range.end);
        }
    }

    /// `#+NAME: value` and the blocks.
    fn keyword(&mut self, lines: &[Line<'_>], at: usize, rest: &str) -> usize {
        let lower = rest.to_ascii_lowercase();
        if lower.starts_with("title:") {
            self.builder.title = Some(rest[6..].trim().to_owned());
        }
        let Some(block) = lower.strip_prefix("begin_") else { return at + 1 };
        let kind = block.split_whitespace().next().unwrap_or_default().to_owned();
        let arguments = rest.get(6 + kind.len()..).unwrap_or_default().trim();
        let end_mark = format!("#+end_{kind}");
        let end = (at + 1..lines.len())
            .find(|next| lines[*next].trimmed().to_ascii_lowercase().starts_with(&end_mark));
        let end = end.unwrap_or(lines.len());
        let inside = &lines[at + 1..end];
        match kind.as_str() {
            "src" => self.code(inside, CodeStyle::Directive, Some(arguments), lines[at].start),
            "example" => self.code(inside, CodeStyle::Literal, None, lines[at].start),
            "comment" | "export" => {
                let text: Vec<&str> = inside.iter().map(Line::trimmed).collect();
                let place = lines[at].start..inside.last().map_or(lines[at].end(), Line::end);
                self.builder.block(BlockKind::Comment { text: text.join("\n") }, place);
            }
            _ => {
                let container = words::admonition(&kind).map_or(Container::Quote, |kind| {
                    Container::Admonition { kind: kind.to_owned(), title: None }
                });
                self.builder.open(container);
                let paragraphs = inside.split(Line::is_blank).filter(|part| !part.is_empty());
                for part in paragraphs {
                    self.prose(part);
                }
                self.builder.close();
            }
        }
        (end + 1).min(lines.len())
    }

    fn table(&mut self, lines: &[Line<'_>]) {
        let mut rows = Vec::new();
        for line in lines.iter().filter(|line| !line.trimmed().starts_with("|-")) {
            let bars: Vec<usize> = line.text.match_indices('|').map(|(bar, _)| bar).collect();
            let cells = bars.windows(2).map(|pair| {
                let inner = Line { text: &line.text[pair[0] + 1..pair[1]], start: line.start + pair[0] + 1 };
                let (rendered, range) = spans::paragraph(&[inner], &NOTATION);
                let Rendered { text, inline } = rendered.trimmed();
                Cell { text, inline, range }
            });
            rows.push(cells.collect::<Vec<_>>());
        }
        let header = lines.get(1).is_some_and(|line| line.trimmed().starts_with("|-"));
        let place = lines.first().map_or(0, |line| line.start)..lines.last().map_or(0, Line::end);
        self.builder.block(BlockKind::Table { header, rows }, place);
    }
}

fn stars(text: &str) -> Option<u32> {
    let level = text.len() - text.trim_start_matches('*').len();
    (level > 0 && text[level..].starts_with(' ')).then(|| u32::try_from(level).unwrap_or(u32::MAX))
}

/// A heading's text without its state and tags.
fn title<'t>(line: &Line<'t>, level: usize) -> Line<'t> {
    let mut text = line.text[level..].trim_start();
    for state in ["TODO ", "DONE "] {
        text = text.strip_prefix(state).unwrap_or(text);
    }
    let start = line.start + line.text.len() - text.len();
    let text = match text.trim_end().rsplit_once(" :") {
        Some((before, tags)) if tags.ends_with(':') && !tags.contains(' ') => before,
        _ => text,
    };
    Line { text, start }
}

fn drawer(text: &str) -> bool {
    text.len() > 2
        && text.starts_with(':')
        && text.ends_with(':')
        && text[1..text.len() - 1].chars().all(char::is_alphabetic)
}

fn literal<'t>(line: &Line<'t>) -> Line<'t> {
    let skip = line.text.len() - line.text.trim_start().len() + 1;
    let skip = if line.text[skip..].starts_with(' ') { skip + 1 } else { skip };
    Line { text: &line.text[skip..], start: line.start + skip }
}

fn run(lines: &[Line<'_>], from: usize, goes_on: impl Fn(&str) -> bool) -> usize {
    (from..lines.len()).find(|at| !goes_on(lines[*at].trimmed())).unwrap_or(lines.len())
}

fn paragraph_end(lines: &[Line<'_>], from: usize) -> usize {
    let stops = |at: &usize| {
        let text = lines[*at].trimmed();
        text.is_empty()
            || stars(lines[*at].text).is_some()
            || text.starts_with("#+")
            || text.starts_with(": ")
            || text.starts_with('|')
            || item(text).is_some()
    };
    (from + 1..lines.len()).find(stops).unwrap_or(lines.len())
}

fn item(text: &str) -> Option<(bool, usize)> {
    let end = text.find(' ')?;
    let mark = &text[..end];
    let number =
        mark.strip_suffix(['.', ')']).is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    (matches!(mark, "-" | "+") || number).then_some((number, end + 1))
}
