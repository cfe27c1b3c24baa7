//! The shell reader against the real worker process.

#![allow(clippy::expect_used)]

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

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
