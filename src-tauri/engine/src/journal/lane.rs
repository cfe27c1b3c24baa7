//! One thread that owns a store and does what it is handed, in order. The engine's tasks wait without blocking.

use std::fs::File;
use std::thread::{self, JoinHandle};

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
            while let Some(job) = inbox.blocking_recv() {
                job(&mut store);
            }
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

impl Drop for Lane {
    /// Waits for the work handed over, so that a folder can be opened again as soon as its journal is gone.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
