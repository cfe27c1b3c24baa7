//! Starts a program as a child, from its first moment on in a control group where there is one: moved there later it
//! could have started others by then, and the move itself can take many milliseconds. It has a session of its own, and
//! ends with this process.

use std::ffi::{CString, OsStr, OsString, c_char};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, getppid, ioctl_tiocsctty, set_parent_process_death_signal, setsid,
    waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::clone;
use super::terminal::Terminal;

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

/// What is to run: with no other variables than are given, and without an input unless it has a terminal.
#[derive(Debug)]
pub(super) struct Program {
    path: CString,
    arguments: Vec<CString>,
    variables: Vec<CString>,
}

impl Program {
    /// `arguments` begin with the name that it is called by. Fails where one of them holds a NUL, as none can.
    pub(super) fn new<'a>(path: &Path, arguments: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        let arguments: Result<_, _> = arguments.into_iter().map(CString::new).collect();
        Ok(Self {
            path: CString::new(path.as_os_str().as_bytes())?,
            arguments: arguments?,
            variables: Vec::new(),
        })
    }

    pub(super) fn variable(&mut self, name: &OsStr, value: &OsStr) -> io::Result<()> {
        let mut variable = OsString::with_capacity(name.len() + value.len() + 2);
        variable.extend([name, "=".as_ref(), value]);
        self.variables.push(CString::new(variable.into_vec())?);
        Ok(())
    }
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

/// For a process with one thread.
#[allow(unsafe_code)]
pub(super) fn spawn(
    program: &Program,
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
    let in_terminal = matches!(outputs, Outputs::Terminal(_));
    let its_stdin = if in_terminal { its_stdout.try_clone()? } else { File::open("/dev/null")?.into() };
    // Closed by a start that succeeds; one that does not writes down why.
    let (fault, its_fault) = pipe()?;
    let start = Start {
        path: program.path.as_ptr(),
        arguments: pointers(&program.arguments),
        variables: pointers(&program.variables),
        stdin: its_stdin.as_fd(),
        stdout: its_stdout.as_fd(),
        stderr: its_stderr.as_fd(),
        fault: its_fault.as_fd(),
        in_terminal,
        parent: getpid(),
    };
    // SAFETY: this process has one thread, and `live` ends as it should.
    let pid = unsafe { clone::child(live, &start, group) }?;
    drop(its_fault);
    let mut number = [0; 4];
    match File::from(fault).read_exact(&mut number) {
        Err(_) => Ok(Spawned { pid, stdout: stdout.into(), stderr: stderr.map(File::from) }),
        Ok(()) => {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            Err(io::Error::from_raw_os_error(i32::from_ne_bytes(number)))
        }
    }
}

/// Reading and writing end, neither of which a program inherits.
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// With the null pointer behind them that C expects.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}

/// All that a child needs on its way to the program, so that it allocates nothing.
struct Start<'a> {
    path: *const c_char,
    arguments: Vec<*const c_char>,
    variables: Vec<*const c_char>,
    stdin: BorrowedFd<'a>,
    stdout: BorrowedFd<'a>,
    stderr: BorrowedFd<'a>,
    /// Where it says why it could not.
    fault: BorrowedFd<'a>,
    in_terminal: bool,
    parent: Pid,
}

#[allow(unsafe_code)]
extern "C" fn live(start: &Start<'_>) -> ! {
    let error = start.stand_alone().err().unwrap_or_else(|| start.become_program());
    let _ = rustix::io::write(start.fault, &error.raw_os_error().to_ne_bytes());
    // SAFETY: ends this process without running anything that belongs to its parent.
    unsafe { libc::_exit(127) }
}

impl Start<'_> {
    /// A session of its own, that ends with the worker; with the terminal at its input as the session's.
    #[allow(unsafe_code)]
    fn stand_alone(&self) -> rustix::io::Result<()> {
        dup2_stdin(self.stdin)?;
        dup2_stdout(self.stdout)?;
        dup2_stderr(self.stderr)?;
        // SAFETY: sets what a signal does to this process alone. Rust ignores it, which a program would inherit.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        setsid()?;
        if self.in_terminal {
            ioctl_tiocsctty(rustix::stdio::stdin())?;
        }
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The worker may have died before the line above.
        if getppid() == Some(self.parent) { Ok(()) } else { Err(Errno::PIPE) }
    }

    /// Returns only why it could not.
    #[allow(unsafe_code)]
    fn become_program(&self) -> Errno {
        // SAFETY: all three point to texts that end with NUL, and the lists with a null pointer.
        unsafe { libc::execve(self.path, self.arguments.as_ptr(), self.variables.as_ptr()) };
        Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL)
    }
}
