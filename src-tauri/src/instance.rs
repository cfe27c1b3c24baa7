//! One window per data folder. The first one holds a lock in it and listens on a socket beside; a second one asks the
//! first to come to the front and ends. It needs no session bus, and a lock that a killed window left is nobody's.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

const LOCK: &str = "window.lock";
const SOCKET: &str = "window.sock";
const FRONT: &[u8] = b"front\n";
const DONE: &[u8] = b"done\n";
/// A window that is just starting listens within this; one that was killed has let go of its lock.
const PATIENCE: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(50);

/// What a start found.
#[derive(Debug)]
pub(crate) enum Start {
    First(First),
    /// The first one has come to the front.
    Second,
    /// There is a first one, and it does not answer.
    Unanswered,
}

/// The only window of the data folder, as long as this lives.
#[derive(Debug)]
pub(crate) struct First {
    /// None where the folder cannot be written: then the engine says so in the window.
    _lock: Option<File>,
    listener: Option<UnixListener>,
}

pub(crate) fn start(home: &Path) -> Start {
    let end = Instant::now() + PATIENCE;
    let lock = match open_lock(home) {
        Ok(lock) => lock,
        Err(error) => return first_of(None, Err(error)),
    };
    loop {
        match lock.try_lock() {
            Ok(()) => return first_of(Some(lock), listen(home)),
            Err(TryLockError::Error(error)) => return first_of(None, Err(error)),
            Err(TryLockError::WouldBlock) if is_brought_to_front(home) => return Start::Second,
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(AGAIN),
            Err(TryLockError::WouldBlock) => return Start::Unanswered,
        }
    }
}

impl First {
    /// Calls `front` for each start after this one, until the program ends. It says whether there is a window: after it
    /// was closed the program has a little to do still, and the next start waits for that and opens its own.
    pub(crate) fn listen(&self, front: impl Fn() -> bool + Send + 'static) {
        let Some(listener) = self.listener.as_ref().and_then(|listener| listener.try_clone().ok()) else {
            return;
        };
        let serve = move || {
            for caller in listener.incoming().flatten() {
                // Whoever hangs up early has no answer, and that is all.
                drop(answer(caller, &front));
            }
        };
        if let Err(error) = thread::Builder::new().name("window-instance".to_owned()).spawn(serve) {
            tracing::warn!("a second start will not find this window: {error}");
        }
    }
}

fn first_of(lock: Option<File>, listener: io::Result<UnixListener>) -> Start {
    let listener = listener
        .inspect_err(|error| tracing::warn!("a second start will not find this window: {error}"))
        .ok();
    Start::First(First { _lock: lock, listener })
}

fn open_lock(home: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(home)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).open(home.join(LOCK))
}

/// Only for whoever holds the lock: what lies there is a dead window's.
fn listen(home: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(home.join(SOCKET)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    at_socket(home, |path| UnixListener::bind(path))
}

fn is_brought_to_front(home: &Path) -> bool {
    let ask = |path: &Path| {
        let mut first = UnixStream::connect(path)?;
        first.set_read_timeout(Some(PATIENCE))?;
        first.write_all(FRONT)?;
        let mut said = [0; DONE.len()];
        first.read_exact(&mut said)?;
        Ok(said == DONE)
    };
    at_socket(home, ask).unwrap_or(false)
}

fn answer(mut caller: UnixStream, front: &impl Fn() -> bool) -> io::Result<()> {
    caller.set_read_timeout(Some(PATIENCE))?;
    let mut said = [0; FRONT.len()];
    caller.read_exact(&mut said)?;
    if said == FRONT && front() {
        caller.write_all(DONE)?;
    }
    Ok(())
}

/// The name of a socket is short, the path of a data folder may be long: on Linux it is named by way of the open folder.
fn at_socket<T>(home: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = File::open(home)?;
    let by_folder = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    if by_folder.exists() { act(&by_folder.join(SOCKET)) } else { act(&home.join(SOCKET)) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn first(home: &Path) -> First {
        match start(home) {
            Start::First(first) => first,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_second_start_brings_the_first_to_the_front() {
        let folder = tempfile::tempdir().unwrap();
        // Longer than the name of a socket may be.
        let home = folder.path().join("long".repeat(40));
        let window = first(&home);
        let (sender, fronts) = channel();
        window.listen(move || sender.send(()).is_ok());
        for _ in 0..3 {
            assert!(matches!(start(&home), Start::Second));
            fronts.recv_timeout(PATIENCE).unwrap();
        }
        assert!(fronts.try_recv().is_err(), "once each");
        assert!(matches!(start(folder.path()), Start::First(_)), "another folder is another window's");
    }

    #[test]
    fn a_start_waits_for_a_first_one_that_is_just_starting() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let lock = open_lock(&home).unwrap();
        lock.lock().unwrap();
        let second = thread::spawn(move || start(&home));
        thread::sleep(Duration::from_millis(200));
        let window = First { _lock: Some(lock), listener: Some(listen(folder.path()).unwrap()) };
        window.listen(|| true);
        assert!(matches!(second.join().unwrap(), Start::Second));
    }

    #[test]
    fn a_start_waits_for_one_that_is_just_ending() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let window = first(&home);
        window.listen(|| false);
        let second = thread::spawn(move || start(&home));
        thread::sleep(Duration::from_millis(200));
        drop(window);
        assert!(matches!(second.join().unwrap(), Start::First(_)));
    }

    #[test]
    fn what_a_dead_window_left_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        drop(first(folder.path()));
        assert!(folder.path().join(SOCKET).exists());
        let window = first(folder.path());
        window.listen(|| true);
        assert!(matches!(start(folder.path()), Start::Second));
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_left_for_the_window_to_say() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(matches!(
            start(&folder.path().join("file/home")),
            Start::First(First { listener: None, .. })
        ));
    }
}
