use serde_json::{Value, json};

use super::*;
use crate::protocol::{ExitStatus, SelfCorrection};

fn ways(tool: &str, failure: &ToolFailure) -> Option<Vec<String>> {
    fallback(told(tool, &failure.to_string())).map(|correction| correction.fallback_tools)
}

fn told<'a>(tool: &'a str, error: &'a str) -> Failed<'a> {
    Failed { tool, error, command: None, status: None, edits: 0 }
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
    assert_eq!(fallback(told("ask_user", "There is no file or folder x.")), None);
    assert_eq!(fallback(told("no_such_tool", "There is no file or folder x.")), None);
}

#[test]
fn a_missing_finder_leads_to_the_search() {
    let missing = ExitStatus::Code { code: 127 };
    let tools = |output: &str, status: &ExitStatus| {
        fallback(Failed { status: Some(status), ..told("shell", output) })
            .map(|correction| correction.fallback_tools)
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
fn the_signal_is_words_that_a_model_reads() {
    let correction = SelfCorrection {
        original_tool: "edit_file".into(),
        original_error: "`old` does not occur in src/a.rs\nmore".into(),
        suggested_approach: "Read it.".into(),
        fallback_tools: vec!["read_file".into(), "multi_file_edit".into()],
    };
    assert_eq!(
        self_correct_text(&correction),
        "SELF_CORRECT_ATTEMPT: edit_file failed: `old` does not occur in src/a.rs. For the same goal use read_file or \
         multi_file_edit instead. Read it."
    );
    assert!(engage_text(&correction).ends_with("Read it. Make the new calls now."));
    let long =
        fallback(told("read_file", &format!("There is no file or folder {}.", "ß".repeat(9000)))).unwrap();
    assert_eq!(long.original_error.chars().count(), 600);
}

#[test]
fn the_sturdier_way_is_named_where_an_edit_by_pattern_or_twice_failed() {
    let failed = ExitStatus::Code { code: 1 };
    let tools = |command: &str, status: &ExitStatus| {
        let failed = Failed { command: Some(command), status: Some(status), ..told("shell", "no match") };
        fallback(failed).map(|correction| correction.fallback_tools)
    };
    let sturdy = Some(vec!["multi_file_edit".to_owned()]);
    for command in [
        "sed -i s/a/b/ x",
        "cd src && patch -p1 < a.diff",
        "git apply a.diff",
        "perl -pi -e s/a/b/ x",
        "npx x; jscodeshift -t t.js src",
    ] {
        assert_eq!(tools(command, &failed), sturdy, "{command}");
        assert_eq!(tools(command, &ExitStatus::Code { code: 0 }), None, "{command}");
    }
    for command in ["sed s/a/b/ x", "git status", "dispatch", "echo sed -i"] {
        assert_eq!(tools(command, &failed), None, "{command}");
    }
    let missing = ToolFailure::NoMatch { path: path(), edit: 1, near: None }.to_string();
    let edit = |edits| fallback(Failed { edits, ..told("edit_file", &missing) }).unwrap().fallback_tools;
    assert_eq!(edit(1), ["read_file", "edit_file"]);
    assert_eq!(edit(FAILED_EDITS), ["read_file", "multi_file_edit"]);
}

#[test]
fn only_what_the_failed_call_was_for_is_a_success() {
    let call = |tool: &str, input: Value| read(tool, &input.to_string()).unwrap();
    let shell = |command: &str| call("shell", json!({ "command": command }));
    let look = |path: &str| call("read_file", json!({ "path": path }));
    let edit = |path: &str| call("edit_file", json!({ "path": path, "old": "a", "new": "b" }));
    let edits =
        |path: &str| call("multi_file_edit", json!({ "edits": [{ "path": path, "old": "a", "new": "b" }] }));
    let search = |pattern: &str| call("search", json!({ "pattern": pattern }));
    let of = |failed: &Call, instead: &[&str]| SelfCorrection {
        original_tool: match failed {
            Call::Shell { .. } => "shell".into(),
            Call::File(file) => file.tool().as_str().into(),
            Call::AskUser { .. } | Call::CreatePlan { .. } => String::new(),
        },
        original_error: String::new(),
        suggested_approach: String::new(),
        fallback_tools: instead.iter().map(|&tool| tool.to_owned()).collect(),
    };
    let sturdy: &[&str] = &["read_file", "multi_file_edit"];
    for (failed, instead, done, settled) in [
        (edit("src/a"), sturdy, edit("./src/a"), true),
        (edit("src/a"), sturdy, edits("src/a"), true),
        (edit("src/a"), sturdy, look("src/a"), false),
        (edit("src/a"), sturdy, edit("src/b"), false),
        (edit("src/a"), sturdy, shell("cat src/a"), false),
        (look("a"), &["list_dir", "search"], look("src/a"), true),
        (look("a"), &["list_dir", "search"], look("b"), false),
        (search("("), &["search"], search("x"), true),
        (shell("sed -i s/a/b/ src/a"), &["multi_file_edit"], edits("src/a"), true),
        (shell("sed -i s/a/b/ src/a"), &["multi_file_edit"], edits("src/b"), false),
        (shell("sed -i s/a/b/ src/a"), &["multi_file_edit"], shell("cat src/a"), false),
        (shell("cd src && sed -i s/a/b/ a"), &["multi_file_edit"], shell("sed -i s/c/b/ src/a"), true),
        (shell("rg needle"), &["search", "list_dir"], search("needle"), true),
        (shell("sudo apt install x"), &["shell"], shell("apt install --yes x"), true),
    ] {
        assert_eq!(settles(&of(&failed, instead), &failed, &done), settled, "{failed:?} by {done:?}");
    }
}

#[test]
fn a_patch_is_known_behind_whatever_runs_it() {
    for command in [
        "sed -Ei s/a/b/ x",
        "sed -i.bak s/a/b/ x",
        "sed --in-place s/a/b/ x",
        "sudo sed -i s/a/b/ x",
        "FOO=1 timeout 5 patch -p1",
        "find . -name x -exec sed -i s/a/b/ {} +",
        "ls | xargs sed -i s/a/b/",
        "bash -c 'sed -i s/a/b/ x'",
        "for f in x; do sed -i s/a/b/ $f; done",
        "sed -i s/a/b/ x || exit 3",
        "(cd y && sed -i s/a/b/ x)",
        "awk -i inplace 1 x",
        "npx jscodeshift -t t.js src",
        "npx codemod x",
        "git am x.patch",
    ] {
        assert!(aim::patcher(command).is_some(), "{command}");
    }
    for command in ["sed -n 1p x", "sed s/-i/x/ y", "git status", "perl -e 1", "echo patch", "npx vite"] {
        assert_eq!(aim::patcher(command), None, "{command}");
    }
}

#[test]
fn the_error_of_a_command_is_what_it_wrote() {
    let failed = ExitStatus::Code { code: 2 };
    let correction = fallback(Failed {
        command: Some("sed -i s/a/b/ nofile"),
        status: Some(&failed),
        ..told("shell", "exit status 2\nsed: can't read nofile: No such file or directory")
    })
    .unwrap();
    let error = "`sed -i s/a/b/ nofile`: sed: can't read nofile: No such file or directory.";
    assert!(
        self_correct_text(&correction)
            .starts_with(&format!("SELF_CORRECT_ATTEMPT: shell failed: {error} For "))
    );
    assert!(engage_text(&correction).starts_with(&format!("shell failed: {error} Do not give up")));
}
