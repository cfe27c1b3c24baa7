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
    /// Each command of a pipeline, and whose output it takes; empty where nothing is handed on.
    pub flow: Vec<String>,
    /// What it reads, a short sentence each.
    pub reads: Vec<String>,
    /// What it changes, a short sentence each; empty when it changes nothing.
    pub changes: Vec<String>,
    pub undo: UndoOutlook,
    /// Commands that take back what this very command does, in the order in which they are to be run; empty where there are
    /// none, and never there where `undo` says that it cannot be undone or need not be.
    pub undo_commands: Vec<String>,
    /// Safer ways to the same end.
    pub safer: Vec<SaferWay>,
    /// What one should see when it works.
    pub expect: Option<String>,
    pub assessment: Assessment,
    /// Where the meanings are from, all together: "built-in knowledge", with the machine's manual where it helped.
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ExplainedPart {
    /// As written in the command.
    pub text: String,
    pub meaning: String,
    /// False when nothing is known of it here, and the meaning says so.
    pub known: bool,
    pub source: MeaningSource,
}

/// Where the meaning of a part is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum MeaningSource {
    /// Planwright's own tables, and the shell's language.
    #[default]
    Tables,
    /// The program's man page on this machine, in its own words.
    ManPage,
    /// A completion file of the fish shell on this machine, in its own words.
    Completion,
    Nowhere,
}

/// A way that does the same with less to lose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SaferWay {
    pub why: String,
    /// To be used instead; not there where the words alone say it.
    pub command: Option<String>,
}
