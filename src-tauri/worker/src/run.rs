//! Supervises one command: reads its orders on stdin, runs it in bash in a session of its own, streams frames on stdout,
//! and ends only when every descendant is gone. Started ahead of time it waits for the orders, which carry all that the
//! command starts from: nothing of this process's own folder or environment reaches it.
//! End of file on stdin means that the engine died: everything is killed. It never decides whether a command may run.

mod bash;
mod frames;
mod supervisor;
mod tree;

use frames::{Frame, Outbox};
use serde::Deserialize;
use supervisor::{Ready, Supervisor};

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
}

/// Returns the exit code: 0 when the engine heard everything, or had nothing to say.
pub(crate) fn main() -> i32 {
    // Before the orders are there, so that none of it takes time of a command's.
    let ready = Ready::new();
    let outbox = Outbox::default();
    let orders = match orders::read(&mut Stdin) {
        Ok(Some(orders)) => orders,
        Ok(None) => return 0,
        Err(message) => return fail(outbox, message),
    };
    match ready.and_then(|ready| Supervisor::start(ready, &orders)) {
        Ok(supervisor) => supervisor.run(outbox),
        Err(message) => fail(outbox, message),
    }
}

fn fail(mut outbox: Outbox, message: String) -> i32 {
    outbox.frame(&Frame::Failed { message });
    i32::from(outbox.send_all().is_err())
}
