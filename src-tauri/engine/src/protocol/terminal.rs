use std::fmt;

use serde::{Deserialize, Serialize};

use super::StepId;

/// An attempt of a step, or a call of the conversation, that the user has run in a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TerminalRun {
    pub step_id: StepId,
    /// 0 for a call.
    pub attempt: u32,
}

/// What a user does at a terminal. It is in no event and no log line.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum TerminalInput {
    /// Typed or pasted, as a terminal sends it.
    Text { text: String },
    /// The window's size in characters.
    Size { rows: u16, cols: u16 },
    /// Closes the terminal, which ends the program in it.
    End,
}

impl fmt::Debug for TerminalInput {
    /// Without what was typed: it may be a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { text } => write!(f, "Text({} bytes)", text.len()),
            Self::Size { rows, cols } => write!(f, "Size({rows} rows, {cols} columns)"),
            Self::End => f.write_str("End"),
        }
    }
}

/// What a terminal shows at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TerminalScreen {
    pub rows: u16,
    pub cols: u16,
    /// Escape sequences and text that bring an empty terminal of this size to the same state.
    pub text: String,
    /// Number of the last piece of output that is in it (`Update::Terminal`).
    pub upto: u32,
    /// Its program still runs.
    pub running: bool,
}
