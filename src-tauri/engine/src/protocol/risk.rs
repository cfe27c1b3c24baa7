use serde::{Deserialize, Serialize};

use super::KeyboardNeed;

/// How much harm a command may do. Ordered: the strictest part of a command is the command's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Only reads.
    Safe,
    /// Changes things that can be put right, or is not known.
    Caution,
    /// May destroy, leak or take over; always asked.
    Dangerous,
    /// Never run, whatever anyone answers.
    Blocked,
}

/// Why a command has its risk, pointing at the guilty part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RiskReason {
    pub risk: Risk,
    /// One plain sentence without a full stop: "deletes a folder and everything in it".
    pub text: String,
    /// The part of the command as the user wrote it.
    pub fragment: String,
    /// Where `fragment` begins in the command, in characters (Unicode scalar values); `None` when it is nowhere literally.
    pub start: Option<u32>,
    /// The model that warns; `None` is the analysis itself. A model's warning can raise a risk, never lower one.
    #[serde(default)]
    pub source: Option<String>,
}

/// What a model says of the risk of a command that it proposes. It can raise the risk, never lower it, and never to
/// `blocked`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ModelWarning {
    pub risk: Risk,
    /// One plain sentence without a full stop, made harmless and bounded.
    pub text: String,
    /// The model's name.
    pub source: String,
}

/// What a command would do, as far as the analysis can tell. Drives "repairs always ask" and the dialog's facts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Effects {
    /// Removes files or folders.
    pub deletes: bool,
    /// Changes owner or mode over a tree.
    pub changes_tree_ownership: bool,
    /// sudo, su, doas, pkexec …
    pub raises_privilege: bool,
    /// Writes to a path outside the workspace (or one that cannot be resolved).
    pub writes_outside: bool,
    pub uses_network: bool,
    pub installs_packages: bool,
    /// Everything that it is known to do is done to the files that `touches` names.
    pub only_files: bool,
    /// Paths written, created or deleted, as far as known; absolute.
    pub touches: Vec<String>,
}

/// Whether what a command does can be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum UndoOutlook {
    /// It changes nothing.
    NotNeeded,
    /// Planwright keeps what it changes, and can put it back.
    Kept,
    /// By hand, as `how` says.
    ByHand {
        how: String,
    },
    Partly {
        how: String,
    },
    Cannot {
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Assessment {
    pub risk: Risk,
    /// Strictest first. Empty only for `safe`.
    pub reasons: Vec<RiskReason>,
    pub effects: Effects,
    pub undo: UndoOutlook,
    /// A part of it that wants a person at a keyboard.
    #[serde(default)]
    pub keyboard: Option<KeyboardNeed>,
}
