use serde::{Deserialize, Serialize};

/// A rule of the field guide, and what came of it on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GuideRule {
    /// As corrections name it behind `guide:`.
    pub id: String,
    pub title: String,
    /// The user's own.
    pub own: bool,
    /// Steps that went through after it.
    pub helped: u32,
    /// Steps that failed again after it.
    pub failed: u32,
}
