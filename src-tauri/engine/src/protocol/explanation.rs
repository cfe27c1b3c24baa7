use serde::{Deserialize, Serialize};

use super::{Assessment, UndoOutlook};

/// A command taken apart for a person (Teacher, and "What would this do?").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub command: String,
    /// In the order of the command; together they cover every word.
    pub parts: Vec<ExplainedPart>,
    /// What it reads and changes, a short sentence each; empty when it changes nothing.
    pub changes: Vec<String>,
    pub undo: UndoOutlook,
    /// What one should see when it works.
    pub expect: Option<String>,
    pub assessment: Assessment,
    /// "built-in knowledge" or a model's name.
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ExplainedPart {
    /// As written in the command.
    pub text: String,
    pub meaning: String,
    /// False when the meaning is only a general one ("an argument").
    pub known: bool,
}
