//! Keeps the machine awake while something is worked on that does not wait for the user. One lock for all sessions, held by
//! this process and by nothing else: it goes when the last work ends, and with the process, however that ends.
//!
//! While all that is left waits for the user the lock is given up: an answer can be given after the machine has slept as well
//! as before, and a laptop that waits all night is empty in the morning.

#[cfg(target_os = "linux")]
mod logind;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;

use crate::attention::Attention;
use crate::protocol::Settings;

/// Whoever can keep a machine awake.
#[async_trait]
pub trait Wakefulness: Debug + Send + Sync {
    /// Keeps it awake until the lock is dropped.
    ///
    /// # Errors
    /// Why it cannot be, for the log.
    async fn keep_awake(&self) -> Result<Box<dyn Lock>, NotHeld>;
}

/// Held while it lives. The system gives it up with the process, whatever becomes of that.
pub trait Lock: Debug + Send {}

/// Why the machine cannot be kept awake.
#[derive(Debug, thiserror::Error)]
pub enum NotHeld {
    #[error("this system has nothing here that could be asked")]
    Unsupported,
    #[error("it did not answer in time")]
    Silent,
    #[error("{0}")]
    Refused(String),
}

/// What this machine has for it.
pub fn of_this_machine() -> Arc<dyn Wakefulness> {
    #[cfg(target_os = "linux")]
    return Arc::new(logind::Logind);
    #[cfg(not(target_os = "linux"))]
    return Arc::new(Nothing);
}

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct Nothing;

#[cfg(not(target_os = "linux"))]
#[async_trait]
impl Wakefulness for Nothing {
    async fn keep_awake(&self) -> Result<Box<dyn Lock>, NotHeld> {
        Err(NotHeld::Unsupported)
    }
}

/// Somebody who was asked and says nothing is not waited for any longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Holds the lock while anything works and the settings want it. Ends, and gives the lock up, with the engine. Nothing waits
/// for it.
pub(crate) async fn hold(
    wakefulness: Arc<dyn Wakefulness>,
    mut attention: watch::Receiver<Attention>,
    mut settings: watch::Receiver<Settings>,
) {
    let mut lock: Option<Box<dyn Lock>> = None;
    // One that was refused is not asked for again before the next work, and is told of once.
    let (mut refused, mut told) = (false, false);
    loop {
        if !(attention.borrow_and_update().works() && settings.borrow_and_update().keep_awake) {
            lock = None;
            refused = false;
        } else if lock.is_none() && !refused {
            let asked = tokio::time::timeout(PATIENCE, wakefulness.keep_awake());
            match asked.await.unwrap_or(Err(NotHeld::Silent)) {
                // The work may be over by now; the state is looked at again before anything is waited for.
                Ok(held) => lock = Some(held),
                Err(why) => {
                    refused = true;
                    if !std::mem::replace(&mut told, true) {
                        tracing::info!("the machine is not kept awake while something runs: {why}");
                    }
                }
            }
        }
        let changed = tokio::select! {
            changed = attention.changed() => changed,
            changed = settings.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
    }
}
