//! Tries one command out where it can do no harm: on overlays over the files, with no network, no devices, no other
//! processes and no rights. Says which files it created, changed and deleted there; its output is thrown away.
//!
//! Three processes: this one makes the room, waits, and looks at what was left; `init` is the first process of the
//! room's process namespace, so that its end is the end of all others; bash is its child. The end of stdin means that
//! nobody wants to know any more, or that the engine died: all of it ends at once.

mod confine;
mod diff;
mod init;
mod names;
mod place;
mod room;
mod syscalls;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde::{Deserialize, Serialize};

use crate::orders::{self, Stdin};
use init::Ending;
use room::Room;

type Orders = orders::Orders<Spec>;

/// What to try, as the engine writes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    command: String,
    /// Where it runs.
    cwd: String,
    /// The session's folder.
    workspace: String,
    home: String,
    /// Bash text that restores umask, variables and functions.
    restore: String,
    wall_millis: u64,
}

/// What the engine hears: its `protocol::Forecast` without the first state.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Answer {
    Made {
        files: Vec<diff::Found>,
        more: u32,
        exit_status: Option<i32>,
        milliseconds: u32,
        notes: Vec<String>,
    },
    Unavailable {
        why: String,
    },
}

/// Returns the exit code: 0 when the engine heard the answer, or wanted none.
pub(crate) fn main() -> i32 {
    let answer = match orders::read(&mut Stdin) {
        Ok(Some(orders)) if !orders.behind.is_empty() => return 0,
        Ok(Some(orders)) => match forecast(&orders) {
            Ok(Some(answer)) => answer,
            Ok(None) => return 0,
            Err(why) => Answer::Unavailable { why },
        },
        Ok(None) => return 0,
        Err(why) => Answer::Unavailable { why },
    };
    let sent = serde_json::to_vec(&answer)
        .map_err(std::io::Error::from)
        .and_then(|text| std::io::stdout().write_all(&text));
    i32::from(sent.is_err())
}

/// `None` when nobody waits for it any more.
fn forecast(orders: &Orders) -> Result<Option<Answer>, String> {
    let spec = &orders.spec;
    let mut place = place::find(&spec.workspace, &spec.home)?;
    let as_root = rustix::process::geteuid().is_root();
    let room = Room::make(&place.folders, &spec.restore)?;
    let started = Instant::now();
    let Some(ending) = try_out(orders, &room)? else { return Ok(None) };
    let milliseconds = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);

    let mut notes = Vec::new();
    let mut exit_status = None;
    match ending {
        Ending::Exited { status } => exit_status = Some(status),
        Ending::TimedOut => {
            let seconds = spec.wall_millis.div_ceil(1000);
            notes.push(format!("It was stopped after {seconds} seconds; it may do more."));
        }
        Ending::TooMany => {
            let most = init::PROCESSES;
            notes.push(format!("It was stopped because it started more than {most} processes."));
        }
        Ending::TooLarge => notes.push("It was stopped because it needed too much memory.".to_owned()),
        Ending::NotStarted { why } => return Err(why),
    }
    if room.is_full() {
        notes.push("It needed more room than a forecast has, so part of it is missing.".to_owned());
    }
    if as_root {
        notes.push("It was tried without administrator rights, so what needs them is missing.".to_owned());
    }
    notes.append(&mut place.notes);
    let mut seen = diff::Seen::default();
    for layer in room.layers() {
        diff::look(&layer, &mut seen).map_err(|error| format!("What it did could not be read: {error}."))?;
    }
    notes.append(&mut seen.notes);
    let (files, more) = seen.into_shallowest();
    Ok(Some(Answer::Made { files, more, exit_status, milliseconds, notes }))
}

/// Runs it, and returns when every process of it is gone. `None` when nobody waits for it any more.
fn try_out(orders: &Orders, room: &Room) -> Result<Option<Ending>, String> {
    let limit = Duration::from_millis(orders.spec.wall_millis);
    let until = Instant::now() + limit;
    let (init, mut told) = init::start(orders, room)?;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = left.try_into().map_err(|error| broken(&error))?;
        let stdin = std::io::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&told, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => {
                end(init);
                return Err(broken(&error));
            }
            Ok(_) => {}
        }
        let (asked_to_end, has_told) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
        if asked_to_end {
            end(init);
            return Ok(None);
        }
        if has_told {
            let mut text = Vec::new();
            let read = told.read_to_end(&mut text);
            end(init);
            read.map_err(|error| broken(&error))?;
            return serde_json::from_slice(&text).map(Some).map_err(|error| broken(&error));
        }
        if left.is_zero() {
            end(init);
            return Ok(Some(Ending::TimedOut));
        }
    }
}

/// Ends the first process of the namespace, and with it all others: the kernel lets this wait return only after them.
fn end(init: Pid) {
    let _ = kill_process(init, Signal::KILL);
    while let Err(rustix::io::Errno::INTR) = waitpid(Some(init), WaitOptions::empty()) {}
}

fn broken(error: &dyn std::fmt::Display) -> String {
    format!("The sandbox broke off: {error}.")
}
