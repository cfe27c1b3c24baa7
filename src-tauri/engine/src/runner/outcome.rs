//! What every runner does in the same way, whatever system it runs on: whether a run is permitted, which secrets it brings,
//! and how its end is told.

use std::ffi::OsStr;
use std::time::Duration;

use tokio::sync::watch;

use super::output::Kept;
use super::wire::Ending;
use super::{RunOutcome, RunRequest, Trail, Withheld};
use crate::approval::{Permit, Place};
use crate::protocol::{ExitStatus, ShellState, Text, Time};
use crate::redact::Redactor;

impl RunRequest {
    /// The outcome without a run: it is not permitted, or was cancelled before it began. `None`: it may begin.
    pub(super) fn refused(
        &self,
        permit: &Permit,
        cancel: &mut watch::Receiver<bool>,
        started_at: Time,
    ) -> Option<RunOutcome> {
        if !self.is_permitted_by(permit) {
            return Some(RunOutcome::not_started(
                started_at,
                "This command was not permitted, so it was not run.",
            ));
        }
        cancel.borrow_and_update().then(|| RunOutcome::without_running(started_at, ExitStatus::Cancelled))
    }

    fn is_permitted_by(&self, permit: &Permit) -> bool {
        let place = Place::Shell(&self.shell);
        match self.terminal {
            Some(_) => permit.covers_in_terminal(&self.action, place, self.revision),
            None => permit.covers(&self.action, place, self.revision),
        }
    }

    /// With the secrets in its shell state, once it is permitted as it is.
    pub(super) fn revealed(mut self) -> (Self, Withheld) {
        let withheld = self.withheld.clone();
        self.shell = withheld.revealed(self.shell);
        (self, withheld)
    }

    /// Has the redactor learn the secrets that this command gets.
    pub(super) fn tell_secrets(&self, redactor: &Redactor) {
        let ShellState { environment, variables, .. } = &self.shell;
        let exported = environment.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let exported = exported.map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
        redactor.know_environment(exported);
        variables.values().for_each(|statement| redactor.know_assignments(statement));
        redactor.know_command(self.action.command());
    }
}

impl RunOutcome {
    pub(super) fn not_started(started_at: Time, message: &str) -> Self {
        Self::without_running(started_at, ExitStatus::NotStarted { message: message.to_owned() })
    }

    fn without_running(started_at: Time, exit_status: ExitStatus) -> Self {
        Self {
            exit_status,
            stdout: Text::default(),
            stderr: Text::default(),
            output: Text::default(),
            omitted_lines: 0,
            output_bytes: 0,
            started_at,
            ended_at: started_at,
            shell: None,
            leftovers: 0,
            jobs: None,
            trail: Trail::default(),
            work: Some(Vec::new()),
        }
    }

    /// Without the secrets that the command had.
    pub(super) fn hidden(self, withheld: &Withheld) -> Self {
        Self { shell: self.shell.map(|shell| withheld.hidden(shell)), ..self }
    }

    /// `took`: by the monotonic clock.
    pub(super) fn new(exit_status: ExitStatus, kept: Kept, started_at: Time, took: Duration) -> Self {
        Self {
            exit_status,
            stdout: kept.stdout,
            stderr: kept.stderr,
            output: kept.merged,
            omitted_lines: kept.omitted_lines,
            output_bytes: kept.bytes,
            started_at,
            ended_at: started_at.after(took),
            shell: None,
            leftovers: 0,
            jobs: None,
            trail: Trail::default(),
            work: None,
        }
    }
}

impl Ending {
    /// `None` when it is not known how it ended.
    pub(super) fn status(self, request: &RunRequest) -> Option<ExitStatus> {
        Some(match self {
            Self::Code { code } => ExitStatus::Code { code },
            Self::Signal { signal } => ExitStatus::Signal { signal, name: signal_name(signal) },
            Self::TimedOut => ExitStatus::TimedOut { seconds: seconds(request.wall_limit) },
            Self::Silent => ExitStatus::Silent { seconds: seconds(request.silence_limit) },
            Self::Cancelled => ExitStatus::Cancelled,
            Self::Unknown => return None,
        })
    }
}

fn seconds(limit: Duration) -> u32 {
    u32::try_from(limit.as_secs()).unwrap_or(u32::MAX)
}

fn signal_name(signal: i32) -> String {
    use rustix::process::Signal;
    let known = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    known
        .into_iter()
        .find(|(known, _)| known.as_raw() == signal)
        .map_or_else(|| format!("signal {signal}"), |(_, name)| name.to_owned())
}
