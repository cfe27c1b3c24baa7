//! Goal sessions (SPEC 7) through the engine's door, against a scripted model.

mod bad_input;
mod bounds;
mod completion;
mod control;
mod course;
mod danger;
mod gate;
mod models;
mod restart;
mod sub_goals;

use std::sync::Arc;

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    CallOutcome, CallState, Command, Event, GoalAction, GoalEnd, GoalPhase, GoalRequest, GoalState,
};
use planwright_tests::{Harness, MindQuestion, ScriptedMind};
use serde_json::json;

/// A signal as a model writes it; `todos` are ids with their status.
fn signal(status: &str, todos: &[(&str, &str)], action: Option<(&str, &str)>) -> String {
    let todos: Vec<_> = todos
        .iter()
        .map(|(id, status)| json!({ "id": id, "title": format!("do {id}"), "status": status, "priority": "medium" }))
        .collect();
    let mut signal = json!({ "status": status, "todos": todos, "selfAssessment": format!("This is {status}."), "completionEstimate": 40 });
    if let Some((kind, content)) = action {
        signal["nextAction"] =
            json!({ "type": kind, "content": content, "rationale": format!("because of {kind}") });
    }
    signal.to_string()
}

/// The next command, nothing to do beside it.
fn shell(command: &str) -> String {
    signal("executing", &[], Some(("shell", command)))
}

fn complete() -> String {
    signal("complete", &[], None)
}

/// A mind that gives these answers, and after the last one says that it is done.
fn mind(answers: &[String]) -> Arc<ScriptedMind> {
    let answers = answers.to_vec();
    ScriptedMind::new(move |number, _| answers.get(number).cloned().unwrap_or_else(complete))
}

async fn pursuing(main: &Arc<ScriptedMind>, request: GoalRequest) -> Harness {
    let run = Harness::empty(Attendance::User, main, None).await;
    run.tell(Command::Pursue { request }).await;
    run
}

async fn goal(run: &Harness) -> GoalState {
    run.state().await.goal.expect("the session has a goal")
}

async fn ended(run: &mut Harness) -> GoalEnd {
    match run.wait_for("the goal's end", |event| matches!(event, Event::GoalEnded { .. })).await {
        Event::GoalEnded { end, .. } => end,
        other => panic!("{other:?}"),
    }
}

async fn paused(run: &mut Harness) -> GoalPhase {
    run.wait_for("a pause", |event| matches!(event, Event::GoalPaused { .. })).await;
    goal(run).await.phase
}

/// What an action came to, and what the model is told of it.
fn came_to(action: &GoalAction) -> (CallOutcome, &str) {
    match &action.state {
        CallState::Ended { result, .. } => (result.outcome, &result.content),
        other => panic!("{other:?}"),
    }
}

fn last_words(question: &MindQuestion) -> &str {
    question.messages.last().expect("something is asked")
}
