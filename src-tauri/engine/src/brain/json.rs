//! JSON in a model's text: bare, fenced, or with prose around it. Finds it and reads it strictly; guesses nothing.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Objects of one answer that are looked at.
const MOST_OBJECTS: usize = 16;
/// Places where one may begin: an answer of nothing but brackets costs no time.
const MOST_STARTS: usize = 2000;

/// Why a model's text is not what was asked for; shown to the model once, and to the user when it does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerError {
    #[error("there is no JSON object in it")]
    NoJson,
    #[error("it breaks off before its end; make it shorter")]
    BreaksOff,
    #[error("the JSON does not fit: {0}")]
    Shape(String),
    #[error("{0}")]
    Value(String),
}

/// Reads the first object in the text that fits; when none does, the error is that of the first.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, AnswerError> {
    let (objects, breaks_off) = whole_objects(after_thoughts(text));
    let mut first = None;
    for object in objects {
        match serde_json::from_value(object) {
            Ok(value) => return Ok(value),
            Err(error) => first = first.or(Some(AnswerError::Shape(error.to_string()))),
        }
    }
    if breaks_off {
        return Err(AnswerError::BreaksOff);
    }
    Err(first.unwrap_or(AnswerError::NoJson))
}

/// The objects that stand whole in the text, one after the other, and whether one more begins that has no end.
fn whole_objects(text: &str) -> (Vec<Value>, bool) {
    let mut objects = Vec::new();
    let mut from = 0;
    for _ in 0..MOST_STARTS {
        let Some(start) = text[from..].find('{').map(|at| from + at) else { break };
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(object)) => {
                from = start + values.byte_offset();
                objects.push(object);
                if objects.len() == MOST_OBJECTS {
                    break;
                }
            }
            // What follows is inside it.
            Some(Err(error)) if error.is_eof() => return (objects, true),
            Some(Err(_)) => from = start + 1,
            None => break,
        }
    }
    (objects, false)
}

/// Small servers leave a model's thinking in its answer, with drafts of the object in it.
fn after_thoughts(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, answer)| answer)
}
