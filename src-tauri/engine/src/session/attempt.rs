//! One attempt of one step: the record that it starts, the command, its check, the record of how it ended.

use std::sync::Arc;
use std::time::Duration;

use super::classifier::Assessed;
use super::control::Work;
use super::recovery::learn_of_success;
use super::run::is_runnable;
use super::services::Serving;
use super::skipping::skipped_by_user;
use super::undo::at_work;
use super::{Session, Shared};
use crate::approval::{Permit, StepPermit};
use crate::context::plain_text;
use crate::exit_status::Verdict;
use crate::journal::Durability;
use crate::keyboard;
use crate::protocol::{
    Action, AllowedBy, CorrectionOf, EngineError, ErrorCode, Event, ExitStatus, KeyboardEffect, PauseReason,
    Risk, SessionId, ShellState, Step, StepId, StepLimits, StepResult, TerminalRun, Update, VerifyResult,
};
use crate::runner::{Live, RunOutcome, RunRequest, Terminal};
use crate::secret::About;

/// How an attempt went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    Succeeded,
    Failed,
    /// Ended by the user's wish.
    Stopped,
    /// It did not start, and the run has paused; the events say why.
    NotRun,
}

/// What is wanted of a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputWanted {
    /// Both streams, told apart, and the whole on disk.
    Apart,
    /// All in the exact order, and the whole on disk.
    InOrder,
    /// In a terminal with the user at it; the whole on disk.
    InTerminal,
    /// Head and tail, for a check.
    ShortOnly,
}

impl Session {
    pub(super) async fn attempt(
        &mut self,
        id: &StepId,
        permit: StepPermit,
        assessed: Box<Assessed>,
    ) -> Result<Attempt, EngineError> {
        let plan = self.plan()?;
        let revision = plan.revision;
        let Some(planned) = plan.step(id).cloned() else { return Ok(Attempt::Stopped) };
        let attempt = self.history.attempts(id);
        let shell = self.shell_for(id);
        let step = self.shared.classifier.as_it_runs(&planned, &shell).await;
        let in_terminal = permit.action.is_for_terminal();
        if let Some(need) = &assessed.assessment.keyboard
            && need.effect == KeyboardEffect::NotStarted
            && !in_terminal
        {
            return self.not_started(&step, &permit, keyboard::refusal(need)).await;
        }
        let kept = match self.keep(id, attempt, revision, &assessed.assessment).await? {
            Ok(kept) => kept,
            Err(error) if error.code == ErrorCode::DiskFull => {
                self.emit(vec![Event::PlanPaused { reason: self.no_room() }]).await?;
                return Ok(Attempt::NotRun);
            }
            Err(error) => {
                let reason = PauseReason::NotKept { step_id: id.clone(), why: error.message };
                self.emit(vec![Event::PlanPaused { reason }]).await?;
                return Ok(Attempt::NotRun);
            }
        };
        let checkpoint = kept.as_ref().map(|checkpoint| checkpoint.id);
        let started = Event::StepStarted {
            step_id: id.clone(),
            attempt,
            command: step.action.command().to_owned(),
            cwd: shell.cwd.clone(),
            revision,
            allowed_by: permit.action.allowed_by().clone(),
            terminal: in_terminal,
        };
        // The intent of anything above `caution` must survive a power cut.
        let durability =
            if assessed.assessment.risk > Risk::Caution { Durability::Synced } else { Durability::Normal };
        let kept = kept.map(|checkpoint| Event::CheckpointCreated { checkpoint });
        self.emit_with(kept.into_iter().chain([started]).collect(), durability).await?;

        if let Some(spec) = step.service.clone() {
            let serving = Serving { step, spec, attempt, revision, shell, permit, checkpoint };
            return self.serve(serving).await;
        }
        let (limits, action) = (step.limits, step.action.clone());
        let wanted = if in_terminal { OutputWanted::InTerminal } else { OutputWanted::Apart };
        let outcome =
            self.execute(id, limits, permit.action, action, &shell, revision, attempt, wanted).await?;
        let mut result = result_of(&step, attempt, &shell, &outcome);
        let work = at_work(&outcome);
        let changed = self.settle(checkpoint, work.clone()).await?;
        (result.files_changed, result.more_files_changed) = (changed.files, changed.more);
        if outcome.exit_status == ExitStatus::Cancelled {
            return self.attempt_stopped(result).await;
        }
        let failed = match self.verdict(step.action.command(), &step.ok_exit, &outcome).await? {
            Verdict::Done | Verdict::Answer(_) => None,
            Verdict::Failed(reason) => Some(reason),
        };
        let succeeded = failed.is_none();
        if succeeded && let (Some(verify), Some(permit)) = (&step.verify, permit.verify) {
            // The check sees what the step left, and leaves nothing itself.
            let after = outcome.shell.clone().unwrap_or_else(|| shell.clone());
            let check = self.verify(&step, permit, verify, &after, &shell, revision, attempt).await?;
            let changed = self.settle(checkpoint, work.and(at_work(&check))).await?;
            (result.files_changed, result.more_files_changed) = (changed.files, changed.more);
            if check.exit_status == ExitStatus::Cancelled {
                return self.attempt_stopped(result).await;
            }
            if check.exit_status.code() != Some(0) {
                result.verify = Some(VerifyResult {
                    command: verify.clone(),
                    exit_status: check.exit_status,
                    output: check.output.into(),
                });
                let reason = format!("It ran, but its check `{verify}` failed.");
                self.emit(vec![Event::StepFailed { result, reason }]).await?;
                return Ok(Attempt::Failed);
            }
        }
        if succeeded && !in_terminal {
            let need = assessed.assessment.keyboard.as_ref();
            if let Some(reason) = keyboard::unanswered(need, &plain_text(&outcome.output)) {
                self.emit(vec![Event::StepFailed { result, reason }]).await?;
                return Ok(Attempt::Failed);
            }
        }
        if let Some(reason) = failed {
            let asked = if in_terminal {
                None
            } else {
                keyboard::asked_in_vain(&plain_text(&outcome.stdout), &plain_text(&outcome.stderr))
            };
            let reason = asked.unwrap_or(reason);
            self.emit(vec![Event::StepFailed { result, reason }]).await?;
            return Ok(Attempt::Failed);
        }
        if outcome.shell.as_ref().is_some_and(|after| *after != shell) && step.is_repair() {
            // Commands mean something else in another shell state than the one that the user ticked them in.
            self.consents.clear();
        }
        self.attempt_succeeded(id, result, outcome.shell).await
    }

    pub(super) async fn attempt_succeeded(
        &mut self,
        id: &StepId,
        result: StepResult,
        shell: Option<ShellState>,
    ) -> Result<Attempt, EngineError> {
        learn_of_success(self, id, &result.command).await;
        let mut events = vec![Event::StepCompleted { result, shell }];
        if let Some(number) = self.history.open_correction(id) {
            events.push(Event::CorrectionSuccess { step_id: id.clone(), number, of: CorrectionOf::Step });
        }
        self.emit(events).await?;
        Ok(Attempt::Succeeded)
    }

    /// A permitted step that cannot work where nobody sits at a keyboard: an attempt like any other, but without a process.
    async fn not_started(
        &mut self,
        step: &Step,
        permit: &StepPermit,
        reason: String,
    ) -> Result<Attempt, EngineError> {
        let (attempt, cwd) = self.next_attempt(&step.id);
        let result = StepResult::not_started(step, attempt, &cwd, reason.as_str());
        let started = self.started_without_process(step, permit.action.allowed_by().clone())?;
        self.emit(vec![started, Event::StepFailed { result, reason }]).await?;
        Ok(Attempt::Failed)
    }

    /// The number of a step's next attempt, and the folder that it is made in.
    pub(super) fn next_attempt(&self, id: &StepId) -> (u32, String) {
        (self.history.attempts(id), self.shell_for(id).cwd)
    }

    /// The beginning of an attempt that has no process.
    pub(super) fn started_without_process(
        &self,
        step: &Step,
        allowed_by: AllowedBy,
    ) -> Result<Event, EngineError> {
        let (attempt, cwd) = self.next_attempt(&step.id);
        Ok(Event::StepStarted {
            step_id: step.id.clone(),
            attempt,
            command: step.action.command().to_owned(),
            cwd,
            revision: self.plan()?.revision,
            allowed_by,
            terminal: false,
        })
    }

    /// A stopped run cancels the step; one that the user skipped goes on as skipped; one that ends with the program is
    /// interrupted, and the user decides about it next time.
    pub(super) async fn attempt_stopped(&mut self, result: StepResult) -> Result<Attempt, EngineError> {
        let (step_id, attempt) = (result.step_id.clone(), result.attempt_index);
        let events = if self.control.closing {
            let reason = PauseReason::Interrupted;
            vec![Event::StepInterrupted { step_id, attempt }, Event::PlanPaused { reason }]
        } else if self.control.skip.as_ref() == Some(&step_id) {
            vec![
                Event::StepCancelled { step_id: step_id.clone(), result: Some(result) },
                Event::StepReset { step_id: step_id.clone() },
                skipped_by_user(step_id),
            ]
        } else {
            vec![Event::StepCancelled { step_id, result: Some(result) }]
        };
        self.emit(events).await?;
        Ok(Attempt::Stopped)
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) async fn verify(
        &mut self,
        step: &Step,
        permit: Permit,
        verify: &str,
        after: &ShellState,
        before: &ShellState,
        revision: u32,
        attempt: u32,
    ) -> Result<RunOutcome, EngineError> {
        // The permit is bound to the folder that was judged; a step that moved elsewhere is checked from there only
        // when that is where it was judged.
        let mut shell = after.clone();
        shell.cwd.clone_from(&before.cwd);
        let action = Action::shell(verify);
        let wanted = OutputWanted::ShortOnly;
        self.execute(&step.id, step.limits, permit, action, &shell, revision, attempt, wanted).await
    }

    fn terminal(&self, id: &StepId, attempt: u32) -> Arc<Terminal> {
        let shared = Arc::downgrade(&self.shared);
        let run = TerminalRun { step_id: id.clone(), attempt };
        self.shared.terminals.open(self.state.id, run, &self.shared.redactor, move |update| {
            if let Some(shared) = shared.upgrade() {
                shared.hub.publish(update);
            }
        })
    }

    /// Runs one action, of a step or of a call, and answers commands meanwhile.
    #[allow(clippy::too_many_arguments)]
    pub(super) async fn execute(
        &mut self,
        id: &StepId,
        limits: StepLimits,
        permit: Permit,
        action: Action,
        shell: &ShellState,
        revision: u32,
        attempt: u32,
        wanted: OutputWanted,
    ) -> Result<RunOutcome, EngineError> {
        let command = action.command().to_owned();
        let running = self.running(id, limits, permit, action, shell, revision, attempt, wanted);
        let outcome = self.attend(running).await?;
        self.note_jobs(id, attempt, &command, &outcome).await?;
        Ok(outcome)
    }

    /// Whether no other step of the run comes behind this one, and nothing of it is to run on behind the run.
    fn is_last(&self, id: &StepId, command: &str) -> bool {
        let starts_a_job = command.replace("&&", "").replace(">&", "").replace("&>", "").contains('&');
        let runs_on = starts_a_job || !self.state.jobs.is_empty();
        if runs_on && !self.is_unattended() {
            return false;
        }
        self.state.plan.as_ref().is_some_and(|plan| {
            plan.step(id).is_some() && plan.steps.iter().all(|step| step.id == *id || !is_runnable(step))
        })
    }

    /// One action at work, which sends its output on while it comes; it ends when the session's stop is set.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn running(
        &self,
        id: &StepId,
        limits: StepLimits,
        permit: Permit,
        action: Action,
        shell: &ShellState,
        revision: u32,
        attempt: u32,
        wanted: OutputWanted,
    ) -> Work<RunOutcome> {
        let settings = self.shared.settings();
        let seconds = |own: Option<u32>, default: u32| Duration::from_secs(u64::from(own.unwrap_or(default)));
        let (keeps_file, one_pipe) = match wanted {
            OutputWanted::Apart => (true, false),
            OutputWanted::InOrder | OutputWanted::InTerminal => (true, true),
            OutputWanted::ShortOnly => (false, false),
        };
        let output_file = keeps_file.then(|| self.shared.journal.output_path(self.state.id, id, attempt));
        let terminal = (wanted == OutputWanted::InTerminal).then(|| self.terminal(id, attempt));
        // Whoever sits at a terminal may think for as long as they like; only a limit of the step's own counts there.
        let (wall_limit, silence_limit) = match (&terminal, limits.wall_seconds) {
            (None, own) => (
                seconds(own, settings.wall_seconds),
                seconds(limits.silence_seconds, settings.silence_seconds),
            ),
            (Some(_), Some(own)) => (Duration::from_secs(own.into()), Duration::MAX),
            (Some(_), None) => (Duration::MAX, Duration::MAX),
        };
        let about = About {
            session_id: self.state.id,
            step_id: id.clone(),
            command: action.command().to_owned(),
            cwd: shell.cwd.clone(),
            wall_limit,
            silence_limit,
        };
        let leave = self.shared.askpass.allow(about, self.notes.clone());
        let askpass = terminal.is_none().then(|| leave.door());
        let is_last = self.is_last(id, action.command());
        let request = RunRequest {
            action,
            revision,
            shell: shell.clone(),
            withheld: self.withheld.clone(),
            wall_limit,
            silence_limit,
            askpass,
            output_file,
            output_cap: u64::from(settings.output_mib) << 20,
            one_pipe,
            terminal: terminal.clone(),
            // A check leaves nothing behind.
            living: keeps_file.then(|| self.living.clone()),
            is_last,
        };
        let live = live(Arc::clone(&self.shared), self.state.id, id.clone(), attempt);
        let runner = Arc::clone(&self.shared.runner);
        let stop = self.control.stop.subscribe();
        Box::pin(async move {
            let outcome = runner.run(permit, request, live, stop).await;
            // What it still asked is over before the event that says how it ended.
            drop(leave);
            if let Some(terminal) = terminal {
                terminal.end();
            }
            outcome
        })
    }
}

/// Sends output on while it comes.
pub(super) fn live(shared: Arc<Shared>, session_id: SessionId, step_id: StepId, attempt: u32) -> Live {
    Box::new(move |chunks| {
        shared.hub.publish(Update::Output { session_id, step_id: step_id.clone(), attempt, chunks });
    })
}

pub(super) fn result_of(step: &Step, attempt: u32, shell: &ShellState, outcome: &RunOutcome) -> StepResult {
    StepResult {
        step_id: step.id.clone(),
        attempt_index: attempt,
        command: step.action.command().to_owned(),
        cwd: shell.cwd.clone(),
        exit_status: outcome.exit_status.clone(),
        stdout: outcome.stdout.clone(),
        stderr: outcome.stderr.clone(),
        output: outcome.output.clone(),
        omitted_lines: outcome.omitted_lines,
        started_at: outcome.started_at,
        ended_at: outcome.ended_at,
        files_changed: Vec::new(),
        more_files_changed: 0,
        verify: None,
        leftovers: outcome.leftovers,
    }
}
