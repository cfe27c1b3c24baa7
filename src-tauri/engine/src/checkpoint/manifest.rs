//! What a list of a folder's entries knows, and what the difference of two lists says that a step did. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::author::Doubt;
use super::entry::{Entry, Kind};
use super::name;
use super::names::Names;

/// Everything seen at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    #[serde(with = "by_path")]
    pub(super) entries: BTreeMap<PathBuf, Entry>,
    /// Looked for and not there.
    #[serde(with = "paths")]
    pub(super) absent: BTreeSet<PathBuf>,
    pub(super) gaps: BTreeSet<Gap>,
}

/// Why not everything is kept. Ordered by how much it matters to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Gap {
    /// The workspace is the home folder or more: only known targets are looked after.
    Wide,
    TooMany,
    Full,
    Big,
    /// A secret that is to be written nowhere is in it.
    Secret,
    Unread,
    Mount,
    /// The program's own data folder: kept, it would be kept in itself.
    Own,
    /// The history of a git repository and what a build makes again.
    Products,
}

impl Gap {
    /// For the middle of a sentence, after "not kept: ".
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Wide => "files it is not known to touch, as this folder is too wide to keep whole",
            Self::TooMany => "folders beyond the first 50 000 entries",
            Self::Full => "some files, as the session's store is full (1 GB)",
            Self::Big => "files larger than 200 MB",
            Self::Secret => "files that hold a secret which was given for this run",
            Self::Unread => "files that cannot be read",
            Self::Mount => "other file systems inside the folder",
            Self::Own => "what Planwright itself has written there",
            Self::Products => "what a build makes again",
        }
    }

    /// Whether anything that a step does to ordinary files of the folder may be lost by it.
    pub(super) fn is_serious(self) -> bool {
        match self {
            Self::Wide
            | Self::TooMany
            | Self::Full
            | Self::Big
            | Self::Secret
            | Self::Unread
            | Self::Mount => true,
            Self::Products | Self::Own => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Known<'a> {
    There(&'a Entry),
    Absent,
    /// Nobody looked.
    Unknown,
}

impl Manifest {
    fn names(&self) -> Names {
        Names::of(self.entries.iter().map(|(path, entry)| (path.as_path(), entry)))
    }

    pub(super) fn look(&self, path: &Path) -> Known<'_> {
        if let Some(entry) = self.entries.get(path) {
            return Known::There(entry);
        }
        if self.absent.contains(path) {
            return Known::Absent;
        }
        let Some(parent) = path.parent() else { return Known::Unknown };
        match self.look(parent) {
            Known::There(Entry { kind: Kind::Folder { listed: false }, .. }) | Known::Unknown => {
                Known::Unknown
            }
            Known::There(_) | Known::Absent => Known::Absent,
        }
    }
}

/// One path that is not as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Change {
    #[serde(with = "name")]
    pub(super) path: PathBuf,
    pub(super) before: Option<Entry>,
    pub(super) after: Option<Entry>,
    /// A folder's time or a file's other names: follows from other changes, and is not told.
    #[serde(default)]
    pub(super) quiet: bool,
    /// Other names that `before` had.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "paths")]
    pub(super) mates: BTreeSet<PathBuf>,
    /// Other names that `after` has.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "paths")]
    pub(super) mates_after: BTreeSet<PathBuf>,
    /// It may not be the step's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) doubt: Option<Doubt>,
}

/// What is different, by path. What only one of the two knows is left out: it may have been so before.
pub(super) fn difference(before: &Manifest, after: &Manifest) -> Vec<Change> {
    let (names, names_after) = (before.names(), after.names());
    let paths: BTreeSet<&PathBuf> = before.entries.keys().chain(after.entries.keys()).collect();
    let mut changes = Vec::new();
    for path in paths {
        let (was, is) = match (before.look(path), after.look(path)) {
            (Known::Unknown, _) | (_, Known::Unknown) | (Known::Absent, Known::Absent) => continue,
            (Known::There(was), Known::There(is)) => (Some(was), Some(is)),
            (Known::There(was), Known::Absent) => (Some(was), None),
            (Known::Absent, Known::There(is)) => (None, Some(is)),
        };
        let (mates, mates_after) = (names.others(path, was), names_after.others(path, is));
        let quiet = match (was, is) {
            (Some(was), Some(is)) if was.is_exactly(is) && mates == mates_after => continue,
            (Some(was), Some(is)) => is_quiet(was, is),
            _ => false,
        };
        changes.push(Change {
            path: path.clone(),
            mates,
            mates_after,
            before: was.cloned(),
            after: is.cloned(),
            quiet,
            doubt: None,
        });
    }
    changes
}

pub(super) fn is_quiet(was: &Entry, is: &Entry) -> bool {
    if was.is_folder() { was.is_as(is) } else { was.is_exactly(is) }
}

/// Whether a folder's content is listed but not kept: a build makes it again, or git keeps it safe itself.
pub(super) fn is_unkept_folder(path: &Path) -> bool {
    let is_git = || path.components().any(|part| part.as_os_str() == ".git");
    crate::risk::is_build_product(path)
        || (path.file_name().is_some_and(|name| name == "objects") && is_git())
}

/// The outermost folder around `path`, below `root`, whose content is not kept.
pub(super) fn unkept_around<'a>(path: &'a Path, root: &Path) -> Option<&'a Path> {
    let below = |folder: &&Path| folder.starts_with(root) && *folder != root;
    path.ancestors().skip(1).filter(below).filter(|folder| is_unkept_folder(folder)).last()
}

mod by_path {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::super::entry::Entry;
    use super::name;

    pub(super) fn serialize<S: Serializer>(
        entries: &BTreeMap<PathBuf, Entry>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(entries.iter().map(|(path, entry)| (name::text(path), entry)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<PathBuf, Entry>, D::Error> {
        let read = |(text, entry): (String, Entry)| name::path(&text).map(|path| (path, entry));
        Vec::<(String, Entry)>::deserialize(from)?
            .into_iter()
            .map(read)
            .collect::<Option<_>>()
            .ok_or_else(|| serde::de::Error::custom("a path that was not written here"))
    }
}

pub(super) mod paths {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::name;

    pub(in super::super) fn serialize<S: Serializer>(
        all: &BTreeSet<PathBuf>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|path| name::text(path)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeSet<PathBuf>, D::Error> {
        Vec::<String>::deserialize(from)?
            .iter()
            .map(|text| name::path(text))
            .collect::<Option<_>>()
            .ok_or_else(|| serde::de::Error::custom("a path that was not written here"))
    }
}
