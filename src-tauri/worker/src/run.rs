//! Supervises one command: reads its orders on stdin, runs it in bash in a session of its own, streams frames on stdout,
//! and ends only when every descendant is gone. Started ahead of time it waits for the orders, which carry all that the
//! command starts from: nothing of this process's own folder or environment reaches it.
//! End of file on stdin means that the engine died: everything is killed. It never decides whether a command may run.

mod bash;
mod frames;
mod orders;
mod supervisor;
mod tree;

use frames::{Frame, Outbox};
use supervisor::{Ready, Supervisor};

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

/// Unbuffered: what comes behind the orders is for the supervisor.
struct Stdin;

impl std::io::Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        Ok(rustix::io::read(std::io::stdin(), buffer)?)
    }
}
