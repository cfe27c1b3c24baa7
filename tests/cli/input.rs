//! What is wrong with the input is said in plain words, with what to do; nothing is made of it and nothing is lost.

use std::fs;

use crate::{Desk, of_type};

/// The call must fail so, for people on stderr and with `--json` as a line, and leave no session behind.
#[track_caller]
fn refused(desk: &Desk, args: &[&str], code: &str, says: &[&str]) {
    let people = desk.call(args);
    assert_eq!((people.code, people.stdout.as_str()), (Some(2), ""), "{}", people.all());
    for part in says {
        assert!(people.stderr.contains(part), "no {part:?} in {}", people.stderr);
    }
    assert!(
        !people.stderr.contains("os error") && people.stderr.trim_end().ends_with('.'),
        "{}",
        people.stderr
    );
    let json = desk.call(&[args, &["--json"]].concat());
    assert_eq!((json.code, json.stderr.as_str()), (Some(2), ""), "{}", json.all());
    let lines = json.json();
    assert_eq!((lines.len(), &lines[0]["error"]["code"]), (1, &serde_json::json!(code)), "{}", json.all());
    let message = lines[0]["error"]["message"].as_str().unwrap();
    // And where to read on, which leads there.
    assert_eq!(people.stderr, format!("{message}\n`planwright-cli trouble {code}` says more.\n"));
    let more = desk.call(&["trouble", code]);
    assert!(more.code == Some(0) && more.stdout.len() > 40, "{}", more.all());
    assert_eq!(desk.call(&["sessions", "--json"]).stdout, "");
}

#[test]
fn pages_and_scripts_that_cannot_be_read() {
    let desk = Desk::new();
    let mut binary = b"# T\n```sh\n".to_vec();
    binary.extend([0, 1, 2, 0x81, 0xff]);
    for (name, bytes, code, says) in [
        ("none.md", b"Only words.\n".to_vec(), "no-commands", ["no commands to run in none.md", "```sh"]),
        ("empty.sh", Vec::new(), "no-commands", ["no commands to run in empty.sh", "```sh"]),
        ("big.md", vec![b'a'; 5 * 1024 * 1024 + 1], "too-large", ["more than 5 MB", "Cut it down"]),
        ("huge.md", vec![b'a'; 8 * 1024 * 1024], "too-large", ["more than 5 MB", "Cut it down"]),
        ("binary.md", binary, "not-text", ["not a text file", "Choose"]),
        ("bad.sh", b"echo a\nif true; then\n".to_vec(), "script-syntax", ["of bad.sh", "bash -n bad.sh"]),
        ("bad.md", b"```sh\nif then\n```\n".to_vec(), "no-commands", ["\"if then\" is left out", "```sh"]),
    ] {
        let path = desk.write(name, bytes);
        refused(&desk, &["run", path.to_str().unwrap()], code, &says);
    }
}

#[test]
fn plans_that_are_none() {
    let desk = Desk::new();
    for (text, code, says) in [
        (
            r#"{"steps":[{"id":"a","command":"true","dependsOn":["b"]},{"id":"b","command":"true","dependsOn":["a"]}]}"#,
            "cyclic-plan",
            "a needs b needs a",
        ),
        (
            r#"{"steps":[{"id":"a","command":"x"},{"id":"a","command":"y"}]}"#,
            "duplicate-step",
            "same id \"a\"",
        ),
        (r#"{"steps":[{"action":{"type":"browser","command":"x"}}]}"#, "unknown-tool", "\"browser\""),
        (r#"{"steps":[{"id":"a","command":"x","dependsOn":["z"]}]}"#, "invalid-plan", "no step has that id"),
        (r#"{"steps":[{"comand":"x"}]}"#, "invalid-plan", "has no command"),
        (r#"{"steps":[]}"#, "invalid-plan", "no steps"),
        (r#"{"steps":[{"command":"#, "invalid-plan", "breaks off"),
        ("{\"steps\":\n [,]}", "invalid-plan", "line 2"),
    ] {
        let path = desk.write("plan.json", text);
        refused(&desk, &["run", path.to_str().unwrap()], code, &[says]);
    }
}

#[test]
fn places_that_are_not_there() {
    let desk = Desk::new();
    desk.page(&["echo hi"]);
    desk.write("file", "");
    desk.write("wrong.toml", "aprove = \"safe\"\n");
    refused(
        &desk,
        &["run", "gone.md"],
        "file-unreadable",
        &["gone.md cannot be read", "Check that it exists"],
    );
    refused(&desk, &["run", "."], "file-unreadable", &["is a folder"]);
    refused(&desk, &["run", "page.md", "--cwd", "gone"], "folder-missing", &["gone", "make it first"]);
    refused(&desk, &["run", "page.md", "--cwd", "file"], "folder-missing", &["not a folder"]);
    refused(&desk, &["run", "page.md", "--policy", "gone.toml"], "file-unreadable", &["policy gone.toml"]);
    refused(&desk, &["run", "page.md", "--policy", "wrong.toml"], "invalid-input", &["wrong.toml", "aprove"]);
    refused(&desk, &["report", "last"], "no-such-session", &["no session yet"]);
    refused(
        &desk,
        &["export", "0123", "--as", "sh"],
        "no-such-session",
        &["no session \"0123\"", "sessions"],
    );
    refused(&desk, &["resume", "0123"], "no-such-session", &["no session \"0123\""]);
}

#[test]
fn a_data_folder_that_cannot_be_written() {
    for folder in ["/proc/planwright", "/dev/null/planwright"] {
        let desk = Desk::new();
        desk.page(&["touch ran"]);
        let run = desk.command(&["run", "page.md"]).env("PLANWRIGHT_HOME", folder).spawn().unwrap();
        let run = crate::ended(run);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.all());
        assert!(run.stderr.contains(folder) && run.stderr.contains("PLANWRIGHT_HOME"), "{}", run.stderr);
        assert!(!desk.work().join("ran").exists());
        let look = desk.command(&["sessions"]).env("PLANWRIGHT_HOME", folder).spawn().unwrap();
        assert_eq!(crate::ended(look).code, Some(0), "looking needs no folder");
    }
}

#[test]
fn a_damaged_record_is_set_aside_and_told() {
    let desk = Desk::new();
    desk.page(&["echo hi"]);
    assert_eq!(desk.call(&["run", "page.md"]).code, Some(0));
    for rest in ["-wal", "-shm"] {
        fs::remove_file(desk.data().join(format!("journal.sqlite3{rest}"))).ok();
    }
    let damaged = b"this is no database, whatever its name says".repeat(50);
    fs::write(desk.data().join("journal.sqlite3"), &damaged).unwrap();

    let look = desk.call(&["sessions"]);
    assert!(look.stderr.contains("damaged") && !look.stderr.contains("panicked"), "{}", look.all());
    let run = desk.call(&["run", "page.md"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert!(run.stderr.contains("was damaged") && run.stderr.contains("kept in"), "{}", run.stderr);
    let kept = walk(&desk.data().join("damaged"));
    assert!(kept.iter().any(|file| fs::read(file).unwrap() == damaged), "{kept:?}");
    assert_eq!(desk.call(&["sessions", "--json"]).json().len(), 1);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .flat_map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { vec![entry.path()] })
        .collect()
}

#[test]
fn wrong_arguments() {
    let desk = Desk::new();
    desk.page(&["echo hi"]);
    for args in [
        &["run"][..],
        &["frobnicate"],
        &[],
        &["run", "page.md", "--mode", "x"],
        &["export", "last", "--as", "pdf"],
        &["explain"],
    ] {
        let call = desk.call(args);
        assert_eq!((call.code, call.stdout.as_str()), (Some(2), ""), "{args:?}: {}", call.all());
        assert!(call.stderr.contains("--help"), "{}", call.stderr);
    }
    assert_eq!(desk.call(&["--help"]).code, Some(0));
    assert_eq!(desk.call(&["run", "page.md", "--mode", "fixer"]).code, Some(0), "the old name of planner");
}

#[test]
fn latin_1_a_script_and_standard_input_run() {
    let desk = Desk::new();
    desk.write("latin.md", b"# Caf\xe9\n\n```sh\nprintf '%s' 'cr\xe8me' > out\n```\n");
    let run = desk.call(&["run", "latin.md"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert_eq!(fs::read_to_string(desk.work().join("out")).unwrap(), "crème");

    desk.write(
        "script.sh",
        "#!/bin/bash\nset -e\n# Say it.\necho one > out\nif true; then\n  echo two >> out\nfi\n",
    );
    let run = desk.call(&["run", "script.sh", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert_eq!(crate::commands_started(&run.json()).len(), 2);
    assert_eq!(fs::read_to_string(desk.work().join("out")).unwrap(), "one\ntwo\n");

    let run = desk.call_with(&["run", "-"], "# Page\n\n```sh\necho three > out\n```\n");
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert_eq!(fs::read_to_string(desk.work().join("out")).unwrap(), "three\n");
    let run = desk.call_with(&["run", "-"], "{\"steps\": [{\"command\": \"echo four > out\"}]}");
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert_eq!(fs::read_to_string(desk.work().join("out")).unwrap(), "four\n");
    let run = desk.call_with(&["run", "-"], "");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("no commands to run in standard input"), "{}", run.stderr);
}

/// A page's order is no need: what does not lean on the failed step is done.
#[test]
fn on_failure_continue_goes_on_with_what_does_not_lean_on_the_failed_step() {
    let desk = Desk::new();
    desk.page(&["false", "touch after-false", "cd missing", "touch after-cd"]);
    let run = desk.call(&["run", "page.md", "--on-failure", "continue", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.all());
    assert!(desk.work().join("after-false").exists());
    assert!(!desk.work().join("after-cd").exists(), "it is not done in another folder than was meant");
    assert_eq!(of_type(&run.json(), "step-skipped").len(), 1);
}

const TWO_WAYS: &str = "# Gizmo\n\n## Install\n\n### Option 1\n\n```sh\necho first >> runs\n```\n\n### Option 2\n\n\
    ```sh\necho second >> runs\n```\n\n## Check\n\n```sh\necho checked >> runs\n```\n";

#[test]
fn a_way_of_a_page_is_chosen_by_its_name() {
    let desk = Desk::new();
    let page = desk.write("page.md", TWO_WAYS);
    let page = page.to_str().unwrap();
    let run = desk.call(&["run", page, "--choose", "install=option 2"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert_eq!(fs::read_to_string(desk.work().join("runs")).unwrap(), "second\nchecked\n");
    let shown = desk.call(&["import", page, "--choose", "Install=Option 2", "--json"]);
    assert_eq!(shown.json()[0]["choices"][0]["chosen"], 1, "{}", shown.all());
    for (chosen, says) in [
        (
            "Install=Option 3",
            "\"Install\" has no way \"Option 3\". Choose one of \"Install=Option 1\", \"Install=Option 2\".",
        ),
        ("Setup=x", "The page has no choice \"Setup\"."),
        ("x", "\"x\" is no NAME=WAY."),
    ] {
        let run = desk.call(&["run", page, "--choose", chosen]);
        assert!(run.code == Some(2) && run.stderr.contains(says), "{}", run.all());
    }
}
