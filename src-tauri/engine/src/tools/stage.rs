//! Changes of files, all made or none: every new text is written beside its file and synced before the first one takes
//! its place, and when one cannot, those before it are put back. A file that is not what it was is left alone. A file
//! keeps its mode, and its owner where this user may give it; other names of the same file (hard links) keep the old text.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RawMode, RenameFlags, Stat, Uid, fchmod, fchown, fsync, openat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::prepare::Change;
use super::{ToolFailure, reach, text};

/// Stands for "something else is there now"; the system says it of a link that has come in the way.
const CHANGED: Errno = Errno::LOOP;

/// New texts that lie ready beside their files. Dropped, they are gone and nothing has changed.
#[derive(Debug)]
pub(super) struct Staged<'a> {
    files: Vec<StagedFile<'a>>,
    made: Made,
}

#[derive(Debug)]
struct StagedFile<'a> {
    change: &'a Change,
    folder: Rc<OwnedFd>,
    name: &'a Path,
    new: Beside,
    /// The file as it was, where it may have to be put back; `None` for a new one.
    old: Option<Beside>,
    /// What the file was when its text was compared.
    seen: Option<Stat>,
}

/// Folders that were made for new files, outermost first. Dropped, those that are empty are gone again.
#[derive(Debug, Default)]
struct Made(Vec<PathBuf>);

/// A file beside another one, under a name of its own. Dropped, it is gone.
#[derive(Debug)]
struct Beside {
    folder: Rc<OwnedFd>,
    name: Option<String>,
}

/// What was changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Absolute; without those that were as wanted already.
    pub(super) files: Vec<String>,
    pub(super) folders_made: Vec<PathBuf>,
}

/// Writes every new text beside its file.
pub(super) fn stage(changes: &[Change]) -> Result<Staged<'_>, ToolFailure> {
    let mut staged = Staged { files: Vec::new(), made: Made::default() };
    let several = changes.len() > 1;
    for change in changes {
        let failed = |error: io::Error| ToolFailure::from_io(&error, &change.file.shown);
        let (parent, name) = reach::split(&change.file.path).map_err(failed)?;
        let folder = if change.before.is_none() {
            reach::folder_made(parent, |made| staged.made.0.push(made.to_owned()))
        } else {
            reach::folder(parent)
        };
        let folder = Rc::new(folder.map_err(failed)?);
        let current = current(&folder, name).map_err(failed)?;
        if current.as_ref().map(|(bytes, _)| Sha256::digest(bytes).into()) != change.before {
            return Err(ToolFailure::Changed { path: change.file.shown.clone() });
        }
        if current.as_ref().is_some_and(|(bytes, _)| bytes == change.after.as_bytes()) {
            continue;
        }
        if current.is_some() && !reach::may_write(&folder, name) {
            return Err(ToolFailure::Denied { path: change.file.shown.clone() });
        }
        let seen = current.as_ref().map(|(_, stat)| *stat);
        let new = Beside::write(&folder, change.after.as_bytes(), seen.as_ref()).map_err(failed)?;
        let old = match &current {
            Some((bytes, stat)) if several => {
                Some(Beside::write(&folder, bytes, Some(stat)).map_err(failed)?)
            }
            Some(_) | None => None,
        };
        staged.files.push(StagedFile { change, folder, name, new, old, seen });
    }
    Ok(staged)
}

impl Staged<'_> {
    /// Puts every new text in its place. On an error nothing has changed, unless the error is
    /// [`ToolFailure::HalfDone`].
    pub(super) fn commit(mut self) -> Result<Written, ToolFailure> {
        for index in 0..self.files.len() {
            if let Err(error) = self.files[index].take_place() {
                let failure = ToolFailure::from_io(&error, &self.files[index].change.file.shown);
                return Err(self.put_back(index, failure));
            }
        }
        for file in &self.files {
            // The file is in its place, and its text is on the disk; only a power cut could still bring back the old one.
            let _ = openat(
                &*file.folder,
                ".",
                OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            )
            .and_then(fsync);
        }
        let files = self.files.iter().map(|file| file.change.file.text.clone()).collect();
        Ok(Written { files, folders_made: std::mem::take(&mut self.made.0) })
    }

    /// Undoes the first `count`, last one first.
    fn put_back(&mut self, count: usize, failure: ToolFailure) -> ToolFailure {
        let stuck: Vec<String> = self.files[..count]
            .iter_mut()
            .rev()
            .filter_map(|file| file.put_back().is_err().then(|| file.change.file.shown.clone()))
            .collect();
        if stuck.is_empty() {
            failure
        } else {
            ToolFailure::HalfDone { changed: stuck, why: failure.to_string() }
        }
    }
}

impl StagedFile<'_> {
    fn take_place(&mut self) -> io::Result<()> {
        match &self.seen {
            Some(seen) => match statat(&*self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(now) if is_same(seen, &now) => self.new.rename(self.name),
                Ok(_) | Err(Errno::NOENT) => Err(CHANGED.into()),
                Err(error) => Err(error.into()),
            },
            None => self.new.rename_to_free(self.name),
        }
    }

    fn put_back(&mut self) -> io::Result<()> {
        match (&mut self.old, &self.seen) {
            (Some(old), _) => old.rename(self.name),
            (None, None) => Ok(unlinkat(&*self.folder, self.name, AtFlags::empty())?),
            // Kept for every change but a single one, which has none before it to put back.
            (None, Some(_)) => Err(Errno::NOENT.into()),
        }
    }
}

impl Beside {
    /// Writes and syncs `bytes`, like the file `like` in mode and owner.
    fn write(folder: &Rc<OwnedFd>, bytes: &[u8], like: Option<&Stat>) -> io::Result<Self> {
        let name = format!(".planwright-{}.tmp", uuid::Uuid::now_v7().simple());
        // Until it has the mode of the file it stands for, nobody else may read it.
        let mode = Mode::from_raw_mode(if like.is_some() { 0o600 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file: File = openat(&**folder, name.as_str(), flags, mode)?.into();
        let beside = Self { folder: Rc::clone(folder), name: Some(name) };
        file.write_all(bytes)?;
        if let Some(like) = like {
            dress(&file, like)?;
        }
        file.sync_all()?;
        Ok(beside)
    }

    fn rename(&mut self, to: &Path) -> io::Result<()> {
        let Some(name) = &self.name else { return Err(Errno::NOENT.into()) };
        renameat(&*self.folder, name.as_str(), &*self.folder, to)?;
        self.name = None;
        Ok(())
    }

    /// The same where there must be nothing yet.
    fn rename_to_free(&mut self, to: &Path) -> io::Result<()> {
        let Some(name) = &self.name else { return Err(Errno::NOENT.into()) };
        match renameat_with(&*self.folder, name.as_str(), &*self.folder, to, RenameFlags::NOREPLACE) {
            Ok(()) => {
                self.name = None;
                Ok(())
            }
            Err(Errno::EXIST) => Err(CHANGED.into()),
            // Not every file system can tell by itself.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                match statat(&*self.folder, to, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(Errno::NOENT) => self.rename(to),
                    Ok(_) => Err(CHANGED.into()),
                    Err(error) => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing more can be done about it than to try.
            let _ = unlinkat(&*self.folder, name.as_str(), AtFlags::empty());
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        // The files beside go first, for only an empty folder can go.
        self.files.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            if let Ok((parent, name)) = reach::split(path)
                && let Ok(folder) = reach::folder(parent)
            {
                // One that holds something meanwhile stays.
                let _ = unlinkat(&folder, name, AtFlags::REMOVEDIR);
            }
        }
    }
}

/// What stands in the file now; `None` when there is none.
fn current(folder: &OwnedFd, name: &Path) -> io::Result<Option<(Vec<u8>, Stat)>> {
    match reach::file_in(folder, name) {
        Ok((file, stat)) => {
            let mut bytes = Vec::new();
            file.take(text::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
            Ok(Some((bytes, stat)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a new file the owner and mode of another.
fn dress(file: &File, like: &Stat) -> io::Result<()> {
    const SET_ID: RawMode = 0o6000;
    let own = rustix::fs::fstat(file)?;
    let mut mode = like.st_mode & 0o7777;
    let same = own.st_uid == like.st_uid && own.st_gid == like.st_gid;
    if !same && fchown(file, Some(Uid::from_raw(like.st_uid)), Some(Gid::from_raw(like.st_gid))).is_err() {
        // Someone else's rights are not handed to this user's file.
        mode &= !SET_ID;
    }
    Ok(fchmod(file, Mode::from_raw_mode(mode))?)
}

fn is_same(seen: &Stat, now: &Stat) -> bool {
    (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mode)
        == (now.st_dev, now.st_ino, now.st_size, now.st_mode)
        && (seen.st_mtime, seen.st_mtime_nsec) == (now.st_mtime, now.st_mtime_nsec)
        && (seen.st_ctime, seen.st_ctime_nsec) == (now.st_ctime, now.st_ctime_nsec)
}
