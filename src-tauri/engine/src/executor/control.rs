//! What the user may ask at any time (E6), and the waiting that stays open to it.

use std::future::Future;
use std::pin::Pin;

use tokio::sync::watch;

use super::{Message, Session, not_now};
use crate::approval::USER;
use crate::plan::mutator;
use crate::protocol::{
    ApprovalAnswer, ApprovalId, Author, Command, EngineError, ErrorCode, Event, Mode, PauseReason, Plan,
    PlanState, StepId, StepState,
};

/// Something that takes long, owning all it needs.
pub(super) type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Wishes that the run looks at between its moves.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) pause: bool,
    pub(super) cancel: bool,
    /// The running step is to be ended and skipped.
    pub(super) skip: Option<StepId>,
    /// The user's words for the brain, until it has been asked.
    pub(super) guidance: Option<String>,
    /// A step whose failure is to be looked at again before the run goes on.
    pub(super) reconsider: Option<StepId>,
    /// Teacher: the step that may run now.
    pub(super) released: Option<StepId>,
    answer: Option<(ApprovalId, ApprovalAnswer)>,
    /// Ends the command that runs now.
    pub(super) stop: watch::Sender<bool>,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            pause: false,
            cancel: false,
            skip: None,
            guidance: None,
            reconsider: None,
            released: None,
            answer: None,
            stop: watch::Sender::new(false),
        }
    }
}

impl Control {
    /// Whether whoever waits should stop waiting.
    fn interrupts(&self) -> bool {
        self.cancel || self.pause
    }
}

impl Session {
    /// Waits for `work` and answers commands meanwhile.
    pub(super) async fn attend<T>(&mut self, mut work: Work<T>) -> Result<T, EngineError> {
        loop {
            tokio::select! {
                biased;
                message = self.inbox.recv() => match message {
                    Some(message) => self.while_running(message).await?,
                    None => {
                        // The engine is going: end what runs, and wait for it to be gone.
                        self.control.cancel = true;
                        self.control.stop.send_replace(true);
                        return Ok(work.await);
                    }
                },
                done = &mut work => return Ok(done),
            }
        }
    }

    /// Like [`Self::attend`], but gives up on `work` when the run is to stop. `None` when given up.
    pub(super) async fn attend_unless_stopped<T: Send + 'static>(
        &mut self,
        work: Work<T>,
    ) -> Result<Option<T>, EngineError> {
        let mut stopped = self.control.stop.subscribe();
        let either = async move {
            tokio::select! {
                done = work => Some(done),
                _ = stopped.wait_for(|stop| *stop) => None,
            }
        };
        self.attend(Box::pin(either)).await
    }

    /// Waits until the user releases the step, or wants something else.
    pub(super) async fn wait_for_release(&mut self, id: &StepId) -> Result<bool, EngineError> {
        loop {
            if self.control.released.take().is_some_and(|released| released == *id) {
                return Ok(true);
            }
            let waits = self.plan()?.step(id).is_some_and(|step| step.state == StepState::AwaitingRun);
            if !waits || self.control.interrupts() || !self.next_message().await? {
                return Ok(false);
            }
        }
    }

    /// Waits for the answer to a question. `None`: the question was withdrawn (cancelled, skipped, edited).
    pub(super) async fn wait_for_answer(
        &mut self,
        id: ApprovalId,
    ) -> Result<Option<ApprovalAnswer>, EngineError> {
        loop {
            if let Some((answered, answer)) = self.control.answer.take()
                && answered == id
            {
                return Ok(Some(answer));
            }
            let open = self.state.approvals.iter().any(|approval| approval.id == id);
            if !open || self.control.interrupts() || !self.next_message().await? {
                return Ok(None);
            }
        }
    }

    async fn next_message(&mut self) -> Result<bool, EngineError> {
        match self.inbox.recv().await {
            Some(message) => {
                self.while_running(message).await?;
                Ok(true)
            }
            None => {
                self.control.pause = true;
                Ok(false)
            }
        }
    }

    /// A message during a run. A command that cannot be done now is refused to whoever sent it; only a journal that
    /// cannot be written ends the run.
    async fn while_running(&mut self, message: Message) -> Result<(), EngineError> {
        match message {
            Message::Snapshot(reply) => {
                drop(reply.send(self.state.clone()));
                Ok(())
            }
            Message::Adopt(_, reply) => {
                drop(reply.send(Err(not_now("A plan is running. Stop it first, or start a new session."))));
                Ok(())
            }
            Message::Command(command, reply) => {
                let result = self.during(command).await;
                let fatal = result.as_ref().err().filter(|error| is_fatal(error)).cloned();
                drop(reply.send(result));
                fatal.map_or(Ok(()), Err)
            }
        }
    }

    /// A command while the plan runs, or waits for an answer or for Run.
    async fn during(&mut self, command: Command) -> Result<(), EngineError> {
        match command {
            Command::Pause => {
                self.control.pause = true;
                Ok(())
            }
            Command::Cancel => {
                self.control.cancel = true;
                self.control.stop.send_replace(true);
                Ok(())
            }
            Command::Skip { step_id } => match self.step_state(&step_id)? {
                StepState::Running { .. } | StepState::Recovering { .. } => {
                    self.control.skip = Some(step_id);
                    self.control.stop.send_replace(true);
                    Ok(())
                }
                state if state.is_finished() => Err(not_now("That step is finished.")),
                _ => self.emit(vec![skipped_by_user(step_id)]).await,
            },
            Command::RunStep { step_id } => match self.step_state(&step_id)? {
                StepState::AwaitingRun => {
                    self.control.released = Some(step_id);
                    Ok(())
                }
                _ => Err(not_now("That step is not waiting to be run.")),
            },
            Command::Answer { approval_id, answer } => {
                if !self.state.approvals.iter().any(|approval| approval.id == approval_id) {
                    return Err(no_such_approval());
                }
                self.control.answer = Some((approval_id, answer));
                Ok(())
            }
            Command::Edit { step_id, command, run } => {
                let state = self.step_state(&step_id)?.clone();
                self.edit(&step_id, &command).await?;
                if run && state == StepState::AwaitingRun {
                    self.control.released = Some(step_id);
                }
                Ok(())
            }
            Command::SetMode { mode } => {
                // While a step waits for the user's hand, the mode may change; the run then goes on in the new one.
                let waits = self.plan()?.steps.iter().any(|step| step.state == StepState::AwaitingRun);
                if !waits {
                    return Err(not_now("The mode can be changed when the run is paused."));
                }
                let waiting = self.plan()?.steps.iter().find(|step| step.state == StepState::AwaitingRun);
                let reset = waiting.map(|step| Event::StepReset { step_id: step.id.clone() });
                self.emit(std::iter::once(Event::ModeChanged { mode }).chain(reset).collect()).await
            }
            Command::Rename { title } => self.rename(title).await,
            Command::Resume { .. } if self.control.pause => {
                self.control.pause = false;
                Ok(())
            }
            Command::Confirm { .. }
            | Command::Reject
            | Command::Start { .. }
            | Command::Resume { .. }
            | Command::Retry { .. }
            | Command::Guide { .. }
            | Command::RaiseBudget => Err(not_now("The plan is running. Pause or stop it first.")),
        }
    }

    /// A command while nothing runs. `true`: the run is to go on now.
    pub(super) async fn command(&mut self, command: Command) -> Result<bool, EngineError> {
        match command {
            Command::Rename { title } => self.rename(title).await.map(|()| false),
            Command::Confirm { revision, allowed } => self.confirm(revision, allowed).await.map(|()| false),
            Command::Reject => {
                let plan_id = self.plan()?.id;
                self.require(
                    |state| matches!(state, PlanState::Draft),
                    "Only a plan that waits can be rejected.",
                )?;
                self.emit(vec![Event::PlanRejected { plan_id }]).await.map(|()| false)
            }
            Command::Start { mode } => self.start(mode).await,
            Command::Resume { mode } => self.resume(mode).await,
            Command::Pause => Err(not_now("Nothing is running.")),
            Command::Cancel => self.cancel_idle().await.map(|()| false),
            Command::RunStep { step_id } | Command::Retry { step_id } => self.retry(step_id).await,
            Command::Skip { step_id } => self.skip_idle(step_id).await,
            Command::Edit { step_id, command, run } => {
                let state = self.step_state(&step_id)?.clone();
                self.edit(&step_id, &command).await?;
                if run && !matches!(state, StepState::Pending) {
                    self.retry(step_id).await
                } else {
                    Ok(false)
                }
            }
            Command::SetMode { mode } => {
                self.require(|state| !matches!(state, PlanState::Completed), "The plan is done.")?;
                self.emit(vec![Event::ModeChanged { mode }]).await.map(|()| false)
            }
            Command::Answer { .. } => Err(no_such_approval()),
            Command::Guide { text } => self.guide(text).await,
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

    async fn rename(&mut self, title: String) -> Result<(), EngineError> {
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
        let consents = allowed
            .iter()
            .filter_map(|id| plan.step(id).map(|step| (id.clone(), step.action.command().to_owned())))
            .collect();
        let plan_id = plan.id;
        self.emit(vec![Event::PlanConfirmed { plan_id, revision, allowed }]).await?;
        self.consents = consents;
        Ok(())
    }

    async fn start(&mut self, mode: Option<Mode>) -> Result<bool, EngineError> {
        let (draft, revision) = (self.plan()?.state == PlanState::Draft, self.plan()?.revision);
        if draft {
            self.confirm(revision, Vec::new()).await?;
        }
        self.require(
            |state| matches!(state, PlanState::Ready),
            "This plan has been started. Resume it instead.",
        )?;
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
        let resets = self.resets(plan);
        self.workspace_exists()?;
        self.emit(resets).await?;
        self.go_on(mode).await
    }

    /// Failed and cancelled steps go back to pending when the user takes the run up again.
    fn resets(&self, plan: &Plan) -> Vec<Event> {
        plan.steps
            .iter()
            .filter(|step| matches!(step.state, StepState::Failed { .. } | StepState::Cancelled))
            .map(|step| Event::StepReset { step_id: step.id.clone() })
            .collect()
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
        self.workspace_exists()?;
        let mode = self.plan()?.mode;
        self.emit(vec![Event::StepReset { step_id: step_id.clone() }]).await?;
        if mode == Mode::Teacher {
            self.control.released = Some(step_id);
        }
        self.go_on(mode).await
    }

    async fn skip_idle(&mut self, step_id: StepId) -> Result<bool, EngineError> {
        if matches!(self.step_state(&step_id)?, StepState::Completed { .. } | StepState::Skipped { .. }) {
            return Err(not_now("That step is finished."));
        }
        let waits_for_this = match &self.plan()?.state {
            PlanState::Stuck { step_id: stuck, .. } => *stuck == step_id,
            PlanState::Paused {
                reason: PauseReason::Declined { step_id: s } | PauseReason::StepFailed { step_id: s },
            } => *s == step_id,
            PlanState::Paused { reason: PauseReason::Interrupted } => {
                matches!(self.step_state(&step_id)?, StepState::Interrupted { .. })
            }
            PlanState::Failed { .. } => matches!(self.step_state(&step_id)?, StepState::Failed { .. }),
            PlanState::Paused { reason: PauseReason::User }
            | PlanState::Draft
            | PlanState::Ready
            | PlanState::Running
            | PlanState::Recovering { .. }
            | PlanState::Completed
            | PlanState::Cancelled => false,
        };
        let mode = self.plan()?.mode;
        if matches!(self.step_state(&step_id)?, StepState::Cancelled) {
            self.emit(vec![Event::StepReset { step_id: step_id.clone() }]).await?;
        }
        self.emit(vec![skipped_by_user(step_id)]).await?;
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

    async fn go_on(&mut self, mode: Mode) -> Result<bool, EngineError> {
        self.emit(vec![Event::PlanResumed { mode }]).await?;
        Ok(true)
    }

    /// Replaces a step's command by the user's; a new revision.
    pub(super) async fn edit(&mut self, id: &StepId, command: &str) -> Result<(), EngineError> {
        let plan = self.plan()?;
        if let Some(step) = plan.step(id)
            && step.action.command().trim() == command.trim()
        {
            return Ok(());
        }
        let reason = "You changed the command.";
        let revised = mutator::replace_step_command(plan, id, command, USER, reason)
            .map_err(|error| EngineError::new(ErrorCode::InvalidInput, error.to_string()))?;
        self.revise(revised, Author::User, reason.to_owned(), Some(id.clone())).await
    }

    /// Publishes a new revision, with what changed in it assessed.
    pub(super) async fn revise(
        &mut self,
        mut plan: Plan,
        author: Author,
        reason: String,
        step_id: Option<StepId>,
    ) -> Result<(), EngineError> {
        let assessor = self.shared.assessor.clone();
        assessor.assess_plan(&mut plan, &self.state.shell, &self.state.cwd).await;
        self.emit(vec![Event::PlanRevised { plan, author, reason, step_id }]).await
    }

    fn step_state(&self, id: &StepId) -> Result<&StepState, EngineError> {
        let step = self.plan()?.step(id);
        step.map(|step| &step.state)
            .ok_or_else(|| EngineError::new(ErrorCode::NoSuchStep, "The plan has no such step."))
    }

    fn stuck_step(&self) -> Result<StepId, EngineError> {
        match &self.plan()?.state {
            PlanState::Stuck { step_id, .. } => Ok(step_id.clone()),
            PlanState::Draft
            | PlanState::Ready
            | PlanState::Running
            | PlanState::Recovering { .. }
            | PlanState::Paused { .. }
            | PlanState::Completed
            | PlanState::Failed { .. }
            | PlanState::Cancelled => Err(not_now("The run is not stuck.")),
        }
    }

    fn require(&self, allowed: impl Fn(&PlanState) -> bool, otherwise: &str) -> Result<(), EngineError> {
        if allowed(&self.plan()?.state) { Ok(()) } else { Err(not_now(otherwise)) }
    }

    fn workspace_exists(&self) -> Result<(), EngineError> {
        if std::path::Path::new(&self.state.cwd).is_dir() {
            return Ok(());
        }
        let message = format!(
            "The folder {} is gone. Make it again, or import the page into another folder.",
            self.state.cwd
        );
        Err(EngineError::new(ErrorCode::FolderMissing, message))
    }
}

fn skipped_by_user(step_id: StepId) -> Event {
    Event::StepSkipped { step_id, reason: "You skipped it.".to_owned() }
}

fn no_such_approval() -> EngineError {
    EngineError::new(ErrorCode::NoSuchApproval, "That question is no longer open.")
}

/// Errors after which the state in memory may not be what the journal holds.
fn is_fatal(error: &EngineError) -> bool {
    match error.code {
        ErrorCode::DiskFull
        | ErrorCode::DataFolderReadOnly
        | ErrorCode::JournalDamaged
        | ErrorCode::Internal => true,
        ErrorCode::NoCommands
        | ErrorCode::UnclosedFence
        | ErrorCode::TooLarge
        | ErrorCode::NotText
        | ErrorCode::ScriptSyntax
        | ErrorCode::InvalidPlan
        | ErrorCode::CyclicPlan
        | ErrorCode::DuplicateStep
        | ErrorCode::UnknownTool
        | ErrorCode::TooManySteps
        | ErrorCode::FolderMissing
        | ErrorCode::FileUnreadable
        | ErrorCode::NoSuchSession
        | ErrorCode::NoSuchStep
        | ErrorCode::NoSuchApproval
        | ErrorCode::NotNow
        | ErrorCode::InvalidInput
        | ErrorCode::WorkerMissing
        | ErrorCode::NoModel => false,
    }
}
