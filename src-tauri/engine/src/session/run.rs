//! The walk through the plan (E1, E2, E3): by index, re-reading the plan after every mutation, in one of three
//! strategies that differ only in what comes before a step and after a failure.

use super::admission::Admitted;
use super::attempt::Attempt;
use super::{Attendance, Session, recovery};
use crate::protocol::{
    AllowedBy, EngineError, Event, Mode, OnFailure, PauseReason, Plan, STEP_FAILED, ServiceEnd, Step, StepId,
    StepOrigin, StepResult, StepState, Time,
};

/// What the walk does after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    Continue,
    /// The run has ended or waits for the user; the events say how.
    End,
}

/// Leads the run of a session's plan. It holds nothing of its own: where the run stands is the session's state.
pub(super) struct PlanExecutor<'s> {
    session: &'s mut Session,
}

impl<'s> PlanExecutor<'s> {
    pub(super) fn of(session: &'s mut Session) -> Self {
        Self { session }
    }

    /// Runs until the plan ends, pauses or is stuck.
    pub(super) async fn run(&mut self) -> Result<(), EngineError> {
        while self.advance().await? == Next::Continue {}
        Ok(())
    }

    async fn advance(&mut self) -> Result<Next, EngineError> {
        if self.session.control.closing {
            // The record says how far it came; the next start takes it up from there.
            return Ok(Next::End);
        }
        if self.session.control.cancel {
            return self.cancelled().await;
        }
        if self.session.control.pause {
            self.session.emit(vec![Event::PlanPaused { reason: PauseReason::User }]).await?;
            return Ok(Next::End);
        }
        // A secret that was given is gone with the program that held it, and no step runs without.
        if self.session.inputs_are_given().is_err() {
            self.session.emit(vec![Event::PlanPaused { reason: PauseReason::User }]).await?;
            return Ok(Next::End);
        }
        if self.session.is_out_of_room().await {
            let paused = Event::PlanPaused { reason: self.session.no_room() };
            self.session.emit(vec![paused]).await?;
            return Ok(Next::End);
        }
        self.session.control.skip = None;
        self.session.control.stop.renew();
        if let Some(id) = self.session.control.reconsider.take() {
            return recovery::recover(self.session, &id).await;
        }
        let plan = self.session.plan()?;
        let Some(step) = self.next_step(plan) else {
            return self.finish().await;
        };
        let (step, mode) = (step.clone(), plan.mode);
        if let Some(reason) = self.session.unmet_need(&step).await? {
            let skipped = Event::StepSkipped { step_id: step.id.clone(), reason };
            self.session.emit(vec![skipped]).await?;
            return Ok(Next::Continue);
        }
        if step.action.is_manual() {
            return self.by_hand(&step).await;
        }
        if mode == Mode::Teacher && !self.released(&step).await? {
            return Ok(self.unreleased());
        }
        match self.session.admit(&step).await? {
            Admitted::Run(permit, assessed) => {
                let attempt = self.session.attempt(&step.id, permit, assessed).await?;
                self.after(&step.id, attempt).await
            }
            Admitted::Changed => Ok(Next::Continue),
            Admitted::Refused => Ok(Next::End),
        }
    }

    /// Where one step was asked for alone: this and what mends it, and nothing behind it.
    fn next_step<'a>(&self, plan: &'a Plan) -> Option<&'a Step> {
        let alone = self.session.history.alone();
        next_step(plan, |step| alone.is_none_or(|alone| step.id == *alone || mends(step, alone)))
    }

    /// Waits until the user has done it. With nobody there it is left to them: skipped, or the run stops until it is taken
    /// up again, which says that it is done.
    async fn by_hand(&mut self, step: &Step) -> Result<Next, EngineError> {
        let is_done = self.session.control.released.as_ref() == Some(&step.id);
        if let (Attendance::Nobody(policy), false) = (&self.session.shared.attendance, is_done) {
            let (step_id, skips) = (step.id.clone(), policy.skips_manual());
            let event = if skips {
                Event::StepSkipped { step_id, reason: "It is done by hand, and nobody was here.".to_owned() }
            } else {
                Event::PlanPaused { reason: PauseReason::Manual { step_id } }
            };
            self.session.emit(vec![event]).await?;
            return Ok(if skips { Next::Continue } else { Next::End });
        }
        if !self.released(step).await? {
            return Ok(Next::Continue);
        }
        let (attempt, cwd) = self.session.next_attempt(&step.id);
        let result = StepResult::by_hand(step, attempt, &cwd);
        let started = self.session.started_without_process(step, AllowedBy::User)?;
        self.session.emit(vec![started, Event::StepCompleted { result, shell: None }]).await?;
        Ok(Next::Continue)
    }

    /// Teacher: waits for Run on this step. An open question about it means that it was released already.
    async fn released(&mut self, step: &Step) -> Result<bool, EngineError> {
        if matches!(step.state, StepState::AwaitingApproval { .. })
            || self.session.control.released.as_ref() == Some(&step.id)
        {
            self.session.control.released = None;
            return Ok(true);
        }
        if step.state != StepState::AwaitingRun {
            self.session.emit(vec![Event::StepAwaitingRun { step_id: step.id.clone() }]).await?;
        }
        if self.session.is_unattended() {
            let reason = PauseReason::Declined { step_id: step.id.clone() };
            self.session
                .emit(vec![Event::StepReset { step_id: step.id.clone() }, Event::PlanPaused { reason }])
                .await?;
            self.session.control.pause = true;
            return Ok(false);
        }
        self.session.wait_for_release(&step.id).await
    }

    fn unreleased(&self) -> Next {
        if self.session.is_unattended() { Next::End } else { Next::Continue }
    }

    async fn after(&mut self, id: &StepId, attempt: Attempt) -> Result<Next, EngineError> {
        match attempt {
            Attempt::Succeeded => Ok(Next::Continue),
            Attempt::Stopped => self.stopped(id).await,
            Attempt::NotRun => Ok(Next::End),
            Attempt::Failed => match self.session.plan()?.mode {
                Mode::Agentic => recovery::recover(self.session, id).await,
                Mode::Teacher => {
                    let reason = PauseReason::StepFailed { step_id: id.clone() };
                    self.session.emit(vec![Event::PlanPaused { reason }]).await?;
                    Ok(Next::End)
                }
                Mode::Planner => self.after_failure(id).await,
            },
        }
    }

    /// The running command was ended by the user's wish: to skip this step, or to stop the run.
    async fn stopped(&mut self, id: &StepId) -> Result<Next, EngineError> {
        if self.session.control.closing {
            return Ok(Next::End);
        }
        if self.session.control.skip.take().is_some_and(|skip| skip == *id) {
            return Ok(Next::Continue);
        }
        self.cancelled().await
    }

    async fn cancelled(&mut self) -> Result<Next, EngineError> {
        self.session.end_all_services(ServiceEnd::Stopped).await?;
        self.session.end_shell().await?;
        // Whatever ran has been seen to be gone before its attempt returned.
        self.session.emit(vec![Event::PlanCancelled { gone_at: Some(Time::now()) }]).await?;
        Ok(Next::End)
    }

    /// E3, for a run that does not mend itself.session.
    async fn after_failure(&mut self, id: &StepId) -> Result<Next, EngineError> {
        let plan = self.session.plan()?;
        let title = plan.step(id).map(|step| step.title.clone()).unwrap_or_default();
        let reason = match plan.on_failure {
            OnFailure::Continue => return Ok(Next::Continue),
            OnFailure::Stop => format!("\"{title}\" failed, and Planner stops at the first failure."),
            OnFailure::Rollback => {
                let undone = self.session.roll_back(id).await?;
                format!("\"{title}\" failed. {undone}")
            }
        };
        self.session.emit(vec![Event::PlanFailed { code: STEP_FAILED.to_owned(), reason }]).await?;
        Ok(Next::End)
    }

    /// No step is left to run.
    async fn finish(&mut self) -> Result<Next, EngineError> {
        let plan = self.session.plan()?;
        let failed = plan.steps.iter().filter(|step| matches!(step.state, StepState::Failed { .. })).count();
        if let Some(step) = plan.steps.iter().find(|step| !step.state.is_finished()) {
            // Only an interrupted step is neither runnable nor finished here; the user decides about it.
            let reason = match step.state {
                StepState::Interrupted { .. } => PauseReason::Interrupted,
                _ => PauseReason::User,
            };
            self.session.emit(vec![Event::PlanPaused { reason }]).await?;
            return Ok(Next::End);
        }
        let end = if failed > 0 {
            let steps = if failed == 1 { "1 step".to_owned() } else { format!("{failed} steps") };
            let skipped = count(plan, |step| matches!(step.state, StepState::Skipped { .. }));
            let others = match skipped {
                0 => "the others are done".to_owned(),
                1 => "1 was skipped, the others are done".to_owned(),
                many => format!("{many} were skipped, the others are done"),
            };
            Event::PlanFailed { code: STEP_FAILED.to_owned(), reason: format!("{steps} failed; {others}.") }
        } else {
            Event::PlanCompleted {
                steps: count(plan, |step| matches!(step.state, StepState::Completed { .. })),
                repairs: count(plan, Step::is_repair),
                skipped: count(plan, |step| matches!(step.state, StepState::Skipped { .. })),
            }
        };
        if self.session.state.jobs.is_empty() || self.session.is_unattended() {
            self.session.close_shell().await?;
        }
        self.session.emit(vec![end]).await?;
        Ok(Next::End)
    }
}

fn count(plan: &Plan, what: impl Fn(&Step) -> bool) -> u32 {
    plan.steps.iter().filter(|step| what(step)).count() as u32
}

/// The first step of those wanted, by index, that is to run and does not wait for one that is still to run.
fn next_step(plan: &Plan, is_wanted: impl Fn(&Step) -> bool) -> Option<&Step> {
    let next = plan.steps.iter().find(|step| {
        is_wanted(step) && is_runnable(step) && step.depends_on.iter().all(|id| is_settled(plan, id))
    });
    next.map(AsRef::as_ref)
}

fn mends(step: &Step, id: &StepId) -> bool {
    matches!(&step.origin, StepOrigin::Repair { for_step, .. } if for_step == id)
}

pub(super) fn is_runnable(step: &Step) -> bool {
    match step.state {
        StepState::Pending
        | StepState::AwaitingRun
        | StepState::AwaitingApproval { .. }
        | StepState::Recovering { .. } => true,
        StepState::Running { .. }
        | StepState::Completed { .. }
        | StepState::Failed { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled
        | StepState::Interrupted { .. } => false,
    }
}

fn is_settled(plan: &Plan, id: &StepId) -> bool {
    plan.step(id).is_none_or(|step| step.state.is_finished())
}

impl Session {
    pub(super) fn is_unattended(&self) -> bool {
        !self.shared.attendance.is_somebody()
    }
}
