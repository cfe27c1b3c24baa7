//! What commands have left running in the session's shell: told, listed, and ended by the user's word or with the shell.

use super::{Session, not_now};
use crate::protocol::{EngineError, Event, Job, StepId, Time};
use crate::runner::{RunOutcome, Running};

impl Session {
    /// Records what a command has left running, and what of the commands before has ended meanwhile.
    pub(super) async fn note_jobs(
        &mut self,
        step_id: &StepId,
        attempt: u32,
        command: &str,
        outcome: &RunOutcome,
    ) -> Result<(), EngineError> {
        let running = match &outcome.jobs {
            Some(running) => running.clone(),
            None => self.living.running(),
        };
        let (now, redactor) = (Time::now(), &self.shared.redactor);
        let jobs = running.into_iter().map(|Running { pid, command: words }| {
            let known = self.state.jobs.iter().find(|job| job.pid == pid).cloned();
            let job = known.unwrap_or_else(|| Job {
                pid,
                command: redactor.text(command),
                step_id: step_id.clone(),
                attempt,
                since: now,
                kept: false,
            });
            // A part of the shell itself has no words of its own, and may become another program.
            Job { command: words.map_or(job.command, |words| redactor.text(&words)), ..job }
        });
        self.set_jobs(jobs.collect()).await
    }

    async fn set_jobs(&mut self, jobs: Vec<Job>) -> Result<(), EngineError> {
        if jobs == self.state.jobs {
            return Ok(());
        }
        self.emit(vec![Event::JobsChanged { jobs }]).await
    }

    /// Takes what they have written, and those off the list that have ended by themselves.
    pub(super) async fn look_at_jobs(&mut self) -> Result<(), EngineError> {
        let living = self.living.clone();
        drop(tokio::task::spawn_blocking(move || living.look()).await);
        let running = self.living.running();
        let is_running = |job: &&Job| running.iter().any(|running| running.pid == job.pid);
        let jobs = self.state.jobs.iter().filter(is_running).cloned().collect();
        self.set_jobs(jobs).await
    }

    /// Ends one job and all that it has started.
    pub(super) async fn end_job(&mut self, pid: i32) -> Result<(), EngineError> {
        if !self.state.jobs.iter().any(|job| job.pid == pid) {
            return Err(not_now("That command is not running any more."));
        }
        let living = self.living.clone();
        drop(tokio::task::spawn_blocking(move || living.end_job(pid)).await);
        self.look_at_jobs().await
    }

    /// They need not be asked about again.
    pub(super) async fn keep_jobs(&mut self) -> Result<(), EngineError> {
        self.look_at_jobs().await?;
        let jobs = self.state.jobs.iter().map(|job| Job { kept: true, ..job.clone() });
        self.set_jobs(jobs.collect()).await
    }

    /// What the shell was to do at its end is done, and nothing runs in it any more.
    pub(super) async fn close_shell(&mut self) -> Result<(), EngineError> {
        let living = self.living.clone();
        drop(tokio::task::spawn_blocking(move || living.close()).await);
        self.set_jobs(Vec::new()).await
    }

    /// Kills the shell and all that runs in it.
    pub(super) async fn end_shell(&mut self) -> Result<(), EngineError> {
        let living = self.living.clone();
        drop(tokio::task::spawn_blocking(move || living.end()).await);
        self.set_jobs(Vec::new()).await
    }
}
