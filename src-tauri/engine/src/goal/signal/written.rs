//! A signal as models write it: the protocol's names in other cases and under the field's other names for them, a to-do
//! whose id is all that it has, an estimate in words, remarks beside it. Makes it the form that the schema asks for where
//! there is one way to; everything else is left for the reader to refuse.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// A name of the protocol, and what it is called elsewhere: both without case and separators.
type Names = &'static [(&'static str, &'static [&'static str])];

const SIGNAL: Names = &[
    ("status", &["state"]),
    ("todos", &["todolist", "tasks"]),
    ("nextAction", &["action"]),
    ("subGoals", &[]),
    ("selfAssessment", &["assessment"]),
    ("completionEstimate", &["completion", "progress"]),
    ("userInputNeeded", &["question"]),
];
const TODO: Names = &[
    ("id", &[]),
    ("title", &["description", "content", "text", "task", "name"]),
    ("status", &["state"]),
    ("priority", &[]),
];
const ACTION: Names = &[
    ("type", &["kind", "action", "tool"]),
    ("content", &["command", "path", "script", "question", "input"]),
    ("rationale", &["reason", "reasoning", "why"]),
];
const WISH: Names = &[("todoId", &["id"]), ("goal", &["task", "description"])];

const STATUS: Names = &[
    ("planning", &["plan"]),
    ("executing", &["execute", "working", "running", "inprogress", "continue"]),
    ("reflecting", &["reflect"]),
    ("stuck", &["blocked"]),
    ("complete", &["completed", "done", "finished"]),
];
const TODO_STATUS: Names = &[
    ("pending", &["todo", "open", "notstarted", "planned"]),
    ("in-progress", &["active", "doing", "started", "working"]),
    ("completed", &["complete", "done", "finished"]),
    ("cancelled", &["canceled", "skipped", "dropped"]),
];
const PRIORITY: Names =
    &[("high", &["urgent", "critical"]), ("medium", &["normal", "moderate"]), ("low", &["minor"])];
const ACTION_TYPE: Names = &[
    ("eval", &["evaluate"]),
    ("shell", &["bash", "command", "terminal"]),
    ("file_read", &["readfile", "read"]),
    ("ai_consult", &["consult"]),
    ("user_input", &["askuser", "ask"]),
];

/// What is read of such a value.
#[derive(Debug)]
pub(super) struct AsWritten<T>(pub(super) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for AsWritten<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let plain = plain(Value::deserialize(from)?);
        serde_json::from_value(plain).map(Self).map_err(serde::de::Error::custom)
    }
}

fn plain(signal: Value) -> Value {
    let Value::Object(fields) = signal else { return signal };
    let mut fields = named(fields, SIGNAL);
    word(&mut fields, "status", STATUS);
    match fields.get_mut("todos") {
        Some(Value::Array(todos)) => todos.iter_mut().for_each(plain_todo),
        Some(none @ Value::Null) => *none = Value::Array(Vec::new()),
        _ => {}
    }
    if let Some(Value::Object(action)) = fields.get_mut("nextAction") {
        *action = named(std::mem::take(action), ACTION);
        word(action, "type", ACTION_TYPE);
        // An action of nothing is none.
        if action.values().all(Value::is_null) {
            fields.insert("nextAction".to_owned(), Value::Null);
        }
    }
    if let Some(Value::Array(wishes)) = fields.get_mut("subGoals") {
        for wish in wishes {
            if let Value::Object(wish) = wish {
                *wish = named(std::mem::take(wish), WISH);
                as_text(wish, "todoId");
            }
        }
    }
    if let Some(Value::String(words)) = fields.get("completionEstimate") {
        let estimate = in_numbers(words);
        fields.insert("completionEstimate".to_owned(), estimate);
    }
    Value::Object(fields)
}

fn plain_todo(todo: &mut Value) {
    let Value::Object(todo) = todo else { return };
    *todo = named(std::mem::take(todo), TODO);
    as_text(todo, "id");
    word(todo, "status", TODO_STATUS);
    word(todo, "priority", PRIORITY);
    // Its id stands for it.
    let untitled = todo
        .get("title")
        .is_none_or(|title| title.is_null() || title.as_str().is_some_and(|title| title.trim().is_empty()));
    if let Some(id) = todo.get("id").filter(|_| untitled).cloned() {
        todo.insert("title".to_owned(), id);
    }
    if todo.get("priority").is_none_or(Value::is_null) {
        todo.insert("priority".to_owned(), "medium".into());
    }
}

/// The fields under the protocol's names. Its own spellings come first, and a name that is taken stays as it is written.
/// A remark beside them, which no reader would act on, is left out; a list or an object could be meant and is not.
fn named(fields: Map<String, Value>, names: Names) -> Map<String, Value> {
    let (mut known, mut others): (Map<_, _>, Vec<_>) = (Map::new(), Vec::new());
    for (name, value) in fields {
        match names.iter().find(|(own, _)| squashed(own) == squashed(&name)) {
            Some((own, _)) if !known.contains_key(*own) => drop(known.insert((*own).to_owned(), value)),
            _ => others.push((name, value)),
        }
    }
    for (name, value) in others {
        let other = squashed(&name);
        match names.iter().find(|(_, others)| others.contains(&other.as_str())) {
            Some((own, _)) if !known.contains_key(*own) => drop(known.insert((*own).to_owned(), value)),
            Some(_) => drop(known.insert(name, value)),
            None if value.is_array() || value.is_object() => drop(known.insert(name, value)),
            None if names.iter().any(|(own, _)| squashed(own) == other) => drop(known.insert(name, value)),
            None => {}
        }
    }
    known
}

/// A field's word as the protocol spells it: `In_Progress` and `doing` are `in-progress`.
fn word(fields: &mut Map<String, Value>, field: &str, names: Names) {
    if let Some(Value::String(text)) = fields.get_mut(field) {
        let said = squashed(text.trim());
        let own = names.iter().find(|(own, others)| squashed(own) == said || others.contains(&said.as_str()));
        if let Some((own, _)) = own {
            *text = (*own).to_owned();
        }
    }
}

fn squashed(name: &str) -> String {
    name.chars().filter(|sign| !matches!(sign, '_' | '-' | ' ')).collect::<String>().to_lowercase()
}

/// The number 1 as the id `1`.
fn as_text(fields: &mut Map<String, Value>, name: &str) {
    if let Some(number @ Value::Number(_)) = fields.get_mut(name) {
        *number = Value::String(number.to_string());
    }
}

/// `60 %`, `0.6` or `60` as what it says; in other words ("3 more actions needed") it is no share of the whole.
fn in_numbers(words: &str) -> Value {
    let words = words.trim();
    let number = words.strip_suffix('%').unwrap_or(words).trim_end();
    serde_json::from_str::<Value>(number).ok().filter(Value::is_number).unwrap_or(Value::Null)
}
