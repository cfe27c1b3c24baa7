use serde::{Deserialize, Serialize};

use super::{Step, StepId, Text, Time};

/// How one attempt's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ExitStatus {
    Code {
        code: i32,
    },
    /// `name` as "SIGKILL".
    Signal {
        signal: i32,
        name: String,
    },
    /// Ran longer than its wall-clock limit.
    TimedOut {
        seconds: u32,
    },
    /// Wrote nothing for longer than its silence limit.
    Silent {
        seconds: u32,
    },
    Cancelled,
    /// It has not ended: it is a service, and is ready.
    Detached,
    /// The process could not be started, or its supervisor was lost.
    NotStarted {
        message: String,
    },
}

impl ExitStatus {
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Code { code } => Some(*code),
            Self::Signal { .. }
            | Self::TimedOut { .. }
            | Self::Silent { .. }
            | Self::Cancelled
            | Self::Detached
            | Self::NotStarted { .. } => None,
        }
    }
}

/// What one attempt left (E4a). Output is bounded: the head and the tail are kept here, the whole is in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    pub step_id: StepId,
    /// 0 for the first attempt.
    pub attempt_index: u32,
    /// The exact command that ran.
    pub command: String,
    pub cwd: String,
    pub exit_status: ExitStatus,
    #[cfg_attr(feature = "specta", specta(type = String))]
    pub stdout: Text,
    #[cfg_attr(feature = "specta", specta(type = String))]
    pub stderr: Text,
    /// Both streams in the order they came, ANSI kept; bounded.
    #[cfg_attr(feature = "specta", specta(type = String))]
    pub output: Text,
    /// Lines left out of `output` between its head and its tail.
    pub omitted_lines: u32,
    pub started_at: Time,
    pub ended_at: Time,
    /// At most 500.
    pub files_changed: Vec<String>,
    /// Changed files beyond those.
    #[serde(default)]
    pub more_files_changed: u32,
    /// Set when the command itself succeeded and its `verify` command did not.
    pub verify: Option<VerifyResult>,
    /// Processes that outlived the step's leader and were ended.
    pub leftovers: u32,
}

impl StepResult {
    /// Of an attempt that never came to a process; `message` says why, for people.
    pub fn not_started(step: &Step, attempt_index: u32, cwd: &str, message: impl Into<String>) -> Self {
        let exit_status = ExitStatus::NotStarted { message: message.into() };
        Self::without_process(step, attempt_index, cwd, exit_status)
    }

    /// Of a manual step, by the user's word that it is done.
    pub fn by_hand(step: &Step, attempt_index: u32, cwd: &str) -> Self {
        Self::without_process(step, attempt_index, cwd, ExitStatus::Code { code: 0 })
    }

    fn without_process(step: &Step, attempt_index: u32, cwd: &str, exit_status: ExitStatus) -> Self {
        let now = Time::now();
        Self {
            step_id: step.id.clone(),
            attempt_index,
            command: step.action.command().to_owned(),
            cwd: cwd.to_owned(),
            exit_status,
            stdout: Text::default(),
            stderr: Text::default(),
            output: Text::default(),
            omitted_lines: 0,
            started_at: now,
            ended_at: now,
            files_changed: Vec::new(),
            more_files_changed: 0,
            verify: None,
            leftovers: 0,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct VerifyResult {
    pub command: String,
    pub exit_status: ExitStatus,
    pub output: String,
}

/// Which stream a piece of output came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    pub fn other(self) -> Self {
        match self {
            Self::Stdout => Self::Stderr,
            Self::Stderr => Self::Stdout,
        }
    }
}

/// A piece of live output: a batch of at most 50 ms. It is a stream, not an event: it is not in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OutputChunk {
    pub stream: Stream,
    pub text: String,
    /// Milliseconds since the attempt started.
    pub at_millis: u32,
    /// Where in the attempt's whole output it stands, in bytes. What lies between the end of one chunk and the start of the
    /// next was left out of the stream, and is in the file.
    pub from_byte: u32,
    pub bytes: u32,
}
