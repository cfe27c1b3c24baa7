use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;

use crate::protocol::Update;

/// Live output that a slow subscriber may have waiting, in batches; beyond it output is left out, events never are.
const OUTPUT_WAITING: usize = 512;

/// Hands updates to every subscriber, in order. An event reaches each of them; live output only those that keep up.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    subscribers: Mutex<Vec<Subscriber>>,
}

#[derive(Debug)]
struct Subscriber {
    sender: mpsc::UnboundedSender<Update>,
    waiting: Arc<AtomicUsize>,
}

/// A subscription. Dropping it ends it.
#[derive(Debug)]
pub struct Updates {
    receiver: mpsc::UnboundedReceiver<Update>,
    waiting: Arc<AtomicUsize>,
}

impl Hub {
    pub(crate) fn subscribe(&self) -> Updates {
        let (sender, receiver) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        self.lock().push(Subscriber { sender, waiting: Arc::clone(&waiting) });
        Updates { receiver, waiting }
    }

    pub(crate) fn has_subscribers(&self) -> bool {
        !self.lock().is_empty()
    }

    pub(crate) fn publish(&self, update: Update) {
        let is_output = matches!(update, Update::Output { .. });
        self.lock().retain(|subscriber| {
            if is_output && subscriber.waiting.load(Ordering::Relaxed) >= OUTPUT_WAITING {
                return !subscriber.sender.is_closed();
            }
            subscriber.waiting.fetch_add(1, Ordering::Relaxed);
            subscriber.sender.send(update.clone()).is_ok()
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Subscriber>> {
        self.subscribers.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Updates {
    /// The next update; `None` when the engine is gone.
    pub async fn next(&mut self) -> Option<Update> {
        let update = self.receiver.recv().await?;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(update)
    }

    /// An update that is there already.
    pub fn try_next(&mut self) -> Option<Update> {
        let update = self.receiver.try_recv().ok()?;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(update)
    }
}
