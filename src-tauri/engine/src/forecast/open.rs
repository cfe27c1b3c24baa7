//! The forecasts of the questions that are open now, in memory only. A question that is settled takes its forecast with
//! it, and with that the sandbox, if it still runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::{Sandbox, Trial};
use crate::protocol::{ApprovalId, Forecast};

/// Sandboxes at the same time; each may take a processor for its seconds.
const AT_ONCE: usize = 2;
/// What the question has ahead of them: the processors draw it first.
const HEAD_START: Duration = Duration::from_millis(150);

type Open = Arc<Mutex<HashMap<ApprovalId, Forecast>>>;

#[derive(Debug, Clone)]
pub(crate) struct Forecasts {
    sandbox: Sandbox,
    open: Open,
    turns: Arc<Semaphore>,
}

/// A question's forecast. Dropping it ends the sandbox and forgets what came of it.
#[derive(Debug)]
pub(crate) struct Foretelling {
    id: ApprovalId,
    open: Open,
    task: Option<AbortHandle>,
}

impl Forecasts {
    pub(crate) fn new(sandbox: Sandbox) -> Self {
        Self { sandbox, open: Open::default(), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    pub(crate) fn of(&self, id: ApprovalId) -> Option<Forecast> {
        locked(&self.open).get(&id).cloned()
    }

    /// Tries the command of a question in the background, and tells each change; `notes` are added to what comes of it.
    /// Returns at once, and tells nothing once the question is settled.
    pub(crate) fn begin(
        &self,
        id: ApprovalId,
        trial: Trial,
        notes: Vec<String>,
        tell: impl Fn(Forecast) + Send + 'static,
    ) -> Foretelling {
        let mut foretelling = self.settled(id, Forecast::Running, &tell);
        let (sandbox, turns, open) = (self.sandbox.clone(), Arc::clone(&self.turns), Arc::clone(&self.open));
        let task = tokio::spawn(async move {
            sleep(HEAD_START).await;
            let turn = turns.acquire().await;
            let mut forecast = sandbox.forecast(&trial).await;
            drop(turn);
            if let Forecast::Made { notes: made, .. } = &mut forecast {
                made.extend(notes);
            }
            // Under the lock, so that a question which is settled meanwhile hears nothing more.
            if let Some(known) = locked(&open).get_mut(&id) {
                known.clone_from(&forecast);
                tell(forecast);
            }
        });
        foretelling.task = Some(task.abort_handle());
        foretelling
    }

    /// A forecast that is known without trying.
    pub(crate) fn settled(
        &self,
        id: ApprovalId,
        forecast: Forecast,
        tell: &impl Fn(Forecast),
    ) -> Foretelling {
        locked(&self.open).insert(id, forecast.clone());
        tell(forecast);
        Foretelling { id, open: Arc::clone(&self.open), task: None }
    }
}

impl Drop for Foretelling {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
        locked(&self.open).remove(&self.id);
    }
}

fn locked(open: &Open) -> MutexGuard<'_, HashMap<ApprovalId, Forecast>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
