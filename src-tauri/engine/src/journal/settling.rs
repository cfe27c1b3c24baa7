//! A new database's way onto the disk. Making one safely step by step takes tens of milliseconds of a first start, and
//! until something was promised to survive a power cut there is nothing in it to lose: so it is written at once, synced
//! beside everything else, and only the first such promise waits for that.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

#[derive(Debug)]
pub(super) struct Settling {
    database: PathBuf,
    /// Whether it came onto the disk.
    under_way: Option<JoinHandle<bool>>,
}

impl Settling {
    /// Begins to sync the database and its place in its folder.
    pub(super) fn begin(database: &Path) -> Self {
        let path = database.to_owned();
        let work = move || {
            sync(&path)
                .inspect_err(|error| tracing::warn!(%error, "the new record is not on the disk yet"))
                .is_ok()
        };
        let under_way = thread::Builder::new().name("journal-settle".to_owned()).spawn(work).ok();
        Self { database: database.to_owned(), under_way }
    }

    pub(super) fn database(&self) -> &Path {
        &self.database
    }

    /// Returns when the database is on the disk.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match self.under_way.take().map(JoinHandle::join) {
            Some(Ok(true)) => Ok(()),
            Some(Ok(false) | Err(_)) | None => sync(&self.database),
        }
    }
}

fn sync(database: &Path) -> io::Result<()> {
    File::open(database)?.sync_all()?;
    // Windows opens no folders, and needs none synced.
    #[cfg(unix)]
    if let Some(folder) = database.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_done_or_says_why_not_and_can_be_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("database");
        let mut settling = Settling::begin(&database);
        assert_eq!(settling.finish().map_err(|error| error.kind()), Err(io::ErrorKind::NotFound));
        std::fs::write(&database, "there").unwrap();
        settling.finish().unwrap();
        Settling::begin(&database).finish().unwrap();
    }
}
