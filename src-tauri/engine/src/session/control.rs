//! What the user may ask at any time (E6), and the waiting that stays open to it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::conversation::Words;
use super::errand::Errand;
use super::skipping::skipped_by_user;
use super::{Message, Session, not_now};
use crate::model::{ModelProvider, StreamController};
use crate::plan::changes;
use crate::plan::inputs::shell_with_inputs;
use crate::plan::mutator::{MutationError, PlanMutator};
use crate::protocol::{
    ApprovalAnswer, ApprovalId, Author, Command, EngineError, ErrorCode, Event, GoalQuestionId, Mode, Plan,
    PlanState, Step, StepChange, StepId, StepOrigin, StepState,
};

/// Something that takes long, owning all it needs.
pub(super) type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Wishes that the run looks at between its moves.
#[derive(Debug, Default)]
pub(super) struct Control {
    pub(super) pause: bool,
    pub(super) cancel: bool,
    /// The turn under way is to be ended.
    pub(super) interrupt: bool,
    /// What the user said meanwhile; the next turn is about it.
    pub(super) words: Option<Words>,
    pub(super) errand: Option<Errand>,
    /// The program is ending: what runs is ended too, and taken up again by the user's wish next time.
    pub(super) closing: bool,
    /// The running step is to be ended and skipped.
    pub(super) skip: Option<StepId>,
    /// The user's words for the brain, until it has been asked.
    pub(super) guidance: Option<String>,
    /// The stronger model, which the user wants to be asked, until it has been.
    pub(super) stronger: Option<Arc<dyn ModelProvider>>,
    /// A step whose failure is to be looked at again before the run goes on.
    pub(super) reconsider: Option<StepId>,
    /// Teacher: the step that may run now.
    pub(super) released: Option<StepId>,
    pub(super) answer: Option<(ApprovalId, ApprovalAnswer)>,
    /// The user's words to a goal's question.
    pub(super) reply: Option<(GoalQuestionId, String)>,
    /// A goal's model is being asked for a signal.
    pub(super) asking: bool,
    /// What it was asked is no longer what it should know.
    pub(super) ask_again: bool,
    /// Tells those who work on sub-goals that there is another.
    pub(super) branched: Arc<Notify>,
    /// Ends the command that runs now.
    pub(super) stop: StreamController,
}

impl Control {
    /// Whether whoever waits should stop waiting.
    pub(super) fn interrupts(&self) -> bool {
        self.cancel || self.pause || self.closing || self.interrupt
    }

    /// Nothing is wished any more but what was said.
    pub(super) fn renew(&mut self) {
        *self = Self { words: self.words.take(), ..Self::default() };
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
                        self.control.closing = true;
                        self.control.stop.abort();
                        return Ok(work.await);
                    }
                },
                Some(event) = self.noted.recv() => self.note(event).await?,
                done = &mut work => {
                    // What it told last comes before what comes of it.
                    self.take_notes().await?;
                    return Ok(done);
                }
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

    /// Lets the time pass before a step runs again; cut short by whatever the user wishes meanwhile.
    pub(super) async fn rest(&mut self, id: &StepId, time: Duration) -> Result<(), EngineError> {
        let until = tokio::time::Instant::now() + time;
        let recovers = |plan: &Plan| {
            plan.step(id).is_some_and(|step| matches!(step.state, StepState::Recovering { .. }))
        };
        while !self.control.interrupts() && recovers(self.plan()?) {
            tokio::select! {
                biased;
                message = self.inbox.recv() => match message {
                    Some(message) => self.while_running(message).await?,
                    None => self.control.closing = true,
                },
                Some(event) = self.noted.recv() => self.note(event).await?,
                () = tokio::time::sleep_until(until) => break,
            }
        }
        Ok(())
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

    pub(super) async fn next_message(&mut self) -> Result<bool, EngineError> {
        tokio::select! {
            biased;
            message = self.inbox.recv() => match message {
                Some(message) => {
                    self.while_running(message).await?;
                    Ok(true)
                }
                None => {
                    self.control.closing = true;
                    Ok(false)
                }
            },
            Some(event) = self.noted.recv() => self.note(event).await.map(|()| true),
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
                let busy = self
                    .control
                    .errand
                    .map_or("A plan is running. Stop it first, or start a new session.", Errand::busy);
                drop(reply.send(Err(not_now(busy))));
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
        if let Command::AnswerInstructions { folder, digest, read } = command {
            return self.answer_instructions(folder, digest, read).await;
        }
        if let Some(errand) = self.control.errand {
            return self.during_errand(errand, command).await;
        }
        if self.state.conversation.turn.is_some() {
            return self.during_turn(command).await;
        }
        if self.has_open_goal() {
            return self.during_goal(command).await;
        }
        match command {
            Command::Pause => {
                self.control.pause = true;
                Ok(())
            }
            Command::Cancel => {
                self.control.cancel = true;
                self.control.stop.abort();
                Ok(())
            }
            Command::Skip { step_id, with_dependents } => match self.step_state(&step_id)? {
                StepState::Running { .. } => {
                    let dependents = self.skipped_dependents(&step_id, with_dependents)?;
                    self.control.skip = Some(step_id);
                    self.control.stop.abort();
                    self.emit(dependents).await
                }
                StepState::Recovering { .. } => {
                    let dependents = self.skipped_dependents(&step_id, with_dependents)?;
                    self.skip_recovering(step_id).await?;
                    self.emit(dependents).await
                }
                state if state.is_finished() => Err(not_now("That step is finished.")),
                _ => {
                    let skipped = self.skipped(step_id, with_dependents)?;
                    self.emit(skipped).await
                }
            },
            Command::RunStep { step_id } => match self.step_state(&step_id)? {
                StepState::AwaitingRun => {
                    self.control.released = Some(step_id);
                    Ok(())
                }
                _ => Err(not_now("That step is not waiting to be run.")),
            },
            Command::Answer { approval_id, answer } => {
                self.check_answer(approval_id, &answer)?;
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
            Command::StopService { service_id } => self.stop_service(service_id),
            Command::EndJob { pid } => self.end_job(pid).await,
            Command::KeepJobs => self.keep_jobs().await,
            Command::Guide { text } => self.guide_thinking(text).await,
            Command::Resume { mode } if self.control.pause && mode.is_none_or(|mode| self.is_mode(mode)) => {
                self.control.pause = false;
                Ok(())
            }
            Command::Say { .. } => Err(not_now("A plan is running. Pause or stop it first.")),
            Command::Interrupt => Err(not_now("Nothing is being worked on.")),
            Command::Confirm { .. }
            | Command::StartService { .. }
            | Command::Reject
            | Command::Start { .. }
            | Command::Resume { .. }
            | Command::Retry { .. }
            | Command::RaiseBudget
            | Command::Escalate
            | Command::AddStep { .. }
            | Command::RemoveStep { .. }
            | Command::ChooseWay { .. }
            | Command::GiveInputs { .. }
            | Command::TakeIn { .. }
            | Command::SortPage
            | Command::MendPage
            | Command::MoveStep { .. }
            | Command::Pursue { .. }
            | Command::StartSubGoal { .. }
            | Command::EditTodos { .. }
            | Command::AnswerQuestion { .. }
            | Command::TakeOver { .. }
            | Command::AnswerInstructions { .. }
            | Command::HandBack { .. }
            | Command::Undo { .. } => Err(not_now("The plan is running. Pause or stop it first.")),
        }
    }

    /// A command while a turn of the conversation is under way.
    async fn during_turn(&mut self, command: Command) -> Result<(), EngineError> {
        match command {
            Command::Say { text, route, replaces } => self.say_meanwhile(text, route, replaces),
            Command::Interrupt | Command::Cancel => self.interrupt(),
            Command::Answer { approval_id, answer } => {
                self.check_answer(approval_id, &answer)?;
                self.control.answer = Some((approval_id, answer));
                Ok(())
            }
            Command::Rename { title } => self.rename(title).await,
            Command::StopService { service_id } => self.stop_service(service_id),
            Command::EndJob { pid } => self.end_job(pid).await,
            Command::KeepJobs => self.keep_jobs().await,
            Command::Confirm { .. }
            | Command::StartService { .. }
            | Command::Reject
            | Command::Start { .. }
            | Command::RunStep { .. }
            | Command::Pause
            | Command::Resume { .. }
            | Command::Skip { .. }
            | Command::Retry { .. }
            | Command::Edit { .. }
            | Command::SetMode { .. }
            | Command::Guide { .. }
            | Command::RaiseBudget
            | Command::Escalate
            | Command::AddStep { .. }
            | Command::RemoveStep { .. }
            | Command::ChooseWay { .. }
            | Command::GiveInputs { .. }
            | Command::TakeIn { .. }
            | Command::SortPage
            | Command::MendPage
            | Command::MoveStep { .. }
            | Command::Pursue { .. }
            | Command::StartSubGoal { .. }
            | Command::EditTodos { .. }
            | Command::AnswerQuestion { .. }
            | Command::TakeOver { .. }
            | Command::AnswerInstructions { .. }
            | Command::HandBack { .. }
            | Command::Undo { .. } => Err(not_now("The agent is at work. Stop it first.")),
        }
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
        let revised = PlanMutator::of(plan).replace_step_command(id, command, StepChange::BY_USER, reason)?;
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
        let classifier = self.shared.classifier.clone();
        let shell = shell_with_inputs(&self.state.shell, &plan);
        classifier.assess_plan(&mut plan, &shell, &self.state.cwd).await;
        self.consents.follow(&plan);
        let before = self.plan()?;
        let changes = changes::between(&before.steps, &plan.steps);
        let page = plan.page.filter(|page| before.page.as_ref() != Some(page));
        let page = page.map(|page| Box::new(Arc::unwrap_or_clone(page)));
        let inputs = (plan.inputs != before.inputs).then_some(plan.inputs);
        let (plan_id, revision, original_steps) = (plan.id, plan.revision, plan.original_steps);
        let revised = Event::PlanRevised {
            plan_id,
            revision,
            original_steps,
            changes,
            author,
            reason,
            step_id,
            page,
            inputs,
        };
        self.emit(vec![revised]).await
    }

    /// Refused while it can still be put right: a question that is not open, words or a command that are none.
    pub(super) fn check_answer(&self, id: ApprovalId, answer: &ApprovalAnswer) -> Result<(), EngineError> {
        let open = self.state.approvals.iter().find(|approval| approval.id == id);
        let open = open.ok_or_else(no_such_approval)?;
        match answer {
            ApprovalAnswer::AllowOnce { edited_command: Some(command) } if self.is_call(&open.step_id) => {
                let is_shell = matches!(open.action, crate::protocol::Action::Shell { .. });
                if is_shell && !command.trim().is_empty() {
                    return Ok(());
                }
                let message = if is_shell {
                    "Write the command that is to run instead."
                } else {
                    "This cannot be edited here. Allow it, or say what to do instead."
                };
                Err(EngineError::new(ErrorCode::InvalidInput, message))
            }
            ApprovalAnswer::AllowOnce { edited_command: Some(command) } => {
                match PlanMutator::of(self.plan()?).replace_step_command(
                    &open.step_id,
                    command,
                    StepChange::BY_USER,
                    "",
                ) {
                    Ok(_) | Err(MutationError::Unchanged { .. }) => Ok(()),
                    Err(error) => Err(error.into()),
                }
            }
            ApprovalAnswer::AllowAlways { rule, .. } if !open.offers.contains(rule) => {
                let message = "That rule was not offered for this command. Choose one of those offered.";
                Err(EngineError::new(ErrorCode::InvalidInput, message))
            }
            ApprovalAnswer::InTerminal if !open.terminal => {
                let message = "This cannot be run in a terminal. Allow it, or say what to do instead.";
                Err(EngineError::new(ErrorCode::InvalidInput, message))
            }
            ApprovalAnswer::Instead { guidance } if guidance.trim().is_empty() => {
                Err(EngineError::new(ErrorCode::InvalidInput, "Write what the agent should do instead."))
            }
            ApprovalAnswer::AllowOnce { edited_command: None }
            | ApprovalAnswer::InTerminal
            | ApprovalAnswer::AllowAlways { .. }
            | ApprovalAnswer::Instead { .. }
            | ApprovalAnswer::Never
            | ApprovalAnswer::NotNow => Ok(()),
        }
    }

    /// Skips a step that is being mended, and with it the repairs that were to mend it.
    /// Words for the brain while it thinks: what it was asked without them does not count.
    async fn guide_thinking(&mut self, text: String) -> Result<(), EngineError> {
        let text = text.trim().to_owned();
        let Some(thinking) = self.state.thinking.clone().filter(|_| !text.is_empty()) else {
            return Err(not_now("Nobody is being asked right now. Pause or stop the plan first."));
        };
        let step_id = thinking.step_id;
        self.emit(vec![Event::GuidanceGiven { step_id: step_id.clone(), text: text.clone() }]).await?;
        self.control.guidance = Some(text);
        self.control.reconsider = Some(step_id);
        self.control.stop.abort();
        Ok(())
    }

    async fn skip_recovering(&mut self, step_id: StepId) -> Result<(), EngineError> {
        let plan = self.plan()?;
        let repairs = repairs_of(plan, &step_id);
        let (running, waiting): (Vec<&Step>, Vec<&Step>) =
            repairs.into_iter().partition(|step| matches!(step.state, StepState::Running { .. }));
        let reason = "The step that it was to mend was skipped.";
        let mut events: Vec<Event> = waiting
            .iter()
            .map(|step| Event::StepSkipped { step_id: step.id.clone(), reason: reason.to_owned() })
            .collect();
        self.control.skip = running.first().map(|step| step.id.clone());
        events.push(skipped_by_user(step_id));
        self.emit(events).await?;
        self.control.stop.abort();
        Ok(())
    }

    /// Whether what an approval is about is a call of the conversation.
    fn is_call(&self, id: &StepId) -> bool {
        self.state.plan.as_ref().is_none_or(|plan| plan.step(id).is_none())
    }

    fn is_mode(&self, mode: Mode) -> bool {
        self.state.plan.as_ref().is_some_and(|plan| plan.mode == mode)
    }

    pub(super) fn step_state(&self, id: &StepId) -> Result<&StepState, EngineError> {
        let step = self.plan()?.step(id);
        step.map(|step| &step.state)
            .ok_or_else(|| EngineError::new(ErrorCode::NoSuchStep, "The plan has no such step."))
    }

    pub(super) fn stuck_step(&self) -> Result<StepId, EngineError> {
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

    pub(super) fn require(
        &self,
        allowed: impl Fn(&PlanState) -> bool,
        otherwise: &str,
    ) -> Result<(), EngineError> {
        if allowed(&self.plan()?.state) { Ok(()) } else { Err(not_now(otherwise)) }
    }

    pub(super) fn workspace_exists(&self) -> Result<(), EngineError> {
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

/// The unfinished repairs of a step, and theirs.
pub(super) fn repairs_of<'a>(plan: &'a Plan, id: &StepId) -> Vec<&'a Step> {
    let mut found: Vec<&Step> = Vec::new();
    let mut wanted = vec![id];
    while let Some(mended) = wanted.pop() {
        for step in &plan.steps {
            let is_for = matches!(&step.origin, StepOrigin::Repair { for_step, .. } if for_step == mended);
            if is_for && !step.state.is_finished() && !found.iter().any(|known| known.id == step.id) {
                found.push(step);
                wanted.push(&step.id);
            }
        }
    }
    found
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
        | ErrorCode::Stale
        | ErrorCode::NoPage
        | ErrorCode::PageRefused
        | ErrorCode::PageUnreachable
        | ErrorCode::PageLedAstray
        | ErrorCode::WorkerMissing
        | ErrorCode::NoModel
        | ErrorCode::CapReached
        | ErrorCode::KeyUnusable => false,
    }
}
