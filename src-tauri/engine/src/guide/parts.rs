//! A command that is one of several, or that writes its output somewhere: what no rule knows as a whole may be known of the part that
//! failed. Only what is written anew, or comes before, can be a part's; nothing that would leave the others out.

use planwright_shell::{Facts, SimpleCommand, Span};

use super::case::{Case, one, text};
use super::{Failure, Local, known};
use crate::protocol::{AgentCorrection, CorrectionAction};

/// Most parts that are looked at.
const MOST: usize = 12;

/// The correction of the one part that rules know.
pub(super) fn read(case: &Case<'_>, local: &Local) -> Option<AgentCorrection> {
    let commands = case.commands();
    // What changes where programs are looked for explains more than any part.
    if commands.len() > MOST || case.failure.command.contains("PATH=") {
        return None;
    }
    let whole: Vec<char> = case.failure.command.chars().collect();
    let moves = |command: &SimpleCommand| {
        matches!(command.words.first().and_then(text), Some("cd" | "pushd" | "popd"))
    };
    let corrections = commands.iter().enumerate().filter_map(|(nth, command)| {
        let (start, end) = (command.words.first()?.span.start, command.words.last()?.span.end);
        let part: String = whole.get(start as usize..end as usize)?.iter().collect();
        let is_whole = part == case.failure.command.trim();
        if is_whole || command.context.in_function || command.context.in_substitution {
            return None;
        }
        let has_moved = commands[..nth].iter().any(moves);
        let cwd = if has_moved { case.on_disk(".") } else { case.failure.cwd.clone() };
        let failure = Failure { command: part, cwd, ..case.failure.clone() };
        let facts = Facts { commands: vec![alone(command, start)], ..Facts::default() };
        let mut correction = known(&Case::new(&failure, &facts, case.machine), local)??;
        match correction.action {
            CorrectionAction::Modify => {
                let new = correction.modified_command?;
                // The shell writes to the file with its own rights, whoever runs the command.
                if !command.redirects.is_empty() && new.starts_with("sudo ") {
                    return None;
                }
                correction.modified_command = Some(case.splice(&[(Span { start, end }, new.as_str())])?);
                Some(correction)
            }
            // What comes before it has to come where it runs.
            CorrectionAction::InsertSteps if !has_moved => Some(correction),
            CorrectionAction::InsertSteps
            | CorrectionAction::Retry
            | CorrectionAction::Skip
            | CorrectionAction::Abort => None,
        }
    });
    one(corrections)
}

/// The command as if it were all there is: without what it writes to, and with its words where they stand then.
fn alone(command: &SimpleCommand, start: u32) -> SimpleCommand {
    let mut command = command.clone();
    let moved = |span: Span| Span { start: span.start - start, end: span.end - start };
    for word in &mut command.words {
        word.span = moved(word.span);
    }
    let span = command.words.first().zip(command.words.last());
    command.span =
        span.map_or(command.span, |(first, last)| Span { start: first.span.start, end: last.span.end });
    command.redirects.clear();
    command.assignments.clear();
    command.context = planwright_shell::Context::default();
    command
}
