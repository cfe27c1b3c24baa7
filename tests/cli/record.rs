//! The record: making plans, writing them, listing and reporting, also while another program runs.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::life::{Running, started};
use crate::{Desk, commands_started, ended, of_type};

#[test]
fn the_card_for_people() {
    let desk = Desk::new();
    desk.write("page.md", "# Tidy\n\nMakes room.\n\n```sh\nmkdir new\n```\n\n```sh\nrm -rf old\n```\n");
    let card = desk.call(&["import", "page.md"]);
    assert_eq!(card.code, Some(0), "{}", card.all());
    let lines: Vec<&str> = card.stdout.lines().collect();
    assert_eq!((lines[0], lines[2]), ("Plan: Tidy", "Intent: Makes room."));
    assert!(lines[1].len() > 20 && lines[1].bytes().all(|byte| byte == b'-'), "{}", lines[1]);
    let facts: Vec<&str> = lines[3].split(" | ").collect();
    assert_eq!((facts.len(), facts[0], lines[5]), (3, "Risk Level: DANGEROUS", "Steps:"), "{}", lines[3]);
    assert!(facts[1].starts_with("Estimated Duration: ") && facts[2].starts_with("Files Affected: "));
    assert!(
        card.stdout.contains("\n  1. [CONFIGURE] Make the folder new (2s) - CAUTION\n"),
        "{}",
        card.stdout
    );
    assert!(card.stdout.contains("\n  2. [EXECUTE] Delete old (10s) - DANGEROUS\n"), "{}", card.stdout);
    assert!(card.stdout.trim_end().ends_with("Approve? (y/n)"), "{}", card.stdout);
    assert!(card.stderr.contains("planwright-cli resume "), "{}", card.stderr);
    assert!(!desk.work().join("new").exists(), "nothing has run");
}

#[test]
fn an_imported_draft_is_run_by_resume() {
    let desk = Desk::new();
    desk.page(&["echo one >> count"]);
    assert_eq!(desk.call(&["import", "page.md"]).code, Some(0));
    let run = desk.call(&["resume", "last"]);
    assert_eq!((run.code, desk.lines("count")), (Some(0), 1), "{}", run.all());
    let again = desk.call(&["resume", "last"]);
    assert_eq!((again.code, again.stdout.as_str(), desk.lines("count")), (Some(2), "", 1), "{}", again.all());
    assert!(again.stderr.contains("done"), "{}", again.stderr);
}

#[test]
fn an_imported_plan_as_json_runs_again() {
    let desk = Desk::new();
    desk.page(&["echo one > out", "grep -c one out"]);
    let line = desk.call(&["import", "page.md", "--json"]);
    assert_eq!((line.code, line.json().len()), (Some(0), 1), "{}", line.all());
    let run = desk.call_with(&["run", "-", "--json"], &line.stdout);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert_eq!(commands_started(&run.json()), ["echo one > out", "grep -c one out"]);
}

/// What a plan is, without what is new with each import.
fn essence(mut plan: Value) -> Value {
    // Where on its page a step stands, and what else stands there, is of the page and not of the plan.
    for name in ["id", "origin", "state", "revision", "page", "leftOut", "choices", "inputs"] {
        plan.as_object_mut().unwrap().remove(name);
    }
    for step in plan["steps"].as_array_mut().unwrap() {
        for name in ["state", "source", "decided", "role", "selected"] {
            step.as_object_mut().unwrap().remove(name);
        }
    }
    plan
}

#[test]
fn exports_round_trip() {
    let desk = Desk::new();
    desk.write(
        "page.md",
        "# Numbers\n\nCounts *twice*.\n\n## Write\n\nFirst `this`:\n\n```sh\n# Remember.\ncd sub && export N=2\n\
         printf '%s\\n' \"$N\" '```' >> \"out\"\n```\n\n## Look\n\n```console\n$ cat out\n2\n```\n",
    );
    fs::create_dir(desk.work().join("sub")).unwrap();
    let plan = desk.call(&["import", "page.md", "--json"]).json().remove(0);

    let page = desk.call(&["export", "last", "--as", "md"]);
    assert_eq!(page.code, Some(0), "{}", page.all());
    let back = desk.call_with(&["import", "-", "--json"], &page.stdout).json().remove(0);
    assert_eq!(essence(back), essence(plan.clone()), "{}", page.stdout);

    let json = desk.call(&["export", "last", "--as", "json"]);
    let back: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(essence(back), essence(plan));
    assert_eq!(desk.call_with(&["run", "-"], &json.stdout).code, Some(0));
    assert_eq!(desk.lines("sub/out"), 2);

    let script = desk.call(&["export", "last", "--as", "sh"]);
    let path = desk.write("again.sh", &script.stdout);
    let bash = Command::new("bash").arg(path).current_dir(desk.work()).output().unwrap();
    assert!(bash.status.success(), "{}", String::from_utf8_lossy(&bash.stderr));
    assert_eq!(desk.lines("sub/out"), 4);
}

#[test]
fn sessions_are_listed_found_and_reported() {
    let desk = Desk::new();
    desk.write("a.md", "# Apples\n\n```sh\necho a\n```\n");
    desk.write("b.md", "# Beetroot\n\n```sh\nfalse\n```\n");
    assert_eq!(desk.call(&["run", "a.md"]).code, Some(0));
    assert_eq!(desk.call(&["run", "b.md"]).code, Some(1));

    let all = desk.call(&["sessions", "--json"]).json();
    assert_eq!(all.len(), 2);
    assert_eq!((&all[0]["title"], &all[0]["status"]), (&"Beetroot".into(), &"failed".into()), "newest first");
    let found = desk.call(&["sessions", "apple", "--json"]).json();
    assert_eq!((found.len(), &found[0]["title"]), (1, &"Apples".into()));
    let people = desk.call(&["sessions"]).stdout;
    assert!(
        people.contains("Beetroot") && people.contains("failed") && people.lines().count() == 2,
        "{people}"
    );
    let none = desk.call(&["sessions", "pears"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), ""));
    assert!(none.stderr.contains("pears"));

    let report = desk.call(&["report", "last"]).stdout;
    assert!(report.starts_with("# Beetroot\n") && report.contains("`false`"), "{report}");
    let id = found[0]["id"].as_str().unwrap();
    assert!(desk.call(&["report", id]).stdout.starts_with("# Apples\n"));
    let page = desk.call(&["report", id, "--html"]).stdout;
    assert!(page.starts_with("<!doctype html>\n") && page.contains("<h1>Apples</h1>"), "{page}");
    assert_eq!(desk.call(&["report", "0"]).code, Some(2), "the beginning of both");
}

#[test]
fn sessions_have_sizes_and_are_found_by_what_is_in_them() {
    let desk = Desk::new();
    desk.write("a.md", "# Apples\n\n```sh\nseq 3000 > numbers && echo \"a pear\"\n```\n");
    assert_eq!(desk.call(&["run", "a.md"]).code, Some(0));
    let found = desk.call(&["sessions", "A PEAR", "--json"]).json();
    assert_eq!(found.len(), 1);
    let size = |kind: &str| found[0][kind].as_u64().unwrap();
    assert!(size("recordKib") > 0 && size("outputKib") > 0 && size("keptKib") > 0, "{}", found[0]);
    let people = desk.call(&["sessions"]).stdout;
    assert!(people.contains(" KB  Apples"), "{people}");
}

#[test]
fn a_rule_for_keeping_is_told_before_anything_goes() {
    let desk = Desk::new();
    desk.page(&["true"]);
    assert_eq!(desk.call(&["run", "page.md"]).code, Some(0));
    let none = desk.call(&["sessions", "--prune"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), ""), "{}", none.all());
    assert!(none.stderr.contains("keeps every session"), "{}", none.stderr);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (journal, _) = planwright_engine::journal::Journal::open(&desk.data()).unwrap();
        let settings = planwright_engine::protocol::Settings { keep_mib: Some(0), ..Default::default() };
        journal.put_settings(settings).await.unwrap();
    });
    let told = desk.call(&["sessions", "--prune"]);
    assert!(told.stdout.contains("A page") && told.stderr.contains("None is removed yet"), "{}", told.all());
    assert!(desk.call(&["sessions"]).stderr.contains("1 session may be removed"));
    assert_eq!(desk.call(&["sessions", "--yes"]).code, Some(2), "only with --prune");
    let removed = desk.call(&["sessions", "--prune", "--yes"]);
    assert!(removed.code == Some(0) && removed.stderr.contains("1 session removed"), "{}", removed.all());
    assert_eq!(desk.call(&["sessions", "--json"]).json().len(), 0);
    let trash = std::fs::read_dir(desk.data().join("trash")).unwrap();
    assert_eq!(trash.count(), 0, "for good");
}

#[test]
fn looking_works_while_another_run_holds_the_folder() {
    let desk = Desk::new();
    desk.page(&["touch here", "sleep 60.125"]);
    let running = Running::start(&desk, &["run", "page.md", "--json"]);
    started(&running, "sleep 60.125");
    assert_eq!(desk.call(&["sessions", "--json"]).json()[0]["status"], "running");
    assert!(desk.call(&["report", "last"]).stdout.contains("**running**"));
    assert!(desk.call(&["export", "last", "--as", "md"]).stdout.contains("touch here"));
    let second = desk.call(&["run", "page.md"]);
    assert_eq!((second.code, second.stdout.as_str()), (Some(2), ""), "{}", second.all());
    assert!(
        second.stderr.contains("already") && second.stderr.contains("PLANWRIGHT_HOME"),
        "{}",
        second.stderr
    );
    running.signal(rustix::process::Signal::TERM);
    let end = running.end();
    assert_eq!(end.code, Some(130), "{}", end.all());
}

#[test]
fn continue_goes_on_past_a_failure() {
    let desk = Desk::new();
    desk.write(
        "plan.json",
        r#"{"steps": [{"id": "a", "command": "false"}, {"id": "b", "command": "touch b", "dependsOn": ["a"]},
            {"id": "c", "command": "touch c", "dependsOn": []}]}"#,
    );
    let run = desk.command(&["run", "plan.json", "--on-failure", "continue", "--json"]);
    let run = ended({ run }.spawn().unwrap());
    assert_eq!(run.code, Some(1), "{}", run.all());
    assert_eq!(of_type(&run.json(), "step-skipped").len(), 1);
    assert!(desk.work().join("c").exists() && !desk.work().join("b").exists());
}
