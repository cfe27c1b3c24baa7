//! Plans made by a model (P2): asked for as JSON, read strictly, mended once, and validated as an imported plan is.
//! What a model claims about mode or state is never believed, and of a risk only that it is higher; nothing here
//! assesses, shows or runs a plan.

mod prompt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::json::{AnswerError, read};
use super::text;
use crate::model::{Meter, ModelError, ModelEvent, ModelProvider, Notes};
use crate::plan::{RawAction, RawPlan, RawStep};
use crate::policy;
use crate::protocol::{
    MAX_PLAN_STEPS, MessageId, Mode, OnFailure, Plan, PlanOrigin, Purpose, Risk, StepKind,
};

/// Longest title of a plan or a step, in characters.
const TITLE: usize = 120;
/// Longest reason, intent or expected result.
const WORDS: usize = 600;
/// Longest command; longer ones could not be analysed anyway.
const COMMAND: usize = 8000;
const ID: usize = 64;
/// Longest wait that a step may be said to take, in seconds.
const A_DAY: u32 = 24 * 60 * 60;

/// What a plan is wanted for.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// The user's words.
    pub request: String,
    /// Absolute path of the workspace.
    pub cwd: String,
    /// The mode in force; it is stamped on the plan.
    pub mode: Mode,
    pub on_failure: OnFailure,
    /// The message that asks for it.
    pub message_id: Option<MessageId>,
    /// Facts of the machine and the folder, see [`super::surroundings`].
    pub surroundings: String,
    /// What the project says about how to work on it, see [`super::instructions`].
    pub instructions: Option<String>,
    /// What was said, or planned and rejected, before.
    pub earlier: Option<String>,
}

/// Why there is no plan; for people, with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanningError {
    #[error(transparent)]
    Model(ModelError),
    /// `complaint` says what is wrong with what the model wrote, also to the model itself.
    #[error("The plan cannot be used: {complaint} Ask again in other words, or choose another model.")]
    Unusable { complaint: String },
}

/// Asks for a plan. A draft, not yet assessed.
///
/// # Errors
/// `Model` when the model cannot answer; `Unusable` when its second answer is no plan either.
pub async fn generate(
    model: &dyn ModelProvider,
    request: &PlanRequest,
    notes: &Notes,
) -> Result<Plan, PlanningError> {
    let name = model.name();
    let question = prompt::question(request);
    ask(model, prompt::PLAN, question, &schema(), notes, |answer| {
        written(read::<WrittenPlan>(answer).map_err(complaint)?, &name, request)
    })
    .await
}

/// Asks for the one command that does what the request says: a plan of exactly one step.
///
/// # Errors
/// As for [`generate`].
pub async fn one_command(
    model: &dyn ModelProvider,
    request: &PlanRequest,
    notes: &Notes,
) -> Result<Plan, PlanningError> {
    let name = model.name();
    let question = prompt::question(request);
    ask(model, prompt::ONE_COMMAND, question, &step_schema(), notes, |answer| {
        let step = read::<WrittenStep>(answer).map_err(complaint)?;
        let title = step.title.clone();
        let plan =
            WrittenPlan { title: Some(title.clone()), intent: Some(title), steps: vec![step], _mode: None };
        written(plan, &name, request)
    })
    .await
}

/// Reads a plan that came as the input of the `create_plan` tool. `model` is the name of the model that called it.
///
/// # Errors
/// `Unusable`, with what is wrong in words that the model can act on.
pub fn from_value(value: Value, model: &str, request: &PlanRequest) -> Result<Plan, PlanningError> {
    let plan: WrittenPlan =
        serde_json::from_value(value).map_err(|error| complaint(AnswerError::Shape(error.to_string())))?;
    written(plan, model, request)
}

/// The parameters of the `create_plan` tool, which go with every request: what a plan cannot do without, and a little more.
pub fn tool_schema() -> Value {
    let text = json!({ "type": "string" });
    let step = json!({
        "type": "object",
        "properties": { "title": text, "command": text, "why": text, "verify": text, "warning": text },
        "required": ["title", "command", "why"],
    });
    json!({
        "type": "object",
        "properties": { "title": text, "intent": text, "steps": { "type": "array", "items": step } },
        "required": ["title", "steps"],
    })
}

/// The shape of a plan: the schema of the answer. An object at the top
/// and no choice of shapes, which some providers refuse; no bounds on lengths, on which small servers' grammars explode.
pub fn schema() -> Value {
    let text = json!({ "type": "string" });
    let mut step = step_schema();
    step["properties"]["id"] = json!({ "type": "string", "description": "A short name, unique in the plan" });
    step["properties"]["dependsOn"] = json!({
        "type": "array", "items": text,
        "description": "Ids of earlier steps that must succeed first; leave it out everywhere for a plain sequence",
    });
    json!({
        "type": "object",
        "required": ["title", "intent", "steps"],
        "properties": {
            "title": text,
            "intent": { "type": "string", "description": "What the plan achieves, in one sentence" },
            "steps": { "type": "array", "minItems": 1, "items": step },
        },
        "additionalProperties": false,
    })
}

fn step_schema() -> Value {
    let text = json!({ "type": "string" });
    let kinds = ["analyze", "refactor", "validate", "test", "install", "configure", "execute", "repair"];
    json!({
        "type": "object",
        "required": ["title", "command", "why"],
        "properties": {
            "title": text,
            "kind": { "type": "string", "enum": kinds },
            "command": { "type": "string", "description": "One bash command; no prompts, no editor" },
            "why": text,
            "verify": { "type": "string", "description": "A command that exits 0 only when the step has worked" },
            "estimateSeconds": { "type": "integer" },
            "risk": { "enum": ["caution", "dangerous"] },
            "warning": text,
        },
        "additionalProperties": false,
    })
}

/// A plan as a model writes it. Fields that it was not asked for are an error, but for claims that nobody looks at.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenPlan {
    title: Option<String>,
    intent: Option<String>,
    steps: Vec<WrittenStep>,
    #[serde(rename = "mode")]
    _mode: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenStep {
    id: Option<String>,
    title: String,
    #[serde(default, deserialize_with = "crate::plan::kind_in_any_case")]
    kind: Option<StepKind>,
    /// Only `shell` is known.
    tool: Option<String>,
    command: String,
    why: Option<String>,
    expected: Option<String>,
    verify: Option<String>,
    depends_on: Option<Vec<String>>,
    estimate_seconds: Option<u32>,
    /// What the model thinks of the risk; it can only raise it.
    risk: Option<Risk>,
    warning: Option<String>,
}

/// Asks once, and once more with what was wrong with the answer.
pub(super) async fn ask<T>(
    model: &dyn ModelProvider,
    system: &str,
    question: String,
    schema: &Value,
    notes: &Notes,
    read: impl Fn(&str) -> Result<T, PlanningError>,
) -> Result<T, PlanningError> {
    let mut messages = vec![question];
    loop {
        let meter = Meter::new(Purpose::Planning, model, notes.clone());
        let heard = |event: &ModelEvent| meter.hear(event);
        let answer =
            model.call_raw(system, &messages, Some(schema), &heard).await.map_err(PlanningError::Model)?;
        match read(&answer) {
            Err(PlanningError::Unusable { complaint }) if messages.len() == 1 => {
                messages.push(text::clip(&answer, prompt::ANSWER));
                messages.push(prompt::complaint(&complaint));
            }
            other => return other,
        }
    }
}

/// Bounds the texts, then refines and validates as for any other source.
fn written(plan: WrittenPlan, model: &str, request: &PlanRequest) -> Result<Plan, PlanningError> {
    let mut steps = Vec::with_capacity(plan.steps.len().min(MAX_PLAN_STEPS));
    for (place, step) in plan.steps.into_iter().enumerate() {
        steps.push(raw_step(place, step, model)?);
    }
    let title = plan.title.map(|title| text::line(&title, TITLE)).filter(|title| !title.is_empty());
    let raw = RawPlan {
        inputs: Vec::new(),
        title: title.or_else(|| Some(text::line(&request.request, TITLE))),
        intent: plan.intent.map(|intent| text::line(&intent, WORDS)),
        mode: Some(request.mode),
        on_failure: Some(request.on_failure),
        steps,
    };
    let origin = PlanOrigin::Model { name: model.to_owned(), message_id: request.message_id };
    raw.into_plan(origin, MAX_PLAN_STEPS).map_err(|error| unusable(error.message))
}

fn raw_step(place: usize, step: WrittenStep, model: &str) -> Result<RawStep, PlanningError> {
    let number = place + 1;
    for command in std::iter::once(&step.command).chain(&step.verify) {
        if command.chars().nth(COMMAND).is_some() {
            let message =
                format!("Step {number} has a command of more than {COMMAND} characters. Split the step.");
            return Err(unusable(message));
        }
    }
    let ids = step.id.iter().chain(step.depends_on.iter().flatten());
    for id in ids {
        if id.chars().nth(ID).is_some() || text::line(id, ID) != *id {
            return Err(unusable(format!(
                "Step {number} has an id that is long or has strange characters in it. Use a short plain word."
            )));
        }
    }
    let words = |words: Option<String>| words.map(|words| text::line(&words, WORDS));
    let action = RawAction {
        kind: step.tool.or(Some("shell".to_owned())),
        command: Some(step.command),
        ..RawAction::default()
    };
    Ok(RawStep {
        manual: None,
        id: step.id,
        title: Some(text::line(&step.title, TITLE)),
        kind: step.kind,
        command: None,
        action: Some(action),
        why: words(step.why),
        expected: words(step.expected),
        verify: step.verify,
        ok_exit: None,
        depends_on: step.depends_on,
        limits: None,
        service: None,
        estimate_seconds: step.estimate_seconds.map(|seconds| seconds.min(A_DAY)),
        warning: policy::claimed(step.risk, step.warning.as_deref(), model),
    })
}

pub(super) fn complaint(error: AnswerError) -> PlanningError {
    let mut complaint = error.to_string();
    if let Some(first) = complaint.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    unusable(if complaint.ends_with('.') { complaint } else { complaint + "." })
}

/// What a model wrote may be quoted in the complaint, so it is made harmless too.
pub(super) fn unusable(complaint: impl AsRef<str>) -> PlanningError {
    PlanningError::Unusable { complaint: text::line(complaint.as_ref(), WORDS) }
}

#[cfg(test)]
mod tests;
