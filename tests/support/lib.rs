//! Shared by the behaviour tests: where the programs are, a temporary home, a scripted mind, an engine to drive.

mod alone;
pub mod chat_server;
#[allow(clippy::expect_used)]
mod harness;
pub mod model_server;
pub mod path_server;
pub mod search;
pub mod site;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

pub use alone::alone;
pub use harness::{
    Closed, Harness, MindQuestion, SOON, ScriptedMind, insert, modify, names, sequence, stuck_reason,
};

/// Path of the worker program beside this test's own, built once if it is missing.
///
/// # Panics
/// When it cannot be built: no test can go on without it.
pub fn worker() -> PathBuf {
    static WORKER: OnceLock<PathBuf> = OnceLock::new();
    WORKER.get_or_init(|| program("planwright-worker", Path::exists)).clone()
}

/// Path of the headless program, with the worker beside it; both built where a source is newer than they are.
///
/// # Panics
/// When they cannot be built: no test can go on without them.
pub fn cli() -> PathBuf {
    static CLI: OnceLock<PathBuf> = OnceLock::new();
    CLI.get_or_init(|| {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri");
        let changed = ["engine/src", "shell/src", "worker/src", "cli/src"]
            .into_iter()
            .filter_map(|folder| newest(&sources.join(folder)))
            .max();
        let is_new = |program: &Path| {
            let built = program.metadata().and_then(|file| file.modified()).ok();
            built.is_some() && built >= changed
        };
        program("planwright-worker", is_new);
        program("planwright-cli", is_new)
    })
    .clone()
}

#[allow(clippy::expect_used)]
fn program(name: &str, is_usable: impl Fn(&Path) -> bool) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let folder = test.parent().expect("a program stands in a folder");
    // Tests stand in target/…/deps, tools above them, beside the programs.
    let target = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    let program = target.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !is_usable(&program) {
        let mut build = std::process::Command::new(env!("CARGO"));
        // With the whole workspace's features: with others all that it needs would be built again.
        build
            .args(["build", "--quiet", "--workspace", "--bin", name])
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if target.ends_with("release") {
            build.arg("--release");
        }
        let status = build.status().expect("cargo starts");
        assert!(status.success() && program.exists(), "{name} could not be built");
    }
    program
}

/// When the newest file below the folder was written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    entries
        .filter_map(|entry| {
            let kind = entry.file_type().ok()?;
            if kind.is_dir() { newest(&entry.path()) } else { entry.metadata().ok()?.modified().ok() }
        })
        .max()
}
