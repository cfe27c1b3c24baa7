//! What a sub-goal waits for: a question to its model, the look at an action before the gate, the action itself. A job owns
//! all it needs and ends when the session's stop is set, so that nothing of it is left running.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;

use crate::goal::{signal, sub_goal};
use crate::model::{Meter, ModelError, ModelEvent};
use crate::protocol::{EngineError, GoalAction, ModelRole, Purpose, ToolResult};
use crate::session::Session;
use crate::session::classifier::Assessed;
use crate::tools::{Prepared, ToolFailure};

/// What a job came to.
pub(super) enum Done {
    Said {
        model: String,
        answer: Result<String, ModelError>,
    },
    Judged(Box<GoalAction>, Box<Assessed>),
    Looked(Box<GoalAction>, Box<Result<Prepared, ToolFailure>>),
    Result(Box<ToolResult>),
    /// Nothing came of it, and nothing was begun.
    Stopped,
}

/// With the number of the sub-goal that it is for.
pub(super) type Job = Pin<Box<dyn Future<Output = (u32, Done)> + Send>>;
pub(super) type Jobs = FuturesUnordered<Job>;

impl Session {
    /// `None`: there is no model to ask.
    pub(super) fn question_of(&self, number: u32) -> Result<Option<Job>, EngineError> {
        let goal = self.goal()?;
        let role = goal.request.model_backend.unwrap_or(ModelRole::Main);
        let Some(model) = self.shared.models.get(role) else { return Ok(None) };
        let schema = signal::schema_of_sub_goal();
        let at = self.surroundings(model.info().context_tokens);
        let system = at.instructions_behind(sub_goal::system(&at, &schema));
        let messages = sub_goal::messages(goal, self.branch(number)?, &self.state.shell.cwd);
        let meter = Meter::new(Purpose::Goal, model.as_ref(), self.notes.clone()).of_sub_goal(number);
        let name = model.name();
        let asking = async move {
            let heard = |event: &ModelEvent| meter.hear(event);
            Arc::clone(&model).call_raw(&system, &messages, Some(&schema), &heard).await
        };
        let mut stop = self.control.stop.subscribe();
        Ok(Some(Box::pin(async move {
            // The question is dropped where it is, and what it used is told before this is done.
            let done = tokio::select! {
                answer = asking => Done::Said { model: name, answer },
                () = stopped(&mut stop) => Done::Stopped,
            };
            (number, done)
        })))
    }
}

pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // A sender that is gone can stop nothing.
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
