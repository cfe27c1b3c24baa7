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

/// Whether a process comes from another one.
pub(super) fn is_below(pid: i32, above: u32) -> bool {
    let mut pid = pid;
    for _ in 0..64 {
        match stat_field(pid, 1) {
            Some(parent) if parent.cast_unsigned() == above => return true,
            Some(parent) if parent > 1 => pid = parent,
            Some(_) | None => return false,
        }
    }
    false
}

/// Asks a process and what comes from it to end, and kills after a second what has not. Blocks.
pub(super) fn end_tree(pid: i32) {
    let mut tree = vec![pid];
    let all: Vec<i32> = processes().collect();
    let mut at = 0;
    while at < tree.len() {
        let parent = tree[at];
        tree.extend(all.iter().copied().filter(|one| stat_field(*one, 1) == Some(parent)));
        at += 1;
    }
    let members: Vec<Pid> = tree.into_iter().filter_map(Pid::from_raw).collect();
    for signal in [Signal::TERM, Signal::KILL] {
        for pid in &members {
            // One that is gone by now is what was wanted.
            let _ = kill_process(*pid, signal);
        }
        for _ in 0..50 {
            if members.iter().all(|pid| stat_field(pid.as_raw_nonzero().get(), 1).is_none()) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
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
    processes().filter(|pid| stat_field(*pid, 3) == Some(session)).filter_map(Pid::from_raw).collect()
}

/// A field of a process that is not dead yet: 1 its parent, 3 its session.
fn stat_field(pid: i32, field: usize) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // state ppid pgrp session, after the name in parentheses, which may hold anything.
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().take(4).collect();
    let alive = !matches!(*fields.first()?, "Z" | "X");
    alive.then(|| fields.get(field)?.parse().ok())?
}
