//! What commands of a shell that lives on have left running: it outlives them and that shell, and what it writes stays with
//! the command that left it.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::fstat;
use rustix::process::Pid;

use super::frames::{Late, Outbox, Stream};

const CHUNK: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// Outputs of commands before, which the shell or its jobs may still write to, and what came by them.
    pipes: Vec<Behind>,
    late: Late,
    /// The present command's.
    number: u32,
    /// What ran already when it began.
    pub(super) before: HashSet<Pid>,
}

#[derive(Debug)]
struct Behind {
    pipe: File,
    stream: Stream,
    inode: u64,
    number: u32,
}

impl Jobs {
    pub(super) fn begin(&mut self, number: u32, before: HashSet<Pid>) {
        (self.number, self.before) = (number, before);
    }

    /// What of the command's output is still open when the command is done.
    pub(super) fn leave_behind(&mut self, stdout: Option<File>, stderr: Option<File>) {
        let pipes = [(Stream::Stdout, stdout), (Stream::Stderr, stderr)];
        for (stream, pipe) in pipes.into_iter().filter_map(|(stream, pipe)| Some((stream, pipe?))) {
            if let Ok(status) = fstat(&pipe) {
                self.pipes.push(Behind { pipe, stream, inode: status.st_ino, number: self.number });
            }
        }
    }

    /// Of which stream of an earlier command a pipe is.
    pub(super) fn stream_of(&self, inode: u64) -> Option<Stream> {
        self.pipes.iter().find(|behind| behind.inode == inode).map(|behind| behind.stream)
    }

    /// Descriptors that have to be read so that nobody who writes stands still.
    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.pipes.iter().map(|behind| behind.pipe.as_fd())
    }

    /// Takes what they have written.
    pub(super) fn drain(&mut self) {
        let mut buffer = [0; CHUNK];
        let late = &mut self.late;
        self.pipes.retain_mut(|behind| {
            loop {
                match behind.pipe.read(&mut buffer) {
                    Ok(0) => return false,
                    Ok(length) => {
                        late.push(behind.number, behind.stream, &buffer[..length]);
                        if length < CHUNK {
                            return true;
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return error.kind() == ErrorKind::WouldBlock,
                }
            }
        });
    }

    /// Hands it on.
    pub(super) fn tell(&mut self, outbox: &mut Outbox) {
        self.drain();
        outbox.late(&mut self.late);
    }
}
