//! The Teacher's words: a command taken apart, from built-in tables first and the machine's own manual second. It never judges: risks
//! come with the assessment it is given. It never guesses: what is not known is called so. It runs nothing.

#[cfg(test)]
mod daily_tests;
mod flow;
mod gaps;
mod kinds;
mod level;
#[cfg(test)]
mod more_tests;
mod outcome;
mod parts;
mod safer;
mod sort;
mod template;
#[cfg(test)]
mod tests;
mod undo;

use planwright_shell::Facts;

use crate::manual::{DiskManuals, Manuals};
use crate::protocol::{Assessment, ExplainedPart, Explanation, MeaningSource};
use crate::risk::{Arg, Source, Variables, Workspace};

/// Explains `command`. Covers every word; where nothing is known of one, says so. Reads this machine's man pages where the
/// tables know nothing.
pub fn explain(
    command: &str,
    facts: &Facts,
    assessment: Assessment,
    workspace: &Workspace<'_>,
) -> Explanation {
    let manuals = DiskManuals::new(workspace.environment.get("MANPATH").map(String::as_str));
    explain_with(command, facts, assessment, workspace, &manuals)
}

/// What the parts of an explanation are made from.
#[derive(Debug)]
struct Scene<'a> {
    source: Source<'a>,
    manuals: &'a dyn Manuals,
    variables: Variables,
    workspace: &'a Workspace<'a>,
}

impl Scene<'_> {
    /// The words of a simple command as its program would get them.
    fn args(&self, simple: &planwright_shell::SimpleCommand) -> Vec<Arg> {
        let expand = |word| self.variables.expand(word, self.workspace.environment);
        simple.words.iter().flat_map(expand).collect()
    }
}

fn explain_with(
    command: &str,
    facts: &Facts,
    assessment: Assessment,
    workspace: &Workspace<'_>,
    manuals: &dyn Manuals,
) -> Explanation {
    let mut variables = Variables::default();
    variables.forget_uncertain(command, &facts.commands);
    let scene = Scene { source: Source::new(command), manuals, variables, workspace };
    let pieces = facts.commands.iter().flat_map(|simple| parts::pieces(&scene, simple)).collect();
    let parts = assembled(command, pieces);
    let told = outcome::of(&scene, facts, assessment.risk);
    Explanation {
        command: command.to_owned(),
        source: sources(&parts),
        parts,
        flow: flow::of(&scene, facts),
        reads: told.reads,
        changes: told.changes,
        undo: assessment.undo.clone(),
        undo_commands: undo::of(&scene, facts, &assessment.undo),
        safer: safer::of(&scene, facts),
        expect: told.expect,
        assessment,
    }
}

fn sources(parts: &[ExplainedPart]) -> String {
    let from = |source| parts.iter().any(|part| part.source == source);
    let mut named = vec!["built-in knowledge"];
    named.extend(from(MeaningSource::ManPage).then_some("this machine's man pages"));
    named.extend(from(MeaningSource::Completion).then_some("this machine's completion files"));
    named.join(", ")
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
        explained.push(ExplainedPart {
            text,
            meaning: piece.meaning,
            known: piece.source != MeaningSource::Nowhere,
            source: piece.source,
        });
        at = end;
    }
    explained.extend(gaps::explain(&text(at, chars.len())));
    explained
}
