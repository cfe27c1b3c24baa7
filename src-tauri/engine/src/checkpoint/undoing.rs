//! An undo from its plan to its record. Its own record is written first and says what is about to move, so that one that was
//! cut off is finished at the next start.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::CheckpointError;
use super::apply::{Applying, FEW};
use super::contents::Contents;
use super::disk::{self, private_folder, write_json};
use super::manifest::{Change, is_quiet};
use super::name;
use super::names::Names;
use super::objects::look_with_hash;
use super::plan::{Layer, Move, Plan, plan};
use super::store::{Kept, Store};
use crate::protocol::{CheckpointId, StepId, Time, UndoBy, UndoId, UndoRecord, UndoTarget};

/// An undo, as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Undo {
    pub(super) record: UndoRecord,
    pub(super) checkpoints: Vec<CheckpointId>,
    /// `false`: it puts back what another one took back.
    pub(super) takes_back: bool,
    pub(super) done: bool,
    /// A move's number is the name of what it put into the trash folder.
    pub(super) moves: Vec<Move>,
    /// What it changed, once it is done.
    pub(super) changes: Vec<Change>,
    #[serde(with = "super::name")]
    pub(super) root: PathBuf,
}

/// What an undo would do, and what stands for that.
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) gaps: Vec<(StepId, String)>,
    pub(super) token: String,
    steps: Vec<StepId>,
    checkpoints: Vec<CheckpointId>,
    takes_back: bool,
    root: PathBuf,
}

impl Store {
    pub(super) fn planned(&self, target: &UndoTarget) -> Result<Planned, CheckpointError> {
        let kept;
        let (layers, steps, checkpoints, takes_back, gaps): (Vec<Layer<'_>>, _, _, _, _) =
            match target.undo_id() {
                Some(undo_id) => {
                    let undo = self.undo_of(undo_id)?;
                    if undo.record.undone_by.is_some() {
                        return Err(CheckpointError::TakenBack);
                    }
                    let nobody = StepId(String::new());
                    let step_id = undo.record.steps.first().cloned().unwrap_or(nobody);
                    kept = vec![(step_id, undo.root.clone())];
                    let layer = Layer { step_id: &kept[0].0, changes: &undo.changes, root: &kept[0].1 };
                    let checkpoints = undo.checkpoints.clone();
                    (vec![layer], undo.record.steps.clone(), checkpoints, !undo.takes_back, Vec::new())
                }
                None => {
                    let chosen = self.chosen(target)?;
                    let layer = |kept: &&'_ Kept| -> (StepId, PathBuf) {
                        (kept.checkpoint.step_id.clone(), kept.scope.root.clone())
                    };
                    kept = chosen.iter().map(layer).collect();
                    let layers = chosen
                        .iter()
                        .zip(&kept)
                        .map(|(kept, (step_id, root))| Layer { step_id, changes: &kept.changes, root })
                        .collect();
                    let mut steps: Vec<StepId> =
                        chosen.iter().map(|kept| kept.checkpoint.step_id.clone()).collect();
                    steps.dedup();
                    let gaps = chosen
                        .iter()
                        .flat_map(|kept| {
                            kept.gaps.iter().map(|why| (kept.checkpoint.step_id.clone(), why.clone()))
                        })
                        .collect();
                    let checkpoints = chosen.iter().map(|kept| kept.checkpoint.id).collect();
                    (layers, steps, checkpoints, true, gaps)
                }
            };
        let contents = self.contents(target);
        let made = plan(&layers, self.caps.file, &|path, want| contents.has(path, want));
        let token = token(target, &made, &gaps).map_err(|error| CheckpointError::Store(error.into()))?;
        let root = layers.first().map(|layer| layer.root.to_owned()).unwrap_or_default();
        Ok(Planned { plan: made, gaps, token, steps, checkpoints, takes_back, root })
    }

    fn undo_of(&self, id: UndoId) -> Result<&Undo, CheckpointError> {
        self.undos
            .iter()
            .find(|undo| undo.done && undo.record.id == id)
            .ok_or(CheckpointError::NoSuchUndo(id))
    }

    fn trash(&self, id: UndoId) -> PathBuf {
        self.folder.join("trash").join(id.to_string())
    }

    fn undo_file(&self, id: UndoId) -> PathBuf {
        self.folder.join("undos").join(format!("{id}.json"))
    }

    fn contents(&self, target: &UndoTarget) -> Contents<'_> {
        let earlier = target.undo_id().and_then(|id| Some((self.undo_of(id).ok()?, self.trash(id))));
        Contents { objects: self.objects.as_ref(), earlier }
    }

    pub(super) fn undo(
        &mut self,
        target: &UndoTarget,
        token: Option<&str>,
        overwrite: &[String],
        by: UndoBy,
    ) -> Result<UndoRecord, CheckpointError> {
        let planned = self.planned(target)?;
        if token.is_some_and(|token| token != planned.token) {
            return Err(CheckpointError::Stale);
        }
        let mut moves = planned.plan.moves;
        if moves.is_empty() {
            return Err(CheckpointError::Nothing);
        }
        for made in moves.iter_mut().filter(|made| overwrite.contains(&name::text(&made.path))) {
            made.conflict = None;
        }
        let undo = Undo {
            record: UndoRecord {
                id: UndoId::new(),
                target: target.clone(),
                steps: planned.steps,
                restored: 0,
                recreated: 0,
                trashed: 0,
                skipped: Vec::new(),
                by,
                at: Time::now(),
                undone_by: None,
            },
            checkpoints: planned.checkpoints,
            takes_back: planned.takes_back,
            done: false,
            moves,
            changes: Vec::new(),
            root: planned.root,
        };
        let id = undo.record.id;
        private_folder(&self.trash(id)).map_err(CheckpointError::of)?;
        write_json(&self.undo_file(id), &undo, true).map_err(CheckpointError::of)?;
        self.carry_out(undo, false)
    }

    /// What its record says, or as much of it as is left to do: `begun` before.
    fn carry_out(&mut self, mut undo: Undo, begun: bool) -> Result<UndoRecord, CheckpointError> {
        let id = undo.record.id;
        let trash = self.trash(id);
        let contents = self.contents(&undo.record.target);
        let applying =
            Applying { moves: &undo.moves, contents: &contents, trash: &trash, id: id.to_string() };
        if begun {
            applying.clear();
        }
        let outcome = applying.carry_out();
        if undo.moves.len() > FEW {
            disk::sync_file_system(&undo.root).map_err(CheckpointError::of)?;
        }
        undo.record.restored = outcome.restored;
        undo.record.recreated = outcome.recreated;
        undo.record.trashed = outcome.trashed;
        undo.record.skipped = outcome.skipped;
        undo.changes = changes(&undo.moves, self.caps.file);
        undo.done = true;
        write_json(&self.undo_file(id), &undo, true).map_err(CheckpointError::of)?;
        if let Some(undone) = undo.record.target.undo_id() {
            self.mark_undone(undone, id)?;
        }
        let touched: Vec<PathBuf> = undo.changes.iter().map(|change| change.path.clone()).collect();
        let record = undo.record.clone();
        self.undos.push(undo);
        self.forget_seen(&touched);
        Ok(record)
    }

    fn mark_undone(&mut self, undone: UndoId, by: UndoId) -> Result<(), CheckpointError> {
        let file = self.undo_file(undone);
        if let Some(undo) = self.undos.iter_mut().find(|undo| undo.record.id == undone) {
            undo.record.undone_by = Some(by);
            write_json(&file, undo, true).map_err(CheckpointError::of)?;
        }
        Ok(())
    }

    /// An undo that was cut off is finished.
    pub(super) fn finish_undos(&mut self) -> Result<(), CheckpointError> {
        // Cut off between the two records of an undo of an undo.
        let marks: Vec<(UndoId, UndoId)> = self
            .undos
            .iter()
            .filter(|undo| undo.done)
            .filter_map(|undo| Some((undo.record.target.undo_id()?, undo.record.id)))
            .collect();
        for (undone, by) in marks {
            self.mark_undone(undone, by)?;
        }
        let (done, begun): (Vec<Undo>, Vec<Undo>) = self.undos.drain(..).partition(|undo| undo.done);
        self.undos = done;
        for undo in begun {
            self.carry_out(undo, true)?;
        }
        Ok(())
    }
}

/// What the undo changed: itself something that can be taken back.
fn changes(moves: &[Move], file_cap: u64) -> Vec<Change> {
    let names = Names::now(&moves.iter().flat_map(Move::names).cloned().collect());
    let change = |made: &Move| {
        let (path, before) = (made.path.clone(), made.now.clone());
        let after = look_with_hash(&path, file_cap).ok()?;
        let (mates, mates_after) = (made.mates_now.clone(), names.others(&path, after.as_ref()));
        let quiet = match (&before, &after) {
            (None, None) => return None,
            (Some(before), Some(after)) if before.is_exactly(after) && mates == mates_after => return None,
            (Some(before), Some(after)) => is_quiet(before, after),
            (None, Some(_)) | (Some(_), None) => false,
        };
        Some(Change { path, before, after, quiet, mates, mates_after, doubt: None })
    };
    moves.iter().filter_map(change).collect()
}

fn token(target: &UndoTarget, plan: &Plan, gaps: &[(StepId, String)]) -> Result<String, serde_json::Error> {
    let mut seen = Sha256::new();
    seen.update(serde_json::to_vec(&(target, &plan.lost, gaps))?);
    // The time of a folder around may change at any moment, and nobody minds.
    for made in plan.moves.iter().filter(|made| !made.quiet) {
        let mut made = made.clone();
        if let Some(now) = &mut made.now {
            // When it was looked at says nothing about the file.
            now.stamp.seen = super::entry::Moment::default();
        }
        seen.update(serde_json::to_vec(&made)?);
    }
    Ok(seen.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
