use serde::{Deserialize, Serialize};

use super::{InstructionsRule, MAX_ROUNDS, Mode, ModelChoice, OnFailure, Risk};

/// What the user has set. Unknown fields of a newer version are ignored, missing ones get their default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub default_mode: Mode,
    pub on_failure: OnFailure,
    /// Commands of this risk and above are asked about: `caution` or `dangerous`.
    pub ask_from: Risk,
    /// A step that runs longer is ended. Time that the machine sleeps does not count.
    pub wall_seconds: u32,
    pub silence_seconds: u32,
    /// Of a command's output, so many MiB are kept on disk, and its end.
    pub output_mib: u32,
    pub theme: Theme,
    /// None: rules only.
    pub main_model: Option<ModelChoice>,
    /// For escalation and consulting; asked only when the user says so.
    pub stronger_model: Option<ModelChoice>,
    /// Per session, input and output together: a warning at 80 %, a stop at 100 %.
    pub token_cap: Option<u32>,
    /// Per session, in US cents.
    pub cost_cap_cents: Option<u32>,
    /// Off: the conversation waits for the user after each round of tools (C7a).
    pub autonomous_loop: bool,
    pub max_rounds: u32,
    /// What a turn with tools ends with.
    pub synthesis: SynthesisRule,
    /// Independent calls of one round that only read run side by side.
    pub parallel_tools: bool,
    /// Each change of a file in a conversation is shown and asked about before it is written.
    pub ask_edits: bool,
    /// Whether `AGENTS.md` and the like are read to models.
    pub instructions: InstructionsRule,
    /// A dangerous command that is asked about is tried out in a sandbox meanwhile, to foretell which files it changes.
    pub forecast: bool,
    /// The machine does not go to sleep while something is worked on that does not wait for the user.
    pub keep_awake: bool,
    /// An icon in the desktop's tray, where it has one.
    pub tray_icon: bool,
    /// Days without use after which a remembered permission ends.
    pub grant_days: u32,
    /// Days without use after which a finished session may be cleared; none: kept.
    pub keep_days: Option<u32>,
    /// Beyond so many MiB the oldest finished sessions may be cleared; none: kept.
    pub keep_mib: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default_mode: Mode::Planner,
            on_failure: OnFailure::Stop,
            ask_from: Risk::Dangerous,
            wall_seconds: 3600,
            silence_seconds: 900,
            output_mib: 64,
            theme: Theme::System,
            main_model: None,
            stronger_model: None,
            token_cap: None,
            cost_cap_cents: None,
            autonomous_loop: true,
            max_rounds: MAX_ROUNDS,
            synthesis: SynthesisRule::Words,
            parallel_tools: true,
            ask_edits: true,
            instructions: InstructionsRule::Ask,
            forecast: true,
            keep_awake: true,
            tray_icon: true,
            grant_days: 90,
            keep_days: None,
            keep_mib: None,
        }
    }
}

/// How a turn is summed up at its end (C7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum SynthesisRule {
    /// The model's own words; an account where it gives none.
    #[default]
    Words,
    /// What was done, what failed, which files changed.
    Account,
    /// A line for each tool that was used.
    ByTool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
    Contrast,
}
