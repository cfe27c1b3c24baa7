//! What asks for the user's attention, for whoever shows it, and the lock that follows it.

use std::sync::Arc;

use tokio::sync::watch;

use super::Engine;
use crate::attention::Attention;
use crate::awake::{self, Wakefulness};
use crate::protocol::{SessionId, Settings};

impl Engine {
    /// What asks for the user's attention, over all sessions, now and whenever it changes.
    pub fn attention(&self) -> watch::Receiver<Attention> {
        self.shared.attention.watch()
    }

    /// The settings, now and whenever they change.
    pub fn watch_settings(&self) -> watch::Receiver<Settings> {
        self.shared.settings.subscribe()
    }

    /// Somebody has looked at the session, so that its end is news no longer.
    pub fn seen(&self, id: SessionId) {
        self.shared.attention.seen(id);
    }

    /// From now on the machine is kept awake while something works, as far as the settings want it and `wakefulness` can.
    /// Returns at once.
    pub fn keep_awake(&self, wakefulness: Arc<dyn Wakefulness>) {
        tokio::spawn(awake::hold(wakefulness, self.attention(), self.watch_settings()));
    }
}
