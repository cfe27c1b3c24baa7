//! Foretells what a command that waits for an answer would do to files, by trying it out in the worker's sandbox: on
//! overlays, with no network, no rights, no devices, no services. It takes no permit and so must never run anything
//! anywhere else: [`Sandbox`] is the only way in, and all it can start is that sandbox. What the command prints is never
//! read; what it foretells is shown, never recorded, and never given to a model.

mod open;
mod reach;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

pub(crate) use open::{Forecasts, Foretelling};
pub(crate) use reach::{beyond, why_not};

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use crate::protocol::{Forecast, ShellState};
use crate::runner::{BaseEnvironment, orders, restore_text};

/// How long a command may take.
const LIMIT: Duration = Duration::from_secs(5);
/// What making the sandbox and looking at its files may take besides.
const AROUND: Duration = Duration::from_secs(10);
/// No answer is longer: 200 paths and some notes.
const ANSWER: u64 = 4 * 1024 * 1024;
/// Files that are told one by one.
const LISTED: usize = 200;

/// Tries commands out. Whether this machine allows it shows each time that it is asked: making the sandbox takes
/// milliseconds, and a refusal is an answer like any other.
#[derive(Debug, Clone)]
pub struct Sandbox {
    worker: PathBuf,
    base: BaseEnvironment,
    limit: Duration,
}

/// A command to try, with all that it would start from.
#[derive(Debug, Clone)]
pub struct Trial {
    pub command: String,
    pub shell: ShellState,
    /// The session's folder.
    pub workspace: String,
    pub home: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Spec<'a> {
    command: &'a str,
    cwd: &'a str,
    workspace: &'a str,
    home: &'a str,
    restore: &'a str,
    wall_millis: u64,
}

impl Sandbox {
    /// `worker` is the program `planwright-worker`. Commands start from the environment as it is now.
    pub fn new(worker: PathBuf) -> Self {
        let base = BaseEnvironment::capture(&worker);
        Self { worker, base, limit: LIMIT }
    }

    /// Tries a command out: `Made` or `Unavailable`. When this is dropped, everything of it is killed.
    pub async fn forecast(&self, trial: &Trial) -> Forecast {
        match tokio::time::timeout(self.limit + AROUND, self.ask(trial)).await {
            Ok(Ok(forecast)) => forecast,
            Ok(Err(why)) => Forecast::Unavailable { why },
            Err(_) => Forecast::Unavailable { why: "Trying it out took too long.".to_owned() },
        }
    }

    async fn ask(&self, trial: &Trial) -> Result<Forecast, String> {
        let broken = |error: &dyn std::fmt::Display| format!("The sandbox could not be used: {error}.");
        let spec = Spec {
            command: &trial.command,
            cwd: &trial.shell.cwd,
            workspace: &trial.workspace,
            home: &trial.home,
            restore: &restore_text(&trial.shell),
            wall_millis: u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX),
        };
        let orders = orders(&spec, &self.base.overlaid(&trial.shell)).map_err(|error| broken(&error))?;
        let mut worker = self.start().map_err(|error| broken(&error))?;
        // Held until the answer is there: its end tells the worker that nobody waits any more.
        let mut stdin = worker.stdin.take();
        let mut answer = Vec::new();
        if let (Some(stdin), Some(stdout)) = (&mut stdin, worker.stdout.take()) {
            stdin.write_all(&orders).await.map_err(|error| broken(&error))?;
            stdout.take(ANSWER).read_to_end(&mut answer).await.map_err(|error| broken(&error))?;
        }
        // Its end is only tidied up after; dropping it would kill it anyway.
        let _ = worker.wait().await;
        match serde_json::from_slice(&answer) {
            Ok(Forecast::Made { mut files, mut more, exit_status, milliseconds, notes }) => {
                more += u32::try_from(files.len().saturating_sub(LISTED)).unwrap_or(u32::MAX);
                files.truncate(LISTED);
                Ok(Forecast::Made { files, more, exit_status, milliseconds, notes })
            }
            Ok(unavailable @ Forecast::Unavailable { .. }) => Ok(unavailable),
            Ok(Forecast::Running) => Err(broken(&"it gave no answer")),
            Err(error) => Err(broken(&error)),
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        Command::new(&self.worker)
            .arg("forecast")
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}
