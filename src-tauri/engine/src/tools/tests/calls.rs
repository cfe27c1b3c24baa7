use serde_json::json;

use super::*;
use crate::protocol::Action;

fn refused(tool: &str, input: &str) -> String {
    read(tool, input).unwrap_err().to_string()
}

#[test]
fn every_tool_is_told_of_and_known_by_its_name() {
    let names: Vec<String> = specs(&json!({})).into_iter().map(|spec| spec.name).collect();
    assert_eq!(
        names,
        [
            "shell",
            "read_file",
            "list_dir",
            "search",
            "edit_file",
            "multi_file_edit",
            "write_file",
            "ask_user",
            "create_plan"
        ]
    );
    for name in &names {
        assert_eq!(ToolName::parse(name).map(ToolName::as_str), Some(name.as_str()));
    }
    for name in ["Shell", " shell ", "functions.shell"] {
        assert_eq!(ToolName::parse(name), Some(ToolName::Shell), "{name}");
    }
    for name in ["shells", "my_shell", "shell.run", ""] {
        assert_eq!(ToolName::parse(name), None, "{name}");
    }
    assert_eq!(specs(&json!({})), specs(&json!({})));
}

/// What every object of a schema needs is among what it names.
fn is_sound(schema: &serde_json::Value) -> bool {
    let needed = schema.get("required").and_then(serde_json::Value::as_array).into_iter().flatten();
    let object = schema["type"] != "object"
        || needed
            .into_iter()
            .all(|name| schema["properties"].as_object().unwrap().contains_key(name.as_str().unwrap()))
            && schema["properties"].as_object().unwrap().values().all(is_sound);
    object && schema.get("items").is_none_or(is_sound)
}

#[test]
fn schemas_are_sound_and_the_whole_is_small() {
    for spec in specs(&json!({ "type": "object", "properties": {} })) {
        assert!(is_sound(&spec.parameters), "{}", spec.name);
        // The schemas do not say that nothing else is taken; reading does.
        assert!(spec.name == "create_plan" || read(&spec.name, r#"{"else": 1}"#).is_err(), "{}", spec.name);
    }
    let whole: usize =
        specs(&json!({})).iter().map(|spec| spec.description.len() + spec.parameters.to_string().len()).sum();
    assert!(whole < 2500, "{whole} bytes are sent with every request");
}

#[test]
fn what_stands_for_a_secret_is_no_command() {
    let said = refused("shell", r#"{"command": "curl -u ada:[secret hidden] h"}"#);
    assert!(said.contains("stands for a value that is not shown to you"), "{said}");
}

#[test]
fn good_calls_are_read() {
    let shell = |risk, warning: Option<&str>| {
        Ok(Call::Shell { command: "ls".into(), why: None, risk, warning: warning.map(str::to_owned) })
    };
    assert_eq!(read("shell", r#"{"command": "ls"}"#), shell(None, None));
    assert_eq!(
        read("shell", r#"{"command": "ls", "risk": "dangerous", "warning": "slow"}"#),
        shell(Some(crate::protocol::Risk::Dangerous), Some("slow"))
    );
    assert!(read("shell", r#"{"command": "ls", "risk": "harmless"}"#).is_err());
    assert_eq!(read("list_dir", ""), Ok(Call::File(FileCall::List { path: ".".into() })));
    assert_eq!(
        read("read_file", r#"{"path": "a", "offset": null, "limit": 3}"#),
        Ok(Call::File(FileCall::Read { path: "a".into(), offset: None, limit: Some(3) }))
    );
    assert_eq!(
        read("edit_file", r#"{"path": "a", "old": "\n", "new": ""}"#),
        Ok(Call::File(FileCall::Edit(FileEdit {
            path: "a".into(),
            old: "\n".into(),
            new: String::new(),
            replace_all: false
        })))
    );
    assert_eq!(
        read("ask_user", r#"{"question": "Which?", "options": ["a", "b"]}"#),
        Ok(Call::AskUser { question: "Which?".into(), options: vec!["a".into(), "b".into()] })
    );
    assert_eq!(read("create_plan", r#"{"x": 1}"#), Ok(Call::CreatePlan { input: json!({ "x": 1 }) }));
}

#[test]
fn what_is_wrong_is_said_with_what_to_send() {
    assert_eq!(
        refused("bash", "{}"),
        "There is no tool `bash`. The tools are: shell, read_file, list_dir, search, edit_file, multi_file_edit, \
         write_file, ask_user, create_plan."
    );
    assert_eq!(
        refused("read_file", "{}"),
        "The arguments of `read_file` are not right: missing field `path`. Send an object with limit (integer, may \
         be left out), offset (integer, may be left out), path (string)."
    );
    assert_eq!(
        refused("multi_file_edit", r#"{"edits": [{"path": "a", "old": "b"}]}"#),
        "The arguments of `multi_file_edit` are not right: missing field `new`. Send an object with edits (array, \
         each an object with new (string), old (string), path (string), replace_all (boolean, may be left out))."
    );
    assert!(refused("read_file", r#"{"path": "a""#).contains("are no JSON object: EOF"));
    assert!(refused("read_file", r#"["a"]"#).contains("are no JSON object"));
    assert!(refused("read_file", r#"{"file": "a"}"#).contains("unknown field `file`"));
    assert!(refused("read_file", r#"{"path": 1}"#).contains("invalid type: integer `1`"));
    assert!(refused("read_file", r#"{"path": "a", "offset": 0}"#).contains("begin at 1"));
    assert!(refused("read_file", r#"{"path": "a", "offset": -1}"#).contains("invalid value"));
    assert!(refused("read_file", r#"{"path": ""}"#).contains("`path` must be"));
    assert!(refused("read_file", r#"{"path": "a\u0000b"}"#).contains("`path` must be"));
    assert!(
        refused("read_file", &json!({ "path": "a".repeat(5000) }).to_string()).contains("`path` must be")
    );
    assert!(refused("shell", r#"{"command": "  "}"#).contains("`command` is empty"));
    assert!(refused("edit_file", r#"{"path": "a", "old": "", "new": "b"}"#).contains("write_file"));
    assert!(refused("edit_file", r#"{"path": "a", "old": "b", "new": "b"}"#).contains("the same"));
    assert!(refused("multi_file_edit", r#"{"edits": []}"#).contains("1 to 50"));
    let edit = json!({ "path": "a", "old": "b", "new": "c" });
    assert!(refused("multi_file_edit", &json!({ "edits": vec![edit; 51] }).to_string()).contains("1 to 50"));
    // What a model wrote cannot move the cursor of who reads the error.
    assert!(!refused("ba\u{1b}[2Jsh", "{}").contains('\u{1b}'));
}

#[test]
fn the_action_is_canonical_and_its_words_are_one_line() {
    let ground = Ground::new();
    ground.write("src/a.rs", "one\n");
    let input = json!({ "path": "src/../src/a.rs", "old": "one", "new": "two" });
    let prepared = ground.prepare("edit_file", input).unwrap();
    let path = ground.path("src/a.rs");
    let canonical = json!({ "path": path, "old": "one", "new": "two", "replace_all": false }).to_string();
    assert_eq!(
        prepared.action(),
        &Action::Tool { tool: "edit_file".into(), input: canonical, command: "edit_file src/a.rs".into() }
    );
    assert!(!prepared.only_reads());
    let odd = ground.prepare("write_file", json!({ "path": "a\n\u{202e}b", "content": "" })).unwrap();
    assert_eq!(odd.action().command(), "write_file a\\x0a\\u{202e}b");
}

#[test]
fn the_same_call_through_a_link_is_the_same_action() {
    let ground = Ground::new();
    ground.write("real.txt", "one\n");
    ground.link("real.txt", "link.txt");
    let of = |path: &str| ground.prepare("read_file", json!({ "path": path })).unwrap().action().clone();
    assert_eq!(of("link.txt"), of("real.txt"));
    assert_eq!(of("link.txt").command(), "read_file real.txt");
}
