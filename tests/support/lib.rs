//! Shared by the behaviour tests: a temporary home, a scripted brain, an engine to drive.

use std::path::PathBuf;
use std::sync::OnceLock;

/// Path of the worker program beside this test's own, built once if it is missing.
///
/// # Panics
/// When it cannot be built: no test can go on without it.
pub fn worker() -> PathBuf {
    static WORKER: OnceLock<PathBuf> = OnceLock::new();
    WORKER.get_or_init(find_or_build_worker).clone()
}

#[allow(clippy::expect_used)]
fn find_or_build_worker() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let target = test.parent().and_then(std::path::Path::parent).expect("tests stand in target/…/deps");
    let worker = target.join(format!("planwright-worker{}", std::env::consts::EXE_SUFFIX));
    if !worker.exists() {
        let status = std::process::Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "planwright-worker"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo starts");
        assert!(status.success() && worker.exists(), "planwright-worker could not be built");
    }
    worker
}
