//! Requests in words: `chat`, `do`, `plan`, against a scripted server.

use planwright_tests::chat_server::{ChatServer, Say};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::life::Running;
use crate::{Desk, Ended, commands_started, of_type, runs};

/// A server beside the test, on threads of its own.
pub(crate) struct Server {
    pub(crate) server: ChatServer,
    _threads: tokio::runtime::Runtime,
}

impl Server {
    pub(crate) fn new(script: impl FnMut(usize, &Value) -> Say + Send + 'static) -> Self {
        let threads =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = threads.block_on(ChatServer::start(script));
        Self { server, _threads: threads }
    }

    /// The arguments that name this server's model, with those of the call.
    pub(crate) fn args<'a>(&self, url: &'a mut String, call: &[&'a str]) -> Vec<&'a str> {
        *url = self.server.url();
        let named = ["--provider", "local", "--model", "scripted", "--base-url", url.as_str()];
        call.iter().copied().chain(named).collect()
    }

    pub(crate) fn call(&self, desk: &Desk, call: &[&str]) -> Ended {
        let mut url = String::new();
        desk.call(&self.args(&mut url, call))
    }
}

fn shell(command: &str) -> Say {
    Say::text("Looking.").and_call("shell", json!({ "command": command }))
}

#[test]
fn a_conversation_with_tools_ends_with_its_words() {
    let server = Server::new(|number, _| match number {
        0 => shell("echo fish > pond.txt"),
        1 => Say::call("read_file", json!({ "path": "pond.txt" })),
        _ => Say::text("There is a **fish** in the pond."),
    });
    let desk = Desk::new();
    let ended = server.call(&desk, &["chat", "is there a fish?"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    for part in ["$ echo fish > pond.txt", "read_file pond.txt", "There is a **fish** in the pond."] {
        assert!(ended.stdout.contains(part), "missing {part}: {}", ended.all());
    }
    assert_eq!(server.server.refused(), Vec::<String>::new());

    let sessions = desk.call(&["sessions", "--json"]).json();
    assert_eq!(sessions[0]["title"], "is there a fish?");
    let report = desk.call(&["report", "last"]);
    assert!(
        report.stdout.contains("## The conversation") && report.stdout.contains("echo fish"),
        "{}",
        report.all()
    );
}

#[test]
fn json_lines_are_the_events() {
    let server = Server::new(|number, _| if number == 0 { shell("echo fish") } else { Say::text("Done.") });
    let desk = Desk::new();
    let ended = server.call(&desk, &["--json", "chat", "go"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let lines = ended.json();
    assert_eq!(lines[0]["type"], "session");
    let types: Vec<&str> = lines[1..]
        .iter()
        .filter_map(|line| line["type"].as_str())
        .filter(|kind| !matches!(*kind, "model-used" | "step-output"))
        .collect();
    assert_eq!(
        types,
        [
            "detection",
            "session-renamed",
            "user-message",
            "assistant-message",
            "call-started",
            "call-finished",
            "assistant-message",
            "turn-ended"
        ]
    );
    assert_eq!(of_type(&lines, "call-finished")[0]["result"]["content"], "exit status 0\nfish");
    assert_eq!(of_type(&lines, "turn-ended")[0]["end"]["type"], "done");
}

#[test]
fn a_conversation_goes_on_in_its_session() {
    let server = Server::new(|number, _| Say::text(format!("Answer {number}.")));
    let desk = Desk::new();
    assert_eq!(server.call(&desk, &["chat", "my name is Fish"]).code, Some(0));
    let ended = server.call(&desk, &["chat", "--session", "last", "what is my name?"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let text = server.server.bodies()[1]["messages"].to_string();
    assert!(text.contains("my name is Fish") && text.contains("Answer 0."), "{text}");
}

#[test]
fn a_message_may_come_from_standard_input() {
    let server = Server::new(|_, _| Say::text("Read."));
    let desk = Desk::new();
    let mut url = String::new();
    let ended = desk.call_with(&server.args(&mut url, &["chat"]), "two\nlines\n");
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let messages = &server.server.bodies()[0]["messages"];
    assert_eq!(messages.as_array().unwrap().last().unwrap()["content"], "two\nlines");
}

/// Without a policy nobody can say yes; with one, what it covers runs.
#[test]
fn what_needs_a_yes_is_refused_unless_the_policy_grants_it() {
    let script =
        |number: usize, _: &Value| if number == 0 { shell("rm -rf old") } else { Say::text("I see.") };
    let desk = Desk::new();
    std::fs::create_dir(desk.work().join("old")).unwrap();
    let ended = Server::new(script).call(&desk, &["chat", "clean up"]);
    assert_eq!(ended.code, Some(3), "{}", ended.all());
    assert!(desk.work().join("old").exists());
    let policy = desk.write("policy.toml", "approve = \"dangerous\"\n").display().to_string();
    let ended = Server::new(script).call(&desk, &["chat", "clean up", "--policy", &policy]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    assert!(!desk.work().join("old").exists());
}

#[test]
fn one_command_is_shown_and_run() {
    let step = json!({ "title": "Make a pond", "command": "mkdir pond", "why": "You asked for one." });
    let server = Server::new(move |_, _| Say::text(step.to_string()));
    let desk = Desk::new();
    let ended = server.call(&desk, &["--json", "do", "make a pond"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    assert_eq!(commands_started(&ended.json()), ["mkdir pond"]);
    assert!(desk.work().join("pond").exists());
}

#[test]
fn a_dangerous_command_is_not_run_for_nobody() {
    let step = json!({ "title": "Clean", "command": "rm -rf ~", "why": "It is full." });
    let server = Server::new(move |_, _| Say::text(step.to_string()));
    let desk = Desk::new();
    let ended = server.call(&desk, &["--json", "do", "make room"]);
    assert!(matches!(ended.code, Some(1 | 3)), "{}", ended.all());
    assert_eq!(commands_started(&ended.json()), Vec::<&str>::new());
}

#[test]
fn a_plan_is_shown_and_waits() {
    let plan = json!({
        "title": "A garden",
        "intent": "Make a garden.",
        "steps": [
            { "title": "Dig", "kind": "execute", "command": "mkdir bed", "why": "A bed first." },
            { "title": "Sow", "kind": "execute", "command": "touch bed/seed", "why": "Then seeds." },
        ],
    });
    let server = Server::new(move |_, _| Say::text(plan.to_string()));
    let desk = Desk::new();
    let ended = server.call(&desk, &["plan", "make me a garden"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    for part in [
        "Intent: Make a garden.",
        "Risk Level: CAUTION | Estimated Duration: ",
        "| Files Affected: ",
        "1. [EXECUTE] Dig (",
        "2. [EXECUTE] Sow (",
        "Approve? (y/n)",
    ] {
        assert!(ended.stdout.contains(part), "missing {part}: {}", ended.all());
    }
    assert!(!desk.work().join("bed").exists());
    // Without anybody, somebody's `resume` is the yes.
    let ended = desk.call(&["resume", "last"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    assert!(desk.work().join("bed/seed").exists());
}

#[test]
fn without_a_usable_model_it_says_so() {
    let desk = Desk::new();
    let ended = desk.call(&["chat", "hello"]);
    assert_eq!(ended.code, Some(5), "{}", ended.all());
    assert!(ended.stderr.contains("No model"), "{}", ended.all());
    let server = Server::new(|_, _| Say::refusal(401, "invalid key"));
    let ended = server.call(&desk, &["chat", "hello"]);
    assert_eq!(ended.code, Some(5), "{}", ended.all());
    assert!(ended.stdout.contains("key was not accepted"), "{}", ended.all());
    let ended = desk.call(&["chat", "hello", "--provider", "perhaps"]);
    assert_eq!(ended.code, Some(5), "{}", ended.all());
}

#[test]
fn rounds_that_run_out_are_a_budget() {
    let server = Server::new(|_, _| shell("true"));
    let ended = server.call(&Desk::new(), &["chat", "--max-rounds", "2", "go"]);
    assert_eq!(ended.code, Some(4), "{}", ended.all());
    assert_eq!(server.server.bodies().len(), 2);
}

#[test]
fn an_interrupt_ends_the_turn_and_its_command() {
    let server = Server::new(|_, _| shell("sleep 61.25"));
    let desk = Desk::new();
    let mut url = String::new();
    let running = Running::start(&desk, &server.args(&mut url, &["--json", "chat", "wait"]));
    running.wait_for("call-started");
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.all());
    assert!(!runs("sleep 61.25"));
}

/// With nobody to ask, the project's instructions go to the model only where the call says so.
#[test]
fn the_projects_instructions_are_read_when_the_call_says_so() {
    let server = Server::new(|_, _| Say::text("Hello."));
    let desk = Desk::new();
    std::fs::write(desk.work().join("AGENTS.md"), "Write British English.").unwrap();
    let ended = server.call(&desk, &["chat", "hello"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    assert!(ended.stdout.contains("AGENTS.md") && ended.stdout.contains("--instructions"), "{}", ended.all());
    let ended = server.call(&desk, &["--instructions", "chat", "hello"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let told = |nth: usize| server.server.bodies()[nth]["messages"][0]["content"].to_string();
    assert!(!told(0).contains("British") && told(1).contains("British"), "{}", told(1));
}

/// As in a conversation, so when a step of a page is to be mended.
#[test]
fn nor_is_a_step_mended_without_them() {
    let server = Server::new(|_, _| Say::text(r#"{"action":"abort","reasoning":"No."}"#));
    let desk = Desk::new();
    let long = format!("Write British English.\n{}", "x".repeat(400_000));
    std::fs::write(desk.work().join("AGENTS.md"), long).unwrap();
    let page = desk.page(&["echo 'flux out of phase' >&2; exit 7"]);
    let page = page.to_str().unwrap();
    let ended = server.call(&desk, &["run", page, "--mode", "agentic"]);
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    let ended = server.call(&desk, &["--instructions", "run", page, "--mode", "agentic"]);
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    assert!(ended.stdout.contains("AGENTS.md (the beginning of its 390 KB)"), "{}", ended.all());
    let told = |nth: usize| server.server.bodies()[nth]["messages"].to_string();
    assert!(!told(0).contains("British") && told(1).contains("British"), "{}", told(1));
    assert!(told(1).contains("[cut: this is the beginning of 400023 bytes"), "{}", told(1));
}

#[test]
fn an_answer_with_nothing_in_it_is_a_failure_that_is_told() {
    let server = Server::new(|_, _| Say::default());
    let ended = server.call(&Desk::new(), &["chat", "hello"]);
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    assert!(ended.stdout.contains("was empty"), "{}", ended.all());
}

/// What the detection makes of the words is told to scripts, whatever was asked for.
#[test]
fn the_detection_score_is_told_in_json() {
    let server = Server::new(|_, _| Say::text("Hello."));
    let ended = server
        .call(&Desk::new(), &["--json", "chat", "install nginx, configure it and set up a certificate"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let detection = ended.json().into_iter().find(|line| line["detection"].is_object()).unwrap();
    assert!(detection["detection"]["score"].as_u64().unwrap() > 0, "{detection}");
    assert!(detection["detection"]["threshold"].is_u64() && detection["detection"]["reasons"].is_array());
}

#[test]
fn the_account_of_a_turn_has_an_id_in_json_and_in_the_report() {
    let server = Server::new(|number, _| match number {
        0 => Say::call("shell", json!({ "command": "true" })),
        _ => Say::default(),
    });
    let desk = Desk::new();
    let ended = server.call(&desk, &["--json", "chat", "do it"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let lines = ended.json();
    let end = of_type(&lines, "turn-ended")[0].clone();
    let id = format!("synthesis_{}", end["messageId"].as_str().unwrap());
    assert_eq!(
        (end["synthesisId"].as_str(), end["synthesis"].as_str()),
        (Some(id.as_str()), Some("1 tool call: 1 done."))
    );
    assert!(desk.call(&["report", "last"]).stdout.contains(&id));
}
