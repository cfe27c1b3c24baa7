//! Files and folders reached without following a single link, so that what is opened is what was judged, whatever
//! anybody does to the folders meanwhile. Opens nothing but folders and ordinary files: no pipe can make it wait.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{
    Access, AtFlags, CWD, FileType, Mode, OFlags, Stat, accessat, fstat, mkdirat, openat, statat,
};
use rustix::io::Errno;

/// A folder on the way that need not be read.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ON_THE_WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ON_THE_WAY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);
const UNFOLLOWED: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// The folder at `path`, absolute and resolved.
pub(crate) fn folder(path: &Path) -> io::Result<OwnedFd> {
    walk(path, enter)
}

/// The same, making what is missing. Each folder that was made is told, outermost first.
pub(super) fn folder_made(path: &Path, mut made: impl FnMut(&Path)) -> io::Result<OwnedFd> {
    let mut here = std::path::PathBuf::from("/");
    walk(path, |at, name| {
        here.push(name);
        match enter(at, name) {
            Err(Errno::NOENT) => match mkdirat(at, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => {
                    made(&here);
                    enter(at, name)
                }
                Err(Errno::EXIST) => enter(at, name),
                Err(error) => Err(error),
            },
            other => other,
        }
    })
}

fn walk(
    path: &Path,
    mut step: impl FnMut(&OwnedFd, &Path) -> rustix::io::Result<OwnedFd>,
) -> io::Result<OwnedFd> {
    let mut parts = path.components();
    if parts.next() != Some(Component::RootDir) {
        return Err(Errno::INVAL.into());
    }
    let mut at = openat(CWD, "/", ON_THE_WAY | UNFOLLOWED, Mode::empty())?;
    for part in parts {
        match part {
            Component::Normal(name) => at = step(&at, Path::new(name))?,
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
                return Err(Errno::INVAL.into());
            }
        }
    }
    Ok(at)
}

fn enter(at: &OwnedFd, name: &Path) -> rustix::io::Result<OwnedFd> {
    match openat(at, name, ON_THE_WAY | UNFOLLOWED, Mode::empty()) {
        // A link where a folder was: told apart from an ordinary file there.
        Err(Errno::NOTDIR) if is_link(at, name) => Err(Errno::LOOP),
        other => other,
    }
}

fn is_link(at: &OwnedFd, name: &Path) -> bool {
    statat(at, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| kind(&stat) == FileType::Symlink)
}

/// The last name of `path`, and the folder that holds it.
pub(crate) fn split(path: &Path) -> io::Result<(&Path, &Path)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((parent, Path::new(name))),
        (None, _) | (_, None) => Err(Errno::ISDIR.into()),
    }
}

/// What stands at `path`, links not followed.
pub(super) fn look(path: &Path) -> io::Result<Stat> {
    match split(path) {
        Ok((parent, name)) => Ok(statat(folder(parent)?, name, AtFlags::SYMLINK_NOFOLLOW)?),
        Err(_) => Ok(fstat(folder(path)?)?),
    }
}

/// An ordinary file, opened to be read.
pub(crate) fn file(path: &Path) -> io::Result<(File, Stat)> {
    let (parent, name) = split(path)?;
    file_in(&folder(parent)?, name)
}

/// An ordinary file of a folder, opened to be read. It is looked at before it is opened, for opening alone can move a
/// device, and again when it is open.
pub(super) fn file_in(folder: &OwnedFd, name: &Path) -> io::Result<(File, Stat)> {
    plain(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | UNFOLLOWED;
    let file = openat(folder, name, flags, Mode::empty())?;
    let stat = fstat(&file)?;
    plain(&stat)?;
    Ok((file.into(), stat))
}

/// A folder opened to list what is in it.
pub(super) fn listing(path: &Path) -> io::Result<OwnedFd> {
    let way = folder(path)?;
    Ok(openat(&way, ".", OFlags::RDONLY | OFlags::DIRECTORY | UNFOLLOWED, Mode::empty())?)
}

/// Whether this user may write to a file of a folder. Where it cannot be told, the write itself will.
pub(super) fn may_write(folder: &OwnedFd, name: &Path) -> bool {
    !matches!(
        accessat(folder, name, Access::WRITE_OK, AtFlags::empty()),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS)
    )
}

pub(super) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

fn plain(stat: &Stat) -> io::Result<()> {
    match kind(stat) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(Errno::ISDIR.into()),
        FileType::Symlink => Err(Errno::LOOP.into()),
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Err(Errno::NXIO.into()),
    }
}
