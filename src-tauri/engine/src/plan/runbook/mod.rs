//! Runbooks: Markdown pages and shell scripts → plans, with no model (P3). Decoding and the Markdown pass are pure and
//! happen here; shell text is hostile ground and is read by whoever implements [`ReadShell`], in another process.

mod assemble;
pub(in crate::plan) mod attributes;
pub(in crate::plan) mod blocks;
mod decode;
pub(in crate::plan) mod describe;
mod filled;
pub(in crate::plan) mod inputs;
mod titles;
mod written;

use std::future::Future;

use planwright_shell::Facts;

pub use assemble::assemble;
pub(in crate::plan) use assemble::without_number;
pub use attributes::{PlanAttributes, StepAttributes};
pub use blocks::{Block, Content, Page, blocks};
pub use decode::{Decoded, decode};
pub(in crate::plan) use written::end_for;

use super::check::add_missing_programs;
use super::left_out::summary;
use super::page::placeholder::Masked;
use super::page::{self, Machine};
use super::raw::from_json;
use super::validate::MAX_SOURCE_BYTES;
use crate::protocol::{EngineError, ErrorCode, LeftOut, PageRole, Plan};
use crate::shell::ShellReader;

/// Reads whole scripts, somewhere where that can do no harm. Never fails: what goes wrong is a doubt.
pub trait ReadShell: Sync {
    fn read_script(&self, text: &str) -> impl Future<Output = Facts> + Send;
}

impl ReadShell for ShellReader {
    async fn read_script(&self, text: &str) -> Facts {
        let max_text = u32::try_from(MAX_SOURCE_BYTES).unwrap_or(u32::MAX);
        ShellReader::read_script(self, text, max_text).await
    }
}

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Prose with commands in it, in any form.
    Page,
    Script,
    Json,
}

/// Makes a draft of a page, a shell script or a plan as JSON, for a machine; which one it is, the name's ending says, else
/// its text. `name` is the file's name; empty or "-" for pasted text.
pub async fn import<R: ReadShell>(
    bytes: &[u8],
    name: &str,
    machine: &Machine,
    reader: &R,
) -> Result<Plan, EngineError> {
    let Decoded { text, note } = decode(bytes)?;
    let name = if matches!(name.trim(), "" | "-") { "pasted text" } else { name };
    let mut page = match format_of(name, &text)? {
        Format::Json => return from_json(&text, name),
        Format::Page => blocks(&text, name, machine)?,
        Format::Script => script(&text, name)?,
    };
    page.note = note;
    let mut facts = Vec::with_capacity(page.blocks.len());
    for block in &page.blocks {
        facts.push(match block.text_to_read() {
            Some(text) => read_with_blanks(&text, reader).await,
            None => Facts::default(),
        });
    }
    let mut plan = assemble(&page, &facts)?;
    add_missing_programs(&mut plan, &page.blocks, &facts, machine);
    Ok(plan)
}

/// What is in a text whose blanks nobody has filled in yet.
async fn read_with_blanks<R: ReadShell>(text: &str, reader: &R) -> Facts {
    let masked = Masked::of(text);
    let mut facts = reader.read_script(&masked.text).await;
    for piece in &mut facts.pieces {
        piece.text = masked.restored(&piece.text);
        piece.comment = masked.restored(&piece.comment);
    }
    facts
}

/// A whole shell script, or a pasted transcript, as a page of one block.
pub fn script(text: &str, name: &str) -> Result<Page, EngineError> {
    if text.trim().is_empty() {
        return Err(no_commands(name, &[]));
    }
    let content = page::transcript(text).map_or_else(|| Content::Script(text.to_owned()), Content::Console);
    let block = Block {
        line: 0,
        headings: Vec::new(),
        prose: String::new(),
        content,
        expected: None,
        range: 0..text.len(),
        role: PageRole::Run,
        why: String::new(),
        ways: Vec::new(),
    };
    Ok(Page { name: name.to_owned(), blocks: vec![block], ..Page::default() })
}

/// Tells the format by the name's ending, else by the text itself.
pub fn format_of(name: &str, text: &str) -> Result<Format, EngineError> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some(
            "md" | "markdown" | "mdown" | "mkd" | "mdx" | "rst" | "rest" | "adoc" | "asciidoc" | "asc"
            | "org" | "html" | "htm" | "xhtml" | "txt" | "text",
        ) => return Ok(Format::Page),
        Some("sh" | "bash" | "zsh" | "ksh" | "command") => return Ok(Format::Script),
        Some("json") => return Ok(Format::Json),
        Some(_) | None => {}
    }
    if let Some(interpreter) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) {
        let program = interpreter.split(['/', ' ']).rfind(|word| !word.is_empty() && !word.starts_with('-'));
        return match program {
            Some("sh" | "bash" | "zsh" | "ksh" | "dash") => Ok(Format::Script),
            Some(_) | None => Err(EngineError::new(
                ErrorCode::ScriptSyntax,
                format!(
                    "This is a script for \"{}\", not for a shell. Choose a shell script, or write a runbook that \
                     runs it.",
                    interpreter.trim()
                ),
            )),
        };
    }
    let start = text.trim_start();
    if start.starts_with('{') && start.contains("\"steps\"") {
        return Ok(Format::Json);
    }
    let is_markdown = |line: &str| {
        let line = line.trim_start();
        line.starts_with("```")
            || line.starts_with("~~~")
            || line.starts_with("## ")
            || line.starts_with("### ")
    };
    Ok(if text.lines().any(is_markdown) || reads_as_prose(text) { Format::Page } else { Format::Script })
}

/// Whether a message is a page of instructions by its form: a script, a plan as JSON, a transcript, or Markdown with a
/// block of shell commands. One that asks something about its block is a question and no page.
pub fn is_page(text: &str) -> bool {
    let start = text.trim_start();
    if start.starts_with("#!") || (start.starts_with('{') && start.contains("\"steps\"")) {
        return true;
    }
    if page::transcript(text).is_some() {
        return true;
    }
    let (mut in_block, mut has_block) = (false, false);
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            let language = line.trim_start_matches(['`', '~']).split_whitespace().next().unwrap_or_default();
            has_block |=
                !in_block && matches!(language, "sh" | "bash" | "shell" | "console" | "zsh" | "terminal");
            in_block = !in_block;
        } else if !in_block && line.ends_with('?') {
            return false;
        }
    }
    has_block
}

/// Says what the page has instead.
fn no_commands(name: &str, left_out: &[LeftOut]) -> EngineError {
    let has = summary(left_out);
    let instead = match left_out.first() {
        Some(first) => format!(
            " It has {has} instead: \"{}\" is left out, because {}.",
            first.text.lines().next().unwrap_or_default().trim(),
            first.why
        ),
        None => String::new(),
    };
    EngineError::new(
        ErrorCode::NoCommands,
        format!(
            "There are no commands to run in {name}.{instead} In a Markdown page, put them in a block that begins with \
             ```sh and ends with ```."
        ),
    )
}

#[cfg(test)]
#[path = "import_tests.rs"]
mod tests;

/// Sentences, not commands: most lines begin with a capitalised word and hold several words. A page of them without a
/// fence has no commands, and saying so beats running its words.
fn reads_as_prose(text: &str) -> bool {
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let is_sentence = |line: &&str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        let mut letters = first.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.all(|c| c.is_lowercase() || matches!(c, ',' | '\'' | '’' | ':'))
            && line.split_whitespace().nth(2).is_some()
    };
    let sentences = lines.iter().filter(|line| is_sentence(line)).count();
    sentences * 2 > lines.len()
}
