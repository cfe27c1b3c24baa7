//! What is kept: told with its sizes and in figures, and cleared when the user says so.

use std::collections::HashSet;

use super::Engine;
use crate::protocol::{EngineError, Metrics, SessionId, StorageUse, Time};

impl Engine {
    /// What the data folder holds. Blocks nobody, and takes as long as looking through the folder does.
    pub async fn storage(&self) -> Result<StorageUse, EngineError> {
        let open: HashSet<SessionId> = self
            .sessions
            .lock()
            .await
            .iter()
            .filter(|(_, task)| !task.is_closed())
            .map(|(id, _)| *id)
            .collect();
        self.shared.journal.storage(open, &self.settings()).await
    }

    /// Figures of what was done here, from `since` on (S5). They stay here.
    pub async fn metrics(&self, since: Option<Time>) -> Result<Metrics, EngineError> {
        self.shared.journal.metrics(since).await
    }

    /// Removes for good those of `sessions` that are due by the settings at this moment; the others stay. What was told
    /// before is what goes: a session that became due since is not among them.
    pub async fn clear_due(&self, sessions: Vec<SessionId>) -> Result<StorageUse, EngineError> {
        let due = self.storage().await?.due;
        for id in sessions.into_iter().filter(|id| due.contains(id)) {
            self.delete_session(id).await?;
            self.shared.journal.empty_trash(Some(id)).await?;
        }
        self.storage().await
    }

    /// Removes sessions that were deleted before for good.
    pub async fn empty_trash(&self) -> Result<StorageUse, EngineError> {
        self.shared.journal.empty_trash(None).await?;
        self.storage().await
    }
}
