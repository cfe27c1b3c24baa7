//! Writing to the store: for this user alone, and whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Called before each change on disk. In a test the program can end at any one: nothing is changed after it.
#[cfg(not(test))]
pub(super) fn change() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use super::tests::ending::change;

pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    change()?;
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

pub(super) fn new_private_file(path: &Path) -> io::Result<File> {
    change()?;
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Removes a file of the store's own that is of no use any more. One that stays is removed another time.
pub(super) fn forget(path: &Path) {
    if let Err(error) = change().and_then(|()| fs::remove_file(path))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("{} could not be removed: {error}", path.display());
    }
}

/// Replaces the file at once; `synced`: also across a power cut.
pub(super) fn write_json<T: Serialize>(path: &Path, value: &T, synced: bool) -> io::Result<()> {
    let partial = path.with_extension("part");
    forget(&partial);
    let written = || {
        let mut file = io::BufWriter::new(new_private_file(&partial)?);
        change()?;
        serde_json::to_writer(&mut file, value)?;
        file.flush()?;
        if synced {
            file.get_ref().sync_all()?;
        }
        change()?;
        fs::rename(&partial, path)?;
        if synced && let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    };
    written().inspect_err(|_| forget(&partial))
}

/// `None` when there is none.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(target_os = "linux")]
pub(super) fn sync_file_system(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn sync_file_system(_folder: &Path) -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}
