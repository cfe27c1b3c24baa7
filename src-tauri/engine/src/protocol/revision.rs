use serde::{Deserialize, Serialize};

use super::{Author, Step, StepId, Time};

/// One place at which a revision changed the order or the definition of steps. What it took away is kept, so that the
/// earlier plan can be had from the later one: no revision is ever kept whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StepSplice {
    /// Where `inserted` begins, in the new order from 0.
    pub at: u32,
    /// The steps that stood there, as the earlier revision defined them. Their states say nothing.
    pub removed: Vec<Step>,
    /// What stands there now. A step that was only changed or moved has the id of one that was removed.
    pub inserted: Vec<Step>,
}

/// A revision of a plan, and what it changed. The first one changed nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RevisionEntry {
    pub revision: u32,
    pub author: Author,
    pub reason: String,
    /// The step that caused it.
    pub step_id: Option<StepId>,
    pub at: Time,
    /// From the front of the plan to its end.
    pub changes: Vec<StepSplice>,
}
