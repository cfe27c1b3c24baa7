//! One question to the model, and what its answer changes: the to-dos first, then the action.

use std::sync::Arc;

use super::Next;
use crate::brain::text::clip;
use crate::goal::{prompt, signal, todos};
use crate::model::{Meter, ModelError, ModelEvent, ModelProvider};
use crate::protocol::{
    ActionAuthor, ActionType, EngineError, Event, GoalEnd, GoalPause, MAX_SIGNAL_MENDS, ModelRole,
    NextAction, Purpose, Signal, SignalStatus, StepId, StuckCause, Time, TodoAuthor,
};
use crate::session::Session;

/// Most of an answer that was no signal that is kept, in characters.
const REJECTED: usize = 2_000;

impl Session {
    pub(super) async fn ask_for_signal(&mut self) -> Result<Next, EngineError> {
        let role = self.goal()?.request.model_backend.unwrap_or(ModelRole::Main);
        let Some(model) = self.shared.models.get(role) else {
            let (code, message) = ("no-key".to_owned(), "No model is set up to work on this.".to_owned());
            return self.pause_goal(GoalPause::ModelFailed { code, message }).await;
        };
        if !self.find_instructions().await? {
            return Ok(Next::Continue);
        }
        self.control.asking = true;
        self.control.ask_again = false;
        let answer = self.signal_from(Arc::clone(&model)).await;
        self.control.asking = false;
        let Some(answer) = answer? else { return Ok(Next::Continue) };
        // The user said or changed something meanwhile: an answer that does not know of it does not count.
        if self.control.ask_again {
            return Ok(Next::Continue);
        }
        let text = match answer {
            Ok(text) => text,
            Err(ModelError::Cancelled) => return Ok(Next::Continue),
            Err(error @ (ModelError::Malformed { .. } | ModelError::Empty)) => {
                return self.reject(&error.to_string(), "").await;
            }
            Err(error) => {
                let (code, message) = (error.code().to_owned(), error.to_string());
                return self.pause_goal(GoalPause::ModelFailed { code, message }).await;
            }
        };
        match signal::parse(&text) {
            Ok(signal) => self.take_up(model.name(), signal).await,
            Err(error) => self.reject(&error.to_string(), &text).await,
        }
    }

    /// `None`: given up, because the user wants something else.
    async fn signal_from(
        &mut self,
        model: Arc<dyn ModelProvider>,
    ) -> Result<Option<Result<String, ModelError>>, EngineError> {
        let schema = signal::schema();
        let consults = self.consultant().is_some();
        let settings = self.shared.settings();
        let goal = self.goal()?;
        let minutes = Time::now().millis_since(goal.started_at) / 60_000;
        let left = prompt::Left { usage: &self.state.usage, settings: &settings, minutes };
        let messages = prompt::messages(goal, &self.state.shell.cwd, left);
        let system = prompt::system(&self.surroundings(model.info().context_tokens), consults, &schema);
        let meter = Meter::new(Purpose::Goal, model.as_ref(), self.notes.clone());
        self.attend_unless_stopped(Box::pin(async move {
            let heard = |event: &ModelEvent| meter.hear(event);
            model.call_raw(&system, &messages, Some(&schema), &heard).await
        }))
        .await
    }

    /// What was said is no signal: it goes back with the error, twice at most (G2).
    async fn reject(&mut self, error: &str, answer: &str) -> Result<Next, EngineError> {
        let goal = self.goal()?;
        let attempt = goal.rejected.as_ref().map_or(0, |rejected| rejected.attempt) + 1;
        let mut events = vec![Event::GoalSignalRejected {
            iteration: goal.iteration + 1,
            attempt,
            allowed: MAX_SIGNAL_MENDS,
            error: clip(error, REJECTED),
            answer: clip(self.shared.redactor.text(answer).as_ref(), REJECTED),
        }];
        if attempt > MAX_SIGNAL_MENDS {
            let words = format!("The model's answers could not be read: {}.", clip(error, REJECTED));
            events.push(self.ended(GoalEnd::Stuck { cause: StuckCause::Malformed, words })?);
        }
        self.emit_of_goal(events).await?;
        Ok(Next::Continue)
    }

    /// All that a signal changes is one entry of the record: no crash leaves a part of it.
    async fn take_up(&mut self, model: String, signal: Signal) -> Result<Next, EngineError> {
        let goal = self.goal()?;
        let iteration = goal.iteration + 1;
        let mut events = vec![Event::GoalSignalReceived { iteration, model, signal: signal.clone() }];
        let todos = todos::merged(goal, &signal.todos);
        let begun = match todos::refusal(&todos) {
            Some(refusal) => Err(refusal),
            None => self.branches_of(signal.sub_goals.clone(), &todos, iteration)?,
        };
        let begun = match begun {
            Ok(begun) => begun,
            Err(refusal) => {
                let answer = serde_json::to_string(&signal).unwrap_or_default();
                return self.reject(&refusal, &answer).await;
            }
        };
        if todos != goal.todos {
            let user_todos = goal.user_todos.clone();
            events.push(Event::TodosChanged { iteration, author: TodoAuthor::Agent, todos, user_todos });
        }
        match signal.status {
            SignalStatus::Stuck => {
                let words = signal.user_input_needed.unwrap_or(signal.self_assessment);
                events.push(self.ended(GoalEnd::Stuck { cause: StuckCause::SaidSo, words })?);
            }
            SignalStatus::Complete => {}
            SignalStatus::Planning | SignalStatus::Executing | SignalStatus::Reflecting => {
                let asks = signal.user_input_needed.map(|content| NextAction {
                    kind: ActionType::UserInput,
                    content,
                    rationale: signal.self_assessment,
                });
                events.extend(signal.next_action.or(asks).map(|action| Event::GoalActionProposed {
                    action_id: StepId::new(),
                    iteration,
                    author: ActionAuthor::Agent,
                    action,
                }));
            }
        }
        events.extend(begun);
        self.emit_of_goal(events).await?;
        Ok(Next::Continue)
    }
}
