//! Commands in the middle of a sentence: "Run `make` to build it". A mention of a program is no instruction.

use std::ops::Range;

use planwright_page::{Inline, InlineKind};

use super::likeness::{Likeness, Vocabulary, command_words};
use super::obtained::Obtained;
use super::outline::sentences;
use super::words::words;

/// A command that a sentence tells to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) text: String,
    pub(super) range: Range<usize>,
    pub(super) sentence: String,
    /// It is said outright; else it is only fit to be.
    pub(super) plainly: bool,
}

/// How near before a command a word has to stand that tells to run it.
const NEAR: usize = 3;

pub(super) fn commands_in(text: &str, inline: &[Inline], vocabulary: &Vocabulary<'_>) -> Vec<Told> {
    let mut found: Vec<Told> = Vec::new();
    let mut last_end: Option<usize> = None;
    for one in inline.iter().filter(|one| one.kind == InlineKind::Code) {
        let typed = one.text.trim().trim_start_matches("$ ").trim();
        let end = one.at + one.text.len();
        let before = text.get(..one.at).unwrap_or_default();
        let behind = text.get(end..).unwrap_or_default();
        let words_of = command_words(typed);
        let likeness = vocabulary.of(typed);
        let several = words_of.len() > 1;
        let is_command = match likeness {
            Likeness::Known => {
                several && !is_half_a_call(&words_of)
                    || is_whole_program(words_of.first().copied().unwrap_or_default())
            }
            Likeness::Shaped => several || is_own_path(typed),
            Likeness::Open | Likeness::Not => is_own_path(typed) && !several && says_run(before),
        };
        // "Run `make` (or `make FAST=1`)": another form of what is told.
        if !is_command || before.trim_end().to_lowercase().ends_with("(or") {
            continue;
        }
        let sentence = sentence_at(text, one.at);
        let sentence_start = sentence.as_ptr() as usize - text.as_ptr() as usize;
        let lead_in = text.get(sentence_start..one.at).unwrap_or_default();
        let follows = last_end.is_some_and(|end| {
            text.get(end..one.at).is_some_and(|between| {
                let between = between.trim().trim_matches([',', ';']).trim().to_lowercase();
                matches!(between.as_str(), "" | "and" | "then" | "and then" | "followed by" | "&&")
            })
        });
        let alone = lead_in.trim().trim_matches(['-', '*', '"']).is_empty()
            && (behind.trim().is_empty()
                || behind.trim_start().starts_with(['\n', '.']) && behind.trim().len() < 2);
        let after_colon = before.trim_end().ends_with(':')
            && (behind.starts_with('\n')
                || behind.trim_start().starts_with(['.', ','])
                || is_code_alone(text, end, inline));
        let told = tells_to_run(lead_in);
        // "Install it via npm": of a name alone only an order makes a command.
        if !several && is_manager(typed) && !(told && says_run(lead_in)) {
            last_end = None;
            continue;
        }
        let example = lead_in.trim_end().to_lowercase().ends_with("such as") && Obtained::of(typed).is_some();
        let plainly = follows || alone || after_colon || told || example;
        let installs = words().installs(&words_of);
        if plainly || installs {
            last_end = if plainly { Some(end) } else { None };
            found.push(Told {
                text: typed.to_owned(),
                range: one.range.clone(),
                sentence: sentence.to_owned(),
                plainly,
            });
        } else {
            last_end = None;
        }
    }
    found
}

/// A program by its path in the project or the user's home.
fn is_own_path(typed: &str) -> bool {
    (typed.starts_with("./") || typed.starts_with("~/")) && !typed.ends_with('/')
}

fn is_manager(program: &str) -> bool {
    words().managers.iter().any(|one| one.programs.iter().any(|name| name == program))
}

/// The last words before it are an order to run something.
fn says_run(lead_in: &str) -> bool {
    let last = lead_in.split_whitespace().rev().take(NEAR).map(str::to_lowercase);
    last.into_iter()
        .any(|word| matches!(word.as_str(), "run" | "running" | "execute" | "executing" | "type" | "enter"))
}

/// Whether nothing but more code follows.
fn is_code_alone(text: &str, from: usize, inline: &[Inline]) -> bool {
    let mut at = from;
    for code in inline.iter().filter(|one| one.kind == InlineKind::Code && one.at >= from) {
        if !text.get(at..code.at).is_some_and(|between| between.trim().is_empty()) {
            return false;
        }
        at = code.at + code.text.len();
    }
    text.get(at..).is_some_and(|rest| rest.trim_matches(['.', ';', ' ', '\n']).is_empty())
}

/// `pip install` with nothing to install: a manner of speaking.
fn is_half_a_call(typed: &[&str]) -> bool {
    if matches!(typed, ["uv", "tool" | "pip" | "add"] | ["go", "install" | "get"]) {
        return true;
    }
    if let ["git", "clone", rest @ ..] = typed {
        return !rest.iter().any(|word| word.contains(['/', ':']));
    }
    let takes_nothing = matches!(
        typed,
        [
            "npm"
                | "yarn"
                | "pnpm"
                | "bun"
                | "poetry"
                | "pipenv"
                | "bundle"
                | "composer"
                | "uv"
                | "make"
                | "go",
            ..
        ]
    );
    !takes_nothing
        && words().manager_of(typed).is_some_and(|one| typed.last().is_some_and(|last| one.has_verb(last)))
}

/// Programs that do something by their name alone.
fn is_whole_program(program: &str) -> bool {
    matches!(
        program,
        "make"
            | "yarn"
            | "pytest"
            | "tox"
            | "nox"
            | "reboot"
            | "ninja"
            | "cmake"
            | "ant"
            | "rake"
            | "npm"
            | "pnpm"
            | "bundle"
    ) || program.starts_with("./")
}

fn sentence_at(text: &str, at: usize) -> &str {
    sentences(text)
        .into_iter()
        .find(|one| {
            let start = one.as_ptr() as usize - text.as_ptr() as usize;
            (start..=start + one.len()).contains(&at)
        })
        .unwrap_or(text)
}

/// "run", "by running", "execute the following command" right before it, with nothing that takes it back.
fn tells_to_run(lead_in: &str) -> bool {
    let all: Vec<String> = lead_in
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '\'' || letter == '’'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let near = &all[all.len().saturating_sub(NEAR)..];
    let verb = near.iter().any(|word| {
        matches!(
            word.as_str(),
            "run"
                | "running"
                | "execute"
                | "executing"
                | "type"
                | "typing"
                | "enter"
                | "issue"
                | "invoke"
                | "do"
                | "use"
                | "using"
                | "with"
                | "via"
                | "through"
                | "call"
                | "simply"
                | "just"
        )
    });
    // "By running" tells to; "running it shows" does not.
    let by = all.iter().rev().take(NEAR + 1).any(|word| word == "by");
    let strong = near.iter().any(|word| match word.as_str() {
        "run" | "execute" | "type" | "enter" | "issue" | "do" => true,
        "running" | "executing" | "typing" | "issuing" => by,
        _ => false,
    });
    // Who runs is another: "which runs", "when you run", "after running", "don't run".
    let taken_back = all.iter().rev().take(6).any(|word| {
        matches!(
            word.as_str(),
            "when"
                | "after"
                | "before"
                | "don't"
                | "never"
                | "not"
                | "without"
                | "instead"
                | "will"
                | "would"
                | "which"
                | "that"
                | "see"
                | "e"
        )
    });
    let installs = all.iter().any(|word| word.starts_with("install"));
    verb && (strong || installs) && !taken_back
}
