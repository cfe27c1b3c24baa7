//! Goal sessions without a window: `agent`, `resume`, `report`, and what they end with.

use std::sync::atomic::{AtomicBool, Ordering};

use planwright_tests::chat_server::Say;
use serde_json::json;

use crate::talk::Server;
use crate::{Desk, of_type};

pub(crate) fn signal(status: &str, action: Option<(&str, &str)>) -> Say {
    let done = if status == "complete" { "completed" } else { "in-progress" };
    let todos = json!([{ "id": "a", "title": "Look into the pond", "status": done, "priority": "high" }]);
    let mut signal =
        json!({ "status": status, "todos": todos, "selfAssessment": format!("This is {status}.") });
    if let Some((kind, content)) = action {
        signal["nextAction"] = json!({ "type": kind, "content": content, "rationale": "it helps" });
    }
    Say::text(signal.to_string())
}

#[test]
fn a_goal_is_reached_checked_and_reported() {
    let server = Server::new(|number, _| match number {
        0 => signal("executing", Some(("shell", "echo fish > pond.txt"))),
        _ => signal("complete", None),
    });
    let desk = Desk::new();
    let ended = server.call(&desk, &["agent", "put a fish into the pond", "--verify", "grep fish pond.txt"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    for part in [
        "put a fish into the pond",
        "[>] Look into the pond",
        "[x] Look",
        "$ echo fish > pond.txt",
        "Done, and checked.",
    ] {
        assert!(ended.stdout.contains(part), "missing {part}: {}", ended.all());
    }
    assert_eq!(server.server.refused(), Vec::<String>::new());
    let sessions = desk.call(&["sessions", "--json"]).json();
    assert_eq!(
        (&sessions[0]["title"], &sessions[0]["status"]),
        (&json!("put a fish into the pond"), &json!("completed"))
    );
    assert_eq!(sessions[0]["goal"], json!({ "todos": 1, "done": 1, "iteration": 2 }));
    let report = desk.call(&["report", "last"]);
    assert!(
        report.stdout.contains("put a fish into the pond") && report.stdout.contains("echo fish"),
        "{}",
        report.all()
    );
}

#[test]
fn sub_goals_have_lines_of_their_own_and_a_section_of_the_report() {
    let busy = AtomicBool::new(true);
    let server = Server::new(move |_, body| {
        let messages = body["messages"].to_string();
        let iteration = |nth: u32| messages.contains(&format!("This is iteration {nth} of"));
        if messages.contains("Your sub-goal: Say what the pond holds") {
            return if busy.swap(false, Ordering::Relaxed) {
                Say::refusal(503, "too many ask")
            } else if iteration(1) {
                signal("executing", Some(("file_read", "pond.txt")))
            } else {
                account("Two fish (pond.txt, line 1).")
            };
        }
        if messages.contains("Your sub-goal: Say what the shed holds") {
            return if iteration(1) {
                signal("executing", Some(("shell", "echo rake > shed.txt")))
            } else {
                account("Nothing is written of the shed.")
            };
        }
        if messages.contains("agent_2_") { handed_on("complete") } else { handed_on("planning") }
    });
    let desk = Desk::new();
    desk.write("pond.txt", "two fish\n");
    let ended = server.call(&desk, &["agent", "say what there is"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    assert_eq!(server.server.refused(), Vec::<String>::new());
    assert!(!desk.work().join("shed.txt").exists(), "what writes was run: {}", ended.all());

    // Their lines stand among each other, each one's own in their order.
    let of = |number: u32| -> Vec<&str> {
        let head = format!("[agent {number}] ");
        ended.stdout.lines().filter_map(|line| line.trim_start().strip_prefix(&head)).collect()
    };
    let first = of(1);
    assert_eq!(first[0], "Say what the pond holds", "{}", ended.all());
    assert!(first[1].starts_with("The model's server is overloaded."), "{}", ended.all());
    assert_eq!(
        first[2..],
        [
            "This is executing.",
            "$ read_file pond.txt",
            "Two fish (pond.txt, line 1).",
            "done. Two fish (pond.txt, line 1).",
        ],
        "{}",
        ended.all()
    );
    let second = of(2);
    assert_eq!(second[..2], ["Say what the shed holds", "This is executing."], "{}", ended.all());
    assert!(
        second[2].starts_with("echo rake > shed.txt: Refused, it was not run: A sub-goal only reads"),
        "{}",
        ended.all()
    );
    assert_eq!(
        second[3..],
        ["Nothing is written of the shed.", "done. Nothing is written of the shed."],
        "{}",
        ended.all()
    );

    let report = desk.call(&["report", "last"]);
    let section = report.stdout.split_once("\n## Sub-goals\n").expect("no section").1;
    let (pond, shed) = section.split_once("\n### Sub-goal 2: Say what the shed holds\n").expect("no second");
    for (text, parts) in [
        (
            pond,
            [
                "### Sub-goal 1: Say what the pond holds",
                "Asked for by the agent in iteration 1, for the to-do `pond`",
                "It ended: complete",
                "2 calls of models: ",
                "`agent_1_",
                "Two fish (pond.txt, line 1).",
            ],
        ),
        (
            shed,
            [
                "for the to-do `shed`",
                "echo rake > shed.txt",
                "Refused, it was not run: A sub-goal only reads",
                "2 calls of models: ",
                "`agent_2_",
                "Nothing is written of the shed.",
            ],
        ),
    ] {
        for part in parts {
            assert!(text.contains(part), "missing {part}: {}", report.all());
        }
    }
}

/// A sub-goal's last word.
fn account(found: &str) -> Say {
    Say::text(json!({ "status": "complete", "todos": [], "selfAssessment": found }).to_string())
}

/// A goal's signal about two to-dos: it hands them to sub-goals, or has what they found.
fn handed_on(status: &str) -> Say {
    let is_complete = status == "complete";
    let todos: Vec<_> = ["pond", "shed"]
        .map(|id| {
            let status = if is_complete { "completed" } else { "in-progress" };
            json!({ "id": id, "title": format!("Look into the {id}"), "status": status, "priority": "low" })
        })
        .into();
    let mut signal =
        json!({ "status": status, "todos": todos, "selfAssessment": format!("This is {status}.") });
    if !is_complete {
        let wanted =
            ["pond", "shed"].map(|id| json!({ "todoId": id, "goal": format!("Say what the {id} holds") }));
        signal["subGoals"] = json!(wanted);
    }
    Say::text(signal.to_string())
}

#[test]
fn json_lines_are_the_events_in_their_order() {
    let server = Server::new(|number, _| match number {
        0 => signal("executing", Some(("shell", "true"))),
        _ => signal("complete", None),
    });
    let desk = Desk::new();
    let ended = server.call(&desk, &["--json", "agent", "go"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let lines = ended.json();
    assert_eq!(lines[0]["type"], "session");
    let types: Vec<&str> = lines[1..]
        .iter()
        .filter_map(|line| line["type"].as_str())
        .filter(|kind| !matches!(*kind, "model-used" | "step-output" | "session-renamed"))
        .collect();
    assert_eq!(
        types,
        [
            "goal-started",
            "goal-signal-received",
            "todos-changed",
            "goal-action-proposed",
            "call-started",
            "call-finished",
            "goal-signal-received",
            "todos-changed",
            "goal-ended"
        ]
    );
    assert_eq!(of_type(&lines, "goal-ended")[0]["end"]["type"], "complete");
}

#[test]
fn how_it_ended_is_the_exit_status() {
    type Case = (&'static [&'static str], fn(usize) -> Say, i32);
    let cases: [Case; 5] = [
        (&["agent", "go"], |_| signal("stuck", None), 1),
        (&["agent", "go"], |_| Say::text("no signal"), 1),
        (
            &["agent", "go"],
            |number| match number {
                0 => signal("executing", Some(("shell", "rm -rf pond"))),
                _ => signal("stuck", None),
            },
            3,
        ),
        (
            &["agent", "go", "--max-iterations", "2"],
            |number| signal("executing", Some(("eval", ["1", "2", "3"][number]))),
            4,
        ),
        (
            &["agent", "go", "--max-tokens", "100"],
            |number| signal("executing", Some(("eval", ["1", "2", "3"][number]))).counting(70),
            4,
        ),
    ];
    for (call, script, code) in cases {
        let server = Server::new(move |number, _| script(number));
        let desk = Desk::new();
        let ended = server.call(&desk, call);
        assert_eq!(ended.code, Some(code), "{call:?}: {}", ended.all());
    }
    let desk = Desk::new();
    assert_eq!(desk.call(&["agent", "go"]).code, Some(5));
    let server = Server::new(|_, _| signal("complete", None));
    assert_eq!(server.call(&desk, &["agent", " "]).code, Some(2));
    assert_eq!(server.call(&desk, &["agent", "go", "--max-iterations", "0"]).code, Some(2));
}

#[test]
fn what_ran_out_is_resumed_with_as_much_again() {
    let server = Server::new(|number, _| match number {
        0 => signal("executing", Some(("shell", "echo one >> log"))),
        1 => signal("executing", Some(("shell", "echo two >> log"))),
        _ => signal("complete", None),
    });
    let desk = Desk::new();
    let ended = server.call(&desk, &["agent", "go", "--max-iterations", "2"]);
    assert_eq!(ended.code, Some(4), "{}", ended.all());
    assert!(ended.stdout.contains("Out of budget, not done"), "{}", ended.all());
    let ended = server.call(&desk, &["resume", "last"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let text = server.server.bodies()[2]["messages"].to_string();
    assert!(text.contains("echo one >> log") && text.contains("echo two >> log"), "{text}");
}

#[test]
fn the_signals_schema_is_printed() {
    let desk = Desk::new();
    for call in [&["schema", "signal"][..], &["--json", "schema", "signal"]] {
        let ended = desk.call(call);
        assert_eq!(ended.code, Some(0), "{}", ended.all());
        let printed: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(printed, planwright_engine::goal::signal::schema());
    }
    assert_eq!(desk.call(&["schema", "weather"]).code, Some(2));
}

#[test]
fn a_stuck_goal_names_the_stronger_model_and_goes_on_with_it() {
    let server = Server::new(|_, body| match body["model"].as_str() {
        Some("big") => signal("complete", None),
        _ => signal("stuck", None),
    });
    let desk = Desk::new();
    let url = server.server.url();
    let call = |args: &[&str]| {
        let named = [
            ("PROVIDER", "local"),
            ("MODEL", "small"),
            ("BASE_URL", url.as_str()),
            ("STRONGER_MODEL", "big"),
        ];
        let mut command = desk.command(args);
        for (name, value) in named {
            command.env(format!("PLANWRIGHT_{name}"), value);
        }
        crate::ended(command.spawn().unwrap())
    };
    let ended = call(&["agent", "put a fish into the pond"]);
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    let report = ended.stdout.lines().find_map(|line| line.split_once("The whole account is in ")).unwrap().1;
    let report = report.trim_end_matches("\u{1b}[0m");
    assert!(std::fs::read_to_string(report).unwrap().contains("put a fish into the pond"), "{report}");
    assert!(ended.stderr.contains("The stronger model big could go on"), "{}", ended.all());
    let resumed = call(&["resume", "last", "--model-backend", "stronger"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.all());

    let begun = call(&["agent", "and another one", "--model-backend", "stronger"]);
    assert_eq!(begun.code, Some(0), "{}", begun.all());
}
