//! Changes of files, all made or none: every new text is written beside its file and synced before the first one takes
//! its place, and when one cannot, those before it are put back. A file that is not what it was is left alone. A file
//! keeps its mode, owner, attributes, access list and other names (hard links): where a new file could not have all of
//! them, the text is written into the old one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fsync, openat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::attributes::Attributes;
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
    new: New,
    /// The file as it was, where it may have to be put back; `None` for a new one.
    old: Option<Beside>,
    /// What the file was when its text was compared.
    seen: Option<Stat>,
}

/// How the new text takes its place.
#[derive(Debug)]
enum New {
    Beside(Beside),
    /// Into the file itself, which held this.
    Into {
        was: Vec<u8>,
    },
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
        if current.as_ref().map(|there| Sha256::digest(&there.bytes).into()) != change.before {
            return Err(ToolFailure::Changed { path: change.file.shown.clone() });
        }
        if current.as_ref().is_some_and(|there| there.bytes == change.after.as_bytes()) {
            continue;
        }
        if current.is_some() && !reach::may_write(&folder, name) {
            return Err(ToolFailure::Denied { path: change.file.shown.clone() });
        }
        let seen = current.as_ref().map(|there| there.stat);
        let beside = |bytes: &[u8]| Beside::write(&folder, bytes, current.as_ref());
        let new = match beside(change.after.as_bytes()).map_err(failed)? {
            Some(new) => New::Beside(new),
            None => New::Into { was: current.as_ref().map(|there| there.bytes.clone()).unwrap_or_default() },
        };
        let old = match (&current, &new) {
            (Some(there), New::Beside(_)) if several => beside(&there.bytes).map_err(failed)?,
            (Some(_) | None, _) => None,
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
        let Some(seen) = &self.seen else {
            return match &mut self.new {
                New::Beside(new) => new.rename_to_free(self.name),
                New::Into { .. } => Err(CHANGED.into()),
            };
        };
        match statat(&*self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(now) if is_same(seen, &now) => {}
            Ok(_) | Err(Errno::NOENT) => return Err(CHANGED.into()),
            Err(error) => return Err(error.into()),
        }
        match &mut self.new {
            New::Beside(new) => new.rename(self.name),
            New::Into { was } => {
                let mut file = open_again(&self.folder, self.name, seen)?;
                let written = fill(&mut file, self.change.after.as_bytes());
                if written.is_err() {
                    // As far as it can be had: the disk may be full.
                    let _ = fill(&mut file, was);
                }
                written
            }
        }
    }

    fn put_back(&mut self) -> io::Result<()> {
        match (&mut self.old, &self.seen, &self.new) {
            (None, Some(seen), New::Into { was }) => {
                let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let mut file: File = openat(&*self.folder, self.name, flags, Mode::empty())?.into();
                let now = rustix::fs::fstat(&file)?;
                if (now.st_dev, now.st_ino) != (seen.st_dev, seen.st_ino) {
                    return Err(CHANGED.into());
                }
                fill(&mut file, was)
            }
            (Some(old), _, _) => old.rename(self.name),
            (None, None, _) => Ok(unlinkat(&*self.folder, self.name, AtFlags::empty())?),
            // Kept for every change but a single one, which has none before it to put back.
            (None, Some(_), New::Beside(_)) => Err(Errno::NOENT.into()),
        }
    }
}

/// The file that was looked at, opened to be written.
fn open_again(folder: &OwnedFd, name: &Path, seen: &Stat) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::empty())?;
    if is_same(seen, &rustix::fs::fstat(&file)?) { Ok(file.into()) } else { Err(CHANGED.into()) }
}

fn fill(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

impl Beside {
    /// Writes and syncs `bytes`, like the file `like` in all but its text. `None`: that cannot be had of a new file.
    fn write(folder: &Rc<OwnedFd>, bytes: &[u8], like: Option<&Current>) -> io::Result<Option<Self>> {
        if like.is_some_and(|like| like.stat.st_nlink > 1) {
            return Ok(None);
        }
        let name = format!(".planwright-{}.tmp", uuid::Uuid::now_v7().simple());
        // Until it has the mode of the file it stands for, nobody else may read it.
        let mode = Mode::from_raw_mode(if like.is_some() { 0o600 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file: File = match openat(&**folder, name.as_str(), flags, mode) {
            // The file may be written, its folder not.
            Err(Errno::ACCESS | Errno::PERM) if like.is_some() => return Ok(None),
            file => file?.into(),
        };
        let beside = Self { folder: Rc::clone(folder), name: Some(name) };
        file.write_all(bytes)?;
        if let Some(like) = like
            && !dress(&file, like)?
        {
            return Ok(None);
        }
        file.sync_all()?;
        Ok(Some(beside))
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

/// A file as it is now.
#[derive(Debug)]
struct Current {
    bytes: Vec<u8>,
    stat: Stat,
    attributes: Attributes,
}

/// What stands in the file now; `None` when there is none.
fn current(folder: &OwnedFd, name: &Path) -> io::Result<Option<Current>> {
    match reach::file_in(folder, name) {
        Ok((file, stat)) => {
            let attributes = Attributes::of(&file)?;
            let mut bytes = Vec::new();
            file.take(text::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
            Ok(Some(Current { bytes, stat, attributes }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a new file the owner, mode and attributes of another; `false` where it cannot have all of them.
fn dress(file: &File, like: &Current) -> io::Result<bool> {
    let own = rustix::fs::fstat(file)?;
    let stat = &like.stat;
    let same = own.st_uid == stat.st_uid && own.st_gid == stat.st_gid;
    if !same && fchown(file, Some(Uid::from_raw(stat.st_uid)), Some(Gid::from_raw(stat.st_gid))).is_err() {
        return Ok(false);
    }
    if !like.attributes.give_to(file) {
        return Ok(false);
    }
    fchmod(file, Mode::from_raw_mode(stat.st_mode & 0o7777))?;
    Ok(true)
}

fn is_same(seen: &Stat, now: &Stat) -> bool {
    (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mode)
        == (now.st_dev, now.st_ino, now.st_size, now.st_mode)
        && (seen.st_mtime, seen.st_mtime_nsec) == (now.st_mtime, now.st_mtime_nsec)
        && (seen.st_ctime, seen.st_ctime_nsec) == (now.st_ctime, now.st_ctime_nsec)
}
