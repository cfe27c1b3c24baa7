use serde::{Deserialize, Serialize};

use super::{CheckpointId, MessageId, PlanId, StepId, Time, UndoId};

/// What was kept before one attempt of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    pub id: CheckpointId,
    pub step_id: StepId,
    /// 0 for the first attempt.
    pub attempt: u32,
    pub at: Time,
    pub covers: Coverage,
    /// Files and folders that are looked after.
    pub entries: u32,
    /// What the session's store holds now, in KiB.
    pub kept_kib: u32,
}

/// How much of what a step may change is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Coverage {
    Whole,
    Partly { why: String },
    Nothing { why: String },
}

/// What is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum UndoTarget {
    /// One step, all its attempts.
    Step { step_id: StepId },
    /// The latest run: a plan, or a turn of the conversation.
    Run,
    /// All that this plan has run.
    Plan { plan_id: PlanId },
    /// All that was done for this message of the conversation.
    Turn { message_id: MessageId },
    /// This step and everything after it.
    Since { step_id: StepId },
    /// Back to how things were when this revision of the plan began.
    Revision { plan_id: PlanId, revision: u32 },
    /// An undo.
    Undo { undo_id: UndoId },
}

impl UndoTarget {
    /// The undo that is to be taken back, where it is one.
    pub fn undo_id(&self) -> Option<UndoId> {
        match self {
            Self::Undo { undo_id } => Some(*undo_id),
            Self::Step { .. }
            | Self::Run
            | Self::Plan { .. }
            | Self::Turn { .. }
            | Self::Since { .. }
            | Self::Revision { .. } => None,
        }
    }
}

/// What an undo would do now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UndoPreview {
    pub target: UndoTarget,
    /// Those in conflict first; at most 500.
    pub files: Vec<UndoFile>,
    /// Files beyond those listed.
    pub more: u32,
    pub gaps: Vec<UndoGap>,
    /// Stands for everything shown here and for the files as they are; an undo with another one is refused.
    pub token: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UndoFile {
    /// Absolute, and the file's key. What is no plain text in it is escaped: `\n`, `\xFF`, `\\`.
    pub path: String,
    pub does: UndoAct,
    /// Why it is left alone unless the user says to overwrite it.
    pub conflict: Option<String>,
    /// What is in conflict is not itself but what is in it or around it: overwriting it does nothing while that stays.
    pub follows: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum UndoAct {
    /// Other content takes the place of what is there now, which goes to the trash folder.
    Restore,
    /// It is gone, and comes back.
    Recreate,
    /// It was not there, and goes to the trash folder.
    Trash,
    /// Its mode, owner, times or attributes are put back.
    Metadata,
}

/// Something of a step that cannot be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UndoGap {
    pub step_id: StepId,
    /// A plain sentence without a full stop.
    pub why: String,
}

/// An undo that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UndoRecord {
    pub id: UndoId,
    pub target: UndoTarget,
    /// The steps that it took back, or for an undo of an undo put back; newest first.
    pub steps: Vec<StepId>,
    pub restored: u32,
    pub recreated: u32,
    pub trashed: u32,
    pub skipped: Vec<SkippedFile>,
    pub by: UndoBy,
    pub at: Time,
    /// The later undo that took this one back.
    pub undone_by: Option<UndoId>,
}

/// A file that an undo left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SkippedFile {
    pub path: String,
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum UndoBy {
    User,
    /// The plan's own wish after a failure.
    Rollback,
}
