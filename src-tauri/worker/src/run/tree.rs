//! Every descendant of this process: found, asked to end, killed, reaped. As the subreaper this process inherits each
//! orphan, so that neither `setsid` nor a double fork gets out of reach. Out of reach stay processes of other users.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};

const PAUSE: Duration = Duration::from_millis(2);

pub(super) fn become_subreaper() -> rustix::io::Result<()> {
    set_child_subreaper(Some(rustix::process::getpid()))
}

/// What one look for ended children found.
pub(super) enum Reaped {
    Process {
        pid: Pid,
        status: i32,
    },
    NobodyEnded,
    /// No children: and so, as every orphan comes here, no descendants.
    NobodyLeft,
}

#[allow(unsafe_code)]
pub(super) fn reap() -> Reaped {
    let mut status = 0;
    // SAFETY: `status` is a valid place for one int for the whole call.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) };
    match pid {
        0 => Reaped::NobodyEnded,
        1.. => Pid::from_raw(pid).map_or(Reaped::NobodyLeft, |pid| Reaped::Process { pid, status }),
        ..0 => Reaped::NobodyLeft,
    }
}

/// TERM to every descendant, and CONT so that a stopped one hears it.
pub(super) fn terminate() {
    for pid in descendants() {
        // A process that is gone by now is what was wanted.
        let _ = kill_process(pid, Signal::TERM);
        let _ = kill_process(pid, Signal::CONT);
    }
}

/// What a sweep met.
#[derive(Debug, Default)]
pub(super) struct Swept {
    reaped: BTreeMap<i32, i32>,
    killed: BTreeSet<i32>,
    /// Still there at the end: processes of another user, or stuck in the kernel.
    pub(super) survivors: u32,
}

impl Swept {
    pub(super) fn status_of(&self, pid: Pid) -> Option<i32> {
        self.reaped.get(&pid.as_raw_nonzero().get()).copied()
    }

    /// Processes that were killed, `leader` not counted.
    pub(super) fn ended(&self, leader: Pid) -> u32 {
        let leader = leader.as_raw_nonzero().get();
        self.killed.iter().filter(|pid| **pid != leader).count().try_into().unwrap_or(u32::MAX)
    }
}

/// Stops all descendants until no new one appears, then kills them; again until none is left or `limit` is over.
pub(super) fn sweep(limit: Duration) -> Swept {
    let until = Instant::now() + limit;
    let mut swept = Swept::default();
    loop {
        let mut stopped = Vec::new();
        loop {
            let fresh: Vec<Pid> = descendants().into_iter().filter(|pid| !stopped.contains(pid)).collect();
            if fresh.is_empty() || Instant::now() >= until {
                break;
            }
            for pid in &fresh {
                let _ = kill_process(*pid, Signal::STOP);
            }
            stopped.extend(fresh);
        }
        for pid in &stopped {
            if kill_process(*pid, Signal::KILL).is_ok() {
                swept.killed.insert(pid.as_raw_nonzero().get());
            }
        }
        loop {
            match reap() {
                Reaped::Process { pid, status } => {
                    swept.reaped.insert(pid.as_raw_nonzero().get(), status);
                }
                Reaped::NobodyEnded => break,
                Reaped::NobodyLeft => return swept,
            }
        }
        if Instant::now() >= until {
            swept.survivors = descendants().len().try_into().unwrap_or(u32::MAX);
            return swept;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Live descendants; zombies are left out, for they are only waited for.
fn descendants() -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<(i32, bool)>> = BTreeMap::new();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        if let Some((parent, zombie)) = parent_of(pid) {
            children.entry(parent).or_default().push((pid, zombie));
        }
    }
    let mut found = Vec::new();
    let mut parents = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        for (pid, zombie) in children.remove(&parent).unwrap_or_default() {
            parents.push(pid);
            if !zombie {
                found.extend(Pid::from_raw(pid));
            }
        }
    }
    found
}

/// The parent of a process, and whether it is dead already.
fn parent_of(pid: i32) -> Option<(i32, bool)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, also parentheses: the fields count from the last one.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    Some((parent, matches!(state, "Z" | "X")))
}
