//! What one session has kept: before each step a list of everything, after it what is different. Written before the step
//! runs, so that a step that was cut off can be taken back too: what is different then is found when the store is
//! opened again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::author::{AtWork, Doubt, tell_apart};
use super::disk::{self, private_folder, read_json, write_json};
use super::manifest::{Change, Manifest, difference};
use super::objects::Objects;
use super::scan::{Caps, Scope, scan};
use super::undoing::Undo;
use super::{Before, Changed, CheckpointError, MAX_NAMED, name, outlook};
use crate::protocol::{
    Checkpoint, CheckpointId, StepId, Time, UndoFile, UndoGap, UndoPreview, UndoRecord, UndoTarget,
};
use crate::redact::Redactor;

/// What was kept for one attempt, and what it changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) checkpoint: Checkpoint,
    pub(super) run: String,
    pub(super) revision: u32,
    pub(super) scope: Scope,
    /// The step has ended, and `changes` is what it changed.
    pub(super) settled: bool,
    pub(super) changes: Vec<Change>,
    /// What of it cannot be taken back, in words.
    pub(super) gaps: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Store {
    pub(super) folder: PathBuf,
    /// The data folder that it lies in, with no links on the way.
    pub(super) own: PathBuf,
    pub(super) caps: Caps,
    /// `None` while nothing was kept.
    pub(super) objects: Option<Objects>,
    /// Everything as it was before the last step; the same as on disk.
    before: Manifest,
    /// Everything as it was last seen.
    seen: Manifest,
    /// Oldest first.
    pub(super) kept: Vec<Kept>,
    /// Oldest first.
    pub(super) undos: Vec<Undo>,
}

impl Store {
    pub(super) fn empty(folder: PathBuf, own: PathBuf, caps: Caps) -> Self {
        Self {
            folder,
            own,
            caps,
            objects: None,
            before: Manifest::default(),
            seen: Manifest::default(),
            kept: Vec::new(),
            undos: Vec::new(),
        }
    }

    /// Opens the folder, making it where it is missing, and puts right what a crash left.
    pub(super) fn open(
        folder: PathBuf,
        own: PathBuf,
        caps: Caps,
        redactor: &Redactor,
    ) -> Result<Self, CheckpointError> {
        let read = || -> io::Result<Self> {
            for part in ["objects", "steps", "undos", "trash"] {
                private_folder(&folder.join(part))?;
            }
            let mut store = Self::empty(folder.clone(), own, caps);
            store.objects = Some(Objects::open(folder.join("objects"), redactor.clone())?);
            store.before = read_json(&store.manifest())?.unwrap_or_default();
            store.seen = store.before.clone();
            store.kept = all(&folder.join("steps"))?;
            store.undos = all(&folder.join("undos"))?;
            Ok(store)
        };
        let mut store = read().map_err(CheckpointError::of)?;
        store.finish_undos()?;
        let open: Vec<CheckpointId> =
            store.kept.iter().filter(|kept| !kept.settled).map(|kept| kept.checkpoint.id).collect();
        for id in open {
            // It was cut off: nobody knows when it stopped working.
            store.settle(id, &AtWork::Unknown)?;
        }
        Ok(store)
    }

    fn manifest(&self) -> PathBuf {
        self.folder.join("manifest.json")
    }

    fn step_file(&self, id: CheckpointId) -> PathBuf {
        self.folder.join("steps").join(format!("{id}.json"))
    }

    fn look(&mut self, scope: &Scope) -> Result<Manifest, CheckpointError> {
        let Some(objects) = &mut self.objects else { return Err(CheckpointError::Nothing) };
        scan(scope, &self.own, &self.seen, objects, self.caps).map_err(CheckpointError::of)
    }

    pub(super) fn warm(&mut self, root: &Path, home: &Path) -> Result<(), CheckpointError> {
        self.seen = self.look(&Scope::new(root, home, &[]))?;
        Ok(())
    }

    pub(super) fn keep(&mut self, before: &Before) -> Result<Checkpoint, CheckpointError> {
        let scope = Scope::new(&before.root, &before.home, &before.effects.touches);
        let found = self.look(&scope)?;
        let (covers, gaps) = outlook::coverage(&scope, &found.gaps, &before.effects);
        let Some(objects) = &mut self.objects else { return Err(CheckpointError::Nothing) };
        let checkpoint = Checkpoint {
            id: CheckpointId::new(),
            step_id: before.step_id.clone(),
            attempt: before.attempt,
            at: Time::now(),
            covers,
            entries: u32::try_from(found.entries.len()).unwrap_or(u32::MAX),
            kept_kib: u32::try_from(objects.bytes.div_ceil(1024)).unwrap_or(u32::MAX),
        };
        if before.synced {
            objects.sync().map_err(CheckpointError::of)?;
        }
        if found != self.before {
            write_json(&self.manifest(), &found, before.synced).map_err(CheckpointError::of)?;
        }
        self.before = found.clone();
        self.seen = found;
        let kept = Kept {
            checkpoint: checkpoint.clone(),
            run: before.run.clone(),
            revision: before.revision,
            scope,
            settled: false,
            changes: Vec::new(),
            gaps,
        };
        write_json(&self.step_file(checkpoint.id), &kept, before.synced).map_err(CheckpointError::of)?;
        self.kept.push(kept);
        Ok(checkpoint)
    }

    /// Only the last that was kept can be settled: what was before others is not known any more.
    pub(super) fn settle(&mut self, id: CheckpointId, work: &AtWork) -> Result<Changed, CheckpointError> {
        let Some(last) = self.kept.last().filter(|kept| kept.checkpoint.id == id) else {
            return Err(CheckpointError::Nothing);
        };
        let scope = last.scope.clone();
        let after = self.look(&scope)?;
        let mut changes = difference(&self.before, &after);
        tell_apart(&mut changes, &scope, &after, work);
        let gaps = outlook::new_gaps(&self.before.gaps, &after.gaps);
        self.seen = after;
        let changed = named(&changes);
        if let Some(kept) = self.kept.last_mut() {
            kept.settled = true;
            kept.changes = changes;
            for gap in gaps {
                if !kept.gaps.contains(&gap) {
                    kept.gaps.push(gap);
                }
            }
            write_json(&self.folder.join("steps").join(format!("{id}.json")), kept, false)
                .map_err(CheckpointError::of)?;
        }
        Ok(changed)
    }

    /// Checkpoints whose steps are taken back now.
    fn taken_back(&self) -> BTreeSet<CheckpointId> {
        let mut back = BTreeSet::new();
        for undo in self.undos.iter().filter(|undo| undo.done) {
            let whole = undo.record.skipped.is_empty();
            for id in &undo.checkpoints {
                if !undo.takes_back {
                    back.remove(id);
                } else if whole {
                    back.insert(*id);
                }
            }
        }
        back
    }

    /// What a target means now, newest first.
    pub(super) fn chosen(&self, target: &UndoTarget) -> Result<Vec<&Kept>, CheckpointError> {
        let back = self.taken_back();
        let settled = || self.kept.iter().rev().filter(|kept| kept.settled);
        // Steps of two plans may have the same id: the latest is meant.
        let run_of = |id: &StepId| {
            let latest = settled().find(|kept| kept.checkpoint.step_id == *id);
            latest.map(|kept| kept.run.as_str()).ok_or_else(|| CheckpointError::NoSuchStep(id.clone()))
        };
        let of_run = |run: &str| settled().filter(|kept| kept.run == run).collect::<Vec<_>>();
        let chosen: Vec<&Kept> = match target {
            UndoTarget::Step { step_id } => {
                let run = run_of(step_id)?;
                of_run(run).into_iter().filter(|kept| kept.checkpoint.step_id == *step_id).collect()
            }
            UndoTarget::Run => self.kept.last().map(|kept| of_run(&kept.run)).unwrap_or_default(),
            UndoTarget::Plan { plan_id } => of_run(&plan_id.to_string()),
            UndoTarget::Turn { message_id } => of_run(&message_id.to_string()),
            UndoTarget::Since { step_id } => {
                let run = run_of(step_id)?;
                let is_first = |kept: &Kept| kept.run == run && kept.checkpoint.step_id == *step_id;
                let first = self.kept.iter().position(is_first).unwrap_or(0);
                self.kept[first..].iter().rev().filter(|kept| kept.settled).collect()
            }
            UndoTarget::Revision { plan_id, revision } => {
                let run = of_run(&plan_id.to_string());
                run.into_iter().filter(|kept| kept.revision >= *revision).collect()
            }
            UndoTarget::Undo { .. } => Vec::new(),
        };
        Ok(chosen.into_iter().filter(|kept| !back.contains(&kept.checkpoint.id)).collect())
    }

    pub(super) fn preview(&self, target: &UndoTarget) -> Result<UndoPreview, CheckpointError> {
        let planned = self.planned(target)?;
        let mut files: Vec<UndoFile> = planned
            .plan
            .moves
            .iter()
            .filter(|made| !made.quiet)
            .map(|made| UndoFile {
                path: name::text(&made.path),
                does: made.act(),
                conflict: made.conflict.clone(),
                follows: made.follows,
            })
            .collect();
        files.sort_by_key(|file| file.conflict.is_none());
        let more = u32::try_from(files.len().saturating_sub(MAX_NAMED)).unwrap_or(u32::MAX);
        files.truncate(MAX_NAMED);
        let mut gaps: Vec<UndoGap> = planned
            .gaps
            .into_iter()
            .chain(planned.plan.lost.iter().cloned())
            .map(|(step_id, why)| UndoGap { step_id, why })
            .collect();
        gaps.truncate(MAX_NAMED);
        Ok(UndoPreview { target: target.clone(), files, more, gaps, token: planned.token })
    }

    pub(super) fn undone(&self) -> Vec<UndoRecord> {
        self.undos.iter().filter(|undo| undo.done).map(|undo| undo.record.clone()).collect()
    }

    pub(super) fn forget_seen(&mut self, paths: &[PathBuf]) {
        for path in paths {
            self.seen.entries.remove(path);
        }
    }
}

/// What people are told: files and folders that are other than before, without what only follows from that, or what somebody
/// else did.
fn named(changes: &[Change]) -> Changed {
    let told: Vec<&Change> =
        changes.iter().filter(|change| !change.quiet && change.doubt != Some(Doubt::Other)).collect();
    Changed {
        files: told.iter().take(MAX_NAMED).map(|change| name::text(&change.path)).collect(),
        more: u32::try_from(told.len().saturating_sub(MAX_NAMED)).unwrap_or(u32::MAX),
    }
}

/// All records of a folder, by name, which begins with the time. One that cannot be read is left out: what it would take
/// back cannot be known.
fn all<T: for<'de> Deserialize<'de>>(folder: &Path) -> io::Result<Vec<T>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|file| file.path()).collect();
    files.sort();
    let mut records = Vec::new();
    for file in files {
        if file.extension().is_none_or(|extension| extension != "json") {
            disk::forget(&file);
            continue;
        }
        match read_json(&file) {
            Ok(Some(record)) => records.push(record),
            Ok(None) => {}
            Err(error) => tracing::error!("{} cannot be read: {error}", file.display()),
        }
    }
    Ok(records)
}
