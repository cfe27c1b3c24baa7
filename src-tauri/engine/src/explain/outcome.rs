//! What a command reads, changes and shows, from the tables of verdicts: so that it agrees with what is judged.

use planwright_shell::{Facts, RedirectKind, SimpleCommand};

use super::Scene;
use super::level::Level;
use super::sort::{Sorted, sort};
use crate::knowledge::{self, Deed, Entry, Role, Rules};
use crate::protocol::Risk;
use crate::risk::{Arg, Parsed, clone_folder, parse};

/// The most that is told of what is read.
const READ: usize = 6;

#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) reads: Vec<String>,
    pub(super) changes: Vec<String>,
    pub(super) expect: Option<String>,
}

/// Of all commands of the text together.
pub(super) fn of(scene: &Scene<'_>, facts: &Facts, risk: Risk) -> Outcome {
    let mut whole = Outcome::default();
    for simple in &facts.commands {
        let mut told = one(scene, &scene.args(simple), 0);
        if !is_shown(simple) {
            told.expect = None;
        }
        whole.changes.append(&mut told.changes);
        whole.reads.append(&mut told.reads);
        // "no output" says nothing where something before it is to be seen.
        let silent = told.expect.as_ref().is_some_and(|expect| expect.starts_with("no output"));
        whole.expect = if silent { whole.expect.or(told.expect) } else { told.expect.or(whole.expect) };
    }
    if risk == Risk::Safe {
        whole.changes.clear();
    }
    whole.changes.extend(facts.commands.iter().flat_map(written));
    whole.reads.extend(facts.commands.iter().flat_map(taken_in));
    whole.changes.dedup();
    let mut seen = Vec::new();
    whole.reads.retain(|read| {
        let new = !seen.contains(read);
        seen.push(read.clone());
        new
    });
    whole.reads.truncate(READ);
    whole
}

/// Whether a person gets to see what the command prints.
fn is_shown(simple: &SimpleCommand) -> bool {
    let kept = simple.redirects.iter().any(|redirect| match redirect.kind {
        RedirectKind::Write | RedirectKind::Append => redirect.fd == 1,
        RedirectKind::WriteBoth | RedirectKind::AppendBoth => true,
        RedirectKind::Read
        | RedirectKind::ReadWrite
        | RedirectKind::Duplicate
        | RedirectKind::HereDocument
        | RedirectKind::HereString => false,
    });
    !kept && !simple.context.piped_into && !simple.context.in_substitution
}

/// What redirections write, as sentences.
fn written(simple: &SimpleCommand) -> impl Iterator<Item = String> + '_ {
    let writes = simple.redirects.iter().filter(|redirect| match redirect.kind {
        RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::WriteBoth
        | RedirectKind::AppendBoth => redirect.target.raw != "/dev/null",
        RedirectKind::Read
        | RedirectKind::Duplicate
        | RedirectKind::HereDocument
        | RedirectKind::HereString => false,
    });
    writes.map(|redirect| format!("writes {}", redirect.target.raw))
}

fn taken_in(simple: &SimpleCommand) -> impl Iterator<Item = String> + '_ {
    let reads = simple.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
    reads.map(|redirect| format!("reads {}", redirect.target.raw))
}

/// By the innermost program of it that says so.
fn one(scene: &Scene<'_>, args: &[Arg], depth: u8) -> Outcome {
    let Some((program, rest)) = args.split_first() else { return Outcome::default() };
    let name = program.known().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    let Some(entry) = knowledge::program(name) else {
        let change = (!name.is_empty()).then(|| format!("what {name} changes is not known here"));
        return Outcome { changes: change.into_iter().collect(), ..Outcome::default() };
    };
    let parsed = parse(entry, rest);
    if entry.wraps.is_some() && depth < 8 {
        return parsed.inner.first().map(|inner| one(scene, inner, depth + 1)).unwrap_or_default();
    }
    let sorted = sort(Level::of_program(name, scene.manuals), program, rest, scene.manuals);
    let calm = parsed.verb() == Some(Risk::Safe)
        || parsed.flags.iter().any(|given| given.flag.calms.is_some())
        || parsed.entry.is_bare(parsed.words.len());
    // Where the verdict does not tell sub-commands apart, what this one does is said by its own words.
    let finer = (sorted.subs.len() > parsed.subs.len()).then(|| sorted.level()?.summary()).flatten();
    let change = match (calm, finer) {
        (true, _) => None,
        (false, Some(summary)) => deeds(parsed.entry).map(|_| summary.text),
        (false, None) => change(&parsed).or_else(|| deeds(parsed.entry)),
    };
    let by_option = sorted.flags.iter().filter_map(|given| given.found.opt?.changes.clone());
    let mut changes: Vec<String> = change.into_iter().chain(by_option).collect();
    if entry.rules == Some(Rules::Find) && depth < 8 {
        changes.extend(parsed.inner.iter().flat_map(|inner| one(scene, inner, depth + 1).changes));
    }
    Outcome { reads: reads(&parsed, &sorted), changes, expect: parsed.entry.expect.clone() }
}

fn change(parsed: &Parsed<'_, '_>) -> Option<String> {
    let change = parsed.entry.changes.as_ref()?;
    let words: Vec<&str> =
        parsed.words.iter().map(|arg| arg.sure()).filter(|text| !text.is_empty()).collect();
    let made = match words.as_slice() {
        [] => "what the project names".to_owned(),
        [address] => clone_folder(address),
        [_, folder, ..] => (*folder).to_owned(),
    };
    let all = if words.is_empty() { "what the project names".to_owned() } else { words.join(" and ") };
    let last = words.last().copied().unwrap_or("a new place");
    let paths = match parsed.entry.last {
        Some(_) => last,
        None => all.as_str(),
    };
    let told = change.replace("{paths}", paths).replace("{args}", &all);
    Some(told.replace("{last}", last).replace("{clone}", &made))
}

/// The files whose content it looks at.
fn reads(parsed: &Parsed<'_, '_>, sorted: &Sorted<'_>) -> Vec<String> {
    if parsed.entry.whole {
        return Vec::new();
    }
    let words = parsed.words.iter().enumerate().filter_map(|(index, arg)| {
        // The verdict may take the value of an option for a file.
        let is_operand = sorted.operands.iter().any(|own| own.span == arg.span);
        let text = arg.known().filter(|text| is_operand && !text.is_empty() && *text != "-")?;
        match parsed.role(index) {
            Role::Read | Role::Script => Some(format!("reads {}", super::kinds::shortened(text))),
            Role::List => Some(format!("looks at {}", super::kinds::shortened(text))),
            _ => None,
        }
    });
    words.collect()
}

/// In general words, for entries that have none of their own.
fn deeds(entry: &Entry) -> Option<String> {
    let sentences = [
        (Deed::Deletes, "deletes something"),
        (Deed::Installs, "installs packages"),
        (Deed::System, "changes the machine itself"),
        (Deed::Writes, "writes files"),
        (Deed::RunsOther, "whatever the program it runs changes"),
        (Deed::Network, "uses the network"),
    ];
    sentences.into_iter().find(|(deed, _)| entry.does(*deed)).map(|(_, sentence)| sentence.to_owned())
}
