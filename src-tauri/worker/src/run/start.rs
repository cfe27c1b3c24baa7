//! How a command gets its shell: one of its own, a new one that lives on behind it, or the one that lives.

use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::bash::{self, Shell};
use super::jobs::Jobs;
use super::living::{self, Line, Living, Wires};
use super::spawn::{Outputs, Spawned};
use super::tree::Tree;
use super::{Orders, Spec};

/// A command that has started, and what is heard of it.
pub(super) struct Started {
    pub(super) leader: Pid,
    pub(super) leader_fd: OwnedFd,
    pub(super) wires: Wires,
    pub(super) line: Option<Line>,
}

impl Started {
    fn of(Spawned { pid, stdout, stderr }: Spawned, line: Option<Line>) -> io::Result<Self> {
        Self::with(pid, pidfd_open(pid, PidfdFlags::empty())?, Wires { stdout, stderr }, line)
    }

    fn with(leader: Pid, leader_fd: OwnedFd, wires: Wires, line: Option<Line>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&wires.stdout, true)?;
        if let Some(stderr) = &wires.stderr {
            rustix::io::ioctl_fionbio(stderr, true)?;
        }
        Ok(Self { leader, leader_fd, wires, line })
    }
}

/// The error is in words for people.
pub(super) fn enter(folder: &str) -> Result<(), String> {
    std::env::set_current_dir(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("The folder {folder} does not exist. Choose another folder."),
        ErrorKind::PermissionDenied => format!("You may not enter the folder {folder}."),
        _ => format!("The folder {folder} cannot be used: {error}."),
    })
}

/// `known`: the shell that lives, where the command goes on in it. The error is in words for people.
pub(super) fn start(
    shell: &mut Shell,
    known: Option<Living>,
    orders: &Orders,
    outputs: Outputs<'_>,
    tree: &mut Tree,
    jobs: &mut Jobs,
) -> Result<Started, String> {
    let before = tree.jobs(known.as_ref().map(|living| living.leader));
    jobs.begin(orders.spec.number, before);
    let started = match known {
        Some(living) => go_on(shell, living, jobs, &orders.spec),
        None if orders.spec.lives => begin(shell, orders, outputs, tree),
        None => once(shell, orders, outputs, tree),
    };
    started.map_err(|error| match error.raw_os_error() {
        Some(libc::E2BIG) => "The command together with its variables is too long to run.".to_owned(),
        Some(libc::ENOENT) => "bash was not found. Install bash and try again.".to_owned(),
        _ => format!("The command could not be started: {error}."),
    })
}

/// In a shell of its own.
fn once(shell: &mut Shell, orders: &Orders, outputs: Outputs<'_>, tree: &mut Tree) -> io::Result<Started> {
    shell.prepare(&orders.spec)?;
    let bash = shell.once(&orders.spec, &orders.environment)?;
    Started::of(bash::spawn(&bash, outputs, tree)?, None)
}

/// In a new shell that lives on behind it.
fn begin(shell: &mut Shell, orders: &Orders, outputs: Outputs<'_>, tree: &mut Tree) -> io::Result<Started> {
    let (spawned, mut line) = living::begin(shell, &orders.environment, outputs, tree)?;
    line.tell(shell, &orders.spec, None)?;
    Started::of(spawned, Some(line))
}

/// In the shell that lives.
fn go_on(shell: &mut Shell, living: Living, jobs: &Jobs, spec: &Spec) -> io::Result<Started> {
    let Living { leader, leader_fd, mut line } = living;
    let (wires, redirections) = line.pipes(leader, spec.one_pipe, jobs)?;
    line.tell(shell, spec, Some(&redirections))?;
    Started::with(leader, leader_fd, wires, Some(line))
}
