//! The shell reader against the real worker process.

#![allow(clippy::expect_used)]

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use planwright_engine::engine::Adviser;
use planwright_engine::protocol::Risk;
use planwright_engine::shell::ShellReader;
use serde_json::{Value, json};

fn facts(facts: &impl serde::Serialize) -> Value {
    serde_json::to_value(facts).expect("facts are plain data")
}

fn reader() -> ShellReader {
    ShellReader::new(planwright_tests::worker())
}

fn kinds(facts: &Value) -> Vec<String> {
    let doubts = facts["doubts"].as_array().expect("a list");
    doubts.iter().map(|d| d["kind"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn reads_a_command_in_another_process() {
    let read = facts(&reader().read("ls -l | wc").await);
    assert_eq!(kinds(&read), Vec::<String>::new());
    assert_eq!(
        read["commands"][1]["words"][0]["value"],
        json!({"type": "known", "text": "wc", "tilde": false})
    );
    assert_eq!(read["commands"][1]["context"]["piped_from"], json!(true));
}

#[tokio::test]
async fn a_missing_worker_is_a_doubt_that_says_so() {
    let read = facts(&ShellReader::new("/nowhere/planwright-worker".into()).read("ls | wc").await);
    assert_eq!(kinds(&read), ["exhausted"]);
    assert!(read["doubts"][0]["text"].as_str().expect("text").contains("cannot be started"));
}

#[tokio::test]
async fn the_barest_text_needs_no_worker() {
    let nobody = ShellReader::new("/nowhere/planwright-worker".into());
    assert_eq!(facts(&nobody.read("git status -s").await), facts(&reader().read("git status -s").await));
    assert_eq!(kinds(&facts(&nobody.read("git status -s;").await)), ["exhausted"]);
}

#[tokio::test]
async fn a_program_that_answers_nonsense_is_a_doubt() {
    for program in ["/bin/false", "/bin/echo"] {
        assert_eq!(kinds(&facts(&ShellReader::new(program.into()).read("ls | wc").await)), ["exhausted"]);
    }
}

#[tokio::test]
async fn text_that_never_ends_is_cut_off_and_the_next_question_is_answered() {
    // The reader refuses every text that is known to keep its parser busy for ever; this one stands for the others.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("worker");
    let worker = planwright_tests::worker();
    let script = format!(
        "#!/bin/sh\nread -r line\ncase $line in *endless*) sleep 60 ;; esac\nprintf '%s\\n' \"$line\" | '{}' parse\n",
        worker.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let reader = ShellReader::new(program);
    reader.read("true; true").await;
    let start = Instant::now();
    let read = facts(&reader.read("endless;").await);
    assert_eq!(kinds(&read), ["exhausted"]);
    assert!(start.elapsed() >= Duration::from_millis(150), "it was not the time limit that ended it");
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(kinds(&facts(&reader.read("ls;").await)), Vec::<String>::new());
}

#[tokio::test]
async fn a_text_is_read_once_unless_it_left_a_doubt() {
    let folder = tempfile::tempdir().unwrap();
    let (program, ready, asked) =
        (folder.path().join("worker"), folder.path().join("ready"), folder.path().join("asked"));
    let worker = planwright_tests::worker();
    // A worker that cannot be had until `ready` is there, and that writes each question down.
    let script = format!(
        "#!/bin/bash\n[[ -e '{}' ]] || exit 1\nwhile read -r line; do\nprintf '%s\\n' \"$line\" >>'{}'\nprintf '%s\\n' \"$line\"\ndone | '{}' parse\n",
        ready.display(),
        asked.display(),
        worker.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let questions = || std::fs::read_to_string(&asked).unwrap_or_default().lines().count();
    let adviser = Adviser::new(program);
    let risk = async |command: &str| adviser.assess(command, folder.path()).await.risk;

    // What could not be read is dangerous, and is read again.
    assert_eq!(risk("ls; true").await, Risk::Dangerous);
    std::fs::write(&ready, "").unwrap();
    assert_eq!((risk("ls; true").await, questions()), (Risk::Safe, 1));
    assert_eq!((risk("ls; true").await, questions()), (Risk::Safe, 1));
    // Judged by its own text, not by the one before.
    assert_eq!((risk("ls; rm -rf /").await, questions()), (Risk::Blocked, 2));
    assert_eq!((risk("ls; rm -rf /").await, questions()), (Risk::Blocked, 2));
    // A doubt may pass.
    assert_eq!((risk("ls; (").await, questions()), (Risk::Dangerous, 3));
    assert_eq!((risk("ls; (").await, questions()), (Risk::Dangerous, 4));
}

#[tokio::test]
async fn long_text_is_refused_unasked() {
    let long = "a".repeat(16 * 1024 + 1);
    let nobody = ShellReader::new("/nowhere/planwright-worker".into());
    assert_eq!(kinds(&facts(&nobody.read(&long).await)), ["too-long"]);
    assert_eq!(kinds(&facts(&reader().read_script(&long, 1 << 20).await)), Vec::<String>::new());
}

#[tokio::test]
async fn clones_share_one_worker_and_answers_do_not_mix() {
    let reader = reader();
    let asked: Vec<_> = (0..50)
        .map(|number| {
            let reader = reader.clone();
            tokio::spawn(async move { (number, facts(&reader.read(&format!("echo {number};")).await)) })
        })
        .collect();
    for one in asked {
        let (number, read) = one.await.expect("no panic");
        assert_eq!(read["commands"][0]["words"][1]["raw"], json!(number.to_string()));
    }
}

/// The goal is a median of 100 µs on a free machine; tests share theirs, so the bound here only catches a lost warm worker.
#[tokio::test]
async fn a_warm_read_is_fast() {
    let reader = reader();
    reader.read("true;").await;
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..300 {
        let start = Instant::now();
        reader.read(&format!("git commit -m 'number {number}' && git push")).await;
        times.push(start.elapsed());
    }
    times.sort();
    println!("median {:?}", times[150]);
    assert!(times[150] < Duration::from_millis(2), "median {:?}", times[150]);
}
