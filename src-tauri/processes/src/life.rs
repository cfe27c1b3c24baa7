//! The loop around one command. It sleeps most of the time and looks at most fifty times a second: what it writes wakes it,
//! its end and a cancel are seen at the next look. Output waits in the command's pipes while its taker is slow.

use std::io::Read;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::bash;
use crate::group::Group;
use crate::order::{Order, Piece, Stream, Unstarted};

/// From the asking to the killing after a cancel or a limit.
const GRACE: Duration = Duration::from_millis(1000);
/// How long output is still read after the command itself ended, when something else holds its pipes open.
const DRAIN: Duration = Duration::from_millis(100);
/// Between two looks at whether all that was asked to end has done so: each takes the system's list of processes.
const COUNTING: Duration = Duration::from_millis(50);
/// The shortest and the longest sleep.
const NAPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));
const READ_BYTES: usize = 32 * 1024;
/// Bytes that are handed on together, and pieces that wait for it.
const BATCH_BYTES: usize = 64 * 1024;
const WAITING: usize = 4;

/// Ends a command from elsewhere. Clones end the same one.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Code(i32),
    Signal(i32),
    TimedOut,
    Silent,
    Cancelled,
    /// The system does not say how.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub ending: Ending,
    /// Processes that outlived bash and were ended, as far as they are found; where the system has no list, none are.
    pub leftovers: u32,
}

/// Runs one command to its end, on this thread. What it writes goes to `take`, in order and in batches.
///
/// # Errors
/// When nothing was run.
pub fn run(order: &Order<'_>, stop: &Stop, mut take: impl FnMut(&[Piece])) -> Result<Ended, Unstarted> {
    let started = Instant::now();
    let (group, heard) = start(order, started)?;
    let mut life = Life {
        group,
        heard: Some(heard),
        wall_end: started.checked_add(order.wall_limit),
        silence: order.silence_limit,
        last_output: started,
        nap: NAPS.0,
        ended: None,
        ending: None,
        counted: started,
        all_gone: false,
    };
    while !life.is_over() {
        life.listen(&mut take);
        life.look(stop);
    }
    Ok(life.finish(&mut take))
}

struct Life {
    group: Group,
    /// `None`: its outputs are closed.
    heard: Option<Receiver<Piece>>,
    /// `None`: no limit that a clock can hold.
    wall_end: Option<Instant>,
    silence: Duration,
    last_output: Instant,
    nap: Duration,
    /// When bash itself ended.
    ended: Option<Instant>,
    /// Why it is made to end, and since when.
    ending: Option<(Ending, Instant)>,
    /// The last look at whether all are gone, and what it saw.
    counted: Instant,
    all_gone: bool,
}

impl Life {
    /// Sleeps until something is written, at most a nap, and hands it on with all that has come by then.
    fn listen(&mut self, take: &mut impl FnMut(&[Piece])) {
        self.nap = (self.nap * 2).min(NAPS.1);
        let Some(heard) = &self.heard else {
            thread::sleep(self.nap);
            return;
        };
        match heard.recv_timeout(self.nap) {
            Ok(first) => {
                let mut bytes = first.bytes.len();
                let mut pieces = vec![first];
                while bytes < BATCH_BYTES
                    && let Ok(piece) = heard.try_recv()
                {
                    bytes += piece.bytes.len();
                    pieces.push(piece);
                }
                take(&pieces);
                // Now, not when it was written: while its taker is slow the command cannot write.
                self.last_output = Instant::now();
                self.nap = NAPS.0;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // Most commands end at this moment.
                self.heard = None;
                self.nap = NAPS.0;
            }
        }
    }

    fn look(&mut self, stop: &Stop) {
        let now = Instant::now();
        if self.ended.is_none() && self.group.has_ended() {
            self.ended = Some(now);
        }
        if self.ended.is_none() && self.ending.is_none() {
            let silent = self.last_output.checked_add(self.silence).is_some_and(|end| now >= end);
            let why = match () {
                () if stop.is_wanted() => Some(Ending::Cancelled),
                () if self.wall_end.is_some_and(|end| now >= end) => Some(Ending::TimedOut),
                () if silent => Some(Ending::Silent),
                () => None,
            };
            if let Some(why) = why {
                self.ending = Some((why, now));
                self.group.ask_to_end();
                self.nap = NAPS.0;
            }
        }
        if self.ending.is_some() && self.ended.is_some() && now >= self.counted + COUNTING {
            self.counted = now;
            self.all_gone = self.group.is_gone();
        }
    }

    fn is_over(&self) -> bool {
        let now = Instant::now();
        match (self.ended, self.ending) {
            // Asked to end: everyone gets the grace, also when bash was quick.
            (_, Some((_, since))) => !Group::CAN_ASK || self.all_gone || now >= since + GRACE,
            (Some(at), None) => self.heard.is_none() || now >= at + DRAIN,
            (None, None) => false,
        }
    }

    /// Ends what is left and takes what the pipes still hold.
    fn finish(mut self, take: &mut impl FnMut(&[Piece])) -> Ended {
        let (status, leftovers) = self.group.end();
        let until = Instant::now() + DRAIN;
        // Its writers are gone, so this ends. The bound is for those that got away and hold a pipe open.
        while self.heard.is_some() && Instant::now() < until {
            self.listen(take);
        }
        let ending = self.ending.map_or(status, |(why, _)| why);
        Ended { ending, leftovers }
    }
}

fn start(order: &Order<'_>, started: Instant) -> Result<(Group, Receiver<Piece>), Unstarted> {
    let mut command = bash::command(order)?;
    command.stdin(Stdio::null());
    let (sender, heard) = sync_channel(WAITING);
    let (out, its_out) = std::io::pipe()?;
    let mut outputs = vec![(Stream::Stdout, out)];
    if order.one_pipe {
        command.stderr(its_out.try_clone()?);
    } else {
        let (err, its_err) = std::io::pipe()?;
        outputs.push((Stream::Stderr, err));
        command.stderr(its_err);
    }
    command.stdout(its_out);
    // It takes this program's ends of the pipes with it, so that they close with the last of the command's.
    let mut group = Group::start(command)?;
    for (stream, pipe) in outputs {
        let sender = sender.clone();
        let reading = move || read_all(pipe, stream, started, &sender);
        if let Err(error) = thread::Builder::new().name("output".to_owned()).spawn(reading) {
            group.end();
            return Err(Unstarted::Failed(error));
        }
    }
    Ok((group, heard))
}

/// Until the stream ends or nobody listens. Where a process that got away holds the pipe, that is when it ends.
fn read_all(mut pipe: impl Read, stream: Stream, started: Instant, to: &SyncSender<Piece>) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match pipe.read(&mut buffer) {
            Ok(length @ 1..) => {
                let at_millis = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
                let piece = Piece { stream, at_millis, bytes: buffer[..length].to_vec() };
                if to.send(piece).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
        }
    }
}
