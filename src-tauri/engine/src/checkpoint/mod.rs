//! Keeps what a step may change, and puts it back (S2). Owns the data folder's `checkpoints/`: contents by their hash, what
//! each step changed, the record and the trash folder of each undo. It never deletes what it did not make, never writes
//! through a link, never touches a project's git, and leaves alone what somebody changed since.
//!
//! What a step changed is the difference of what stood there before and after it, as far as it is known to be the step's.
//!
//! All of it blocks; callers run it on a thread of its own.

mod apply;
mod author;
mod contents;
mod disk;
mod entry;
mod files;
mod manifest;
mod name;
mod names;
mod objects;
mod outlook;
mod plan;
mod scan;
mod spot;
mod store;
#[cfg(test)]
mod tests;
mod undoing;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) use author::AtWork;
pub(crate) use outlook::tell_what_is_kept;

use crate::protocol::{
    Checkpoint, CheckpointId, Effects, EngineError, ErrorCode, SessionId, StepId, UndoBy, UndoId,
    UndoPreview, UndoRecord, UndoTarget,
};
use crate::redact::Redactor;
use scan::Caps;
use store::Store;

/// Files that a result names, at most.
pub(crate) const MAX_NAMED: usize = 500;

/// The checkpoints of all sessions.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    home: PathBuf,
    caps: Caps,
    /// Knows the secrets that must not be in what is kept.
    redactor: Redactor,
    open: Mutex<HashMap<SessionId, Arc<Mutex<Option<Store>>>>>,
}

/// A step or call that is about to run.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    pub(crate) step_id: StepId,
    pub(crate) attempt: u32,
    /// The plan, or the turn of a conversation, that it belongs to.
    pub(crate) run: String,
    /// Of the plan; 0 in a conversation.
    pub(crate) revision: u32,
    /// The session's folder.
    pub(crate) root: PathBuf,
    /// The user's home.
    pub(crate) home: PathBuf,
    pub(crate) effects: Effects,
    /// What is kept must survive a power cut.
    pub(crate) synced: bool,
}

/// What a step changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Absolute; at most [`MAX_NAMED`].
    pub(crate) files: Vec<String>,
    /// Those beyond.
    pub(crate) more: u32,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckpointError {
    #[error("There is no room to keep what the step would change. Make room on the disk, then go on.")]
    NoRoom,
    #[error("What the step would change could not be kept: {}. It was not run.", EngineError::reason(.0))]
    Unkept(io::Error),
    #[error("The kept files could not be read or written: {}.", EngineError::reason(.0))]
    Store(io::Error),
    #[error("The files have changed since. Look again at what the undo would do.")]
    Stale,
    #[error("There is nothing to undo.")]
    Nothing,
    #[error("No step with the id {0} has changed anything here.")]
    NoSuchStep(StepId),
    #[error("There is no such undo in this session.")]
    NoSuchUndo(UndoId),
    #[error("That undo was taken back already.")]
    TakenBack,
}

impl CheckpointError {
    fn of(error: io::Error) -> Self {
        if is_full(&error) { Self::NoRoom } else { Self::Store(error) }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl From<CheckpointError> for EngineError {
    fn from(error: CheckpointError) -> Self {
        let code = match &error {
            CheckpointError::NoRoom => ErrorCode::DiskFull,
            CheckpointError::Unkept(_) | CheckpointError::Store(_) => ErrorCode::Internal,
            CheckpointError::Stale | CheckpointError::Nothing | CheckpointError::TakenBack => {
                ErrorCode::NotNow
            }
            CheckpointError::NoSuchStep(_) => ErrorCode::NoSuchStep,
            CheckpointError::NoSuchUndo(_) => ErrorCode::InvalidInput,
        };
        Self::new(code, error.to_string())
    }
}

impl Checkpoints {
    /// `home` is the data folder. Nothing is made until something is kept.
    pub(crate) fn new(home: &Path, redactor: Redactor) -> Self {
        Self { home: home.to_owned(), caps: Caps::default(), redactor, open: Mutex::default() }
    }

    /// Keeps what a step may change, as it is now.
    ///
    /// # Errors
    /// `NoRoom`, `Unkept`: the step must not run.
    pub(crate) fn keep(&self, session: SessionId, before: &Before) -> Result<Checkpoint, CheckpointError> {
        self.with(session, true, |store| store.keep(before)).map_err(|error| match error {
            CheckpointError::Store(error) => CheckpointError::Unkept(error),
            other => other,
        })
    }

    /// What has changed since [`Self::keep`]. Asked again, it tells what has changed by then.
    pub(crate) fn settle(
        &self,
        session: SessionId,
        id: CheckpointId,
        work: &AtWork,
    ) -> Result<Changed, CheckpointError> {
        self.with(session, false, |store| store.settle(id, work))
    }

    /// Reads the session's folder ahead of its first step.
    pub(crate) fn warm(&self, session: SessionId, root: &Path, home: &Path) -> Result<(), CheckpointError> {
        self.with(session, true, |store| store.warm(root, home))
    }

    /// What an undo would do now. Changes nothing.
    pub(crate) fn preview(
        &self,
        session: SessionId,
        target: &UndoTarget,
    ) -> Result<UndoPreview, CheckpointError> {
        self.with(session, false, |store| store.preview(target))
    }

    /// Puts files back. `token`: the preview's; none does it as it is now.
    pub(crate) fn undo(
        &self,
        session: SessionId,
        target: &UndoTarget,
        token: Option<&str>,
        overwrite: &[String],
        by: UndoBy,
    ) -> Result<UndoRecord, CheckpointError> {
        self.with(session, false, |store| store.undo(target, token, overwrite, by))
    }

    /// Every undo that was done, oldest first.
    pub(crate) fn undone(&self, session: SessionId) -> Result<Vec<UndoRecord>, CheckpointError> {
        self.with(session, false, |store| Ok(store.undone()))
    }

    /// Moves what a session has kept to `to`, where the session's own record goes.
    pub(crate) fn set_aside(&self, session: SessionId, to: &Path) -> Result<(), CheckpointError> {
        held(&self.open).remove(&session);
        match std::fs::rename(self.of(session), to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CheckpointError::of(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Where an undo put what it replaced or took away.
    pub(crate) fn trash_of(&self, session: SessionId, undo: UndoId) -> PathBuf {
        self.of(session).join("trash").join(undo.to_string())
    }

    /// What is kept for a session.
    fn of(&self, session: SessionId) -> PathBuf {
        self.home.join("checkpoints").join(session.to_string())
    }

    /// Opens the session's store when it is first needed. Where nothing was ever kept there is none, and without `make`
    /// an empty one stands for it.
    fn with<T>(
        &self,
        session: SessionId,
        make: bool,
        act: impl FnOnce(&mut Store) -> Result<T, CheckpointError>,
    ) -> Result<T, CheckpointError> {
        let slot = Arc::clone(held(&self.open).entry(session).or_default());
        let mut slot = held(&slot);
        if slot.is_none() {
            let folder = self.of(session);
            // As the walk comes by it.
            let own = self.home.canonicalize().unwrap_or_else(|_| self.home.clone());
            if !make && !folder.exists() {
                return act(&mut Store::empty(folder, own, self.caps));
            }
            *slot = Some(Store::open(folder, own, self.caps, &self.redactor)?);
        }
        match slot.as_mut() {
            Some(store) => act(store),
            None => Err(CheckpointError::Nothing),
        }
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
