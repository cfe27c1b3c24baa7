//! Programs that want a person at a keyboard: which parts of a command they are, and what shows that one asked and got no
//! answer. Pure, and no verdict on risk: commands run with nothing at their input, so that such a program either cannot
//! work, or ends with a status that says more than it did.

mod part;
mod script;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use planwright_shell::{Facts, Redirect, RedirectKind, SimpleCommand};
use serde::Deserialize;

use crate::protocol::{KeyboardEffect, KeyboardNeed};
pub(crate) use part::Part;
pub(crate) use script::{need_of_script, scripts};

const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/table/programs.json"));
/// Longest question that is quoted, in characters.
const QUOTED: usize = 160;
/// How a question ends that waits for a word.
const ENDS_OF_QUESTIONS: [&str; 6] = ["[y/n]", "[y/n]:", "(y/n)", "(y/n):", "[yes/no]", "(yes/no)"];
/// The same with its beginning, where whatever came next stands on the same line: nobody typed the line's end.
const QUESTIONS: [&str; 8] =
    ["[y/n]? ", "[y/n]: ", "[y/n] ? ", "(y/n)? ", "(y/n): ", "[yes/no]: ", "(yes/no): ", "(yes/no)? "];
/// The menu of bash's `select`.
const MENU: &str = "#? ";
/// Marks of a question that may as well be followed by its answer.
const MARKS: [&str; 3] = ["[y/n] ", "(y/n) ", "[yes/no] "];
/// What a program says next to its question when no answer was a no.
const REFUSALS: [&str; 6] = ["abort", "cancel", "not ", "nothing ", "exiting", "declined"];
/// What programs say that wanted a line and found the end of their input.
const INPUT_ENDED: [&str; 5] =
    ["EOFError", "EOF when reading a line", "unexpected EOF", "end of file reached", "end of input"];
/// Programs that run a word as shell text, at once and with their own input.
const SHELLS: [&str; 6] = ["bash", "sh", "dash", "zsh", "ksh", "eval"];

/// One entry of the table; its first lines say what each field means.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Entry {
    names: Vec<String>,
    #[serde(default = "not_started")]
    effect: KeyboardEffect,
    wants: String,
    instead: String,
    #[serde(default)]
    when: Vec<String>,
    #[serde(default)]
    sub: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    unless_words: Vec<String>,
    until: Option<usize>,
    operands: Option<usize>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    unless_set: Vec<String>,
    #[serde(default)]
    alone: bool,
}

fn not_started() -> KeyboardEffect {
    KeyboardEffect::NotStarted
}

/// A table that does not parse warns of nothing; a test reads it.
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let table: BTreeMap<String, Entry> = serde_json::from_str(TABLE).unwrap_or_default();
    table.into_values().collect()
});

/// The first part of `command`, which the reader found to be `facts`, that wants a keyboard. `None` where its input
/// comes from somewhere, if only from `/dev/null`: then somebody thought of it.
///
/// `is_set`: whether an earlier step set a variable of this name.
pub fn need(command: &str, facts: &Facts, is_set: &dyn Fn(&str) -> bool) -> Option<KeyboardNeed> {
    let unclear = command.contains(['<', '|']);
    let fed = |part: &&SimpleCommand| !is_fed(part, unclear);
    facts.commands.iter().filter(fed).find_map(|simple| {
        let part = Part::of(simple)?;
        if SHELLS.contains(&part.program)
            && let Some(inner) = facts.inner.iter().find(|inner| part.has_word(&inner.text))
        {
            return need(&inner.text, &inner.facts, is_set);
        }
        let may_be_fed = redirects_input(command);
        let entry = ENTRIES.iter().find(|entry| !(entry.alone && may_be_fed) && entry.fits(&part, is_set))?;
        Some(KeyboardNeed {
            effect: entry.effect,
            fragment: fragment(command, simple),
            wants: entry.wants.clone(),
            instead: entry.instead.clone(),
        })
    })
}

/// Whether a `<` stands outside of quotes, be it of a group around the program.
fn redirects_input(command: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    command.chars().any(|letter| {
        let was_escaped = std::mem::take(&mut escaped);
        match (letter, quote) {
            _ if was_escaped => {}
            ('\\', None | Some('"')) => escaped = true,
            ('<', None) => return true,
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        false
    })
}

/// What a step that is not started for it says.
pub fn refusal(need: &KeyboardNeed) -> String {
    let KeyboardNeed { fragment, wants, instead, .. } = need;
    format!(
        "`{fragment}` {wants}, and nobody sits at a keyboard here, so it was not started. {instead} \
         To run it as it is, add </dev/null."
    )
}

/// What a command that ended well says, when its output shows that it asked and nobody answered. `output` is plain text.
pub fn unanswered(need: Option<&KeyboardNeed>, output: &str) -> Option<String> {
    let Some(need) = need else {
        return open_question(output).or_else(|| passed_question(output)).map(without_answer);
    };
    match need.effect {
        KeyboardEffect::NotStarted => return None,
        KeyboardEffect::AnswersNo => {}
    }
    // The cursor waits behind a question, so no line's end stands there; whatever comes next is on the same line.
    let question = output.lines().find_map(|line| {
        let end = line.find("? ").or_else(|| line.ends_with('?').then(|| line.len() - 1))?;
        Some(line[..=end].trim())
    })?;
    Some(format!(
        "It asked \"{}\" and nobody was there to answer, which counts as a no. Its status says success, but what it \
         asked about was not done. {}",
        quoted(question),
        need.instead
    ))
}

/// What a command that failed says, when what it wrote shows that it asked and found the end of its input. Both are plain text.
pub fn asked_in_vain(stdout: &str, stderr: &str) -> Option<String> {
    let ended = INPUT_ENDED.iter().any(|words| stderr.contains(words) || stdout.contains(words));
    let question = stdout.rsplit('\n').next().map(str::trim).filter(|line| !line.is_empty())?;
    ended.then(|| without_answer(question))
}

/// The need of a command that was seen to ask, by what its last attempt said.
pub fn seen_to_ask(command: &str, reason: &str) -> Option<KeyboardNeed> {
    let asked = reason.strip_prefix(ASKED)?;
    let question = asked.split('"').next()?;
    Some(KeyboardNeed {
        effect: KeyboardEffect::AnswersNo,
        fragment: quoted(command.lines().next()?),
        wants: format!("asks \"{question}\""),
        instead: INSTEAD.to_owned(),
    })
}

const ASKED: &str = "It asked \"";
const INSTEAD: &str = "Give it the answer by an option or from a file, or run it in a terminal.";

fn without_answer(question: &str) -> String {
    let question = quoted(question);
    format!("{ASKED}{question}\" and ended without an answer, for nobody sits at a keyboard here. {INSTEAD}")
}

/// A question of which the line goes on with what came next.
fn passed_question(output: &str) -> Option<&str> {
    output.lines().find_map(|line| {
        if line == MENU {
            return Some(line.trim());
        }
        let lower = line.to_ascii_lowercase();
        let end_of = |mark: &&str| lower.find(*mark).map(|at| at + mark.len());
        let refused = |end: &usize| REFUSALS.iter().any(|no| lower[*end..].starts_with(no));
        let ends = QUESTIONS.iter().filter_map(end_of).chain(MARKS.iter().filter_map(end_of).filter(refused));
        let end = ends.min()?;
        (end < line.len()).then(|| line[..end].trim())
    })
}

/// A question that is the last thing said, with the cursor behind it.
fn open_question(output: &str) -> Option<&str> {
    let line = output.rsplit('\n').next()?;
    let asks = line.trim().to_lowercase();
    let waits = line.ends_with("? ") || ENDS_OF_QUESTIONS.iter().any(|end| asks.ends_with(end));
    waits.then(|| line.trim())
}

fn quoted(question: &str) -> String {
    question.chars().take(QUOTED).collect()
}

impl Entry {
    fn fits(&self, part: &Part<'_>, is_set: &dyn Fn(&str) -> bool) -> bool {
        if !self.names.iter().any(|name| *name == part.program) {
            return false;
        }
        if self.unless_set.iter().any(|name| part.is_set(name) || is_set(name)) {
            return false;
        }
        let (flags, operands) = part.split(&self.values, self.until);
        let has =
            |wanted: &[String]| wanted.iter().any(|flag| flags.iter().any(|given| is_flag(flag, given)));
        (self.sub.is_empty() || operands.first().is_some_and(|first| self.sub.iter().any(|sub| sub == first)))
            && (self.when.is_empty() || has(&self.when))
            && !has(&self.unless)
            && !operands.iter().any(|word| self.unless_words.iter().any(|unless| unless == word))
            && self.operands.is_none_or(|most| operands.len() < most)
    }
}

/// Whether the word given is this flag, alone, among others, or with a value.
fn is_flag(flag: &str, given: &str) -> bool {
    if flag == given {
        return true;
    }
    match flag.strip_prefix('-') {
        Some(long) if long.starts_with('-') => {
            given.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
        }
        Some(short) if short.chars().count() == 1 => {
            given.strip_prefix('-').is_some_and(|others| !others.starts_with('-') && others.contains(short))
        }
        _ => false,
    }
}

/// Whether something comes into it, or may: from a pipe, a file, or whatever stands around it.
fn is_fed(part: &SimpleCommand, unclear: bool) -> bool {
    let context = part.context;
    context.piped_from
        || context.in_function
        || (unclear && (context.conditional || context.in_subshell))
        || part.redirects.iter().any(feeds)
}

fn feeds(redirect: &Redirect) -> bool {
    match redirect.kind {
        RedirectKind::Read
        | RedirectKind::ReadWrite
        | RedirectKind::HereDocument
        | RedirectKind::HereString => redirect.fd == 0,
        RedirectKind::Duplicate => redirect.fd == 0,
        RedirectKind::Write | RedirectKind::Append | RedirectKind::WriteBoth | RedirectKind::AppendBoth => {
            false
        }
    }
}

fn fragment(command: &str, part: &SimpleCommand) -> String {
    let (start, end) = (part.span.start as usize, part.span.end as usize);
    command.chars().skip(start).take(end.saturating_sub(start)).collect::<String>().trim().to_owned()
}
