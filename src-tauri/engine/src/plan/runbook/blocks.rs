//! A read page → its blocks of commands and contents, each with the headings and the prose it stands under, and what is left out
//! of the plan with its reason. Decides nothing: roles come from [`crate::plan::page`].

#[path = "rejoined.rs"]
mod rejoined;

use std::ops::Range;

use planwright_page::{BlockKind, Document};

use super::attributes::{self, Comment, PlanAttributes, StepAttributes};
use super::inputs::declared_in;
use super::written::{self, Written};
use crate::plan::page::{self, Act, Machine, Reading, Role, Typed, Unit};
use crate::plan::validate::invalid;
use crate::protocol::{EngineError, PageRole, PlanInput};
use rejoined::rejoined;

/// Longest prose that is kept as a reason, in characters; of longer prose the end is kept, next to the commands.
pub(in crate::plan) const MAX_PROSE: usize = 1000;

/// A runbook page as its command blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The file's name, for people.
    pub name: String,
    /// The first heading of the first level, else the first heading.
    pub title: Option<String>,
    /// What the page says before its first section.
    pub intro: String,
    pub attributes: PlanAttributes,
    /// In the order of the page, those that are left out among them.
    pub blocks: Vec<Block>,
    pub choices: Vec<page::Choice>,
    /// What it declares to be asked for.
    pub inputs: Vec<PlanInput>,
    /// What it tells its reader to replace.
    pub replaced: Vec<String>,
    /// For people: how the text was read when it was not plain UTF-8.
    pub note: Option<&'static str>,
}

/// One block of commands, or of something else that is listed.
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
    /// Bytes of the page.
    pub range: Range<usize>,
    pub role: PageRole,
    /// The words that decided.
    pub why: String,
    /// The choice and the way that it is part of.
    pub ways: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Commands as in a script, to be split by the reader.
    Script(String),
    /// A transcript, split by its prompts.
    Console(Vec<Typed>),
    /// One step, whole, with what a comment says about it.
    Step { text: String, attributes: Box<StepAttributes> },
    /// What only a person can do.
    Manual(String),
    /// Contents for a file, as the command that writes them.
    File(Written),
    /// Text that runs nothing.
    Shown(String),
}

impl Block {
    /// Whether it becomes steps.
    pub fn is_taken(&self) -> bool {
        self.role.is_taken()
    }

    /// The text that the shell reader must see before the block can become steps, now or when it is taken in; `None` where
    /// nothing is split.
    pub fn text_to_read(&self) -> Option<String> {
        match &self.content {
            Content::Script(text) => Some(text.clone()),
            Content::Console(commands) => {
                Some(commands.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n"))
            }
            Content::Step { .. } | Content::Manual(_) | Content::File(_) | Content::Shown(_) => None,
        }
    }

    /// As the page shows it.
    pub fn text(&self) -> String {
        match &self.content {
            Content::Script(text) | Content::Manual(text) | Content::Shown(text) => text.clone(),
            Content::Console(commands) => {
                commands.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n")
            }
            Content::Step { text, .. } => text.clone(),
            Content::File(written) => written.content.clone(),
        }
    }
}

/// Reads a page for a machine.
pub fn blocks(text: &str, name: &str, machine: &Machine) -> Result<Page, EngineError> {
    let document = Document::read_text(text, name);
    let attributes = plan_attributes(&document)?;
    let Reading { units, choices, replaced } = page::read(&document, machine);
    let units = rejoined(units, &document);
    let mut blocks = Vec::with_capacity(units.len());
    let mut lines = Lines::new(&document.text);
    for unit in units {
        let line = lines.before(unit.range.start);
        blocks.push(block(unit, line, machine)?);
    }
    Ok(Page {
        name: name.to_owned(),
        title: document.title.clone(),
        intro: intro(&document),
        attributes,
        blocks,
        choices,
        inputs: document.front_matter.as_ref().map(declared_in).transpose()?.unwrap_or_default(),
        replaced,
        note: None,
    })
}

fn block(unit: Unit, line: u32, machine: &Machine) -> Result<Block, EngineError> {
    let ours = unit.comment.as_deref().map(|text| comment(text, line)).transpose()?.flatten();
    // What was typed begins right behind this line, with the remarks above it.
    let line = match &unit.act {
        Act::Shell { typed, whole: false } => {
            let remarks = typed.first().map_or(0, |one| one.remark.lines().count());
            line.saturating_sub(1 + u32::try_from(remarks).unwrap_or(u32::MAX)).max(1)
        }
        Act::Shell { .. } | Act::File { .. } | Act::Manual { .. } | Act::Shown { .. } => line,
    };
    let content = match (unit.act, ours) {
        (Act::Shell { typed, .. }, Some(Comment::Step(attributes))) => {
            let text = typed.into_iter().next().unwrap_or_default().text;
            Content::Step { text, attributes: Box::new(attributes) }
        }
        (Act::Shell { typed, .. }, _) if typed.iter().any(|one| one.prompted) => Content::Console(typed),
        (Act::Shell { typed, .. }, _) => Content::Script(script_of(&typed)),
        (Act::File { path, mode, content }, _) => {
            Content::File(written::write(&path, mode, &content, machine))
        }
        (Act::Manual { instruction }, _) => Content::Manual(instruction),
        (Act::Shown { text }, _) => Content::Shown(text),
    };
    Ok(Block {
        line,
        headings: unit.headings,
        prose: last_part(unit.prose.trim()),
        content,
        expected: unit.expected,
        range: unit.range,
        role: role(unit.role),
        why: unit.why,
        ways: unit.ways,
    })
}

/// The commands as a script, remarks above them.
fn script_of(typed: &[Typed]) -> String {
    let mut script = String::new();
    for one in typed {
        one.remark.lines().for_each(|line| script.push_str(&format!("# {line}\n")));
        script.push_str(&one.text);
        script.push('\n');
    }
    script.truncate(script.trim_end_matches('\n').len());
    script
}

fn role(role: Role) -> PageRole {
    match role {
        Role::Run => PageRole::Run,
        Role::File => PageRole::File,
        Role::Manual => PageRole::Manual,
        Role::Alternative => PageRole::Alternative,
        Role::Optional => PageRole::Optional,
        Role::Aside => PageRole::Aside,
        Role::OtherSystem => PageRole::OtherSystem,
        Role::Output => PageRole::Output,
        Role::OtherLanguage => PageRole::OtherLanguage,
        Role::Unreadable => PageRole::Unreadable,
    }
}

fn plan_attributes(document: &Document) -> Result<PlanAttributes, EngineError> {
    let mut found = PlanAttributes::default();
    let mut lines = Lines::new(&document.text);
    for (_, block) in document.blocks() {
        let BlockKind::Comment { text } = &block.kind else { continue };
        if let Some(Comment::Plan(attributes)) = comment(text, lines.before(block.range.start))? {
            found = attributes;
        }
    }
    Ok(found)
}

fn comment(text: &str, line: u32) -> Result<Option<Comment>, EngineError> {
    attributes::read(&format!("<!-- {} -->", text.trim())).map_err(|fault| {
        invalid(format!("The comment in line {line} is not understood: {fault}. Correct it or remove it."))
    })
}

/// What the page says before its first section or block.
fn intro(document: &Document) -> String {
    let mut said: Vec<&str> = Vec::new();
    for (place, section) in document.sections.iter().enumerate() {
        let is_title = section.heading.as_ref().is_none_or(|heading| {
            section.parent.is_none() && document.title.as_deref() == Some(heading.text.as_str())
        });
        if place > 0 && !is_title {
            break;
        }
        let mut ended = false;
        for block in &section.blocks {
            match &block.kind {
                BlockKind::Prose { text, .. } if !text.trim().is_empty() => said.push(text.trim()),
                BlockKind::Code(_) => {
                    ended = true;
                    break;
                }
                BlockKind::Prose { .. } | BlockKind::Table { .. } | BlockKind::Comment { .. } => {}
            }
        }
        if ended {
            break;
        }
    }
    last_part(said.join("\n\n").trim())
}

/// Counts each line once.
struct Lines<'t> {
    text: &'t str,
    line: u32,
    counted_to: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, line: 1, counted_to: 0 }
    }

    /// The line that `offset` is in. Offsets come in order, more or less.
    fn before(&mut self, offset: usize) -> u32 {
        let fresh = self.text.as_bytes().get(self.counted_to..offset).unwrap_or_default();
        self.line += fresh.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.counted_to = self.counted_to.max(offset);
        self.line
    }
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
