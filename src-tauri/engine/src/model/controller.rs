use tokio::sync::watch;

/// Ends a model's answer while it comes, and whatever else goes on for it, from anywhere: all clones are the same.
#[derive(Debug, Clone, Default)]
pub struct StreamController {
    aborted: watch::Sender<bool>,
}

impl StreamController {
    /// Ends all that has subscribed. Nothing waits for it to be gone.
    pub fn abort(&self) {
        self.aborted.send_replace(true);
    }

    pub fn is_aborted(&self) -> bool {
        *self.aborted.borrow()
    }

    /// What a stream listens to: it ends when this becomes true.
    pub fn subscribe(&self) -> watch::Receiver<bool> {
        self.aborted.subscribe()
    }

    /// What begins from now on goes on.
    pub fn renew(&self) {
        self.aborted.send_replace(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_abort_reaches_every_clone_and_whoever_listens() {
        let controller = StreamController::default();
        let (clone, mut heard) = (controller.clone(), controller.subscribe());
        assert!(!clone.is_aborted() && !*heard.borrow());
        clone.abort();
        assert!(controller.is_aborted());
        assert!(heard.wait_for(|aborted| *aborted).await.is_ok());
        // Who comes late hears of it too.
        assert!(*controller.subscribe().borrow());
        controller.renew();
        assert!(!clone.is_aborted());
        drop(clone);
        controller.abort();
        assert!(*heard.borrow());
    }
}
