use proptest::prelude::*;
use serde_json::{Value, json};

use super::{parse, parse_of_sub_goal, schema, schema_of_sub_goal};
use crate::protocol::{ActionType, MAX_TODOS, NextAction, Priority, Signal, SignalStatus, Todo, TodoStatus};

fn whole() -> Value {
    json!({
        "status": "executing",
        "todos": [{ "id": "1", "title": "Look", "status": "in-progress", "priority": "high" }],
        "nextAction": { "type": "shell", "content": "df -h", "rationale": "to see what is full" },
        "selfAssessment": "I begin.",
        "completionEstimate": 40,
    })
}

/// The whole signal with one field put in, or taken out where the value is null.
fn with(field: &str, value: Value) -> String {
    let mut signal = whole();
    let fields = signal.as_object_mut().unwrap();
    if value.is_null() {
        fields.remove(field)
    } else {
        fields.insert(field.to_owned(), value)
    };
    signal.to_string()
}

fn ask(content: &str) -> Value {
    json!({ "type": "user_input", "content": content, "rationale": "only you know" })
}

#[test]
fn a_signal_is_found_bare_fenced_or_surrounded() {
    let expected = Signal {
        status: SignalStatus::Executing,
        todos: vec![Todo {
            id: "1".into(),
            title: "Look".into(),
            status: TodoStatus::InProgress,
            priority: Priority::High,
        }],
        next_action: Some(NextAction {
            kind: ActionType::Shell,
            content: "df -h".into(),
            rationale: "to see what is full".into(),
        }),
        sub_goals: Vec::new(),
        self_assessment: "I begin.".into(),
        completion_estimate: Some(40),
        user_input_needed: None,
    };
    let bare = whole().to_string();
    for text in [
        bare.clone(),
        format!("```json\n{bare}\n```"),
        format!("Here is it: {{not this}} {bare} and that was all."),
        format!("<think>{{\"status\": \"stuck\"}}</think>\n{bare}"),
    ] {
        assert_eq!(parse(&text), Ok(expected.clone()), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_so_that_it_can_be_mended() {
    let todo =
        |id: &str, title: &str| json!({ "id": id, "title": title, "status": "pending", "priority": "low" });
    let many: Vec<Value> = (0..=MAX_TODOS).map(|at| todo(&at.to_string(), "x")).collect();
    let action = |kind: &str, content: &str, rationale: &str| json!({ "type": kind, "content": content, "rationale": rationale });
    let cases = [
        (String::new(), "there is no JSON object in it"),
        ("{\"status\": \"exec".to_owned(), "it breaks off before its end"),
        (with("status", json!("busy")), "unknown variant `busy`, expected one of `planning`"),
        (with("status", Value::Null), "missing field `status`"),
        (with("todos", Value::Null), "missing field `todos`"),
        (with("todos", json!({})), "expected a sequence"),
        (
            with("todos", json!([{ "id": [1], "title": "x", "status": "pending", "priority": "low" }])),
            "expected a string",
        ),
        (with("todos", json!([todo("1", "x"), todo("1", "y")])), "two `todos` have the id `1`"),
        (with("todos", json!([todo("a b", "x")])), "the id `a b` of a to-do"),
        (with("todos", json!([todo("", "x")])), "the id `` of a to-do"),
        (with("todos", json!(many)), "more than"),
        (with("thoughts", json!(["hm"])), "unknown field `thoughts`"),
        (with("selfAssessment", json!("  ")), "`selfAssessment` is empty"),
        (with("selfAssessment", json!(7)), "expected a string"),
        (with("completionEstimate", json!(101)), "`completionEstimate` is neither"),
        (with("completionEstimate", json!(-0.1)), "`completionEstimate` is neither"),
        (with("completionEstimate", json!([40])), "expected a JSON number"),
        (with("next_action", json!({})), "unknown field `next_action`"),
        (with("action", json!({})), "unknown field `action`"),
        (with("nextAction", Value::Null), "executing, but there is no `nextAction`"),
        (with("nextAction", action("shell", "  ", "why")), "it is the command"),
        (with("nextAction", action("file_read", "", "why")), "it is the file's path"),
        (with("nextAction", action("shell", "ls", " ")), "`rationale` of the shell action is empty"),
        (with("nextAction", action("browse", "x", "y")), "unknown variant `browse`"),
        (with("nextAction", action("shell", &"x".repeat(17_000), "y")), "longer than 16384 bytes"),
        (with("nextAction", ask(" ")), "it is the question"),
        (with("status", json!("complete")), "`status` is complete, but there is still something to do"),
        (with("status", json!("stuck")), "`status` is stuck, but there is a `nextAction`"),
        (with("userInputNeeded", json!("Which disk?")), "asks the user and acts at once"),
        (with("userInputNeeded", json!(true)), "asks the user and acts at once"),
        (with("userInputNeeded", json!(3)), "is a question as text, or true or false"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| match parse(text) {
            Err(error) if error.to_string().contains(expected) => None,
            other => Some(format!("{text}: {expected}, not {other:?}")),
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
    let flagged =
        json!({ "status": "reflecting", "todos": [], "selfAssessment": "x", "userInputNeeded": true });
    assert!(parse(&flagged.to_string()).unwrap_err().to_string().contains("there is no question"));
}

#[test]
fn asking_has_one_form() {
    let asked = |text: &str| {
        let signal = parse(text).unwrap();
        let action = signal.next_action.unwrap();
        (action.kind, action.content, signal.user_input_needed)
    };
    let expected = (ActionType::UserInput, "Which disk?".to_owned(), Some("Which disk?".to_owned()));
    let bare =
        json!({ "status": "planning", "todos": [], "selfAssessment": "x", "userInputNeeded": "Which disk?" });
    assert_eq!(asked(&bare.to_string()), expected);
    assert_eq!(asked(&with("nextAction", ask("Which disk?"))), expected);
    let mut flagged = whole();
    flagged["nextAction"] = ask("Which disk?");
    flagged["userInputNeeded"] = json!(true);
    assert_eq!(asked(&flagged.to_string()), expected);
    flagged["nextAction"] = ask("");
    flagged["userInputNeeded"] = json!("Which disk?");
    assert_eq!(asked(&flagged.to_string()), expected);
    flagged["status"] = json!("stuck");
    assert_eq!(asked(&flagged.to_string()), expected);
    flagged["status"] = json!("complete");
    assert!(parse(&flagged.to_string()).unwrap_err().to_string().contains("`status` is complete"));
    assert_eq!(parse(&with("userInputNeeded", json!(false))).unwrap().user_input_needed, None);
    assert_eq!(parse(&with("userInputNeeded", json!(""))).unwrap().user_input_needed, None);
}

#[test]
fn an_estimate_is_a_part_of_one_or_percent() {
    let estimate = |number: Value| parse(&with("completionEstimate", number)).unwrap().completion_estimate;
    assert_eq!(estimate(json!(0)), Some(0));
    assert_eq!(estimate(json!(1)), Some(1));
    assert_eq!(estimate(json!(1.0)), Some(100));
    assert_eq!(estimate(json!(0.4)), Some(40));
    assert_eq!(estimate(json!(40.4)), Some(40));
    assert_eq!(estimate(json!(100)), Some(100));
    assert_eq!(estimate(Value::Null), None);
}

#[test]
fn the_schema_names_what_is_read_and_nothing_else() {
    let schema = schema();
    let names = |at: &str| -> Vec<String> {
        schema.pointer(at).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    let mut known: Vec<String> = whole().as_object().unwrap().keys().cloned().collect();
    known.extend(["userInputNeeded", "subGoals"].map(str::to_owned));
    known.sort();
    assert_eq!(names("/properties"), known);
    // Each value that it allows is read.
    for status in schema["properties"]["todos"]["items"]["properties"]["status"]["enum"].as_array().unwrap() {
        let todo = json!([{ "id": "1", "title": "x", "status": status, "priority": "low" }]);
        parse(&with("todos", todo)).unwrap();
    }
    for kind in schema["properties"]["nextAction"]["properties"]["type"]["enum"].as_array().unwrap() {
        parse(&with("nextAction", json!({ "type": kind, "content": "x", "rationale": "y" }))).unwrap();
    }
    for status in schema["properties"]["status"]["enum"].as_array().unwrap() {
        let signal = json!({ "status": status, "todos": [], "selfAssessment": "x" });
        assert_eq!(parse(&signal.to_string()).is_ok(), status != "executing", "{status}");
    }
}

fn signals() -> impl Strategy<Value = Signal> {
    let todo = ("[a-z0-9-]{1,8}", "[A-Za-zé]{1,30}", 0_usize..4, 0_usize..3).prop_map(
        |(id, title, status, priority)| Todo {
            id,
            title,
            status: [
                TodoStatus::Pending,
                TodoStatus::InProgress,
                TodoStatus::Completed,
                TodoStatus::Cancelled,
            ][status],
            priority: [Priority::High, Priority::Medium, Priority::Low][priority],
        },
    );
    let kinds = [
        ActionType::Eval,
        ActionType::Shell,
        ActionType::FileRead,
        ActionType::AiConsult,
        ActionType::UserInput,
    ];
    let action = (0_usize..5, "[ -~\n]{0,40}x", "[a-z]{1,20}")
        .prop_map(move |(kind, content, rationale)| NextAction { kind: kinds[kind], content, rationale });
    let todos = prop::collection::btree_map("[a-z0-9]{1,8}", todo, 0..10)
        .prop_map(|todos| todos.into_iter().map(|(id, todo)| Todo { id, ..todo }).collect());
    let estimate = prop::option::of(0_u8..=100);
    (todos, action, any::<bool>(), "[a-z]{1,40}", estimate).prop_map(
        |(todos, action, acts, self_assessment, completion_estimate)| {
            let asked = (action.kind == ActionType::UserInput && acts).then(|| action.content.clone());
            let content = action.content.trim().to_owned();
            let action = NextAction { content, ..action };
            Signal {
                status: if acts { SignalStatus::Executing } else { SignalStatus::Complete },
                todos,
                next_action: acts.then_some(action),
                sub_goals: Vec::new(),
                self_assessment,
                completion_estimate,
                user_input_needed: asked.map(|asked| asked.trim().to_owned()),
            }
        },
    )
}

fn branching(subs: &str, more: &str) -> String {
    format!(
        r#"{{"status":"executing","todos":[{{"id":"a","title":"do a","status":"pending","priority":"low"}}],
        "selfAssessment":"I branch.","subGoals":[{subs}]{more}}}"#
    )
}

#[test]
fn sub_goals_are_one_to_three_each_of_a_to_do_of_its_own_and_stand_alone() {
    let wish = |id: &str| format!(r#"{{"todoId":"{id}","goal":"find {id}"}}"#);
    let (one, two) = (wish("a"), format!("{},{}", wish("a"), wish("b")));
    assert_eq!(parse(&branching(&one, "")).unwrap().sub_goals.len(), 1);
    assert_eq!(parse(&branching(&two, "")).unwrap().sub_goals[1].todo_id, "b");
    let four = ["a", "b", "c", "d"].map(wish).join(",");
    let action = r#","nextAction":{"type":"shell","content":"ls","rationale":"to see"}"#;
    let cases = [
        (branching(&four, ""), "more than 3 `subGoals`"),
        (branching(&format!("{one},{one}"), ""), "two `subGoals` are for the to-do `a`"),
        (branching(r#"{"todoId":"a","goal":" "}"#, ""), "the `goal` of a sub-goal is empty"),
        (branching(r#"{"todoId":"a","goal":"x","more":[1]}"#, ""), "more"),
        (branching(&one, action), "there are `subGoals` and something to do"),
        (branching(&one, r#","userInputNeeded":"Which?""#), "there are `subGoals` and something to do"),
        (branching(&one, "").replace("executing", "complete"), "`status` is an end"),
        (branching(&one, "").replace("executing", "stuck"), "`status` is an end"),
    ];
    for (text, why) in cases {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    assert!(parse_of_sub_goal(&branching(&one, "")).unwrap_err().to_string().contains("no `subGoals`"));
}

#[test]
fn a_sub_goal_only_looks_and_what_it_would_ask_is_why_it_is_stuck() {
    let acts = |kind: &str| {
        format!(
            r#"{{"status":"executing","todos":[],"selfAssessment":"I look.",
            "nextAction":{{"type":"{kind}","content":"x","rationale":"to see"}}}}"#
        )
    };
    for (kind, allowed) in
        [("eval", true), ("shell", true), ("file_read", true), ("ai_consult", false), ("user_input", false)]
    {
        assert_eq!(parse_of_sub_goal(&acts(kind)).is_ok(), allowed, "{kind}");
        assert!(parse(&acts(kind)).is_ok());
        let known = schema_of_sub_goal()["properties"]["nextAction"]["properties"]["type"]["enum"].clone();
        assert_eq!(known.as_array().unwrap().contains(&json!(kind)), allowed, "{kind}");
    }
    let stuck =
        r#"{"status":"stuck","todos":[],"selfAssessment":"Which pond?","userInputNeeded":"Which pond?"}"#;
    let signal = parse_of_sub_goal(stuck).unwrap();
    assert_eq!((signal.status, signal.next_action), (SignalStatus::Stuck, None));
    assert_eq!(schema()["properties"]["subGoals"]["maxItems"], json!(3));
    assert_eq!(schema_of_sub_goal()["properties"]["subGoals"], Value::Null);
}

proptest! {
    #[test]
    fn a_signal_comes_back_as_it_was(signal in signals()) {
        let text = serde_json::to_string(&signal).unwrap();
        prop_assert_eq!(parse(&format!("It is:\n```json\n{text}\n```\n")), Ok(signal));
    }

    #[test]
    fn no_text_breaks_it(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_damaged_signal_breaks_it(signal in signals(), at in any::<prop::sample::Index>(), junk in "[\\PC{}\\[\\]\",:]{0,4}") {
        let mut text = serde_json::to_string(&signal).unwrap();
        let mut place = at.index(text.len() + 1);
        while !text.is_char_boundary(place) { place -= 1; }
        text.insert_str(place, &junk);
        let _ = parse(&text);
        let _ = parse(&text[..place]);
    }
}

/// Written by a model from the protocol's description, with its names as a Python client has them.
const AS_WRITTEN: &str = r#"
Here is my status:
```json
{
  "status": "Executing",
  "todos": [
    {"id": "find_logs", "status": "completed", "priority": "high"},
    {"id": "rotate", "title": "Rotate the logs", "status": "in_progress", "priority": "High"},
    {"id": 3, "title": "", "status": "pending"}
  ],
  "next_action": {"type": "shell", "content": "ls -l logs", "rationale": "to see what is there"},
  "self_assessment": "Two of three are done.",
  "completion_estimate": "3 more actions needed",
  "user_input_needed": false
}
```"#;

#[test]
fn a_signal_as_a_model_writes_it_is_taken() {
    let signal = parse(AS_WRITTEN).unwrap();
    let todos: Vec<_> = signal
        .todos
        .iter()
        .map(|todo| (todo.id.as_str(), todo.title.as_str(), todo.status, todo.priority))
        .collect();
    assert_eq!(
        todos,
        [
            ("find_logs", "find_logs", TodoStatus::Completed, Priority::High),
            ("rotate", "Rotate the logs", TodoStatus::InProgress, Priority::High),
            ("3", "3", TodoStatus::Pending, Priority::Medium),
        ]
    );
    assert_eq!(signal.status, SignalStatus::Executing);
    assert_eq!(signal.next_action.unwrap().content, "ls -l logs");
    assert_eq!((signal.completion_estimate, signal.user_input_needed), (None, None));
    let estimate =
        |words: &str| parse(&with("completionEstimate", json!(words))).unwrap().completion_estimate;
    assert_eq!(
        [estimate("60%"), estimate("0.6"), estimate("60 %"), estimate("nearly done")],
        [Some(60), Some(60), Some(60), None]
    );
    assert!(parse(&with("completionEstimate", json!("400%"))).is_err());
    let ended = r#"{"status":"complete","todos":[],"next_action":null,"self_assessment":"Done.","completion_estimate":null,"user_input_needed":null,"sub_goals":null}"#;
    assert_eq!(parse(ended).unwrap().status, SignalStatus::Complete);
    for nothing in ["{}", r#"{"type":null,"content":null,"rationale":null}"#] {
        let ended = ended.replace(r#""next_action":null"#, &format!(r#""next_action":{nothing}"#));
        assert_eq!(parse(&ended).unwrap().next_action, None, "{nothing}");
    }
    let untitled = json!([{ "id": "rotate", "title": null, "status": "pending", "priority": null }]);
    let todos = parse(&with("todos", untitled)).unwrap().todos;
    assert_eq!((todos[0].title.as_str(), todos[0].priority), ("rotate", Priority::Medium));
}

#[test]
fn the_names_that_other_agents_use_are_read() {
    let text = r#"{
  "state": "in_progress",
  "tasks": [
    { "id": 1, "description": "Look at the log", "status": "done" },
    { "id": 2, "content": "Restart it", "status": "doing", "priority": "Normal", "notes": "carefully" },
    { "id": 3, "name": "Tell me", "status": "todo", "priority": "urgent" }
  ],
  "action": { "tool": "fileRead", "path": "/var/log/app.log", "reason": "to see the error" },
  "assessment": "Half way.",
  "progress": "50%",
  "confidence": 0.8,
  "thoughts": "It may be the port."
}"#;
    let signal = parse(text).unwrap();
    let todos: Vec<_> =
        signal.todos.iter().map(|todo| (todo.title.as_str(), todo.status, todo.priority)).collect();
    let expected = [
        ("Look at the log", TodoStatus::Completed, Priority::Medium),
        ("Restart it", TodoStatus::InProgress, Priority::Medium),
        ("Tell me", TodoStatus::Pending, Priority::High),
    ];
    assert_eq!(todos, expected);
    assert_eq!(signal.status, SignalStatus::Executing);
    let action = signal.next_action.unwrap();
    assert_eq!((action.kind, action.content.as_str()), (ActionType::FileRead, "/var/log/app.log"));
    assert_eq!((action.rationale.as_str(), signal.completion_estimate), ("to see the error", Some(50)));

    let ended = parse(r#"{"status":"Done","todos":null,"selfAssessment":"All is there."}"#).unwrap();
    assert_eq!((ended.status, ended.todos), (SignalStatus::Complete, Vec::new()));
    // Of two names for one thing neither is guessed to be the one that counts.
    let twice = r#"{"status":"executing","todos":[],"selfAssessment":"x","nextAction":{"type":"shell","content":"ls","rationale":"y"},"action":{"type":"shell","content":"rm x","rationale":"y"}}"#;
    assert!(parse(twice).unwrap_err().to_string().contains("unknown field `action`"));
}
