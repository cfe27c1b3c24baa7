//! Supervises one command: reads a spec line on stdin, runs it in bash in a session of its own, streams frames on
//! stdout, and ends only when every descendant is gone. The environment for the command is the worker's own.
//! End of file on stdin means that the engine died: everything is killed. It never decides whether a command may run.

mod bash;
mod frames;
mod supervisor;
mod tree;

use std::io::{BufRead, BufReader};

use serde::Deserialize;

use frames::{Frame, Outbox};
use supervisor::Supervisor;

/// What to run, as the engine writes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    command: String,
    cwd: String,
    /// Bash text that restores umask, variables and functions.
    restore: String,
    wall_millis: u64,
    silence_millis: u64,
}

/// Returns the exit code: 0 when the engine heard everything.
pub(crate) fn main() -> i32 {
    let mut outbox = Outbox::default();
    match read_spec().and_then(|(spec, cancelled)| Supervisor::start(&spec, cancelled)) {
        Ok(supervisor) => supervisor.run(outbox),
        Err(message) => {
            outbox.frame(&Frame::Failed { message });
            i32::from(outbox.send_all().is_err())
        }
    }
}

/// The spec, and whether a cancel came right behind it.
fn read_spec() -> Result<(Spec, bool), String> {
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| format!("The command could not be read: {error}."))?;
    let spec =
        serde_json::from_str(&line).map_err(|error| format!("The command could not be read: {error}."))?;
    Ok((spec, !input.buffer().is_empty()))
}
