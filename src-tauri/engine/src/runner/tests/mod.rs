//! The runner with real processes.

mod both;
mod living;
mod output;
mod plain;
mod scope;
mod spare;
mod state;
mod terminal;
mod tree;

use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::{Live, LocalRunner, RunOutcome, RunRequest, Runner, Withheld};
use crate::approval::{Permit, Place};
use crate::protocol::{Action, ExitStatus, OutputChunk, ShellState};
use crate::redact::Redactor;

/// The worker beside these tests, built if it is missing.
fn worker() -> std::path::PathBuf {
    static WORKER: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    let find_or_build = || {
        let test = std::env::current_exe().unwrap();
        let target = test.parent().and_then(std::path::Path::parent).unwrap();
        let worker = target.join(format!("planwright-worker{}", std::env::consts::EXE_SUFFIX));
        if !worker.exists() {
            let built = std::process::Command::new(env!("CARGO"))
                .args(["build", "--quiet", "--package", "planwright-worker"])
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .status()
                .unwrap();
            assert!(built.success() && worker.exists(), "planwright-worker could not be built");
        }
        worker
    };
    WORKER.get_or_init(find_or_build).clone()
}

pub(super) fn request(command: &str, shell: &ShellState) -> RunRequest {
    RunRequest {
        action: Action::shell(command),
        revision: 1,
        shell: shell.clone(),
        withheld: Withheld::default(),
        wall_limit: Duration::from_secs(60),
        silence_limit: Duration::from_secs(60),
        askpass: None,
        output_file: None,
        output_cap: 64 << 20,
        one_pipe: false,
        terminal: None,
        living: None,
        is_last: false,
    }
}

fn at(cwd: &std::path::Path) -> ShellState {
    ShellState { cwd: cwd.to_string_lossy().into_owned(), ..ShellState::default() }
}

fn here() -> ShellState {
    at(&std::env::temp_dir())
}

fn runner() -> LocalRunner {
    LocalRunner::new(worker(), Redactor::default())
}

async fn run_request(request: RunRequest) -> RunOutcome {
    run_watched(request, watch::channel(false).1).await.0
}

async fn run_watched(request: RunRequest, cancel: watch::Receiver<bool>) -> (RunOutcome, Vec<OutputChunk>) {
    watched_by(&runner(), request, cancel).await
}

/// Run by `runner`, with a permit: how it ended, and what was seen of it meanwhile.
async fn watched_by(
    runner: &dyn Runner,
    request: RunRequest,
    cancel: watch::Receiver<bool>,
) -> (RunOutcome, Vec<OutputChunk>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let live: Live = Box::new(move |chunks| drop(sender.send(chunks)));
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
    let outcome = runner.run(permit, request, live, cancel).await;
    (outcome, receiver.try_iter().flatten().collect())
}

fn message(outcome: &RunOutcome) -> &str {
    match &outcome.exit_status {
        ExitStatus::NotStarted { message } => message,
        other => panic!("{other:?}"),
    }
}

/// Nobody looks on.
fn nobody() -> Live {
    Box::new(drop)
}

async fn run(command: &str) -> RunOutcome {
    run_request(request(command, &here())).await
}

async fn run_in(command: &str, shell: &ShellState) -> RunOutcome {
    run_request(request(command, shell)).await
}

/// Live processes whose environment holds this text.
fn alive(marker: &str) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    entries
        .flatten()
        .filter(|entry| {
            std::fs::read(entry.path().join("environ"))
                .is_ok_and(|text| text.windows(marker.len()).any(|part| part == marker.as_bytes()))
        })
        .count()
}

async fn until(what: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        if what() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

/// The worker above a process whose environment holds this text.
fn worker_of(marker: &str) -> Option<rustix::process::Pid> {
    let is_worker = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("planwright-worker")
    };
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let parents = entries.filter_map(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        String::from_utf8_lossy(&environment).contains(marker).then_some(())?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        stat.get(stat.rfind(')')? + 1..)?.split_whitespace().nth(1)?.parse().ok()
    });
    parents.into_iter().find(is_worker).and_then(rustix::process::Pid::from_raw)
}

/// A shell state whose processes can be found by the marker that is returned.
fn marked(name: &str) -> (ShellState, String) {
    let value = format!("{name}-{}-{:?}", std::process::id(), Instant::now()).replace([' ', '"'], "");
    let mut shell = here();
    shell.environment.insert("RUNNER_TEST_MARKER".to_owned(), Some(value.clone()));
    (shell, format!("RUNNER_TEST_MARKER={value}"))
}

/// Children that ignore TERM, in sessions of their own and forked twice.
const STUBBORN: &str = r#"trap '' TERM
setsid bash -c 'trap "" TERM; sleep 300; sleep 300' &
(setsid bash -c 'trap "" TERM; (sleep 300; sleep 300) & sleep 300' & )
nohup sleep 300 >/dev/null 2>&1 &
echo ready
sleep 300; sleep 300"#;

#[tokio::test]
async fn the_command_sees_a_plain_bash() {
    let text =
        "echo \"$0 $# [$*] ${BASH_ENV-none}\"; read line; echo \"$? $-\"\nnosuchprogram_x\nset -x; false";
    let outcome = run(text).await;
    let plain = std::process::Command::new("bash")
        .args(["--noprofile", "--norc", "+O", "extglob", "-c", text])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(*outcome.stdout, String::from_utf8_lossy(&plain.stdout));
    assert_eq!(*outcome.stderr, String::from_utf8_lossy(&plain.stderr));
    assert_eq!(outcome.exit_status.code(), plain.status.code());
}

#[tokio::test]
async fn without_the_right_permit_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let request = request("touch ran", &at(folder.path()));
    let mut elsewhere = request.shell.clone();
    elsewhere.environment.insert("PATH".to_owned(), Some("/tmp".to_owned()));
    for permit in [
        Permit::for_tests(&request.action, Place::Shell(&elsewhere), 1),
        Permit::for_tests(&Action::shell("touch other"), Place::Shell(&request.shell), 1),
        Permit::for_tests(&request.action, Place::Folder("/"), 1),
        Permit::for_tests(&request.action, Place::Shell(&request.shell), 2),
    ] {
        let outcome = runner().run(permit, request.clone(), nobody(), watch::channel(false).1).await;
        assert!(message(&outcome).contains("not permitted"));
    }
    assert!(!folder.path().join("ran").exists());
}

#[tokio::test]
async fn a_missing_worker_is_said() {
    let request = request("true", &here());
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), 1);
    let runner = LocalRunner::new("/nonexistent/worker".into(), Redactor::default());
    let outcome = runner.run(permit, request, nobody(), watch::channel(false).1).await;
    assert!(message(&outcome).contains("is missing"));
}

#[tokio::test]
async fn a_background_child_neither_hangs_nor_survives() {
    let (shell, marker) = marked("background");
    let start = Instant::now();
    let outcome = run_in("sleep 300 & setsid sleep 300 & echo started", &shell).await;
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 0 });
    assert_eq!((outcome.stdout.as_str(), outcome.leftovers), ("started\n", 2));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(alive(&marker), 0);
}

#[tokio::test]
async fn a_cancel_ends_also_the_stubborn_within_two_seconds() {
    let (shell, marker) = marked("cancel");
    let (cancel, cancelled) = watch::channel(false);
    let running = tokio::spawn(run_watched(request(STUBBORN, &shell), cancelled));
    assert!(until(|| alive(&marker) >= 7).await, "{}", alive(&marker));
    let start = Instant::now();
    cancel.send(true).unwrap();
    let (outcome, _) = running.await.unwrap();
    assert_eq!(outcome.exit_status, ExitStatus::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(alive(&marker), 0);
    assert_eq!(outcome.shell, None);
}

#[tokio::test]
async fn a_lost_worker_is_said_and_takes_its_command_along() {
    let (shell, marker) = marked("lost");
    let running = tokio::spawn(run_watched(
        request("sleep 300 & sleep 300; echo $PPID", &shell),
        watch::channel(false).1,
    ));
    assert!(until(|| alive(&marker) >= 3).await);
    let worker = worker_of(&marker).unwrap();
    rustix::process::kill_process(worker, rustix::process::Signal::KILL).unwrap();
    let (outcome, _) = running.await.unwrap();
    assert!(message(&outcome).contains("was lost"));
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
}

#[tokio::test]
async fn a_dropped_run_ends_its_command() {
    let (shell, marker) = marked("dropped");
    let running = tokio::spawn(run_watched(request(STUBBORN, &shell), watch::channel(false).1));
    assert!(until(|| alive(&marker) >= 7).await);
    running.abort();
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
}

/// The worker alone, whose engine dies: the end of its stdin.
#[tokio::test]
async fn an_engine_that_dies_takes_its_commands_along() {
    use std::io::Write;
    let (_, marker) = marked("engine");
    let environment = format!("PATH=/usr/bin:/bin\0{marker}\0");
    let mut worker = std::process::Command::new(worker())
        .arg("run")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let spec = serde_json::json!({
        "command": STUBBORN, "cwd": "/", "restore": "", "wallMillis": 60_000, "silenceMillis": 60_000,
        "environmentBytes": environment.len()
    });
    let mut stdin = worker.stdin.take().unwrap();
    stdin.write_all(format!("{spec}\n{environment}").as_bytes()).unwrap();
    assert!(until(|| alive(&marker) >= 7).await);
    drop(stdin);
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
    worker.wait().unwrap();
}

#[tokio::test]
async fn overhead_over_a_bare_bash() {
    let mut bare = Vec::new();
    let mut ours = Vec::new();
    for _ in 0..60 {
        let start = Instant::now();
        let mut child = tokio::process::Command::new("bash")
            .args(["--noprofile", "--norc", "-c", "true"])
            .spawn()
            .unwrap();
        assert!(child.wait().await.unwrap().success());
        bare.push(start.elapsed());
        let start = Instant::now();
        assert_eq!(run("true").await.exit_status, ExitStatus::Code { code: 0 });
        ours.push(start.elapsed());
    }
    bare.sort();
    ours.sort();
    println!("median: bash {:?}, runner {:?}", bare[30], ours[30]);
    assert!(ours[30] < Duration::from_millis(200));
}
