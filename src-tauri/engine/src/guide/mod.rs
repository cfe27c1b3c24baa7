//! The field guide: common failures and their repairs, as data with a reason and tests for each rule. No model.
//! It prefers saying nothing to saying something wrong. It reads the machine, and runs nothing.

use std::path::{Path, PathBuf};

use planwright_shell::Facts;

use crate::protocol::AgentCorrection;

/// One failed attempt, as the guide sees it.
#[derive(Debug, Clone)]
pub struct Failure {
    pub command: String,
    /// `None` when a signal or a limit ended it.
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// `None` when not known: then no rule looks at the disk.
    pub cwd: Option<PathBuf>,
}

/// What rules may look at; a test gives its own.
pub trait Machine: std::fmt::Debug + Send + Sync {
    fn exists(&self, path: &Path) -> bool;
    fn is_dir(&self, path: &Path) -> bool;
    /// The text of a small file (64 KiB at most), if it can be read.
    fn read(&self, path: &Path) -> Option<String>;
    /// Names in a folder.
    fn list(&self, path: &Path) -> Vec<String>;
    /// Every program name on `PATH`.
    fn programs(&self) -> Vec<String>;
    /// Whether the engine runs as root.
    fn is_root(&self) -> bool;
}

/// The correction for a failure, if exactly one rule knows it well.
pub fn diagnose(failure: &Failure, facts: &Facts, machine: &dyn Machine) -> Option<AgentCorrection> {
    let _ = (failure, facts, machine);
    None
}
