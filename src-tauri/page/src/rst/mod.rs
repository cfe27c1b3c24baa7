//! reStructuredText, read line by line: sections by their underlines, literal blocks, directives, lists, tables. Just what a
//! page of instructions needs; the rest is prose.

mod directive;
mod inline;
mod table;

use crate::builder::{Builder, DEEPEST};
use crate::document::{BlockKind, CodeStyle, Container, Document, Form};
use crate::inlines::Rendered;
use crate::lines::{Line, lines};
use crate::{front_matter, spans, verbatim};

pub(crate) fn read(text: String) -> Document {
    let front_matter = front_matter::read(&text);
    let body = front_matter.as_ref().map_or(0, |matter| matter.range.end);
    let found = lines(&text, body..text.len());
    let mut reader =
        Reader { text: &text, builder: Builder::default(), styles: Vec::new(), language: None, depth: 0 };
    reader.body(&found);
    let builder = reader.builder;
    builder.finish(Form::ReStructuredText, text, front_matter)
}

struct Reader<'t> {
    text: &'t str,
    builder: Builder,
    /// Styles of underlines in the order of their levels.
    styles: Vec<(char, bool)>,
    /// What literal blocks are in from here on (`.. highlight::`).
    language: Option<String>,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn body(&mut self, lines: &[Line<'t>]) {
        let mut group = None;
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if line.is_blank() {
                at += 1;
                continue;
            }
            let base = line.indent();
            let is_tab = line.trimmed().starts_with(".. ") && directive::is_tab(line.trimmed());
            if !is_tab {
                group = None;
            }
            at = if let Some(next) = self.section(lines, at) {
                next
            } else if line.trimmed() == ".."
                || line.trimmed().starts_with(".. ")
                || line.trimmed().starts_with("__ ")
            {
                let end = indented(lines, at + 1, base);
                self.explicit(*line, &lines[at + 1..end], &mut group);
                end
            } else if line.trimmed().starts_with(">>> ") {
                let end = paragraph_end(lines, at);
                self.code(&lines[at..end], CodeStyle::Literal, Some("pycon"));
                end
            } else if let Some((rows, end)) = table::read(lines, at) {
                let range = line.start..lines[end - 1].end();
                self.builder.block(BlockKind::Table { header: true, rows }, range);
                end
            } else if item(line.trimmed()).is_some() {
                self.list(lines, at, base)
            } else {
                self.paragraph(lines, at, base)
            };
        }
    }

    /// Reads lines that stand inside something else.
    fn inside(&mut self, lines: &[Line<'t>], container: Option<Container>) {
        let depth = self.builder.depth();
        if let Some(container) = container {
            self.builder.open(container);
        }
        if self.depth >= DEEPEST {
            self.prose(lines);
        } else {
            self.depth += 1;
            self.body(lines);
            self.depth -= 1;
        }
        self.builder.close_to(depth);
    }

    fn section(&mut self, lines: &[Line<'t>], at: usize) -> Option<usize> {
        let line = lines.get(at)?;
        let (title, mark, over, next) = match rule(line.text) {
            Some(mark) => {
                let title = lines.get(at + 1).filter(|title| !title.is_blank())?;
                let under = lines.get(at + 2).and_then(|under| rule(under.text));
                if under != Some(mark) {
                    return None;
                }
                (*title, mark, true, at + 3)
            }
            None => {
                let mark = rule(lines.get(at + 1)?.text)?;
                if line.indent() > 0
                    || lines[at + 1].text.trim().chars().count() + 3 < line.trimmed().chars().count().min(7)
                {
                    return None;
                }
                (*line, mark, false, at + 2)
            }
        };
        let level = match self.styles.iter().position(|style| *style == (mark, over)) {
            Some(level) => level,
            None => {
                self.styles.push((mark, over));
                self.styles.len() - 1
            }
        };
        let (rendered, _) = spans::paragraph(&[title], &inline::NOTATION);
        let range = line.start..lines[next - 1].end();
        self.builder.heading(u32::try_from(level + 1).unwrap_or(6), rendered, range);
        Some(next)
    }

    fn list(&mut self, lines: &[Line<'t>], from: usize, base: usize) -> usize {
        let list = self.builder.new_list();
        let mut at = from;
        let mut count = 0;
        while let Some(line) = lines.get(at).filter(|line| line.indent() == base) {
            let Some((ordered, number, width)) = item(line.trimmed()) else { break };
            count += 1;
            let skip = line.text.len() - line.text.trim_start().len() + width;
            let first = Line {
                text: line.text.get(skip..).unwrap_or_default(),
                start: line.start + skip.min(line.text.len()),
            };
            let end = indented(lines, at + 1, base);
            let mut content = vec![first];
            // What is indented less than the first line's text still belongs to the item, as a reader sees it.
            content.extend(lines[at + 1..end].iter().map(|line| line.dedented(base + width)));
            let number = number.unwrap_or(count);
            self.inside(&content, Some(Container::Item { ordered, number, list }));
            at = end;
            while lines.get(at).is_some_and(Line::is_blank) {
                at += 1;
            }
        }
        at.max(from + 1)
    }

    fn paragraph(&mut self, lines: &[Line<'t>], at: usize, base: usize) -> usize {
        let end = paragraph_end(lines, at);
        let text = &lines[at..end];
        let last = text.last().map_or("", |line| line.trimmed());
        // A line and what is indented right below it: a term and its definition.
        let deeper = indented(lines, end, base);
        if last.ends_with("::") {
            self.prose(text);
            let code_end = if deeper > end { deeper } else { quoted(lines, end) };
            let language = self.language.clone();
            self.code(&lines[end..code_end], CodeStyle::Literal, language.as_deref());
            return code_end;
        }
        self.prose(text);
        if deeper > end {
            let definition = !lines[end].is_blank();
            self.inside(&lines[end..deeper], (!definition).then_some(Container::Quote));
        }
        deeper.max(end)
    }

    fn prose(&mut self, lines: &[Line<'t>]) {
        let (mut rendered, range) = spans::paragraph(lines, &inline::NOTATION);
        // The second colon only announces the block.
        let announces = lines.last().is_some_and(|line| line.trimmed().ends_with("::"));
        if announces && rendered.text.trim_end().ends_with("::") {
            rendered.text.truncate(rendered.text.trim_end().len() - 1);
            if let Some(bare) = rendered.text.strip_suffix(" :").or((rendered.text == ":").then_some("")) {
                rendered = Rendered { text: bare.to_owned(), inline: rendered.inline };
            }
        }
        self.builder.prose(rendered, range);
    }

    fn code(&mut self, lines: &[Line<'t>], style: CodeStyle, language: Option<&str>) {
        if let Some((code, range)) = verbatim::code(lines, style, language) {
            self.builder.block(BlockKind::Code(code), range);
        }
    }
}

/// The end of the lines that are indented more than `base`, blank ones between them included.
fn indented(lines: &[Line<'_>], from: usize, base: usize) -> usize {
    let mut end = from;
    for (at, line) in lines.iter().enumerate().skip(from) {
        if line.is_blank() {
            continue;
        }
        if line.indent() <= base {
            break;
        }
        end = at + 1;
    }
    end
}

fn paragraph_end(lines: &[Line<'_>], from: usize) -> usize {
    let base = lines[from].indent();
    let stops = |line: &Line<'_>| line.is_blank() || line.indent() != base;
    lines.iter().enumerate().skip(from + 1).find(|(_, line)| stops(line)).map_or(lines.len(), |(at, _)| at)
}

/// A literal block whose lines all begin with the same sign instead of being indented.
fn quoted(lines: &[Line<'_>], from: usize) -> usize {
    let Some(first) = (from..lines.len()).find(|at| !lines[*at].is_blank()) else { return from };
    let Some(sign) = lines[first]
        .text
        .chars()
        .next()
        .filter(|c| c.is_ascii_punctuation() && !matches!(c, '.' | '*' | '-'))
    else {
        return from;
    };
    let end = (first..lines.len()).find(|at| !lines[*at].text.starts_with(sign)).unwrap_or(lines.len());
    if rule(lines[first].text).is_some() { from } else { end }
}

/// The sign of a line that is nothing but one sign, repeated.
fn rule(text: &str) -> Option<char> {
    let text = text.trim_end();
    let sign = text.chars().next().filter(char::is_ascii_punctuation)?;
    (text.len() >= 3 && text.chars().all(|c| c == sign)).then_some(sign)
}

/// Whether a list's item begins here: ordered, its number, how wide its mark is.
fn item(text: &str) -> Option<(bool, Option<u32>, usize)> {
    let width = |mark: usize| {
        let rest = &text[mark..];
        rest.is_empty().then_some(mark).or_else(|| {
            let spaces = rest.len() - rest.trim_start_matches(' ').len();
            (spaces > 0).then_some(mark + spaces)
        })
    };
    let first = text.chars().next()?;
    if matches!(first, '-' | '*' | '+' | '•') {
        return Some((false, None, width(first.len_utf8())?));
    }
    let open = usize::from(first == '(');
    let label = &text[open..];
    let end = label.find(['.', ')'])?;
    let name = &label[..end];
    let number = name.parse().ok();
    let short =
        name == "#" || number.is_some() || (name.len() == 1 && name.chars().all(|c| c.is_ascii_alphabetic()));
    if !short || name.len() > 3 || text[open + end + 1..].is_empty() {
        return None;
    }
    Some((true, number, width(open + end + 1)?))
}
