use serde::{Deserialize, Serialize};

use super::{SessionId, SessionSummary};

/// What the data folder holds, and what of it the user's rule would clear. Sizes are in KiB, rounded up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StorageUse {
    pub folder: String,
    /// Newest first.
    pub sessions: Vec<SessionStorage>,
    /// The database of all sessions with its log. What a session leaves in it is used again, not given back.
    pub record_kib: u32,
    /// Deleted sessions.
    pub trash_kib: u32,
    /// Files that could not be read and were set aside.
    pub damaged_kib: u32,
    /// On the disk that holds the folder; none where it cannot be told.
    pub free_kib: Option<u32>,
    /// Sessions that the settings `keep_days` and `keep_mib` no longer keep, oldest first. Nothing is cleared unasked.
    pub due: Vec<SessionId>,
}

/// What one session takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SessionStorage {
    pub session: SessionSummary,
    /// Its events.
    pub record_kib: u32,
    /// The whole output of its steps.
    pub output_kib: u32,
    /// What is kept to undo its steps.
    pub kept_kib: u32,
    /// It is worked with or not finished: never cleared by a rule.
    pub is_open: bool,
}

impl SessionStorage {
    pub fn total_kib(&self) -> u32 {
        self.record_kib.saturating_add(self.output_kib).saturating_add(self.kept_kib)
    }
}
