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
    /// What earlier steps changed in the environment that the command would get; the answer is bound to it as well.
    #[serde(default)]
    pub environment: Vec<EnvironmentChange>,
    /// The one of `offers` that would have spared the last three questions of this kind, all answered with a yes.
    #[serde(default)]
    pub suggested: Option<GrantRule>,
    /// A digest of all that the answer is for: action, check, folder, exact environment, revision. A question from the
    /// record that has none, or another than the request of now, is asked anew.
    #[serde(default)]
    pub binding: String,
    /// It may be run in a terminal, with the user at its keyboard.
    #[serde(default)]
    pub terminal: bool,
}

/// A variable or function that a command gets otherwise than the session's first command did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentChange {
    pub name: String,
    pub now: EnvironmentValue,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum EnvironmentValue {
    Set {
        value: String,
    },
    /// Set to what looks like a password or key, which is not repeated anywhere.
    Hidden,
    Unset,
    /// A shell function of this name.
    Function,
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
    /// Times that it decided.
    #[serde(default)]
    pub uses: u32,
    /// From then on it counts no more. Each use moves it on; a *never* has none.
    #[serde(default)]
    pub expires_at: Option<Time>,
}

/// Which commands of the journal a rule would have covered (R4), to be seen before it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GrantPreview {
    /// Different commands that were looked at, the newest first, up to a bound.
    pub looked_at: u32,
    /// Those that the rule matches, the newest first; at most 50 of them.
    pub covered: Vec<PastCommand>,
    pub more: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PastCommand {
    pub command: String,
    pub cwd: String,
    pub last_at: Time,
    /// Times that it was started.
    pub times: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ApprovalAnswer {
    /// Run it once. `edited_command` is what the user wrote in the dialog; it is assessed again.
    AllowOnce {
        edited_command: Option<String>,
    },
    /// Run it once in a terminal, where the user sits at its keyboard.
    InTerminal,
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
