//! One file, folder or link as it is at a moment: everything that an undo puts back, and the marks by which a later look
//! sees at once that nothing has changed. Reads only, and never through a link.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Stat, lgetxattr, llistxattr, readlinkat, statat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::name;
use crate::tools::reach;

/// A content's name in the store: its SHA-256 in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Hash(pub(super) String);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(super) enum Kind {
    /// `hash`: none where the content is not looked at (a build makes it again, or it is too big).
    File { len: u64, hash: Option<Hash> },
    /// `listed`: the manifest holds all that is in it.
    Folder { listed: bool },
    Link {
        #[serde(with = "name")]
        to: PathBuf,
    },
    /// A pipe, a socket, a device: seen, never touched.
    Other,
}

/// A moment of the file system's, in seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(super) struct Moment(pub(super) i64, pub(super) u32);

/// Which file it is, and when it was last changed in any way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) dev: u64,
    pub(super) ino: u64,
    pub(super) nlink: u64,
    pub(super) changed: Moment,
    /// When this program looked.
    pub(super) seen: Moment,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    #[serde(flatten)]
    pub(super) kind: Kind,
    /// Permission bits, with the set-id and sticky ones.
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) modified: Moment,
    /// Extended attributes, access lists among them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "attributes")]
    pub(super) attributes: BTreeMap<Vec<u8>, Vec<u8>>,
    pub(super) stamp: Stamp,
}

/// A clock of a file system may tick this slowly: what changed less than this before it was looked at may have changed
/// once more since, unseen.
const TICK_NANOS: i128 = 20_000_000;

impl Stamp {
    /// Whether this later look proves that nothing has changed.
    pub(super) fn proves(&self, later: &Self) -> bool {
        let nanos = |m: Moment| i128::from(m.0) * 1_000_000_000 + i128::from(m.1);
        (self.dev, self.ino, self.nlink, self.changed) == (later.dev, later.ino, later.nlink, later.changed)
            && nanos(self.changed) + TICK_NANOS < nanos(self.seen)
    }

    /// What names the file while it lives.
    pub(super) fn file(&self) -> (u64, u64) {
        (self.dev, self.ino)
    }

    pub(super) fn same_file(&self, other: &Self) -> bool {
        self.file() == other.file()
    }
}

impl Entry {
    /// Looks at one name in a folder; `None` when nothing is there. A file's hash is left open.
    pub(super) fn look(parent: &impl std::os::fd::AsFd, path: &Path) -> io::Result<Option<Self>> {
        let (_, last) = reach::split(path)?;
        let stat = match statat(parent, last, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File { len: stat.st_size as u64, hash: None },
            FileType::Directory => Kind::Folder { listed: false },
            FileType::Symlink => {
                let to = readlinkat(parent, last, Vec::new())?;
                Kind::Link { to: PathBuf::from(OsString::from_vec(to.into_bytes())) }
            }
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Kind::Other,
        };
        Ok(Some(Self {
            kind,
            mode: mode_of(&stat),
            uid: stat.st_uid,
            gid: stat.st_gid,
            modified: Moment(stat.st_mtime, stat.st_mtime_nsec as u32),
            attributes: BTreeMap::new(),
            stamp: stamp(&stat),
        }))
    }

    /// [`Self::look`] from the root, with its attributes; `None` also when a folder on the way is missing.
    pub(super) fn look_whole(path: &Path) -> io::Result<Option<Self>> {
        let (parent, _) = reach::split(path)?;
        let parent = match reach::folder(parent) {
            Ok(parent) => parent,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.raw_os_error() == Some(Errno::NOTDIR.raw_os_error()) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut found = Self::look(&parent, path)?;
        if let Some(entry) = &mut found {
            entry.attributes = read_attributes(path, &entry.kind);
        }
        Ok(found)
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self.kind, Kind::Folder { .. })
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self.kind, Kind::File { .. })
    }

    pub(super) fn has_several_names(&self) -> bool {
        self.is_file() && self.stamp.nlink > 1
    }

    /// Whether both hold the same. Where a content is not looked at, only the same unchanged file counts as the same.
    pub(super) fn same_content(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::File { len, hash: Some(hash) }, Kind::File { len: l, hash: Some(h) }) => {
                len == l && hash == h
            }
            (Kind::File { len, .. }, Kind::File { len: l, .. }) => {
                len == l && self.stamp.same_file(&other.stamp) && self.modified == other.modified
            }
            (Kind::Folder { .. }, Kind::Folder { .. }) => true,
            (Kind::Link { to }, Kind::Link { to: t }) => to == t,
            (Kind::Other, Kind::Other) => self.stamp.same_file(&other.stamp),
            (Kind::File { .. } | Kind::Folder { .. } | Kind::Link { .. } | Kind::Other, _) => false,
        }
    }

    /// Whether it is as it was left: content, mode, owner and attributes. A mere touch changes nothing that matters.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.same_content(other)
            && (self.mode, self.uid, self.gid) == (other.mode, other.uid, other.gid)
            && self.attributes == other.attributes
    }

    /// Whether both are files, or both are folders, and so on.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
    }

    /// Of a file.
    pub(super) fn len(&self) -> Option<u64> {
        match self.kind {
            Kind::File { len, .. } => Some(len),
            Kind::Folder { .. } | Kind::Link { .. } | Kind::Other => None,
        }
    }

    /// Whether nothing is to be put back.
    pub(super) fn is_exactly(&self, other: &Self) -> bool {
        self.is_as(other) && self.modified == other.modified
    }
}

fn stamp(stat: &Stat) -> Stamp {
    let now = jiff::Timestamp::now();
    let (dev, ino) = file_of(stat);
    Stamp {
        dev,
        ino,
        nlink: names_of(stat),
        changed: Moment(stat.st_ctime, stat.st_ctime_nsec as u32),
        seen: Moment(now.as_second(), now.subsec_nanosecond().unsigned_abs()),
    }
}

/// Which file it is: device and number.
#[allow(clippy::unnecessary_cast, reason = "what type these numbers have is the system's")]
pub(super) fn file_of(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

#[allow(clippy::unnecessary_cast, reason = "what type this number has is the system's")]
fn names_of(stat: &Stat) -> u64 {
    stat.st_nlink as u64
}

#[allow(clippy::unnecessary_cast, reason = "what type this number has is the system's")]
fn mode_of(stat: &Stat) -> u32 {
    stat.st_mode as u32 & 0o7777
}

/// In bytes; the system allows no longer ones.
const LONGEST_ATTRIBUTE: usize = 64 * 1024;

/// What cannot be read counts as not there: it could not be put back either.
pub(super) fn read_attributes(path: &Path, kind: &Kind) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut found = BTreeMap::new();
    if !matches!(kind, Kind::File { .. } | Kind::Folder { .. }) {
        return found;
    }
    // Most files have none, or few and short ones.
    let mut names = vec![0; 1024];
    let mut listed = llistxattr(path, &mut names[..]);
    if listed == Err(Errno::RANGE) {
        names.resize(LONGEST_ATTRIBUTE, 0);
        listed = llistxattr(path, &mut names[..]);
    }
    let Ok(filled) = listed else { return found };
    if filled == 0 {
        return found;
    }
    let mut value = vec![0; LONGEST_ATTRIBUTE];
    for name in names[..filled].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if let Ok(len) = lgetxattr(path, std::ffi::OsStr::from_bytes(name), &mut value[..]) {
            found.insert(name.to_vec(), value[..len].to_vec());
        }
    }
    found
}

/// Attributes are bytes; in the store they are lists of pairs.
mod attributes {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    type Attributes = BTreeMap<Vec<u8>, Vec<u8>>;

    pub(super) fn serialize<S: Serializer>(all: &Attributes, to: S) -> Result<S::Ok, S::Error> {
        all.iter().collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Attributes, D::Error> {
        Ok(Vec::<(Vec<u8>, Vec<u8>)>::deserialize(from)?.into_iter().collect())
    }
}
