//! A folder as it is, to the last bit that people and programs can see.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::super::entry::{Kind, read_attributes};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) what: What,
    mode: u32,
    owner: (u32, u32),
    /// Of links too.
    modified: (i64, i64),
    attributes: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The first name of the file, for one with several names.
    same_as: Option<PathBuf>,
    names: u64,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum What {
    File(Vec<u8>),
    Folder,
    Link(PathBuf),
}

impl std::fmt::Debug for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(content) => write!(f, "file of {} bytes, {:?}", content.len(), content.first()),
            Self::Folder => f.write_str("folder"),
            Self::Link(to) => write!(f, "link to {}", to.display()),
        }
    }
}

pub(crate) type Picture = BTreeMap<PathBuf, Seen>;

/// Folders that their owner has closed are opened for as long as it takes; only an administrator sees into them otherwise.
pub(crate) fn of(root: &Path) -> Picture {
    let mut picture = Picture::new();
    let mut first: BTreeMap<u64, PathBuf> = BTreeMap::new();
    let mut paths = vec![root.to_owned()];
    let mut closed = Vec::new();
    while let Some(path) = paths.pop() {
        let data = fs::symlink_metadata(&path).unwrap();
        let what = if data.is_dir() {
            let mode = data.permissions().mode();
            if mode & 0o500 != 0o500 {
                fs::set_permissions(&path, Permissions::from_mode(mode | 0o500)).unwrap();
                closed.push((path.clone(), mode));
            }
            let mut below: Vec<_> = fs::read_dir(&path).unwrap().map(|name| name.unwrap().path()).collect();
            below.sort();
            below.reverse();
            paths.extend(below);
            What::Folder
        } else if data.is_symlink() {
            What::Link(fs::read_link(&path).unwrap())
        } else {
            What::File(fs::read(&path).unwrap())
        };
        let several = data.is_file() && data.nlink() > 1;
        let same_as = several.then(|| first.entry(data.ino()).or_insert_with(|| path.clone()).clone());
        let kind = if data.is_symlink() { Kind::Other } else { Kind::File { len: 0, hash: None } };
        picture.insert(
            path.clone(),
            Seen {
                what,
                mode: data.permissions().mode(),
                owner: (data.uid(), data.gid()),
                modified: (data.mtime(), data.mtime_nsec()),
                attributes: read_attributes(&path, &kind),
                same_as,
                names: if data.is_file() { data.nlink() } else { 1 },
            },
        );
    }
    for (path, mode) in closed {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    picture
}

/// Whether there are folders that an ordinary owner cannot enter.
pub(crate) fn has_closed_folder(picture: &Picture) -> bool {
    picture.values().any(|seen| seen.what == What::Folder && seen.mode & 0o500 != 0o500)
}

/// As if each name were a file of its own.
pub(crate) fn without_links(mut picture: Picture) -> Picture {
    for seen in picture.values_mut() {
        (seen.same_as, seen.names) = (None, 1);
    }
    picture
}

/// The pictures' differences, one a line, for a test that fails.
pub(crate) fn differences(before: &Picture, after: &Picture) -> Vec<String> {
    let paths: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| format!("{}: {:?} -> {:?}", path.display(), before.get(path), after.get(path)))
        .collect()
}
