//! Room for the last words, so that when the disk is full what has already happened can still be written down, and that
//! the run pauses because of it. Two of it: the log of the database has room of its own ahead of its end, where the system
//! can give that; nobody else gets it. And a file that does nothing but take up space, which is given up when that is not
//! enough; whatever fills the disk may be there first. Both are made again when there is room.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::open::private_file;

/// Enough for the ends of some steps with all the output that a result holds. In bytes.
const SIZE: u64 = 2 * 1024 * 1024;

/// For so long nobody looks again whether the disk still has room, unless much is written meanwhile: asking the system for
/// each of a thousand events a second would cost as much as a page of each.
const UNWATCHED: Duration = Duration::from_millis(20);

/// Text that is written without looking again, in bytes: far less than the log has ahead.
const UNWATCHED_TEXT: usize = 64 * 1024;

/// Clones are about the same file and know the same of it.
#[derive(Debug, Clone)]
pub(super) struct Reserve {
    path: PathBuf,
    log: PathBuf,
    /// How far the log has room, in bytes from its beginning.
    ahead: Arc<AtomicU64>,
    short: Arc<AtomicBool>,
    /// When this one looked last, and the text written since.
    watched: Option<(Instant, usize)>,
}

impl Reserve {
    /// `log`: what the database writes first.
    pub(super) fn of(home: &Path, log: PathBuf) -> Self {
        Self {
            path: home.join("journal.reserve"),
            log,
            ahead: Arc::default(),
            short: Arc::default(),
            watched: None,
        }
    }

    /// Whether the reserve was used up, or could not be made.
    pub(super) fn is_short(&self) -> bool {
        self.short.load(Ordering::Relaxed)
    }

    /// Takes the room where it is to be had. `true`: it is there, and as much again for whatever comes first.
    pub(super) fn take(&self) -> bool {
        let kept = self.go_ahead()
            && (self.path.metadata().is_ok_and(|file| file.len() == SIZE) || self.make().is_ok())
            && is_free(&self.path);
        self.short.store(!kept, Ordering::Relaxed);
        kept
    }

    /// Text of so many bytes was written: the log keeps its room ahead, and a disk that is about to be full is noticed while
    /// there is room for what that leads to.
    pub(super) fn keep(&mut self, written: usize) {
        if let Some((looked, text)) = &mut self.watched {
            *text += written;
            if *text < UNWATCHED_TEXT && looked.elapsed() < UNWATCHED {
                return;
            }
        }
        self.watched = Some((Instant::now(), 0));
        if !self.go_ahead() || !is_free(&self.path) {
            self.fall_short();
        }
    }

    /// Sees to it that the log has room ahead of its end. `true`, too, where the system cannot give any.
    fn go_ahead(&self) -> bool {
        let Ok(length) = self.log.metadata().map(|log| log.len()) else { return true };
        if length + SIZE / 2 <= self.ahead.load(Ordering::Relaxed) {
            return true;
        }
        match reach(&self.log, length, SIZE) {
            Ok(()) => {
                self.ahead.store(length + SIZE, Ordering::Relaxed);
                true
            }
            Err(error) => !matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded),
        }
    }

    /// Something else found the disk full.
    pub(super) fn fall_short(&self) {
        self.short.store(true, Ordering::Relaxed);
    }

    /// Gives the room up for what must be written now. `false`: there was none left to give.
    pub(super) fn give_up(&self) -> bool {
        self.short.store(true, Ordering::Relaxed);
        std::fs::remove_file(&self.path).is_ok()
    }

    /// A file that is there by its length alone would be no room at all: every byte is.
    fn make(&self) -> io::Result<()> {
        let made = private_file(&self.path).and_then(|file| occupy(&file));
        if made.is_err() {
            // Half a reserve only takes what others need.
            drop(std::fs::remove_file(&self.path));
        }
        made
    }
}

/// Gives a file room behind its end without making it longer.
#[cfg(target_os = "linux")]
fn reach(file: &Path, end: u64, size: u64) -> io::Result<()> {
    let file = File::options().write(true).open(file)?;
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, end, size)?)
}

#[cfg(not(target_os = "linux"))]
fn reach(_: &Path, _: u64, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the disk has room besides the reserve. Where that cannot be asked, writing will tell.
fn is_free(path: &Path) -> bool {
    #[cfg(unix)]
    if let Some(disk) = path.parent().and_then(|folder| rustix::fs::statvfs(folder).ok()) {
        return disk.f_bavail.saturating_mul(disk.f_frsize) >= SIZE;
    }
    true
}

fn occupy(file: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, SIZE).is_ok() {
        return Ok(());
    }
    file.set_len(0)?;
    let mut file = file;
    let piece = [0_u8; 64 * 1024];
    for _ in 0..SIZE / piece.len() as u64 {
        file.write_all(&piece)?;
    }
    Ok(())
}
