//! Which names are names of one file (hard links), among those that were looked at. A file with one name is not in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::entry::Entry;

#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    files: BTreeMap<(u64, u64), BTreeSet<PathBuf>>,
    of: BTreeMap<PathBuf, (u64, u64)>,
}

impl Names {
    pub(super) fn of<'a>(listed: impl IntoIterator<Item = (&'a Path, &'a Entry)>) -> Self {
        let mut names = Self::default();
        for (path, entry) in listed.into_iter().filter(|(_, entry)| entry.has_several_names()) {
            names.put(path, entry.stamp.file());
        }
        names
    }

    /// As the disk is now.
    pub(super) fn now(paths: &BTreeSet<PathBuf>) -> Self {
        let found = |path: &PathBuf| Some((path.clone(), Entry::look_whole(path).ok()??));
        let found: Vec<(PathBuf, Entry)> = paths.iter().filter_map(found).collect();
        Self::of(found.iter().map(|(path, entry)| (path.as_path(), entry)))
    }

    /// The name is one of this file from now on, and of no other.
    pub(super) fn put(&mut self, path: &Path, file: (u64, u64)) {
        self.take(path);
        self.files.entry(file).or_default().insert(path.to_owned());
        self.of.insert(path.to_owned(), file);
    }

    /// The name is gone.
    pub(super) fn take(&mut self, path: &Path) {
        if let Some(file) = self.of.remove(path)
            && let Some(names) = self.files.get_mut(&file)
        {
            names.remove(path);
        }
    }

    /// The other names that the file at `path` is known to have.
    pub(super) fn others(&self, path: &Path, entry: Option<&Entry>) -> BTreeSet<PathBuf> {
        let names = entry
            .filter(|entry| entry.has_several_names())
            .and_then(|entry| self.files.get(&entry.stamp.file()));
        names.into_iter().flatten().filter(|name| *name != path).cloned().collect()
    }
}
