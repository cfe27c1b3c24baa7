//! One name in a folder that was reached without following a link, and what can be done to it: each either whole or not
//! at all. Nothing here decides.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, Uid, XattrFlags, chownat, linkat,
    mkdirat, openat, removexattr, renameat, setxattr, symlinkat, unlinkat, utimensat,
};

use super::disk::change;
use super::entry::{Entry, Kind, read_attributes};
use super::objects::clone_of;
use crate::tools::reach;

#[derive(Debug)]
pub(super) struct Spot {
    at: OwnedFd,
    path: PathBuf,
}

impl Spot {
    pub(super) fn reach(path: &Path) -> io::Result<Self> {
        let (parent, _) = reach::split(path)?;
        Ok(Self { at: reach::folder(parent)?, path: path.to_owned() })
    }

    /// Another name in the same folder.
    pub(super) fn beside(&self, name: &str) -> io::Result<Self> {
        Ok(Self { at: self.at.try_clone()?, path: self.path.with_file_name(name) })
    }

    fn name(&self) -> &Path {
        self.path.file_name().map_or(Path::new("."), Path::new)
    }

    /// As it is, without attributes and hash.
    pub(super) fn look(&self) -> io::Result<Option<Entry>> {
        Entry::look(&self.at, &self.path)
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        change()?;
        Ok(unlinkat(&self.at, self.name(), AtFlags::empty())?)
    }

    pub(super) fn remove_folder(&self) -> io::Result<()> {
        change()?;
        Ok(unlinkat(&self.at, self.name(), AtFlags::REMOVEDIR)?)
    }

    pub(super) fn make_folder(&self) -> io::Result<()> {
        change()?;
        Ok(mkdirat(&self.at, self.name(), Mode::RWXU)?)
    }

    pub(super) fn make_link(&self, to: &Path) -> io::Result<()> {
        change()?;
        Ok(symlinkat(to, &self.at, self.name())?)
    }

    pub(super) fn rename_to(&self, other: &Self) -> io::Result<()> {
        change()?;
        Ok(renameat(&self.at, self.name(), &other.at, other.name())?)
    }

    /// A second name of the same file; a link is not followed.
    pub(super) fn link_to(&self, other: &Self) -> io::Result<()> {
        change()?;
        Ok(linkat(&self.at, self.name(), &other.at, other.name(), AtFlags::empty())?)
    }

    pub(super) fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.at, self.name(), flags, Mode::empty())?.into())
    }

    /// A new file with this content, for this user alone as yet.
    pub(super) fn make_file(&self, content: &mut File, synced: bool) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        change()?;
        let mut to = File::from(openat(&self.at, self.name(), flags, Mode::RUSR | Mode::WUSR)?);
        change()?;
        if !clone_of(&to, content) {
            io::copy(content, &mut to)?;
        }
        if synced { to.sync_data() } else { Ok(()) }
    }

    /// Other content in the same file, which keeps all its names.
    pub(super) fn rewrite(&self, content: &mut File) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || openat(&self.at, self.name(), flags, Mode::empty());
        let opened = match open() {
            Err(rustix::io::Errno::ACCESS) => {
                // The mode is put back afterwards, with all other metadata.
                self.set_mode(0o600)?;
                open()?
            }
            other => other?,
        };
        let mut to = File::from(opened);
        change()?;
        to.set_len(0)?;
        change()?;
        io::copy(content, &mut to)?;
        to.sync_data()
    }

    /// Owner, mode, attributes and time; what is so already is not touched.
    pub(super) fn put_metadata(&self, want: &Entry) -> io::Result<()> {
        let Some(now) = self.look()? else { return Err(io::ErrorKind::NotFound.into()) };
        if (now.uid, now.gid) != (want.uid, want.gid) {
            let (uid, gid) = (Uid::from_raw(want.uid), Gid::from_raw(want.gid));
            change()?;
            chownat(&self.at, self.name(), Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        if matches!(now.kind, Kind::File { .. } | Kind::Folder { .. }) {
            // A change of owner takes bits away.
            if now.mode != want.mode || now.uid != want.uid || now.gid != want.gid {
                self.set_mode(want.mode)?;
            }
            self.put_attributes(&now, want)?;
        }
        if now.modified == want.modified { Ok(()) } else { self.put_time(want) }
    }

    pub(super) fn attributes(&self, found: &Entry) -> BTreeMap<Vec<u8>, Vec<u8>> {
        read_attributes(&self.path, &found.kind)
    }

    pub(super) fn put_time(&self, want: &Entry) -> io::Result<()> {
        let times = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: want.modified.0, tv_nsec: want.modified.1.into() },
        };
        change()?;
        Ok(utimensat(&self.at, self.name(), &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    fn put_attributes(&self, now: &Entry, want: &Entry) -> io::Result<()> {
        let there = read_attributes(&self.path, &now.kind);
        if there == want.attributes {
            return Ok(());
        }
        let (_held, itself) = self.itself()?;
        for name in there.keys().filter(|name| !want.attributes.contains_key(*name)) {
            change()?;
            optional(name, removexattr(&itself, std::ffi::OsStr::from_bytes(name)))?;
        }
        for (name, value) in want.attributes.iter().filter(|(name, value)| there.get(*name) != Some(value)) {
            change()?;
            let set = setxattr(&itself, std::ffi::OsStr::from_bytes(name), value, XattrFlags::empty());
            optional(name, set)?;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn set_mode(&self, mode: u32) -> io::Result<()> {
        let (_held, itself) = self.itself()?;
        change()?;
        Ok(rustix::fs::chmod(&itself, Mode::from_raw_mode(mode))?)
    }

    #[cfg(not(target_os = "linux"))]
    fn set_mode(&self, mode: u32) -> io::Result<()> {
        change()?;
        let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
        Ok(rustix::fs::chmodat(&self.at, self.name(), mode, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// A path that leads to this very file, whatever becomes of its name, for as long as the first part is held.
    #[cfg(target_os = "linux")]
    fn itself(&self) -> io::Result<(OwnedFd, PathBuf)> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let held = openat(&self.at, self.name(), flags, Mode::empty())?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
        Ok((held, path))
    }

    #[cfg(not(target_os = "linux"))]
    fn itself(&self) -> io::Result<(OwnedFd, PathBuf)> {
        Ok((
            openat(&self.at, self.name(), OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())?,
            self.path.clone(),
        ))
    }
}

/// What the system alone may set is its own business.
fn optional(name: &[u8], done: rustix::io::Result<()>) -> io::Result<()> {
    match done {
        Err(_) if name.starts_with(b"security.") || name.starts_with(b"trusted.") => Ok(()),
        other => Ok(other?),
    }
}

/// A name of the store's own.
pub(super) fn own(path: PathBuf) -> io::Result<Spot> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Spot { at: openat(CWD, parent, flags, Mode::empty())?, path })
}
