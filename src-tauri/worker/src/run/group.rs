//! The command's own control group (cgroup v2), where one can be had. Whatever a process does, it stays in its group, so
//! that all of it ends at one stroke, other users' processes too where the group is ours to write. Found out by making
//! one: in a container, or where the user's part of the tree belongs to somebody else, there is none, and nothing is said.
//! A group takes nobody in where the one above was once killed and lives on: the kernel (6.14 and later) compares the two's
//! counts of that when a process is started in a group, and ends the process. So one is started for nothing first.
//! It sets no limits, and it never takes a process in that the command did not start.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::clone;

/// The kernel's list has a few short lines.
const EVENTS_BYTES: usize = 256;

#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
    /// The group's folder, for starting a process in it.
    folder: File,
    /// What the kernel says of it, open because it is read behind each command.
    events: File,
}

impl Group {
    /// A new group below the one that this process is in.
    pub(super) fn make() -> Option<Self> {
        let above = own_folder(
            &fs::read_to_string("/proc/self/mountinfo").ok()?,
            &fs::read_to_string("/proc/self/cgroup").ok()?,
        )?;
        // A process's number comes again, and may be another's in another namespace; the time does not.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos();
        let path = above.join(format!("planwright-{}-{since:x}", std::process::id()));
        fs::create_dir(&path).ok()?;
        let group = match (File::open(&path), File::open(path.join("cgroup.events"))) {
            (Ok(folder), Ok(events)) => Self { path, folder, events },
            (Err(_), _) | (_, Err(_)) => {
                let _ = fs::remove_dir(&path);
                return None;
            }
        };
        group.takes_in().then_some(group)
    }

    /// Whether a process that starts in it comes to its own end.
    fn takes_in(&self) -> bool {
        let Ok(pid) = clone::nothing(self.folder()) else { return false };
        let status = waitpid(Some(pid), WaitOptions::empty());
        status.ok().flatten().is_some_and(|(_, status)| status.exit_status() == Some(0))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Processes in it, also of other users; those in groups that were made below it are not listed.
    pub(super) fn members(&self) -> Vec<Pid> {
        let listed = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        listed.lines().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
    }

    /// Whether a process is in it or in a group below it. A group that does not say so is taken to be gone.
    pub(super) fn is_populated(&self) -> bool {
        let mut said = [0; EVENTS_BYTES];
        let length = self.events.read_at(&mut said, 0).unwrap_or(0);
        said[..length].split(|byte| *byte == b'\n').any(|line| line == b"populated 1")
    }

    /// Kills all that is in it and below it, and all that is forked meanwhile.
    pub(super) fn kill(&self) {
        if self.write("cgroup.kill").is_ok() {
            return;
        }
        // Before Linux 5.14: what is frozen forks no more.
        let frozen = self.write("cgroup.freeze").is_ok();
        for pid in self.members() {
            let _ = kill_process(pid, Signal::KILL);
        }
        if frozen && let Ok(mut freeze) = OpenOptions::new().write(true).open(self.path.join("cgroup.freeze"))
        {
            let _ = freeze.write_all(b"0");
        }
    }

    fn write(&self, name: &str) -> std::io::Result<()> {
        OpenOptions::new().write(true).open(self.path.join(name))?.write_all(b"1")
    }
}

/// Takes the group away, with those that the command made in it. One that is still populated stays.
impl Drop for Group {
    fn drop(&mut self) {
        remove_folders(&self.path);
    }
}

/// The kernel's files in a group go with it; only groups below it are in the way.
fn remove_folders(group: &Path) {
    if fs::remove_dir(group).is_ok() {
        return;
    }
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_folders(&entry.path());
        }
    }
    let _ = fs::remove_dir(group);
}

/// The folder of the group that this process is in, from its lists of mounts and of groups.
fn own_folder(mounts: &str, groups: &str) -> Option<PathBuf> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        if kind.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = place.split(' ').skip(3);
        let (root, mounted) = (fields.next()?, fields.next()?);
        // A root other than `/` is one of several views; another may hold this process.
        let below = Path::new(own).strip_prefix(root).ok()?;
        let is_plain = !below.components().any(|part| part == std::path::Component::ParentDir);
        is_plain.then(|| Path::new(mounted).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIFIED: &str = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn the_own_group_is_below_the_mount() {
        let folder =
            |mounts: &str, groups: &str| own_folder(mounts, groups).map(|path| path.display().to_string());
        assert_eq!(folder(UNIFIED, "0::/user.slice/a b\n").unwrap(), "/sys/fs/cgroup/user.slice/a b");
        assert_eq!(folder(UNIFIED, "4:memory:/x\n0::/\n").unwrap().trim_end_matches('/'), "/sys/fs/cgroup");
        let part = UNIFIED.replace(" / /sys", " /box /sys");
        assert_eq!(folder(&part, "0::/box/in\n").unwrap(), "/sys/fs/cgroup/in");
        assert_eq!(folder(&part, "0::/other\n"), None);
        assert_eq!(folder(UNIFIED, "0::/../other\n"), None);
        assert_eq!(folder(UNIFIED, "4:memory:/x\n"), None);
        assert_eq!(
            folder("35 23 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "0::/\n"),
            None
        );
    }
}
