//! What an answer carries that only its server understands: put together as it comes, so that it can go back as it was.

use serde_json::{Map, Value};

/// Texts that name a thing; they come again with each piece of it and do not grow.
const NAMES: [&str; 5] = ["type", "format", "id", "index", "role"];

/// Adds a piece to what came before: texts and lists grow, entries of a list with the same index are one.
pub(super) fn add(whole: &mut Map<String, Value>, piece: &Map<String, Value>) {
    for (name, value) in piece {
        match whole.get_mut(name) {
            Some(before) if !NAMES.contains(&name.as_str()) => grow(before, value),
            _ if value.is_null() => {}
            _ => {
                whole.insert(name.clone(), value.clone());
            }
        }
    }
}

fn grow(whole: &mut Value, piece: &Value) {
    match (whole, piece) {
        (_, Value::Null) => {}
        (Value::String(whole), Value::String(piece)) => whole.push_str(piece),
        (Value::Object(whole), Value::Object(piece)) => add(whole, piece),
        (Value::Array(whole), Value::Array(piece)) => {
            for entry in piece {
                match whole.iter_mut().rev().find(|before| is_same(before, entry)) {
                    Some(before) => grow(before, entry),
                    None => whole.push(entry.clone()),
                }
            }
        }
        (whole, piece) => *whole = piece.clone(),
    }
}

fn is_same(before: &Value, entry: &Value) -> bool {
    entry.get("index").is_some() && ["index", "type"].iter().all(|name| before.get(name) == entry.get(name))
}

/// The fields of an object that are none of these.
pub(super) fn beside(object: &Value, known: &[&str]) -> Map<String, Value> {
    let fields = object.as_object().into_iter().flatten();
    fields
        .filter(|(name, value)| !known.contains(&name.as_str()) && !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

pub(super) fn bytes(fields: &Map<String, Value>) -> usize {
    fields.iter().map(|(name, value)| name.len() + value.to_string().len()).sum()
}
