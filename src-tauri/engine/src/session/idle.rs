//! What the user may ask while nothing runs: confirm, start, take up again, decide about a step, leave.

use std::sync::Arc;

use super::consent::Consents;
use super::needs::unmet_dependency;
use super::{Attendance, Session, not_now};
use crate::protocol::{
    Command, EngineError, ErrorCode, Event, Mode, PauseReason, Plan, PlanState, ServiceEnd, Step, StepId,
    StepState,
};

impl Session {
    /// A command while nothing runs. `true`: the run is to go on now.
    pub(super) async fn command(&mut self, command: Command) -> Result<bool, EngineError> {
        if let Command::AnswerInstructions { folder, digest, read } = command {
            return self.answer_instructions(folder, digest, read).await.map(|()| false);
        }
        if self.has_open_goal() {
            return self.on_paused_goal(command).await;
        }
        match command {
            Command::Pursue { request } => self.set_goal(request).await,
            Command::Resume { .. } if self.ended_goal().is_some() => self.resume_goal().await,
            Command::Escalate if self.ended_goal().is_some() => self.escalate_goal().await,
            Command::Guide { text } if self.ended_goal().is_some() => {
                self.guide_goal(text).await?;
                self.resume_goal().await
            }
            Command::StartSubGoal { .. }
            | Command::EditTodos { .. }
            | Command::AnswerQuestion { .. }
            | Command::TakeOver { .. }
            | Command::AnswerInstructions { .. }
            | Command::HandBack { .. } => Err(not_now("No goal is being worked on.")),
            Command::Rename { title } => self.rename(title).await.map(|()| false),
            Command::StopService { service_id } => self.stop_service(service_id).map(|()| false),
            Command::EndJob { pid } => self.end_job(pid).await.map(|()| false),
            Command::KeepJobs => self.keep_jobs().await.map(|()| false),
            Command::StartService { service_id } => self.start_service_again(service_id).await,
            Command::Confirm { revision, allowed } => self.confirm(revision, allowed).await.map(|()| false),
            Command::Reject => {
                let plan = self.plan()?.clone();
                self.require(
                    |state| matches!(state, PlanState::Draft),
                    "Only a plan that waits can be rejected.",
                )?;
                self.emit(vec![Event::PlanRejected { plan_id: plan.id }]).await?;
                self.go_on_without_plan(&plan).await
            }
            // A run that was started and ended is taken up again.
            Command::Start { mode } => self.resume(mode).await,
            Command::Resume { mode } => self.resume(mode).await,
            Command::Pause => Err(not_now("Nothing is running.")),
            Command::Cancel => self.cancel_idle().await.map(|()| false),
            Command::RunStep { step_id } | Command::Retry { step_id } => self.retry(step_id).await,
            Command::Skip { step_id, with_dependents } => self.skip_idle(step_id, with_dependents).await,
            Command::Edit { step_id, command, run } => {
                let state = self.step_state(&step_id)?.clone();
                self.edit(&step_id, &command).await?;
                if !run {
                    return Ok(false);
                }
                match (&self.plan()?.state, state) {
                    (PlanState::Draft | PlanState::Ready, _) => Ok(false),
                    (_, StepState::Pending | StepState::AwaitingRun | StepState::AwaitingApproval { .. }) => {
                        self.resume(None).await
                    }
                    (_, _) => self.retry(step_id).await,
                }
            }
            Command::SetMode { mode } => {
                self.require(|state| !matches!(state, PlanState::Completed), "The plan is done.")?;
                self.emit(vec![Event::ModeChanged { mode }]).await.map(|()| false)
            }
            // An answer to a question that was open when the run paused: the user wants it to go on.
            Command::Answer { approval_id, answer } => {
                self.check_answer(approval_id, &answer)?;
                self.control.answer = Some((approval_id, answer));
                self.resume(None).await
            }
            Command::Guide { text } => self.guide(text).await,
            Command::Escalate => self.escalate().await,
            Command::Say { text, route, replaces } => self.say(text, route, replaces).await,
            Command::Interrupt => Err(not_now("Nothing is being worked on.")),
            Command::AddStep { after, title, command } => {
                self.add_step(after, title, command).await.map(|()| false)
            }
            Command::RemoveStep { step_id } => self.remove_step(&step_id).await.map(|()| false),
            Command::ChooseWay { choice, way } => self.choose_way(choice, way).await.map(|()| false),
            Command::GiveInputs { values } => self.give_inputs(values).await.map(|()| false),
            Command::TakeIn { block } => self.take_in(block).await.map(|()| false),
            Command::SortPage => self.sort_page().await.map(|()| false),
            Command::MendPage => self.mend_page().await.map(|()| false),
            Command::Undo { target, token, overwrite } => {
                self.undo(target, token, overwrite).await.map(|()| false)
            }
            Command::MoveStep { step_id, to } => self.move_step(&step_id, to).await.map(|()| false),
            Command::RaiseBudget => {
                let step_id = self.stuck_step()?;
                if self.state.ledger.corrections_allowed > crate::protocol::MAX_TOTAL_CORRECTIONS {
                    return Err(not_now("The budget of this run was raised once already."));
                }
                self.emit(vec![Event::BudgetRaised]).await?;
                self.control.reconsider = Some(step_id);
                self.go_on(Mode::Agentic).await
            }
        }
    }

    pub(super) async fn rename(&mut self, title: String) -> Result<(), EngineError> {
        let title = title.trim().to_owned();
        if title.is_empty() {
            return Err(EngineError::new(ErrorCode::InvalidInput, "Give the session a name."));
        }
        self.emit(vec![Event::SessionRenamed { title }]).await
    }

    async fn confirm(&mut self, revision: u32, allowed: Vec<StepId>) -> Result<(), EngineError> {
        let plan = self.plan()?;
        if plan.revision != revision {
            return Err(not_now("The plan has changed since you saw it. Look at it again."));
        }
        self.require(
            |state| matches!(state, PlanState::Draft | PlanState::Ready),
            "The plan was confirmed already.",
        )?;
        let plan = self.plan()?;
        let consents = Consents::given(plan, &allowed);
        let plan_id = plan.id;
        self.emit(vec![Event::PlanConfirmed { plan_id, revision, allowed }]).await?;
        self.consents = consents;
        Ok(())
    }

    async fn start(&mut self, mode: Option<Mode>) -> Result<bool, EngineError> {
        self.require_room().await?;
        self.inputs_are_given()?;
        let (draft, revision) = (self.plan()?.state == PlanState::Draft, self.plan()?.revision);
        if draft {
            self.confirm(revision, Vec::new()).await?;
        }
        self.workspace_exists()?;
        let plan = self.plan()?;
        let started = Event::PlanStarted { plan_id: plan.id, mode: mode.unwrap_or(plan.mode) };
        self.emit(vec![started]).await?;
        Ok(true)
    }

    async fn resume(&mut self, mode: Option<Mode>) -> Result<bool, EngineError> {
        let plan = self.plan()?;
        let mode = mode.unwrap_or(plan.mode);
        match &plan.state {
            PlanState::Draft | PlanState::Ready => return self.start(Some(mode)).await,
            PlanState::Running | PlanState::Recovering { .. } => return Err(not_now("The plan is running.")),
            PlanState::Completed => return Err(not_now("The plan is done.")),
            PlanState::Paused { .. }
            | PlanState::Stuck { .. }
            | PlanState::Failed { .. }
            | PlanState::Cancelled => {}
        }
        if let Some(step) = plan.steps.iter().find(|step| matches!(step.state, StepState::Interrupted { .. }))
        {
            return Err(not_now(format!(
                "\"{}\" was running when the program ended. Decide first: run it again, or skip it.",
                step.title
            )));
        }
        let resets = resets(plan);
        self.inputs_are_given()?;
        self.workspace_exists()?;
        self.require_room().await?;
        // A failure that the brain was asked about when the program ended is asked about again, not run again.
        let unanswered = self.history.unanswered().filter(|id| {
            plan.step(id).is_some_and(|step| matches!(step.state, StepState::Recovering { .. }))
        });
        let reconsider = unanswered.filter(|_| mode == Mode::Agentic).cloned();
        // With nobody there it stopped the run, and whoever takes that up has done it, unless it is to be left out.
        let done_by_hand = match (&plan.state, &self.shared.attendance) {
            (PlanState::Paused { reason: PauseReason::Manual { step_id } }, Attendance::Nobody(policy))
                if !policy.skips_manual() =>
            {
                Some(step_id.clone())
            }
            _ => None,
        };
        (self.control.reconsider, self.control.released) = (reconsider, done_by_hand);
        self.emit(resets).await?;
        self.go_on(mode).await
    }

    async fn retry(&mut self, step_id: StepId) -> Result<bool, EngineError> {
        match self.step_state(&step_id)? {
            StepState::Completed { .. } => return Err(not_now("That step is done.")),
            StepState::Failed { .. }
            | StepState::Interrupted { .. }
            | StepState::Skipped { .. }
            | StepState::Cancelled
            | StepState::Recovering { .. } => {}
            StepState::Pending
            | StepState::AwaitingRun
            | StepState::AwaitingApproval { .. }
            | StepState::Running { .. } => return Err(not_now("That step has not run yet.")),
        }
        self.require(
            |state| !matches!(state, PlanState::Draft | PlanState::Ready | PlanState::Completed),
            "Start the plan first.",
        )?;
        self.inputs_are_given()?;
        self.workspace_exists()?;
        self.require_room().await?;
        let mode = self.plan()?.mode;
        let plan = self.plan()?;
        let held_up = plan.steps.iter().filter(|step| step.id != step_id && was_held_up(plan, step));
        let resets = std::iter::once(&step_id).chain(held_up.map(|step| &step.id)).map(reset).collect();
        self.emit(resets).await?;
        if mode == Mode::Teacher {
            self.control.released = Some(step_id);
        }
        self.go_on(mode).await
    }

    async fn skip_idle(&mut self, step_id: StepId, with_dependents: bool) -> Result<bool, EngineError> {
        if matches!(self.step_state(&step_id)?, StepState::Completed { .. } | StepState::Skipped { .. }) {
            return Err(not_now("That step is finished."));
        }
        let waits_for_this = match &self.plan()?.state {
            PlanState::Stuck { step_id: stuck, .. } => *stuck == step_id,
            PlanState::Paused {
                reason:
                    PauseReason::Declined { step_id: s }
                    | PauseReason::NotKept { step_id: s, .. }
                    | PauseReason::StepFailed { step_id: s }
                    | PauseReason::Manual { step_id: s },
            } => *s == step_id,
            PlanState::Paused { reason: PauseReason::Interrupted } => {
                matches!(self.step_state(&step_id)?, StepState::Interrupted { .. })
            }
            PlanState::Failed { .. } => matches!(self.step_state(&step_id)?, StepState::Failed { .. }),
            PlanState::Paused { reason: PauseReason::User | PauseReason::NoRoom { .. } }
            | PlanState::Draft
            | PlanState::Ready
            | PlanState::Running
            | PlanState::Recovering { .. }
            | PlanState::Completed
            | PlanState::Cancelled => false,
        };
        if waits_for_this {
            self.inputs_are_given()?;
        }
        let mode = self.plan()?.mode;
        if matches!(self.step_state(&step_id)?, StepState::Cancelled) {
            self.emit(vec![Event::StepReset { step_id: step_id.clone() }]).await?;
        }
        let skipped = self.skipped(step_id, with_dependents)?;
        self.emit(skipped).await?;
        if waits_for_this { self.go_on(mode).await } else { Ok(false) }
    }

    async fn guide(&mut self, text: String) -> Result<bool, EngineError> {
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Err(EngineError::new(ErrorCode::InvalidInput, "Write what the agent should do."));
        }
        let step_id = self.stuck_step()?;
        self.emit(vec![Event::GuidanceGiven { step_id: step_id.clone(), text: text.clone() }]).await?;
        self.control.guidance = Some(text);
        self.control.reconsider = Some(step_id);
        self.go_on(Mode::Agentic).await
    }

    async fn cancel_idle(&mut self) -> Result<(), EngineError> {
        let plan = self.plan()?;
        match &plan.state {
            PlanState::Draft | PlanState::Ready | PlanState::Paused { .. } | PlanState::Stuck { .. } => {
                self.end_all_services(ServiceEnd::Stopped).await?;
                let gone_at = Some(crate::protocol::Time::now());
                self.emit(vec![Event::PlanCancelled { gone_at }]).await
            }
            PlanState::Running
            | PlanState::Recovering { .. }
            | PlanState::Completed
            | PlanState::Failed { .. }
            | PlanState::Cancelled => Err(not_now("The run is over.")),
        }
    }

    pub(super) async fn go_on(&mut self, mode: Mode) -> Result<bool, EngineError> {
        self.emit(vec![Event::PlanResumed { mode }]).await?;
        Ok(true)
    }
}

/// What goes back to pending when the user takes the run up again: failed and cancelled steps, and those that were
/// skipped because of them.
fn resets(plan: &Plan) -> Vec<Event> {
    let ended = |step: &&Arc<Step>| {
        matches!(step.state, StepState::Failed { .. } | StepState::Cancelled) || was_held_up(plan, step)
    };
    plan.steps.iter().filter(ended).map(|step| reset(&step.id)).collect()
}

/// Skipped because something that it needs did not complete.
fn was_held_up(plan: &Plan, step: &Step) -> bool {
    matches!(step.state, StepState::Skipped { .. }) && unmet_dependency(plan, step).is_some()
}

fn reset(step_id: &StepId) -> Event {
    Event::StepReset { step_id: step_id.clone() }
}
