//! The Teacher's words: a command taken apart, from built-in knowledge alone. It never judges: risks come with the
//! assessment it is given.

mod gaps;
mod parts;
#[cfg(test)]
mod tests;

use planwright_shell::{Facts, SimpleCommand};

use crate::knowledge;
use crate::protocol::{Assessment, ExplainedPart, Explanation};
use crate::risk::{Arg, Source, Variables, Workspace, clone_folder, parse};

/// Explains `command`. Covers every word; where nothing is known of one, says so in general terms.
pub fn explain(
    command: &str,
    facts: &Facts,
    assessment: Assessment,
    workspace: &Workspace<'_>,
) -> Explanation {
    let mut variables = Variables::default();
    variables.forget_uncertain(command, &facts.commands);
    let source = Source::new(command);
    let mut pieces: Vec<parts::Piece> = Vec::new();
    let mut changes = Vec::new();
    let mut expect = None;
    for simple in &facts.commands {
        pieces.extend(parts::pieces(&source, simple, &variables, workspace));
        let mut told = outcome(simple, &variables, workspace);
        if !parts::is_shown(simple) {
            told.expect = None;
        }
        changes.extend(told.change);
        // "no output" says nothing where something before it is to be seen.
        let silent = told.expect.as_ref().is_some_and(|expect| expect.starts_with("no output"));
        expect = if silent { expect.or(told.expect) } else { told.expect.or(expect) };
    }
    changes.extend(facts.commands.iter().flat_map(parts::written));
    changes.dedup();
    Explanation {
        command: command.to_owned(),
        parts: assembled(command, pieces),
        changes,
        undo: assessment.undo.clone(),
        expect,
        assessment,
        source: "built-in knowledge".to_owned(),
    }
}

/// Puts the pieces in order and explains what lies between them; a piece inside another is left to the outer one.
fn assembled(command: &str, mut pieces: Vec<parts::Piece>) -> Vec<ExplainedPart> {
    pieces.sort_by_key(|piece| (piece.span.start, std::cmp::Reverse(piece.span.end)));
    let chars: Vec<char> = command.chars().collect();
    let text = |from: usize, to: usize| chars.get(from..to).unwrap_or_default().iter().collect::<String>();
    let mut explained = Vec::new();
    let mut at = 0;
    for piece in pieces {
        let (start, mut end) = (piece.span.start as usize, piece.span.end as usize);
        if start < at || start >= end {
            continue;
        }
        while piece.takes_line && chars.get(end).is_some_and(|c| *c != '\n') {
            end += 1;
        }
        let (gap, operator) = gaps::split_redirect(text(at, start), piece.is_redirect);
        explained.extend(gaps::explain(&gap));
        let text = format!("{operator}{}", text(start, end));
        explained.push(ExplainedPart { text, meaning: piece.meaning, known: piece.known });
        at = end;
    }
    explained.extend(gaps::explain(&text(at, chars.len())));
    explained
}

#[derive(Debug, Default)]
struct Outcome {
    change: Option<String>,
    expect: Option<String>,
}

/// What a command changes and shows, by the innermost program of it that says so.
fn outcome(simple: &SimpleCommand, variables: &Variables, workspace: &Workspace<'_>) -> Outcome {
    let args: Vec<Arg> =
        simple.words.iter().flat_map(|word| variables.expand(word, workspace.environment)).collect();
    outcome_of(&args, 0)
}

fn outcome_of(args: &[Arg], depth: u8) -> Outcome {
    let Some((program, rest)) = args.split_first() else { return Outcome::default() };
    let name = program.known().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    let Some(entry) = knowledge::program(name) else {
        let change = (!name.is_empty()).then(|| format!("what {name} changes is not known here"));
        return Outcome { change, expect: None };
    };
    let parsed = parse(entry, rest);
    if entry.wraps.is_some() && depth < 8 {
        return parsed.inner.first().map(|inner| outcome_of(inner, depth + 1)).unwrap_or_default();
    }
    let words: Vec<&str> = parsed.words.iter().filter_map(|arg| arg.known()).collect();
    let calm = parsed.flags.iter().any(|given| given.flag.calms.is_some())
        || parsed.entry.is_bare(parsed.words.len());
    let change = parsed.entry.changes.as_ref().filter(|_| !calm).map(|change| {
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
        change
            .replace("{paths}", paths)
            .replace("{args}", &all)
            .replace("{last}", last)
            .replace("{clone}", &made)
    });
    Outcome { change: change.or_else(|| deeds(parsed.entry, calm)), expect: parsed.entry.expect.clone() }
}

/// In general words, for entries that have none of their own.
fn deeds(entry: &knowledge::Entry, calm: bool) -> Option<String> {
    use knowledge::Deed;
    if calm {
        return None;
    }
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
