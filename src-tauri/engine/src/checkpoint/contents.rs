//! Where the contents that an undo puts back come from: the store, and the trash folder of the undo that it takes back.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::entry::{Entry, Kind};
use super::objects::Objects;
use super::undoing::Undo;

pub(super) struct Contents<'a> {
    pub(super) objects: Option<&'a Objects>,
    /// The undo that is taken back, and its trash folder.
    pub(super) earlier: Option<(&'a Undo, PathBuf)>,
}

impl Contents<'_> {
    pub(super) fn has(&self, path: &Path, want: &Entry) -> bool {
        self.stored(want).is_some() || self.trashed(path, want).is_some()
    }

    /// The content that `want` names.
    pub(super) fn content(&self, path: &Path, want: &Entry) -> Option<File> {
        self.stored(want).or_else(|| File::open(self.trashed(path, want)?).ok())
    }

    /// What stood at `path` until the earlier undo.
    pub(super) fn trashed(&self, path: &Path, want: &Entry) -> Option<PathBuf> {
        let (undo, trash) = self.earlier.as_ref()?;
        let (nth, _) = undo.moves.iter().enumerate().find(|(_, made)| {
            made.path == path && made.now.as_ref().is_some_and(|now| now.same_content(want))
        })?;
        let item = trash.join(nth.to_string());
        fs::symlink_metadata(&item).is_ok().then_some(item)
    }

    fn stored(&self, want: &Entry) -> Option<File> {
        match &want.kind {
            Kind::File { hash: Some(hash), .. } => {
                self.objects.filter(|objects| objects.has(hash))?.read(hash).ok()
            }
            Kind::File { hash: None, .. } | Kind::Folder { .. } | Kind::Link { .. } | Kind::Other => None,
        }
    }
}
