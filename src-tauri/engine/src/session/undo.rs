//! Keeping before something runs, taking back afterwards. What is kept and how is the checkpoints' business; this says
//! when, and records it.

use std::path::PathBuf;
use std::sync::Arc;

use super::errand::Errand;
use super::{Session, not_now};
use crate::checkpoint::{AtWork, Before, Changed, CheckpointError, Checkpoints};
use crate::protocol::{
    Assessment, Checkpoint, CheckpointId, EngineError, ErrorCode, Event, Risk, SessionId, StepId, UndoBy,
    UndoRecord, UndoTarget, Update,
};
use crate::runner::RunOutcome;

/// What could not be kept is not run; the error is for people.
pub(super) type Kept<T> = Result<Option<T>, EngineError>;

impl Session {
    /// Keeps what a step may change. `None`: it changes nothing that matters.
    pub(super) async fn keep(
        &mut self,
        id: &StepId,
        attempt: u32,
        revision: u32,
        assessment: &Assessment,
    ) -> Result<Kept<Checkpoint>, EngineError> {
        if assessment.risk < Risk::Caution {
            return Ok(Ok(None));
        }
        let before = Before {
            step_id: id.clone(),
            attempt,
            run: self.bindings().run,
            revision,
            root: PathBuf::from(&self.state.cwd),
            home: self.shared.classifier.home().to_owned(),
            effects: assessment.effects.clone(),
            synced: assessment.risk > Risk::Caution,
        };
        let session = self.state.id;
        let kept = self.on_checkpoints(move |checkpoints| checkpoints.keep(session, &before)).await?;
        Ok(kept.map(Some).inspect_err(|error| tracing::error!("{error}")))
    }

    /// The same for a call of the conversation, recorded at once.
    pub(super) async fn keep_for_call(
        &mut self,
        id: &StepId,
        assessment: &Assessment,
    ) -> Result<Kept<CheckpointId>, EngineError> {
        let checkpoint = match self.keep(id, 0, 0, assessment).await? {
            Ok(Some(checkpoint)) => checkpoint,
            Ok(None) => return Ok(Ok(None)),
            Err(error) => return Ok(Err(error)),
        };
        let id = checkpoint.id;
        self.emit(vec![Event::CheckpointCreated { checkpoint }]).await?;
        Ok(Ok(Some(id)))
    }

    /// What has changed since it was kept. When that cannot be written down the step stands all the same; what it
    /// changed is looked for again when the session is opened next.
    pub(super) async fn settle(
        &mut self,
        kept: Option<CheckpointId>,
        work: AtWork,
    ) -> Result<Changed, EngineError> {
        let Some(id) = kept else { return Ok(Changed::default()) };
        let session = self.state.id;
        let settled = self.on_checkpoints(move |checkpoints| checkpoints.settle(session, id, &work)).await?;
        Ok(settled.unwrap_or_else(|error| {
            tracing::error!("{error}");
            if error.code == ErrorCode::DiskFull {
                // The run pauses before its next step and says why.
                self.shared.journal.fell_short_of_room();
                return Changed::default();
            }
            self.shared.hub.publish(Update::Problem { session_id: Some(session), error });
            Changed::default()
        }))
    }

    /// Takes something back, as the preview showed it.
    pub(super) async fn undo(
        &mut self,
        target: UndoTarget,
        token: String,
        overwrite: Vec<String>,
    ) -> Result<(), EngineError> {
        if self.is_under_way() {
            return Err(not_now("The plan is running. Pause or stop it first."));
        }
        let session = self.state.id;
        self.control.errand = Some(Errand::Undoing);
        let undone = self
            .on_checkpoints(move |checkpoints| {
                checkpoints.undo(session, &target, Some(&token), &overwrite, UndoBy::User)
            })
            .await;
        self.control.errand = None;
        self.emit(vec![Event::Undone { undo: undone?? }]).await
    }

    /// E3: the failed step's own changes go back. Returns what came of it, in words.
    pub(super) async fn roll_back(&mut self, id: &StepId) -> Result<String, EngineError> {
        let (session, target) = (self.state.id, UndoTarget::Step { step_id: id.clone() });
        let undone = self
            .on_checkpoints(move |checkpoints| {
                match checkpoints.undo(session, &target, None, &[], UndoBy::Rollback) {
                    Ok(undo) => Ok(Some(undo)),
                    Err(CheckpointError::Nothing | CheckpointError::NoSuchStep(_)) => Ok(None),
                    Err(error) => Err(error),
                }
            })
            .await?;
        Ok(match undone {
            Ok(None) => "It had changed no file that is looked after, so nothing was put back.".to_owned(),
            Ok(Some(undo)) => {
                let words = in_words(&undo);
                let undo_id = undo.id;
                let rolled_back = Event::RolledBack { step_id: id.clone(), undo_id };
                self.emit(vec![Event::Undone { undo }, rolled_back]).await?;
                words
            }
            Err(error) => format!("What it changed could not be put back. {}", error.message),
        })
    }

    /// An undo that was done just before the program ended is told of now.
    pub(super) async fn tell_of_undos(&mut self) -> Result<(), EngineError> {
        let (session, checkpoints) = (self.state.id, Arc::clone(&self.shared.checkpoints));
        let done = match blocking(move || checkpoints.undone(session)).await? {
            Ok(done) => done,
            Err(error) => {
                let error = EngineError::from(error);
                tracing::error!("{error}");
                self.shared.hub.publish(Update::Problem { session_id: Some(session), error });
                return Ok(());
            }
        };
        let untold = |undo: &UndoRecord| !self.state.undone.iter().any(|told| told.id == undo.id);
        let events = done.into_iter().filter(untold).map(|undo| Event::Undone { undo }).collect();
        self.emit(events).await
    }

    /// Reads the session's folder ahead of its first step; nothing waits for it.
    pub(super) fn look_ahead(&self) {
        let checkpoints = Arc::clone(&self.shared.checkpoints);
        let (session, root) = (self.state.id, PathBuf::from(&self.state.cwd));
        let home = self.shared.classifier.home().to_owned();
        tokio::task::spawn_blocking(move || look_ahead(&checkpoints, session, &root, &home));
    }

    async fn on_checkpoints<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Checkpoints) -> Result<T, CheckpointError> + Send + 'static,
    ) -> Result<Result<T, EngineError>, EngineError> {
        let checkpoints = Arc::clone(&self.shared.checkpoints);
        let done = self.attend(Box::pin(blocking(move || work(&checkpoints)))).await??;
        Ok(done.map_err(EngineError::from))
    }
}

fn look_ahead(checkpoints: &Checkpoints, session: SessionId, root: &std::path::Path, home: &std::path::Path) {
    if let Err(error) = checkpoints.warm(session, root, home) {
        tracing::warn!("the folder could not be read ahead: {error}");
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, EngineError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| EngineError::new(ErrorCode::Internal, format!("The work broke off: {error}.")))
}

fn in_words(undo: &UndoRecord) -> String {
    let back = undo.restored + undo.recreated + undo.trashed;
    let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let mut words = format!("What it changed was put back ({}).", files(back as usize));
    if !undo.skipped.is_empty() {
        words.push_str(&format!(" {} changed since and stay as they are.", files(undo.skipped.len())));
    }
    words
}

/// When the processes of a run were at work.
pub(super) fn at_work(outcome: &RunOutcome) -> AtWork {
    outcome.work.clone().map_or(AtWork::Unknown, AtWork::During)
}
