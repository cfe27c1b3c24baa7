//! The runner without a worker: what it does as the other one, and what it does not.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::watch;

use super::super::{LocalRunner, PlainRunner, RunOutcome, RunRequest, Runner, Shortcoming};
use super::{alive, at, here, marked, message, nobody, request, until, watched_by, worker};
use crate::approval::{Permit, Place};
use crate::protocol::{Action, ExitStatus, OutputChunk, ShellState};
use crate::redact::Redactor;

fn runner() -> PlainRunner {
    PlainRunner::new(Redactor::default())
}

async fn run_watched(request: RunRequest, cancel: watch::Receiver<bool>) -> (RunOutcome, Vec<OutputChunk>) {
    watched_by(&runner(), request, cancel).await
}

async fn run_request(request: RunRequest) -> RunOutcome {
    run_watched(request, watch::channel(false).1).await.0
}

async fn run(command: &str) -> RunOutcome {
    run_request(request(command, &here())).await
}

async fn run_in(command: &str, shell: &ShellState) -> RunOutcome {
    run_request(request(command, shell)).await
}

/// What left its group is found by `ps`, which is on every Unix but not in every container.
fn has_ps() -> bool {
    let has = ["/bin/ps", "/usr/bin/ps"].iter().any(|place| std::path::Path::new(place).is_file());
    if !has {
        println!("there is no ps here");
    }
    has
}

/// Ends what a test knows to have got away.
fn end_all(marker: &str) {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        String::from_utf8_lossy(&environment).contains(marker).then_some(())?;
        Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)
    });
    for pid in pids {
        let _ = kill_process(pid, Signal::KILL);
    }
}

#[tokio::test]
async fn one_pipe_keeps_the_order() {
    let mut request = request("for i in 1 2 3; do echo out $i; echo err $i >&2; done", &here());
    request.one_pipe = true;
    let outcome = run_request(request).await;
    assert_eq!(outcome.stdout, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
    assert_eq!(outcome.stderr, "");
}

#[tokio::test]
async fn the_command_sees_a_plain_bash_in_a_session_of_its_own() {
    let text = "echo \"$0 $# [$*] ${BASH_ENV-none}\"; read line; echo \"$? $-\"\nnosuchprogram_x\nfalse";
    let outcome = run(text).await;
    let plain = std::process::Command::new("bash")
        .args(["--noprofile", "--norc", "+O", "extglob", "-c", text])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(*outcome.stdout, String::from_utf8_lossy(&plain.stdout));
    assert_eq!(*outcome.stderr, String::from_utf8_lossy(&plain.stderr));
    // The sixth field of a process's line is its session. Without a terminal nothing can ask at one.
    let outcome = run("set -- $(< /proc/$$/stat); echo $(($6 == $$)); : < /dev/tty").await;
    assert_eq!(outcome.stdout, "1\n");
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 1 });
}

#[tokio::test]
async fn the_environment_is_that_of_the_other_runner_but_for_who_is_asked() {
    let mut shell = here();
    for (name, value) in [("LD_PRELOAD", "x"), ("DYLD_INSERT_LIBRARIES", "x"), ("KEPT", "kept")] {
        shell.environment.insert(name.to_owned(), Some(value.to_owned()));
    }
    // The file that a run hands values on by is its own.
    let text = "env -u PLANWRIGHT_OUTPUT | grep -v ^_= | sort";
    let plain = run_in(text, &shell).await;
    let local = LocalRunner::new(worker(), Redactor::default());
    let request = request(text, &shell);
    let permit = Permit::for_tests(&request.action, Place::Shell(&shell), request.revision);
    let local = local.run(permit, request, nobody(), watch::channel(false).1).await;
    let others = |outcome: &RunOutcome| {
        outcome
            .stdout
            .lines()
            .filter(|line| !line.contains("ASKPASS="))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(others(&plain), others(&local));
    assert!(plain.stdout.contains("\nKEPT=kept\n") && plain.stdout.contains("\nPAGER=cat\n"));
    assert!(plain.stdout.contains("\nSUDO_ASKPASS=false\n"), "{}", plain.stdout);
}

#[tokio::test]
async fn without_the_right_permit_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let request = request("touch ran", &at(folder.path()));
    for permit in [
        Permit::for_tests(&Action::shell("touch other"), Place::Shell(&request.shell), 1),
        Permit::for_tests(&request.action, Place::Folder("/"), 1),
        Permit::for_tests(&request.action, Place::Shell(&request.shell), 2),
        Permit::for_terminal_tests(&request.action, Place::Shell(&request.shell), 1),
    ] {
        let outcome = runner().run(permit, request.clone(), nobody(), watch::channel(false).1).await;
        assert!(message(&outcome).contains("not permitted"));
    }
    assert!(!folder.path().join("ran").exists());
}

#[tokio::test]
async fn secrets_are_hidden_in_its_output() {
    let mut shell = here();
    shell.environment.insert("API_TOKEN".to_owned(), Some("tok-5f2a9c81e7".to_owned()));
    let outcome = run_in("echo \"it is $API_TOKEN\"", &shell).await;
    assert!(outcome.stdout.starts_with("it is ") && !outcome.stdout.contains("5f2a9c81e7"));
}

#[tokio::test]
async fn what_is_left_in_the_group_is_ended() {
    let (shell, marker) = marked("plain-left");
    let start = Instant::now();
    let outcome = run_in("sleep 300 & nohup sleep 300 >/dev/null 2>&1 & echo started", &shell).await;
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 0 });
    assert_eq!(outcome.stdout, "started\n");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
    assert!(!has_ps() || outcome.leftovers == 2, "{}", outcome.leftovers);
}

#[tokio::test]
async fn a_cancel_ends_also_the_stubborn_within_two_seconds() {
    let (shell, marker) = marked("plain-cancel");
    let (cancel, cancelled) = watch::channel(false);
    let command = "trap '' TERM; sleep 300; sleep 300";
    let running = tokio::spawn(run_watched(request(command, &shell), cancelled));
    assert!(until(|| alive(&marker) >= 2).await);
    let start = Instant::now();
    cancel.send_replace(true);
    assert_eq!(running.await.unwrap().0.exit_status, ExitStatus::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
}

/// Below a parent that lives, a session of its own is no way out.
#[tokio::test]
async fn a_cancel_reaches_sessions_whose_parent_lives() {
    if !has_ps() {
        return;
    }
    let (shell, marker) = marked("plain-session");
    let command =
        "setsid bash -c 'trap \"\" TERM; sleep 300; sleep 300' & setsid sleep 300 & sleep 300; echo";
    let (cancel, cancelled) = watch::channel(false);
    let running = tokio::spawn(run_watched(request(command, &shell), cancelled));
    assert!(until(|| alive(&marker) >= 5).await, "{}", alive(&marker));
    cancel.send_replace(true);
    assert_eq!(running.await.unwrap().0.exit_status, ExitStatus::Cancelled);
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
}

/// What this runner cannot do, as it says itself: nobody inherits a process that made a session of its own.
#[tokio::test]
async fn a_session_of_its_own_gets_away_from_a_plain_end() {
    assert!(runner().shortcomings().contains(&Shortcoming::ProcessesGetAway));
    assert!(LocalRunner::new(worker(), Redactor::default()).shortcomings().is_empty());
    let (shell, marker) = marked("plain-away");
    let start = Instant::now();
    // It even holds the output's pipe open; nobody waits for that.
    let outcome = run_in("setsid sleep 300 & sleep 0.2; echo done", &shell).await;
    assert_eq!((outcome.stdout.as_str(), outcome.leftovers), ("done\n", 0));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let left = alive(&marker);
    end_all(&marker);
    assert_eq!(left, 1);
}

#[tokio::test]
async fn a_dropped_run_ends_its_command() {
    let (shell, marker) = marked("plain-dropped");
    let running = tokio::spawn(run_watched(request("sleep 300; echo", &shell), watch::channel(false).1));
    assert!(until(|| alive(&marker) >= 1).await);
    running.abort();
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
}

#[tokio::test]
async fn a_flood_is_kept_whole_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut request = request("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end >&2", &here());
    request.output_file = Some(path.clone());
    let outcome = run_request(request).await;
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 0 });
    assert_eq!(outcome.output_bytes, 20_000_005);
    assert_eq!(std::fs::metadata(path).unwrap().len(), 20_000_005);
    assert_eq!(outcome.stderr, "end\n");
}
