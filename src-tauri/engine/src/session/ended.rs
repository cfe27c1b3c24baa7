//! Whether a command that came to its end did what it was run for. Asks the reader only where the status alone does not
//! say, so that what plainly went well waits for nothing.

use super::Session;
use super::classifier::RiskClassifier;
use crate::exit_status::{Ended, Verdict};
use crate::protocol::{EngineError, ExitStatus};
use crate::runner::{RunOutcome, Trail};

impl Session {
    /// `ok_exit`: statuses that its author accepts; what is said there counts.
    pub(super) async fn verdict(
        &mut self,
        command: &str,
        ok_exit: &[i32],
        outcome: &RunOutcome,
    ) -> Result<Verdict, EngineError> {
        let plainly = |code| ended(command, code, outcome).is_plainly_done();
        if ok_exit == [0] && outcome.exit_status.code().is_some_and(plainly) {
            return Ok(Verdict::Done);
        }
        let (classifier, outcome) = (self.shared.classifier.clone(), outcome.clone());
        let (command, ok_exit) = (command.to_owned(), ok_exit.to_vec());
        self.attend(Box::pin(async move { verdict(&classifier, &command, &ok_exit, &outcome).await })).await
    }
}

pub(super) async fn verdict(
    classifier: &RiskClassifier,
    command: &str,
    ok_exit: &[i32],
    outcome: &RunOutcome,
) -> Verdict {
    let Some(code) = outcome.exit_status.code() else {
        return Verdict::Failed(in_words(&outcome.exit_status));
    };
    let ended = ended(command, code, outcome);
    if ok_exit != [0] {
        return match ok_exit.contains(&code) {
            true => Verdict::Done,
            false => Verdict::Failed(in_words(&outcome.exit_status)),
        };
    }
    match ended.is_plainly_done() {
        true => Verdict::Done,
        false => ended.verdict(&classifier.read(command).await),
    }
}

fn ended<'a>(command: &'a str, code: i32, outcome: &'a RunOutcome) -> Ended<'a> {
    let Trail { pipe, last_word, passed, within } = &outcome.trail;
    Ended { command, code, pipe, last_word: last_word.as_deref(), passed, within, stderr: &outcome.stderr }
}

fn in_words(status: &ExitStatus) -> String {
    match status {
        ExitStatus::Code { code } => format!("It ended with status {code}."),
        ExitStatus::Signal { name, .. } => format!("It was ended by {name}."),
        ExitStatus::TimedOut { seconds } => {
            format!("It ran longer than its limit of {seconds} s and was ended.")
        }
        ExitStatus::Silent { seconds } => format!("It wrote nothing for {seconds} s and was ended."),
        ExitStatus::Cancelled => "It was cancelled.".to_owned(),
        ExitStatus::Detached => "It still runs.".to_owned(),
        ExitStatus::NotStarted { message } => message.clone(),
    }
}
