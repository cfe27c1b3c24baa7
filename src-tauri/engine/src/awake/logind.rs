//! logind's inhibitor locks, asked for over the system bus. The lock is a file descriptor: logind holds the other end, and
//! sees it closed when the process is gone.

use async_trait::async_trait;
use zbus::zvariant::OwnedFd;

use super::{Lock, NotHeld, Wakefulness};

#[zbus::proxy(
    interface = "org.freedesktop.login1.Manager",
    default_service = "org.freedesktop.login1",
    default_path = "/org/freedesktop/login1",
    gen_blocking = false
)]
trait Manager {
    fn inhibit(&self, what: &str, who: &str, why: &str, mode: &str) -> zbus::Result<OwnedFd>;
}

#[derive(Debug)]
pub(super) struct Logind;

/// Only held: closing it is what gives the lock up.
#[derive(Debug)]
struct Inhibitor(#[allow(dead_code)] OwnedFd);

impl Lock for Inhibitor {}

#[async_trait]
impl Wakefulness for Logind {
    async fn keep_awake(&self) -> Result<Box<dyn Lock>, NotHeld> {
        // A connection for this call alone: the lock outlives it, and nothing is left that could wake up.
        let held = async {
            let bus = zbus::Connection::system().await?;
            ManagerProxy::new(&bus)
                .await?
                .inhibit("idle:sleep", "Planwright", "It works on a task", "block")
                .await
        };
        match held.await {
            Ok(descriptor) => Ok(Box::new(Inhibitor(descriptor))),
            Err(error) => Err(NotHeld::Refused(error.to_string())),
        }
    }
}
