use super::*;
use crate::protocol::{ExitStatus, SelfCorrection};

fn ways(tool: &str, failure: &ToolFailure) -> Option<Vec<String>> {
    fallback(tool, &failure.to_string(), None).map(|correction| correction.fallback_tools)
}

fn path() -> String {
    "src/a.rs".into()
}

/// Ties the table's words to those of the failures.
#[test]
fn every_failure_that_has_a_way_round_is_known_by_its_words() {
    let table: [(&str, ToolFailure, &[&str]); 16] = [
        (
            "edit_file",
            ToolFailure::NoMatch { path: path(), edit: 1, near: None },
            &["read_file", "edit_file"],
        ),
        (
            "multi_file_edit",
            ToolFailure::NoMatch { path: path(), edit: 2, near: None },
            &["read_file", "edit_file"],
        ),
        ("edit_file", ToolFailure::Ambiguous { path: path(), edit: 1 }, &["read_file", "edit_file"]),
        ("write_file", ToolFailure::Changed { path: path() }, &["read_file", "edit_file"]),
        ("read_file", ToolFailure::IsFolder { path: path() }, &["list_dir"]),
        ("list_dir", ToolFailure::NotFolder { path: path() }, &["list_dir", "read_file"]),
        ("read_file", ToolFailure::NotFound { path: path() }, &["list_dir", "search"]),
        ("edit_file", ToolFailure::NotFound { path: path() }, &["list_dir", "search"]),
        ("read_file", ToolFailure::Binary { path: path() }, &["shell"]),
        ("read_file", ToolFailure::NotUtf8 { path: path() }, &["shell"]),
        ("edit_file", ToolFailure::TooLarge { path: path(), bytes: 9, limit: 1 }, &["shell"]),
        ("read_file", ToolFailure::PastEnd { path: path(), offset: 9, lines: 1 }, &["read_file"]),
        ("write_file", ToolFailure::Denied { path: path() }, &["shell", "ask_user"]),
        ("write_file", ToolFailure::ReadOnly { path: path() }, &["shell", "ask_user"]),
        ("read_file", ToolFailure::NotPlain { path: path(), kind: "a pipe" }, &["shell"]),
        ("search", ToolFailure::BadPattern { why: "look-around".into() }, &["search"]),
    ];
    for (tool, failure, expected) in table {
        assert_eq!(
            ways(tool, &failure),
            Some(expected.iter().map(|&name| name.to_owned()).collect()),
            "{failure}"
        );
    }
}

#[test]
fn what_has_no_way_round_gets_none() {
    for failure in [
        ToolFailure::NotPermitted,
        ToolFailure::Cancelled,
        ToolFailure::HalfDone { changed: vec![path()], why: "x".into() },
        ToolFailure::Io { path: path(), why: "no space left".into() },
    ] {
        assert_eq!(ways("edit_file", &failure), None, "{failure}");
    }
    assert_eq!(fallback("ask_user", "There is no file or folder x.", None), None);
    assert_eq!(fallback("no_such_tool", "There is no file or folder x.", None), None);
}

#[test]
fn a_missing_finder_leads_to_the_search() {
    let missing = ExitStatus::Code { code: 127 };
    let tools = |output: &str, status: &ExitStatus| {
        fallback("shell", output, Some(status)).map(|correction| correction.fallback_tools)
    };
    let search = Some(vec!["search".to_owned(), "list_dir".to_owned()]);
    assert_eq!(tools("bash: line 1: rg: command not found", &missing), search);
    assert_eq!(tools("sh: 1: rg: not found", &missing), search);
    assert_eq!(tools("bash: line 1: fd: command not found", &missing), search);
    assert_eq!(tools("bash: batcat: command not found", &missing), Some(vec!["read_file".to_owned()]));
    assert_eq!(tools("bash: org: command not found", &missing), None);
    assert_eq!(tools("bash: make: command not found", &missing), None);
    // Only words of a program that found it missing count.
    assert_eq!(tools("bash: line 1: rg: command not found", &ExitStatus::Code { code: 1 }), None);
    assert_eq!(tools("", &ExitStatus::Silent { seconds: 9 }), Some(vec!["shell".to_owned()]));
    assert_eq!(tools("", &ExitStatus::Cancelled), None);
}

#[test]
fn the_request_is_the_contracts() {
    let correction = SelfCorrection {
        original_tool: "edit_file".into(),
        original_error: "say \"no\"".into(),
        suggested_approach: "Read it.".into(),
        fallback_tools: vec!["read_file".into()],
    };
    let text = self_correct_text(&correction);
    let request = text.strip_prefix("SELF_CORRECT_ATTEMPT: ").unwrap();
    assert_eq!(serde_json::from_str::<SelfCorrection>(request).unwrap(), correction);
    assert!(request.contains("\"originalTool\":\"edit_file\""));
    let long =
        fallback("read_file", &format!("There is no file or folder {}.", "ß".repeat(9000)), None).unwrap();
    assert_eq!(long.original_error.chars().count(), 600);
}
