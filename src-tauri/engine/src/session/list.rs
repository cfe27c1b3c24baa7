//! Tells subscribers the list of sessions when a line in it reads differently: beside the session's work, which never
//! waits for it, and only as it is by then, however often it changed meanwhile: ten times a second at most, for all of it is
//! read for that.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Shared;
use crate::protocol::Update;

/// From one telling to the next.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct SessionList {
    changed: watch::Sender<()>,
    telling: JoinHandle<()>,
}

impl SessionList {
    pub(super) fn of(shared: Arc<Shared>) -> Self {
        let (changed, told) = watch::channel(());
        Self { changed, telling: tokio::spawn(tell(shared, told)) }
    }

    pub(super) fn changed(&self) {
        self.changed.send_replace(());
    }

    /// Tells what is still to be told. The journal is not held any longer than that.
    pub(super) async fn finish(self) {
        drop(self.changed);
        // It has nothing to return; one that broke off has logged why.
        drop(self.telling.await);
    }
}

async fn tell(shared: Arc<Shared>, mut told: watch::Receiver<()>) {
    while told.changed().await.is_ok() {
        match shared.journal.sessions("").await {
            Ok(sessions) => shared.hub.publish(Update::Sessions { sessions }),
            Err(error) => tracing::error!("the list of sessions could not be read: {error}"),
        }
        // Over at once when the session is.
        drop(timeout(PAUSE, told.clone().wait_for(|()| false)).await);
    }
}
