//! Takes in all that a worker says about its command: how it ends, its output, the state it leaves.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::environment::BaseEnvironment;
use super::living::{Kept, Lease};
use super::output::Output;
use super::pace::Pace;
use super::spare::{Reins, Waiting, Workers};
use super::turns::Turns;
use super::unchanged::Foreseen;
use super::wire::{self, Ending, Frame, Report};
use super::{RunOutcome, RunRequest, Running, Trail, lost, spare, state};
use crate::protocol::{ExitStatus, ShellState, Time};

/// For the heads of frames; their bodies are longer and pass it by.
const PIPE_BYTES: usize = 8 * 1024;

#[derive(Debug)]
pub(super) struct Reader {
    request: RunRequest,
    foreseen: Foreseen,
    base: BaseEnvironment,
    /// Where the worker goes once its command is gone, if not to the shell that lives on in it.
    workers: Workers,
    lease: Option<Lease>,
    jobs: Option<Vec<Running>>,
    turns: Arc<Turns>,
    output: Output,
    leader: Option<i32>,
    group: Option<PathBuf>,
    ending: Option<Ending>,
    failed: Option<String>,
    /// How many were ended, once all are gone.
    gone: Option<u32>,
    /// The worker takes another command.
    stays: bool,
    shell: Option<ShellState>,
    trail: Trail,
    /// When it was at work.
    work: Option<Vec<(u64, u64)>>,
}

impl Reader {
    pub(super) fn new(
        request: RunRequest,
        foreseen: Foreseen,
        base: BaseEnvironment,
        workers: Workers,
        lease: Option<Lease>,
        turns: Arc<Turns>,
        output: Output,
    ) -> Self {
        Self {
            request,
            foreseen,
            base,
            workers,
            lease,
            jobs: None,
            turns,
            output,
            leader: None,
            group: None,
            ending: None,
            failed: None,
            gone: None,
            stays: false,
            shell: None,
            trail: Trail::default(),
            work: None,
        }
    }

    /// Reads to the end, and gives the worker back or sees it off. Blocks.
    pub(super) fn read(mut self, mut child: Child, stdout: ChildStdout, reins: &Weak<Reins>) -> Self {
        let mut from = BufReader::with_capacity(PIPE_BYTES, stdout);
        let mut pace = Pace::new(Instant::now());
        loop {
            match wire::read_frame(&mut from) {
                Ok(Some(Frame::Report(report))) => {
                    self.report(report);
                    if self.gone.is_some() {
                        // Its last word. Its own end is nothing that a command should wait for.
                        break;
                    }
                }
                Ok(Some(Frame::Output(batch))) => {
                    let turn = self.turns.wait();
                    let begun = Instant::now();
                    self.output.take(batch.pieces());
                    drop(turn);
                    drop(batch);
                    thread::sleep(pace.rest_after(begun, Instant::now()));
                }
                Ok(Some(Frame::Late { number, stream, bytes })) => {
                    if let Some(lease) = &self.lease {
                        lease.late(number, stream, &bytes);
                    }
                }
                Ok(Some(Frame::State { own_umask, text })) => {
                    self.shell =
                        state::parse(&text, own_umask, &self.base, &self.request, self.lease.is_some());
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "the worker's words could not be read");
                    // What it says makes no sense any more; it must not go on.
                    let _ = child.kill();
                    break;
                }
            }
        }
        self.output.finish();
        if self.gone.is_some() {
            // Whoever ran the command may have gone, and the reins with them.
            let stdin = reins
                .upgrade()
                .filter(|_| self.stays && from.buffer().is_empty())
                .and_then(|reins| reins.take());
            match stdin {
                Some(stdin) => self.give_back(child, stdin, from.into_inner()),
                None => {
                    drop(from);
                    spare::see_off(child);
                    self.workers.replenish();
                }
            }
            return self;
        }
        drop(from);
        let _ = child.wait();
        if let Some(group) = &self.group {
            lost::end_group(group);
        }
        if let Some(leader) = self.leader {
            lost::end_session(leader);
        }
        self
    }

    fn give_back(&mut self, child: Child, stdin: ChildStdin, stdout: ChildStdout) {
        match (self.lease.take(), &self.jobs) {
            (Some(lease), Some(jobs)) => {
                let kept = Kept { waiting: Waiting::of(child, stdin, stdout), state: self.shell.clone() };
                let late = self.output.late(&self.request);
                lease.give_back(kept, jobs.clone(), late);
            }
            (None, _) | (_, None) => self.workers.take_back(child, stdin, stdout),
        }
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::Started { pid, group } => {
                if group.is_none() {
                    self.workers.want_groups();
                }
                (self.leader, self.group) = (Some(pid), group);
            }
            Report::Ended { ending, trail, work } => {
                self.trail = trail;
                self.work = Some(work);
                if matches!(ending, Ending::Code { .. }) && self.foreseen.unchanged {
                    self.shell = Some(self.request.shell.clone());
                }
                self.ending = Some(ending);
            }
            Report::Gone { leftovers, survivors, stays, jobs } => {
                if survivors > 0 {
                    tracing::warn!(survivors, "processes of a command could not be ended");
                }
                self.gone = Some(leftovers);
                (self.stays, self.jobs) = (stays, jobs);
            }
            Report::Failed { message } => self.failed = Some(message),
        }
    }

    /// `took`: by the monotonic clock.
    pub(super) fn into_outcome(self, started_at: Time, took: Duration) -> RunOutcome {
        let outcome = RunOutcome::new(self.exit_status(), self.output.into_kept(), started_at, took);
        let (trail, work) = (self.trail, self.work);
        RunOutcome {
            shell: self.shell,
            leftovers: self.gone.unwrap_or(0),
            jobs: self.jobs,
            trail,
            work,
            ..outcome
        }
    }

    fn exit_status(&self) -> ExitStatus {
        if let Some(message) = &self.failed {
            return ExitStatus::NotStarted { message: message.clone() };
        }
        // Only what is known to be gone has ended.
        let ended = self.ending.filter(|_| self.gone.is_some());
        ended.and_then(|ending| ending.status(&self.request)).unwrap_or_else(|| ExitStatus::NotStarted {
            message: "The helper process that watched this command was lost, so the command was stopped. \
                      It may have done part of its work. Check before you run it again."
                .to_owned(),
        })
    }
}
