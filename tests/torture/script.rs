//! What the model says to the goal that somebody sits at: every kind of action and of waiting comes in it.

use std::time::Duration;

use planwright_tests::chat_server::Say;
use serde_json::{Value, json};

use crate::branches;

/// The model knows nothing but what it is told. It takes its time, so that it is killed meanwhile, too.
pub(crate) fn answer(body: &Value, ran: &str, looked: &str) -> Say {
    let text = body["messages"].to_string();
    let told = text.rsplit_once("This is iteration ").map_or("", |(_, rest)| rest);
    let digits: String = told.chars().take_while(char::is_ascii_digit).collect();
    let iteration: u64 = digits.parse().unwrap_or(u64::MAX);
    let said = match branches::asks_about(&text) {
        Some(id) => branches::answer(id, iteration, looked),
        None => Say::text(signal(&text, iteration, ran).to_string()),
    };
    said.slowly(Duration::from_millis(1))
}

/// The iteration in which the goal hands to-dos to sub-goals.
const HANDING_ON: u64 = 5;

/// The goal's own.
fn signal(text: &str, iteration: u64, ran: &str) -> Value {
    let todo = |id: &str, at: u64| {
        let status = if iteration > at { "completed" } else { "pending" };
        json!({ "id": id, "title": format!("See to the {id}"), "status": status, "priority": "high" })
    };
    let mut todos = vec![todo("first", 3), todo("last", 7)];
    todos.extend(branches::HANDED_ON.map(|id| todo(id, HANDING_ON)));
    let action = |kind: &str, content: String| {
        ("executing", Some(json!({ "type": kind, "content": content, "rationale": "it is next" })))
    };
    let run = |command: &str| action("shell", format!("echo a{iteration} >> {ran}; {command}"));
    let (mut status, action) = match iteration {
        1 => ("planning", None),
        2 => action("eval", "6 * 7".to_owned()),
        3 => action("user_input", "Go on?".to_owned()),
        4 => run("mkdir -p doomed/in && rm -rf doomed"),
        HANDING_ON => ("executing", None),
        // These two the user does.
        6 | 7 => run("rm -rf doomed"),
        8 => action("user_input", "And on?".to_owned()),
        9 => run("sleep 0.03"),
        _ => ("complete", None),
    };
    let mut words = format!("In iteration {iteration}.");
    if let Some(id) = branches::untold(text).filter(|_| iteration > HANDING_ON) {
        (status, words) = ("stuck", format!("Nobody said what the {id} holds."));
    }
    let mut signal = json!({ "status": status, "todos": todos, "selfAssessment": words });
    if let Some(action) = action.filter(|_| status != "stuck") {
        signal["nextAction"] = action;
    }
    if iteration == HANDING_ON {
        signal["subGoals"] = branches::wanted();
    }
    signal
}
