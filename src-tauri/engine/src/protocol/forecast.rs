use serde::{Deserialize, Serialize};

/// What a command that waits for an answer did to copies of the files, tried out in a sandbox with no network. A
/// forecast, no promise: the real run sees the network, other processes and a later moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Forecast {
    Running,
    Made {
        /// At most 200, the shallowest first.
        files: Vec<FileForecast>,
        /// Those beyond the bound.
        more: u32,
        /// `None`: it was stopped before it ended.
        exit_status: Option<i32>,
        milliseconds: u32,
        /// What makes the forecast less certain, in plain sentences: "It was stopped after 5 seconds."
        notes: Vec<String>,
    },
    /// `why` in one plain sentence.
    Unavailable {
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FileForecast {
    /// Absolute.
    pub path: String,
    pub change: FileChange,
    /// A folder; a deleted one stands for all that was in it.
    pub folder: bool,
    /// Files in a deleted folder, itself not counted; 0 for anything else.
    pub inside: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FileChange {
    Created,
    Changed,
    Deleted,
}
