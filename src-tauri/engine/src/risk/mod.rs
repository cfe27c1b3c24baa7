//! How much harm a command may do, decided on what the shell reader found in it. Pure: reads nothing, runs nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planwright_shell::Facts;

use crate::protocol::{Assessment, Effects, Risk, UndoOutlook};

/// What an assessment needs to know of the place a command would run in.
#[derive(Debug, Clone)]
pub struct Workspace<'a> {
    /// The folder that the session works in.
    pub root: PathBuf,
    /// Where the command would run.
    pub cwd: PathBuf,
    pub home: PathBuf,
    pub user: String,
    /// Variables whose values are known: the environment as it would be.
    pub environment: &'a BTreeMap<String, String>,
    /// Functions carried from earlier steps, by name, as the reader found their bodies.
    pub functions: &'a BTreeMap<String, Facts>,
    pub paths: &'a dyn Paths,
}

/// What the assessment asks of the file system; a test gives its own.
pub trait Paths: std::fmt::Debug + Send + Sync {
    /// The path with every symbolic link and `..` resolved as far as it exists; the rest is kept.
    fn resolve(&self, path: &Path) -> PathBuf;
    fn is_dir(&self, path: &Path) -> bool;
    fn exists(&self, path: &Path) -> bool;
}

/// Assesses `command`, which the reader found to be `facts`. What could not be read is never `safe`.
pub fn assess(command: &str, facts: &Facts, workspace: &Workspace<'_>) -> Assessment {
    let _ = (command, facts, workspace);
    Assessment {
        risk: Risk::Dangerous,
        reasons: Vec::new(),
        effects: Effects::default(),
        undo: UndoOutlook::Cannot { why: "not known".into() },
    }
}
