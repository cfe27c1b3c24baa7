//! Supervises one command at a time: reads its orders on stdin, runs it in bash in a session of its own, streams frames
//! on stdout until every descendant is gone. Before and between commands it waits for orders, which carry all that a
//! command starts from: nothing of this process's own folder or environment reaches it, nor anything of the command
//! before. After one that did not end by itself and leave nothing behind it ends too.
//! End of file on stdin means that the engine died: everything is killed. It never decides whether a command may run.

mod bash;
mod frames;
mod supervisor;
mod tree;

use frames::{Frame, Outbox};
use serde::Deserialize;
use supervisor::{EngineGone, Ready, Supervisor};

use crate::orders::{self, Stdin};

pub(crate) use bash::program as bash_program;

type Orders = orders::Orders<Spec>;

/// What to run, as the engine writes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    command: String,
    cwd: String,
    /// Bash text that restores umask, variables and functions.
    restore: String,
    wall_millis: u64,
    silence_millis: u64,
    /// Both streams through one pipe, as stdout.
    #[serde(default)]
    one_pipe: bool,
}

/// Returns the exit code: 0 when the engine heard everything, or had nothing to say.
pub(crate) fn main() -> i32 {
    // Always before the orders are there, so that none of it takes time of a command's.
    let mut ready = Ready::new();
    loop {
        let orders = match orders::read(&mut Stdin) {
            Ok(Some(orders)) => orders,
            Ok(None) => return 0,
            Err(message) => return fail(message),
        };
        let supervisor = match ready.and_then(|ready| Supervisor::start(ready, &orders)) {
            Ok(supervisor) => supervisor,
            Err(message) => return fail(message),
        };
        match supervisor.run() {
            Ok(Some(buffer)) => ready = Ready::again(buffer),
            Ok(None) => return 0,
            Err(EngineGone) => return 1,
        }
    }
}

fn fail(message: String) -> i32 {
    let mut outbox = Outbox::default();
    outbox.frame(&Frame::Failed { message });
    i32::from(outbox.send_all().is_err())
}
