//! What is to run, and what is heard of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// Text for bash.
    pub command: &'a str,
    pub cwd: &'a Path,
    /// All of it: nothing is inherited.
    pub environment: &'a BTreeMap<OsString, OsString>,
    /// How long it may run, and how long it may write nothing.
    pub wall_limit: Duration,
    pub silence_limit: Duration,
    /// One pipe for both streams: their order is exact, and all of it counts as stdout.
    pub one_pipe: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// What came from one stream in one go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub stream: Stream,
    /// Since the command's start.
    pub at_millis: u32,
    pub bytes: Vec<u8>,
}

/// Why nothing ran, in words for people.
#[derive(Debug, thiserror::Error)]
pub enum Unstarted {
    #[error("The folder {0} does not exist. Choose another folder.")]
    NoFolder(String),
    #[error("bash was not found. Install bash and try again.")]
    NoBash,
    #[error("The command together with its variables is too long to run.")]
    TooLong,
    #[error("The command could not be started: {0}.")]
    Failed(io::Error),
}

impl From<io::Error> for Unstarted {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ArgumentListTooLong => Self::TooLong,
            io::ErrorKind::NotFound => Self::NoBash,
            _ => Self::Failed(error),
        }
    }
}
