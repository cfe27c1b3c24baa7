//! A command that is one of several, or that writes its output somewhere: what no rule knows as a whole may be known of the part that
//! failed. Only what is written anew, or comes before, can be a part's; nothing that would leave the others out.

use planwright_shell::{Facts, SimpleCommand, Span};

use super::case::{Case, one, text};
use super::{Failure, Local, best, rule};
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
    let own = local.rules.current();
    let corrections = commands.iter().enumerate().filter_map(|(nth, command)| {
        let (start, end) = (command.words.first()?.span.start, command.words.last()?.span.end);
        let whole: Vec<char> = case.failure.command.chars().collect();
        let part: String = whole.get(start as usize..end as usize)?.iter().collect();
        let is_whole = part == case.failure.command.trim();
        if is_whole || command.context.in_function || command.context.in_substitution {
            return None;
        }
        let moves = moves_before(&commands[..nth]);
        let cwd = match &moves {
            Moves::None => case.failure.cwd.clone(),
            Moves::To(folder) => case.on_disk(folder),
            Moves::Somewhere => None,
        };
        let failure = Failure { command: part, cwd, ..case.failure.clone() };
        let facts = Facts { commands: vec![alone(command, start)], ..Facts::default() };
        let part = Case::new(&failure, &facts, case.machine);
        let mut correction = [&own.rules, rule::all()]
            .into_iter()
            .find_map(|rules| best(rules, &part, &local.experience))??;
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
            CorrectionAction::InsertSteps if matches!(moves, Moves::None) => Some(correction),
            CorrectionAction::InsertSteps
            | CorrectionAction::Retry
            | CorrectionAction::Skip
            | CorrectionAction::Abort => None,
        }
    });
    one(corrections)
}

/// Where the parts before have gone.
enum Moves<'c> {
    None,
    To(&'c str),
    Somewhere,
}

fn moves_before(commands: &[SimpleCommand]) -> Moves<'_> {
    let moves = |command: &&SimpleCommand| {
        matches!(command.words.first().and_then(text), Some("cd" | "pushd" | "popd"))
    };
    let mut movers = commands.iter().filter(moves);
    match (movers.next(), movers.next()) {
        (None, _) => Moves::None,
        (Some(only), None) => match only.words.as_slice() {
            [_, target] => text(target).map_or(Moves::Somewhere, Moves::To),
            _ => Moves::Somewhere,
        },
        (Some(_), Some(_)) => Moves::Somewhere,
    }
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
