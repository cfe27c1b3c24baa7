use serde::{Deserialize, Serialize};

use super::{SecretRequestId, StepId, Time};

/// What a program asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum SecretKind {
    Password,
    /// Opens a key.
    Passphrase,
    /// No secret, but it goes the same way.
    Username,
    /// A yes or a no: an unknown host, the use of a key.
    Confirm,
}

/// A running command asks for something that only the user can give. The answer is never part of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SecretRequest {
    pub id: SecretRequestId,
    /// The step or call whose command is running.
    pub step_id: StepId,
    /// The exact command that is running, as it was permitted.
    pub command: String,
    pub cwd: String,
    /// The program that asks, by its name: "sudo".
    pub program: String,
    /// How that program was called, as the machine tells it; bounded.
    pub called_as: String,
    /// The program's own words; no control characters but line breaks, bounded, never to be trusted.
    pub prompt: String,
    pub kind: SecretKind,
    /// From 1: which try this is of the same question by the same program.
    pub attempt: u32,
    pub attempts_allowed: u32,
    /// Why the question may be false, for people.
    pub warning: Option<String>,
    /// It is declined then.
    pub expires_at: Time,
}

/// What became of a request; never what was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum SecretOutcome {
    Answered,
    Declined,
    TimedOut,
    /// The program went away before there was an answer.
    Withdrawn,
    /// Nobody was there who could have answered.
    NobodyThere,
    /// The same was asked too often.
    TooManyTries,
}
