//! The first process of the room's process namespace: moves into the room, starts bash, and watches over how much it
//! takes. When it ends, the kernel ends every other process in there, wherever it hid.

use std::fs;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::process::{Pid, Signal, WaitOptions, pivot_root, set_parent_process_death_signal, wait};
use rustix::thread::UnshareFlags;
use serde::{Deserialize, Serialize};

use super::confine::confine;
use super::room::{PROLOGUE, ROOT, Room};
use super::{Orders, syscalls};
use crate::run::bash_program;

/// Processes at the same time.
pub(super) const PROCESSES: usize = 64;
/// Bytes of memory of all processes together.
const MEMORY: u64 = 1024 * 1024 * 1024;
const LOOK: Duration = Duration::from_millis(10);

/// How a try ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Ending {
    /// As bash says it: 128 and the signal's number where one ended it.
    Exited {
        status: i32,
    },
    TimedOut,
    TooMany,
    TooLarge,
    /// In words for people.
    NotStarted {
        why: String,
    },
}

/// Starts it. How it ends is told through the pipe; then, or when this process ends, it ends.
pub(super) fn start(orders: &Orders, room: &Room) -> Result<(Pid, PipeReader), String> {
    let not_started = |error: &io::Error| format!("The sandbox could not be started: {error}.");
    let (told, mut tells) = io::pipe().map_err(|error| not_started(&error))?;
    match syscalls::fork().map_err(|error| not_started(&error))? {
        Some(pid) => Ok((pid, told)),
        None => {
            drop(told);
            let ending = live(orders, room, &tells).unwrap_or_else(|error| Ending::NotStarted {
                why: format!("The sandbox could not be entered: {error}."),
            });
            let text = serde_json::to_vec(&ending).unwrap_or_default();
            // Whoever does not hear it sees the pipe end.
            let _ = tells.write_all(&text);
            std::process::exit(0)
        }
    }
}

fn live(orders: &Orders, room: &Room, tells: &PipeWriter) -> io::Result<Ending> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    move_in()?;
    match spawn(orders, room) {
        Ok(bash) => watch(&bash, tells),
        Err(error) => Ok(Ending::NotStarted { why: format!("The command could not be tried out: {error}.") }),
    }
}

/// Makes the room the whole world of this process and its children.
fn move_in() -> io::Result<()> {
    // The process outside keeps its own view, to look at the layers afterwards.
    syscalls::unshare(UnshareFlags::NEWNS)?;
    std::env::set_current_dir(ROOT)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    std::env::set_current_dir("/")?;
    // Read-only, for a root without any rights is still the owner of the kernel's settings in there.
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    Ok(())
}

/// As the runner does it.
fn spawn(orders: &Orders, room: &Room) -> io::Result<Child> {
    let written: Vec<PathBuf> =
        ["/dev", "/proc", "/run"].iter().map(PathBuf::from).chain(room.folders().iter().cloned()).collect();
    let mut bash = Command::new(bash_program(&orders.environment));
    bash.arg0("bash").args(["--noprofile", "--norc", "+O", "extglob", "-c", &orders.spec.command]);
    bash.env_clear().envs(orders.environment.iter().map(|(name, value)| (name, value)));
    bash.env("BASH_ENV", PROLOGUE).current_dir(&orders.spec.cwd);
    bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    start_confined(&mut bash, written)
}

#[allow(unsafe_code)]
fn start_confined(bash: &mut Command, written: Vec<PathBuf>) -> io::Result<Child> {
    // SAFETY: this process has one thread, so what runs between fork and exec may do whatever this may.
    unsafe { bash.pre_exec(move || confine(&written)) };
    bash.spawn()
}

/// Reaps whoever ends until bash does, and looks now and then whether all of them take too much.
fn watch(bash: &Child, tells: &PipeWriter) -> io::Result<Ending> {
    let bash = i32::try_from(bash.id()).map_err(io::Error::other)?;
    loop {
        while let Some((pid, status)) = reaped()? {
            if pid == bash {
                let signal = status.signal().map(|signal| 128 + signal);
                return Ok(Ending::Exited { status: status.code().or(signal).unwrap_or(1) });
            }
        }
        let (processes, memory) = taken();
        if processes > PROCESSES {
            return Ok(Ending::TooMany);
        }
        if memory > MEMORY {
            return Ok(Ending::TooLarge);
        }
        // The other end goes with the process outside.
        let mut ends = [PollFd::new(tells, PollFlags::empty())];
        let timeout = LOOK.try_into().map_err(io::Error::other)?;
        if matches!(poll(&mut ends, Some(&timeout)), Ok(1..)) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
    }
}

fn reaped() -> io::Result<Option<(i32, ExitStatus)>> {
    match wait(WaitOptions::NOHANG) {
        Ok(Some((pid, status))) => {
            Ok(Some((pid.as_raw_nonzero().get(), ExitStatus::from_raw(status.as_raw()))))
        }
        Ok(None) | Err(rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Processes in here, this one not counted, and the bytes of memory that they have.
fn taken() -> (usize, u64) {
    let page = rustix::param::page_size() as u64;
    let Ok(entries) = fs::read_dir("/proc") else { return (0, 0) };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let resident = |pid: u32| -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        text.split(' ').nth(1)?.parse().ok()
    };
    let pages = pids.filter(|pid| *pid != 1).map(|pid| resident(pid).unwrap_or(0));
    pages.fold((0, 0), |(processes, bytes), pages| (processes + 1, bytes + pages * page))
}
