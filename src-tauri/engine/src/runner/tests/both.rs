//! What every runner does in the same way.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::super::{LocalRunner, PlainRunner, RunOutcome, RunRequest, Runner};
use super::{at, here, message, request, watched_by, worker};
use crate::protocol::{ExitStatus, Stream};
use crate::redact::Redactor;

fn runners() -> [Box<dyn Runner>; 2] {
    [
        Box::new(LocalRunner::new(worker(), Redactor::default())),
        Box::new(PlainRunner::new(Redactor::default())),
    ]
}

async fn run(runner: &dyn Runner, request: RunRequest) -> RunOutcome {
    watched_by(runner, request, watch::channel(false).1).await.0
}

#[tokio::test]
async fn an_exit_code_and_both_streams_come_back() {
    let command = "echo out; sleep 0.1; echo err >&2; sleep 0.1; echo again; exit 7";
    for runner in runners() {
        let (outcome, chunks) =
            watched_by(&*runner, request(command, &here()), watch::channel(false).1).await;
        assert_eq!(outcome.exit_status, ExitStatus::Code { code: 7 });
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("out\nagain\n", "err\n"));
        assert_eq!(outcome.output, "out\nerr\nagain\n");
        assert_eq!((outcome.omitted_lines, outcome.leftovers), (0, 0));
        let live: Vec<_> = chunks.iter().map(|chunk| (chunk.stream, chunk.text.as_str())).collect();
        let expected = [(Stream::Stdout, "out\n"), (Stream::Stderr, "err\n"), (Stream::Stdout, "again\n")];
        assert_eq!(live, expected);
        // What arrives late on a busy machine is told late, and nothing is told before it was written.
        assert!(chunks[1].at_millis >= 90 && chunks[2].at_millis >= 190, "{chunks:?}");
    }
}

#[tokio::test]
async fn a_signal_is_told_by_name() {
    for runner in runners() {
        let outcome = run(&*runner, request("kill -KILL $$", &here())).await;
        assert_eq!(outcome.exit_status, ExitStatus::Signal { signal: 9, name: "SIGKILL".to_owned() });
    }
}

#[tokio::test]
async fn what_cannot_start_is_said() {
    for runner in runners() {
        let nowhere = at(std::path::Path::new("/nonexistent/folder"));
        let outcome = run(&*runner, request("true", &nowhere)).await;
        assert!(message(&outcome).contains("/nonexistent/folder"));
        let long = format!(": {}", "x".repeat(200_000));
        let outcome = run(&*runner, request(&long, &here())).await;
        assert!(message(&outcome).contains("too long"));
    }
}

#[tokio::test]
async fn a_cancel_before_the_start_runs_nothing() {
    for runner in runners() {
        let folder = tempfile::tempdir().unwrap();
        let request = request("touch ran", &at(folder.path()));
        let (outcome, _) = watched_by(&*runner, request, watch::channel(true).1).await;
        assert_eq!(outcome.exit_status, ExitStatus::Cancelled);
        assert!(!folder.path().join("ran").exists());
    }
}

#[tokio::test]
async fn an_obedient_command_ends_at_once_when_cancelled() {
    for runner in runners() {
        let (cancel, cancelled) = watch::channel(false);
        let running =
            tokio::spawn(
                async move { watched_by(&*runner, request("sleep 300", &here()), cancelled).await.0 },
            );
        tokio::time::sleep(Duration::from_millis(100)).await;
        let start = Instant::now();
        cancel.send(true).unwrap();
        assert_eq!(running.await.unwrap().exit_status, ExitStatus::Cancelled);
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    }
}

#[tokio::test]
async fn both_limits_end_a_command() {
    for runner in runners() {
        let mut wall = request("while :; do echo tick; sleep 0.05; done", &here());
        wall.wall_limit = Duration::from_secs(1);
        let outcome = run(&*runner, wall).await;
        assert_eq!(outcome.exit_status, ExitStatus::TimedOut { seconds: 1 });
        assert!(outcome.stdout.lines().count() >= 5, "{}", outcome.stdout);
        let mut silent = request("echo one; sleep 0.6; echo two; sleep 300", &here());
        silent.silence_limit = Duration::from_secs(1);
        let outcome = run(&*runner, silent).await;
        assert_eq!(outcome.exit_status, ExitStatus::Silent { seconds: 1 });
        assert_eq!(outcome.stdout, "one\ntwo\n");
    }
}
