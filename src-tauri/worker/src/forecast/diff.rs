//! What a layer changes of the files beneath it. An overlay's marks are a device 0:0 for what was deleted, and an
//! attribute on a folder that stands alone, with nothing of the one beneath. Reads only.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::names::shown;

/// Files that are told one by one; the rest is counted.
const LISTED: usize = 200;
/// Files in a deleted folder are counted up to here.
const COUNTED: u32 = 100_000;
/// Folders deeper than this are not looked into: a command can make them deeper than any path may be long.
const DEPTH: usize = 200;
const OPAQUE: &str = "user.overlay.opaque";

/// One folder's layer.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) upper: PathBuf,
    pub(super) lower: PathBuf,
    /// The folder as everyone knows it.
    pub(super) shown: PathBuf,
}

/// The engine's `protocol::FileForecast`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Found {
    path: String,
    change: Change,
    folder: bool,
    inside: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Change {
    Created,
    Changed,
    Deleted,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    found: Vec<(usize, PathBuf, Found)>,
    pub(super) notes: Vec<String>,
}

impl Seen {
    fn add(&mut self, path: &Path, change: Change, folder: bool, inside: u32) {
        let found = Found { path: shown(path), change, folder, inside };
        self.found.push((path.components().count(), path.to_owned(), found));
    }

    fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|there| there == note) {
            self.notes.push(note.to_owned());
        }
    }

    /// The shallowest of them, and how many more there are.
    pub(super) fn into_shallowest(mut self) -> (Vec<Found>, u32) {
        // What was deleted stands before what took its place.
        self.found.sort_by(|(depth, path, found), (other_depth, other_path, other)| {
            let deleted = |found: &Found| found.change != Change::Deleted;
            (depth, path, deleted(found)).cmp(&(other_depth, other_path, deleted(other)))
        });
        let more = self.found.len().saturating_sub(LISTED);
        self.found.truncate(LISTED);
        let files = self.found.into_iter().map(|(_, _, found)| found).collect();
        (files, u32::try_from(more).unwrap_or(u32::MAX))
    }
}

pub(super) fn look(layer: &Layer, seen: &mut Seen) -> io::Result<()> {
    let top =
        Here { upper: layer.upper.clone(), lower: Some(layer.lower.clone()), shown: layer.shown.clone() };
    if attributes_differ(&fs::symlink_metadata(&top.upper)?, &fs::symlink_metadata(&layer.lower)?, true) {
        seen.add(&layer.shown, Change::Changed, true, 0);
    }
    merged(&top, 0, seen)
}

/// One folder of the layer, over what is there; `None`: nothing is.
struct Here {
    upper: PathBuf,
    lower: Option<PathBuf>,
    shown: PathBuf,
}

impl Here {
    fn at(&self, name: &OsString) -> Self {
        Self {
            upper: self.upper.join(name),
            lower: self.lower.as_ref().map(|lower| lower.join(name)),
            shown: self.shown.join(name),
        }
    }

    /// What is beneath; `None` when there is nothing of this name.
    fn beneath(&self) -> io::Result<Option<Metadata>> {
        let Some(lower) = &self.lower else { return Ok(None) };
        match fs::symlink_metadata(lower) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// A folder that shows what is beneath wherever it says nothing itself.
fn merged(here: &Here, depth: usize, seen: &mut Seen) -> io::Result<()> {
    for name in names(&here.upper)? {
        entry(&here.at(&name), depth, seen)?;
    }
    Ok(())
}

/// A folder that hides what is beneath: what it does not have is gone.
fn alone(here: &Here, depth: usize, seen: &mut Seen) -> io::Result<()> {
    let own = names(&here.upper)?;
    if let Some(lower) = &here.lower {
        for name in names(lower)?.difference(&own) {
            let gone = here.at(name);
            if let Some(before) = gone.beneath()? {
                deleted(&gone, &before, seen);
            }
        }
    }
    for name in &own {
        entry(&here.at(name), depth, seen)?;
    }
    Ok(())
}

fn entry(here: &Here, depth: usize, seen: &mut Seen) -> io::Result<()> {
    let now = fs::symlink_metadata(&here.upper)?;
    let before = here.beneath()?;
    if is_whiteout(&now) {
        if let Some(before) = before {
            deleted(here, &before, seen);
        }
        return Ok(());
    }
    match before {
        Some(before) if before.is_dir() && now.is_dir() => {
            if attributes_differ(&now, &before, false) {
                seen.add(&here.shown, Change::Changed, true, 0);
            }
            if depth >= DEPTH {
                seen.note("Folders deeper than 200 levels were not looked into.");
                return Ok(());
            }
            if is_opaque(&here.upper) { alone(here, depth + 1, seen) } else { merged(here, depth + 1, seen) }
        }
        Some(before) if before.is_dir() || now.is_dir() => {
            deleted(here, &before, seen);
            created(&here.upper, &here.shown, &now, depth, seen)
        }
        Some(before) => {
            if attributes_differ(&now, &before, false) || content_differs(here, &now, &before)? {
                seen.add(&here.shown, Change::Changed, false, 0);
                if before.nlink() > 1 {
                    // A layer holds its own copy under this one name.
                    let name = shown(&here.shown);
                    seen.note(&format!(
                        "{name} is a file with several names; it would change under all of them."
                    ));
                }
            }
            Ok(())
        }
        None => created(&here.upper, &here.shown, &now, depth, seen),
    }
}

fn created(upper: &Path, shown: &Path, now: &Metadata, depth: usize, seen: &mut Seen) -> io::Result<()> {
    seen.add(shown, Change::Created, now.is_dir(), 0);
    if !now.is_dir() {
        return Ok(());
    }
    if depth >= DEPTH {
        seen.note("Folders deeper than 200 levels were not looked into.");
        return Ok(());
    }
    for name in names(upper)? {
        let inner = upper.join(&name);
        let now = fs::symlink_metadata(&inner)?;
        if !is_whiteout(&now) {
            created(&inner, &shown.join(&name), &now, depth + 1, seen)?;
        }
    }
    Ok(())
}

fn deleted(here: &Here, before: &Metadata, seen: &mut Seen) {
    let mut inside = 0;
    if before.is_dir()
        && let Some(lower) = &here.lower
        && !count(lower, &mut inside)
    {
        let folder = shown(&here.shown);
        seen.note(&format!("More files than could be counted are in {folder}."));
    }
    seen.add(&here.shown, Change::Deleted, before.is_dir(), inside);
}

/// Counts what is no folder; whether that was all of it.
fn count(folder: &Path, inside: &mut u32) -> bool {
    let mut folders = vec![folder.to_owned()];
    let mut looked_at = 0_u32;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { return false };
        for entry in entries {
            let Ok(entry) = entry else { return false };
            looked_at += 1;
            if looked_at > COUNTED {
                return false;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => *inside += 1,
                Err(_) => return false,
            }
        }
    }
    true
}

fn names(folder: &Path) -> io::Result<BTreeSet<OsString>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
}

fn is_whiteout(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

fn is_opaque(folder: &Path) -> bool {
    let mut value = [0; 1];
    rustix::fs::lgetxattr(folder, OPAQUE, &mut value[..]).is_ok_and(|length| length == 1) && value == *b"y"
}

/// `top`: the layer of a folder that belongs to somebody else belongs to us, which is not the command's doing.
fn attributes_differ(now: &Metadata, before: &Metadata, top: bool) -> bool {
    let owners = now.uid() != before.uid() || now.gid() != before.gid();
    now.mode() != before.mode() || (owners && !top)
}

/// Of two things of which neither is a folder.
fn content_differs(here: &Here, now: &Metadata, before: &Metadata) -> io::Result<bool> {
    let Some(lower) = &here.lower else { return Ok(true) };
    if now.file_type() != before.file_type() {
        return Ok(true);
    }
    if now.is_symlink() {
        return Ok(fs::read_link(&here.upper)? != fs::read_link(lower)?);
    }
    if !now.is_file() {
        return Ok(now.rdev() != before.rdev());
    }
    if now.len() != before.len() {
        return Ok(true);
    }
    let (mut one, mut other) = (File::open(&here.upper)?, File::open(lower)?);
    let (mut left, mut right) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let length = one.read(&mut left)?;
        if length == 0 {
            return Ok(other.read(&mut right)? != 0);
        }
        // A file that has grown shorter meanwhile is another one.
        if other.read_exact(&mut right[..length]).is_err() || left[..length] != right[..length] {
            return Ok(true);
        }
    }
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
