//! Goals, signals and actions that are none: each is said in clear words, costs nothing that was there, and it goes on.

use planwright_tests::chat_server::Say;
use serde_json::{Value, json};

use crate::talk::Server;
use crate::{Desk, of_type};

fn signal(status: &str, todos: &Value, action: Option<(&str, &str)>) -> String {
    let mut signal = json!({ "status": status, "todos": todos, "selfAssessment": "So it stands." });
    if let Some((kind, content)) = action {
        signal["nextAction"] = json!({ "type": kind, "content": content, "rationale": "it helps" });
    }
    signal.to_string()
}

fn complete() -> Say {
    Say::text(signal("complete", &json!([]), None))
}

#[test]
fn an_answer_that_is_no_signal_is_sent_back_in_words_and_the_next_one_counts() {
    let todo = |id: &str| json!({ "id": id, "title": "Look", "status": "pending", "priority": "high" });
    let act = |kind: &str| signal("executing", &json!([]), Some((kind, "x")));
    let cases = [
        ("I am on it.".to_owned(), "there is no JSON object in it"),
        ("<html><body>502 Bad Gateway</body></html>".to_owned(), "there is no JSON object in it"),
        ("{\"status\": \"exec".to_owned(), "it breaks off before its end"),
        ("so ".repeat(700_000), ""),
        (signal("planning", &json!([todo("a"), todo("a")]), None), "two `todos` have the id `a`"),
        (signal("busy", &json!([]), None), "unknown variant `busy`"),
        (act("browse"), "unknown variant `browse`"),
        (signal("planning", &json!([{ "id": "a" }]), None), "missing field"),
    ];
    for (answer, error) in cases {
        let begin: String = answer.chars().take(60).collect();
        let server =
            Server::new(move |number, _| if number == 0 { Say::text(answer.clone()) } else { complete() });
        let desk = Desk::new();
        let ended = server.call(&desk, &["--json", "agent", "go"]);
        assert_eq!(ended.code, Some(0), "{begin}: {}", ended.all());
        let lines = ended.json();
        let rejected = of_type(&lines, "goal-signal-rejected");
        assert_eq!(rejected.len(), 1, "{begin}: {}", ended.all());
        let said = rejected[0]["error"].as_str().unwrap();
        assert!(!said.is_empty() && said.contains(error), "{begin}: {said}");
        assert!(ended.stdout.len() < 100_000, "{begin}: {} bytes", ended.stdout.len());
    }
}

#[test]
fn an_action_that_cannot_be_done_says_so_and_the_goal_goes_on() {
    let actions = [
        ("file_read", "."),
        ("file_read", "missing.txt"),
        ("file_read", "/dev/zero"),
        ("file_read", "binary"),
        ("file_read", "../.ssh/id_ed25519"),
        ("eval", "loop {}"),
        ("eval", "fn deeper(n) { deeper(n + 1) } deeper(0)"),
        ("eval", "let text = \"fish\"; loop { text += text; }"),
        ("eval", "let ="),
        ("shell", "no-such-program-at-all"),
    ];
    let server = Server::new(move |number, _| match actions.get(number) {
        Some(action) => Say::text(signal("executing", &json!([]), Some(*action))),
        None => complete(),
    });
    let desk = Desk::new();
    desk.write("binary", [0_u8, 159, 146, 150, 0, 1, 2]);
    let keys = desk.work().join("../.ssh");
    std::fs::create_dir(&keys).unwrap();
    std::fs::write(keys.join("id_ed25519"), "KEEP-THIS-SECRET").unwrap();
    let ended = server.call(&desk, &["--json", "agent", "go"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let lines = ended.json();
    let results = of_type(&lines, "call-finished");
    assert_eq!(results.len(), actions.len(), "{}", ended.all());
    for (result, (kind, content)) in results.iter().zip(actions) {
        let (outcome, said) = (&result["result"]["outcome"], result["result"]["content"].as_str().unwrap());
        println!("{kind} {content}: {outcome} {said}");
        assert_ne!(outcome, "success", "{kind} {content}: {said}");
        assert!(!said.trim().is_empty() && said.len() < 2_000, "{kind} {content}: {said}");
    }
    let sent: String = server.server.bodies().iter().map(Value::to_string).collect();
    assert!(!sent.contains("KEEP-THIS-SECRET"), "a key is not told to a model unasked");
}

#[test]
fn nothing_that_a_model_writes_steers_the_terminal() {
    let trick = "\u{1b}[2J\u{1b}]0;mine\u{7}\u{9b}31m\rfish";
    let todos = json!([{ "id": "a", "title": trick, "status": "completed", "priority": "high" }]);
    let server = Server::new(move |number, _| match number {
        0 => Say::text(
            json!({
                "status": "executing", "todos": todos, "selfAssessment": trick,
                "nextAction": { "type": "eval", "content": "1", "rationale": trick },
            })
            .to_string(),
        ),
        _ => Say::text(signal("complete", &todos, None)),
    });
    let desk = Desk::new();
    let ended = server.call(&desk, &["agent", &format!("go {trick}"), "--context", trick]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    let report = desk.call(&["report", "last"]);
    for text in [&ended.stdout, &ended.stderr, &report.stdout] {
        let steers =
            ["\u{1b}[2J", "\u{1b}]0", "\u{7}", "\u{9b}", "\r"].iter().find(|part| text.contains(**part));
        assert_eq!(steers, None, "{text:?}");
    }
}

#[test]
fn a_request_that_is_none_is_refused_before_anything_is_asked() {
    let server = Server::new(|_, _| complete());
    let long = "x".repeat(100_000);
    let cases: [(&[&str], &str); 6] = [
        (&["agent", ""], "Say what is to be reached."),
        (&["agent", " \n\t "], "Say what is to be reached."),
        (&["agent", &long], "That is too long."),
        (&["agent", "go", "--verify", " "], "Say how it is checked"),
        (&["agent", "go", "--max-iterations", "1001"], "between 1 and 1000"),
        (&["agent", "go", "--max-iterations", "99999999999"], "invalid value"),
    ];
    for (call, said) in cases {
        let desk = Desk::new();
        let ended = server.call(&desk, call);
        assert_eq!(ended.code, Some(2), "{said}: {}", ended.all());
        assert!(ended.stderr.contains(said), "{said}: {}", ended.all());
    }
    assert_eq!(server.server.bodies().len(), 0);
}

#[test]
fn a_check_that_cannot_pass_is_never_passed() {
    for (check, said) in [("no-such-program-at-all", "127"), ("rm -rf pond", "")] {
        let server = Server::new(|number, _| match number {
            0 => complete(),
            _ => Say::text(signal("stuck", &json!([]), None)),
        });
        let desk = Desk::new();
        std::fs::create_dir(desk.work().join("pond")).unwrap();
        let ended = server.call(&desk, &["--json", "agent", "go", "--verify", check]);
        assert!(matches!(ended.code, Some(1 | 3)), "{check}: {}", ended.all());
        let lines = ended.json();
        let back = of_type(&lines, "goal-sent-back");
        assert_eq!(back.len(), 1, "{check}: {}", ended.all());
        assert!(back[0]["reason"]["result"].as_str().unwrap().contains(said), "{check}: {}", ended.all());
        assert!(desk.work().join("pond").exists(), "{check}");
    }
}
