use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    ApprovalId, Assessment, MessageId, ModelWarning, PageReading, PlanId, PlanInput, ServiceSpec, StepId,
    Time,
};

/// Steps a plan may hold when it is made.
pub const MAX_PLAN_STEPS: usize = 40;
/// Steps that corrections may add over the plan's original length.
pub const MAX_ADDED_STEPS: u32 = 10;
/// Attempts beyond the first that one step may have.
pub const MAX_RETRIES_PER_STEP: u32 = 3;
/// Corrections that one run may apply.
pub const MAX_TOTAL_CORRECTIONS: u32 = 10;
/// New steps that one correction may bring.
pub const MAX_STEPS_PER_CORRECTION: usize = 3;

/// Who leads the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Each step by hand, explained.
    Teacher,
    /// In order; stops at the first failure. `fixer` is the name that old data holds.
    #[default]
    #[serde(alias = "fixer")]
    Planner,
    /// In order; a failure is diagnosed and the plan mended.
    Agentic,
}

/// What a failed step does to a run that does not mend itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    #[default]
    Stop,
    /// Restore the last checkpoint, then end.
    Rollback,
    /// Go on with the steps that do not depend on the failed one.
    Continue,
}

/// Where a plan came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum PlanOrigin {
    /// Markdown or a shell script; `name` is the file's name, or "pasted text".
    Runbook {
        name: String,
    },
    /// A plan as JSON.
    Json {
        name: String,
    },
    /// `message_id`: the request it was made for.
    Model {
        name: String,
        message_id: Option<MessageId>,
    },
    User,
}

/// Ordered steps with one intent. An immutable value: every change of its definition makes a new `revision`.
/// Step and plan *states* are carried along but are no revision of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub id: PlanId,
    /// 1 when made.
    pub revision: u32,
    pub title: String,
    pub intent: String,
    pub mode: Mode,
    pub on_failure: OnFailure,
    pub origin: PlanOrigin,
    /// Length at revision 1; `MAX_ADDED_STEPS` counts from here.
    pub original_steps: u32,
    pub state: PlanState,
    // Shared between the revisions that have them alike: a revision of a long plan costs what it changes.
    pub steps: Vec<Arc<Step>>,
    /// How the page that it came from was read; none for a plan from elsewhere.
    #[serde(default)]
    pub page: Option<Arc<PageReading>>,
    /// What it asks for; those of what a page's reading left out among them.
    #[serde(default)]
    pub inputs: Vec<PlanInput>,
}

impl Plan {
    pub fn step(&self, id: &StepId) -> Option<&Step> {
        self.steps.iter().find(|step| &step.id == id).map(Arc::as_ref)
    }

    pub fn step_mut(&mut self, id: &StepId) -> Option<&mut Step> {
        self.steps.iter_mut().find(|step| &step.id == id).map(Arc::make_mut)
    }

    /// Steps that corrections have added so far.
    pub fn added_steps(&self) -> u32 {
        (self.steps.len() as u32).saturating_sub(self.original_steps)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    Analyze,
    Refactor,
    Validate,
    Test,
    Install,
    Configure,
    Execute,
    Repair,
}

/// What a step or a call does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Action {
    /// Runs in bash, in the session's carried shell state.
    Shell { command: String },
    /// A tool of the conversation. `input` is its arguments as canonical JSON text, `command` the same as one line for
    /// people: "edit_file src/main.rs". No step of a plan has one.
    Tool { tool: String, input: String, command: String },
    /// The user does it: log out and in, open a page, edit by hand. The run waits for their word; nothing is ever started.
    Manual { instruction: String },
}

impl Action {
    pub fn shell(command: impl Into<String>) -> Self {
        Self::Shell { command: command.into() }
    }

    pub fn manual(instruction: impl Into<String>) -> Self {
        Self::Manual { instruction: instruction.into() }
    }

    pub fn is_manual(&self) -> bool {
        match self {
            Self::Manual { .. } => true,
            Self::Shell { .. } | Self::Tool { .. } => false,
        }
    }

    /// The same with another text; a tool's call stays, for its text is only for reading.
    #[must_use]
    pub fn with_text(&self, text: impl Into<String>) -> Self {
        match self {
            Self::Shell { .. } => Self::shell(text),
            Self::Manual { .. } => Self::manual(text),
            Self::Tool { .. } => self.clone(),
        }
    }

    /// The text a person reads: for `Shell` the command.
    pub fn command(&self) -> &str {
        match self {
            Self::Shell { command } | Self::Tool { command, .. } => command,
            Self::Manual { instruction } => instruction,
        }
    }
}

/// Who put a step where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum StepOrigin {
    /// In the plan from revision 1.
    Original,
    /// A repair step: inserted by a correction for `for_step`.
    Repair { for_step: StepId, source: String, reason: String, revision: u32 },
}

/// Limits on one run of a step, in seconds; none of its own means the settings' defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StepLimits {
    pub wall_seconds: Option<u32>,
    pub silence_seconds: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub id: StepId,
    /// Place in the plan, from 0; recomputed at every revision.
    pub index: u32,
    /// For people.
    pub title: String,
    pub kind: StepKind,
    /// For certainty.
    pub action: Action,
    /// What the action was before the last change, with the reason; `None` when never changed.
    pub changed: Option<StepChange>,
    pub why: Option<String>,
    /// Output that the runbook shows after the command.
    pub expected: Option<String>,
    /// A command that must exit 0 for the step to count as done.
    pub verify: Option<String>,
    /// Exit statuses that mean success; never empty.
    pub ok_exit: Vec<i32>,
    pub depends_on: Vec<StepId>,
    pub limits: StepLimits,
    /// Set: its command is a service, which goes on while later steps run.
    #[serde(default)]
    pub service: Option<ServiceSpec>,
    pub estimate_seconds: Option<u32>,
    /// `None` until assessed; nothing runs without one.
    pub assessment: Option<Assessment>,
    /// What the model that wrote the present command says of its risk; part of every assessment of it.
    #[serde(default)]
    pub warning: Option<ModelWarning>,
    pub origin: StepOrigin,
    pub state: StepState,
}

impl Step {
    /// Whether its present command is the agent's: a repair step, or one whose command a correction wrote.
    pub fn is_repair(&self) -> bool {
        match (&self.changed, &self.origin) {
            (Some(change), _) => change.source != StepChange::BY_USER,
            (None, StepOrigin::Repair { .. }) => true,
            (None, StepOrigin::Original) => false,
        }
    }
}

impl StepChange {
    /// The `source` of a change that the user made.
    pub const BY_USER: &str = "you";
}

/// How a step's command was changed by a correction or by the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StepChange {
    pub before: String,
    pub revision: u32,
    /// A field guide rule id, a model's name, or "you".
    pub source: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum StepState {
    Pending,
    /// Waits for the user: in Teacher to press Run, a manual step in any mode until they have done it.
    AwaitingRun,
    AwaitingApproval {
        approval_id: ApprovalId,
    },
    Running {
        attempt: u32,
        started_at: Time,
    },
    /// Failed at least once; the brain is asked, or its repair steps run first.
    Recovering {
        attempt: u32,
        since: Time,
    },
    Completed {
        attempt: u32,
    },
    Failed {
        attempt: u32,
        reason: String,
    },
    Skipped {
        reason: String,
    },
    Cancelled,
    /// Was running when the program ended; the user decides.
    Interrupted {
        attempt: u32,
    },
}

impl StepState {
    /// Completed, failed, skipped or cancelled: the run does not come back to it by itself.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Completed { .. } | Self::Failed { .. } | Self::Skipped { .. } | Self::Cancelled => true,
            Self::Pending
            | Self::AwaitingRun
            | Self::AwaitingApproval { .. }
            | Self::Running { .. }
            | Self::Recovering { .. }
            | Self::Interrupted { .. } => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum PlanState {
    /// Shown, not yet confirmed.
    Draft,
    /// Confirmed.
    Ready,
    Running,
    Recovering {
        step_id: StepId,
    },
    Paused {
        reason: PauseReason,
    },
    Stuck {
        step_id: StepId,
        reason: StuckReason,
    },
    Completed,
    Failed {
        #[serde(default)]
        code: String,
        reason: String,
    },
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum PauseReason {
    User,
    /// The program ended while the plan ran.
    Interrupted,
    /// An approval was answered with "not now", "never", or words for the agent.
    Declined {
        step_id: StepId,
    },
    /// What the step would change could not be kept, so it was not run.
    NotKept {
        step_id: StepId,
        why: String,
    },
    /// The disk that holds the data folder is full. What had happened is recorded; it goes on when there is room.
    NoRoom {
        folder: String,
    },
    /// Teacher: the step failed; the user looks and decides.
    StepFailed {
        step_id: StepId,
    },
    /// Headless: this step is done by hand. Going on says that it is done.
    Manual {
        step_id: StepId,
    },
}

/// Why recovery gave up (A3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum StuckReason {
    /// `MAX_RETRIES_PER_STEP` attempts beyond the first.
    StepRetries { allowed: u32 },
    /// `MAX_TOTAL_CORRECTIONS` applied.
    Corrections { allowed: u32 },
    /// `MAX_ADDED_STEPS` reached and more were offered.
    AddedSteps { allowed: u32 },
    /// Two corrections in a row that were tried before, or the same failure again.
    NoProgress,
    /// The brain gave up, in its own words.
    Aborted { reason: String },
    /// A correction whose command is on the blocked floor.
    Blocked { reason: String },
}
