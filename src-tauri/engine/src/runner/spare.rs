//! Worker processes before they have orders. One is kept started ahead, so that a command need not wait for its worker
//! to load. A spare knows nothing: command, folder and environment come with the orders, so that one that waited is no
//! different from a fresh one. It ends with its stdin, and so with this program, however that ends.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// A spare that nobody needed for this long is let go.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// Where workers come from. Clones share the spare, which ends with the last of them.
#[derive(Debug, Clone)]
pub(super) struct Workers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    program: PathBuf,
    idle: Duration,
    spare: Mutex<Option<Spare>>,
}

impl Workers {
    pub(super) fn new(program: PathBuf) -> Self {
        Self::with_idle(program, IDLE)
    }

    pub(super) fn with_idle(program: PathBuf, idle: Duration) -> Self {
        Self(Arc::new(Inner { program, idle, spare: Mutex::default() }))
    }

    pub(super) fn program(&self) -> &Path {
        &self.0.program
    }

    /// Gives the orders to the spare, or to a fresh worker where there is none or it has died. Blocks.
    pub(super) fn order(&self, orders: &[u8]) -> Result<Link, OrderError> {
        // Orders that could not be sent whole are not followed, so they can be given again.
        if let Some(link) = self.take_spare().and_then(|waiting| waiting.order(orders).ok()) {
            return Ok(link);
        }
        let waiting = Waiting::start(&self.0.program).map_err(OrderError::Start)?;
        waiting.order(orders).map_err(OrderError::Send)
    }

    /// Starts a spare unless there is one. Returns at once.
    pub(super) fn replenish(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        let inner = Arc::downgrade(&self.0);
        runtime.spawn_blocking(move || {
            if let Some(inner) = inner.upgrade() {
                Self(inner).keep_spare();
            }
        });
    }

    fn keep_spare(&self) {
        let mut place = self.place();
        if place.is_some() {
            return;
        }
        let waiting = match Waiting::start(&self.0.program) {
            Ok(waiting) => waiting,
            Err(error) => {
                // The next command starts its own, and says what is wrong.
                tracing::debug!(%error, "no spare worker");
                return;
            }
        };
        let (inner, pid, idle) = (Arc::downgrade(&self.0), waiting.child.id(), self.0.idle);
        let retirement = tokio::spawn(async move {
            tokio::time::sleep(idle).await;
            if let Some(inner) = inner.upgrade() {
                Self(inner).retire(pid);
            }
        });
        *place = Some(Spare { waiting: Some(waiting), retirement: retirement.abort_handle() });
    }

    fn retire(&self, pid: u32) {
        let mut place = self.place();
        if place.as_ref().and_then(Spare::pid) == Some(pid) {
            *place = None;
        }
    }

    /// The spare, when it is still alive.
    fn take_spare(&self) -> Option<Waiting> {
        let mut waiting = self.place().take()?.waiting.take()?;
        matches!(waiting.child.try_wait(), Ok(None)).then_some(waiting)
    }

    fn place(&self) -> MutexGuard<'_, Option<Spare>> {
        self.0.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn spare_pid(&self) -> Option<u32> {
        self.place().as_ref().and_then(Spare::pid)
    }
}

#[derive(Debug)]
pub(super) enum OrderError {
    Start(io::Error),
    Send(io::Error),
}

#[derive(Debug)]
struct Spare {
    /// `None` once it was taken.
    waiting: Option<Waiting>,
    retirement: AbortHandle,
}

impl Spare {
    fn pid(&self) -> Option<u32> {
        self.waiting.as_ref().map(|waiting| waiting.child.id())
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        self.retirement.abort();
        if let Some(mut waiting) = self.waiting.take() {
            // It has nothing to see to an end; killed, it is waited for only a moment.
            let _ = waiting.child.kill();
            let _ = waiting.child.wait();
        }
    }
}

/// Waits, beside everything else, for the end of a worker that is done.
pub(super) fn see_off(mut child: Child) {
    match Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn_blocking(move || child.wait())),
        Err(_) => drop(child.wait()),
    }
}

/// A worker that waits for orders.
#[derive(Debug)]
struct Waiting {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

/// A worker that has its orders.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) child: Child,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

impl Waiting {
    fn start(program: &Path) -> io::Result<Self> {
        let mut child = Command::new(program)
            .arg("run")
            .env_clear()
            .current_dir("/")
            // Not in the terminal's group: Ctrl-C there is for the engine, which then cancels in order.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Self { child, stdin, stdout }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn order(self, orders: &[u8]) -> io::Result<Link> {
        let Self { mut child, mut stdin, stdout } = self;
        match stdin.write_all(orders) {
            Ok(()) => Ok(Link { child, stdin, stdout }),
            Err(error) => {
                drop((stdin, stdout));
                let _ = child.wait();
                Err(error)
            }
        }
    }
}
