//! Values on their way into a script and out of it, by way of JSON.

use rhai::{Array, Dynamic, Map};
use serde_json::{Number, Value};

use super::{EvalError, EvalErrorKind, Given};

/// Deepest value that is told or read, as JSON's own readers have it.
const DEPTH: usize = 100;

pub(super) fn given(result: &Given) -> Dynamic {
    let mut map = Map::new();
    let mut put = |name: &str, value: Dynamic| map.insert(name.into(), value);
    put("iteration", i64::from(result.iteration).into());
    put("kind", result.kind.clone().into());
    put("content", result.content.clone().into());
    put("status", result.status.map_or(Dynamic::UNIT, |status| i64::from(status).into()));
    put("stdout", result.stdout.clone().into());
    put("stderr", result.stderr.clone().into());
    map.into()
}

/// A script's last value as text. Nothing at all is no text.
pub(super) fn text(value: &Dynamic) -> Result<String, EvalError> {
    if value.is_unit() {
        return Ok(String::new());
    }
    if let Ok(text) = value.clone().into_string() {
        return Ok(text);
    }
    if !value.is_array() && !value.is_map() {
        return Ok(value.to_string());
    }
    json(value)
        .and_then(|value| serde_json::to_string_pretty(&value).map_err(|error| error.to_string()))
        .map_err(|words| EvalError { kind: EvalErrorKind::Failed, line: None, words })
}

/// A value as JSON; what JSON does not know becomes text.
pub(super) fn json(value: &Dynamic) -> Result<Value, String> {
    at(value, 0)
}

fn at(value: &Dynamic, depth: usize) -> Result<Value, String> {
    if depth > DEPTH {
        return Err(format!("the value is nested more than {DEPTH} deep; tell a part of it"));
    }
    if value.is_unit() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = value.as_bool() {
        return Ok(flag.into());
    }
    if let Ok(number) = value.as_int() {
        return Ok(number.into());
    }
    if let Ok(number) = value.as_float() {
        return Ok(Number::from_f64(number).map_or(Value::Null, Value::Number));
    }
    if let Ok(array) = value.as_array_ref() {
        return array.iter().map(|item| at(item, depth + 1)).collect::<Result<_, _>>().map(Value::Array);
    }
    if let Ok(map) = value.as_map_ref() {
        return map
            .iter()
            .map(|(name, item)| Ok((name.to_string(), at(item, depth + 1)?)))
            .collect::<Result<_, _>>()
            .map(Value::Object);
    }
    Ok(Value::String(value.to_string()))
}

/// What JSON says, as a script sees it. Whole numbers beyond 64 bits become floating ones.
pub(super) fn dynamic(value: Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(flag) => flag.into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Value::String(text) => text.into(),
        Value::Array(items) => items.into_iter().map(dynamic).collect::<Array>().into(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name.into(), dynamic(value))).collect::<Map>().into()
        }
    }
}
