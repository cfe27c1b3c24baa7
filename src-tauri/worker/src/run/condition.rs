//! What a process hands on to those that it starts, beside what orders name: limits, priority, processors, place among
//! the control groups and the like. A command can change all of it in the process above it. The next command must not
//! meet that, so a worker whose condition is not the one that it was born with takes no other.

use std::fs::File;
use std::os::unix::fs::FileExt;

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
/// More than any of these files has, as a rule.
const READ_BYTES: usize = 4 * 1024;

/// The kernel's files about this process, opened once: to find and open them takes longer than to read them, and they
/// are read behind each command.
#[derive(Debug)]
pub(super) struct Gauge {
    files: [Option<File>; FILES.len()],
    status: Option<File>,
    stat: Option<File>,
}

/// `None` is a file that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Condition {
    files: [Option<Vec<u8>>; FILES.len()],
    status: Option<Vec<Vec<u8>>>,
    /// Niceness, real-time priority and scheduling policy.
    scheduling: Option<Vec<Vec<u8>>>,
    io_priority: i64,
}

impl Gauge {
    pub(super) fn new() -> Self {
        let open = |name| File::open(format!("/proc/self/{name}")).ok();
        Self { files: FILES.map(open), status: open("status"), stat: open("stat") }
    }

    /// This process's condition as it is now.
    pub(super) fn read(&self) -> Condition {
        Condition {
            files: self.files.each_ref().map(whole),
            status: whole(&self.status).map(|text| inherited(&text)),
            scheduling: whole(&self.stat).map(|text| scheduling(&text)),
            io_priority: io_priority(),
        }
    }
}

fn whole(file: &Option<File>) -> Option<Vec<u8>> {
    let file = file.as_ref()?;
    let mut text = vec![0; READ_BYTES];
    let mut length = 0;
    loop {
        length += file.read_at(&mut text[length..], length as u64).ok()?;
        // The kernel makes each of these files as a whole, and gives as much of it as there is place for.
        if length < text.len() {
            break;
        }
        text.resize(length * 2, 0);
    }
    text.truncate(length);
    Some(text)
}

fn inherited(status: &[u8]) -> Vec<Vec<u8>> {
    let lines = status.split(|byte| *byte == b'\n');
    let kept = lines.filter(|line| INHERITED.iter().any(|name| line.starts_with(name.as_bytes())));
    kept.map(<[u8]>::to_vec).collect()
}

/// The fields are numbered from the name's end, which may hold anything: 19 is the niceness, 40 and 41 the scheduling.
fn scheduling(stat: &[u8]) -> Vec<Vec<u8>> {
    let behind = stat.rsplit(|byte| *byte == b')').next().unwrap_or_default();
    let fields: Vec<&[u8]> =
        behind.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect();
    [19, 40, 41].iter().filter_map(|number| fields.get(number - 3)).map(|field| field.to_vec()).collect()
}

#[allow(unsafe_code)]
fn io_priority() -> i64 {
    const OF_PROCESS: libc::c_int = 1;
    // SAFETY: takes two numbers, 0 for this process, and returns one.
    unsafe { libc::syscall(libc::SYS_ioprio_get, OF_PROCESS, 0) }
}
