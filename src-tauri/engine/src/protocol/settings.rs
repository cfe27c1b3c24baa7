use serde::{Deserialize, Serialize};

use super::{Mode, OnFailure, Risk};

/// What the user has set. Unknown fields of a newer version are ignored, missing ones get their default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub default_mode: Mode,
    pub on_failure: OnFailure,
    /// Commands of this risk and above are asked about: `caution` or `dangerous`.
    pub ask_from: Risk,
    pub wall_seconds: u32,
    pub silence_seconds: u32,
    pub theme: Theme,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default_mode: Mode::Planner,
            on_failure: OnFailure::Stop,
            ask_from: Risk::Dangerous,
            wall_seconds: 3600,
            silence_seconds: 900,
            theme: Theme::System,
        }
    }
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
