//! What a process hands on to those that it starts, beside what orders name: limits, priority, processors, place among
//! the control groups and the like. A command can change all of it in the process above it. The next command must not
//! meet that, so a worker whose condition is not the one that it was born with takes no other.

use std::fs;

/// Lines of `/proc/self/status` that a command inherits.
const INHERITED: [&str; 16] = [
    "Umask:",
    "TracerPid:",
    "Uid:",
    "Gid:",
    "Groups:",
    "SigBlk:",
    "SigIgn:",
    "CapInh:",
    "CapPrm:",
    "CapEff:",
    "CapBnd:",
    "CapAmb:",
    "NoNewPrivs:",
    "Seccomp:",
    "Cpus_allowed_list:",
    "Mems_allowed_list:",
];
const FILES: [&str; 6] =
    ["limits", "cgroup", "oom_score_adj", "coredump_filter", "timerslack_ns", "personality"];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Condition {
    files: Vec<Option<Vec<u8>>>,
    status: Vec<String>,
    /// Niceness, real-time priority and scheduling policy.
    scheduling: Vec<String>,
    io_priority: i64,
}

impl Condition {
    /// This process's as it is now.
    pub(super) fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        // Numbered from the name's end, which may hold anything: 19 is the niceness, 40 and 41 the scheduling.
        let fields: Vec<&str> =
            stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().collect();
        Self {
            files: FILES.map(|name| fs::read(format!("/proc/self/{name}")).ok()).into(),
            status: status
                .lines()
                .filter(|line| INHERITED.iter().any(|name| line.starts_with(name)))
                .map(str::to_owned)
                .collect(),
            scheduling: [19, 40, 41]
                .iter()
                .filter_map(|number| fields.get(number - 3))
                .map(|field| (*field).to_owned())
                .collect(),
            io_priority: io_priority(),
        }
    }
}

#[allow(unsafe_code)]
fn io_priority() -> i64 {
    const OF_PROCESS: libc::c_int = 1;
    // SAFETY: takes two numbers, 0 for this process, and returns one.
    unsafe { libc::syscall(libc::SYS_ioprio_get, OF_PROCESS, 0) }
}
