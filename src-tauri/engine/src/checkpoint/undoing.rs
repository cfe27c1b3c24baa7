//! An undo from its plan to its record. Its own record is written first and says what is about to move, so that after a
//! crash in the middle all that was in limbo is put back, and the undo can be done again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::CheckpointError;
use super::apply::{Applying, Sources, partial_name};
use super::disk::{self, private_folder, write_json};
use super::entry::{Entry, Kind};
use super::manifest::{Change, is_quiet};
use super::objects::{Objects, look_with_hash};
use super::plan::{Layer, Move, Plan, plan};
use super::spot::{self, Spot};
use super::store::{Kept, Store};
use crate::protocol::{CheckpointId, StepId, Time, UndoBy, UndoId, UndoRecord, UndoTarget};

/// The names of files that have several.
type Names = BTreeMap<(u64, u64), BTreeSet<PathBuf>>;

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
    /// Other names of files that the steps left with several.
    names: Names,
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
        let sources = self.sources(target);
        let made = plan(&layers, self.caps.file, &|path, want| sources.has(path, want));
        let mut names: Names = BTreeMap::new();
        for change in layers.iter().flat_map(|layer| layer.changes) {
            if let Some(after) = change.after.as_ref().filter(|after| after.has_several_names()) {
                let all = names.entry(after.stamp.file()).or_default();
                all.extend(change.mates_after.iter().cloned());
                all.insert(change.path.clone());
            }
        }
        let token = token(target, &made, &gaps).map_err(|error| CheckpointError::Store(error.into()))?;
        let root = layers.first().map(|layer| layer.root.to_owned()).unwrap_or_default();
        Ok(Planned { plan: made, gaps, token, steps, checkpoints, takes_back, root, names })
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

    fn sources(&self, target: &UndoTarget) -> Contents<'_> {
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
        self.undo_until(target, token, overwrite, by, None)
    }

    /// `ends_after`: for tests, the program ends after so many changes on disk.
    pub(super) fn undo_until(
        &mut self,
        target: &UndoTarget,
        token: Option<&str>,
        overwrite: &[String],
        by: UndoBy,
        ends_after: Option<u32>,
    ) -> Result<UndoRecord, CheckpointError> {
        let planned = self.planned(target)?;
        if token.is_some_and(|token| token != planned.token) {
            return Err(CheckpointError::Stale);
        }
        if planned.plan.moves.is_empty() {
            return Err(CheckpointError::Nothing);
        }
        let id = UndoId::new();
        let record = UndoRecord {
            id,
            target: target.clone(),
            steps: planned.steps,
            restored: 0,
            recreated: 0,
            trashed: 0,
            skipped: Vec::new(),
            by,
            at: Time::now(),
            undone_by: None,
        };
        let mut undo = Undo {
            record,
            checkpoints: planned.checkpoints,
            takes_back: planned.takes_back,
            done: false,
            moves: planned.plan.moves,
            changes: Vec::new(),
            root: planned.root,
        };
        let trash = self.trash(id);
        private_folder(&trash).map_err(CheckpointError::of)?;
        write_json(&self.undo_file(id), &undo, true).map_err(CheckpointError::of)?;

        let parents = parents(&undo.moves);
        let sources = self.sources(target);
        let overwrite = overwrite.iter().cloned().collect();
        let applying = Applying {
            moves: &undo.moves,
            overwrite: &overwrite,
            sources: &sources,
            trash: &trash,
            id: id.to_string(),
            ends_after,
        };
        let outcome = applying.carry_out().ok_or(CheckpointError::Ended)?;
        undo.record.restored = outcome.restored;
        undo.record.recreated = outcome.recreated;
        undo.record.trashed = outcome.trashed;
        undo.record.skipped = outcome.skipped;
        let names = with_names_now(planned.names, &undo.moves);
        undo.changes = changes(&undo.moves, parents, &names, self.caps.file);
        undo.done = true;
        write_json(&self.undo_file(id), &undo, true).map_err(CheckpointError::of)?;
        if let Some(undone) = target.undo_id() {
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

    /// After a crash in the middle of an undo: what was on its way is put back where it was, what has arrived stays.
    /// Done again, the undo does the rest.
    pub(super) fn recover_undo(&mut self) -> Result<(), CheckpointError> {
        // A crash between the two records of an undo of an undo.
        let marks: Vec<(UndoId, UndoId)> = self
            .undos
            .iter()
            .filter(|undo| undo.done)
            .filter_map(|undo| Some((undo.record.target.undo_id()?, undo.record.id)))
            .collect();
        for (undone, by) in marks {
            self.mark_undone(undone, by)?;
        }
        let (done, broken): (Vec<Undo>, Vec<Undo>) = self.undos.drain(..).partition(|undo| undo.done);
        self.undos = done;
        for undo in broken {
            let id = undo.record.id;
            let trash = self.trash(id);
            let folders = |made: &&(usize, &Move)| made.1.now.as_ref().is_some_and(Entry::is_folder);
            let all: Vec<(usize, &Move)> = undo.moves.iter().enumerate().collect();
            // Once from the outside, and the folders once more from the inside, for their times.
            for (nth, made) in all.iter().chain(all.iter().rev().filter(folders)).copied() {
                if let Err(error) = self.put_back_limbo(&trash, &id.to_string(), nth, made) {
                    tracing::warn!("{} is still in {}: {error}", made.path.display(), trash.display());
                }
            }
            disk::forget(&self.undo_file(id));
            // What is not empty holds something that may be wanted.
            drop(fs::remove_dir(&trash));
        }
        Ok(())
    }

    fn put_back_limbo(&self, trash: &Path, id: &str, nth: usize, made: &Move) -> io::Result<()> {
        let spot = Spot::reach(&made.path)?;
        let partial = spot.beside(&partial_name(id, nth))?;
        if partial.look()?.is_some() {
            partial.remove()?;
        }
        let there = spot.look()?;
        let item = trash.join(nth.to_string());
        let stashed = fs::symlink_metadata(&item).is_ok();
        match (&made.now, there) {
            (Some(now), None) if now.is_folder() && made.want.is_none() => {
                spot.make_folder()?;
                spot.put_metadata(now)
            }
            (Some(now), None) if stashed => {
                spot::own(item)?.rename_to(&spot)?;
                spot.put_metadata(now)
            }
            (Some(now), Some(found)) if now.is_folder() && found.is_folder() => spot.put_time(now),
            (Some(now), Some(found)) if stashed => {
                let second_name =
                    spot::own(item.clone())?.look()?.is_some_and(|other| other.stamp.same_file(&found.stamp));
                if second_name {
                    return spot::own(item)?.remove();
                }
                self.mend_torn(&spot, &item, made, now, &found)
            }
            (None, Some(found)) => match &made.want {
                Some(want) if want.is_folder() && found.is_folder() => spot.put_metadata(want),
                Some(_) | None => Ok(()),
            },
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// A file that was being rewritten in place holds the beginning of what it was to be.
    fn mend_torn(&self, spot: &Spot, item: &Path, made: &Move, now: &Entry, found: &Entry) -> io::Result<()> {
        let Some(want) = &made.want else { return Ok(()) };
        let in_place = found.stamp.same_file(&now.stamp) && found.is_file() && want.is_file();
        let Some(wanted) = self.sources(&UndoTarget::Run).content(&made.path, want) else { return Ok(()) };
        let (Kind::File { len: found_len, .. }, Kind::File { len: want_len, .. }) = (&found.kind, &want.kind)
        else {
            return Ok(());
        };
        if in_place && found_len < want_len && begins_with(spot.open()?, wanted)? {
            spot.rewrite(&mut File::open(item)?)?;
            spot.put_metadata(now)?;
        }
        Ok(())
    }
}

/// Whether all of `short` is the beginning of `long`.
fn begins_with(short: File, long: File) -> io::Result<bool> {
    let (mut short, mut long) = (io::BufReader::new(short).bytes(), io::BufReader::new(long).bytes());
    while let Some(byte) = short.next().transpose()? {
        if long.next().transpose()? != Some(byte) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The folders around, whose times change with what is in them.
fn parents(moves: &[Move]) -> Vec<(PathBuf, Option<Entry>)> {
    let moved: BTreeSet<&Path> = moves.iter().map(|made| made.path.as_path()).collect();
    let around: BTreeSet<&Path> = moves.iter().filter_map(|made| made.path.parent()).collect();
    around
        .into_iter()
        .filter(|parent| !moved.contains(parent))
        .filter_map(|parent| Entry::look_whole(parent).ok().map(|entry| (parent.to_owned(), entry)))
        .collect()
}

/// Also the names that files got by the undo.
fn with_names_now(mut names: Names, moves: &[Move]) -> Names {
    let several = moves.iter().filter(|made| made.want.as_ref().is_some_and(Entry::has_several_names));
    for path in several.flat_map(|made| made.mates.iter().chain([&made.path])) {
        if let Ok(Some(entry)) = Entry::look_whole(path) {
            names.entry(entry.stamp.file()).or_default().insert(path.clone());
        }
    }
    names
}

/// What the undo changed: itself something that can be taken back.
fn changes(
    moves: &[Move],
    parents: Vec<(PathBuf, Option<Entry>)>,
    names: &Names,
    file_cap: u64,
) -> Vec<Change> {
    let moved = moves.iter().map(|made| (made.path.clone(), made.now.clone()));
    let mut changes: Vec<Change> = moved
        .chain(parents)
        .filter_map(|(path, before)| {
            let after = look_with_hash(&path, file_cap).ok()?;
            let quiet = match (&before, &after) {
                (None, None) => return None,
                (Some(before), Some(after)) if before.is_exactly(after) && before.stamp == after.stamp => {
                    return None;
                }
                (Some(before), Some(after)) => is_quiet(before, after),
                (None, Some(_)) | (Some(_), None) => false,
            };
            let others = |entry: &Option<Entry>| {
                let entry = entry.as_ref().filter(|entry| entry.has_several_names())?;
                let mut others = names.get(&entry.stamp.file())?.clone();
                others.remove(&path);
                Some(others)
            };
            let (mates, mates_after) = (others(&before), others(&after));
            Some(Change {
                mates: mates.unwrap_or_default(),
                mates_after: mates_after.unwrap_or_default(),
                path,
                before,
                after,
                quiet,
            })
        })
        .collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
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

/// Contents that can be had.
struct Contents<'a> {
    objects: Option<&'a Objects>,
    earlier: Option<(&'a Undo, PathBuf)>,
}

impl Contents<'_> {
    fn has(&self, path: &Path, want: &Entry) -> bool {
        let kept = match &want.kind {
            Kind::File { hash: Some(hash), .. } => self.objects.is_some_and(|objects| objects.has(hash)),
            Kind::File { hash: None, .. } | Kind::Folder { .. } | Kind::Link { .. } | Kind::Other => false,
        };
        kept || self.trashed(path, want).is_some()
    }
}

impl Sources for Contents<'_> {
    fn content(&self, path: &Path, want: &Entry) -> Option<File> {
        if let Kind::File { hash: Some(hash), .. } = &want.kind
            && let Some(objects) = self.objects
            && objects.has(hash)
        {
            return objects.read(hash).ok();
        }
        File::open(self.trashed(path, want)?).ok()
    }

    fn trashed(&self, path: &Path, want: &Entry) -> Option<PathBuf> {
        let (undo, trash) = self.earlier.as_ref()?;
        let (nth, _) = undo.moves.iter().enumerate().find(|(_, made)| {
            made.path == path && made.now.as_ref().is_some_and(|now| now.same_content(want))
        })?;
        let item = trash.join(nth.to_string());
        fs::symlink_metadata(&item).is_ok().then_some(item)
    }
}
