//! The Markdown pass: a page → its command blocks, each with the headings and the prose it stands under. Knows no
//! shell; what is inside a block is text here.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::attributes::{self, Comment, PlanAttributes, StepAttributes};
use super::console::{self, ConsoleCommand};
use super::no_commands;
use crate::plan::validate::invalid;
use crate::protocol::{EngineError, ErrorCode};

/// Longest prose that is kept as a reason, in characters; of longer prose the end is kept, next to the commands.
pub(in crate::plan) const MAX_PROSE: usize = 1000;

/// A runbook page as its command blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The file's name, for people.
    pub name: String,
    /// The first heading of the first level, else the first heading.
    pub title: Option<String>,
    /// What the page says before its first section.
    pub intro: String,
    pub attributes: PlanAttributes,
    /// Never empty.
    pub blocks: Vec<Block>,
    /// For people: how the text was read when it was not plain UTF-8.
    pub note: Option<&'static str>,
}

/// One block of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Line of the page that comes right before the content, from 1; 0 for a whole script.
    pub line: u32,
    /// Headings above it, outermost first.
    pub headings: Vec<String>,
    /// What the page says between the heading or block before and this one.
    pub prose: String,
    pub content: Content,
    /// What the page shows after the block as the step's output.
    pub expected: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Commands as in a script, to be split by the reader.
    Script(String),
    /// A transcript, split by its prompts.
    Console(Vec<ConsoleCommand>),
    /// One step, whole, with what a comment says about it.
    Step { command: String, attributes: Box<StepAttributes> },
}

impl Block {
    /// The text that the shell reader must see before the block can become steps; `None` where nothing is split.
    pub fn text_to_read(&self) -> Option<String> {
        match &self.content {
            Content::Script(text) => Some(text.clone()),
            Content::Console(commands) => {
                Some(commands.iter().map(|one| one.command.as_str()).collect::<Vec<_>>().join("\n"))
            }
            Content::Step { .. } => None,
        }
    }
}

/// Finds the command blocks of a page.
pub fn blocks(text: &str, name: &str) -> Result<Page, EngineError> {
    let mut walk = Walk::new(text, name);
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        walk.event(event, range)?;
    }
    if walk.page.blocks.is_empty() {
        return Err(no_commands(name));
    }
    Ok(walk.page)
}

struct Walk<'a> {
    text: &'a str,
    page: Page,
    /// Lines up to `counted_to`, so that each line is counted once.
    line: u32,
    counted_to: usize,
    headings: Vec<(HeadingLevel, String)>,
    has_first_level: bool,
    prose: String,
    /// Text of the heading being read.
    heading: Option<String>,
    fence: Option<Fence>,
    html: Option<String>,
    pending: Option<StepAttributes>,
    expects_output: bool,
    /// Inside something whose text is no prose: tables, pictures, metadata.
    silent: u32,
    before_sections: bool,
}

struct Fence {
    language: Option<String>,
    line: u32,
    content: String,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str, name: &str) -> Self {
        let page = Page {
            name: name.to_owned(),
            title: None,
            intro: String::new(),
            attributes: PlanAttributes::default(),
            blocks: Vec::new(),
            note: None,
        };
        Self {
            text,
            page,
            line: 1,
            counted_to: 0,
            headings: Vec::new(),
            has_first_level: false,
            prose: String::new(),
            heading: None,
            fence: None,
            html: None,
            pending: None,
            expects_output: false,
            silent: 0,
            before_sections: true,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), EngineError> {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => return self.open_code(kind, &range),
            Event::End(TagEnd::CodeBlock) => self.close_code(),
            Event::Start(Tag::Heading { .. }) => self.heading = Some(String::new()),
            Event::End(TagEnd::Heading(level)) => self.close_heading(level),
            Event::Start(Tag::HtmlBlock) => self.html = Some(String::new()),
            Event::End(TagEnd::HtmlBlock) => return self.close_html(&range),
            Event::Start(Tag::Table(_) | Tag::Image { .. } | Tag::MetadataBlock(_)) => self.silent += 1,
            Event::End(TagEnd::Table | TagEnd::Image | TagEnd::MetadataBlock(_)) => {
                self.silent = self.silent.saturating_sub(1);
            }
            Event::End(TagEnd::Paragraph) => self.prose.push_str("\n\n"),
            Event::Start(Tag::Item) => self.break_line(),
            Event::Text(text) | Event::Code(text) => self.written(&text),
            Event::Html(html) => {
                if let Some(block) = &mut self.html {
                    block.push_str(&html);
                }
            }
            Event::SoftBreak => self.written(" "),
            Event::HardBreak => self.written("\n"),
            _ => {}
        }
        Ok(())
    }

    fn written(&mut self, text: &str) {
        if let Some(fence) = &mut self.fence {
            fence.content.push_str(text);
        } else if self.silent > 0 {
        } else if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        } else {
            self.prose.push_str(text);
        }
    }

    fn break_line(&mut self) {
        if !self.prose.is_empty() && !self.prose.ends_with('\n') {
            self.prose.push('\n');
        }
    }

    fn open_code(&mut self, kind: CodeBlockKind<'_>, range: &Range<usize>) -> Result<(), EngineError> {
        let line = self.line_at(range.start);
        // Indented blocks are listings of anything; only a fence says "these are commands".
        let language = match kind {
            CodeBlockKind::Indented => None,
            CodeBlockKind::Fenced(info) => {
                if !is_closed(&self.text[range.clone()]) {
                    return Err(EngineError::new(
                        ErrorCode::UnclosedFence,
                        format!(
                            "The code block that opens in line {line} is never closed. Add a line with ``` where it \
                             ends."
                        ),
                    ));
                }
                Some(language(&info))
            }
        };
        self.fence = Some(Fence { language, line, content: String::new() });
        Ok(())
    }

    fn close_code(&mut self) {
        let Some(fence) = self.fence.take() else { return };
        let content = fence.content.strip_suffix('\n').unwrap_or(&fence.content);
        if std::mem::take(&mut self.expects_output) {
            if let Some(block) = self.page.blocks.last_mut() {
                block.expected = Some(content.to_owned());
            }
            return;
        }
        let Some(language) = fence.language else { return };
        let found = match self.pending.take() {
            Some(attributes) if is_shell(&language) => {
                Some(Content::Step { command: content.to_owned(), attributes: Box::new(attributes) })
            }
            _ => content_of(&language, content),
        };
        match found {
            Some(found) => self.block(found, fence.line),
            None if !is_plain_text(&language) && !content.trim().is_empty() => {
                self.prose
                    .push_str(&format!("(The page shows a block of {language} here, which is not run.)\n\n"));
            }
            None => {}
        }
    }

    fn block(&mut self, content: Content, line: u32) {
        let prose = self.take_prose();
        self.page.blocks.push(Block {
            line,
            headings: self.headings.iter().map(|(_, text)| text.clone()).collect(),
            prose,
            content,
            expected: None,
        });
    }

    fn close_heading(&mut self, level: HeadingLevel) {
        let text = self.heading.take().unwrap_or_default().trim().to_owned();
        let first = self.page.title.is_none();
        self.take_prose();
        self.pending = None;
        self.expects_output = false;
        let is_title = level == HeadingLevel::H1 && !self.has_first_level && self.page.blocks.is_empty();
        if first || is_title {
            self.page.title = Some(text.clone());
        } else {
            self.before_sections = false;
        }
        self.has_first_level |= level == HeadingLevel::H1;
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, text));
    }

    fn close_html(&mut self, range: &Range<usize>) -> Result<(), EngineError> {
        let html = self.html.take().unwrap_or_default();
        let line = self.line_at(range.start);
        let fault = |fault| {
            invalid(format!(
                "The comment in line {line} is not understood: {fault}. Correct it or remove it."
            ))
        };
        match attributes::read(&html).map_err(fault)? {
            Some(Comment::Plan(found)) => self.page.attributes = found,
            Some(Comment::Step(found)) => self.pending = Some(found),
            Some(Comment::Expected) => self.expects_output = true,
            None => {}
        }
        Ok(())
    }

    /// Takes the prose up to here; the first such on the page is also its introduction.
    fn take_prose(&mut self) -> String {
        let prose = last_part(std::mem::take(&mut self.prose).trim());
        if self.before_sections && self.page.intro.is_empty() && self.page.blocks.is_empty() {
            self.page.intro.clone_from(&prose);
        }
        prose
    }

    fn line_at(&mut self, offset: usize) -> u32 {
        let fresh = self.text.as_bytes().get(self.counted_to..offset).unwrap_or_default();
        self.line += fresh.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.counted_to = self.counted_to.max(offset);
        self.line
    }
}

fn content_of(language: &str, content: &str) -> Option<Content> {
    if content.trim().is_empty() {
        return None;
    }
    let is_transcript = match language {
        "console" | "terminal" | "term" | "shell-session" | "shellsession" | "sh-session"
        | "bash-session" => true,
        "" => {
            if !console::looks_like_transcript(content) {
                return None;
            }
            true
        }
        other if is_shell(other) => console::looks_like_transcript(content),
        _ => return None,
    };
    let commands = if is_transcript { console::read(content) } else { None };
    match commands {
        Some(commands) if commands.is_empty() => None,
        Some(commands) => Some(Content::Console(commands)),
        None => Some(Content::Script(content.to_owned())),
    }
}

fn is_shell(language: &str) -> bool {
    matches!(language, "sh" | "bash" | "shell" | "zsh" | "ksh" | "dash" | "shellscript" | "shell-script")
}

fn is_plain_text(language: &str) -> bool {
    matches!(language, "" | "text" | "txt" | "plaintext" | "output")
}

/// `bash`, `{.bash}`, `sh title="x"`, `bash,ignore` → the language in small letters.
fn language(info: &CowStr<'_>) -> String {
    let word = info.trim_start_matches(['{', '.', ' ']).split([' ', '\t', ',', '{', '}', ':']).next();
    word.unwrap_or_default().to_ascii_lowercase()
}

/// Whether a fenced block, as written, ends with the fence that closes it.
fn is_closed(block: &str) -> bool {
    let block = block.trim_end_matches(['\n', ' ', '\t']);
    let Some((opening, last)) = block
        .split_once('\n')
        .map(|(first, rest)| (first, rest.rsplit_once('\n').map_or(rest, |(_, last)| last)))
    else {
        return false;
    };
    match (mark(opening), mark(last)) {
        (Some((sign, length, _)), Some((end, count, rest))) => {
            sign == end && count >= length && rest.trim().is_empty()
        }
        _ => false,
    }
}

/// The sign of a fence line, how many of it there are, and what follows them.
fn mark(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim_start_matches([' ', '>', '\t']);
    let sign = line.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    Some((sign, line.len() - rest.len(), rest))
}

/// At most [`MAX_PROSE`] characters: whole paragraphs from the end, else the end of the last one.
fn last_part(prose: &str) -> String {
    let count = prose.chars().count();
    if count <= MAX_PROSE {
        return prose.to_owned();
    }
    let tail: String = prose.chars().skip(count - MAX_PROSE + 1).collect();
    match tail.split_once("\n\n") {
        Some((_, paragraphs)) if !paragraphs.trim().is_empty() => paragraphs.trim().to_owned(),
        Some(_) | None => format!("…{}", tail.trim_start()),
    }
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
