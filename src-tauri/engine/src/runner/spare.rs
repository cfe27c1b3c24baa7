//! Worker processes between commands. One that has seen its command to a plain end waits for the next, so that a command
//! need not wait for its worker to load. It knows nothing: command, folder and environment come with the orders, so that
//! one that waited is no different from a fresh one. It ends with its stdin, and so with this program, however that ends.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Weak;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::scope::Scopes;

/// A spare that nobody needed for this long is let go.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// Where workers come from. Clones share the spare, which ends with the last of them.
#[derive(Debug, Clone)]
pub(super) struct Workers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    program: PathBuf,
    idle: Duration,
    scopes: Scopes,
    place: Mutex<Place>,
}

/// Where a worker waits.
#[derive(Debug, Default)]
struct Place {
    spare: Option<Spare>,
    /// Lets a spare go that nobody needs; there while one may be here.
    retirement: Option<AbortHandle>,
}

impl Workers {
    pub(super) fn new(program: PathBuf) -> Self {
        Self::with_idle(program, IDLE)
    }

    pub(super) fn with_idle(program: PathBuf, idle: Duration) -> Self {
        Self::with_scopes(program, idle, Scopes::of_this_machine())
    }

    pub(super) fn with_scopes(program: PathBuf, idle: Duration, scopes: Scopes) -> Self {
        Self(Arc::new(Inner { program, idle, scopes, place: Mutex::default() }))
    }

    /// A worker could not have a control group by itself: tries, beside everything else and once, whether the user's
    /// systemd gives one to those that are started from now on.
    pub(super) fn want_groups(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        if self.0.scopes.begin_trial() {
            let inner = Arc::clone(&self.0);
            runtime.spawn_blocking(move || inner.scopes.try_out(&inner.program));
        }
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
        let waiting = self.0.start().map_err(OrderError::Start)?;
        waiting.order(orders).map_err(OrderError::Send)
    }

    /// Has a worker whose command is gone wait for the next. Where another waits already, it ends.
    pub(super) fn take_back(&self, child: Child, stdin: ChildStdin, stdout: ChildStdout) {
        let mut place = self.place();
        if place.spare.is_some() {
            drop((stdin, stdout));
            see_off(child);
        } else {
            self.keep(&mut place, Waiting { child, stdin, stdout });
        }
    }

    /// Starts a spare unless there is one. Returns at once.
    pub(super) fn replenish(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        let inner = Arc::downgrade(&self.0);
        runtime.spawn_blocking(move || {
            let Some(workers) = inner.upgrade().map(Self) else { return };
            let mut place = workers.place();
            if place.spare.is_some() {
                return;
            }
            match workers.0.start() {
                Ok(waiting) => workers.keep(&mut place, waiting),
                // The next command starts its own, and says what is wrong.
                Err(error) => tracing::debug!(%error, "no spare worker"),
            }
        });
    }

    fn keep(&self, place: &mut Place, waiting: Waiting) {
        place.spare = Some(Spare { waiting: Some(waiting), since: Instant::now() });
        if place.retirement.is_none()
            && let Ok(runtime) = Handle::try_current()
        {
            let retirement = runtime.spawn(retire_idle(Arc::downgrade(&self.0)));
            place.retirement = Some(retirement.abort_handle());
        }
    }

    /// The spare, when it is still alive.
    fn take_spare(&self) -> Option<Waiting> {
        let mut waiting = self.place().spare.take()?.waiting.take()?;
        waiting.is_alive().then_some(waiting)
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.0.place()
    }

    #[cfg(test)]
    pub(super) fn spare_pid(&self) -> Option<u32> {
        self.place().spare.as_ref()?.waiting.as_ref().map(|waiting| waiting.child.id())
    }
}

impl Inner {
    fn start(&self) -> io::Result<Waiting> {
        Waiting::start(self.scopes.command(&self.program))
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the spare go when it has waited too long. Returns when to look again; `None` when there is none.
    fn retire(&self) -> Option<Duration> {
        let mut place = self.place();
        let left = place.spare.as_ref().map(|spare| self.idle.saturating_sub(spare.since.elapsed()));
        let left = left.filter(|left| !left.is_zero());
        if left.is_none() {
            *place = Place::default();
        }
        left
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(retirement) = self.place().retirement.take() {
            retirement.abort();
        }
    }
}

async fn retire_idle(inner: Weak<Inner>) {
    while let Some(left) = inner.upgrade().and_then(|inner| inner.retire()) {
        tokio::time::sleep(left).await;
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
    since: Instant,
}

impl Drop for Spare {
    fn drop(&mut self) {
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
pub(super) struct Waiting {
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
    fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command
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

    pub(super) fn of(child: Child, stdin: ChildStdin, stdout: ChildStdout) -> Self {
        Self { child, stdin, stdout }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// It ends what it holds with its stdin. Blocks until it has.
    pub(super) fn end(mut self) {
        drop((self.stdin, self.stdout));
        let _ = self.child.wait();
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub(super) fn order(self, orders: &[u8]) -> io::Result<Link> {
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

/// The hold on a worker while its command runs. Dropped, the worker ends all that it runs.
#[derive(Debug)]
pub(super) struct Reins(Mutex<Held>);

#[derive(Debug)]
enum Held {
    Free(ChildStdin),
    /// Told to end.
    Cancelled(ChildStdin),
    /// The command is gone, and its worker elsewhere.
    Taken,
}

impl Reins {
    pub(super) fn new(stdin: ChildStdin) -> Self {
        Self(Mutex::new(Held::Free(stdin)))
    }

    /// Tells the worker to end its command, unless that is gone already.
    pub(super) fn cancel(&self) {
        let mut held = self.held();
        *held = match std::mem::replace(&mut *held, Held::Taken) {
            Held::Free(mut stdin) => {
                // A worker that is gone needs no telling.
                let _ = stdin.write_all(b"cancel\n");
                Held::Cancelled(stdin)
            }
            other @ (Held::Cancelled(_) | Held::Taken) => other,
        };
    }

    /// Tells the worker what is done at its command's terminal. False when the command is gone or was told to end.
    pub(super) fn tell(&self, words: &[u8]) -> bool {
        match &mut *self.held() {
            // The worker always listens, so this does not wait for the command.
            Held::Free(stdin) => stdin.write_all(words).is_ok(),
            Held::Cancelled(_) | Held::Taken => false,
        }
    }

    /// For the next command.
    pub(super) fn take(&self) -> Option<ChildStdin> {
        match std::mem::replace(&mut *self.held(), Held::Taken) {
            Held::Free(stdin) | Held::Cancelled(stdin) => Some(stdin),
            Held::Taken => None,
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
