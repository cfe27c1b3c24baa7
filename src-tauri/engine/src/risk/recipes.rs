//! `make`: what its words change, and the recipe that this very text writes.

use planwright_shell::Span;

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use super::place::Place;
use super::words::Arg;
use crate::protocol::Risk;

/// `make -f -`: a recipe that comes in. `make SHELL=x`: what its lines are given to.
pub(super) fn make(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for word in &parsed.words {
        let Some((name, value)) = word.known().and_then(|text| text.split_once('=')) else { continue };
        let name = name.trim_end_matches([':', '+', '?', '!']);
        let shell = matches!(name, "SHELL" | ".SHELLFLAGS" | "MAKEFLAGS" | "MAKEFILES")
            && !matches!(value, "/bin/bash" | "/bin/sh" | "/usr/bin/bash" | "bash" | "sh");
        if shell || value.contains(['`', ';', '|', '&']) || value.contains("$(") || name.ends_with('!') {
            j.found.add(Risk::Dangerous, "changes what the recipe's lines run", word.span);
        }
        // `make CC='rm -rf ~ #'`
        let words: Vec<Arg> = value.split_whitespace().map(|part| word.with(part.to_owned())).collect();
        let how =
            CallContext { context: planwright_shell::Context::default(), redirects: &[], assigned: false };
        let harms =
            words.first().and_then(Arg::known).is_some_and(|name| crate::knowledge::program(name).is_some())
                && words.len() > 1;
        let runs = j.runs.len();
        if harms && j.tried(&words, how) >= Risk::Dangerous {
            j.found.add(Risk::Dangerous, "changes what the recipe's lines run", word.span);
        }
        j.runs.truncate(runs);
    }
    recipes(j, parsed);
    if let Some(file) = parsed.value("-f")
        && (j.script_place(file) != Some(Place::Workspace) || file.known() == Some("-"))
    {
        j.found.add(Risk::Dangerous, "runs a recipe from outside the workspace", file.span);
    }
}

/// What stands in front of the bracket that closes, or all of it.
fn balanced(text: &str) -> &str {
    let mut open = 0_u32;
    let end = text.find(|c| {
        open += u32::from(c == '(');
        let closes = c == ')' && open == 0;
        open -= u32::from(c == ')' && open > 0);
        closes
    });
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// The lines of a recipe that this very text writes, each as a shell would run it. One that can't be read is for `alarms`.
fn recipes(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let span =
        parsed.words.first().or(parsed.given.first()).map_or(Span { start: 0, end: 0 }, |arg| arg.span);
    let before = (j.folders.clone(), j.lost, j.variables.clone(), j.pipeline.clone());
    for recipe in std::mem::take(&mut j.recipes) {
        let lines = recipe.lines().filter_map(|line| match line.split_once('\t') {
            Some(("", line)) => Some(line),
            // `all: ; command`
            Some(_) | None => line.split_once(':').and_then(|(_, rest)| rest.trim_start().strip_prefix(';')),
        });
        let shells = recipe.split("$(shell ").skip(1).map(balanced);
        for line in lines.chain(shells).take(100) {
            let line = line
                .trim_start_matches(['@', '-', '+', ' '])
                .replace("$$", "$")
                .replace("$(HOME)", "~")
                .replace("$HOME", "~");
            let Some(commands) = super::plain::read(&line, span) else { continue };
            if j.tried_text(&commands) >= Risk::Dangerous {
                j.found.add(Risk::Dangerous, "a line of the recipe that stands in this text does harm", span);
            }
        }
    }
    (j.folders, j.lost, j.variables, j.pipeline) = before;
}
