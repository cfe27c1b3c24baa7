//! Runs commands on this machine, each under a worker process of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use super::environment::BaseEnvironment;
use super::reader::Reader;
use super::spare::{Link, OrderError, Reins, Workers};
use super::{RunOutcome, RunRequest, Runner, state, wire};
use crate::approval::{Permit, Place};
use crate::protocol::{ExitStatus, OutputChunk, Time};
use crate::secret;

/// Runs commands on this machine. The environment they start from is the engine's own as it is when this is made.
/// Clones share the worker that is kept ready for the next command.
#[derive(Debug, Clone)]
pub struct LocalRunner {
    pub(super) workers: Workers,
    pub(super) base: BaseEnvironment,
}

impl LocalRunner {
    /// `worker` is the program `planwright-worker`.
    pub fn new(worker: PathBuf) -> Self {
        let base = BaseEnvironment::capture(&worker);
        Self { workers: Workers::new(worker), base }
    }

    /// Gives a worker its orders; the error is in words for people.
    fn start(&self, request: &RunRequest) -> Result<Link, String> {
        let cwd = &request.shell.cwd;
        if !Path::new(cwd).is_dir() {
            return Err(format!("The folder {cwd} does not exist. Choose another folder."));
        }
        let mut environment = self.base.overlaid(&request.shell);
        let mut restore = state::restore_text(&request.shell);
        if let Some(askpass) = &request.askpass {
            environment.insert(secret::VARIABLE.into(), askpass.into());
            restore += &state::sudo_text(self.workers.program());
        }
        let spec = wire::Spec {
            command: request.action.command(),
            cwd,
            restore: &restore,
            wall_millis: millis(request.wall_limit),
            silence_millis: millis(request.silence_limit),
        };
        let orders = wire::orders(&spec, &environment)
            .map_err(|error| format!("The command could not be handed over: {error}."))?;
        let program = self.workers.program().display();
        self.workers.order(&orders).map_err(|error| match error {
            OrderError::Start(error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("The helper program {program} is missing. Install Planwright again.")
            }
            OrderError::Start(error) => {
                format!("The helper program {program} could not be started: {error}.")
            }
            OrderError::Send(error) => format!("The helper program stopped at once: {error}."),
        })
    }
}

#[async_trait::async_trait]
impl Runner for LocalRunner {
    async fn run(
        &self,
        permit: Permit,
        request: RunRequest,
        output: mpsc::Sender<Vec<OutputChunk>>,
        mut cancel: watch::Receiver<bool>,
    ) -> RunOutcome {
        let started_at = Time::now();
        if !permit.covers(&request.action, Place::Shell(&request.shell), request.revision) {
            return not_started(started_at, "This command was not permitted, so it was not run.");
        }
        if *cancel.borrow_and_update() {
            return ended_without_running(started_at, ExitStatus::Cancelled);
        }
        let runner = self.clone();
        let (hand_over, handed_over) = oneshot::channel();
        // One thread for all of it: each change of threads would cost a short command a good part of its time.
        let mut running = tokio::task::spawn_blocking(move || {
            let Link { child, stdin, stdout } = runner.start(&request)?;
            let reins = Arc::new(Reins::new(stdin));
            let held = Arc::downgrade(&reins);
            // Nobody there to take them: the run was dropped, the worker sees the end of its stdin and kills everything.
            drop(hand_over.send(reins));
            Ok::<_, String>(
                Reader::new(request, runner.base, runner.workers, output).read(child, stdout, &held),
            )
        });
        // Held here: when this call is dropped the worker sees the end of its stdin and kills everything.
        let reins = handed_over.await.ok();
        let mut may_cancel = reins.is_some();
        let finished = loop {
            tokio::select! {
                finished = &mut running => break finished,
                changed = cancel.changed(), if may_cancel => {
                    if changed.is_err() {
                        may_cancel = false;
                    } else if *cancel.borrow_and_update() {
                        may_cancel = false;
                        if let Some(reins) = &reins {
                            reins.cancel();
                        }
                    }
                }
            }
        };
        match finished {
            Ok(Ok(reader)) => reader.into_outcome(started_at),
            Ok(Err(message)) => not_started(started_at, &message),
            Err(_) => not_started(started_at, "The command could not be followed to its end."),
        }
    }
}

fn millis(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
}

fn not_started(started_at: Time, message: &str) -> RunOutcome {
    ended_without_running(started_at, ExitStatus::NotStarted { message: message.to_owned() })
}

fn ended_without_running(started_at: Time, exit_status: ExitStatus) -> RunOutcome {
    RunOutcome {
        exit_status,
        stdout: String::new(),
        stderr: String::new(),
        output: String::new(),
        omitted_lines: 0,
        started_at,
        ended_at: Time::now(),
        shell: None,
        leftovers: 0,
    }
}
