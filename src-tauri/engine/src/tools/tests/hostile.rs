use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use super::*;
use crate::protocol::Risk;

fn pipe(ground: &Ground, name: &str) {
    mknodat(CWD, ground.path(name), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

#[test]
fn pipes_sockets_and_devices_are_never_opened() {
    let ground = Ground::new();
    pipe(&ground, "pipe");
    let _socket = std::os::unix::net::UnixListener::bind(ground.path("socket")).unwrap();
    ground.link("/dev/zero", "endless");
    let started = Instant::now();
    for path in
        ["pipe", "socket", "endless", "/dev/zero", "/dev/null", "/dev/tty", "/proc/self/environ", "/sys"]
    {
        for (tool, input) in [
            ("read_file", json!({ "path": path })),
            ("write_file", json!({ "path": path, "content": "x" })),
            ("edit_file", json!({ "path": path, "old": "x", "new": "y" })),
            ("search", json!({ "path": path, "pattern": "x" })),
        ] {
            let done = ground.call(tool, input);
            match done {
                Err(ToolFailure::NotPlain { .. }) => {}
                // A search passes over what is no file.
                Ok(done) if tool == "search" => assert_eq!(done.content, "[No match. Files searched: 0.]\n"),
                other => panic!("{tool} {path}: {other:?}"),
            }
        }
    }
    assert!(started.elapsed() < Duration::from_secs(5));
    let listed = ground.call("list_dir", json!({})).unwrap().content;
    assert_eq!(listed, "endless -> /dev/zero\npipe\tpipe\nsocket\tsocket\n");
}

#[test]
fn a_pipe_put_in_place_of_a_file_is_not_waited_for() {
    let ground = Ground::new();
    ground.write("a", "x\n");
    let prepared = ground.prepare("read_file", json!({ "path": "a" })).unwrap();
    fs::remove_file(ground.path("a")).unwrap();
    pipe(&ground, "a");
    assert!(matches!(allowed(prepared), Err(ToolFailure::NotPlain { .. })));
}

#[test]
fn what_is_no_text_is_refused_and_kept() {
    let ground = Ground::new();
    ground.write("binary", b"a\0b");
    ground.write("latin", b"caf\xe9\n");
    for (name, binary) in [("binary", true), ("latin", false)] {
        let before = fs::read(ground.path(name)).unwrap();
        for (tool, input) in [
            ("read_file", json!({ "path": name })),
            ("write_file", json!({ "path": name, "content": "x" })),
            ("edit_file", json!({ "path": name, "old": "a", "new": "b" })),
        ] {
            let expected = if binary {
                ToolFailure::Binary { path: name.into() }
            } else {
                ToolFailure::NotUtf8 { path: name.into() }
            };
            assert_eq!(ground.call(tool, input), Err(expected), "{tool}");
        }
        assert_eq!(fs::read(ground.path(name)).unwrap(), before);
    }
    let zero = ground.prepare("write_file", json!({ "path": "new", "content": "a\u{0}b" })).unwrap_err();
    assert_eq!(zero, ToolFailure::Binary { path: "new".into() });
}

#[test]
fn huge_files_are_refused_or_read_in_pieces() {
    let ground = Ground::new();
    let file = fs::File::create(ground.path("sparse")).unwrap();
    file.set_len(1 << 40).unwrap();
    assert_eq!(
        ground.call("read_file", json!({ "path": "sparse" })),
        Err(ToolFailure::Binary { path: "sparse".into() })
    );
    let refused = ground.call("edit_file", json!({ "path": "sparse", "old": "a", "new": "b" })).unwrap_err();
    assert!(matches!(refused, ToolFailure::TooLarge { limit: 5_242_880, .. }), "{refused}");
    let searched = ground.call("search", json!({ "pattern": "x" })).unwrap();
    assert!(searched.content.contains("[Files over 5242880 bytes, passed over: 1.]"));
    let refused = ground
        .prepare("write_file", json!({ "path": "big", "content": "x".repeat(5 * 1024 * 1024 + 1) }))
        .unwrap_err();
    assert!(matches!(refused, ToolFailure::TooLarge { .. }));
}

#[test]
fn paths_lead_nowhere_else_than_they_are_judged() {
    let ground = Ground::new();
    let risk = |path: &str| {
        ground
            .prepare("write_file", json!({ "path": path, "content": "x" }))
            .map(|prepared| prepared.assessment().risk)
    };
    assert_eq!(risk("a/../b"), Ok(Risk::Caution));
    assert_eq!(risk("~/.bashrc"), Ok(Risk::Dangerous));
    assert_eq!(risk("../.bashrc"), Ok(Risk::Dangerous));
    assert_eq!(risk(".git/hooks/pre-commit"), Ok(Risk::Dangerous));
    assert_eq!(risk("/etc/planwright-not-there"), Ok(Risk::Dangerous));
    assert!(matches!(risk("."), Err(ToolFailure::IsFolder { .. })));
    assert!(matches!(risk("/"), Err(ToolFailure::IsFolder { .. })));
    ground.link("round", "round");
    let circle = "a link that leads round in a circle";
    assert_eq!(risk("round"), Err(ToolFailure::NotPlain { path: "round".into(), kind: circle }));
    ground.write("file", "x");
    assert_eq!(risk("file/below"), Err(ToolFailure::NotFolder { path: "file/below".into() }));
    let call = FileCall::Read { path: "a\0b".into(), offset: None, limit: None };
    assert!(matches!(prepare(call, &ground.surroundings), Err(ToolFailure::BadPath { .. })));
}

#[test]
fn what_may_not_be_written_is_refused() {
    if is_root() {
        // Nothing is forbidden to root.
        return;
    }
    let ground = Ground::new();
    let path = ground.write("a", "old\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let denied = Err(ToolFailure::Denied { path: "a".into() });
    assert_eq!(ground.call("edit_file", json!({ "path": "a", "old": "old", "new": "new" })), denied);
    assert_eq!(ground.text("a"), "old\n");
}

#[test]
fn a_pattern_without_end_is_refused_or_bounded() {
    let ground = Ground::new();
    ground.write("a", "a".repeat(100_000));
    let started = Instant::now();
    ground.call("search", json!({ "pattern": "(a*)*b" })).unwrap();
    let refused = ground.prepare("search", json!({ "pattern": "(((a{1000}){1000}){1000})" })).unwrap_err();
    assert!(matches!(refused, ToolFailure::BadPattern { .. }), "{refused}");
    assert!(ground.prepare("search", json!({ "pattern": "(" })).is_err());
    assert!(ground.prepare("search", json!({ "pattern": "a", "glob": "[" })).is_err());
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn ignore_rules_that_never_end_hold_nothing_up() {
    let ground = Ground::new();
    ground.write("good/.gitignore", "skipped\n");
    ground.write("good/skipped", "needle\n");
    ground.write("good/a", "needle\n");
    ground.write("waits/a", "needle\n");
    pipe(&ground, "waits/.gitignore");
    ground.write("swells/a", "needle\n");
    ground.link("/dev/zero", "swells/.ignore");
    let started = Instant::now();
    let told =
        |path: &str| ground.call("search", json!({ "pattern": "needle", "path": path })).unwrap().content;
    assert_eq!(told("."), "good/a:1: needle\n[Folders with unreadable ignore rules, passed over: 2.]\n");
    // Asked for by its name, it is searched with no rules.
    assert_eq!(told("waits"), "waits/a:1: needle\n");
    assert_eq!(told("swells/a"), "swells/a:1: needle\n");
    assert!(started.elapsed() < Duration::from_secs(5));
}
