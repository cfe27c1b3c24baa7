//! What is done when the worker itself was killed. The process above it ends what is left; should that one be killed in
//! the same moment, the command's control group is ended from here, and what its shell had started is found by its
//! session. Only where there is no group, processes that made a session of their own cannot be told from others then.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// Kills all that is in the group, and takes the group away.
pub(super) fn end_group(group: &Path) {
    let kill = OpenOptions::new().write(true).open(group.join("cgroup.kill"));
    if let Err(error) = kill.and_then(|mut kill| kill.write_all(b"1")) {
        if error.kind() != std::io::ErrorKind::NotFound {
            tracing::warn!(%error, "a lost command's group could not be ended");
        }
        return;
    }
    // Those that were killed leave it one after another.
    for _ in 0..100 {
        if std::fs::remove_dir(group).is_ok() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Kills every process of the session that `leader` made.
pub(super) fn end_session(leader: i32) {
    // A few rounds, for one may fork while the list is read.
    for _ in 0..5 {
        let members = members(leader);
        if members.is_empty() {
            return;
        }
        for pid in members {
            // One that is gone by now is what was wanted.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn members(session: i32) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| session_of(*pid) == Some(session))
        .filter_map(Pid::from_raw)
        .collect()
}

/// The session of a process that is not dead yet.
fn session_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // state ppid pgrp session, after the name in parentheses, which may hold anything.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let alive = !matches!(fields.next()?, "Z" | "X");
    let session = fields.nth(2)?.parse().ok()?;
    alive.then_some(session)
}
