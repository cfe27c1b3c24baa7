//! Gives a test a process of its own, for what is the whole process's: its memory, its variables. One program runs all tests of a file
//! side by side, unless the runner is one that starts each by itself.

const ALONE: &str = "PLANWRIGHT_TEST_ALONE";

/// Whether this process runs `test` and nothing else. Where others share it, that test has by now passed in a process of its own, and its
/// caller has nothing left to do. `test` is the whole name of the calling test, as the runner lists it.
///
/// # Panics
/// When the test fails there.
#[allow(clippy::expect_used)]
pub fn alone(test: &str) -> bool {
    if std::env::var(ALONE).as_deref() == Ok(test) {
        return true;
    }
    let program = std::env::current_exe().expect("a test knows its own path");
    let mut itself = std::process::Command::new(program);
    itself.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(ALONE, test);
    let run = itself.output().expect("it starts once more");
    let said = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && said.contains("1 passed"), "{said}");
    false
}
