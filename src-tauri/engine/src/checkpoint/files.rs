//! Puts files back. A file is its content, its metadata and all its names at once, so names that are to be one file are
//! put back as a group: one of them carries the file, the others are made names of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::apply::{CHANGED, FEW, Fault, Work, is_seen};
use super::entry::{Entry, Kind};
use super::objects::look_with_hash;
use super::plan::Move;
use super::spot::Spot;

/// One file as it is to be.
struct Group<'a> {
    want: &'a Entry,
    names: BTreeSet<&'a Path>,
    /// The moves that lead to its names.
    moves: Vec<usize>,
}

impl<'a> Work<'a> {
    pub(super) fn put_files(&mut self) {
        for group in self.groups() {
            self.put_group(&group);
        }
    }

    fn groups(&self) -> Vec<Group<'a>> {
        let moves: &'a [Move] = self.plan.moves;
        let mut groups: BTreeMap<BTreeSet<&'a Path>, Vec<Group<'a>>> = BTreeMap::new();
        for (nth, made) in moves.iter().enumerate().filter(|(nth, _)| !self.is_left(*nth)) {
            let Some(want) = made.want.as_ref().filter(|want| want.is_file()) else { continue };
            let names: BTreeSet<&Path> =
                made.mates.iter().map(PathBuf::as_path).chain([made.path.as_path()]).collect();
            let all = groups.entry(names.clone()).or_default();
            match all.iter_mut().find(|group| group.want.is_exactly(want)) {
                Some(group) => group.moves.push(nth),
                None => all.push(Group { want, names, moves: vec![nth] }),
            }
        }
        let mut groups: Vec<Group<'a>> = groups.into_values().flatten().collect();
        // A name belongs to the file that its own move says, and to none where that stays as it is.
        let moved: BTreeMap<&Path, usize> =
            moves.iter().enumerate().map(|(nth, made)| (made.path.as_path(), nth)).collect();
        for group in &mut groups {
            let own = &group.moves;
            group.names.retain(|name| moved.get(name).is_none_or(|nth| own.contains(nth)));
        }
        groups
    }

    fn put_group(&mut self, group: &Group<'a>) {
        let Some(carrier) = self.carrier(group) else { return };
        for nth in group.moves.iter().copied() {
            if !self.is_left(nth)
                && let Err(fault) = self.join(nth, &carrier)
            {
                self.leave(nth, &fault);
            }
        }
        // Of the file, and so of all its names. Last, as long as that shows which of them are done.
        if self.plan.moves.iter().any(|made| made.path == carrier)
            && let Err(error) = Spot::reach(&carrier).and_then(|spot| spot.put_metadata(group.want))
        {
            let fault = Fault::Io(error);
            group.moves.iter().for_each(|nth| self.leave(*nth, &fault));
        }
    }

    /// A name at which the file is, as it shall be but for its metadata. `None`: it could not be had, and each move knows why.
    fn carrier(&mut self, group: &Group<'a>) -> Option<PathBuf> {
        if let Some(there) = self.holder(group) {
            return Some(there);
        }
        let moves = self.plan.moves;
        for nth in group.moves.iter().copied() {
            let made = &moves[nth];
            let put = match self.rewrite(nth, made, group) {
                Ok(false) => self.make(nth, made, group.want),
                other => other.map(drop),
            };
            match put {
                Ok(()) => return Some(made.path.clone()),
                Err(fault) => self.leave(nth, &fault),
            }
        }
        None
    }

    /// A name that has the content already, and that no stranger shares. The very file is best: others may know it too.
    fn holder(&self, group: &Group<'a>) -> Option<PathBuf> {
        let moves = self.plan.moves;
        let moved: BTreeSet<&Path> = group.moves.iter().map(|nth| moves[*nth].path.as_path()).collect();
        let holds = |path: &&&Path| {
            let found = look_with_hash(path, u64::MAX).ok()??;
            let same = if moved.contains(**path) {
                has_content(&found, group.want)
            } else {
                found.is_exactly(group.want)
            };
            let itself = found.stamp.same_file(&group.want.stamp);
            (same && self.is_shared_within(path, &found, group, itself))
                .then_some((path.to_path_buf(), itself))
        };
        let holders: Vec<(PathBuf, bool)> = group.names.iter().filter_map(|path| holds(&path)).collect();
        let best = holders.iter().find(|(_, itself)| *itself).or_else(|| holders.first());
        best.map(|(path, _)| path.clone())
    }

    /// Whether all names of the file are the group's; `strangers`: also where it has names that nobody looked at.
    fn is_shared_within(&self, path: &Path, found: &Entry, group: &Group<'a>, strangers: bool) -> bool {
        let others = self.names.others(path, Some(found));
        others.iter().all(|other| group.names.contains(other.as_path()))
            && (strangers || found.stamp.nlink == others.len() as u64 + 1)
    }

    /// The file that has names outside what is looked after keeps them: its content changes in its place. `false`: it is
    /// no such file.
    fn rewrite(&mut self, nth: usize, made: &Move, group: &Group<'a>) -> Result<bool, Fault> {
        let want = group.want;
        let spot = Spot::reach(&made.path)?;
        let Some(found) = spot.look()? else { return Ok(false) };
        let outside = want.stamp.nlink.saturating_sub(made.mates.len() as u64 + 1);
        let known = self.names.others(&made.path, Some(&found)).len() as u64 + 1;
        if outside == 0
            || !found.stamp.same_file(&want.stamp)
            || found.stamp.nlink.saturating_sub(known) != outside
            || !self.is_shared_within(&made.path, &found, group, true)
        {
            return Ok(false);
        }
        let content = || self.plan.contents.content(&made.path, want).ok_or(UNKEPT);
        let mut whole = content()?;
        if is_seen(made, &found) {
            self.stash(nth, &spot, &found)?;
        } else if !self.plan.item(nth).exists() || !begins_with(spot.open()?, content()?)? {
            return Err(CHANGED);
        }
        spot.rewrite(&mut whole)?;
        Ok(true)
    }

    /// Another file, over what is there.
    fn make(&mut self, nth: usize, made: &Move, want: &Entry) -> Result<(), Fault> {
        let spot = Spot::reach(&made.path)?;
        self.make_way(nth, made, &spot)?;
        if !self.fetch(made, want, &spot)? {
            let mut content = self.plan.contents.content(&made.path, want).ok_or(UNKEPT)?;
            let partial = self.plan.partial(&spot, nth)?;
            let made = partial
                .make_file(&mut content, self.plan.moves.len() <= FEW)
                .and_then(|()| partial.put_metadata(want))
                .and_then(|()| partial.rename_to(&spot));
            if let Err(error) = made {
                drop(partial.remove());
                return Err(error.into());
            }
        }
        self.names.take(&made.path);
        Ok(())
    }

    /// The name becomes one of the carrier's file.
    fn join(&mut self, nth: usize, carrier: &Path) -> Result<(), Fault> {
        let made = &self.plan.moves[nth];
        if made.path == carrier {
            return Ok(());
        }
        let (spot, from) = (Spot::reach(&made.path)?, Spot::reach(carrier)?);
        let Some(file) = from.look()? else { return Err(CHANGED) };
        if spot.look()?.is_some_and(|found| found.stamp.same_file(&file.stamp)) {
            return Ok(());
        }
        self.make_way(nth, made, &spot)?;
        let partial = self.plan.partial(&spot, nth)?;
        from.link_to(&partial)?;
        if let Err(error) = partial.rename_to(&spot) {
            drop(partial.remove());
            return Err(error.into());
        }
        self.names.put(carrier, file.stamp.file());
        self.names.put(&made.path, file.stamp.file());
        Ok(())
    }
}

const UNKEPT: Fault = Fault::Left("Its content was not kept.");

/// Where a content was not looked at, its length and time stand for it.
fn has_content(found: &Entry, want: &Entry) -> bool {
    match &want.kind {
        Kind::File { hash: None, .. } => found.len() == want.len() && found.modified == want.modified,
        Kind::File { .. } | Kind::Folder { .. } | Kind::Link { .. } | Kind::Other => found.same_content(want),
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
