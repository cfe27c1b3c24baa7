//! How much harm a command may do, decided on what the shell reader found in it. Pure: reads nothing, runs nothing.

mod alarms;
mod args;
mod awk;
mod beyond;
mod calls;
mod checks;
mod clobber;
mod code;
mod compiled;
mod containers;
#[cfg(test)]
mod corpus;
mod databases;
mod delegates;
mod delete;
mod ed;
mod embedded;
mod endless;
mod files;
mod fills;
mod find;
mod findings;
#[cfg(test)]
pub(crate) mod fixture;
mod floor;
mod flow;
mod functions;
mod git;
mod hunts;
mod images;
mod inner;
mod judge;
mod leaks;
mod leftovers;
mod listed;
mod loops;
mod noted;
mod notorious;
mod odd_words;
mod overwrites;
mod ownership;
mod packages;
mod place;
mod plain;
mod programs;
mod read;
mod recipes;
mod remembered;
mod remote;
mod remote_copy;
mod routine_admin;
mod runs;
mod scripts;
mod secrets;
mod settings;
mod shows;
mod slips;
mod source;
mod special;
mod sql;
mod startup;
mod taken_back;
mod targets;
#[cfg(test)]
mod tests;
mod tools;
mod undeclared;
mod words;
mod wrap;
#[cfg(test)]
mod wrapped;
mod written;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planwright_shell::{Facts, Span};

pub(crate) use args::{Parsed, parse};
pub use files::{FileUse, Use, assess_files, holds_secrets};
pub(crate) use git::{clone_folder, is_local};
pub(crate) use leftovers::is_build_product;
pub use place::DiskPaths;
pub use runs::Run;
pub(crate) use source::Source;
use source::Texts;
pub(crate) use words::{Arg, Text, Variables};

use crate::protocol::{Assessment, Risk};

/// What an assessment needs to know of the place a command would run in.
#[derive(Debug, Clone)]
pub struct Workspace<'a> {
    /// The folder that the session works in.
    pub root: PathBuf,
    /// Where the command would run.
    pub cwd: PathBuf,
    pub home: PathBuf,
    pub user: String,
    /// Variables whose values are known: the environment as it would be.
    pub environment: &'a BTreeMap<String, String>,
    /// Functions carried from earlier steps, by name, as the reader found their bodies.
    pub functions: &'a BTreeMap<String, Facts>,
    pub paths: &'a dyn Paths,
}

/// What the assessment asks of the file system; a test gives its own.
pub trait Paths: std::fmt::Debug + Send + Sync {
    /// The path with every symbolic link and `..` resolved as far as it exists; the rest is kept.
    fn resolve(&self, path: &Path) -> PathBuf;
    fn is_dir(&self, path: &Path) -> bool;
    fn exists(&self, path: &Path) -> bool;
    /// Whether this very name, and no link behind it, is a folder that belongs to the user.
    fn is_own_folder(&self, _: &Path) -> bool {
        false
    }
    /// The devices that the system's own folders are mounted from; empty when that is not known.
    fn system_devices(&self) -> Vec<PathBuf>;
    /// What stands in a small text file.
    fn text(&self, _: &Path) -> Option<String> {
        None
    }
}

/// Assesses `command`, which the reader found to be `facts`. What could not be read is never `safe`.
pub fn assess(command: &str, facts: &Facts, workspace: &Workspace<'_>) -> Assessment {
    remembered::asking_once(workspace, |workspace| {
        let texts = Texts::of(command, facts);
        judged(judge::Judge::new(command, &texts, facts, workspace), command, facts)
    })
}

/// The same for a command that a model runs in conversation: what it prints goes to the model, so passwords and keys
/// are dangerous to read.
pub fn assess_for_model(command: &str, facts: &Facts, workspace: &Workspace<'_>) -> Assessment {
    remembered::asking_once(workspace, |workspace| {
        let texts = Texts::of(command, facts);
        let mut judge = judge::Judge::new(command, &texts, facts, workspace);
        judge.found.told_to_model = true;
        judged(judge, command, facts)
    })
}

/// Every command that `command` would run, at any depth, outer before inner: what rules and grants must match.
pub fn runs(command: &str, facts: &Facts, workspace: &Workspace<'_>) -> Vec<Run> {
    remembered::asking_once(workspace, |workspace| {
        let texts = Texts::of(command, facts);
        let mut judge = judge::Judge::new(command, &texts, facts, workspace);
        look(&mut judge, command, facts);
        judge.runs
    })
}

fn judged(mut judge: judge::Judge<'_>, command: &str, facts: &Facts) -> Assessment {
    look(&mut judge, command, facts);
    judge.found.finish()
}

fn look(judge: &mut judge::Judge<'_>, command: &str, facts: &Facts) {
    let whole = Span { start: 0, end: u32::try_from(command.chars().count()).unwrap_or(u32::MAX) };
    for doubt in &facts.doubts {
        judge.unread(&format!("could not be analysed: {}", doubt.text), whole);
    }
    if hides_subscript(command) {
        judge.found.add(Risk::Dangerous, "can run what stands in the brackets", whole);
    }
    if sums_by_names(command) {
        judge.found.add(Risk::Dangerous, "adds up what can run what a variable holds", whole);
    }
    if facts.commands.is_empty()
        && facts.doubts.is_empty()
        && !is_harmless(command)
        && facts.functions.is_empty()
    {
        judge.unread("could not be analysed: no command was found in it", whole);
    }
    if let Some(why) = endless::alarm(command) {
        judge.found.add(Risk::Dangerous, why, whole);
    }
    judge.text(&facts.commands);
}

/// Nothing but blanks and comments, or one question or sum with no expansion that could run
/// anything.
fn is_harmless(command: &str) -> bool {
    let text = command.trim();
    let inner = text
        .strip_prefix("[[ ")
        .and_then(|rest| rest.strip_suffix(" ]]"))
        .or_else(|| text.strip_prefix("((").and_then(|rest| rest.strip_suffix("))")));
    inner.is_some_and(|inner| {
        let plain = inner.replace("&&", "").replace("||", "");
        !["$(", "`", "<(", ">(", "${", "]]", "))", "\n", ";", "&", "|", "HIST", "PATH"]
            .iter()
            .any(|sign| plain.contains(sign))
    }) || command.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

/// `((sums[$name]++))`: what is in the variable is read as a part of the sum.
fn sums_by_names(command: &str) -> bool {
    let mut rest = command;
    while let Some((before, after)) = rest.split_once("((") {
        let Some((inner, tail)) = after.split_once("))") else { return false };
        // `$((…))` is a word, and is judged as one.
        if !before.ends_with('$') && !inner.contains('\n') && inner.contains("[$") {
            return true;
        }
        rest = tail;
    }
    false
}

/// `[[ -v 'a[$(…)]' ]]` runs what stands in the brackets, which the reader takes for plain text.
fn hides_subscript(command: &str) -> bool {
    let evaluates = ["[[", "((", "let ", "printf -v", "read ", "unset ", "declare ", "typeset "];
    (command.contains("[$(") || command.contains("[`") || command.contains("[\\$("))
        && evaluates.iter().any(|sign| command.contains(sign))
}
