//! The runner with real processes.

mod output;
mod plain;
mod scope;
mod spare;
mod state;
mod terminal;
mod tree;

use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::{Live, LocalRunner, RunOutcome, RunRequest, Runner};
use crate::approval::{Permit, Place};
use crate::protocol::{Action, ExitStatus, OutputChunk, ShellState, Stream};
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

fn request(command: &str, shell: &ShellState) -> RunRequest {
    RunRequest {
        action: Action::shell(command),
        revision: 1,
        shell: shell.clone(),
        wall_limit: Duration::from_secs(60),
        silence_limit: Duration::from_secs(60),
        askpass: None,
        output_file: None,
        output_cap: 64 << 20,
        one_pipe: false,
        terminal: None,
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
    let (sender, receiver) = std::sync::mpsc::channel();
    let live: Live = Box::new(move |chunks| sender.send(chunks).unwrap());
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
    let outcome = runner().run(permit, request, live, cancel).await;
    (outcome, receiver.try_iter().flatten().collect())
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
async fn an_exit_code_and_both_streams_come_back() {
    let (outcome, chunks) = run_watched(
        request("echo out; sleep 0.1; echo err >&2; sleep 0.1; echo again; exit 7", &here()),
        watch::channel(false).1,
    )
    .await;
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 7 });
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("out\nagain\n", "err\n"));
    assert_eq!(outcome.output, "out\nerr\nagain\n");
    assert_eq!((outcome.omitted_lines, outcome.leftovers), (0, 0));
    let live: Vec<_> = chunks.iter().map(|chunk| (chunk.stream, chunk.text.as_str())).collect();
    assert_eq!(live, [(Stream::Stdout, "out\n"), (Stream::Stderr, "err\n"), (Stream::Stdout, "again\n")]);
    assert!(chunks[1].at_millis >= 90 && chunks[2].at_millis >= chunks[1].at_millis + 90, "{chunks:?}");
}

#[tokio::test]
async fn a_signal_is_told_by_name() {
    let outcome = run("kill -KILL $$").await;
    assert_eq!(outcome.exit_status, ExitStatus::Signal { signal: 9, name: "SIGKILL".to_owned() });
}

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
        assert!(
            matches!(&outcome.exit_status, ExitStatus::NotStarted { message } if message.contains("not permitted"))
        );
    }
    assert!(!folder.path().join("ran").exists());
}

#[tokio::test]
async fn a_missing_folder_or_worker_is_said() {
    let outcome = run_in("true", &at(std::path::Path::new("/nonexistent/folder"))).await;
    assert!(
        matches!(&outcome.exit_status, ExitStatus::NotStarted { message } if message.contains("/nonexistent/folder"))
    );
    let request = request("true", &here());
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), 1);
    let runner = LocalRunner::new("/nonexistent/worker".into(), Redactor::default());
    let outcome = runner.run(permit, request, nobody(), watch::channel(false).1).await;
    assert!(
        matches!(&outcome.exit_status, ExitStatus::NotStarted { message } if message.contains("is missing"))
    );
}

#[tokio::test]
async fn a_command_too_long_for_the_system_is_said() {
    let outcome = run(&format!(": {}", "x".repeat(200_000))).await;
    assert!(
        matches!(&outcome.exit_status, ExitStatus::NotStarted { message } if message.contains("too long"))
    );
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
async fn an_obedient_command_ends_at_once_when_cancelled() {
    let (cancel, cancelled) = watch::channel(false);
    let running = tokio::spawn(run_watched(request("sleep 300", &here()), cancelled));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let start = Instant::now();
    cancel.send(true).unwrap();
    assert_eq!(running.await.unwrap().0.exit_status, ExitStatus::Cancelled);
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_cancel_before_the_start_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, _) = run_watched(request("touch ran", &at(folder.path())), watch::channel(true).1).await;
    assert_eq!(outcome.exit_status, ExitStatus::Cancelled);
    assert!(!folder.path().join("ran").exists());
}

#[tokio::test]
async fn both_limits_end_a_command() {
    let mut wall = request("while :; do echo tick; sleep 0.05; done", &here());
    wall.wall_limit = Duration::from_secs(1);
    let outcome = run_request(wall).await;
    assert_eq!(outcome.exit_status, ExitStatus::TimedOut { seconds: 1 });
    assert!(outcome.stdout.lines().count() >= 5, "{}", outcome.stdout);
    let mut silent = request("echo one; sleep 0.6; echo two; sleep 300", &here());
    silent.silence_limit = Duration::from_secs(1);
    let outcome = run_request(silent).await;
    assert_eq!(outcome.exit_status, ExitStatus::Silent { seconds: 1 });
    assert_eq!(outcome.stdout, "one\ntwo\n");
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
    assert!(
        matches!(&outcome.exit_status, ExitStatus::NotStarted { message } if message.contains("was lost"))
    );
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
