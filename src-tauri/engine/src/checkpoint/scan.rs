//! Walks what is to be looked after and lists it, taking contents into the store on the way. What the last list proves to
//! be unchanged is not read again. Follows no link, crosses no mount, and says what it left out.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, Mode, OFlags, openat};
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Kind, read_attributes};
use super::manifest::{Gap, Manifest, is_unkept_folder, paths, unkept_around};
use super::name;
use super::objects::{Objects, Taken};
use crate::tools::reach;

/// How much is looked after.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caps {
    pub(super) entries: usize,
    /// Bytes of a session's store.
    pub(super) store: u64,
    /// Bytes of one file.
    pub(super) file: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { entries: 50_000, store: 1 << 30, file: 200 << 20 }
    }
}

/// Folders inside each other that are walked.
const DEPTH: usize = 200;

/// What a step may change, as far as it is looked after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Scope {
    #[serde(with = "name")]
    pub(super) root: PathBuf,
    /// The root is too wide to be walked.
    pub(super) wide: bool,
    /// Paths that the step is known to touch.
    #[serde(with = "paths")]
    pub(super) targets: BTreeSet<PathBuf>,
}

impl Scope {
    /// `touches` are absolute. A root that holds `home` is too wide.
    pub(super) fn new(root: &Path, home: &Path, touches: &[String]) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let wide = |path: &Path| home.starts_with(path) || path.parent().is_none();
        let targets = touches
            .iter()
            .map(Path::new)
            .filter(|path| path.is_absolute())
            .map(resolved)
            .filter(|path| !wide(path))
            .collect();
        Self { wide: wide(&root), root, targets }
    }
}

/// The path with the links of its folders followed, its own name left as it is.
fn resolved(path: &Path) -> PathBuf {
    let (Some(parent), Some(last)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    match parent.canonicalize() {
        Ok(parent) => parent.join(last),
        Err(_) => resolved(parent).join(last),
    }
}

/// Lists all that `scope` names, but nothing in the folder `own`.
///
/// # Errors
/// When the store cannot be written.
pub(super) fn scan(
    scope: &Scope,
    own: &Path,
    known: &Manifest,
    objects: &mut Objects,
    caps: Caps,
) -> io::Result<Manifest> {
    let mut walk = Walk { own, known, objects, caps, found: Manifest::default(), later: Vec::new() };
    if scope.wide {
        walk.found.gaps.insert(Gap::Wide);
    } else {
        walk.target(&scope.root, true)?;
    }
    for target in &scope.targets {
        let is_kept = unkept_around(target, &scope.root).is_none();
        if scope.wide || !target.starts_with(&scope.root) || !is_kept {
            walk.target(target, true)?;
            walk.note_around(target, &scope.root);
        }
    }
    while let Some(folder) = walk.later.pop() {
        walk.target(&folder, false)?;
    }
    Ok(walk.found)
}

struct Walk<'a> {
    own: &'a Path,
    known: &'a Manifest,
    objects: &'a mut Objects,
    caps: Caps,
    found: Manifest,
    /// Folders whose content is not kept: listed when all others are.
    later: Vec<PathBuf>,
}

impl Walk<'_> {
    /// A path from the root on; where it is missing, so much of the way as is missing too.
    fn target(&mut self, path: &Path, keep: bool) -> io::Result<()> {
        let Ok((parent, _)) = reach::split(path) else { return Ok(()) };
        match reach::folder(parent) {
            Ok(at) => self.visit(&at, path, keep, None, 0).map(drop),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.found.absent.insert(path.to_owned());
                self.target_parent(parent);
                Ok(())
            }
            Err(_) => {
                self.found.gaps.insert(Gap::Unread);
                Ok(())
            }
        }
    }

    fn target_parent(&mut self, missing: &Path) {
        let Ok((parent, _)) = reach::split(missing) else { return };
        match reach::folder(parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.target_parent(parent),
            Ok(_) => self.note_only(parent),
            Err(_) => {}
        }
        self.found.absent.insert(missing.to_owned());
    }

    /// The folder around a target outside the root, and those further up that were not there when the step began.
    fn note_around(&mut self, target: &Path, root: &Path) {
        let around = target.ancestors().skip(1).filter(|folder| !folder.starts_with(root));
        for folder in around {
            self.note_only(folder);
            if !self.known.absent.contains(folder) {
                break;
            }
        }
    }

    /// A folder outside, whose time alone is looked after.
    fn note_only(&mut self, folder: &Path) {
        if let Ok(Some(entry)) = Entry::look_whole(folder) {
            self.found.entries.entry(folder.to_owned()).or_insert(entry);
        }
    }

    /// Whether it could be looked at.
    fn visit(
        &mut self,
        at: &OwnedFd,
        path: &Path,
        keep: bool,
        device: Option<u64>,
        depth: usize,
    ) -> io::Result<bool> {
        let mut entry = match Entry::look(at, path) {
            Ok(Some(entry)) => entry,
            Ok(None) => {
                self.found.absent.insert(path.to_owned());
                return Ok(true);
            }
            Err(_) => {
                self.found.gaps.insert(Gap::Unread);
                return Ok(false);
            }
        };
        if !keep && self.found.entries.get(path).is_some_and(Entry::is_file) {
            // A known target among what is not kept otherwise.
            return Ok(true);
        }
        let known = self.known.entries.get(path).filter(|known| known.stamp.proves(&entry.stamp));
        entry.attributes = match known {
            Some(known) => known.attributes.clone(),
            None => read_attributes(path, &entry.kind),
        };
        match &entry.kind {
            Kind::File { len, .. } => {
                let len = *len;
                let hash = match known.map(|known| &known.kind) {
                    Some(Kind::File { hash: Some(hash), .. }) => {
                        if !self.objects.has(hash) {
                            // It was not kept, for want of room or because of what is in it.
                            let is_full = self.objects.bytes.saturating_add(len) > self.caps.store;
                            self.found.gaps.insert(if is_full { Gap::Full } else { Gap::Secret });
                        }
                        Some(hash.clone())
                    }
                    _ if !keep => None,
                    _ if len > self.caps.file => {
                        self.found.gaps.insert(Gap::Big);
                        None
                    }
                    _ => match self.objects.take(at, path, self.caps.store)? {
                        Taken::Kept(hash) => Some(hash),
                        Taken::OverCap(hash) => {
                            self.found.gaps.insert(Gap::Full);
                            Some(hash)
                        }
                        Taken::Secret(hash) => {
                            self.found.gaps.insert(Gap::Secret);
                            Some(hash)
                        }
                        Taken::Unread => {
                            self.found.gaps.insert(Gap::Unread);
                            None
                        }
                    },
                };
                entry.kind = Kind::File { len, hash };
                if let Some(known) = known {
                    entry.stamp = known.stamp;
                }
                self.found.entries.insert(path.to_owned(), entry);
            }
            Kind::Folder { .. } => self.folder(at, path, entry, keep, device, depth)?,
            Kind::Link { .. } | Kind::Other => {
                self.found.entries.insert(path.to_owned(), entry);
            }
        }
        Ok(true)
    }

    /// A folder counts as listed only when it is so whole: what is missing in the list was not there then.
    fn folder(
        &mut self,
        at: &OwnedFd,
        path: &Path,
        mut entry: Entry,
        keep: bool,
        device: Option<u64>,
        depth: usize,
    ) -> io::Result<()> {
        let own = entry.stamp.dev;
        let mut enter = true;
        if device.is_some_and(|device| device != own) {
            self.found.gaps.insert(Gap::Mount);
            enter = false;
        } else if path == self.own {
            self.found.gaps.insert(Gap::Own);
            enter = false;
        } else if keep && depth > 0 && is_unkept_folder(path) {
            self.found.gaps.insert(Gap::Products);
            self.later.push(path.to_owned());
            enter = false;
        } else if depth > DEPTH {
            self.found.gaps.insert(Gap::TooMany);
            enter = false;
        }
        let listed = if enter { self.list(at, path) } else { None };
        entry.kind = Kind::Folder { listed: listed.is_some() };
        self.found.entries.insert(path.to_owned(), entry);
        if let Some((folder, names)) = listed {
            let mut whole = true;
            for name in names {
                whole &= self.visit(&folder, &name, keep, Some(own), depth + 1)?;
            }
            // Of a folder that may be read but not entered the names alone are known.
            if let Some(entry) = self.found.entries.get_mut(path).filter(|_| !whole) {
                entry.kind = Kind::Folder { listed: false };
            }
        }
        Ok(())
    }

    fn list(&mut self, at: &OwnedFd, path: &Path) -> Option<(OwnedFd, Vec<PathBuf>)> {
        let (_, last) = reach::split(path).ok()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let read = || -> rustix::io::Result<(OwnedFd, Vec<PathBuf>)> {
            let folder = openat(at, last, flags, Mode::empty())?;
            let mut names = Vec::new();
            for item in Dir::read_from(&folder)? {
                let item = item?;
                let name = item.file_name().to_bytes();
                if name != b"." && name != b".." {
                    names.push(path.join(std::ffi::OsStr::from_bytes(name)));
                }
            }
            names.sort();
            Ok((folder, names))
        };
        match read() {
            Ok((_, names)) if self.found.entries.len() + names.len() > self.caps.entries => {
                self.found.gaps.insert(Gap::TooMany);
                None
            }
            Ok(listed) => Some(listed),
            Err(_) => {
                self.found.gaps.insert(Gap::Unread);
                None
            }
        }
    }
}
