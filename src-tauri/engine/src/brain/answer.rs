use serde::Deserialize;
use serde_json::{Value, json};

use super::json::{AnswerError, read};
use super::text;
use crate::policy;
use crate::protocol::{
    AgentCorrection, CorrectionAction, MAX_STEPS_PER_CORRECTION, ProtoStep, Risk, StepKind,
};
use crate::redact;

/// Longest reasoning, title, reason and alternative, in characters.
const REASONING: usize = 1000;
const TITLE: usize = 120;
const WORDS: usize = 400;
/// Alternatives that are kept.
const ALTERNATIVES: usize = 5;
/// Seconds to wait for what passes by itself, when the model does not say how long; and the most that it may say.
const WAIT: u32 = 5;
const LONGEST_WAIT: u32 = 20;

/// One shape per action; anything else is refused.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Shape {
    Retry {
        reasoning: String,
        confidence: Option<f32>,
        modified_command: Option<String>,
        /// The failure passes by itself: the same command may run again after a wait.
        transient: Option<bool>,
        /// A number of any form: what is held to whole numbers still writes `-0`, which reads as a fraction.
        wait_seconds: Option<f64>,
        alternatives: Option<Vec<String>>,
        /// What the model thinks of the command's risk; it can only raise it.
        risk: Option<Risk>,
        warning: Option<String>,
    },
    Modify {
        reasoning: String,
        confidence: Option<f32>,
        modified_command: String,
        alternatives: Option<Vec<String>>,
        risk: Option<Risk>,
        warning: Option<String>,
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
    #[serde(default, deserialize_with = "crate::plan::kind_in_any_case")]
    kind: Option<StepKind>,
    command: String,
    why: Option<String>,
    verify: Option<String>,
    risk: Option<Risk>,
    warning: Option<String>,
}

/// Reads a correction out of a model's text: bare, fenced, or with prose around it; then strictly.
pub(super) fn parse(text: &str, model: &str) -> Result<AgentCorrection, AnswerError> {
    let shape: Shape = read(text)?;
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
    let reasoning = text::line(reasoning, REASONING);
    if reasoning.is_empty() {
        return Err(value("`reasoning` is empty"));
    }
    let mut correction = AgentCorrection {
        action,
        reasoning,
        source: model.to_owned(),
        confidence: confidence.unwrap_or(0.5).clamp(0.0, 1.0),
        modified_command: None,
        new_steps: None,
        alternatives: alternatives
            .as_ref()
            .map(|all| all.iter().take(ALTERNATIVES).map(|words| text::line(words, WORDS)).collect()),
        candidates: Vec::new(),
        wait_seconds: None,
        warning: None,
    };
    match shape {
        Shape::Retry { modified_command, transient, wait_seconds, risk, warning, .. } => {
            let is_transient = transient == Some(true);
            if is_transient && modified_command.is_some() {
                return Err(value("a transient retry runs the same command; leave `modifiedCommand` out"));
            }
            correction.modified_command = modified_command.map(checked_command).transpose()?;
            if correction.modified_command.is_some() {
                correction.warning = policy::claimed(risk, warning.as_deref(), model);
            }
            correction.wait_seconds = is_transient.then(|| wait_seconds.map_or(WAIT, bounded));
        }
        Shape::Modify { modified_command, risk, warning, .. } => {
            correction.modified_command = Some(checked_command(modified_command)?);
            correction.warning = policy::claimed(risk, warning.as_deref(), model);
        }
        Shape::InsertSteps { new_steps, .. } => {
            if new_steps.is_empty() {
                return Err(value("`newSteps` is empty"));
            }
            // More than the limit may be offered; the first ones are taken, and the rest can come after them.
            let steps = new_steps.into_iter().take(MAX_STEPS_PER_CORRECTION);
            correction.new_steps = Some(steps.map(|step| proto(step, model)).collect::<Result<_, _>>()?);
        }
        Shape::Skip { .. } | Shape::Abort { .. } => {}
    }
    Ok(correction)
}

fn proto(step: ModelStep, model: &str) -> Result<ProtoStep, AnswerError> {
    let command = checked_command(step.command)?;
    let title = text::line(&step.title, TITLE);
    Ok(ProtoStep {
        title: if title.is_empty() { text::line(&command, TITLE) } else { title },
        kind: step.kind.unwrap_or(StepKind::Repair),
        command,
        why: text::line(&step.why.unwrap_or_default(), WORDS),
        verify: step.verify,
        warning: policy::claimed(step.risk, step.warning.as_deref(), model),
    })
}

fn checked_command(command: String) -> Result<String, AnswerError> {
    if command.trim().is_empty() {
        return Err(value("a command is empty"));
    }
    Ok(command)
}

/// The model was shown the step's command without its secrets; what it makes of that gets them back.
pub(super) fn with_secrets(
    mut correction: AgentCorrection,
    command: &str,
) -> Result<AgentCorrection, AnswerError> {
    let put_back = |text: &mut String| {
        *text = redact::put_back(command, text).ok_or_else(|| {
            value("a command holds `[secret hidden]`, and it cannot be told which value belongs there; leave it out, or keep as many as the failed command has")
        })?;
        Ok(())
    };
    correction.modified_command.iter_mut().try_for_each(put_back)?;
    for step in correction.new_steps.iter_mut().flatten() {
        put_back(&mut step.command)?;
        step.verify.iter_mut().try_for_each(put_back)?;
    }
    Ok(correction)
}

fn bounded(seconds: f64) -> u32 {
    (seconds.ceil() as u32).clamp(1, LONGEST_WAIT)
}

fn value(complaint: &str) -> AnswerError {
    AnswerError::Value(complaint.to_owned())
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
    let risk = json!({ "enum": ["caution", "dangerous"] });
    let step = json!({
        "type": "object",
        "required": ["title", "command", "why"],
        "properties": { "title": text, "command": text, "why": text, "risk": risk, "warning": text },
        "additionalProperties": false,
    });
    let steps =
        json!({ "type": "array", "items": step, "minItems": 1, "maxItems": MAX_STEPS_PER_CORRECTION });
    let waits = [("transient", json!({ "type": "boolean" })), ("waitSeconds", json!({ "type": "integer" }))];
    json!({ "oneOf": [
        shape("retry", &waits),
        shape("modify", &[("modifiedCommand", text.clone())]),
        shape("insert_steps", &[("newSteps", steps)]),
        shape("skip", &[]),
        shape("abort", &[]),
    ] })
}
