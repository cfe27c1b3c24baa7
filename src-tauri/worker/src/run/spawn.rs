//! Starts a program as a child, from its first moment on in a control group where there is one: moved there later it
//! could have started others by then, and the move itself can take many milliseconds.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;

use super::terminal::Terminal;

/// Start of a process in the group of a descriptor (Linux 5.7).
const INTO_GROUP: u64 = 0x2_0000_0000;

/// Where a program's two outputs go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outputs<'a> {
    /// A pipe for each.
    Apart,
    /// One pipe for both.
    Together,
    /// A terminal, which is its input as well.
    Terminal(&'a Terminal),
}

/// A program under way.
#[derive(Debug)]
pub(super) struct Spawned {
    pub(super) pid: Pid,
    /// A pipe's end, or the terminal's: what is written to that is typed.
    pub(super) stdout: File,
    /// `None`: it goes where stdout goes.
    pub(super) stderr: Option<File>,
}

/// What `outputs` does not say is as `command` says. For a process with one thread.
#[allow(unsafe_code)]
pub(super) fn spawn(
    mut command: Command,
    outputs: Outputs<'_>,
    group: Option<BorrowedFd<'_>>,
) -> io::Result<Spawned> {
    let (stdout, its_stdout) = match outputs {
        Outputs::Apart | Outputs::Together => pipe()?,
        Outputs::Terminal(terminal) => terminal.ends()?,
    };
    let (stderr, its_stderr) = match outputs {
        Outputs::Together | Outputs::Terminal(_) => (None, its_stdout.try_clone()?),
        Outputs::Apart => {
            let (stderr, its_stderr) = pipe()?;
            (Some(stderr), its_stderr)
        }
    };
    if matches!(outputs, Outputs::Terminal(_)) {
        command.stdin(its_stdout.try_clone()?);
    }
    // Closed by a start that succeeds; one that does not writes down why.
    let (fault, its_fault) = pipe()?;
    command.stdout(its_stdout).stderr(its_stderr);
    // SAFETY: this process has one thread, so the child may go on in ordinary code until it becomes the program.
    let Some(pid) = (unsafe { fork_into(group) })? else {
        let error = command.exec();
        let number = error.raw_os_error().unwrap_or(libc::EINVAL);
        let _ = File::from(its_fault).write_all(&number.to_ne_bytes());
        // SAFETY: ends this process without running anything that belongs to its parent.
        unsafe { libc::_exit(127) }
    };
    drop((command, its_fault));
    let mut number = [0; 4];
    match File::from(fault).read_exact(&mut number) {
        Err(_) => Ok(Spawned { pid, stdout: stdout.into(), stderr: stderr.map(File::from) }),
        Ok(()) => {
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
            Err(io::Error::from_raw_os_error(i32::from_ne_bytes(number)))
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// The child's number; `None` in the child.
///
/// # Safety
/// This process must have one thread.
#[allow(unsafe_code)]
unsafe fn fork_into(group: Option<BorrowedFd<'_>>) -> io::Result<Option<Pid>> {
    let pid = match group {
        // SAFETY: a fork, as the caller may.
        None => i64::from(unsafe { libc::fork() }),
        Some(group) => {
            // flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup
            let arguments: [u64; 11] =
                [INTO_GROUP, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0, 0, 0, group.as_raw_fd() as u64];
            // SAFETY: the arguments outlive the call; without a stack of its own this is a fork, as the caller may.
            unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) }
        }
    };
    match pid {
        0 => Ok(None),
        1.. => Ok(i32::try_from(pid).ok().and_then(Pid::from_raw)),
        ..0 => Err(io::Error::last_os_error()),
    }
}
