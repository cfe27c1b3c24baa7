//! Every descendant of this process: found, asked to end, killed, reaped. As the subreaper this process inherits each
//! orphan, so that neither `setsid` nor a double fork gets out of reach. That is done always; where the command has a
//! control group, the group is ended first, which reaches processes of other users too. Out of reach stays what another
//! program was asked to start: by `docker`, `systemctl`, `at`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};

use super::group::Group;

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

/// What a sweep met.
#[derive(Debug, Default)]
pub(super) struct Swept {
    reaped: BTreeMap<i32, i32>,
    killed: BTreeSet<i32>,
    /// Still there at the end: processes of another user that no group holds, or stuck in the kernel.
    pub(super) survivors: u32,
}

impl Swept {
    pub(super) fn status_of(&self, pid: Pid) -> Option<i32> {
        self.reaped.get(&pid.as_raw_nonzero().get()).copied()
    }

    /// Takes in who has ended; returns whether nobody is left.
    fn reap(&mut self) -> bool {
        loop {
            match reap() {
                Reaped::Process { pid, status } => {
                    self.reaped.insert(pid.as_raw_nonzero().get(), status);
                }
                Reaped::NobodyEnded => return false,
                Reaped::NobodyLeft => return true,
            }
        }
    }

    /// Processes that were killed, `leader` not counted.
    pub(super) fn ended(&self, leader: Pid) -> u32 {
        let leader = leader.as_raw_nonzero().get();
        self.killed.iter().filter(|pid| **pid != leader).count().try_into().unwrap_or(u32::MAX)
    }
}

/// All that a command starts: the descendants of this process, and what is in the command's group.
#[derive(Debug)]
pub(super) struct Tree {
    group: Option<Group>,
}

impl Tree {
    /// Without a group of its own.
    pub(super) const PLAIN: Self = Self { group: None };

    /// With a group where one can be had.
    pub(super) fn grouped() -> Self {
        Self { group: Group::make() }
    }

    pub(super) fn group(&self) -> Option<&Group> {
        self.group.as_ref()
    }

    pub(super) fn group_path(&self) -> Option<&Path> {
        self.group.as_ref().map(Group::path)
    }

    /// The group turned out to be of no use.
    pub(super) fn give_up_group(&mut self) {
        self.group = None;
    }

    pub(super) fn is_populated(&self) -> bool {
        self.group.as_ref().is_some_and(Group::is_populated)
    }

    /// How many there are, as far as this process sees them.
    pub(super) fn size(&self) -> usize {
        self.members().len()
    }

    /// What runs beside a shell that has ended its command, or without one.
    pub(super) fn jobs(&self, leader: Option<Pid>) -> HashSet<Pid> {
        let own = std::process::id().cast_signed();
        let leader_text = leader.map(|leader| leader.as_raw_nonzero().to_string()).unwrap_or_default();
        let only_leader = fs::read_to_string(format!("/proc/{own}/task/{own}/children"))
            .is_ok_and(|children| children.trim() == leader_text);
        if only_leader && leader.is_none_or(|leader| is_childless(leader.as_raw_nonzero().get())) {
            return HashSet::new();
        }
        let mut jobs = self.members();
        jobs.retain(|job| Some(*job) != leader);
        jobs
    }

    fn members(&self) -> HashSet<Pid> {
        let grouped = self.group.iter().flat_map(Group::members);
        grouped.chain(descendants()).collect()
    }

    /// All of it but what is spared.
    fn but(&self, spared: Spared<'_>) -> HashSet<Pid> {
        if spared.is_nothing() { self.members() } else { newcomers(spared).into_iter().collect() }
    }

    /// Whether nothing is there but what is spared.
    pub(super) fn is_only(&self, spared: Spared<'_>) -> bool {
        self.but(spared).is_empty()
    }

    /// These signals to all but what is spared, and CONT so that a stopped one hears them.
    pub(super) fn terminate(&self, signals: &[Signal], spared: Spared<'_>) {
        for pid in self.but(spared) {
            // A process that is gone by now is what was wanted.
            for signal in signals {
                let _ = kill_process(pid, *signal);
            }
            let _ = kill_process(pid, Signal::CONT);
        }
    }

    /// Kills the group, where there is one and nothing is spared. Then stops all descendants until no new one appears and kills
    /// them; again until none is left or `limit` is over.
    pub(super) fn sweep(&self, limit: Duration, spared: Spared<'_>) -> Swept {
        let until = Instant::now() + limit;
        let mut swept = Swept::default();
        loop {
            if let Some(group) = self.group.as_ref().filter(|_| spared.is_nothing()) {
                swept.killed.extend(group.members().iter().map(|pid| pid.as_raw_nonzero().get()));
                group.kill();
            }
            for pid in stop(until, spared) {
                if kill_process(pid, Signal::KILL).is_ok() {
                    swept.killed.insert(pid.as_raw_nonzero().get());
                }
            }
            let none_left = swept.reap();
            let none_left = if spared.is_nothing() {
                none_left && !self.is_populated()
            } else {
                none_left || self.is_only(spared)
            };
            if none_left {
                return swept;
            }
            if Instant::now() >= until {
                swept.survivors = self.but(spared).len().try_into().unwrap_or(u32::MAX);
                return swept;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// What outlives a command: jobs with all that they have started, and a shell without what else it has. Where there is a set,
/// although an empty one, the group goes on and is not killed: one that was takes nobody in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spared<'a> {
    pub(super) jobs: Option<&'a HashSet<Pid>>,
    pub(super) shell: Option<Pid>,
}

impl Spared<'_> {
    fn is_job(self, pid: Pid) -> bool {
        self.jobs.is_some_and(|jobs| jobs.contains(&pid))
    }

    fn is_nothing(self) -> bool {
        self.shell.is_none() && self.jobs.is_none()
    }
}

fn newcomers(spared: Spared<'_>) -> Vec<Pid> {
    let found = descendants_but(&|pid| Some(pid) != spared.shell && spared.is_job(pid));
    found.into_iter().filter(|pid| Some(*pid) != spared.shell && !spared.is_job(*pid)).collect()
}

/// Whether a process has none, as far as the kernel tells at once.
fn is_childless(pid: i32) -> bool {
    fs::read(format!("/proc/{pid}/task/{pid}/children")).is_ok_and(|children| children.is_empty())
}

fn stop(until: Instant, spared: Spared<'_>) -> HashSet<Pid> {
    let mut stopped = HashSet::new();
    loop {
        let fresh: Vec<Pid> = newcomers(spared).into_iter().filter(|pid| !stopped.contains(pid)).collect();
        if fresh.is_empty() || Instant::now() >= until {
            return stopped;
        }
        for pid in &fresh {
            let _ = kill_process(*pid, Signal::STOP);
        }
        stopped.extend(fresh);
    }
}

/// Live descendants; zombies are left out, for they are only waited for.
fn descendants() -> Vec<Pid> {
    descendants_but(&|_| false)
}

/// Without what is below some.
fn descendants_but(is_left_out: &dyn Fn(Pid) -> bool) -> Vec<Pid> {
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
            let Some(process) = Pid::from_raw(pid) else { continue };
            if !is_left_out(process) {
                parents.push(pid);
            }
            if !zombie {
                found.push(process);
            }
        }
    }
    found
}

pub(super) fn parent(pid: Pid) -> Option<Pid> {
    parent_of(pid.as_raw_nonzero().get()).and_then(|(parent, _)| Pid::from_raw(parent))
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
