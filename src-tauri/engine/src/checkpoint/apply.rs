//! Carries out the moves of an undo, in four passes: what goes, the folders that come, what is in them, and at last the
//! folders themselves, the deepest first, as all else shows in their times. Files are `files`' business.
//!
//! Each pass looks at what is there and does what is left to do. So an undo that was cut off is finished by carrying it
//! out again. What goes away is in the trash folder before it goes; what comes is whole before it has its name. A move that
//! cannot be made is left out and told, and the others go on.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::contents::Contents;
use super::entry::{Entry, Kind, file_of};
use super::name;
use super::names::Names;
use super::plan::Move;
use super::spot::{self, Spot};
use crate::protocol::{EngineError, SkippedFile, UndoAct};

/// Moves up to this many have each new file synced by itself.
pub(super) const FEW: usize = 64;

/// How an undo went.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    pub(super) restored: u32,
    pub(super) recreated: u32,
    pub(super) trashed: u32,
    pub(super) skipped: Vec<SkippedFile>,
}

pub(super) struct Applying<'a> {
    /// Parents before what is in them. What has a conflict stays as it is.
    pub(super) moves: &'a [Move],
    pub(super) contents: &'a Contents<'a>,
    /// This undo's folder; an item's name is the number of its move.
    pub(super) trash: &'a Path,
    /// Part of the names of files that are not whole yet.
    pub(super) id: String,
}

/// Why a move was not made.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("{0}")]
    Left(&'static str),
    #[error("{}.", EngineError::reason(.0))]
    Io(#[from] io::Error),
}

pub(super) const CHANGED: Fault = Fault::Left("It changed while it was being put back.");
const OCCUPIED: Fault = Fault::Left("Something else is there now.");

pub(super) struct Work<'a> {
    pub(super) plan: &'a Applying<'a>,
    left: BTreeMap<usize, String>,
    /// Files with several names, as they are at each moment.
    pub(super) names: Names,
}

impl Applying<'_> {
    /// Removes what was not whole when the program ended in the middle.
    pub(super) fn clear(&self) {
        for (nth, made) in self.moves.iter().enumerate() {
            let beside = Spot::reach(&made.path).and_then(|spot| self.partial(&spot, nth));
            for partial in [beside, spot::own(self.trash.join(format!("{nth}.part")))] {
                if let Ok(partial) = partial
                    && partial.look().is_ok_and(|found| found.is_some())
                    && let Err(error) = partial.remove()
                {
                    tracing::warn!("what an undo had begun to write could not be removed: {error}");
                }
            }
        }
    }

    /// The temporary name beside the file of a move.
    pub(super) fn partial(&self, spot: &Spot, nth: usize) -> io::Result<Spot> {
        spot.beside(&format!(".planwright-{}-{nth}", self.id))
    }

    pub(super) fn item(&self, nth: usize) -> PathBuf {
        self.trash.join(nth.to_string())
    }

    fn is_in_what_goes(&self, path: &Path) -> bool {
        self.moves
            .iter()
            .any(|other| other.leaves() && path.ancestors().skip(1).any(|folder| folder == other.path))
    }

    pub(super) fn carry_out(&self) -> Outcome {
        let paths: BTreeSet<PathBuf> = self.moves.iter().flat_map(Move::names).cloned().collect();
        let mut work = Work { plan: self, left: BTreeMap::new(), names: Names::now(&paths) };
        for (nth, made) in self.moves.iter().enumerate() {
            if let Some(why) = &made.conflict {
                work.left.insert(nth, why.clone());
            }
        }
        let outwards = (0..self.moves.len()).rev();
        let inwards = 0..self.moves.len();
        work.pass(outwards.clone(), Move::leaves, Work::take_away);
        work.pass(inwards.clone(), Move::wants_folder, |_, _, made| make_folder(made));
        work.put_files();
        work.pass(inwards, |made| !made.wants_folder(), Work::put_other);
        work.pass(outwards, Move::wants_folder, |_, _, made| finish_folder(made));
        work.spare_times();
        work.outcome()
    }
}

impl<'a> Work<'a> {
    fn pass(
        &mut self,
        order: impl Iterator<Item = usize>,
        concerns: impl Fn(&Move) -> bool,
        mut act: impl FnMut(&mut Self, usize, &Move) -> Result<(), Fault>,
    ) {
        let moves = self.plan.moves;
        for nth in order.filter(|nth| concerns(&moves[*nth])) {
            if !self.is_left(nth)
                && let Err(fault) = act(self, nth, &moves[nth])
            {
                self.leave(nth, &fault);
            }
        }
    }

    pub(super) fn is_left(&self, nth: usize) -> bool {
        self.left.contains_key(&nth)
    }

    pub(super) fn leave(&mut self, nth: usize, why: &Fault) {
        self.left.entry(nth).or_insert_with(|| why.to_string());
    }

    fn take_away(&mut self, nth: usize, made: &Move) -> Result<(), Fault> {
        let spot = match Spot::reach(&made.path) {
            // Its folder is gone too, since before the program ended.
            Err(_) if self.plan.is_in_what_goes(&made.path) => return Ok(()),
            other => other?,
        };
        let Some(found) = spot.look()? else { return Ok(()) };
        if !is_seen(made, &found) {
            let arrived = made.want.as_ref().is_some_and(|want| want.is_alike(&found));
            return if arrived { Ok(()) } else { Err(CHANGED) };
        }
        if found.is_folder() {
            return spot.remove_folder().map_err(|error| match error.kind() {
                io::ErrorKind::DirectoryNotEmpty => Fault::Left("Something else is in it."),
                _ => Fault::Io(error),
            });
        }
        self.stash(nth, &spot, &found)?;
        spot.remove()?;
        self.names.take(&made.path);
        Ok(())
    }

    /// What is at the name is in the trash folder from here on, so that it can be replaced.
    pub(super) fn make_way(&mut self, nth: usize, made: &Move, spot: &Spot) -> Result<(), Fault> {
        match spot.look()? {
            None => Ok(()),
            Some(_) if made.now.is_none() || made.leaves() => Err(OCCUPIED),
            Some(found) if is_seen(made, &found) => self.stash(nth, spot, &found),
            Some(_) => Err(CHANGED),
        }
    }

    /// Into the trash folder, as a second name of the same file, or where that cannot be (another file system, other
    /// names that stay) as a copy.
    pub(super) fn stash(&mut self, nth: usize, spot: &Spot, found: &Entry) -> Result<(), Fault> {
        let item = spot::own(self.plan.item(nth))?;
        if item.look()?.is_some() || !found.has_several_names() && spot.link_to(&item).is_ok() {
            return Ok(());
        }
        let copy = spot::own(self.plan.trash.join(format!("{nth}.part")))?;
        match &found.kind {
            Kind::File { .. } => copy.make_file(&mut spot.open()?, self.plan.moves.len() <= FEW)?,
            Kind::Link { to } => copy.make_link(to)?,
            Kind::Folder { .. } | Kind::Other => {
                return Err(Fault::Left("It is no file that could be kept in the trash folder."));
            }
        }
        // A copy whose owner cannot be had is a copy all the same.
        let whole = Entry { attributes: spot.attributes(found), ..found.clone() };
        drop(copy.put_metadata(&whole));
        Ok(copy.rename_to(&item)?)
    }

    /// Links, and what can only come back as the very thing that it was.
    fn put_other(&mut self, nth: usize, made: &Move) -> Result<(), Fault> {
        let Some(want) = &made.want else { return Ok(()) };
        let to = match &want.kind {
            Kind::Link { to } => to,
            Kind::Other => return self.put_only_one(made, want),
            Kind::File { .. } | Kind::Folder { .. } => return Ok(()),
        };
        let spot = Spot::reach(&made.path)?;
        if spot.look()?.is_some_and(|found| found.same_content(want)) {
            return Ok(spot.put_metadata(want)?);
        }
        self.make_way(nth, made, &spot)?;
        let partial = self.plan.partial(&spot, nth)?;
        partial.make_link(to)?;
        partial.put_metadata(want)?;
        Ok(partial.rename_to(&spot)?)
    }

    fn put_only_one(&mut self, made: &Move, want: &Entry) -> Result<(), Fault> {
        let spot = Spot::reach(&made.path)?;
        match spot.look()? {
            Some(found) if found.same_content(want) => return Ok(spot.put_metadata(want)?),
            Some(_) => return Err(OCCUPIED),
            None => {}
        }
        if self.fetch(made, want, &spot)? {
            return Ok(());
        }
        Err(Fault::Left("It cannot be made again."))
    }

    /// Takes the very file out of a trash folder, where it is in one: this undo's, after a mere change of names, or the
    /// one of the undo that is taken back.
    pub(super) fn fetch(&mut self, made: &Move, want: &Entry, spot: &Spot) -> Result<bool, Fault> {
        let gave = |(nth, other): (usize, &Move)| {
            let now = other.now.as_ref().filter(|_| other.leaves() && !self.is_left(nth))?;
            (now.stamp.same_file(&want.stamp) && now.same_content(want)).then(|| self.plan.item(nth))
        };
        // A copy is another file.
        let is_itself =
            |item: &PathBuf| rustix::fs::lstat(item).is_ok_and(|stat| file_of(&stat) == want.stamp.file());
        let here = self.plan.moves.iter().enumerate().filter_map(gave).find(is_itself);
        let Some(item) = here.or_else(|| self.plan.contents.trashed(&made.path, want)) else {
            return Ok(false);
        };
        let item = spot::own(item)?;
        // So that it arrives whole.
        item.put_metadata(want)?;
        Ok(item.rename_to(spot).is_ok())
    }

    /// A folder that stays as it is in all else has its time back.
    fn spare_times(&self) {
        for (nth, made) in self.plan.moves.iter().enumerate() {
            if let Some(now) = made.now.as_ref().filter(|now| now.is_folder() && self.is_left(nth))
                && let Ok(spot) = Spot::reach(&made.path)
                && spot.look().is_ok_and(|found| found.is_some_and(|found| found.stamp.same_file(&now.stamp)))
                && let Err(error) = spot.put_time(now)
            {
                tracing::debug!("a folder's time could not be kept: {error}");
            }
        }
    }

    fn outcome(self) -> Outcome {
        let mut outcome = Outcome::default();
        for (nth, made) in self.plan.moves.iter().enumerate().filter(|(_, made)| !made.quiet) {
            if let Some(why) = self.left.get(&nth) {
                outcome.skipped.push(SkippedFile { path: name::text(&made.path), why: why.clone() });
                continue;
            }
            match made.act() {
                UndoAct::Restore | UndoAct::Metadata => outcome.restored += 1,
                UndoAct::Recreate => outcome.recreated += 1,
                UndoAct::Trash => outcome.trashed += 1,
            }
        }
        outcome
    }
}

/// Whether `found` is what the plan saw at the name. The undo itself may have given it new metadata, and other names.
pub(super) fn is_seen(made: &Move, found: &Entry) -> bool {
    let Some(now) = &made.now else { return false };
    let times = [Some(now.modified), made.want.as_ref().map(|want| want.modified)];
    found.stamp.same_file(&now.stamp)
        && found.is_alike(now)
        && (found.is_folder()
            || found.stamp.changed == now.stamp.changed
            || found.len() == now.len() && times.contains(&Some(found.modified)))
}

fn make_folder(made: &Move) -> Result<(), Fault> {
    let spot = Spot::reach(&made.path)?;
    match spot.look()? {
        None => Ok(spot.make_folder()?),
        Some(found) if found.is_folder() => Ok(()),
        Some(_) => Err(OCCUPIED),
    }
}

fn finish_folder(made: &Move) -> Result<(), Fault> {
    match &made.want {
        Some(want) => Ok(Spot::reach(&made.path)?.put_metadata(want)?),
        None => Ok(()),
    }
}
