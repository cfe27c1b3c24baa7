//! One thread that owns a store and does what it is handed, in order. The engine's tasks wait without blocking.

use std::fs::File;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::error::stopped;
use super::store::Store;
use crate::protocol::{EngineError, ErrorCode};

/// Work that may wait in line before the askers do.
const WAITING: usize = 256;

type Job = Box<dyn FnOnce(&mut Store) + Send>;

#[derive(Debug)]
pub(super) struct Lane {
    /// `None` only while it is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Lane {
    /// `lock` is let go after the store is closed.
    pub(super) fn start(name: &str, store: Store, lock: Option<File>) -> Result<Self, EngineError> {
        let (jobs, mut inbox) = mpsc::channel::<Job>(WAITING);
        let work = move || {
            let mut store = store;
            // Beside whoever opens it; a disk without room for it is found out about here.
            store.take_reserve();
            let waker = Waker::from(Arc::new(Unpark(thread::current())));
            loop {
                match next(&mut inbox, store.lines.patience(), &waker) {
                    Next::Job(job) => job(&mut store),
                    Next::Nothing => catch_up(&mut store),
                    Next::End => break,
                }
            }
            catch_up(&mut store);
            drop(store);
            // Closing alone would not do: a process just being started holds a copy of the file until it runs.
            if let Some(lock) = lock
                && let Err(error) = lock.unlock()
            {
                tracing::error!(%error, "journal lock not released");
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|error| {
            EngineError::new(ErrorCode::Internal, format!("The journal could not be started: {error}."))
        })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Once handed over the work is done, also when the asker has gone away meanwhile.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |store| {
            // Nobody waiting is no failure.
            let _ = reply.send(work(store));
        });
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(job).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

enum Next {
    Job(Job),
    /// None came in time.
    Nothing,
    End,
}

/// The next job; waits no longer than `patience`, if there is one. With none left even what is there waits. `waker` wakes
/// this thread.
fn next(inbox: &mut mpsc::Receiver<Job>, patience: Option<Duration>, waker: &Waker) -> Next {
    let Some(patience) = patience else {
        return inbox.blocking_recv().map_or(Next::End, Next::Job);
    };
    let until = Instant::now() + patience;
    let mut job = pin!(inbox.recv());
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Next::Nothing;
        }
        match job.as_mut().poll(&mut Context::from_waker(waker)) {
            Poll::Ready(Some(job)) => return Next::Job(job),
            Poll::Ready(None) => return Next::End,
            Poll::Pending => thread::park_timeout(left),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn catch_up(store: &mut Store) {
    if let Err(error) = store.catch_up() {
        tracing::warn!(%error, "the list of sessions is behind");
    }
}

impl Drop for Lane {
    /// Waits for the work handed over, so that a folder can be opened again as soon as its journal is gone.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
