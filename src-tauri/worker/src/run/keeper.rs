//! The process above the one that supervises. Should that one be killed, all that its command started comes here, for
//! this is the next subreaper above, and is ended: what made a session of its own too. Should that one be stopped, it
//! is woken. It holds none of the pipes, so that the engine hears of the other's end at once, and knows no orders.

use std::time::Duration;

use rustix::process::Pid;

use super::tree::{self, Spared, Tree};

/// Longest wait for what a killed supervisor left behind.
const SWEEP: Duration = Duration::from_secs(3);

/// Which of the two processes this is after [`split`].
pub(super) enum Side {
    Supervisor(Tree),
    /// It is over, with this exit code.
    Keeper(i32),
}

/// Goes on in a child, and stays above it until it ends. Where no child can be had, there is only the one process.
#[allow(unsafe_code)]
pub(super) fn split(tree: Tree) -> Side {
    if tree::become_subreaper().is_err() {
        return Side::Supervisor(tree);
    }
    // SAFETY: this process has one thread, so that nothing is held by another in the child.
    let child = unsafe { libc::fork() };
    match Pid::from_raw(child) {
        Some(child) if child.as_raw_nonzero().get() > 0 => Side::Keeper(keep(child, &tree)),
        Some(_) | None => Side::Supervisor(tree),
    }
}

fn keep(supervisor: Pid, tree: &Tree) -> i32 {
    let _ = rustix::thread::set_name(c"planwright-keep");
    let_go_of_pipes();
    let code = wait_for(supervisor);
    if !matches!(tree::reap(), tree::Reaped::NobodyLeft) || tree.is_populated() {
        tree.sweep(SWEEP, Spared::default());
    }
    code
}

#[allow(unsafe_code)]
fn let_go_of_pipes() {
    for fd in [libc::STDIN_FILENO, libc::STDOUT_FILENO] {
        // SAFETY: nothing in this process reads or writes them from here on.
        unsafe { libc::close(fd) };
    }
}

/// The exit code for both.
#[allow(unsafe_code)]
fn wait_for(supervisor: Pid) -> i32 {
    let pid = supervisor.as_raw_nonzero().get();
    loop {
        let mut status = 0;
        // SAFETY: `status` is a valid place for one int for the whole call.
        let waited = unsafe { libc::waitpid(pid, &raw mut status, libc::WUNTRACED) };
        if waited == pid && libc::WIFSTOPPED(status) {
            // A command may stop its parent. Nobody would hear a cancel then.
            let _ = rustix::process::kill_process(supervisor, rustix::process::Signal::CONT);
        } else if waited == pid {
            return if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1 };
        } else if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return 1;
        }
    }
}
