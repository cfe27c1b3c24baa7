use serde::{Deserialize, Serialize};

use super::{Action, ApprovalId, Assessment, FileDiff, GrantId, StepId, Time};

/// A question to the user about one exact action of one exact revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    pub id: ApprovalId,
    /// The step, or the call of the conversation, that it is about.
    pub step_id: StepId,
    /// Of the plan; 0 for a call of the conversation.
    pub revision: u32,
    pub action: Action,
    pub cwd: String,
    /// The user that the command would run as.
    pub user: String,
    pub assessment: Assessment,
    /// Why this is asked, in one sentence.
    pub warning_message: String,
    pub proposer: Proposer,
    /// The command before a correction changed it.
    pub previous_command: Option<String>,
    /// Rules that an "always" answer may make; empty for dangerous commands and for repairs that always ask.
    pub offers: Vec<GrantRule>,
    pub asked_at: Time,
    /// How the files would change, where that is known exactly: for the tools that edit.
    #[serde(default)]
    pub diffs: Vec<FileDiff>,
}

/// Who wants the command to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Proposer {
    /// The plan as the user confirmed it.
    Plan,
    /// A correction; `source` is a rule id or a model, `for_step` the step it mends.
    Agent { source: String, reason: String, for_step: StepId, for_title: String },
    /// A model in conversation; `reason` is what it said just before, bounded.
    Chat { model: String, reason: String },
    /// The user wrote or edited it.
    User,
}

/// What a remembered answer covers, literally.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum GrantRule {
    /// This exact text.
    Exact { command: String },
    /// A program and its sub-command, as `["git", "fetch"]` or `["make"]`.
    Program { words: Vec<String> },
    /// Every call of one tool.
    Tool { tool: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum GrantLifetime {
    Run,
    Session,
    Folder,
    Always,
}

/// Remembered permission (`allow`) or refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    pub id: GrantId,
    pub allow: bool,
    pub rule: GrantRule,
    pub lifetime: GrantLifetime,
    /// The plan, session or folder it belongs to; empty for `always`.
    pub bound_to: String,
    pub created_at: Time,
    pub last_used_at: Option<Time>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ApprovalAnswer {
    /// Run it once. `edited_command` is what the user wrote in the dialog; it is assessed again.
    AllowOnce {
        edited_command: Option<String>,
    },
    AllowAlways {
        rule: GrantRule,
        lifetime: GrantLifetime,
    },
    /// Do not run; here is what to do instead.
    Instead {
        guidance: String,
    },
    /// Do not run, now and whenever the same command comes again.
    Never,
    /// Do not run; pause.
    NotNow,
}

/// Who settled a question, for the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum AllowedBy {
    /// Its risk is below what is asked about.
    Mode,
    /// A dangerous step the user ticked when confirming the plan.
    Plan,
    User,
    Grant {
        id: GrantId,
    },
    /// Headless: the policy file.
    Policy,
}
