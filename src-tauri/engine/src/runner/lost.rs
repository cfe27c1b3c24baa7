//! What is done when the worker itself was killed. The command's shell dies with it; what that shell had started is
//! found by its session. Processes that made a session of their own cannot be told from others any more.

use rustix::process::{Pid, Signal, kill_process};

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
