//! What goes to the engine: frames of a kind byte, a little-endian `u32` length and that many bytes. Output is batched,
//! and bounded: when the engine is slow it stays in the command's pipes.
//!
//! Kinds: `J` a JSON [`Frame`]; `O` output, a run of `stream u8 (1, 2) · at_millis u32 · length u32 · bytes`; `L` what an
//! earlier command has left running wrote, `number u32 · stream u8 · bytes`; `S` the shell state as bash wrote it, after the worker's own umask as a little-endian `u32`.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::Pid;
use serde::Serialize;

use super::work::Span;

/// A batch is sent when it is this old or this large.
const BATCH_AGE: Duration = Duration::from_millis(25);
const BATCH_BYTES: usize = 32 * 1024;
/// No more output is read while this much waits.
const ROOM: usize = 256 * 1024;

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Frame {
    Started {
        pid: i32,
        /// The command's control group, where it has one.
        group: Option<String>,
    },
    Ended {
        ending: Ending,
        /// The statuses of the last pipeline's parts.
        pipe: Vec<i32>,
        /// `$_` at the end.
        last_word: Option<String>,
        /// Pipelines before the last in which a part failed.
        passed: Vec<super::bash::Passed>,
        within: Vec<super::bash::Passed>,
        /// When it was at work.
        work: Vec<Span>,
    },
    Gone {
        leftovers: u32,
        survivors: u32,
        /// The worker waits for other orders.
        stays: bool,
        /// What runs on beside the shell, where that lives on.
        jobs: Option<Vec<Job>>,
    },
    /// Nothing was run.
    Failed { message: String },
}

/// A process that a command has left running.
#[derive(Debug, Serialize)]
pub(super) struct Job {
    pid: i32,
    /// Its words; `None` where it is a part of the shell.
    command: Option<String>,
}

impl Job {
    /// `None` when it has ended meanwhile.
    pub(super) fn of(pid: Pid, shell: &[u8]) -> Option<Self> {
        let pid = pid.as_raw_nonzero().get();
        let words = words_of(pid)?;
        let command = String::from_utf8_lossy(&words).replace('\0', " ").trim_end().to_owned();
        Some(Self { pid, command: (words != shell).then_some(command) })
    }
}

/// The words of a process, with a NUL behind each. `None` when it is gone.
pub(super) fn words_of(pid: i32) -> Option<Vec<u8>> {
    std::fs::read(format!("/proc/{pid}/cmdline")).ok().filter(|words| !words.is_empty())
}

/// How it ended, or was made to end.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Ending {
    Code {
        code: i32,
    },
    Signal {
        signal: i32,
    },
    TimedOut,
    Silent,
    Cancelled,
    /// The user ended the program in its terminal: how it ended is told, not this.
    #[serde(skip)]
    HungUp,
    /// It could not be waited for.
    Unknown,
}

impl Ending {
    pub(super) fn from_status(status: Option<i32>) -> Self {
        match status {
            Some(status) if libc::WIFEXITED(status) => Self::Code { code: libc::WEXITSTATUS(status) },
            Some(status) if libc::WIFSIGNALED(status) => Self::Signal { signal: libc::WTERMSIG(status) },
            Some(_) | None => Self::Unknown,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout = 1,
    Stderr = 2,
}

/// So much of what jobs write is kept while nobody takes it; of more, the end.
const LATE_BYTES: usize = 256 * 1024;

/// What jobs have written and nobody has taken yet.
#[derive(Debug, Default)]
pub(super) struct Late {
    pieces: VecDeque<(u32, Stream, Vec<u8>)>,
    bytes: usize,
    /// How much of which command's there was no room for.
    missing: BTreeMap<u32, usize>,
}

impl Late {
    /// `number`: of the command that left the job running.
    pub(super) fn push(&mut self, number: u32, stream: Stream, bytes: &[u8]) {
        self.pieces.push_back((number, stream, bytes.to_vec()));
        self.bytes += bytes.len();
        while self.bytes > LATE_BYTES {
            let Some((number, _, first)) = self.pieces.pop_front() else { break };
            self.bytes -= first.len();
            *self.missing.entry(number).or_default() += first.len();
        }
    }
}

/// Frames on their way out.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Encoded frames, of which `sent` bytes are out.
    queue: Vec<u8>,
    sent: usize,
    /// Records of the batch that is being gathered, and since when.
    batch: Vec<u8>,
    /// Where the last record's length is, and of which stream it is.
    last: Option<(usize, Stream)>,
    since: Option<Instant>,
}

impl Outbox {
    /// Adds output to the batch.
    pub(super) fn output(&mut self, stream: Stream, at_millis: u32, bytes: &[u8]) {
        self.since.get_or_insert_with(Instant::now);
        match self.last {
            Some((at, last)) if last == stream => {
                let length = self.batch.len() - at - 4 + bytes.len();
                self.batch[at..at + 4].copy_from_slice(&(length as u32).to_le_bytes());
            }
            Some(_) | None => {
                self.batch.push(stream as u8);
                self.batch.extend_from_slice(&at_millis.to_le_bytes());
                self.last = Some((self.batch.len(), stream));
                self.batch.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            }
        }
        self.batch.extend_from_slice(bytes);
        if self.batch.len() >= BATCH_BYTES {
            self.flush();
        }
    }

    pub(super) fn frame(&mut self, frame: &Frame) {
        self.flush();
        // These types have no way to fail.
        if let Ok(json) = serde_json::to_vec(frame) {
            self.put(b'J', &[&json]);
        }
    }

    pub(super) fn state(&mut self, state: &super::bash::LeftState) {
        self.flush();
        self.put(b'S', &[&state.own_umask.to_le_bytes(), &state.text]);
    }

    pub(super) fn late(&mut self, late: &mut Late) {
        late.bytes = 0;
        for (number, missing) in std::mem::take(&mut late.missing) {
            let note = format!("\n[… {missing} bytes left out …]\n");
            self.late_piece(number, Stream::Stdout, note.as_bytes());
        }
        for (number, stream, bytes) in late.pieces.drain(..) {
            self.late_piece(number, stream, &bytes);
        }
    }

    fn late_piece(&mut self, number: u32, stream: Stream, bytes: &[u8]) {
        self.flush();
        self.put(b'L', &[&number.to_le_bytes(), &[stream as u8], bytes]);
    }

    fn flush(&mut self) {
        if !self.batch.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            self.put(b'O', &[&batch]);
            self.batch = batch;
            self.batch.clear();
        }
        self.last = None;
        self.since = None;
    }

    fn put(&mut self, kind: u8, parts: &[&[u8]]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.queue.push(kind);
        self.queue.extend_from_slice(&(length as u32).to_le_bytes());
        for part in parts {
            self.queue.extend_from_slice(part);
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.queue.len() - self.sent + self.batch.len() < ROOM
    }

    pub(super) fn is_sending(&self) -> bool {
        self.sent < self.queue.len()
    }

    /// When the gathered batch is due.
    pub(super) fn flush_at(&self) -> Option<Instant> {
        self.since.map(|since| since + BATCH_AGE)
    }

    /// Sends what the pipe takes without waiting.
    pub(super) fn send_some(&mut self) -> Result<(), Errno> {
        if self.flush_at().is_some_and(|at| Instant::now() >= at) {
            self.flush();
        }
        if self.is_sending() { self.send(false) } else { Ok(()) }
    }

    /// Sends everything, waiting for the engine to read it.
    pub(super) fn send_all(&mut self) -> Result<(), Errno> {
        self.flush();
        self.send(true)
    }

    fn send(&mut self, wait: bool) -> Result<(), Errno> {
        let stdout = std::io::stdout();
        rustix::io::ioctl_fionbio(&stdout, !wait)?;
        while self.sent < self.queue.len() {
            match rustix::io::write(&stdout, &self.queue[self.sent..]) {
                Ok(written) => self.sent += written,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        if self.sent == self.queue.len() {
            self.queue.clear();
            self.sent = 0;
        } else if self.sent >= ROOM {
            self.queue.drain(..self.sent);
            self.sent = 0;
        }
        Ok(())
    }
}
