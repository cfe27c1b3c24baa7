//! Services without a window: told while they run, ended with the program, and said to be gone after a sudden end.

use rustix::process::Signal;

use crate::life::Running;
use crate::{Desk, of_type, runs};

fn plan(desk: &Desk, mark: &str, then: &str) -> String {
    let steps = serde_json::json!({ "steps": [
        { "title": "Serve", "command": format!("echo up; exec sleep {mark}"), "service": { "line": "up" } },
        { "command": then },
    ]});
    desk.write("plan.json", steps.to_string()).display().to_string()
}

#[test]
fn a_service_ends_with_the_run_that_started_it() {
    let desk = Desk::new();
    let file = plan(&desk, "3171", "echo later");
    let people = desk.call(&["run", &file]);
    assert_eq!(people.code, Some(0), "{}", people.all());
    for said in ["ready when it writes \"up\"", "\"Serve\" is ready and runs on", "\"Serve\" was stopped"] {
        assert!(people.stdout.contains(said), "{said}: {}", people.all());
    }
    let json = desk.call(&["--json", "run", &file]);
    assert_eq!(json.code, Some(0), "{}", json.all());
    let lines = json.json();
    assert_eq!(of_type(&lines, "service-ready").len(), 1);
    assert_eq!(of_type(&lines, "service-ended")[0]["end"]["type"], "stopped");
    assert!(!runs("sleep 3171"));
}

#[test]
fn after_a_sudden_end_the_record_says_which_are_gone() {
    let desk = Desk::new();
    let file = plan(&desk, "3172", "touch begun; sleep 3173; echo");
    let run = Running::start(&desk, &["--json", "run", &file]);
    // Its step is done, and the next one runs.
    run.wait_for("step-completed");
    run.wait_for("step-started");
    run.signal(Signal::KILL);
    run.end();
    let begun = std::time::Instant::now();
    while runs("sleep 3172") && begun.elapsed().as_secs() < 5 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(!runs("sleep 3172"), "its worker ends it");
    let listed = desk.call(&["sessions"]);
    assert!(listed.stdout.contains("1 service runs"), "so far nobody has looked: {}", listed.all());
    let session = desk.call(&["--json", "sessions"]).json()[0]["id"].as_str().unwrap().to_owned();
    // Any start puts the record right.
    desk.call(&["import", &file]);
    let listed = desk.call(&["--json", "sessions"]).json();
    assert!(listed.iter().all(|session| session["services"] == 0), "{listed:?}");
    let resumed = desk.call(&["resume", &session]);
    // Nobody is here to decide about the step that ran; what that step can no longer lean on is said all the same.
    assert_eq!(resumed.code, Some(3), "{}", resumed.all());
    assert!(resumed.stderr.contains("\"Serve\" ended when Planwright did"), "{}", resumed.all());
}
