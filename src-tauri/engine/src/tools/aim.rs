//! What a call was for, so that it can be said whether another one came to the same: the files that it names, or the program
//! that its command runs.

use std::path::Path;

use super::{Call, FileCall, ToolName};
use crate::protocol::SelfCorrection;

/// What makes a program edit files by a pattern or a patch.
enum When {
    Always,
    /// This word.
    Word(&'static str),
    /// An option to edit in place, also among others: `-i`, `-Ei`, `-pi`, `--in-place`.
    InPlace,
}

/// Programs that edit files by a pattern or a patch: where one fails, exact texts are the sturdier way.
const PATCHERS: [(&str, When); 13] = [
    ("sed", When::InPlace),
    ("perl", When::InPlace),
    ("ruby", When::InPlace),
    ("awk", When::Word("inplace")),
    ("gawk", When::Word("inplace")),
    ("patch", When::Always),
    ("git", When::Word("apply")),
    ("git", When::Word("am")),
    ("jscodeshift", When::Always),
    ("codemod", When::Always),
    ("comby", When::Always),
    ("ast-grep", When::Always),
    ("sg", When::Always),
];

/// Words before a program that have it run, those of the shell too.
const RUNNERS: [&str; 24] = [
    "sudo", "doas", "env", "timeout", "nice", "nohup", "time", "command", "exec", "xargs", "npx", "bunx",
    "pnpm", "yarn", "dlx", "bash", "sh", "dash", "zsh", "do", "then", "else", "if", "!",
];

/// The parts of a command, each from its program on, without what has it run.
fn parts(command: &str) -> impl Iterator<Item = Vec<&str>> {
    let parts = command.split(['|', ';', '&', '\n']).flat_map(|part| {
        // In quotes a command may be handed to a shell.
        let words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'', '(', ')', '{', '}']));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let run = words.iter().position(|word| matches!(*word, "-exec" | "-execdir"));
        let run = run.map(|at| words[at + 1..].to_vec());
        [Some(words), run].into_iter().flatten()
    });
    parts.map(|mut words| {
        let mut behind_runner = false;
        let skipped = words.iter().take_while(|word| {
            let is_runner = RUNNERS.contains(word);
            behind_runner |= is_runner;
            let is_setting = word.split_once('=').is_some_and(|(name, _)| is_name(name));
            // A runner's own options, and the time that it is given.
            let is_its =
                behind_runner && word.starts_with(|first: char| first == '-' || first.is_ascii_digit());
            is_runner || is_setting || is_its
        });
        let skipped = skipped.count();
        words.drain(..skipped);
        words
    })
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|char| char.is_alphanumeric() || char == '_')
}

/// The program among those of a command that edits files by a pattern or a patch.
pub(super) fn patcher(command: &str) -> Option<&'static str> {
    parts(command).find_map(|words| {
        let (program, rest) = words.split_first()?;
        let patcher = PATCHERS.iter().find(|(name, when)| {
            name == program
                && match when {
                    When::Always => true,
                    When::Word(wanted) => rest.contains(wanted),
                    When::InPlace => rest.iter().any(|word| is_in_place(word)),
                }
        })?;
        Some(patcher.0)
    })
}

fn is_in_place(word: &str) -> bool {
    let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    word.starts_with("--in-place")
        || cluster.is_some_and(|options| {
            options
                .split(|char: char| !char.is_alphabetic())
                .next()
                .is_some_and(|options| options.contains('i'))
        })
}

/// Whether a call that succeeded is what the failed one was for, and not only a look on the way there.
pub fn settles(correction: &SelfCorrection, failed: &Call, done: &Call) -> bool {
    match (failed, done) {
        (Call::Shell { command: failed, .. }, Call::Shell { command: done, .. }) => {
            let program =
                patcher(failed).or_else(|| parts(failed).filter_map(|words| words.first().copied()).last());
            program.is_some_and(|program| parts(done).any(|words| words.first() == Some(&program)))
        }
        (Call::Shell { command, .. }, Call::File(done)) => {
            is_suggested(correction, done.tool())
                && match patcher(command) {
                    Some(_) => !done.tool().only_reads() && done.paths().any(|path| names(command, path)),
                    // A program that looks at things: its answer is the look.
                    None => true,
                }
        }
        (Call::File(failed), Call::File(done)) => {
            let same = failed.tool() == done.tool();
            (same || (is_suggested(correction, done.tool()) && !done.tool().only_reads()))
                && (matches!(failed, FileCall::Search { .. })
                    || failed
                        .paths()
                        .any(|failed| done.paths().any(|done| file_name(failed) == file_name(done))))
        }
        _ => false,
    }
}

fn is_suggested(correction: &SelfCorrection, tool: ToolName) -> bool {
    correction.fallback_tools.iter().any(|known| known == tool.as_str())
}

/// Whether a command names the file, by whichever path.
fn names(command: &str, path: &str) -> bool {
    let words = command.split(|char: char| char.is_whitespace() || "'\";|&()<>".contains(char));
    let path = Path::new(path);
    words.filter(|word| !word.is_empty()).any(|word| path.ends_with(word) || Path::new(word).ends_with(path))
}

fn file_name(path: &str) -> Option<&std::ffi::OsStr> {
    Path::new(path).file_name()
}
