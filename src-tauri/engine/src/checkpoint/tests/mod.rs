//! Random trees and random steps on a real disk: after an undo everything is as it was.

mod crash;
pub(super) mod ending;
mod found;
mod ops;
mod picture;
mod random;
mod rights;
mod rules;
mod whose;

use std::path::{Path, PathBuf};

use super::scan::Caps;
use super::store::Store;
use super::{AtWork, Before, Changed, CheckpointError};
use crate::protocol::{CheckpointId, Effects, PlanId, StepId, UndoBy, UndoPreview, UndoRecord, UndoTarget};
use crate::redact::Redactor;

/// A folder to work in and a store beside it.
pub(super) struct Bench {
    folder: tempfile::TempDir,
    pub(super) store: Store,
    steps: u32,
    /// The plan that the steps belong to.
    pub(super) plan: PlanId,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self::with(Caps::default())
    }

    pub(super) fn with(caps: Caps) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let data = folder.path().canonicalize().unwrap().join("data");
        let store = Store::open(data.clone(), data, caps, &Redactor::default()).unwrap();
        Self { folder, store, steps: 0, plan: PlanId::new() }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap()
    }

    pub(super) fn before(&self, id: &str, touches: &[&Path]) -> Before {
        Before {
            step_id: id.into(),
            attempt: 0,
            run: self.plan.to_string(),
            revision: self.steps,
            root: self.root(),
            home: PathBuf::from("/home/nobody-here"),
            effects: Effects {
                touches: touches.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
                ..Effects::default()
            },
            synced: false,
        }
    }

    /// One step, named by its number from 1.
    pub(super) fn step(&mut self, act: impl FnOnce(&Path)) -> Changed {
        self.step_touching(&[], act)
    }

    pub(super) fn step_touching(&mut self, touches: &[&Path], act: impl FnOnce(&Path)) -> Changed {
        self.steps += 1;
        let before = self.before(&self.steps.to_string(), touches);
        let checkpoint = self.store.keep(&before).unwrap();
        act(&self.root());
        self.settle(checkpoint.id)
    }

    /// As after a step that was at work for the last seconds.
    pub(super) fn settle(&mut self, id: CheckpointId) -> Changed {
        let now = moment();
        self.store.settle(id, &AtWork::During(vec![(now - 4_000, now)])).unwrap()
    }

    pub(super) fn preview(&self, target: &UndoTarget) -> UndoPreview {
        self.store.preview(target).unwrap()
    }

    pub(super) fn undo(&mut self, target: &UndoTarget) -> UndoRecord {
        let token = self.preview(target).token;
        self.store.undo(target, Some(&token), &[], UndoBy::User).unwrap()
    }

    /// The same, where the program may end in it.
    pub(super) fn try_undo(&mut self, target: &UndoTarget) -> Result<UndoRecord, CheckpointError> {
        self.store.undo(target, None, &[], UndoBy::User)
    }

    /// Another plan of the same session, whose steps are numbered from 1 again.
    pub(super) fn next_plan(&mut self) {
        self.plan = PlanId::new();
        self.steps = 0;
    }

    /// As after a start of the program.
    pub(super) fn reopen(&mut self) {
        self.try_reopen().unwrap();
    }

    pub(super) fn try_reopen(&mut self) -> Result<(), CheckpointError> {
        self.store = Store::open(
            self.store.folder.clone(),
            self.store.own.clone(),
            self.store.caps,
            &Redactor::default(),
        )?;
        Ok(())
    }

    pub(super) fn picture(&self) -> picture::Picture {
        picture::of(&self.root())
    }

    pub(super) fn trash(&self) -> PathBuf {
        self.folder.path().join("data/trash")
    }
}

/// Now, in milliseconds since 1970.
pub(super) fn moment() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

pub(super) fn step(id: u32) -> UndoTarget {
    UndoTarget::Step { step_id: StepId(id.to_string()) }
}
