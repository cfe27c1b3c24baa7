use serde::{Deserialize, Serialize};

/// Stable codes at the edge; the window and scripts decide by these, never by the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// A runbook without a command in it.
    NoCommands,
    TooLarge,
    NotText,
    ScriptSyntax,
    InvalidPlan,
    CyclicPlan,
    DuplicateStep,
    UnknownTool,
    TooManySteps,
    FolderMissing,
    FileUnreadable,
    DataFolderReadOnly,
    JournalDamaged,
    DiskFull,
    NoSuchSession,
    NoSuchStep,
    NoSuchApproval,
    /// The state does not allow what was asked.
    NotNow,
    InvalidInput,
    /// It was made from something that has changed since.
    Stale,
    WorkerMissing,
    /// What an address answers is no page of instructions.
    NoPage,
    /// The server of an address does not give its page.
    PageRefused,
    PageUnreachable,
    /// An address leads to another one that is not followed.
    PageLedAstray,
    /// The model that was asked for cannot be used.
    NoModel,
    /// The session's cap on tokens or money is reached.
    CapReached,
    /// The keyring or the memory for keys could not be used.
    KeyUnusable,
    Internal,
}

/// An error as people meet it: what happened and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct EngineError {
    pub code: ErrorCode,
    /// Plain words, with what to do; ends with a full stop.
    pub message: String,
}

impl EngineError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// What the system says, for the middle of a sentence: "no such file or directory", without its number.
    pub fn reason(error: &std::io::Error) -> String {
        let text = error.to_string();
        let plain = text.split_once(" (os error").map_or(text.as_str(), |(plain, _)| plain);
        let mut letters = plain.chars();
        letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
    }
}
