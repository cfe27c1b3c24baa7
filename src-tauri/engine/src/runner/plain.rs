//! Runs commands where there is no worker to supervise them: on systems other than Linux. Output goes the same way and the
//! limits are the same; what it cannot do it says (`Shortcoming`). Also compiled on Linux, so that it is tested there.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use planwright_processes::{Ended, Ending, Order, Piece, Stop, Stream, Unstarted};
use tokio::sync::watch;

use super::environment::{self, BaseEnvironment};
use super::handed_on::HandedOn;
use super::output::Output;
use super::pace::Pace;
use super::turns::Turns;
use super::{Live, RunOutcome, RunRequest, Runner, Shortcoming};
use super::{state, wire};
use crate::approval::Permit;
use crate::protocol::{self, ExitStatus, ShellState, Time};
use crate::redact::Redactor;

/// A program that is called for a password and has none: whoever needs one fails at once instead of waiting.
const NO_ANSWER: &str = "false";

/// Runs commands on this machine with nothing but what most systems have. The environment they start from is the
/// engine's own as it is when this is made.
#[derive(Debug, Clone)]
pub struct PlainRunner {
    base: BaseEnvironment,
    redactor: Redactor,
    turns: Arc<Turns>,
}

impl PlainRunner {
    /// What `redactor` knows is hidden in all output; it learns what the environment holds.
    pub fn new(redactor: Redactor) -> Self {
        let base = BaseEnvironment::capture(Path::new(NO_ANSWER));
        environment::tell_secrets(&redactor);
        Self { base, redactor, turns: Arc::default() }
    }

    /// Runs it to its end. Blocks.
    fn follow(&self, request: &RunRequest, live: Live, stop: &Stop) -> Result<Followed, Unstarted> {
        let mut environment = self.base.overlaid(&request.shell);
        // There is no shell of a step before to have variables in.
        environment
            .extend(state::plain_variables(&request.shell).map(|(name, value)| (name.into(), value.into())));
        let handed_on = HandedOn::begin(&mut environment);
        let order = Order {
            command: request.action.command(),
            cwd: Path::new(&request.shell.cwd),
            environment: &environment,
            wall_limit: request.wall_limit,
            silence_limit: request.silence_limit,
            one_pipe: request.one_pipe,
        };
        request.tell_secrets(&self.redactor);
        let mut output = Output::new(request, &self.redactor, live);
        let mut pace = Pace::new(Instant::now());
        let ended = planwright_processes::run(&order, stop, |pieces| {
            let turn = self.turns.wait();
            let begun = Instant::now();
            output.take(pieces.iter().map(as_piece));
            drop(turn);
            std::thread::sleep(pace.rest_after(begun, Instant::now()));
        });
        output.finish();
        let mut shell = request.shell.clone();
        let shell = handed_on.read().take_into(&mut shell, &self.base).then_some(shell);
        Ok(Followed { ended: ended?, output, shell })
    }
}

/// A command that has ended.
struct Followed {
    ended: Ended,
    output: Output,
    /// With what it handed on, where it did.
    shell: Option<ShellState>,
}

/// Ends the command when the call that runs it is dropped.
struct Hold(Stop);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[async_trait::async_trait]
impl Runner for PlainRunner {
    async fn run(
        &self,
        permit: Permit,
        request: RunRequest,
        live: Live,
        mut cancel: watch::Receiver<bool>,
    ) -> RunOutcome {
        let (started_at, begun) = (Time::now(), Instant::now());
        if let Some(refused) = request.refused(&permit, &mut cancel, started_at) {
            return refused;
        }
        if request.terminal.is_some() {
            return RunOutcome::not_started(started_at, "On this system no terminal can be had yet.");
        }
        let (request, withheld) = request.revealed();
        let hold = Hold(Stop::default());
        let (runner, stop) = (self.clone(), hold.0.clone());
        let mut running = tokio::task::spawn_blocking(move || {
            let followed = runner.follow(&request, live, &stop);
            (request, followed)
        });
        let mut may_cancel = true;
        let finished = loop {
            tokio::select! {
                finished = &mut running => break finished,
                changed = cancel.changed(), if may_cancel => match changed {
                    Ok(()) if *cancel.borrow_and_update() => hold.0.stop(),
                    Ok(()) => {}
                    Err(_) => may_cancel = false,
                },
            }
        };
        match finished {
            Ok((request, Ok(Followed { ended, output, shell }))) => {
                let status = as_ending(ended.ending).status(&request).unwrap_or_else(unknown_end);
                let outcome = RunOutcome::new(status, output.into_kept(), started_at, begun.elapsed());
                RunOutcome { leftovers: ended.leftovers, shell, ..outcome }.hidden(&withheld)
            }
            Ok((_, Err(unstarted))) => RunOutcome::not_started(started_at, &unstarted.to_string()),
            Err(_) => RunOutcome::not_started(started_at, "The command could not be followed to its end."),
        }
    }

    fn shortcomings(&self) -> &'static [Shortcoming] {
        const SHORTCOMINGS: [Shortcoming; 6] = [
            Shortcoming::ProcessesGetAway,
            Shortcoming::CommandsOutliveTheProgram,
            Shortcoming::NothingCarriesOn,
            Shortcoming::NoQuestions,
            Shortcoming::NoTerminal,
            Shortcoming::NoForecast,
        ];
        &SHORTCOMINGS
    }
}

fn unknown_end() -> ExitStatus {
    ExitStatus::NotStarted {
        message: "How this command ended is not known. It may have done part of its work. Check before you \
                  run it again."
            .to_owned(),
    }
}

fn as_piece(piece: &Piece) -> wire::Piece<'_> {
    let stream = match piece.stream {
        Stream::Stdout => protocol::Stream::Stdout,
        Stream::Stderr => protocol::Stream::Stderr,
    };
    wire::Piece { stream, at_millis: piece.at_millis, bytes: &piece.bytes }
}

fn as_ending(ending: Ending) -> wire::Ending {
    match ending {
        Ending::Code(code) => wire::Ending::Code { code },
        Ending::Signal(signal) => wire::Ending::Signal { signal },
        Ending::TimedOut => wire::Ending::TimedOut,
        Ending::Silent => wire::Ending::Silent,
        Ending::Cancelled => wire::Ending::Cancelled,
        Ending::Unknown => wire::Ending::Unknown,
    }
}
