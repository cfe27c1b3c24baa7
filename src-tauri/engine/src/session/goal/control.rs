//! What the user may ask of a goal: set it, pause, guide, change its to-dos, take an action over, resume, stop.

use super::Next;
use super::action::call_of;
use crate::goal::todos;
use crate::protocol::{
    ActionAuthor, CallOutcome, CallState, Command, EngineError, ErrorCode, Event, GoalEnd, GoalId, GoalPhase,
    GoalRequest, GoalState, MOST_ITERATIONS, ModelRole, StepId, Todo, TodoAuthor, Verify,
};
use crate::session::conversation::caps;
use crate::session::{Session, not_now};

/// Said where it is to work and is not there.
pub(in crate::session) const NO_STRONGER: &str =
    "No stronger model is set. Choose one in the settings first.";
/// Longest goal, context and words, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;

impl Session {
    /// A goal is set and has not ended: whatever else the session can do waits for it.
    pub(in crate::session) fn has_open_goal(&self) -> bool {
        self.state.goal.as_ref().is_some_and(|goal| !goal.has_ended())
    }

    /// Sets a goal while nothing else goes on. `true`: it is to be pursued now.
    pub(in crate::session) async fn set_goal(&mut self, request: GoalRequest) -> Result<bool, EngineError> {
        let request = self.checked(request)?;
        if self.state.plan.is_some() && !self.is_over() {
            return Err(not_now(
                "A plan is open here. Finish, stop or reject it first, or start a new session.",
            ));
        }
        let role = request.model_backend.unwrap_or(ModelRole::Main);
        if self.shared.models.get(role).is_none() {
            let message = match role {
                ModelRole::Main => "No model is set up to work on a goal. Choose one in Settings first.",
                ModelRole::Stronger => NO_STRONGER,
            };
            return Err(EngineError::new(ErrorCode::NoModel, message));
        }
        caps::refuse_over_cap(&self.state.usage, &self.shared.settings())?;
        self.workspace_exists()?;
        self.require_room().await?;
        let mut events = self.title_from(&request.goal);
        events.push(Event::GoalStarted { goal_id: GoalId::new(), request });
        self.look_ahead();
        self.emit(events).await?;
        Ok(true)
    }

    fn checked(&self, mut request: GoalRequest) -> Result<GoalRequest, EngineError> {
        let invalid = |message: &str| Err(EngineError::new(ErrorCode::InvalidInput, message));
        if request.session_id.is_some_and(|id| id != self.state.id) {
            return invalid("This goal is meant for another session.");
        }
        request.session_id = Some(self.state.id);
        request.goal = request.goal.trim().to_owned();
        request.context = request.context.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let check = request.verify.as_ref().map(|verify| match verify {
            Verify::Command { command: text } | Verify::Question { question: text } => text,
        });
        let texts = [Some(&request.goal), request.context.as_ref(), check];
        let longest = texts.into_iter().flatten().map(String::len).max();
        if request.goal.is_empty() {
            return invalid("Say what is to be reached.");
        }
        if longest.is_some_and(|length| length > LONGEST) {
            return invalid("That is too long. Put it into a file and name the file instead.");
        }
        if request.max_iterations == 0 || request.max_iterations > MOST_ITERATIONS {
            return invalid("A goal takes between 1 and 1000 iterations.");
        }
        match &request.verify {
            Some(Verify::Command { command: text } | Verify::Question { question: text })
                if text.trim().is_empty() =>
            {
                invalid("Say how it is checked, or leave the check out.")
            }
            Some(Verify::Question { .. }) if self.is_unattended() => {
                invalid("Nobody is here to answer a question. Give a command that checks the goal.")
            }
            Some(Verify::Command { .. } | Verify::Question { .. }) | None => Ok(request),
        }
    }

    /// A command while the goal is pursued.
    pub(in crate::session) async fn during_goal(&mut self, command: Command) -> Result<(), EngineError> {
        match command {
            Command::Pause => {
                self.control.pause = true;
                Ok(())
            }
            Command::Resume { .. } if self.control.pause => {
                self.control.pause = false;
                Ok(())
            }
            Command::Cancel | Command::Interrupt => {
                self.control.cancel = true;
                self.control.stop.abort();
                Ok(())
            }
            Command::Answer { approval_id, answer } => {
                self.check_answer(approval_id, &answer)?;
                self.control.answer = Some((approval_id, answer));
                Ok(())
            }
            Command::AnswerQuestion { question_id, text } => {
                self.check_reply(question_id, &text)?;
                self.control.reply = Some((question_id, text));
                Ok(())
            }
            Command::Guide { text } => self.guide_goal(text).await,
            Command::EditTodos { todos, base } => self.edit_todos(todos, base).await,
            Command::StartSubGoal { todo_id } => self.start_sub_goal(todo_id).await,
            Command::TakeOver { action_id } => self.take_over(action_id).await,
            Command::HandBack { action_id, note, command } => self.hand_back(action_id, note, command).await,
            Command::Rename { title } => self.rename(title).await,
            Command::StopService { service_id } => self.stop_service(service_id),
            Command::EndJob { pid } => self.end_job(pid).await,
            Command::KeepJobs => self.keep_jobs().await,
            Command::Pursue { .. }
            | Command::AnswerInstructions { .. }
            | Command::Confirm { .. }
            | Command::Reject
            | Command::Start { .. }
            | Command::RunStep { .. }
            | Command::Resume { .. }
            | Command::Skip { .. }
            | Command::Retry { .. }
            | Command::Edit { .. }
            | Command::SetMode { .. }
            | Command::RaiseBudget
            | Command::Escalate
            | Command::Say { .. }
            | Command::AddStep { .. }
            | Command::RemoveStep { .. }
            | Command::ChooseWay { .. }
            | Command::GiveInputs { .. }
            | Command::TakeIn { .. }
            | Command::SortPage
            | Command::MendPage
            | Command::MoveStep { .. }
            | Command::StartService { .. }
            | Command::Undo { .. } => Err(not_now("A goal is being worked on. Pause or stop it first.")),
        }
    }

    /// A command while the goal is paused. `true`: it is to be pursued now.
    pub(in crate::session) async fn on_paused_goal(&mut self, command: Command) -> Result<bool, EngineError> {
        match command {
            Command::Resume { .. } | Command::Start { .. } => self.resume_goal().await,
            Command::Escalate => self.escalate_goal().await,
            Command::Cancel => self.end_goal(GoalEnd::Cancelled).await.map(|next| next == Next::Continue),
            Command::Answer { approval_id, answer } => {
                self.check_answer(approval_id, &answer)?;
                self.control.answer = Some((approval_id, answer));
                self.resume_goal().await
            }
            Command::AnswerQuestion { question_id, text } => {
                self.check_reply(question_id, &text)?;
                self.control.reply = Some((question_id, text));
                self.resume_goal().await
            }
            Command::TakeOver { action_id } => {
                self.take_over(action_id).await?;
                self.resume_goal().await
            }
            Command::HandBack { action_id, note, command } => {
                self.hand_back(action_id, note, command).await?;
                self.resume_goal().await
            }
            Command::Guide { text } => self.guide_goal(text).await.map(|()| false),
            Command::EditTodos { todos, base } => self.edit_todos(todos, base).await.map(|()| false),
            Command::StartSubGoal { todo_id } => self.start_sub_goal(todo_id).await.map(|()| false),
            Command::Rename { title } => self.rename(title).await.map(|()| false),
            Command::StopService { service_id } => self.stop_service(service_id).map(|()| false),
            Command::EndJob { pid } => self.end_job(pid).await.map(|()| false),
            Command::KeepJobs => self.keep_jobs().await.map(|()| false),
            Command::Undo { target, token, overwrite } => {
                self.undo(target, token, overwrite).await.map(|()| false)
            }
            Command::Pause | Command::Interrupt => Err(not_now("Nothing is running.")),
            Command::Pursue { .. }
            | Command::Confirm { .. }
            | Command::Reject
            | Command::RunStep { .. }
            | Command::Skip { .. }
            | Command::Retry { .. }
            | Command::Edit { .. }
            | Command::SetMode { .. }
            | Command::RaiseBudget
            | Command::Say { .. }
            | Command::AnswerInstructions { .. }
            | Command::AddStep { .. }
            | Command::RemoveStep { .. }
            | Command::ChooseWay { .. }
            | Command::GiveInputs { .. }
            | Command::TakeIn { .. }
            | Command::SortPage
            | Command::MendPage
            | Command::MoveStep { .. }
            | Command::StartService { .. } => {
                Err(not_now("A goal is open here. Resume or stop it first, or start a new session."))
            }
        }
    }

    /// After a pause, or an end that was not `complete`.
    pub(in crate::session) async fn resume_goal(&mut self) -> Result<bool, EngineError> {
        self.resume_goal_with(None).await
    }

    /// The same, and from now on the stronger model works on it.
    pub(in crate::session) async fn escalate_goal(&mut self) -> Result<bool, EngineError> {
        if self.shared.models.get(ModelRole::Stronger).is_none() {
            return Err(EngineError::new(ErrorCode::NoModel, NO_STRONGER));
        }
        self.resume_goal_with(Some(ModelRole::Stronger)).await
    }

    async fn resume_goal_with(&mut self, model_backend: Option<ModelRole>) -> Result<bool, EngineError> {
        let goal = self.goal()?;
        match &goal.phase {
            GoalPhase::Ended { end: GoalEnd::Complete { .. } } => {
                return Err(not_now("The goal is reached."));
            }
            GoalPhase::Working | GoalPhase::Waiting { .. } => {
                return Err(not_now("The goal is being worked on."));
            }
            GoalPhase::Paused { .. } | GoalPhase::Ended { .. } => {}
        }
        let more = if goal.iteration >= goal.iterations_allowed { goal.request.max_iterations } else { 0 };
        let iterations_allowed = goal.iterations_allowed.saturating_add(more);
        caps::refuse_over_cap(&self.state.usage, &self.shared.settings())?;
        self.workspace_exists()?;
        self.require_room().await?;
        self.emit(vec![Event::GoalResumed { iterations_allowed, model_backend }]).await?;
        Ok(true)
    }

    /// Words for the next prompt. A question to the model that is under way does not know them, so it is asked again.
    pub(in crate::session) async fn guide_goal(&mut self, text: String) -> Result<(), EngineError> {
        let text = text.trim().to_owned();
        if text.is_empty() || text.len() > LONGEST {
            return Err(EngineError::new(
                ErrorCode::InvalidInput,
                "Write what the agent should do, in a few words.",
            ));
        }
        self.emit(vec![Event::GoalGuidance { text }]).await?;
        self.ask_afresh();
        Ok(())
    }

    pub(super) fn ask_afresh(&mut self) {
        if self.control.asking {
            self.control.ask_again = true;
            self.control.stop.abort();
        }
    }

    async fn edit_todos(&mut self, list: Vec<Todo>, base: u32) -> Result<(), EngineError> {
        let goal = self.goal()?;
        if base != goal.todo_number {
            let message = "The list has changed since you saw it. Look at it again.";
            return Err(EngineError::new(ErrorCode::Stale, message));
        }
        let (todos, user_todos) = todos::edited(goal, list)
            .map_err(|message| EngineError::new(ErrorCode::InvalidInput, message))?;
        if todos == goal.todos {
            return Ok(());
        }
        let iteration = goal.iteration;
        let author = TodoAuthor::User;
        self.emit(vec![Event::TodosChanged { iteration, author, todos, user_todos }]).await?;
        self.ask_afresh();
        Ok(())
    }

    async fn take_over(&mut self, action_id: StepId) -> Result<(), EngineError> {
        let goal = self.goal()?;
        let action = goal.action(&action_id);
        let action =
            action.ok_or_else(|| EngineError::new(ErrorCode::NoSuchStep, "The goal has no such action."))?;
        if action.author == ActionAuthor::Verify {
            return Err(not_now(
                "This is the check of the goal. Change its command where you are asked about it.",
            ));
        }
        if goal.taken_over.is_some() {
            return Err(not_now("You have it already."));
        }
        let asks =
            goal.question.as_ref().is_some_and(|question| question.action_id.as_ref() == Some(&action_id));
        let paused = matches!(goal.phase, GoalPhase::Paused { .. });
        match action.state {
            CallState::AwaitingApproval { .. } => {}
            CallState::Waiting if asks || paused => {}
            CallState::Waiting => return Err(not_now("It is about to begin. Pause first.")),
            CallState::Running { .. } => {
                return Err(not_now("It has begun. Wait for its end, or stop the goal."));
            }
            CallState::Ended { .. } => return Err(not_now("It is over.")),
        }
        self.emit(vec![Event::GoalActionTakenOver { action_id }]).await
    }

    async fn hand_back(
        &mut self,
        action_id: StepId,
        note: String,
        command: Option<String>,
    ) -> Result<(), EngineError> {
        let goal = self.goal()?;
        if goal.taken_over.as_ref() != Some(&action_id) {
            return Err(not_now("You have not taken that action over."));
        }
        let (note, command) = (note.trim().to_owned(), command.map(|text| text.trim().to_owned()));
        if command.as_ref().is_some_and(String::is_empty) || (command.is_none() && note.is_empty()) {
            return Err(EngineError::new(
                ErrorCode::InvalidInput,
                "Write the command to run, or what you did.",
            ));
        }
        if note.len() > LONGEST {
            return Err(EngineError::new(ErrorCode::TooLarge, "Say it in fewer words."));
        }
        let mut events = vec![Event::GoalActionHandedBack {
            action_id: action_id.clone(),
            note: note.clone(),
            command: command.clone(),
        }];
        match command {
            Some(_) if !note.is_empty() => events.push(Event::GoalGuidance { text: note }),
            Some(_) => {}
            None => {
                let action = goal.action(&action_id);
                events.extend(action.map(|action| {
                    Event::CallFinished {
                        result: *call_of(action)
                            .told(CallOutcome::Success, format!("The user did it by hand: {note}")),
                        shell: None,
                    }
                }));
            }
        }
        self.emit(events).await
    }
}

impl Session {
    /// A goal that ended without being reached can be taken up again, as long as it is the last thing the session was about.
    pub(in crate::session) fn ended_goal(&self) -> Option<&GoalState> {
        self.state.goal.as_ref().filter(|goal| {
            let reached = matches!(goal.phase, GoalPhase::Ended { end: GoalEnd::Complete { .. } });
            goal.has_ended() && !reached && crate::journal::is_about_goal(&self.state)
        })
    }
}
