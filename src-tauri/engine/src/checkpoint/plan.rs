//! What an undo would do: each path that the steps changed, as it is now, as it shall be, and what stands against it.
//! Reads the disk and changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Kind};
use super::manifest::{Change, paths, unkept_around};
use super::name;
use super::names::Names;
use super::objects::look_with_hash;
use crate::protocol::{StepId, UndoAct};

/// The changes of one step (or of one undo) that are to be taken back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layer<'a> {
    pub(super) step_id: &'a StepId,
    pub(super) changes: &'a [Change],
    pub(super) root: &'a Path,
}

/// What becomes of one path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Move {
    #[serde(with = "name")]
    pub(super) path: PathBuf,
    pub(super) now: Option<Entry>,
    pub(super) want: Option<Entry>,
    /// Follows from the others and is not told.
    pub(super) quiet: bool,
    pub(super) conflict: Option<String>,
    /// The conflict is with what is in it or around it.
    #[serde(default)]
    pub(super) follows: bool,
    /// Other names that the file is to have.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "paths")]
    pub(super) mates: BTreeSet<PathBuf>,
    /// Other names that the file has now.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "paths")]
    pub(super) mates_now: BTreeSet<PathBuf>,
}

impl Move {
    /// Nothing but its time is at stake: what is done around it shall not show in it.
    fn keeping(path: PathBuf, now: Entry) -> Self {
        Self {
            path,
            want: Some(now.clone()),
            now: Some(now),
            quiet: true,
            conflict: None,
            follows: false,
            mates: BTreeSet::new(),
            mates_now: BTreeSet::new(),
        }
    }

    /// All names that it has to do with, its own among them.
    pub(super) fn names(&self) -> impl Iterator<Item = &PathBuf> {
        self.mates.iter().chain(&self.mates_now).chain([&self.path])
    }

    pub(super) fn wants_folder(&self) -> bool {
        self.want.as_ref().is_some_and(Entry::is_folder)
    }

    pub(super) fn act(&self) -> UndoAct {
        match (&self.now, &self.want) {
            (None, _) => UndoAct::Recreate,
            (Some(_), None) => UndoAct::Trash,
            (Some(now), Some(want)) if now.same_content(want) => UndoAct::Metadata,
            (Some(_), Some(_)) => UndoAct::Restore,
        }
    }

    /// The name as it is now goes away, whatever comes in its place.
    pub(super) fn leaves(&self) -> bool {
        match (&self.now, &self.want) {
            (Some(_), None) => true,
            (Some(now), Some(want)) => !now.is_alike(want),
            (None, _) => false,
        }
    }
}

/// Parents before what is in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Plan {
    pub(super) moves: Vec<Move>,
    /// What cannot be put back, and why.
    pub(super) lost: Vec<(StepId, String)>,
}

/// The changes of each path, newest first.
type Chains<'a> = BTreeMap<&'a Path, Vec<(&'a Layer<'a>, &'a Change)>>;

/// `layers` newest first. `has`: whether the content of an entry, which was at the path, can be had.
pub(super) fn plan(layers: &[Layer<'_>], file_cap: u64, has: &dyn Fn(&Path, &Entry) -> bool) -> Plan {
    let mut by_path: Chains<'_> = BTreeMap::new();
    for layer in layers {
        for change in layer.changes {
            by_path.entry(&change.path).or_default().push((layer, change));
        }
    }
    let names = Names::now(&linked(layers));
    let mut found = Plan::default();
    let mut lost: BTreeMap<PathBuf, StepId> = BTreeMap::new();
    for (path, chain) in &by_path {
        let Some(made) = move_of(path, chain, file_cap, &by_path, &names) else { continue };
        let (layer, _) = chain[chain.len() - 1];
        let content_is_wanted = made.want.as_ref().is_some_and(|want| {
            want.kind == Kind::Other && made.now.is_none()
                || want.is_file() && !made.now.as_ref().is_some_and(|now| now.same_content(want))
        });
        if content_is_wanted && made.want.as_ref().is_some_and(|want| !has(path, want)) {
            lost.insert(made.path, layer.step_id.clone());
        } else {
            found.moves.push(made);
        }
    }
    take_donors(&mut found.moves, &mut lost, &by_path);
    spare_the_unkept(&mut found, &mut lost, layers);
    for (path, step_id) in lost {
        let words = format!("{} cannot be put back: its content was not kept", name::text(&path));
        found.lost.push((step_id, words));
    }
    find_obstacles(&mut found.moves);
    keep_times(&mut found.moves);
    found
}

/// The names of files that had or got several.
fn linked(layers: &[Layer<'_>]) -> BTreeSet<PathBuf> {
    let changes = layers.iter().flat_map(|layer| layer.changes);
    let several = changes.filter(|change| !change.mates.is_empty() || !change.mates_after.is_empty());
    several
        .flat_map(|change| change.mates.iter().chain(&change.mates_after).chain([&change.path]))
        .cloned()
        .collect()
}

/// Each folder around what moves that is itself as it shall be: its time would tell of the undo.
fn keep_times(moves: &mut Vec<Move>) {
    let is_folder = |entry: &Option<Entry>| entry.as_ref().is_some_and(Entry::is_folder);
    let moved: BTreeSet<&Path> = moves.iter().map(|made| made.path.as_path()).collect();
    let around: BTreeSet<&Path> = moves
        .iter()
        .filter(|made| !(is_folder(&made.now) && is_folder(&made.want)))
        .filter_map(|made| made.path.parent())
        .filter(|parent| !moved.contains(parent))
        .collect();
    let found = |path: &Path| Some((path.to_owned(), Entry::look_whole(path).ok()??));
    let there: Vec<(PathBuf, Entry)> = around.into_iter().filter_map(found).collect();
    let folders = there.into_iter().filter(|(_, entry)| entry.is_folder());
    moves.extend(folders.map(|(path, now)| Move::keeping(path, now)));
    moves.sort_by(|a, b| a.path.cmp(&b.path));
}

fn was_replaced(folder: &Path, by_path: &Chains<'_>) -> bool {
    let newest = by_path.get(folder).and_then(|chain| chain.first());
    newest.is_some_and(|(_, change)| change.after.as_ref().is_some_and(|after| !after.is_folder()))
}

fn move_of(
    path: &Path,
    chain: &[(&Layer<'_>, &Change)],
    file_cap: u64,
    by_path: &Chains<'_>,
    names: &Names,
) -> Option<Move> {
    let quiet = chain.iter().all(|(_, change)| change.quiet);
    let want = chain[chain.len() - 1].1.before.clone();
    let mates = chain[chain.len() - 1].1.mates.clone();
    let mut whole = Move {
        path: path.to_owned(),
        now: None,
        want,
        quiet,
        conflict: None,
        follows: false,
        mates,
        mates_now: BTreeSet::new(),
    };
    let now = match look(path, chain, file_cap) {
        Ok(now) => now,
        // A step put something else in the place of its folder; when that is gone, there is nothing here.
        Err(_) if path.ancestors().skip(1).any(|folder| was_replaced(folder, by_path)) => None,
        Err(_) if quiet => return None,
        Err(_) => {
            let conflict = "A folder on the way to it is a link now, or cannot be read.".to_owned();
            return Some(Move { conflict: Some(conflict), follows: true, ..whole });
        }
    };
    whole.mates_now = names.others(path, now.as_ref());
    let is_as_wanted = match (&now, &whole.want) {
        (None, None) => true,
        (Some(now), Some(want)) => now.is_exactly(want) && whole.mates_now == whole.mates,
        (None, Some(_)) | (Some(_), None) => false,
    };
    if is_as_wanted {
        return None;
    }
    let mut at = now.clone();
    let mut conflict = None;
    let mut exact_time = true;
    for (nth, (_, change)) in chain.iter().enumerate() {
        if !is_as_left(at.as_ref(), change.after.as_ref()) {
            conflict = Some(
                match nth {
                    0 if at.is_none() => "It has been removed since.",
                    0 => "It has changed since.",
                    _ => "It was changed by hand between two of the steps.",
                }
                .to_owned(),
            );
            break;
        }
        if let (Some(at), Some(after)) = (&at, &change.after) {
            exact_time &= at.modified == after.modified;
        }
        at.clone_from(&change.before);
    }
    let doubt = chain.iter().find_map(|(_, change)| change.doubt);
    let conflict = conflict.or_else(|| doubt.map(|doubt| doubt.words().to_owned()));
    let mut want = whole.want.clone();
    let is_folder = now.as_ref().is_some_and(Entry::is_folder);
    if let (Some(now), Some(want)) = (&now, &mut want)
        && is_folder
        && want.is_folder()
        && !exact_time
    {
        // Something else was put in or taken out since: the time of that stays.
        want.modified = now.modified;
        if now.is_exactly(want) {
            return None;
        }
    }
    if quiet && conflict.is_some() {
        return None;
    }
    Some(Move { now, want, conflict, ..whole })
}

/// What is there now; what a step left and nothing has changed since is not read again.
fn look(path: &Path, chain: &[(&Layer<'_>, &Change)], file_cap: u64) -> io::Result<Option<Entry>> {
    let found = Entry::look_whole(path)?;
    let Some(found) = found else { return Ok(None) };
    let known = chain.iter().flat_map(|(_, change)| [&change.after, &change.before]).flatten();
    if let Some(known) = known.clone().find(|known| known.stamp.proves(&found.stamp)) {
        return Ok(Some(known.clone()));
    }
    let hashed = known.into_iter().any(|known| matches!(known.kind, Kind::File { hash: Some(_), .. }));
    if hashed { look_with_hash(path, file_cap) } else { Ok(Some(found)) }
}

fn is_as_left(now: Option<&Entry>, left: Option<&Entry>) -> bool {
    match (now, left) {
        (None, None) => true,
        (Some(now), Some(left)) => now.is_as(left),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// A content that was not kept is still there where the file has another name: one that goes, or one that stays.
fn take_donors(moves: &mut Vec<Move>, lost: &mut BTreeMap<PathBuf, StepId>, by_path: &Chains<'_>) {
    let mut found = Vec::new();
    for path in lost.keys() {
        let Some((_, change)) = by_path.get(path.as_path()).and_then(|chain| chain.last()) else { continue };
        let Some(want) = &change.before else { continue };
        let is_it = |entry: &Entry| entry.stamp.same_file(&want.stamp) && entry.same_content(want);
        let goes = |other: &Move| {
            other.leaves() && other.conflict.is_none() && other.now.as_ref().is_some_and(is_it)
        };
        let stays = |mate: &PathBuf| Entry::look_whole(mate).is_ok_and(|now| now.as_ref().is_some_and(is_it));
        if Entry::look_whole(path).is_ok_and(|now| now.is_none())
            && (moves.iter().any(goes) || change.mates.iter().any(stays))
        {
            found.push(Move {
                path: path.clone(),
                now: None,
                want: Some(want.clone()),
                quiet: false,
                conflict: None,
                follows: false,
                mates: change.mates.clone(),
                mates_now: BTreeSet::new(),
            });
        }
    }
    for made in found {
        lost.remove(&made.path);
        moves.push(made);
    }
    moves.sort_by(|a, b| a.path.cmp(&b.path));
}

/// Where something of a folder whose content is not kept cannot be put back, nothing of it is taken away either: half a
/// build, or half of git's objects, is worse than what there is.
fn spare_the_unkept(found: &mut Plan, lost: &mut BTreeMap<PathBuf, StepId>, layers: &[Layer<'_>]) {
    let around =
        |path: &Path| layers.iter().find_map(|layer| unkept_around(path, layer.root)).map(Path::to_owned);
    let mut spared: BTreeMap<PathBuf, StepId> = BTreeMap::new();
    for (path, step_id) in lost.iter() {
        if let Some(folder) = around(path) {
            spared.insert(folder, step_id.clone());
        }
    }
    if spared.is_empty() {
        return;
    }
    lost.retain(|path, _| around(path).is_none());
    found.moves.retain(|made| around(&made.path).is_none_or(|folder| !spared.contains_key(&folder)));
    for (folder, step_id) in spared {
        let words = format!("{} is left as it is: a build makes it again", name::text(&folder));
        found.lost.push((step_id, words));
    }
}

/// A folder goes only when nothing else is in it, and nothing comes back where its folder is gone.
fn find_obstacles(moves: &mut [Move]) {
    let goes: BTreeSet<PathBuf> = moves
        .iter()
        .filter(|made| made.want.is_none() && made.conflict.is_none())
        .map(|made| made.path.clone())
        .collect();
    let mut stays: BTreeSet<PathBuf> = BTreeSet::new();
    for made in moves.iter_mut().rev() {
        let going = made.leaves() && made.now.as_ref().is_some_and(Entry::is_folder);
        if !going || made.conflict.is_some() {
            continue;
        }
        let empty = std::fs::read_dir(&made.path).is_ok_and(|names| {
            names.flatten().all(|name| goes.contains(&name.path()) && !stays.contains(&name.path()))
        });
        if !empty {
            made.conflict = Some("Something else is in it.".to_owned());
            made.follows = true;
            stays.insert(made.path.clone());
        }
    }
    let mut folders: BTreeMap<PathBuf, bool> = moves
        .iter()
        .filter(|made| made.wants_folder())
        .map(|made| (made.path.clone(), made.conflict.is_none()))
        .collect();
    for made in moves.iter_mut().filter(|made| made.now.is_none() && made.conflict.is_none()) {
        let Some(parent) = made.path.parent() else { continue };
        let there = *folders
            .entry(parent.to_owned())
            .or_insert_with_key(|parent| std::fs::symlink_metadata(parent).is_ok_and(|data| data.is_dir()));
        if !there {
            folders.insert(made.path.clone(), false);
            made.conflict = Some("Its folder is gone.".to_owned());
            made.follows = true;
        }
    }
}
