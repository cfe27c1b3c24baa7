//! The model's signal (G2): found in its text as the brain finds a correction, then read strictly. What contradicts itself
//! is refused in words that a model can mend its answer by; nothing is guessed.

#[cfg(test)]
mod tests;
mod written;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Number, Value, json};
use written::AsWritten;

use crate::brain::json::{AnswerError, read};
use crate::brain::text;
use crate::protocol::{
    ActionType, MAX_SIDE_BY_SIDE, MAX_TODOS, NextAction, Priority, Signal, SignalStatus, SubGoalWish, Todo,
    TodoStatus,
};

/// Longest id and title of a to-do, assessment and reason, in characters; longest content of an action, in bytes.
const ID: usize = 40;
const TITLE: usize = 200;
const WORDS: usize = 2000;
const CONTENT: usize = 16 * 1024;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawSignal {
    status: SignalStatus,
    todos: Vec<RawTodo>,
    next_action: Option<RawAction>,
    sub_goals: Option<Vec<SubGoalWish>>,
    self_assessment: String,
    completion_estimate: Option<Number>,
    user_input_needed: Option<Needed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTodo {
    id: String,
    title: String,
    status: TodoStatus,
    priority: Priority,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAction {
    #[serde(rename = "type")]
    kind: ActionType,
    content: String,
    rationale: String,
}

/// The question, or only that there is one: then it is the action's.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`userInputNeeded` is a question as text, or true or false")]
enum Needed {
    Question(String),
    Flag(bool),
}

/// What is wrong with an answer, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SignalError(String);

/// Reads the first signal in a model's text. A question that stands in `userInputNeeded` alone becomes the action
/// `user_input`, so that asking has one form; `completionEstimate` may be a part of one (`0.4`) or percent (`40`).
///
/// # Errors
/// What is wrong, to be sent back to the model.
pub fn parse(text: &str) -> Result<Signal, SignalError> {
    read::<AsWritten<RawSignal>>(text)
        .and_then(|AsWritten(raw)| checked(raw))
        .map_err(|error| SignalError(error.to_string()))
}

/// The same for a sub-goal's model, which may only look: it asks nobody and begins no sub-goals of its own.
///
/// # Errors
/// What is wrong, to be sent back to the model.
pub fn parse_of_sub_goal(text: &str) -> Result<Signal, SignalError> {
    let signal = parse(text)?;
    let complaint = match signal.next_action.as_ref().map(|action| action.kind) {
        _ if !signal.sub_goals.is_empty() => "a sub-goal has no `subGoals`; work it off yourself",
        // What it would ask is why it is stuck.
        Some(ActionType::UserInput) if signal.status == SignalStatus::Stuck => {
            return Ok(Signal { next_action: None, ..signal });
        }
        Some(ActionType::UserInput) => {
            "a sub-goal asks nobody; decide by what you know, or be stuck and say in `selfAssessment` what you need"
        }
        Some(ActionType::AiConsult) => "a sub-goal has no ai_consult; use eval, shell or file_read",
        Some(ActionType::Eval | ActionType::Shell | ActionType::FileRead) | None => return Ok(signal),
    };
    Err(SignalError(complaint.to_owned()))
}

fn checked(raw: RawSignal) -> Result<Signal, AnswerError> {
    let todos = checked_todos(raw.todos)?;
    let sub_goals = checked_sub_goals(raw.sub_goals.unwrap_or_default(), raw.status)?;
    let self_assessment = text::line(&raw.self_assessment, WORDS);
    if self_assessment.is_empty() {
        return Err(value("`selfAssessment` is empty; say in a sentence where the work stands"));
    }
    let (next_action, user_input_needed) =
        asking(raw.next_action, raw.user_input_needed, raw.status, &self_assessment)?;
    if !sub_goals.is_empty() && next_action.is_some() {
        return Err(value(
            "there are `subGoals` and something to do or to ask beside them; wait for what they find, or leave them out",
        ));
    }
    match (raw.status, &next_action) {
        (SignalStatus::Complete, Some(_)) => {
            return Err(value(
                "`status` is complete, but there is still something to do or to ask; leave `nextAction` and \
                 `userInputNeeded` out, or do it first with `status` executing",
            ));
        }
        (SignalStatus::Stuck, Some(action)) if action.kind != ActionType::UserInput => {
            return Err(value(
                "`status` is stuck, but there is a `nextAction`; leave it out, or try it with `status` executing",
            ));
        }
        (SignalStatus::Executing, None) if sub_goals.is_empty() => {
            return Err(value(
                "`status` is executing, but there is no `nextAction`; name the one action to take now",
            ));
        }
        (SignalStatus::Planning | SignalStatus::Reflecting, _)
        | (SignalStatus::Executing, Some(_) | None)
        | (SignalStatus::Stuck | SignalStatus::Complete, _) => {}
    }
    Ok(Signal {
        status: raw.status,
        todos,
        next_action,
        sub_goals,
        self_assessment,
        completion_estimate: raw.completion_estimate.map(|number| percent(&number)).transpose()?,
        user_input_needed,
    })
}

fn checked_todos(raw: Vec<RawTodo>) -> Result<Vec<Todo>, AnswerError> {
    if raw.len() > MAX_TODOS {
        return Err(value(&format!(
            "more than {MAX_TODOS} `todos`; join small ones and leave out old cancelled ones"
        )));
    }
    let mut seen = BTreeSet::new();
    raw.into_iter()
        .map(|todo| {
            let RawTodo { id, title, status, priority } = todo;
            if id.is_empty()
                || id.chars().count() > ID
                || id.chars().any(|sign| sign.is_control() || sign.is_whitespace())
            {
                let id = text::line(&id, ID);
                return Err(value(&format!("the id `{id}` of a to-do is not a short word without blanks")));
            }
            if !seen.insert(id.clone()) {
                return Err(value(&format!("two `todos` have the id `{id}`; every one needs its own")));
            }
            let title = text::line(&title, TITLE);
            if title.is_empty() {
                return Err(value(&format!("the to-do `{id}` has no title")));
            }
            Ok(Todo { id, title, status, priority })
        })
        .collect()
}

fn checked_sub_goals(raw: Vec<SubGoalWish>, status: SignalStatus) -> Result<Vec<SubGoalWish>, AnswerError> {
    if !raw.is_empty() && matches!(status, SignalStatus::Stuck | SignalStatus::Complete) {
        return Err(value("`status` is an end, but there are `subGoals`; leave them out, or use executing"));
    }
    if raw.len() > MAX_SIDE_BY_SIDE {
        return Err(value(&format!(
            "more than {MAX_SIDE_BY_SIDE} `subGoals`; name the most useful ones now and the others when these have ended"
        )));
    }
    let mut seen = BTreeSet::new();
    raw.into_iter()
        .map(|SubGoalWish { todo_id, goal }| {
            if !seen.insert(todo_id.clone()) {
                let id = text::line(&todo_id, ID);
                return Err(value(&format!("two `subGoals` are for the to-do `{id}`; each needs its own")));
            }
            let goal = text::line(&goal, WORDS);
            if goal.is_empty() {
                return Err(value("the `goal` of a sub-goal is empty; say what it is to find out"));
            }
            Ok(SubGoalWish { todo_id, goal })
        })
        .collect()
}

/// The action, and the question to the user that it is, where it is one.
fn asking(
    action: Option<RawAction>,
    needed: Option<Needed>,
    status: SignalStatus,
    assessment: &str,
) -> Result<(Option<NextAction>, Option<String>), AnswerError> {
    let question = match &needed {
        Some(Needed::Question(question)) => Some(question.trim()).filter(|question| !question.is_empty()),
        Some(Needed::Flag(_)) | None => None,
    };
    let is_flagged = matches!(needed, Some(Needed::Flag(true)));
    match (action, question) {
        (Some(action), question) => {
            let mut action = checked_action(action, question)?;
            if action.kind != ActionType::UserInput {
                if question.is_some() || is_flagged {
                    return Err(value(
                        "it asks the user and acts at once; either use a `nextAction` of type user_input, or leave \
                         `userInputNeeded` out",
                    ));
                }
                return Ok((Some(action), None));
            }
            if let Some(question) = question {
                action.content = checked_content(question)?;
            }
            let asked = action.content.clone();
            Ok((Some(action), Some(asked)))
        }
        // Refused by the caller for what it is.
        (None, Some(question)) => {
            let content = checked_content(question)?;
            let asked = content.clone();
            let rationale = assessment.to_owned();
            Ok((Some(NextAction { kind: ActionType::UserInput, content, rationale }), Some(asked)))
        }
        (None, None) if is_flagged && status != SignalStatus::Complete => {
            Err(value("`userInputNeeded` is true, but there is no question; put the question there as text"))
        }
        (None, None) => Ok((None, None)),
    }
}

fn checked_action(raw: RawAction, question: Option<&str>) -> Result<NextAction, AnswerError> {
    let RawAction { kind, content, rationale } = raw;
    let name = kind.as_str();
    if content.trim().is_empty() && !(kind == ActionType::UserInput && question.is_some()) {
        let what = match kind {
            ActionType::Eval => "the script",
            ActionType::Shell => "the command",
            ActionType::FileRead => "the file's path",
            ActionType::AiConsult | ActionType::UserInput => "the question",
        };
        return Err(value(&format!("the `content` of the {name} action is empty; it is {what}")));
    }
    if content.len() > CONTENT {
        return Err(value(&format!(
            "the `content` of the {name} action is longer than {CONTENT} bytes; do less at once"
        )));
    }
    let rationale = text::line(&rationale, WORDS);
    if rationale.is_empty() {
        return Err(value(&format!("the `rationale` of the {name} action is empty; say in a sentence why")));
    }
    Ok(NextAction { kind, content, rationale })
}

fn checked_content(question: &str) -> Result<String, AnswerError> {
    if question.len() > CONTENT {
        return Err(value("the question in `userInputNeeded` is too long; ask one thing"));
    }
    Ok(question.to_owned())
}

fn percent(number: &Number) -> Result<u8, AnswerError> {
    let estimate = number.as_f64().unwrap_or(f64::NAN);
    let percent = if number.is_f64() && estimate <= 1.0 { estimate * 100.0 } else { estimate };
    if (0.0..=100.0).contains(&percent) {
        return Ok(percent.round() as u8);
    }
    Err(value("`completionEstimate` is neither a part of one nor percent from 0 to 100"))
}

fn value(complaint: &str) -> AnswerError {
    AnswerError::Value(complaint.to_owned())
}

/// The signal as [`parse`] reads it, for the prompt and for servers that can hold a model to a schema. No bounds on the
/// texts' lengths: the small servers' grammars explode on them.
pub fn schema() -> Value {
    let text = json!({ "type": "string" });
    let mut schema = schema_with(&["eval", "shell", "file_read", "ai_consult", "user_input"]);
    schema["properties"]["userInputNeeded"] = text.clone();
    schema["properties"]["subGoals"] = json!({
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_SIDE_BY_SIDE,
        "items": {
            "type": "object",
            "required": ["todoId", "goal"],
            "properties": { "todoId": text, "goal": text },
            "additionalProperties": false,
        },
    });
    schema
}

/// The signal as [`parse_of_sub_goal`] reads it.
pub fn schema_of_sub_goal() -> Value {
    schema_with(&["eval", "shell", "file_read"])
}

fn schema_with(actions: &[&str]) -> Value {
    let text = json!({ "type": "string" });
    let todo = json!({
        "type": "object",
        "required": ["id", "title", "status", "priority"],
        "properties": {
            "id": text,
            "title": text,
            "status": { "enum": ["pending", "in-progress", "completed", "cancelled"] },
            "priority": { "enum": ["high", "medium", "low"] },
        },
        "additionalProperties": false,
    });
    let action = json!({
        "type": "object",
        "required": ["type", "content", "rationale"],
        "properties": {
            "type": { "enum": actions },
            "content": text,
            "rationale": text,
        },
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "required": ["status", "todos", "selfAssessment"],
        "properties": {
            "status": { "enum": ["planning", "executing", "reflecting", "stuck", "complete"] },
            "todos": { "type": "array", "items": todo, "maxItems": MAX_TODOS },
            "nextAction": action,
            "selfAssessment": text,
            "completionEstimate": { "type": "integer", "minimum": 0, "maximum": 100 },
        },
        "additionalProperties": false,
    })
}
