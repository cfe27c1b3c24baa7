//! Supervises one command at a time: reads its orders on stdin, runs it in bash in a session of its own, streams frames
//! on stdout until every descendant is gone. Before and between commands it waits for orders, which carry all that a
//! command starts from: nothing of this process's own folder or environment reaches it, nor anything of the command
//! before. After one that did not end by itself and leave nothing behind it ends too.
//! End of file on stdin means that the engine died: everything is killed. It never decides whether a command may run.

mod bash;
mod frames;
mod orders;
mod supervisor;
mod tree;

use frames::{Frame, Outbox};
use supervisor::{EngineGone, Ready, Supervisor};

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

/// Unbuffered: what comes behind the orders is for the supervisor.
struct Stdin;

impl std::io::Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        Ok(rustix::io::read(std::io::stdin(), buffer)?)
    }
}
