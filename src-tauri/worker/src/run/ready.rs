//! What a worker has before it is known what to run, and keeps between two commands.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, poll};

use super::bash::Shell;
use super::condition::{Condition, Gauge};
use super::frames::{Frame, Outbox};
use super::jobs::Jobs;
use super::living::Living;
use super::tree::{self, Reaped, Tree};

const READ_BYTES: usize = 32 * 1024;

/// All that can be done before it is known what to run.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) shell: Shell,
    pub(super) lasting: Lasting,
}

/// What goes from one command to the next.
#[derive(Debug)]
pub(super) struct Lasting {
    pub(super) tree: Tree,
    gauge: Gauge,
    /// What this process was born with.
    condition: Condition,
    pub(super) buffer: Vec<u8>,
    /// The shell that the last command was run in, and the next one may be.
    pub(super) living: Option<Living>,
    pub(super) jobs: Jobs,
}

impl Ready {
    /// The error is in words for people.
    pub(super) fn new(tree: Tree) -> Result<Self, String> {
        tree::become_subreaper().map_err(|error| unsupervised(&error))?;
        let gauge = Gauge::new();
        let condition = gauge.read();
        Self::with(
            Shell::new(),
            Lasting {
                tree,
                gauge,
                condition,
                buffer: vec![0; READ_BYTES],
                living: None,
                jobs: Jobs::default(),
            },
        )
    }

    /// The same after a command that is gone with all that it started, or whose shell lives on. Nothing else that it could
    /// write to is used again, and its folder is let go.
    pub(super) fn again(lasting: Lasting, shell: Option<Shell>) -> Result<Self, String> {
        std::env::set_current_dir("/").map_err(|error| unsupervised(&error))?;
        Self::with(shell.map_or_else(Shell::new, Ok), lasting)
    }

    fn with(shell: std::io::Result<Shell>, lasting: Lasting) -> Result<Self, String> {
        let shell = shell.map_err(|error| unsupervised(&error))?;
        Ok(Self { shell, lasting })
    }

    /// Until there is something to hear from the engine. What ends meanwhile is taken note of.
    pub(super) fn wait(&mut self) -> Result<(), String> {
        let stdin = std::io::stdin();
        loop {
            let mut fds = vec![PollFd::new(&stdin, PollFlags::IN)];
            let shell_at =
                watch(&mut fds, self.lasting.living.as_ref().map(|living| living.leader_fd.as_fd()));
            fds.extend(self.lasting.jobs.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            if fds.len() == 1 {
                return Ok(());
            }
            match poll(&mut fds, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(unsupervised(&error)),
            }
            let is_ready = |at: Option<usize>| at.is_some_and(|at| !fds[at].revents().is_empty());
            let (engine, shell_ended) = (is_ready(Some(0)), is_ready(shell_at));
            drop(fds);
            self.lasting.jobs.drain();
            while let Reaped::Process { .. } = tree::reap() {}
            if shell_ended {
                self.lasting.living = None;
                self.shell = Shell::new().map_err(|error| unsupervised(&error))?;
            }
            if engine {
                return Ok(());
            }
        }
    }

    /// Hands on what jobs have written meanwhile.
    pub(super) fn look(&mut self) -> Result<(), EngineGone> {
        let mut outbox = Outbox::default();
        self.lasting.jobs.tell(&mut outbox);
        outbox.frame(&Frame::Gone { leftovers: 0, survivors: 0, stays: true, jobs: None });
        outbox.send_all().map_err(|_| EngineGone)
    }
}

impl Lasting {
    pub(super) fn is_as_born(&self) -> bool {
        self.gauge.read() == self.condition
    }
}

pub(super) fn unsupervised(error: &dyn std::fmt::Display) -> String {
    format!("The command could not be supervised: {error}.")
}

/// The engine's end of the pipes is gone: nobody to work for.
#[derive(Debug)]
pub(super) struct EngineGone;

/// Adds a descriptor to read from, where there is one; returns its place.
pub(super) fn watch<'fd>(fds: &mut Vec<PollFd<'fd>>, fd: Option<BorrowedFd<'fd>>) -> Option<usize> {
    fds.push(PollFd::from_borrowed_fd(fd?, PollFlags::IN));
    Some(fds.len() - 1)
}
