//! A signal as models write it: the protocol's names in snake case, a to-do whose id is all that it has, an estimate in words.
//! Makes it the form that the schema asks for where there is one way to; everything else is left for the reader to refuse.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

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
    let mut fields = in_camel_case(fields);
    lower(&mut fields, "status", '-');
    if let Some(Value::Array(todos)) = fields.get_mut("todos") {
        todos.iter_mut().for_each(plain_todo);
    }
    if let Some(Value::Object(action)) = fields.get_mut("nextAction") {
        lower(action, "type", '_');
        // An action of nothing is none.
        if action.values().all(Value::is_null) {
            fields.insert("nextAction".to_owned(), Value::Null);
        }
    }
    if let Some(Value::Array(wishes)) = fields.get_mut("subGoals") {
        for wish in wishes {
            if let Value::Object(wish) = wish {
                *wish = in_camel_case(std::mem::take(wish));
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
    as_text(todo, "id");
    lower(todo, "status", '-');
    lower(todo, "priority", '-');
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

/// `next_action` is `nextAction`, where the signal does not have both.
fn in_camel_case(fields: Map<String, Value>) -> Map<String, Value> {
    let mut named = Map::new();
    for (name, value) in fields {
        let camel = camel(&name);
        let name = if named.contains_key(&camel) { name } else { camel };
        named.insert(name, value);
    }
    named
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// `In_Progress` is `in-progress`.
fn lower(fields: &mut Map<String, Value>, name: &str, joined: char) {
    if let Some(Value::String(text)) = fields.get_mut(name) {
        *text = text.trim().to_lowercase().replace(['-', '_', ' '], &joined.to_string());
    }
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
