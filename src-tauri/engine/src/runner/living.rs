//! A shell that lives on between the commands of a session, so that what a terminal keeps is kept: jobs, traps, descriptors,
//! limits. The session's own state of the shell stays what counts: before each command the shell is brought to it, and where
//! that cannot be done a new one takes its place.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::environment::BaseEnvironment;
use super::handed_on;
use super::late::LateOutput;
use super::spare::{self, Link, Waiting};
use super::state::{self, quoted};
use super::wire::{self, Frame, Report};
use super::{RunRequest, Running, lost};
use crate::protocol::{ShellState, Stream};

/// Longest wait for what a shell does at its end.
const CLOSING: Duration = Duration::from_secs(5);

/// A session's shell. Clones share it; with the last of them, all that runs in it is killed.
#[derive(Debug, Clone, Default)]
pub(crate) struct LivingShell(Arc<Mutex<Place>>);

#[derive(Debug, Default)]
struct Place {
    /// `None` while a command is under way in it, too.
    kept: Option<Kept>,
    leased: bool,
    /// The worker above it, and what its commands have left running, as last told.
    worker: Option<u32>,
    running: Vec<Running>,
    /// How many commands it has had, and where their jobs' output goes, by number.
    commands: u32,
    late: BTreeMap<u32, LateOutput>,
}

/// The shell between two commands.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) waiting: Waiting,
    /// The state that it is in, secrets and all. `None`: it has ended, or nobody knows; what it left running goes on.
    pub(super) state: Option<ShellState>,
}

/// The right to run one command in the shell.
#[derive(Debug)]
pub(super) struct Lease {
    of: LivingShell,
    kept: Option<Kept>,
    /// Which of its shell's commands it is for.
    pub(super) number: u32,
}

impl Lease {
    /// The shell, where one lives.
    pub(super) fn take(&mut self) -> Option<Kept> {
        self.kept.take()
    }

    /// The shell lives on behind the command; `late` is for what this one's jobs write.
    pub(super) fn give_back(mut self, kept: Kept, running: Vec<Running>, late: LateOutput) {
        let mut place = self.of.place();
        if running.is_empty() {
            place.late.clear();
        } else {
            place.late.insert(self.number, late);
        }
        (place.worker, place.running) = (Some(kept.waiting.id()), running);
        drop(place);
        self.kept = Some(kept);
    }

    /// What jobs of an earlier command wrote.
    pub(super) fn late(&self, number: u32, stream: Stream, bytes: &[u8]) {
        if let Some(late) = self.of.place().late.get_mut(&number) {
            late.push(stream, bytes);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut place = self.of.place();
        place.leased = false;
        place.kept = self.kept.take();
    }
}

impl LivingShell {
    /// For one command. `None` while another is under way in it: that command has a shell of its own.
    pub(super) fn lease(&self) -> Option<Lease> {
        let mut place = self.place();
        if std::mem::replace(&mut place.leased, true) {
            return None;
        }
        let kept = place.kept.take().and_then(|mut kept| kept.waiting.is_alive().then_some(kept));
        place.commands += 1;
        Some(Lease { of: self.clone(), kept, number: place.commands })
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What its commands have left running and has not ended.
    pub(crate) fn running(&self) -> Vec<Running> {
        let place = self.place();
        let Some(worker) = place.worker else { return Vec::new() };
        place.running.iter().filter(|running| lost::is_below(running.pid, worker)).cloned().collect()
    }

    /// Asks a job and what it has started to end, and kills what does not. Blocks for a second at most.
    pub(crate) fn end_job(&self, pid: i32) {
        if self.running().iter().any(|running| running.pid == pid) {
            lost::end_tree(pid);
        }
    }

    /// Kills it and all that runs in it. Blocks until they are gone.
    pub(crate) fn end(&self) {
        if let Some(kept) = self.lease().and_then(|mut lease| lease.take()) {
            kept.waiting.end();
        }
    }

    /// Has it end as a shell does whose script is over: what it was to do at its end is done. Then all that still runs in it
    /// is killed. Blocks for some seconds at most.
    pub(crate) fn close(&self) {
        let Some(mut lease) = self.lease() else { return };
        let Some(Kept { waiting, state }) = lease.take() else { return };
        let Some(state) = state else { return waiting.end() };
        let spec = wire::Spec {
            cwd: &state.cwd,
            wall_millis: wire::millis(CLOSING),
            silence_millis: wire::millis(CLOSING),
            continues: Some(""),
            ..wire::Spec::default()
        };
        if let Some((link, _)) = lease.ask(waiting, &spec) {
            drop(link.stdin);
            spare::see_off(link.child);
        }
    }

    /// Takes what jobs have written since the last command. Nothing while another command is under way, which takes it too.
    pub(crate) fn look(&self) {
        let Some(mut lease) = self.lease() else { return };
        let Some(Kept { waiting, state }) = lease.take() else { return };
        let spec = wire::Spec { look: true, ..wire::Spec::default() };
        if let Some((Link { child, stdin, stdout }, true)) = lease.ask(waiting, &spec) {
            lease.kept = Some(Kept { waiting: Waiting::of(child, stdin, stdout), state });
        }
    }
}

impl Lease {
    /// Gives orders that have no output of their own, and hears all that the worker says to them. With it, whether the worker
    /// waits for more.
    fn ask(&self, waiting: Waiting, spec: &wire::Spec<'_>) -> Option<(Link, bool)> {
        let orders = wire::orders(spec, &BTreeMap::new()).ok()?;
        let mut link = waiting.order(&orders).ok()?;
        let mut from = BufReader::new(&mut link.stdout);
        let stays = loop {
            match wire::read_frame(&mut from) {
                Ok(Some(Frame::Late { number, stream, bytes })) => self.late(number, stream, &bytes),
                Ok(Some(Frame::Report(Report::Gone { stays, .. }))) => break stays,
                Ok(Some(Frame::Report(Report::Failed { .. })) | None) | Err(_) => break false,
                Ok(Some(_)) => {}
            }
        };
        let stays = stays && from.buffer().is_empty();
        Some((link, stays))
    }
}

/// Whether the shell's end comes with this command: it is the last, and the shell has something to do then.
pub(super) fn ends_behind(request: &RunRequest) -> bool {
    let sets_a_trap = request.action.command().contains("trap");
    request.is_last && (sets_a_trap || request.shell.traps.iter().any(|trap| trap.ends_with(" EXIT")))
}

/// Bash text that brings a shell from one state to another and ends it where that fails, so that no command runs in a state that
/// nobody judged. `None`: only a new shell can be in that state.
pub(super) fn change(from: &ShellState, to: &ShellState, base: &BaseEnvironment) -> Option<String> {
    let mut text = String::new();
    let mut add = |line: String| text += &format!("{line} || builtin exit 97\n");
    // What is not in the environment any more could still be a variable of the shell, and the other way round.
    for (name, value) in differing(&from.environment, &to.environment) {
        match value {
            Some(Some(value)) => add(format!("builtin export {name}={}", quoted(value))),
            Some(None) => add(format!("builtin unset -v {name}")),
            None => match base.get(name) {
                Some(value) => add(format!("builtin export {name}={}", quoted(value.to_str()?))),
                None if to.variables.contains_key(name) => add(format!("builtin export -n {name}")),
                None => add(format!("builtin unset -v {name}")),
            },
        }
    }
    for (name, statement) in differing(&from.variables, &to.variables) {
        if from.variables.get(name).is_some_and(|statement| is_readonly(statement)) {
            return None;
        }
        if !to.environment.contains_key(name) {
            add(format!("builtin unset -v {name}"));
        }
        if let Some(statement) = statement {
            add(format!("builtin eval {}", quoted(statement)));
        }
    }
    for (name, definition) in differing(&from.functions, &to.functions) {
        match definition {
            Some(definition) => add(format!("builtin eval {}", quoted(definition))),
            None => add(format!("builtin unset -f {name}")),
        }
    }
    if from.umask != to.umask {
        if to.umask.is_empty() || !to.umask.bytes().all(|byte| matches!(byte, b'0'..=b'7')) {
            return None;
        }
        add(format!("builtin umask {}", to.umask));
    }
    for option in from.options.iter().filter(|option| !to.options.contains(option)) {
        add(state::option_off(option)?);
    }
    if from.arguments != to.arguments {
        let arguments: Vec<String> = to.arguments.iter().map(|argument| quoted(argument)).collect();
        add(format!("builtin set -- {}", arguments.join(" ")));
    }
    if from.traps != to.traps {
        return None;
    }
    if from.cwd != to.cwd {
        add(format!("builtin cd -- {}", quoted(&to.cwd)));
    }
    if from.folders != to.folders {
        add("builtin dirs -c".to_owned());
        to.folders.iter().rev().for_each(|folder| add(format!("builtin pushd -n {}", quoted(folder))));
    }
    Some(text)
}

fn is_readonly(statement: &str) -> bool {
    let flags = statement.strip_prefix("declare -").and_then(|rest| rest.split(' ').next());
    flags.is_some_and(|flags| flags.contains('r'))
}

/// What has another value in the second, or none.
fn differing<'a, T: PartialEq>(
    from: &'a std::collections::BTreeMap<String, T>,
    to: &'a std::collections::BTreeMap<String, T>,
) -> Vec<(&'a str, Option<&'a T>)> {
    let changed = to.iter().filter(|(name, value)| from.get(*name) != Some(value));
    let gone = from.keys().filter(|name| !to.contains_key(*name));
    let changed = changed.map(|(name, value)| (name.as_str(), Some(value)));
    changed.chain(gone.map(|name| (name.as_str(), None))).collect()
}

/// The file that the next command may hand values on in is another one.
pub(super) fn handed_on_text(file: &str) -> String {
    format!("builtin export {}={}\n", handed_on::VARIABLE, quoted(file))
}
