use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::protocol::{AgentCorrection, CorrectionAction, MAX_STEPS_PER_CORRECTION, ProtoStep, StepKind};

/// Why a model's text is no correction; shown to the model once, and to the user when it does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("there is no JSON object in it")]
    NoJson,
    #[error("the JSON does not fit: {0}")]
    Shape(String),
    #[error("{0}")]
    Value(&'static str),
}

/// One shape per action; anything else is refused.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Shape {
    Retry {
        reasoning: String,
        confidence: Option<f32>,
        modified_command: Option<String>,
        alternatives: Option<Vec<String>>,
    },
    Modify {
        reasoning: String,
        confidence: Option<f32>,
        modified_command: String,
        alternatives: Option<Vec<String>>,
        /// What the model thinks of the risk; nobody looks at it.
        #[serde(rename = "risk")]
        _risk: Option<IgnoredAny>,
    },
    InsertSteps {
        reasoning: String,
        confidence: Option<f32>,
        new_steps: Vec<ModelStep>,
        alternatives: Option<Vec<String>>,
    },
    Skip {
        reasoning: String,
        confidence: Option<f32>,
        alternatives: Option<Vec<String>>,
    },
    Abort {
        reasoning: String,
        confidence: Option<f32>,
        alternatives: Option<Vec<String>>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ModelStep {
    title: String,
    kind: Option<StepKind>,
    command: String,
    why: Option<String>,
    verify: Option<String>,
    #[serde(rename = "risk")]
    _risk: Option<IgnoredAny>,
}

/// Reads a correction out of a model's text: bare, fenced, or with prose around it; then strictly.
pub(super) fn parse(text: &str, model: &str) -> Result<AgentCorrection, AnswerError> {
    let value = find_object(text).ok_or(AnswerError::NoJson)?;
    let shape: Shape =
        serde_json::from_value(value).map_err(|error| AnswerError::Shape(error.to_string()))?;
    let (action, reasoning, confidence, alternatives) = match &shape {
        Shape::Retry { reasoning, confidence, alternatives, .. } => {
            (CorrectionAction::Retry, reasoning, confidence, alternatives)
        }
        Shape::Modify { reasoning, confidence, alternatives, .. } => {
            (CorrectionAction::Modify, reasoning, confidence, alternatives)
        }
        Shape::InsertSteps { reasoning, confidence, alternatives, .. } => {
            (CorrectionAction::InsertSteps, reasoning, confidence, alternatives)
        }
        Shape::Skip { reasoning, confidence, alternatives } => {
            (CorrectionAction::Skip, reasoning, confidence, alternatives)
        }
        Shape::Abort { reasoning, confidence, alternatives } => {
            (CorrectionAction::Abort, reasoning, confidence, alternatives)
        }
    };
    if reasoning.trim().is_empty() {
        return Err(AnswerError::Value("`reasoning` is empty"));
    }
    let mut correction = AgentCorrection {
        action,
        reasoning: reasoning.trim().to_owned(),
        source: model.to_owned(),
        confidence: confidence.unwrap_or(0.5).clamp(0.0, 1.0),
        modified_command: None,
        new_steps: None,
        alternatives: alternatives.clone(),
        wait_seconds: None,
    };
    match shape {
        Shape::Retry { modified_command, .. } => {
            correction.modified_command = modified_command.map(checked_command).transpose()?;
        }
        Shape::Modify { modified_command, .. } => {
            correction.modified_command = Some(checked_command(modified_command)?);
        }
        Shape::InsertSteps { new_steps, .. } => {
            if new_steps.is_empty() {
                return Err(AnswerError::Value("`newSteps` is empty"));
            }
            // More than the limit may be offered; the first ones are taken, and the rest can come after them.
            let steps =
                new_steps.into_iter().take(MAX_STEPS_PER_CORRECTION).map(proto).collect::<Result<_, _>>()?;
            correction.new_steps = Some(steps);
        }
        Shape::Skip { .. } | Shape::Abort { .. } => {}
    }
    Ok(correction)
}

fn proto(step: ModelStep) -> Result<ProtoStep, AnswerError> {
    let command = checked_command(step.command)?;
    Ok(ProtoStep {
        title: if step.title.trim().is_empty() { command.clone() } else { step.title },
        kind: step.kind.unwrap_or(StepKind::Repair),
        command,
        why: step.why.unwrap_or_default(),
        verify: step.verify,
    })
}

fn checked_command(command: String) -> Result<String, AnswerError> {
    if command.trim().is_empty() {
        return Err(AnswerError::Value("a command is empty"));
    }
    Ok(command)
}

/// The first JSON object that stands whole in the text.
fn find_object(text: &str) -> Option<serde_json::Value> {
    text.match_indices('{').find_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde_json::Value>();
        values.next()?.ok().filter(serde_json::Value::is_object)
    })
}

/// One shape per action, as [`parse`] reads them. No bounds on the texts' lengths: the small servers' grammars explode
/// on them.
pub(super) fn schema() -> Value {
    let text = json!({ "type": "string" });
    let shape = |action: &str, fields: &[(&str, Value)]| {
        let mut properties = serde_json::Map::new();
        properties.insert("action".to_owned(), json!({ "const": action }));
        properties.insert("reasoning".to_owned(), text.clone());
        for (name, field) in fields {
            properties.insert((*name).to_owned(), field.clone());
        }
        let required: Vec<&String> = properties.keys().collect();
        json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
    };
    let step = json!({
        "type": "object",
        "required": ["title", "command", "why"],
        "properties": { "title": text, "command": text, "why": text },
        "additionalProperties": false,
    });
    let steps =
        json!({ "type": "array", "items": step, "minItems": 1, "maxItems": MAX_STEPS_PER_CORRECTION });
    json!({ "oneOf": [
        shape("retry", &[]),
        shape("modify", &[("modifiedCommand", text.clone())]),
        shape("insert_steps", &[("newSteps", steps)]),
        shape("skip", &[]),
        shape("abort", &[]),
    ] })
}
