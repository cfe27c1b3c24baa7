use serde::{Deserialize, Serialize};

use super::{ExitStatus, ServiceId, StepId, Time};

/// How it is found out that a service can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Readiness {
    /// Something answers on this port of this machine.
    Port { port: u16 },
    /// A line of its output contains this.
    Line { text: String },
    /// A line of its output says where it can be reached: an address of this machine, or a port.
    Address,
    /// This file is there, and newer than the start. Relative to the step's folder.
    File { path: String },
}

impl std::fmt::Display for Readiness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Port { port } => write!(f, "port {port} answers"),
            Self::Line { text } => write!(f, "it writes \"{text}\""),
            Self::Address => write!(f, "it writes its address"),
            Self::File { path } => write!(f, "{path} is there"),
        }
    }
}

/// What makes a step a service (E10): it goes on while later steps run, and is done once it is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ServiceSpec {
    pub ready: Readiness,
    pub within_seconds: u32,
}

impl ServiceSpec {
    /// Seconds that a service has to become ready, unless it says otherwise.
    pub const WITHIN_SECONDS: u32 = 60;
}

/// A service that a step started. Its output is that of the step's attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Service {
    pub id: ServiceId,
    pub step_id: StepId,
    pub attempt: u32,
    pub title: String,
    pub command: String,
    pub cwd: String,
    pub ready: Readiness,
    pub started_at: Time,
    pub state: ServiceState,
}

impl Service {
    pub fn is_running(&self) -> bool {
        match self.state {
            ServiceState::Starting | ServiceState::Ready { .. } => true,
            ServiceState::Ended { .. } => false,
        }
    }
}

/// A process that a step's or call's command has left running (`&`, `nohup`): it goes on in the session's shell until the
/// run's end, the user's word, or its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Job {
    pub pid: i32,
    pub command: String,
    /// Whose output what it writes belongs to.
    pub step_id: StepId,
    #[serde(default)]
    pub attempt: u32,
    pub since: Time,
    /// The user was asked at the end of the run, and wants it to run on as long as its session is open.
    #[serde(default)]
    pub kept: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ServiceState {
    Starting,
    Ready { since: Time },
    Ended { at: Time, end: ServiceEnd },
}

/// Why a service is over. Nothing of it is left then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ServiceEnd {
    /// Nobody asked it to.
    Itself {
        exit_status: ExitStatus,
    },
    /// By the user, or with the run that was cancelled.
    Stopped,
    /// It was not ready in time, or its step's check failed.
    NotReady,
    /// Its step ran again.
    Replaced,
    SessionEnded,
    /// The program ended without stopping it first; it ended with the program.
    Lost,
}
