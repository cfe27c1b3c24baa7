//! The user's edits on the confirmation card, while the plan is a draft: each is a revision of its own.

use super::{Session, not_now};
use crate::protocol::{EngineError, StepId};

impl Session {
    pub(super) async fn add_step(
        &mut self,
        _after: Option<StepId>,
        _title: String,
        _command: String,
    ) -> Result<(), EngineError> {
        Err(not_now("draft"))
    }

    pub(super) async fn remove_step(&mut self, _id: &StepId) -> Result<(), EngineError> {
        Err(not_now("draft"))
    }

    pub(super) async fn move_step(&mut self, _id: &StepId, _to: u32) -> Result<(), EngineError> {
        Err(not_now("draft"))
    }

    /// Asks the stronger model about the step that the run is stuck at.
    pub(super) async fn escalate(&mut self) -> Result<bool, EngineError> {
        Err(not_now("escalate"))
    }
}
