//! `assess`, `diagnose` and `explain`: a line in, a line out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Desk;

#[test]
fn assess_answers_each_line_in_its_place() {
    let desk = Desk::new();
    let input = "{\"command\": \"ls -l\"}\nnot json\n\n{\"comand\": \"x\"}\n[]\n{\"command\": \"rm -rf ~\"}\n\
                 {\"command\": \"touch x\", \"cwd\": \"/nonexistent\"}\n\"\\ud800\"\n{\"command\": \"pwd\"}";
    let call = desk.call_with(&["assess"], input);
    assert_eq!((call.code, call.stderr.as_str()), (Some(0), ""), "{}", call.all());
    let lines = call.json();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[0], json!({ "command": "ls -l", "risk": "safe", "reasons": [] }));
    assert_eq!(lines[8], json!({ "command": "pwd", "risk": "safe", "reasons": [] }));
    for (place, says) in
        [(1, "not JSON"), (2, "empty"), (3, "`command`"), (4, "not an object"), (7, "not JSON")]
    {
        let error = &lines[place]["error"];
        assert_eq!(error["code"], "invalid-input", "{}", lines[place]);
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
    assert_eq!(lines[5]["command"], "rm -rf ~");
    assert!(lines[5]["risk"] == "dangerous" || lines[5]["risk"] == "blocked");
    let reason = lines[5]["reasons"][0].as_object().unwrap();
    assert_eq!(reason.keys().collect::<Vec<_>>(), ["fragment", "text"]);
    assert_ne!(lines[6]["risk"], "safe");
    let start = "{\"command\":\"ls -l\",\"risk\":\"safe\",\"reasons\":[]}\n";
    assert!(call.stdout.starts_with(start), "the fields in the order of the contract");
}

#[test]
fn a_line_that_is_no_text_or_too_long() {
    let desk = Desk::new();
    let mut input = b"{\"command\": \"\xff\"}\n{\"command\": \"".to_vec();
    input.extend(vec![b'a'; 17 * 1024 * 1024]);
    input.extend(b"\"}\n{\"command\": \"ls\"}\n");
    let lines = desk.call_with(&["assess"], input).json();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["error"]["code"], "invalid-input");
    assert_eq!(lines[1]["error"]["code"], "too-large");
    assert_eq!(lines[2]["risk"], "safe");
}

/// Commands that make parsers loop, grow or overflow their stack.
fn hostile() -> Vec<String> {
    let mut commands: Vec<String> =
        ["<<E$[\n\t\t", "<<E$[\n\t\t\n", "!(touch f)", ":(){ :|:& };:", "{1..999999999}", "\0"]
            .map(str::to_owned)
            .into();
    for (part, times) in [
        ("{", 12),
        ("{", 5000),
        ("(", 5000),
        ("((", 10),
        ("((", 40),
        ("$(", 5000),
        ("\"$(", 25),
        ("`", 101),
        ("<(", 30),
        ("[[ ", 300),
        ("if ", 500),
        ("case a in ", 200),
        ("'", 3001),
        ("a;", 5000),
        ("\\", 9999),
        ("é", 3000),
        ("{a,b}", 200),
        ("!", 2000),
        ("<<E ", 500),
        ("$[", 300),
        ("${a:-", 300),
        ("a|", 3000),
        ("$x=", 5000),
        ("a", 100_000),
    ] {
        commands.push(part.repeat(times));
    }
    commands.push(format!("{}x{}", "{ ".repeat(29), "; }".repeat(29)));
    commands.push("a && ".repeat(60) + "rm -rf /");
    commands
}

#[test]
fn hostile_commands_are_answered_and_hang_nothing() {
    let desk = Desk::new();
    let mut child = desk.command(&["assess"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |command: &str| -> Value {
        writeln!(stdin, "{}", json!({ "command": command })).unwrap();
        let line = lines.next().expect("the program lives").unwrap();
        serde_json::from_str(&line).unwrap()
    };
    for command in hostile() {
        let asked = Instant::now();
        let answer = ask(&command);
        let shown: String = command.chars().take(40).collect();
        assert!(asked.elapsed() < Duration::from_secs(10), "{shown:?} took {:?}", asked.elapsed());
        assert_eq!(answer["command"], command.as_str());
        assert_ne!(answer["risk"], "safe", "{shown:?}");
        assert_eq!(ask("ls")["risk"], "safe", "after {shown:?}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn two_thousand_lines_take_one_worker_and_little_time() {
    let desk = Desk::new();
    // The program finds its worker beside itself: here a script that counts its starts.
    let folder = desk.folder.path().join("programs");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("planwright-cli");
    std::fs::copy(planwright_tests::cli(), &program).unwrap();
    let counter = folder.join("planwright-worker");
    let (starts, worker) = (desk.folder.path().join("starts"), planwright_tests::worker());
    let script =
        format!("#!/bin/sh\necho start >> '{}'\nexec '{}' \"$@\"\n", starts.display(), worker.display());
    std::fs::write(&counter, script).unwrap();
    std::fs::set_permissions(&counter, std::fs::Permissions::from_mode(0o755)).unwrap();

    let input: String = (0..2000)
        .map(|number| {
            format!("{}\n", json!({ "command": format!("git commit -m 'x {number}' && cp a{number} b") }))
        })
        .collect();
    let input_file = desk.write("input", input);
    let begun = Instant::now();
    let output = std::process::Command::new(program)
        .arg("assess")
        .stdin(std::fs::File::open(input_file).unwrap())
        .output()
        .unwrap();
    let took = begun.elapsed();
    println!("{} µs a line", took.as_micros() / 2000);
    let answers: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(answers.len(), 2000);
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer["command"], format!("git commit -m 'x {number}' && cp a{number} b"));
    }
    assert_eq!(std::fs::read_to_string(starts).unwrap().lines().count(), 1);
    // A worker a line would take minutes; how long a line takes is the benchmark's to say.
    assert!(took < Duration::from_secs(40), "{took:?}");
}

#[test]
fn diagnose_answers_from_the_guide_alone() {
    let desk = Desk::new();
    let mkdir = json!({
        "command": "mkdir a/b", "exitCode": 1, "stdout": "",
        "stderr": "mkdir: cannot create directory ‘a/b’: No such file or directory\n",
    });
    let unknown = json!({ "command": "frobnicate", "exitCode": 3, "stdout": "", "stderr": "it broke" });
    let call = desk.call_with(&["diagnose"], format!("{mkdir}\nx\n{unknown}\n"));
    assert_eq!((call.code, call.stderr.as_str()), (Some(0), ""), "{}", call.all());
    let lines = call.json();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["correction"]["modifiedCommand"], "mkdir -p a/b");
    assert_eq!(lines[0]["source"], lines[0]["correction"]["source"]);
    assert!(lines[0]["source"].as_str().unwrap().starts_with("guide:"));
    assert!(!call.stdout.contains("0.949999"), "a confidence as it is written");
    assert_eq!(lines[1]["error"]["code"], "invalid-input");
    assert_eq!(lines[2], json!({ "correction": null, "source": "guide" }));
    assert!(!desk.work().join("a").exists(), "nothing is run");
}

#[test]
fn diagnose_knows_the_users_own_rules_and_names_their_mistakes() {
    let desk = Desk::new();
    let rules = desk.data().join("rules");
    std::fs::create_dir_all(&rules).unwrap();
    let own = r#"
[[rule]]
id = "our-login"
title = "The session has ended"
programs = ["shipit"]
message = '(?m)^session expired$'
reason = "The session has ended. Renewing it lets the command go on."
confidence = 0.9
repair = { action = "insert_steps", steps = [{ title = "Renew", command = "shipit renew", why = "It is needed." }] }
"#;
    std::fs::write(rules.join("ours.toml"), own).unwrap();
    std::fs::write(rules.join("broken.toml"), own.replacen("title =", "titel =", 1)).unwrap();
    let failure =
        json!({ "command": "shipit up", "exitCode": 1, "stdout": "", "stderr": "session expired\n" });
    let call = desk.call_with(&["diagnose"], format!("{failure}\n"));
    assert!(call.stderr.contains("broken.toml:4: unknown field `titel`"), "{}", call.all());
    let correction = &call.json()[0]["correction"];
    assert_eq!(correction["source"], "guide:our-login");
    assert_eq!(correction["newSteps"][0]["command"], "shipit renew");
}

#[test]
fn explain_for_people_and_as_json() {
    let desk = Desk::new();
    let people = desk.call(&["explain", "rm -r old && ls -l"]);
    assert_eq!(people.code, Some(0), "{}", people.all());
    for part in
        ["  rm ", "  -r ", "Changes  ", "Undo     ", "Risk     dangerous", "Source   built-in knowledge"]
    {
        assert!(people.stdout.contains(part), "no {part:?} in {}", people.stdout);
    }
    let lines = desk.call(&["explain", "ls -l", "--json"]).json();
    assert_eq!((lines.len(), &lines[0]["assessment"]["risk"]), (1, &json!("safe")));
    assert_eq!(lines[0]["parts"][1]["text"], "-l");
}
