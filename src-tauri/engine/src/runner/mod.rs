//! One command's life: start, output, limits, cancel, shell state. On Linux through the worker process that supervises it;
//! elsewhere without one, which keeps less (`plain`).

mod apart;
mod beyond;
mod environment;
mod file;
mod handed_on;
mod heaps;
mod kept;
mod late;
mod living;
mod local;
mod lost;
mod outcome;
mod output;
mod pace;
mod plain;
mod reader;
mod scope;
mod shortcoming;
mod spare;
mod state;
mod sudo;
mod tail;
mod terminal;
#[cfg(test)]
mod tests;
mod turns;
mod unchanged;
mod wire;
mod withheld;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use environment::BaseEnvironment;
pub(crate) use handed_on::{VARIABLE as HANDED_ON, place as handed_on_place};
pub(crate) use heaps::share as share_heaps;
pub(crate) use living::LivingShell;
pub use local::LocalRunner;
pub use plain::PlainRunner;
pub use shortcoming::Shortcoming;
pub(crate) use state::{plain_variables, restore_text};
pub(crate) use terminal::{Terminal, Terminals};
pub(crate) use wire::orders;
pub use withheld::Withheld;

use serde::Deserialize;
use tokio::sync::watch;

use crate::approval::Permit;
use crate::protocol::{Action, ExitStatus, OutputChunk, ShellState, Text, Time};
use crate::redact::Redactor;
use crate::secret::Door;

/// One run of one action.
#[derive(Debug, Clone)]
pub struct RunRequest {
    pub action: Action,
    /// Plan revision that the permit was given for.
    pub revision: u32,
    /// The shell state to start from; its `cwd` is where the command runs.
    pub shell: ShellState,
    /// The secrets that the state has references to; the command alone gets them.
    pub withheld: Withheld,
    pub wall_limit: Duration,
    pub silence_limit: Duration,
    /// Where its programs ask the user for a password; `None`: they cannot.
    pub(crate) askpass: Option<Door>,
    /// Where the whole output goes, up to `output_cap` bytes and the end beyond; `None` keeps only head and tail.
    pub output_file: Option<PathBuf>,
    pub output_cap: u64,
    /// One pipe for both streams: their order is exact, and all of it counts as stdout. With two, what is written to
    /// both within microseconds may change places.
    pub one_pipe: bool,
    /// The terminal that it runs in, which its permit must be for; all of its output counts as stdout.
    pub(crate) terminal: Option<Arc<Terminal>>,
    /// The shell that lives on behind it, and that it goes on in where one lives; `None`: it has one of its own.
    pub(crate) living: Option<LivingShell>,
    /// No command of its run comes behind it, and nothing is to run on: a shell that has something to do at its end does that
    /// then.
    pub(crate) is_last: bool,
}

/// A process that a command has left running.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Running {
    pub pid: i32,
    /// Its words as the system tells them; `None` where it is a part of the shell.
    pub command: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    pub exit_status: ExitStatus,
    pub stdout: Text,
    pub stderr: Text,
    /// Both in order; head and tail.
    pub output: Text,
    pub omitted_lines: u32,
    /// All that it wrote, with its secrets hidden.
    pub output_bytes: u64,
    pub started_at: Time,
    pub ended_at: Time,
    /// What the command left in its shell; `None` when it could not be read (the state before it stays).
    pub shell: Option<ShellState>,
    /// Processes that outlived the leader and were ended.
    pub leftovers: u32,
    /// What runs on in the shell that lives on; `None`: as it was before.
    pub jobs: Option<Vec<Running>>,
    /// When its processes were at work, in milliseconds since 1970; `None` where nobody watched.
    pub work: Option<Vec<(u64, u64)>>,
    pub trail: Trail,
}

/// What a command's shell knew at its end beside its status. Empty where it could not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Trail {
    /// The statuses of the parts of the pipeline that ran last (`PIPESTATUS`).
    pub pipe: Vec<i32>,
    /// The last word of the command that ran last in the shell itself (`$_`).
    pub last_word: Option<String>,
    /// Pipelines before the last in which a part failed.
    #[serde(default)]
    pub passed: Vec<Passed>,
    /// Pipelines that ended a substitution and had a failed part.
    #[serde(default)]
    pub within: Vec<Passed>,
}

/// A pipeline behind which the command went on although a part of it failed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Passed {
    /// The statuses of its parts.
    pub pipe: Vec<i32>,
    /// The command that came next, or that the substitution stands in, as bash writes it.
    pub next: String,
}

/// Takes output while it comes: all of it, in order, on the thread that reads it, so it must be quick. Nothing waits in
/// between; while it takes its time, output waits in the command's own pipes.
pub type Live = Box<dyn FnMut(Vec<OutputChunk>) + Send>;

/// Runs commands; behind a trait so that another system or machine can follow as another implementation.
#[async_trait::async_trait]
pub trait Runner: std::fmt::Debug + Send + Sync {
    /// Runs one action. Output goes to `live` in batches of at most 50 ms while it runs. Setting `cancel` to true ends
    /// every process of it; the call returns when they are gone and the last output was taken.
    async fn run(
        &self,
        permit: Permit,
        request: RunRequest,
        live: Live,
        cancel: watch::Receiver<bool>,
    ) -> RunOutcome;

    /// What it cannot do. Empty where all that is promised is kept.
    fn shortcomings(&self) -> &'static [Shortcoming];
}

/// What this system has for it. `worker` is the program `planwright-worker`, which supervises commands on Linux alone.
pub(crate) fn of_this_machine(worker: PathBuf, redactor: Redactor) -> Arc<dyn Runner> {
    if cfg!(target_os = "linux") {
        Arc::new(LocalRunner::new(worker, redactor))
    } else {
        Arc::new(PlainRunner::new(redactor))
    }
}
