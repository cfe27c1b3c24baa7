//! The contents that are kept, each once, named by its hash. Never changes one that is there; a content is whole before
//! it has its name.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, fstat, openat, statat};
use sha2::{Digest, Sha256};

use super::disk::{self, private_folder};
use super::entry::{Entry, Hash, Kind};
use crate::redact::Redactor;
use crate::tools::reach;

/// More new contents than this are synced with their whole file system at once.
const FEW: usize = 64;

#[derive(Debug)]
pub(super) struct Objects {
    folder: PathBuf,
    held: HashSet<Hash>,
    /// Bytes in the store.
    pub(super) bytes: u64,
    /// Written since the last [`Self::sync`].
    unsynced: Vec<PathBuf>,
    /// Knows what must not be in the store.
    redactor: Redactor,
}

/// What became of a content that was to be kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Kept(Hash),
    /// It is hashed, and not in the store: there is no room for it under the cap.
    OverCap(Hash),
    /// It is hashed, and not in the store: a secret is in it.
    Secret(Hash),
    /// It cannot be read, or it changes all the time.
    Unread,
}

impl Objects {
    pub(super) fn open(folder: PathBuf, redactor: Redactor) -> io::Result<Self> {
        private_folder(&folder)?;
        let (mut bytes, mut held) = (0, HashSet::new());
        for part in fs::read_dir(&folder)? {
            for object in fs::read_dir(part?.path())?.flatten() {
                // A content that was not whole when the program ended.
                if object.path().extension().is_some() {
                    disk::forget(&object.path());
                    continue;
                }
                held.insert(Hash(object.file_name().to_string_lossy().into_owned()));
                bytes += object.metadata().map_or(0, |data| data.len());
            }
        }
        Ok(Self { folder, held, bytes, unsynced: Vec::new(), redactor })
    }

    fn place(&self, hash: &Hash) -> PathBuf {
        self.folder.join(hash.0.get(..2).unwrap_or("--")).join(&hash.0)
    }

    pub(super) fn has(&self, hash: &Hash) -> bool {
        self.held.contains(hash)
    }

    pub(super) fn read(&self, hash: &Hash) -> io::Result<File> {
        File::open(self.place(hash))
    }

    /// Keeps the content of an ordinary file in `parent`, unless the store would grow beyond `cap`.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(super) fn take(
        &mut self,
        parent: &impl std::os::fd::AsFd,
        path: &Path,
        cap: u64,
    ) -> io::Result<Taken> {
        // Twice: whoever writes to it just now may be done then.
        for _ in 0..2 {
            let Some((mut file, before)) = open_plain(parent, path) else { return Ok(Taken::Unread) };
            let room = self.bytes.saturating_add(before.st_size as u64) <= cap;
            // Looked through before a byte of it is written.
            let Ok(is_secret) = self.redactor.withholds(&mut file) else { return Ok(Taken::Unread) };
            file.rewind()?;
            let taken = if is_secret {
                hash_of(&mut file).map(Taken::Secret)
            } else if room {
                self.copy(&mut file)?
            } else {
                hash_of(&mut file).map(Taken::OverCap)
            };
            let Some(taken) = taken else { return Ok(Taken::Unread) };
            let after = fstat(&file)?;
            let same = (before.st_ctime, before.st_ctime_nsec, before.st_size)
                == (after.st_ctime, after.st_ctime_nsec, after.st_size);
            if same {
                return Ok(taken);
            }
        }
        Ok(Taken::Unread)
    }

    fn copy(&mut self, file: &mut File) -> io::Result<Option<Taken>> {
        let partial = self.folder.join("--");
        private_folder(&partial)?;
        let partial = partial.join(format!("{}.part", uuid::Uuid::now_v7()));
        let mut to = disk::new_private_file(&partial)?;
        let hash = if clone_of(&to, file) {
            hash_of(&mut File::open(&partial)?)
        } else {
            copy_and_hash(file, &mut to)?
        };
        let Some(hash) = hash else {
            disk::forget(&partial);
            return Ok(None);
        };
        let place = self.place(&hash);
        if self.has(&hash) {
            disk::forget(&partial);
            return Ok(Some(Taken::Kept(hash)));
        }
        private_folder(place.parent().unwrap_or(&self.folder))?;
        let len = to.metadata()?.len();
        fs::rename(&partial, &place).inspect_err(|_| disk::forget(&partial))?;
        self.bytes += len;
        self.unsynced.push(place);
        self.held.insert(hash.clone());
        Ok(Some(Taken::Kept(hash)))
    }

    /// What was taken so far survives a power cut from here on.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if self.unsynced.len() > FEW {
            disk::sync_file_system(&self.folder)?;
        } else {
            for place in &self.unsynced {
                File::open(place)?.sync_all()?;
                if let Some(parent) = place.parent() {
                    File::open(parent)?.sync_all()?;
                }
            }
        }
        self.unsynced.clear();
        Ok(())
    }
}

/// The hash of an ordinary file's content as it is now; `None` when it cannot be read.
pub(super) fn hash_at(parent: &impl std::os::fd::AsFd, path: &Path) -> Option<Hash> {
    hash_of(&mut open_plain(parent, path)?.0)
}

/// Looks, with attributes and hash, as a manifest would that keeps contents up to `limit` bytes.
pub(super) fn look_with_hash(path: &Path, limit: u64) -> io::Result<Option<Entry>> {
    let mut found = Entry::look_whole(path)?;
    if let Some(Entry { kind: Kind::File { len, hash }, .. }) = &mut found
        && *len <= limit
    {
        let (parent, _) = reach::split(path)?;
        *hash = hash_at(&reach::folder(parent)?, path);
    }
    Ok(found)
}

fn open_plain(parent: &impl std::os::fd::AsFd, path: &Path) -> Option<(File, rustix::fs::Stat)> {
    let (_, last) = reach::split(path).ok()?;
    let is_file = |stat: &rustix::fs::Stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
    // Looked at before it is opened: opening alone can move a device.
    statat(parent, last, AtFlags::SYMLINK_NOFOLLOW).ok().filter(is_file)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(openat(parent, last, flags, Mode::empty()).ok()?);
    let stat = fstat(&file).ok().filter(is_file)?;
    Some((file, stat))
}

fn hash_of(file: &mut File) -> Option<Hash> {
    copy_and_hash(file, &mut io::sink()).ok().flatten()
}

/// `None` when the source cannot be read; an error when the copy cannot be written.
fn copy_and_hash(from: &mut File, to: &mut impl Write) -> io::Result<Option<Hash>> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(None),
        };
        hash.update(&buffer[..read]);
        to.write_all(&buffer[..read])?;
    }
    Ok(Some(Hash(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())))
}

/// Shares the blocks where the file system can.
#[cfg(target_os = "linux")]
pub(super) fn clone_of(to: &File, from: &File) -> bool {
    rustix::fs::ioctl_ficlone(to, from).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn clone_of(_to: &File, _from: &File) -> bool {
    false
}
