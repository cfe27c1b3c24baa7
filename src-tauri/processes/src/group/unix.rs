//! A session of its own and the process group that comes with it. Processes that left the group are found in the system's
//! list while the one that started them lives; one that made a session and whose parent has ended is nobody's any more.
//!
//! Bash is not waited for before the group was killed: until then its number, which is the group's, is given to no other.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use crate::life::Ending;
use crate::table::{Entry, table};

/// Longest wait for killed processes to disappear.
const SWEEP: Duration = Duration::from_millis(900);
const PAUSE: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub(crate) struct Group {
    leader: Box<dyn ChildWrapper>,
    pid: Pid,
    /// The groups of all that were found below the leader, its own among them. They are known also when nothing leads
    /// to them any more.
    groups: BTreeSet<i32>,
}

impl Group {
    /// There is a signal that a process can heed in its own way.
    pub(crate) const CAN_ASK: bool = true;

    pub(crate) fn start(command: Command) -> io::Result<Self> {
        let mut leader = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
        let Some(pid) = i32::try_from(leader.id()).ok().and_then(Pid::from_raw) else {
            leader.start_kill()?;
            return Err(io::ErrorKind::InvalidData.into());
        };
        Ok(Self { leader, pid, groups: BTreeSet::from([pid.as_raw_nonzero().get()]) })
    }

    /// Whether bash has ended. It stays unwaited for.
    pub(crate) fn has_ended(&mut self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.pid), look), Ok(None) | Err(rustix::io::Errno::INTR))
    }

    /// TERM to all, and CONT so that a stopped one hears it.
    pub(crate) fn ask_to_end(&mut self) {
        let members = self.members();
        // One that is gone by now is what was wanted.
        for signal in [Signal::TERM, Signal::CONT] {
            let _ = kill_process_group(self.pid, signal);
            for member in self.outside(&members) {
                let _ = kill_process(member, signal);
            }
        }
    }

    /// Whether bash is all that is still listed. Without a list nobody knows.
    pub(crate) fn is_gone(&mut self) -> bool {
        self.members().is_some_and(|members| members.is_empty())
    }

    /// Kills all that is left, and says how bash ended and how many others there were.
    pub(crate) fn end(&mut self) -> (Ending, u32) {
        let until = Instant::now() + SWEEP;
        let mut killed = BTreeSet::new();
        let mut members = self.members();
        loop {
            // What was found could start another while it is killed: first nothing moves.
            let _ = kill_process_group(self.pid, Signal::STOP);
            for member in self.outside(&members) {
                let _ = kill_process(member, Signal::STOP);
            }
            if members.as_ref().is_some_and(|found| !found.is_empty()) {
                members = self.members();
            }
            let _ = kill_process_group(self.pid, Signal::KILL);
            for member in self.outside(&members) {
                let _ = kill_process(member, Signal::KILL);
            }
            // Without a list the group was all that could be reached.
            let Some(found) = members.filter(|found| !found.is_empty()) else { break };
            killed.extend(found.iter().map(|entry| entry.pid));
            if Instant::now() >= until {
                break;
            }
            std::thread::sleep(PAUSE);
            members = self.members();
        }
        killed.remove(&self.pid.as_raw_nonzero().get());
        let leftovers = u32::try_from(killed.len()).unwrap_or(u32::MAX);
        (self.leader.wait().map_or(Ending::Unknown, how), leftovers)
    }

    /// All live processes of the command that the system's list leads to; `None` without a list.
    fn members(&mut self) -> Option<Vec<Entry>> {
        let table = table()?;
        let mut found: BTreeSet<i32> = BTreeSet::from([self.pid.as_raw_nonzero().get()]);
        loop {
            let before = found.len();
            for entry in &table {
                if found.contains(&entry.parent) || self.groups.contains(&entry.group) {
                    found.insert(entry.pid);
                    // Only a descendant of the leader can have made it: a group is joined from its own session alone.
                    self.groups.insert(entry.group);
                }
            }
            if found.len() == before {
                return Some(
                    table.into_iter().filter(|entry| entry.lives && found.contains(&entry.pid)).collect(),
                );
            }
        }
    }

    /// Those that a signal to the group does not reach.
    fn outside(&self, members: &Option<Vec<Entry>>) -> Vec<Pid> {
        let group = self.pid.as_raw_nonzero().get();
        let members = members.iter().flatten().filter(|entry| entry.group != group);
        members.filter_map(|entry| Pid::from_raw(entry.pid)).collect()
    }
}

fn how(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Code(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::Unknown,
    }
}
