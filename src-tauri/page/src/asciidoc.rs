//! AsciiDoc, read line by line: titles, attributes in brackets, delimited blocks, lists with what is attached to them.

use crate::builder::{Builder, DEEPEST};
use crate::document::{BlockKind, Cell, CodeStyle, Container, Document, Form, InlineKind};
use crate::inlines::Rendered;
use crate::lines::{Line, lines};
use crate::spans::{Kind, Notation, Special, address, pair};
use crate::{front_matter, spans, verbatim, words};

const NOTATION: Notation = Notation {
    pairs: &[
        pair("`+", "+`", Kind::Code),
        pair("``", "``", Kind::Code),
        pair("`", "`", Kind::Code),
        pair("+", "+", Kind::Code),
        pair("**", "**", Kind::Strong),
        pair("*", "*", Kind::Strong),
        pair("_", "_", Kind::Plain),
    ],
    starts: b"hlxikbf<{",
    special,
};

/// `https://a[text]`, `link:a[text]`, `<<anchor,text>>`, `kbd:[Ctrl]`.
fn special(text: &str) -> Option<Special> {
    if let Some(inner) = text.strip_prefix("<<") {
        let end = inner.find(">>").filter(|end| *end < 300)?;
        let label = inner[..end].find(',').map_or(0, |comma| comma + 1);
        return Some(Special { length: end + 4, shown: 2 + label..2 + end, kind: None });
    }
    // `{attribute}/path[label]`: an address that is put together.
    if text.starts_with('{') {
        let open = text.find(['[', ' ', '\n']).filter(|open| text[*open..].starts_with('['))?;
        let end = text[open..].find(']')? + open;
        let kind = Some(InlineKind::Link { target: text[..open].to_owned() });
        return Some(Special { length: end + 1, shown: open + 1..end, kind });
    }
    let macros = ["link:", "xref:", "kbd:", "btn:", "menu:", "footnote:", "image:", "icon:"];
    let named = macros.iter().find(|name| text.starts_with(**name));
    let target = match named {
        Some(name) => {
            name.len() + text[name.len()..].find(['[', ' ', '\n']).filter(|_| text.len() > name.len())?
        }
        None => address(text)?,
    };
    let Some(inner) = text[target..].strip_prefix('[') else {
        let kind = Some(InlineKind::Link { target: text[..target].to_owned() });
        return named.is_none().then_some(Special { length: target, shown: 0..target, kind });
    };
    let end = inner.find(']').filter(|end| *end < 1000)?;
    let shown = target + 1..target + 1 + end;
    let length = shown.end + 1;
    let start = named.map_or(0, |name| name.len());
    Some(match named {
        // Pictures have no text.
        Some(&"image:" | &"icon:" | &"footnote:") => Special { length, shown: length..length, kind: None },
        Some(&"kbd:" | &"btn:" | &"menu:" | &"xref:") => Special { length, shown, kind: None },
        _ => {
            let kind = Some(InlineKind::Link { target: text[start..target].to_owned() });
            let shown = if end == 0 { start..target } else { shown };
            Special { length, shown, kind }
        }
    })
}

pub(crate) fn read(text: String) -> Document {
    let front_matter = front_matter::read(&text);
    let body = front_matter.as_ref().map_or(0, |matter| matter.range.end);
    let found = lines(&text, body..text.len());
    let mut reader = Reader { text: &text, builder: Builder::default(), depth: 0 };
    reader.body(&found);
    let builder = reader.builder;
    builder.finish(Form::AsciiDoc, text, front_matter)
}

struct Reader<'t> {
    text: &'t str,
    builder: Builder,
    depth: usize,
}

/// What stands in brackets and behind a dot above a block.
#[derive(Debug, Default)]
struct Above {
    /// Positional words, in order.
    words: Vec<String>,
    title: Option<String>,
    start: Option<usize>,
}

impl Above {
    fn first(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn language(&self) -> Option<&str> {
        match self.first() {
            "source" | "source%linenums" => self.words.get(1).map(String::as_str),
            "listing" | "literal" | "" => None,
            other => {
                Some(other).filter(|word| word.chars().all(|c| c.is_alphanumeric() || "+-_".contains(c)))
            }
        }
    }
}

impl<'t> Reader<'t> {
    fn body(&mut self, lines: &[Line<'t>]) {
        let mut above = Above::default();
        let mut list: Option<(u32, String, u32)> = None;
        let depth = self.builder.depth();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let text = line.text.trim_end();
            if text.is_empty() {
                at += 1;
                continue;
            }
            if text == "+" {
                // What follows belongs to the item above, which is still open.
                at += 1;
                continue;
            }
            let attached = at > 0 && lines[at - 1].text.trim() == "+";
            let item = item(line.trimmed());
            if list.is_some() && !attached && item.is_none() && (at == 0 || lines[at - 1].is_blank()) {
                self.builder.close_to(depth);
                list = None;
            }
            if self.attributes(text, line, &mut above) {
                at += 1;
                continue;
            }
            let taken = std::mem::take(&mut above);
            at = if let Some(level) = underlined(lines, at) {
                self.builder.close_to(depth);
                list = None;
                let (rendered, _) = spans::paragraph(&[*line], &NOTATION);
                self.builder.heading(level, rendered, line.start..lines[at + 1].end());
                at + 2
            } else if let Some(level) = heading(text) {
                self.builder.close_to(depth);
                list = None;
                let title = Line { text: &line.text[level as usize..], start: line.start + level as usize };
                let (rendered, _) = spans::paragraph(&[title], &NOTATION);
                self.builder.heading(level, rendered, line.range());
                at + 1
            } else if let Some(end) = delimited(lines, at) {
                self.delimited(lines, at, end, taken);
                (end + 1).min(lines.len())
            } else if let Some((ordered, mark, width)) = item {
                self.builder.close_to(depth);
                let (id, number) = match &mut list {
                    Some((id, known, number)) if *known == mark => {
                        *number += 1;
                        (*id, *number)
                    }
                    _ => {
                        let id = self.builder.new_list();
                        list = Some((id, mark.to_owned(), 1));
                        (id, 1)
                    }
                };
                self.builder.open(Container::Item { ordered, number, list: id });
                let end = paragraph_end(lines, at);
                let skip = line.text.len() - line.text.trim_start().len() + width;
                let mut words = vec![Line { text: &line.text[skip..], start: line.start + skip }];
                words.extend_from_slice(&lines[at + 1..end]);
                self.prose(&words);
                end
            } else {
                self.paragraph(lines, at, &taken)
            };
        }
        self.builder.close_to(depth);
    }

    /// Lines that say something of the next block, or nothing that is text. Answers whether this was one.
    fn attributes(&mut self, text: &str, line: &Line<'t>, above: &mut Above) -> bool {
        if text.starts_with("//") && !text.starts_with("////") {
            let comment = text.trim_start_matches('/').trim().to_owned();
            self.builder.block(BlockKind::Comment { text: comment }, line.range());
            return true;
        }
        let macros = [
            "ifdef::",
            "ifndef::",
            "endif::",
            "ifeval::",
            "include::",
            "image::",
            "toc::",
            "'''",
            "<<<",
            "video::",
        ];
        let entry = text.strip_prefix(':').is_some_and(|rest| {
            rest.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.contains(' '))
        });
        if entry || macros.iter().any(|name| text.starts_with(name)) {
            return true;
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let inner = inner.trim_matches(['[', ']']);
            above.words = inner.split(',').map(|word| word.trim().trim_matches('"').to_owned()).collect();
            above.start.get_or_insert(line.start);
            return true;
        }
        let title = text.strip_prefix('.').filter(|rest| !rest.starts_with(['.', ' ']) && !rest.is_empty());
        if let Some(title) = title {
            above.title = Some(title.to_owned());
            above.start.get_or_insert(line.start);
        }
        title.is_some()
    }

    fn paragraph(&mut self, lines: &[Line<'t>], at: usize, above: &Above) -> usize {
        let end = paragraph_end(lines, at);
        let body = &lines[at..end];
        if lines[at].text.starts_with([' ', '\t']) || above.first() == "source" || above.first() == "listing"
        {
            let style = if above.words.is_empty() { CodeStyle::Indented } else { CodeStyle::Directive };
            self.code(body, style, above);
            return end;
        }
        let label =
            body[0].text.split_once(": ").filter(|(label, _)| label.chars().all(|c| c.is_ascii_uppercase()));
        let kind = label.and_then(|(label, _)| words::admonition(label)).or(words::admonition(above.first()));
        match (kind, label) {
            (Some(kind), _) => {
                self.builder
                    .open(Container::Admonition { kind: kind.to_owned(), title: above.title.clone() });
                let skip = label.map_or(0, |(label, _)| label.len() + 2);
                let mut words = vec![Line { text: &body[0].text[skip..], start: body[0].start + skip }];
                words.extend_from_slice(&body[1..]);
                self.prose(&words);
                self.builder.close();
            }
            (None, _) => self.prose(body),
        }
        end
    }

    fn prose(&mut self, lines: &[Line<'t>]) {
        let (rendered, range) = spans::paragraph(lines, &NOTATION);
        self.builder.prose(rendered, range);
    }

    fn code(&mut self, lines: &[Line<'t>], style: CodeStyle, above: &Above) {
        if let Some((mut code, range)) = verbatim::code(lines, style, above.language()) {
            code.title.clone_from(&above.title);
            without_callouts(&mut code.text);
            self.builder
                .block(BlockKind::Code(code), above.start.unwrap_or(range.start).min(range.start)..range.end);
        }
    }

    fn delimited(&mut self, lines: &[Line<'t>], at: usize, end: usize, mut above: Above) {
        let line = lines[at];
        let mark = line.text.trim();
        let inside = &lines[at + 1..end.min(lines.len())];
        above.start.get_or_insert(line.start);
        match mark.as_bytes() {
            b"|===" | b",===" => self.table(inside, line.start),
            [b'`', ..] => {
                let language = mark.trim_start_matches('`').trim();
                if !language.is_empty() {
                    above.words = vec!["source".to_owned(), language.to_owned()];
                }
                self.code(inside, CodeStyle::Fenced, &above);
            }
            [b'-', b'-', b'-', ..] => self.code(inside, CodeStyle::Directive, &above),
            [b'.', ..] => self.code(inside, CodeStyle::Literal, &above),
            [b'/', ..] => {
                let place = inside.first().map_or(line.start, |first| first.start)
                    ..inside.last().map_or(line.end(), Line::end);
                let text = self.text[place.clone()].trim().to_owned();
                self.builder.block(BlockKind::Comment { text }, place);
            }
            [b'+', ..] => {
                if let (Some(first), Some(last)) = (inside.first(), inside.last()) {
                    let builder = std::mem::take(&mut self.builder);
                    self.builder = crate::html::fragment(self.text, first.start..last.end(), builder);
                }
            }
            _ if above.first() == "source" || above.first() == "listing" => {
                self.code(inside, CodeStyle::Directive, &above)
            }
            _ => {
                let kind = words::admonition(above.first()).map(str::to_owned);
                let title = above.title.take();
                let container = match (kind, mark.as_bytes().first()) {
                    (Some(kind), _) => Some(Container::Admonition { kind, title }),
                    (None, Some(b'_')) => Some(Container::Quote),
                    (None, Some(b'*')) => Some(Container::Admonition { kind: "note".to_owned(), title }),
                    (None, _) if above.first().starts_with("%collapsible") => {
                        Some(Container::Details { summary: title.unwrap_or_default() })
                    }
                    (None, _) => None,
                };
                let depth = self.builder.depth();
                if let Some(container) = container {
                    self.builder.open(container);
                }
                if self.depth < DEEPEST {
                    self.depth += 1;
                    self.body(inside);
                    self.depth -= 1;
                } else {
                    self.prose(inside);
                }
                self.builder.close_to(depth);
            }
        }
    }

    fn table(&mut self, lines: &[Line<'t>], start: usize) {
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        let mut header = false;
        let mut columns = 0;
        for (index, line) in lines.iter().enumerate() {
            if line.is_blank() {
                header |= rows.len() == 1;
                continue;
            }
            let mut place = line.start;
            let mut cells = Vec::new();
            for part in line.text.split('|') {
                if place > line.start {
                    let (rendered, range) = spans::paragraph(&[Line { text: part, start: place }], &NOTATION);
                    let Rendered { text, inline } = rendered.trimmed();
                    cells.push(Cell { text, inline, range });
                }
                place += part.len() + 1;
            }
            columns = columns.max(if index == 0 { cells.len() } else { columns });
            match rows.last_mut() {
                // Cells may stand one a line.
                Some(row) if row.len() < columns => row.append(&mut cells),
                _ if !cells.is_empty() => rows.push(cells),
                _ => {}
            }
        }
        if !rows.is_empty() {
            let end = lines.last().map_or(start, Line::end);
            self.builder.block(BlockKind::Table { header, rows }, start..end);
        }
    }
}

fn heading(text: &str) -> Option<u32> {
    let level = text.len() - text.trim_start_matches('=').len();
    let rest = &text[level..];
    ((1..=6).contains(&level) && rest.starts_with(' ') && !rest.trim().is_empty())
        .then(|| u32::try_from(level).unwrap_or(6))
}

/// The level of a title of two lines: a line alone, and one drawn below it that is about as long.
fn underlined(lines: &[Line<'_>], at: usize) -> Option<u32> {
    const SIGNS: [char; 5] = ['=', '-', '~', '^', '+'];
    const SLACK: usize = 2;
    let (title, below) = (lines[at].text.trim_end(), lines.get(at + 1)?.text.trim_end());
    let sign = below.chars().next()?;
    let level = SIGNS.iter().position(|one| *one == sign)?;
    let length = title.chars().count();
    let is_title = !title.starts_with([' ', '\t']) && title.contains(char::is_alphanumeric);
    let fits =
        below.len() >= 2 && below.chars().all(|one| one == sign) && length.abs_diff(below.len()) <= SLACK;
    let stands_alone = at == 0 || lines[at - 1].text.trim().is_empty();
    (is_title && fits && stands_alone).then(|| u32::try_from(level + 1).unwrap_or(6))
}

/// The line that ends the delimited block that begins here, or the end of the text.
fn delimited(lines: &[Line<'_>], at: usize) -> Option<usize> {
    let mark = lines[at].text.trim();
    let fence = mark.starts_with("```") && !mark[3..].contains('`');
    let first = mark.chars().next()?;
    let drawn =
        (mark.len() >= 4 && "-.=*_/+".contains(first) && mark.chars().all(|c| c == first)) || mark == "--";
    if !(drawn || fence || mark == "|===" || mark == ",===") {
        return None;
    }
    let close = if fence { "```" } else { mark };
    Some((at + 1..lines.len()).find(|next| lines[*next].text.trim() == close).unwrap_or(lines.len()))
}

fn paragraph_end(lines: &[Line<'_>], from: usize) -> usize {
    let stops = |at: &usize| {
        let text = lines[*at].text.trim();
        text.is_empty()
            || text.starts_with("//")
            || text == "+"
            || item(text).is_some()
            || delimited_mark(text)
            || (text.starts_with('[') && text.ends_with(']'))
    };
    (from + 1..lines.len()).find(stops).unwrap_or(lines.len())
}

fn delimited_mark(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    text == "|==="
        || text.starts_with("```")
        || (text.len() >= 4 && "-.=*_/+".contains(first) && text.chars().all(|c| c == first))
}

/// Whether an item begins here: ordered, its mark, how wide it is.
fn item(text: &str) -> Option<(bool, &str, usize)> {
    let end = text.find(' ')?;
    let mark = &text[..end];
    let all = |sign: char| !mark.is_empty() && mark.len() <= 5 && mark.chars().all(|c| c == sign);
    let numbered = mark
        .strip_suffix('.')
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
    let callout = mark.starts_with('<') && mark.ends_with('>') && mark.len() <= 5;
    if all('*') || mark == "-" {
        return Some((false, mark, end + 1));
    }
    if all('.') || callout {
        return Some((true, if callout { "<" } else { mark }, end + 1));
    }
    numbered.then_some((true, "1.", end + 1))
}

/// Takes the numbers out of code that point to explanations below it.
fn without_callouts(code: &mut String) {
    if !code.contains('<') {
        return;
    }
    let bare: Vec<&str> = code
        .split('\n')
        .map(|line| {
            let mut rest = line;
            while let Some((before, number)) =
                rest.trim_end().strip_suffix('>').and_then(|start| start.rsplit_once('<'))
            {
                let counted =
                    number == "." || (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
                if !counted || !before.ends_with([' ', '#', '/']) {
                    break;
                }
                rest = before.trim_end().trim_end_matches("//").trim_end_matches(" #").trim_end();
            }
            rest
        })
        .collect();
    *code = bare.join("\n");
}
