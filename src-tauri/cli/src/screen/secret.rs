//! What a program asked for and what became of it; never what was answered.

use std::io;

use planwright_engine::protocol::{SecretOutcome, SecretRequest};

use super::{ASKS, BAD, DIM, Screen};

impl Screen {
    pub(super) fn secret_needed(&mut self, request: &SecretRequest) -> io::Result<()> {
        let tries = match request.attempt {
            0 | 1 => String::new(),
            attempt => format!(" (try {attempt} of {})", request.attempts_allowed),
        };
        self.note(ASKS, "asks", &format!("{}: {}{tries}", request.program, request.prompt))?;
        match &request.warning {
            Some(warning) => self.note(ASKS, "careful", warning),
            None => Ok(()),
        }
    }

    pub(super) fn secret_resolved(&mut self, outcome: SecretOutcome) -> io::Result<()> {
        match outcome {
            SecretOutcome::Answered => self.note(DIM, "answered", ""),
            SecretOutcome::Declined => self.note(ASKS, "declined", ""),
            SecretOutcome::TimedOut => self.note(BAD, "declined", "nobody answered in time"),
            SecretOutcome::Withdrawn => self.note(DIM, "withdrawn", "the program asks no longer"),
            SecretOutcome::TooManyTries => self.note(BAD, "declined", "three answers were wrong"),
            SecretOutcome::NobodyThere => self.note(
                BAD,
                "declined",
                "nobody is here to answer. Run it at a terminal or in the window, or arrange it so that nothing is asked: \
                 a key agent, a credential helper, a rule for sudo.",
            ),
        }
    }
}
