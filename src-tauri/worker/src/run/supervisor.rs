//! The loop around one command. One thread and one `poll`, so that it starts at once and a flood of output never
//! holds up a cancel: output waits in the command's pipes while the engine is slow.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal};

use super::bash::{Shell, Trail};
use super::frames::{self, Ending, Frame, Job, Outbox, Stream};
use super::living::{Line, Living, Wires};
use super::ready::{EngineGone, Lasting, Ready, unsupervised, watch};
use super::spawn::Outputs;
use super::start::{self, Started};
use super::terminal::{Heard, Keyboard, Terminal};
use super::tree::{self, Reaped, Spared, Swept, Tree};
use super::work::Work;
use super::{Orders, Spec};

/// From TERM to KILL after a cancel or a limit.
const GRACE: Duration = Duration::from_millis(1000);
/// A tree that has grown by this many since it was asked to end uses the time to make more.
const GROWTH: usize = 64;
/// Between two looks at that.
const COUNTING: Duration = Duration::from_millis(50);
/// How long output is still read after the command itself ended, when something else holds its pipes open.
const DRAIN: Duration = Duration::from_millis(100);
/// Longest wait for killed processes to disappear.
const SWEEP: Duration = Duration::from_millis(900);
/// Longest sleep of the loop: orphans are reaped at least this often.
const TICK: Duration = Duration::from_secs(1);

/// One command under way.
#[derive(Debug)]
pub(super) struct Supervisor {
    stdout: Option<File>,
    stderr: Option<File>,
    /// What is typed, where there is a terminal.
    keyboard: Option<Keyboard>,
    leader: Pid,
    /// Readable when the leader ended: wakes the loop.
    leader_fd: OwnedFd,
    /// To a shell that lives on.
    line: Option<Line>,
    /// What commands before have left running goes on, however this one ends.
    spares: bool,
    /// Such a shell is behind its command, and lives.
    done: bool,
    shell: Shell,
    started: Instant,
    last_output: Instant,
    /// `None`: no limit that a clock can hold.
    wall_end: Option<Instant>,
    silence: Duration,
    /// The leader's wait status, and when it ended.
    ended: Option<(i32, Instant)>,
    /// Why it is made to end, and since when.
    ending: Option<(Ending, Instant)>,
    growth: Growth,
    work: Work,
    /// Nothing of the command is left.
    all_gone: bool,
    lasting: Lasting,
}

/// A tree that was asked to end, and makes more of itself instead.
#[derive(Debug, Default)]
struct Growth {
    asked: usize,
    counted: Option<Instant>,
    too_much: bool,
}

impl Growth {
    fn look(&mut self, tree: &Tree, now: Instant) {
        if self.counted.is_some_and(|counted| now >= counted + COUNTING) {
            self.too_much = tree.size() > self.asked + GROWTH;
            self.counted = Some(now);
        }
    }
}

impl Supervisor {
    /// Starts the command; the error is in words for people.
    pub(super) fn start(ready: Ready, orders: &Orders) -> Result<Self, String> {
        let Ready { mut shell, mut lasting } = ready;
        let spec = &orders.spec;
        let known = match lasting.living.take() {
            Some(living) if spec.continues.is_none() => {
                // Nobody can bring it to the state that is wanted. What it left running goes on.
                let jobs = lasting.tree.jobs(Some(living.leader));
                lasting.tree.sweep(SWEEP, Spared { jobs: Some(&jobs), shell: None });
                shell = Shell::new().map_err(|error| unsupervised(&error))?;
                None
            }
            known => known,
        };
        if known.is_none() {
            start::enter(&spec.cwd)?;
        }
        let terminal = spec.terminal.map(Terminal::open).transpose();
        let terminal = terminal.map_err(|error| format!("No terminal could be had: {error}."))?;
        let outputs = match &terminal {
            Some(terminal) => Outputs::Terminal(terminal),
            None if spec.one_pipe => Outputs::Together,
            None => Outputs::Apart,
        };
        let started = start::start(&mut shell, known, orders, outputs, &mut lasting.tree, &mut lasting.jobs);
        let started = started.inspect_err(|_| drop(lasting.tree.sweep(SWEEP, Spared::default())))?;
        let keyboard = terminal.map(|terminal| terminal.keyboard(&orders.behind));
        let mut supervisor = Self::watch(started, shell, lasting, keyboard, spec);
        match &mut supervisor.keyboard {
            Some(_) => supervisor.heed(),
            None if !orders.behind.is_empty() => supervisor.end(Ending::Cancelled),
            None => {}
        }
        Ok(supervisor)
    }

    fn watch(
        started: Started,
        shell: Shell,
        lasting: Lasting,
        keyboard: Option<Keyboard>,
        spec: &Spec,
    ) -> Self {
        let Started { leader, leader_fd, wires: Wires { stdout, stderr }, line } = started;
        let now = Instant::now();
        Self {
            stdout: Some(stdout),
            stderr,
            keyboard,
            leader,
            leader_fd,
            line,
            spares: spec.lives,
            done: false,
            shell,
            started: now,
            last_output: now,
            wall_end: now.checked_add(Duration::from_millis(spec.wall_millis)),
            silence: Duration::from_millis(spec.silence_millis),
            ended: None,
            ending: None,
            growth: Growth::default(),
            work: Work::begun(now),
            all_gone: false,
            lasting,
        }
    }

    /// Sees the command to its end. `Some`: the next one may come, as nothing of this one is left but a shell that lives on.
    pub(super) fn run(mut self) -> Result<Option<(Lasting, Option<Shell>)>, EngineGone> {
        let mut outbox = Outbox::default();
        let group = self.lasting.tree.group_path().map(|path| path.display().to_string());
        outbox.frame(&Frame::Started { pid: self.leader.as_raw_nonzero().get(), group });
        let stays = self.supervise(&mut outbox).and_then(|()| self.finish(&mut outbox));
        if stays.is_err() {
            self.lasting.tree.sweep(SWEEP, Spared::default());
        }
        if !stays? {
            return Ok(None);
        }
        let shell = self.lasting.living.is_some().then_some(self.shell);
        Ok(Some((self.lasting, shell)))
    }

    fn supervise(&mut self, outbox: &mut Outbox) -> Result<(), EngineGone> {
        outbox.send_some().map_err(|_| EngineGone)?;
        while !self.is_over() {
            self.step(outbox)?;
            self.reap();
            self.look_at_line(outbox);
            self.enforce_limits(outbox);
            outbox.send_some().map_err(|_| EngineGone)?;
        }
        Ok(())
    }

    /// Sleeps until something happens, then takes what is there.
    fn step(&mut self, outbox: &mut Outbox) -> Result<(), EngineGone> {
        let timeout = self.next_deadline(outbox).saturating_duration_since(Instant::now());
        let timeout =
            Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: i64::from(timeout.subsec_nanos()) };
        let sending = if outbox.is_sending() { PollFlags::OUT } else { PollFlags::empty() };
        let reading = outbox.has_room();
        let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
        let mut fds = vec![PollFd::new(&stdin, PollFlags::IN), PollFd::new(&stdout, sending)];
        // What ended and what must wait is left out: it would wake the loop again and again.
        watch(&mut fds, self.ended.is_none().then(|| self.leader_fd.as_fd()));
        let out_at = watch(&mut fds, self.stdout.as_ref().filter(|_| reading).map(AsFd::as_fd));
        let err_at = watch(&mut fds, self.stderr.as_ref().filter(|_| reading).map(AsFd::as_fd));
        let typing = self.keyboard.as_ref().filter(|keyboard| keyboard.is_typing() && self.ended.is_none());
        fds.extend(typing.map(|keyboard| PollFd::from_borrowed_fd(keyboard.fd(), PollFlags::OUT)));
        if let Some(line) = &self.line {
            fds.push(PollFd::from_borrowed_fd(line.done_fd(), PollFlags::IN));
            fds.extend(self.lasting.jobs.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            fds.extend(line.feeding().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        }
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Err(EngineGone),
        }
        if fds[1].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            return Err(EngineGone);
        }
        let is_ready = |at: Option<usize>| at.is_some_and(|at| !fds[at].revents().is_empty());
        let (engine, out, err) = (is_ready(Some(0)), is_ready(out_at), is_ready(err_at));
        drop(fds);
        if let Some(keyboard) = &mut self.keyboard {
            keyboard.type_some();
        }
        if engine {
            self.hear_engine()?;
        }
        if out {
            self.read(Stream::Stdout, outbox);
        }
        if err {
            self.read(Stream::Stderr, outbox);
        }
        Ok(())
    }

    /// Anything on stdin is a cancel, except what a terminal's keyboard takes; its end is the engine's.
    fn hear_engine(&mut self) -> Result<(), EngineGone> {
        let heard = match &mut self.keyboard {
            Some(keyboard) => keyboard.hear(),
            None => rustix::io::read(std::io::stdin(), &mut [0; 64]),
        };
        match heard {
            Ok(0) => Err(EngineGone),
            Ok(_) if self.keyboard.is_some() => {
                self.heed();
                Ok(())
            }
            Ok(_) => {
                self.end(Ending::Cancelled);
                Ok(())
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(()),
            Err(_) => Err(EngineGone),
        }
    }

    /// Does what came for the terminal.
    fn heed(&mut self) {
        let Some(keyboard) = &mut self.keyboard else { return };
        match keyboard.heed() {
            Heard::Nothing => {}
            Heard::HangUp => self.end(Ending::HungUp),
            Heard::Cancel => {
                // Also when it was hung up before: the stronger word counts.
                if let Some((why @ Ending::HungUp, _)) = &mut self.ending {
                    *why = Ending::Cancelled;
                }
                self.end(Ending::Cancelled);
            }
        }
    }

    /// Takes one buffer full; returns whether there may be more.
    fn read(&mut self, stream: Stream, outbox: &mut Outbox) -> bool {
        let read = match stream {
            Stream::Stdout => self.stdout.as_mut().map(|pipe| pipe.read(&mut self.lasting.buffer)),
            Stream::Stderr => self.stderr.as_mut().map(|pipe| pipe.read(&mut self.lasting.buffer)),
        };
        match read {
            None => false,
            Some(Ok(length @ 1..)) => {
                self.last_output = Instant::now();
                let at = u32::try_from(self.started.elapsed().as_millis()).unwrap_or(u32::MAX);
                outbox.output(stream, at, &self.lasting.buffer[..length]);
                true
            }
            Some(Err(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                false
            }
            Some(Ok(0) | Err(_)) => {
                match stream {
                    Stream::Stdout => self.stdout = None,
                    Stream::Stderr => self.stderr = None,
                }
                false
            }
        }
    }

    fn reap(&mut self) {
        loop {
            match tree::reap() {
                Reaped::Process { pid, status } if pid == self.leader => {
                    self.ended = Some((status, Instant::now()));
                }
                Reaped::Process { .. } => {}
                Reaped::NobodyEnded => return,
                Reaped::NobodyLeft => {
                    self.all_gone = true;
                    return;
                }
            }
        }
    }

    fn look_at_line(&mut self, outbox: &mut Outbox) {
        let Some(line) = &mut self.line else { return };
        line.feed_some();
        if outbox.has_room() {
            self.lasting.jobs.tell(outbox);
        } else {
            self.lasting.jobs.drain();
        }
        if self.ended.is_none() && !self.done && line.is_done() {
            self.done = true;
        }
        if self.ended.is_none() && !self.done {
            line.end_when_starved(Instant::now());
        }
    }

    fn enforce_limits(&mut self, outbox: &Outbox) {
        let now = Instant::now();
        if !outbox.has_room() {
            // The command may be writing; it is the engine that does not read.
            self.last_output = now;
        }
        self.growth.look(&self.lasting.tree, now);
        self.work.look(&self.lasting.tree, now);
        if self.ended.is_none() && self.ending.is_none() {
            if self.wall_end.is_some_and(|end| now >= end) {
                self.end(Ending::TimedOut);
            } else if self.silence_end().is_some_and(|end| now >= end) {
                self.end(Ending::Silent);
            }
        }
    }

    fn silence_end(&self) -> Option<Instant> {
        self.last_output.checked_add(self.silence)
    }

    /// Asks everything to end. The first reason counts; after the leader's own end only leftovers are waited for, and
    /// not for long.
    fn end(&mut self, why: Ending) {
        if self.ending.is_none() && self.ended.is_none() {
            self.ending = Some((why, Instant::now()));
            // A shell at a terminal heeds the end of that alone.
            let signals: &[Signal] = match (why, &self.keyboard) {
                (Ending::HungUp, _) => &[Signal::HUP],
                (_, Some(_)) => &[Signal::HUP, Signal::TERM],
                (_, None) => &[Signal::TERM],
            };
            let asked = self.lasting.tree.size();
            self.lasting.tree.terminate(signals, self.spared());
            self.growth = Growth { asked, counted: Some(Instant::now()), too_much: false };
        }
    }

    fn spared(&self) -> Spared<'_> {
        let before = &self.lasting.jobs.before;
        Spared { jobs: (self.spares && !before.is_empty()).then_some(before), shell: None }
    }

    /// But for what is spared.
    fn nobody_left(&self) -> bool {
        self.all_gone || (!self.lasting.jobs.before.is_empty() && self.lasting.tree.is_only(self.spared()))
    }

    fn is_over(&self) -> bool {
        let now = Instant::now();
        match (&self.ended, &self.ending) {
            // Asked to end: everyone gets the grace, also when the leader was quick. Not for making ever more.
            (_, Some((_, since))) => {
                now >= *since + GRACE || (self.ended.is_some() && self.nobody_left()) || self.growth.too_much
            }
            (Some((_, at)), None) => {
                self.all_gone || (self.stdout.is_none() && self.stderr.is_none()) || now >= *at + DRAIN
            }
            (None, None) => self.done,
        }
    }

    fn next_deadline(&self, outbox: &Outbox) -> Instant {
        let mut next = (Instant::now() + TICK).min(self.work.due());
        let deadlines = [
            outbox.flush_at(),
            if self.ended.is_none() { self.wall_end } else { None },
            if self.ended.is_none() { self.silence_end() } else { None },
            self.ended.map(|(_, at)| at + DRAIN),
            self.ending.map(|(_, since)| since + GRACE),
        ];
        for deadline in deadlines.into_iter().flatten() {
            next = next.min(deadline);
        }
        if self.ending.is_some() {
            // Nothing wakes the loop when the last orphan goes.
            next = next.min(Instant::now() + Duration::from_millis(20));
        }
        next
    }

    /// The command is done and its shell lives on, with what it has left running unless it failed.
    fn finish_alive(&mut self, outbox: &mut Outbox) -> Result<bool, EngineGone> {
        let trail = self.shell.trail();
        let Some(line) = self.line.take() else { return Ok(false) };
        let Lasting { tree, jobs, .. } = &mut self.lasting;
        let mut running = tree.jobs(Some(self.leader));
        let mut leftovers = 0;
        if trail.status != 0 && running.iter().any(|job| !jobs.before.contains(job)) {
            let spared = Spared { jobs: Some(&jobs.before), shell: Some(self.leader) };
            leftovers = tree.sweep(SWEEP, spared).ended(self.leader);
            running = tree.jobs(Some(self.leader));
        }
        self.read_out(outbox)?;
        self.lasting.jobs.leave_behind(self.stdout.take(), self.stderr.take());
        let begun_again = Work::begun(Instant::now());
        let work = std::mem::replace(&mut self.work, begun_again).ended();
        let Trail { status, pipe, last_word, passed, within } = trail;
        let ending = Ending::Code { code: status };
        outbox.frame(&Frame::Ended { ending, work, pipe, last_word, passed, within });
        if let Some(state) = self.shell.left_state() {
            outbox.state(&state);
        }
        let stays = self.lasting.is_as_born();
        let jobs = Some(told(&running, Some(self.leader)));
        outbox.frame(&Frame::Gone { leftovers, survivors: 0, stays, jobs });
        outbox.send_all().map_err(|_| EngineGone)?;
        if !stays {
            self.lasting.tree.sweep(SWEEP, Spared::default());
            return Ok(false);
        }
        let leader_fd = self.leader_fd.try_clone().map_err(|_| EngineGone)?;
        self.lasting.living = Some(Living { leader: self.leader, leader_fd, line });
        // The engine may have been woken on this processor, and has more to do than is left to be done here.
        std::thread::yield_now();
        Ok(true)
    }

    /// What the pipes still hold; their writers are gone or done, so this ends. The bound is for one that could not be killed.
    fn read_out(&mut self, outbox: &mut Outbox) -> Result<(), EngineGone> {
        let until = Instant::now() + DRAIN;
        for stream in [Stream::Stdout, Stream::Stderr] {
            while self.read(stream, outbox) && Instant::now() < until {
                outbox.send_all().map_err(|_| EngineGone)?;
            }
        }
        Ok(())
    }

    /// Ends what is left, and reports. Returns whether this process takes another command.
    fn finish(&mut self, outbox: &mut Outbox) -> Result<bool, EngineGone> {
        if self.done && self.ending.is_none() {
            return self.finish_alive(outbox);
        }
        let none_left = self.all_gone && !self.lasting.tree.is_populated();
        let swept = if none_left { Swept::default() } else { self.lasting.tree.sweep(SWEEP, self.spared()) };
        if self.ended.is_none() {
            self.ended = swept.status_of(self.leader).map(|status| (status, Instant::now()));
        }
        self.read_out(outbox)?;
        self.lasting.jobs.tell(outbox);
        let ending = self.ending.map(|(why, _)| why);
        let natural = ending.is_none();
        let status = self.ended.map(|(status, _)| status);
        let ending = ending.filter(|ending| !matches!(ending, Ending::HungUp));
        let ending = ending.unwrap_or_else(|| Ending::from_status(status));
        let begun_again = Work::begun(Instant::now());
        let work = std::mem::replace(&mut self.work, begun_again).ended();
        let Trail { pipe, last_word, passed, within, .. } =
            if natural { self.shell.trail() } else { Trail::default() };
        outbox.frame(&Frame::Ended { ending, work, pipe, last_word, passed, within });
        if natural && let Some(state) = self.shell.left_state() {
            outbox.state(&state);
        }
        let running = if none_left || !self.spares { HashSet::new() } else { self.lasting.tree.jobs(None) };
        // Only after the plainest of ends: whatever else was met, it is not to meet the next command. But what runs on is
        // looked after. What is typed after the end must not be read as orders, so a worker with a keyboard does not stay.
        let is_plain = natural && none_left && self.keyboard.is_none();
        let stays = (is_plain || (!running.is_empty() && swept.survivors == 0)) && self.lasting.is_as_born();
        outbox.frame(&Frame::Gone {
            leftovers: swept.ended(self.leader),
            survivors: swept.survivors,
            stays,
            jobs: (stays && !running.is_empty()).then(|| told(&running, None)),
        });
        outbox.send_all().map_err(|_| EngineGone)?;
        // The engine may have been woken on this processor, and has more to do than is left to be done here.
        std::thread::yield_now();
        Ok(stays)
    }
}

/// Those of what runs on that nothing else of it has started. `shell`: its words are no job's own.
fn told(running: &HashSet<Pid>, shell: Option<Pid>) -> Vec<Job> {
    let shell = shell.and_then(|shell| frames::words_of(shell.as_raw_nonzero().get())).unwrap_or_default();
    let top =
        running.iter().filter(|job| tree::parent(**job).is_none_or(|parent| !running.contains(&parent)));
    top.filter_map(|job| Job::of(*job, &shell)).collect()
}
