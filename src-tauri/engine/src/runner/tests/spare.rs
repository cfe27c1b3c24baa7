//! The worker that is kept ready.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::super::environment::BaseEnvironment;
use super::super::spare::Workers;
use super::*;

async fn run_with(runner: &LocalRunner, command: &str, shell: &ShellState) -> RunOutcome {
    let request = request(command, shell);
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
    runner.run(permit, request, nobody(), watch::channel(false).1).await
}

/// Writes the worker's number: of the upper of its two processes, which is what this program started.
const WORKER: &str = "read -r _ _ _ above _ </proc/$PPID/stat; echo $above";

/// The worker that a run was under.
async fn worker_used(runner: &LocalRunner) -> u32 {
    let outcome = run_with(runner, WORKER, &here()).await;
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 0 });
    outcome.stdout.trim().parse().unwrap()
}

/// The one that waits, once there is one.
async fn spare(runner: &LocalRunner) -> u32 {
    assert!(until(|| runner.workers.spare_pid().is_some()).await, "no spare came");
    runner.workers.spare_pid().unwrap()
}

/// Neither running nor waiting to be seen off.
fn is_gone(pid: u32) -> bool {
    !std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn a_worker_that_saw_its_command_to_a_plain_end_takes_the_next() {
    let runner = runner();
    assert_eq!(runner.workers.spare_pid(), None);
    let first = worker_used(&runner).await;
    assert_eq!(runner.workers.spare_pid(), Some(first));
    for _ in 0..3 {
        assert_eq!(worker_used(&runner).await, first);
    }
    // How the command ended is nothing to it.
    assert_eq!(run_with(&runner, "exit 3", &here()).await.exit_status, ExitStatus::Code { code: 3 });
    let killed = run_with(&runner, "kill -9 $$", &here()).await;
    assert_eq!(killed.exit_status, ExitStatus::Signal { signal: 9, name: "SIGKILL".to_owned() });
    assert_eq!(worker_used(&runner).await, first);
}

#[tokio::test]
async fn a_worker_that_met_anything_else_is_not_used_again() {
    let runner = runner();
    let first = worker_used(&runner).await;
    let left = run_with(&runner, "sleep 60 >/dev/null 2>&1 &", &here()).await;
    assert_eq!((left.exit_status, left.leftovers), (ExitStatus::Code { code: 0 }, 1));
    let second = spare(&runner).await;
    assert_ne!(second, first);
    assert!(until(|| is_gone(first)).await);
    let mut late = request("sleep 60", &here());
    late.wall_limit = Duration::from_millis(50);
    let permit = Permit::for_tests(&late.action, Place::Shell(&late.shell), late.revision);
    let late = runner.run(permit, late, nobody(), watch::channel(false).1).await;
    assert!(matches!(late.exit_status, ExitStatus::TimedOut { .. }), "{:?}", late.exit_status);
    assert_ne!(spare(&runner).await, second);
    assert!(until(|| is_gone(second)).await);
}

/// A cancel that is late must never end the next command, nor be lost on it.
#[tokio::test]
async fn a_cancel_at_any_moment_is_of_its_own_command_only() {
    let runner = runner();
    for nth in 0..40_u64 {
        let request = request("true", &here());
        let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
        let (cancel, cancelled) = watch::channel(false);
        let run = runner.run(permit, request, nobody(), cancelled);
        let later = async {
            tokio::time::sleep(Duration::from_micros(300 * nth)).await;
            cancel.send_replace(true);
        };
        let (outcome, ()) = tokio::join!(run, later);
        let ended = matches!(outcome.exit_status, ExitStatus::Code { code: 0 } | ExitStatus::Cancelled);
        assert!(ended, "{:?}", outcome.exit_status);
        let next = run_with(&runner, "echo whole", &here()).await;
        assert_eq!((next.exit_status, next.stdout.as_str()), (ExitStatus::Code { code: 0 }, "whole\n"));
    }
}

#[tokio::test]
async fn a_command_leaves_the_next_nothing_through_its_worker() {
    let folder = tempfile::tempdir().unwrap();
    let runner = runner();
    let first = worker_used(&runner).await;
    let write = "for fd in /proc/$PPID/fd/*; do [[ $(readlink $fd) == /memfd:* ]] && echo 'touch written' >>$fd; done; true";
    run_with(&runner, write, &at(folder.path())).await;
    assert_eq!(worker_used(&runner).await, first);
    // Its own shell may have read what it wrote.
    let written = folder.path().join("written");
    let _ = std::fs::remove_file(&written);
    let next = run_with(&runner, "export A=1; cd /", &at(folder.path())).await;
    assert!(!written.exists());
    assert_eq!(next.shell.unwrap().environment.get("A"), Some(&Some("1".to_owned())));
    let supervisor = run_with(&runner, "echo $PPID", &at(folder.path())).await.stdout;
    let cwd = format!("/proc/{}/cwd", supervisor.trim());
    let is_elsewhere = || std::fs::read_link(&cwd).unwrap().parent().is_none();
    assert!(until(is_elsewhere).await, "the folder is let go");
}

#[tokio::test]
async fn two_commands_at_once_have_a_worker_each() {
    let runner = runner();
    let (one, two) = tokio::join!(worker_used(&runner), worker_used(&runner));
    assert_ne!(one, two);
    // One of them waits; the other is not needed.
    let waiting = spare(&runner).await;
    let other = if waiting == one { two } else { one };
    assert!((waiting == one || waiting == two) && until(|| is_gone(other)).await);
}

#[tokio::test]
async fn a_spare_that_died_is_not_used() {
    let runner = runner();
    worker_used(&runner).await;
    let waiting = spare(&runner).await;
    let pid = rustix::process::Pid::from_raw(i32::try_from(waiting).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let is_dead = || {
        let stat = std::fs::read_to_string(format!("/proc/{waiting}/stat")).unwrap();
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
    };
    assert!(until(is_dead).await);
    assert_ne!(worker_used(&runner).await, waiting);
    assert!(is_gone(waiting));
    // From then on as before.
    let waiting = spare(&runner).await;
    assert_eq!(worker_used(&runner).await, waiting);
}

#[tokio::test]
async fn under_a_spare_a_command_sees_what_it_would_under_a_fresh_worker() {
    let folder = tempfile::tempdir().unwrap();
    let not_text = OsString::from_vec(b"caf\xe9".to_vec());
    let base = BaseEnvironment::from_variables([
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("NOT_TEXT".into(), not_text),
        ("LINES_OF_IT".into(), "one\ntwo=2\n".into()),
        ("EMPTY".into(), "".into()),
    ]);
    let mut shell = at(folder.path());
    shell.environment.insert("FROM_A_STEP".to_owned(), Some("it".to_owned()));
    shell.environment.insert("EMPTY".to_owned(), None);
    shell.umask = "027".to_owned();
    // The file that a run hands values on by is its own.
    let look = "pwd; umask; env -0 -u PLANWRIGHT_OUTPUT | sort -z | od -c | grep -v '^$'; ulimit -a; cat /proc/self/status | grep Sig[BIC]; ls /proc/self/fd | wc -l";
    let fresh = LocalRunner {
        workers: Workers::new(worker()),
        base: base.clone(),
        redactor: Redactor::default(),
        turns: Default::default(),
    };
    let fresh = run_with(&fresh, look, &shell).await;
    let warm = LocalRunner {
        workers: Workers::new(worker()),
        base,
        redactor: Redactor::default(),
        turns: Default::default(),
    };
    // Elsewhere and with other variables: none of it stays in the spare.
    let mut other = here();
    other.environment.insert("OF_ANOTHER".to_owned(), Some("x".to_owned()));
    run_with(&warm, "umask 077; export LATER=1; cd /", &other).await;
    let waiting = spare(&warm).await;
    let outcome = run_with(&warm, &format!("{look}; {WORKER}"), &shell).await;
    let seen = outcome.stdout.strip_suffix(&format!("{waiting}\n")).unwrap();
    assert!(seen.contains("351") && seen.contains("F   R   O   M   _   A"), "{seen}");
    assert_eq!(seen, fresh.stdout.as_str());
}

#[tokio::test]
async fn a_spare_ends_with_its_runner() {
    let runner = runner();
    worker_used(&runner).await;
    let waiting = spare(&runner).await;
    let clone = runner.clone();
    drop(runner);
    assert!(!is_gone(waiting));
    drop(clone);
    assert!(is_gone(waiting));
}

#[tokio::test]
async fn a_spare_that_nobody_needs_is_let_go() {
    let workers = Workers::with_idle(worker(), Duration::from_millis(200));
    let base = BaseEnvironment::capture(workers.program());
    let runner = LocalRunner { workers, base, redactor: Redactor::default(), turns: Default::default() };
    worker_used(&runner).await;
    let waiting = spare(&runner).await;
    assert!(until(|| is_gone(waiting)).await);
    assert_eq!(runner.workers.spare_pid(), None);
    // The next command starts its own.
    assert_ne!(worker_used(&runner).await, waiting);
}

#[tokio::test]
async fn a_worker_that_is_never_given_orders_ends_with_its_stdin_and_says_nothing() {
    let mut worker = std::process::Command::new(worker())
        .arg("run")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(worker.try_wait().unwrap(), None);
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
}
