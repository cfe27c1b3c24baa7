//! Carries out a plan. What goes away is in the trash folder before it goes; what comes takes its place at once, by its
//! name. A move that cannot be made is left out and told, and the others go on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::entry::{Entry, Kind};
use super::name;
use super::objects::hash_at;
use super::plan::Move;
use super::spot::{self, Spot};
use crate::protocol::{EngineError, SkippedFile, UndoAct};

/// Moves up to this many have each new file synced by itself.
const FEW: usize = 64;

/// Where contents come from.
pub(super) trait Sources {
    /// The content that `want` names.
    fn content(&self, path: &Path, want: &Entry) -> Option<File>;
    /// A file in an earlier trash folder that stood at `path`.
    fn trashed(&self, path: &Path, want: &Entry) -> Option<PathBuf>;
}

/// How an undo went.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    pub(super) restored: u32,
    pub(super) recreated: u32,
    pub(super) trashed: u32,
    pub(super) skipped: Vec<SkippedFile>,
}

pub(super) struct Applying<'a> {
    pub(super) moves: &'a [Move],
    pub(super) overwrite: &'a BTreeSet<String>,
    pub(super) sources: &'a dyn Sources,
    /// This undo's folder; an item's name is the number of its move.
    pub(super) trash: &'a Path,
    /// Part of the names of files that are not whole yet.
    pub(super) id: String,
    /// For tests: the program ends after so many changes.
    pub(super) ends_after: Option<u32>,
}

/// The temporary name beside the file of a move.
pub(super) fn partial_name(id: &str, nth: usize) -> String {
    format!(".planwright-{id}-{nth}")
}

/// Why a move was not made.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0}")]
    Left(&'static str),
    #[error("{}.", EngineError::reason(.0))]
    Io(#[from] io::Error),
    #[error("the program ended")]
    Ended,
}

struct Work<'a> {
    plan: &'a Applying<'a>,
    left: BTreeMap<usize, String>,
    /// A file that is already as it shall be, by the file that it stands for.
    made: BTreeMap<(u64, u64), PathBuf>,
    /// Files that this undo has changed in their place, as it left them: their other names show that too.
    touched: BTreeMap<(u64, u64), Entry>,
    changes: u32,
}

impl Applying<'_> {
    /// `None`: the program ended on the way.
    pub(super) fn carry_out(&self) -> Option<Outcome> {
        let mut work = Work {
            plan: self,
            left: BTreeMap::new(),
            made: BTreeMap::new(),
            touched: BTreeMap::new(),
            changes: 0,
        };
        for (nth, made) in self.moves.iter().enumerate() {
            let text = name::text(&made.path);
            if let Some(why) = &made.conflict
                && !self.overwrite.contains(&text)
            {
                work.left.insert(nth, why.clone());
            }
        }
        work.pass(true, |work, nth, made| if made.leaves() { work.take_away(nth, made) } else { Ok(()) })?;
        let is_folder = |made: &Move| made.want.as_ref().is_some_and(Entry::is_folder);
        work.pass(false, |work, _, made| if is_folder(made) { work.make_folder(made) } else { Ok(()) })?;
        work.pass(false, |work, nth, made| match &made.want {
            Some(want) if !is_folder(made) => work.put_back(nth, made, want),
            Some(_) | None => Ok(()),
        })?;
        work.pass(true, |work, _, made| match &made.want {
            Some(want) if is_folder(made) => work.finish_folder(made, want),
            Some(_) | None => Ok(()),
        })?;
        Some(work.outcome())
    }
}

impl Work<'_> {
    fn pass(
        &mut self,
        backwards: bool,
        mut act: impl FnMut(&mut Self, usize, &Move) -> Result<(), Fault>,
    ) -> Option<()> {
        let moves = self.plan.moves;
        let order: Vec<usize> =
            if backwards { (0..moves.len()).rev().collect() } else { (0..moves.len()).collect() };
        for nth in order {
            if self.left.contains_key(&nth) {
                continue;
            }
            match act(self, nth, &moves[nth]) {
                Ok(()) => {}
                Err(Fault::Ended) => return None,
                Err(fault) => {
                    self.left.insert(nth, fault.to_string());
                }
            }
        }
        Some(())
    }

    /// Before each change on disk.
    fn step(&mut self) -> Result<(), Fault> {
        self.changes += 1;
        match self.plan.ends_after {
            Some(most) if self.changes > most => Err(Fault::Ended),
            Some(_) | None => Ok(()),
        }
    }

    fn take_away(&mut self, nth: usize, made: &Move) -> Result<(), Fault> {
        let Some(now) = &made.now else { return Ok(()) };
        let spot = Spot::reach(&made.path)?;
        if now.is_folder() {
            self.step()?;
            return spot.remove_folder().map_err(|error| match error.kind() {
                io::ErrorKind::DirectoryNotEmpty => Fault::Left("Something else is in it."),
                _ => Fault::Io(error),
            });
        }
        self.still(&spot, now)?;
        self.stash(nth, &spot, now)?;
        self.step()?;
        Ok(spot.remove()?)
    }

    /// Into the trash folder, as a second name of the same file, or where that cannot be (another file system, other
    /// names that stay) as a copy.
    fn stash(&mut self, nth: usize, spot: &Spot, now: &Entry) -> Result<(), Fault> {
        self.step()?;
        let item = spot::own(self.plan.trash.join(nth.to_string()))?;
        let linked = if now.is_file() && now.stamp.nlink > 1 { None } else { spot.link_to(&item).ok() };
        if linked.is_some() {
            return Ok(());
        }
        match &now.kind {
            Kind::File { .. } => item.make_file(&mut spot.open()?, self.plan.moves.len() <= FEW)?,
            Kind::Link { to } => item.make_link(to)?,
            Kind::Folder { .. } | Kind::Other => {
                return Err(Fault::Left("It is no file that could be kept in the trash folder."));
            }
        }
        // A copy in the trash whose owner cannot be had is a copy all the same.
        drop(item.put_metadata(now));
        Ok(())
    }

    fn make_folder(&mut self, made: &Move) -> Result<(), Fault> {
        if made.now.as_ref().is_some_and(Entry::is_folder) {
            return Ok(());
        }
        self.step()?;
        Ok(Spot::reach(&made.path)?.make_folder()?)
    }

    fn put_back(&mut self, nth: usize, made: &Move, want: &Entry) -> Result<(), Fault> {
        let spot = Spot::reach(&made.path)?;
        let now = made.now.as_ref().filter(|_| !made.leaves());
        match (&want.kind, now) {
            (Kind::File { .. }, Some(now)) => self.change_file(nth, made, &spot, now, want),
            (Kind::File { .. }, None) => {
                vacant(&spot)?;
                self.place(nth, made, &spot, want)
            }
            (Kind::Link { to }, now) => {
                let partial = spot.beside(&partial_name(&self.plan.id, nth))?;
                match now {
                    Some(now) if now.same_content(want) => {
                        self.step()?;
                        return Ok(spot.put_metadata(want)?);
                    }
                    Some(now) => {
                        self.still(&spot, now)?;
                        self.stash(nth, &spot, now)?;
                    }
                    None => vacant(&spot)?,
                }
                self.step()?;
                partial.make_link(to)?;
                partial.put_metadata(want)?;
                self.step()?;
                Ok(partial.rename_to(&spot)?)
            }
            (Kind::Folder { .. } | Kind::Other, _) => self.fetch(&spot, made, want).map(drop),
        }
    }

    fn change_file(
        &mut self,
        nth: usize,
        made: &Move,
        spot: &Spot,
        now: &Entry,
        want: &Entry,
    ) -> Result<(), Fault> {
        let file = (want.stamp.dev, want.stamp.ino);
        let several = want.stamp.nlink > 1;
        let same_file = now.stamp.same_file(&want.stamp);
        let stands_alone = several || same_file || now.stamp.nlink == 1;
        let belongs = !several || same_file || self.stand_in(made, want).is_none();
        if now.same_content(want) && stands_alone && belongs {
            self.step()?;
            self.change_metadata(spot, want)?;
            if several {
                self.made.entry(file).or_insert_with(|| made.path.clone());
            }
            return Ok(());
        }
        if several && same_file && now.stamp.nlink > 1 {
            return self.rewrite(nth, made, spot, now, want);
        }
        self.still(spot, now)?;
        self.stash(nth, spot, now)?;
        self.place(nth, made, spot, want)
    }

    /// The same file under all its names.
    fn rewrite(
        &mut self,
        nth: usize,
        made: &Move,
        spot: &Spot,
        now: &Entry,
        want: &Entry,
    ) -> Result<(), Fault> {
        let file = (want.stamp.dev, want.stamp.ino);
        if !self.made.contains_key(&file) {
            self.still(spot, now)?;
            let mut content = self.content(made, want)?;
            self.stash(nth, spot, now)?;
            self.step()?;
            spot.rewrite(&mut content)?;
            self.made.insert(file, made.path.clone());
        }
        self.step()?;
        self.change_metadata(spot, want)
    }

    /// In its place, and so for every name that it has.
    fn change_metadata(&mut self, spot: &Spot, want: &Entry) -> Result<(), Fault> {
        spot.put_metadata(want)?;
        if let Some(entry) = spot.look()?.filter(|entry| entry.stamp.nlink > 1) {
            self.touched.insert((entry.stamp.dev, entry.stamp.ino), entry);
        }
        Ok(())
    }

    /// It is what the plan saw, to the last change, or what this undo has made of it under another name.
    fn still(&self, spot: &Spot, now: &Entry) -> Result<(), Fault> {
        let found = spot.look()?;
        let same = found.is_some_and(|found| {
            let is = |seen: &Entry| found.stamp.changed == seen.stamp.changed || found.is_as_seen(seen);
            let touched = self.touched.get(&(found.stamp.dev, found.stamp.ino));
            found.stamp.same_file(&now.stamp) && (is(now) || touched.is_some_and(is))
        });
        if same { Ok(()) } else { Err(Fault::Left("It changed while it was being put back.")) }
    }

    fn content(&self, made: &Move, want: &Entry) -> Result<File, Fault> {
        self.plan.sources.content(&made.path, want).ok_or(Fault::Left("Its content was not kept."))
    }

    /// Puts the file at its name, over what is there.
    fn place(&mut self, nth: usize, made: &Move, spot: &Spot, want: &Entry) -> Result<(), Fault> {
        let file = (want.stamp.dev, want.stamp.ino);
        let partial = spot.beside(&partial_name(&self.plan.id, nth))?;
        if want.stamp.nlink > 1
            && let Some(other) = self.stand_in(made, want)
        {
            self.step()?;
            Spot::reach(&other)?.link_to(&partial)?;
            self.step()?;
            partial.rename_to(spot)?;
            return Ok(spot.put_metadata(want)?);
        }
        if !self.fetch(spot, made, want)? {
            let mut content = self.content(made, want)?;
            self.step()?;
            let written = partial
                .make_file(&mut content, self.plan.moves.len() <= FEW)
                .and_then(|()| partial.put_metadata(want));
            if let Err(error) = written {
                drop(partial.remove());
                return Err(error.into());
            }
            self.step()?;
            partial.rename_to(spot)?;
        }
        self.made.insert(file, made.path.clone());
        Ok(())
    }

    /// Takes the very file out of a trash folder, where it is in one: this undo's, after a mere change of names, or an
    /// earlier one's that is taken back.
    fn fetch(&mut self, spot: &Spot, made: &Move, want: &Entry) -> Result<bool, Fault> {
        let gave = |(nth, other): (usize, &Move)| {
            let now = other.now.as_ref().filter(|_| other.leaves() && !self.left.contains_key(&nth))?;
            (now.stamp.same_file(&want.stamp) && now.same_content(want))
                .then(|| self.plan.trash.join(nth.to_string()))
        };
        let here = self.plan.moves.iter().enumerate().filter_map(gave).filter(|item| {
            // A copy is another file.
            let stat = rustix::fs::lstat(item);
            stat.is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (want.stamp.dev, want.stamp.ino))
        });
        let item = here.into_iter().next().or_else(|| self.plan.sources.trashed(&made.path, want));
        let Some(item) = item else { return Ok(false) };
        self.step()?;
        if spot::own(item)?.rename_to(spot).is_err() {
            return Ok(false);
        }
        self.step()?;
        spot.put_metadata(want)?;
        Ok(true)
    }

    /// Another name of the file that is to be, which is there and as it shall be.
    fn stand_in(&self, made: &Move, want: &Entry) -> Option<PathBuf> {
        if let Some(path) = self.made.get(&(want.stamp.dev, want.stamp.ino)) {
            return Some(path.clone()).filter(|path| *path != made.path);
        }
        made.mates
            .iter()
            .find(|mate| {
                let Ok(Some(mut found)) = Entry::look_whole(mate) else { return false };
                if let Kind::File { hash, .. } = &mut found.kind {
                    *hash = Spot::reach(mate).ok().and_then(|spot| hash_at(spot.folder(), mate));
                }
                found.stamp.same_file(&want.stamp) && found.same_content(want)
            })
            .cloned()
    }

    fn finish_folder(&mut self, made: &Move, want: &Entry) -> Result<(), Fault> {
        self.step()?;
        Ok(Spot::reach(&made.path)?.put_metadata(want)?)
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

fn vacant(spot: &Spot) -> Result<(), Fault> {
    match spot.look()? {
        None => Ok(()),
        Some(_) => Err(Fault::Left("Something else is there now.")),
    }
}
