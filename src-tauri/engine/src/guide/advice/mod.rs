//! The program's own advice. Most programs say what to do when they are used wrongly; this reads it out of their
//! messages, for any program, by the phrases that they share. It knows no program by name and runs nothing, and what it
//! reads goes through the same checks whoever said it: see `checks`.

mod checks;
mod commands;
mod kinds;
mod lists;
mod said;
#[cfg(test)]
mod tests;
mod vocabulary;
mod voice;
mod words;

use regex::Regex;

use super::case::Case;
use crate::protocol::{AgentCorrection, CorrectionAction, ProtoStep, StepKind};

/// The id of what is read out of a program's own words.
pub(super) const ID: &str = "programs-own-advice";
pub(super) const TITLE: &str = "The program says itself what to do";

/// From here on the first of several ways is taken without asking.
const SURE: f32 = 0.7;

/// One way to go on that the message names.
#[derive(Debug, Clone)]
struct Offer {
    /// The command in the place of the failed one, or the one to run before it.
    command: String,
    before: bool,
    reason: String,
    confidence: f32,
}

impl Offer {
    fn changed(command: String, reason: String, confidence: f32) -> Self {
        Self { command, before: false, reason, confidence }
    }
}

/// Whether `program` is known to have the long `option`, at whatever level.
pub(super) fn knows_option(program: &str, option: &str) -> bool {
    vocabulary::below(program).any(|word| word == option)
        || crate::knowledge::program(program).is_some_and(|entry| {
            entry.flags.list.iter().any(|flag| flag.names.iter().any(|name| name == option))
        })
}

/// Whether `word` is one by which programs take something away.
pub(super) fn takes_away(word: &str) -> bool {
    checks::takes_away(word)
}

/// The first of the ways that the message names, the others as alternatives.
pub(super) fn read(case: &Case<'_>) -> Option<AgentCorrection> {
    let said = said::lines(&case.everything);
    let (mut offers, commands) = match voice::of(case) {
        voice::Voice::Report => return None,
        voice::Voice::Application => (words::slips(case, &said), Vec::new()),
        voice::Voice::Program => (words::offers(case, &said), commands::offers(case, &said)),
    };
    offers.extend(commands.iter().filter(|offer| !offer.before).cloned());
    if offers.is_empty() {
        offers.extend(kinds::offers(case, &said));
    }
    if offers.is_empty() {
        offers.extend(lists::offers(case, &said));
    }
    offers.extend(commands.into_iter().filter(|offer| offer.before));
    let mut offers = offers.into_iter();
    let first = offers.next()?;
    let others: Vec<Offer> = offers.filter(|offer| offer.command != first.command).take(3).collect();
    let alternatives: Vec<String> = others.iter().map(|offer| offer.command.clone()).collect();
    let candidates = match first.confidence < SURE && !first.before {
        true => std::iter::once(&first)
            .chain(others.iter().filter(|offer| !offer.before))
            .map(|offer| offer.command.clone())
            .collect(),
        false => Vec::new(),
    };
    let mut correction = AgentCorrection {
        action: CorrectionAction::Modify,
        reasoning: first.reason,
        source: format!("guide:{ID}"),
        confidence: first.confidence,
        modified_command: None,
        new_steps: None,
        alternatives: (!alternatives.is_empty()).then_some(alternatives),
        candidates: if candidates.len() > 1 { candidates } else { Vec::new() },
        wait_seconds: None,
        warning: None,
    };
    if first.before {
        correction.action = CorrectionAction::InsertSteps;
        correction.new_steps = Some(vec![ProtoStep {
            title: format!("Run {}", first.command),
            kind: StepKind::Repair,
            command: first.command,
            why: "The program itself asks for it before it goes on.".to_owned(),
            verify: None,
            warning: None,
        }]);
    } else {
        correction.modified_command = Some(first.command);
    }
    Some(correction)
}

/// A pattern of this reader. `None` when it is none: a test reads each, so this is never seen.
fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text)
        .inspect_err(|error| tracing::error!(%error, "a pattern of the advice reader cannot be read"))
        .ok()
}
