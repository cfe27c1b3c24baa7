//! What commands wrote, as it is kept on disk. Reading and searching go past the sessions' owners, so that neither waits
//! for the other.

use super::Engine;
use crate::protocol::{EngineError, OutputMatches, OutputQuery, OutputRows, SessionId, StepId};

impl Engine {
    /// The whole output of an attempt, up to the journal's bound.
    ///
    /// # Errors
    /// `FileUnreadable`, also when none is kept.
    pub async fn read_output(
        &self,
        id: SessionId,
        step: &StepId,
        attempt: u32,
    ) -> Result<String, EngineError> {
        self.shared.journal.read_output(id, step, attempt).await
    }

    /// Rows of an attempt's output from number `from`, also while it runs; no more than 1000 at once.
    ///
    /// # Errors
    /// `FileUnreadable`, also when none is kept.
    pub async fn output_rows(
        &self,
        id: SessionId,
        step: &StepId,
        attempt: u32,
        from: u32,
        count: u32,
    ) -> Result<OutputRows, EngineError> {
        self.shared.journal.output_rows(id, step, attempt, from, count).await
    }

    /// Where a text stands in all that is kept of an attempt's output.
    ///
    /// # Errors
    /// `FileUnreadable`, also when none is kept.
    pub async fn search_output(
        &self,
        id: SessionId,
        step: &StepId,
        attempt: u32,
        query: OutputQuery,
    ) -> Result<OutputMatches, EngineError> {
        self.shared.journal.search_output(id, step, attempt, query).await
    }
}
