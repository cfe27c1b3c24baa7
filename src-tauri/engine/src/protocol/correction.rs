use serde::{Deserialize, Serialize};

use super::{ModelWarning, Risk, SelfCorrection, StepKind};

/// What the agent proposes after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum CorrectionAction {
    Retry,
    Modify,
    InsertSteps,
    Skip,
    Abort,
}

/// A step that has no id yet.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProtoStep {
    pub title: String,
    pub kind: StepKind,
    pub command: String,
    pub why: String,
    #[serde(default)]
    pub verify: Option<String>,
    #[serde(default)]
    pub warning: Option<ModelWarning>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct AgentCorrection {
    pub action: CorrectionAction,
    /// For people: what went wrong and why this helps.
    pub reasoning: String,
    /// A field guide rule id ("guide:missing-directory") or a model's name.
    pub source: String,
    /// 0.0 to 1.0.
    pub confidence: f32,
    /// `modify` always; `retry` when the command changes with it.
    #[serde(default)]
    pub modified_command: Option<String>,
    /// `insert_steps`: 1 to `MAX_STEPS_PER_CORRECTION`.
    #[serde(default)]
    pub new_steps: Option<Vec<ProtoStep>>,
    /// Other ways, in words or as commands, for the user when stuck.
    #[serde(default)]
    pub alternatives: Option<Vec<String>>,
    /// Whole commands in the place of the failed one, the likeliest first, where it is not sure which of them was meant:
    /// then nothing is changed before the user has chosen. Empty where it is sure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The failure passes by itself (a lock, the network): wait this long, then the same command may run again.
    #[serde(default)]
    pub wait_seconds: Option<u32>,
    /// Of `modified_command`; a new step has its own.
    #[serde(default)]
    pub warning: Option<ModelWarning>,
}

/// One of several commands that can have been meant, for the user to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    pub command: String,
    /// In a short sentence; empty where that is not known.
    pub does: String,
    pub risk: Risk,
}

/// What is proposed for a failure: by the guide or a model for a step of a plan, or a known way round for a call of a
/// conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(untagged)]
pub enum Correction {
    Step(AgentCorrection),
    Call(SelfCorrection),
}

/// What a correction was made for. Those of calls do not count among a plan's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum CorrectionOf {
    #[default]
    Step,
    Call,
}
