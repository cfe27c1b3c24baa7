//! Tools on a real disk, through the door that the conversation uses: read, prepare, run.

mod calls;
mod edits;
mod fallback;
mod gate;
mod hostile;
mod look;
mod races;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::*;
use crate::approval::{Permit, Place};

/// A workspace in a folder of its own, with a home beside it.
struct Ground {
    _folder: tempfile::TempDir,
    surroundings: Surroundings,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let (root, home) = (real.join("home/work"), real.join("home"));
        fs::create_dir_all(&root).unwrap();
        let surroundings = Surroundings { cwd: root.clone(), root, home, user: "u".into() };
        Self { _folder: folder, surroundings }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.surroundings.root.join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
    }

    fn prepare(&self, tool: &str, input: serde_json::Value) -> Result<Prepared, ToolFailure> {
        match read(tool, &input.to_string()).unwrap() {
            Call::File(call) => prepare(call, &self.surroundings),
            other @ (Call::Shell { .. } | Call::AskUser { .. } | Call::CreatePlan { .. }) => {
                panic!("{other:?}")
            }
        }
    }

    /// Prepares and runs.
    fn call(&self, tool: &str, input: serde_json::Value) -> Result<Done, ToolFailure> {
        allowed(self.prepare(tool, input)?)
    }

    /// Every file below, with what stands in it: nothing may be left behind.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.surroundings.home.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = path.symlink_metadata().unwrap().file_type();
                if kind.is_dir() {
                    found.push((path.clone(), Vec::new()));
                    folders.push(path);
                } else if kind.is_file() {
                    let bytes = fs::read(&path).unwrap();
                    found.push((path, bytes));
                }
            }
        }
        found.sort();
        found
    }
}

fn allowed(prepared: Prepared) -> Result<Done, ToolFailure> {
    let permit = Permit::for_tests(prepared.action(), Place::Folder("/"), 0);
    run(permit, prepared, "/", &AtomicBool::new(false))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
