//! Plain text as people lay it out: underlined, numbered or upper-case headings, paragraphs, and indented blocks that are code.
//! And pages that are one block of code: scripts and transcripts.

use crate::builder::Builder;
use crate::document::{BlockKind, CodeStyle, Container, Document, Form, InlineKind};
use crate::lines::{Line, lines};
use crate::spans::{Kind, Notation, Special, address, pair};
use crate::{spans, verbatim};

const NOTATION: Notation = Notation {
    pairs: &[
        pair("``", "``", Kind::Code),
        pair("`", "`", Kind::Code),
        pair("`", "'", Kind::Code),
        pair("\u{2018}", "\u{2019}", Kind::Code),
    ],
    starts: b"h",
    special,
};

fn special(text: &str) -> Option<Special> {
    let length = address(text)?;
    Some(Special {
        length,
        shown: 0..length,
        kind: Some(InlineKind::Link { target: text[..length].to_owned() }),
    })
}

/// A page that is one block of code.
pub(crate) fn whole(text: String, form: Form) -> Document {
    let mut builder = Builder::default();
    let found = lines(&text, 0..text.len());
    let language = match form {
        Form::Transcript => "console",
        _ => interpreter(&text),
    };
    if let Some((code, range)) = verbatim::code(&found, CodeStyle::Whole, Some(language)) {
        builder.block(BlockKind::Code(code), range);
    }
    builder.finish(form, text, None)
}

fn interpreter(text: &str) -> &'static str {
    let first = text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
    ["bash", "zsh", "ksh", "fish", "dash"].into_iter().find(|name| first.contains(name)).unwrap_or("sh")
}

pub(crate) fn read(text: String) -> Document {
    let found = lines(&text, 0..text.len());
    let mut reader = Reader { builder: Builder::default(), margin: margin(&found), item: None };
    let mut at = 0;
    while let Some(line) = found.get(at) {
        at = if line.is_blank() { at + 1 } else { reader.chunk(&found, at) };
    }
    let builder = reader.builder;
    builder.finish(Form::Plain, text, None)
}

/// Where the lines of most paragraphs begin.
fn margin(lines: &[Line<'_>]) -> usize {
    let mut counts = [0usize; 16];
    // The second line of a paragraph, for the first may be indented on its own.
    for pair in lines.windows(2).filter(|pair| !pair[0].is_blank() && !pair[1].is_blank()) {
        if let Some(count) = counts.get_mut(pair[1].indent()) {
            *count += 1;
        }
    }
    let total: usize = counts.iter().sum();
    // The least indentation that a fair part of them has.
    counts.iter().position(|count| *count > 0 && *count * 5 >= total).unwrap_or(0)
}

struct Reader {
    builder: Builder,
    margin: usize,
    /// The open item: where its mark and its text begin, its list, its number.
    item: Option<(usize, usize, u32, u32)>,
}

impl Reader {
    /// Lines up to a blank one.
    fn chunk(&mut self, all: &[Line<'_>], from: usize) -> usize {
        let end = (from..all.len()).find(|at| all[*at].is_blank()).unwrap_or(all.len());
        if let Some(next) = self.heading(all, from, end) {
            return next;
        }
        let mut at = from;
        while at < end {
            let stop = (at + 1..end).find(|next| turns(all[next - 1], all[*next])).unwrap_or(end);
            let before = at;
            at = stop;
            self.part(all, before, &mut at);
        }
        at
    }

    fn part(&mut self, all: &[Line<'_>], from: usize, to: &mut usize) {
        let lines = &all[from..*to];
        let indent = lines.iter().map(Line::indent).min().unwrap_or(0);
        if let Some((ordered, number, width)) =
            mark(lines[0].trimmed()).filter(|_| lines[0].indent() <= self.deepest())
        {
            self.open_item(lines[0].indent(), lines[0].indent() + width, ordered, number);
            let skip = lines[0].text.len() - lines[0].text.trim_start().len() + width;
            let mut words = vec![Line {
                text: lines[0].text.get(skip..).unwrap_or_default(),
                start: lines[0].start + skip,
            }];
            words.extend_from_slice(&lines[1..]);
            self.prose(&words);
            return;
        }
        if self.item.is_some_and(|(at, ..)| indent <= at) {
            self.close_item();
        }
        let context = self.item.map_or(self.margin, |(_, text, ..)| text);
        let prompted = prompt(lines[0].trimmed());
        if prompted || (indent >= context + 2 && !is_sentence(lines)) {
            // Code goes on over blank lines as long as the indentation lasts.
            let mut end = *to;
            while let Some(next) =
                (end..all.len()).find(|at| !all[*at].is_blank()).filter(|next| *next <= end + 2)
            {
                let stop = (next..all.len()).find(|at| all[*at].is_blank()).unwrap_or(all.len());
                let deep = all[next..stop].iter().all(|line| line.indent() >= indent.max(context + 2));
                if prompted || !deep || is_sentence(&all[next..stop]) || next == end {
                    break;
                }
                end = stop;
            }
            *to = end;
            if let Some((code, range)) = verbatim::code(&all[from..end], CodeStyle::Indented, None) {
                self.builder.block(BlockKind::Code(code), range);
            }
            return;
        }
        self.prose(lines);
    }

    /// How far a line that begins an item may be indented.
    fn deepest(&self) -> usize {
        self.item.map_or(self.margin, |(_, text, ..)| text).max(self.margin) + 3
    }

    fn open_item(&mut self, at: usize, text: usize, ordered: bool, number: Option<u32>) {
        let (list, last) = match self.item {
            Some((known, _, list, last)) if known == at => (list, last),
            _ => (self.builder.new_list(), 0),
        };
        self.close_item();
        let number = number.unwrap_or(last + 1);
        self.builder.open(Container::Item { ordered, number, list });
        self.item = Some((at, text, list, number));
    }

    fn close_item(&mut self) {
        if self.item.take().is_some() {
            self.builder.close();
        }
    }

    fn prose(&mut self, lines: &[Line<'_>]) {
        let (rendered, range) = spans::paragraph(lines, &NOTATION);
        self.builder.prose(rendered, range);
    }

    /// The first line of a page, alone and often set in the middle, is its title.
    fn is_title(&self, all: &[Line<'_>], at: usize) -> bool {
        let text = all[at].trimmed();
        let first = all[..at].iter().all(Line::is_blank);
        first && text.starts_with(char::is_uppercase) && !text.ends_with(['.', ':', ',']) && text.len() < 70
    }

    /// A heading at the start of these lines; answers where to go on.
    fn heading(&mut self, all: &[Line<'_>], from: usize, end: usize) -> Option<usize> {
        let line = all[from];
        let ruled = |at: usize| all.get(at).filter(|_| at < end).and_then(|line| rule(line.trimmed()));
        let (title, level, next) = if let (Some(sign), Some(title)) =
            (rule(line.trimmed()), all.get(from + 1))
        {
            // A rule above, and perhaps below.
            let boxed = ruled(from + 2) == Some(sign);
            if title.is_blank() || (!boxed && end > from + 2) {
                return rule(line.trimmed()).filter(|_| end == from + 1).map(|_| end);
            }
            (*title, 1, if boxed { from + 3 } else { from + 2 })
        } else if let Some(sign) = ruled(from + 1) {
            (line, if matches!(sign, '=' | '*' | '#') { 1 } else { 2 }, from + 2)
        } else if end == from + 1
            && (self.is_title(all, from) || (line.indent() <= self.margin + 2 && stands_out(line.trimmed())))
        {
            (line, numbered(line.trimmed()).map_or(2, |dots| dots.min(5) + 1), from + 1)
        } else {
            return None;
        };
        if title.trimmed().chars().count() > 90 {
            return None;
        }
        self.close_item();
        let (rendered, _) = spans::paragraph(&[title], &NOTATION);
        self.builder.heading(level, rendered, line.start..all[next - 1].end());
        Some(next)
    }
}

/// A line of one sign, repeated.
fn rule(text: &str) -> Option<char> {
    let sign = text.chars().next().filter(|c| "=-~*_^#+\"".contains(*c))?;
    (text.len() >= 3 && text.chars().all(|c| c == sign)).then_some(sign)
}

/// Whether a line that stands alone is a heading: all in capitals, or numbered like a chapter.
fn stands_out(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let capitals =
        letters >= 3 && !text.chars().any(char::is_lowercase) && !text.contains(['$', '=', '/', '_']);
    let chapter = numbered(text).is_some() && !text.ends_with(['.', ':', ',', ';']) && text.len() < 70;
    capitals || chapter
}

/// How many numbers a chapter's number has: two of `2.1 Building`.
fn numbered(text: &str) -> Option<u32> {
    let (number, title) = text.split_once(' ')?;
    let parts = number.trim_end_matches(['.', ')']).split('.');
    let count = parts.clone().count();
    let digits = parts
        .clone()
        .all(|part| !part.is_empty() && part.len() <= 2 && part.chars().all(|c| c.is_ascii_digit()));
    (digits && title.trim_start().starts_with(char::is_uppercase)).then(|| u32::try_from(count).unwrap_or(1))
}

/// Whether the layout changes between two lines that follow each other: an item, a prompt, or code below its announcement.
fn turns(above: Line<'_>, line: Line<'_>) -> bool {
    let deeper = line.indent() >= above.indent() + 2;
    let shallower = line.indent() + 2 <= above.indent();
    let announced = above.trimmed().ends_with(':') && deeper;
    let was_prompt = prompt(above.trimmed());
    mark(line.trimmed()).is_some()
        || announced
        || (prompt(line.trimmed()) && !was_prompt)
        || (was_prompt && shallower)
}

fn prompt(text: &str) -> bool {
    ["$ ", "% ", "# "].iter().any(|sign| text.starts_with(sign))
        || text.split_once("$ ").is_some_and(|(user, _)| user.contains('@') && !user.contains(' '))
}

/// Whether it reads as a sentence and not as something typed.
fn is_sentence(lines: &[Line<'_>]) -> bool {
    let first = lines.first().map_or("", |line| line.trimmed());
    let last = lines.last().map_or("", |line| line.trimmed());
    let starts = first.starts_with(|c: char| c.is_uppercase() || matches!(c, '"' | '(' | '`'));
    starts && first.contains(' ') && last.ends_with(['.', ':', '!', '?', ')']) && !first.contains(" -")
}

/// Whether an item begins here: ordered, its number, how wide the mark is.
fn mark(text: &str) -> Option<(bool, Option<u32>, usize)> {
    let end = text.find(' ')?;
    let sign = &text[..end];
    let spaces = text[end..].len() - text[end..].trim_start().len();
    if matches!(sign, "-" | "*" | "+" | "o" | "•") {
        return Some((false, None, end + spaces));
    }
    let number = sign.trim_start_matches('(').strip_suffix(['.', ')', ':'])?;
    let short = number.len() <= 2 && !number.is_empty();
    let counted = number.chars().all(|c| c.is_ascii_digit())
        || (number.len() == 1 && number.chars().all(|c| c.is_ascii_lowercase()));
    (short && counted).then(|| (true, number.parse().ok(), end + spaces))
}
