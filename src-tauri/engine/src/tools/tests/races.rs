use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::json;

use super::super::prepare::Work;
use super::super::stage;
use super::*;

fn edits(names: &[&str]) -> serde_json::Value {
    let edits: Vec<_> =
        names.iter().map(|name| json!({ "path": name, "old": "old", "new": "new" })).collect();
    json!({ "edits": edits })
}

/// Prepares edits, stages them, lets `meanwhile` happen and commits.
fn interrupted(ground: &Ground, names: &[&str], meanwhile: impl FnOnce()) -> ToolFailure {
    let prepared = ground.prepare("multi_file_edit", edits(names)).unwrap();
    let Work::Change(changes) = &prepared.work else { panic!("{prepared:?}") };
    let staged = stage::stage(changes).unwrap();
    meanwhile();
    staged.commit().unwrap_err()
}

#[test]
fn a_file_that_changed_since_is_left_alone() {
    let ground = Ground::new();
    let path = ground.write("a", "old\n");
    let prepared = ground.prepare("edit_file", json!({ "path": "a", "old": "old", "new": "new" })).unwrap();
    fs::write(&path, "old, but other\n").unwrap();
    assert_eq!(allowed(prepared), Err(ToolFailure::Changed { path: "a".into() }));
    assert_eq!(ground.text("a"), "old, but other\n");
}

#[test]
fn a_file_that_went_or_came_since_is_left_alone() {
    let ground = Ground::new();
    let path = ground.write("a", "old\n");
    let prepared = ground.prepare("write_file", json!({ "path": "a", "content": "new" })).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(allowed(prepared), Err(ToolFailure::Changed { path: "a".into() }));
    assert!(!path.exists());
    let prepared = ground.prepare("write_file", json!({ "path": "b", "content": "new" })).unwrap();
    ground.write("b", "theirs\n");
    assert_eq!(allowed(prepared), Err(ToolFailure::Changed { path: "b".into() }));
    assert_eq!(ground.text("b"), "theirs\n");
}

#[test]
fn a_link_put_in_the_way_is_not_followed() {
    let ground = Ground::new();
    ground.write("sub/a", "old\n");
    let outside = ground.surroundings.home.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "old\n").unwrap();
    for tool in ["read_file", "edit_file"] {
        let input = match tool {
            "read_file" => json!({ "path": "sub/a" }),
            _ => json!({ "path": "sub/a", "old": "old", "new": "new" }),
        };
        let prepared = ground.prepare(tool, input).unwrap();
        fs::rename(ground.path("sub"), ground.path("kept")).unwrap();
        ground.link(&outside, "sub");
        assert_eq!(allowed(prepared), Err(ToolFailure::Changed { path: "sub/a".into() }), "{tool}");
        assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "old\n");
        fs::remove_file(ground.path("sub")).unwrap();
        fs::rename(ground.path("kept"), ground.path("sub")).unwrap();
    }
    // The last name too.
    let prepared = ground.prepare("read_file", json!({ "path": "sub/a" })).unwrap();
    fs::remove_file(ground.path("sub/a")).unwrap();
    ground.link(outside.join("a"), "sub/a");
    assert_eq!(allowed(prepared), Err(ToolFailure::Changed { path: "sub/a".into() }));
}

#[test]
fn when_a_later_file_cannot_be_replaced_the_earlier_ones_are_put_back() {
    let ground = Ground::new();
    for name in ["a", "b", "c"] {
        ground.write(name, format!("old {name}\n"));
    }
    let failure = interrupted(&ground, &["a", "b", "c"], || {
        ground.write("c", "theirs\n");
    });
    assert_eq!(failure, ToolFailure::Changed { path: "c".into() });
    let names: Vec<_> = ground.everything().into_iter().filter(|(path, _)| path.is_file()).collect();
    assert_eq!(
        names,
        [
            (ground.path("a"), b"old a\n".to_vec()),
            (ground.path("b"), b"old b\n".to_vec()),
            (ground.path("c"), b"theirs\n".to_vec()),
        ]
    );
}

#[test]
fn a_change_in_the_last_moment_is_seen() {
    let ground = Ground::new();
    let path = ground.write("a", "old\n");
    // The same length, so that only its times tell.
    let failure = interrupted(&ground, &["a"], || fs::write(&path, "OLD\n").unwrap());
    assert_eq!(failure, ToolFailure::Changed { path: "a".into() });
    assert_eq!(ground.text("a"), "OLD\n");
    let failure = interrupted_by_removal(&ground);
    assert_eq!(failure, ToolFailure::Changed { path: "b".into() });
}

fn interrupted_by_removal(ground: &Ground) -> ToolFailure {
    let path = ground.write("b", "old\n");
    interrupted(ground, &["b"], || fs::remove_file(&path).unwrap())
}

#[test]
fn a_new_file_does_not_replace_one_that_came_meanwhile() {
    let ground = Ground::new();
    let prepared = ground.prepare("write_file", json!({ "path": "x/y/a", "content": "new" })).unwrap();
    let Work::Change(changes) = &prepared.work else { panic!("{prepared:?}") };
    let staged = stage::stage(changes).unwrap();
    ground.write("x/y/a", "theirs\n");
    assert_eq!(staged.commit(), Err(ToolFailure::Changed { path: "x/y/a".into() }));
    assert_eq!(ground.text("x/y/a"), "theirs\n");
}

#[test]
fn what_was_staged_and_dropped_leaves_nothing() {
    let ground = Ground::new();
    ground.write("a", "old\n");
    let before = ground.everything();
    let prepared = ground.prepare("write_file", json!({ "path": "x/y/b", "content": "new" })).unwrap();
    let Work::Change(changes) = &prepared.work else { panic!("{prepared:?}") };
    drop(stage::stage(changes).unwrap());
    assert_eq!(ground.everything(), before);
    let prepared = ground.prepare("multi_file_edit", edits(&["a"])).unwrap();
    let Work::Change(changes) = &prepared.work else { panic!("{prepared:?}") };
    drop(stage::stage(changes).unwrap());
    assert_eq!(ground.everything(), before);
}

#[test]
fn nothing_runs_without_its_own_permit_or_once_stopped() {
    let ground = Ground::new();
    ground.write("a", "old\n");
    let input = || json!({ "path": "a", "old": "old", "new": "new" });
    let stop = AtomicBool::new(false);
    for (cwd, revision) in [("/tmp", 0), ("/", 1)] {
        let prepared = ground.prepare("edit_file", input()).unwrap();
        let permit = Permit::for_tests(prepared.action(), Place::Folder(cwd), revision);
        assert_eq!(run(permit, prepared, "/", &stop), Err(ToolFailure::NotPermitted));
    }
    let prepared = ground.prepare("edit_file", input()).unwrap();
    let other = ground.prepare("edit_file", json!({ "path": "a", "old": "old", "new": "other" })).unwrap();
    let permit = Permit::for_tests(other.action(), Place::Folder("/"), 0);
    assert_eq!(run(permit, prepared, "/", &stop), Err(ToolFailure::NotPermitted));
    let prepared = ground.prepare("edit_file", input()).unwrap();
    let permit = Permit::for_tests(prepared.action(), Place::Folder("/"), 0);
    assert_eq!(run(permit, prepared, "/", &AtomicBool::new(true)), Err(ToolFailure::Cancelled));
    assert_eq!(ground.text("a"), "old\n");
}

#[test]
fn what_could_not_be_put_back_is_said() {
    let ground = Ground::new();
    ground.write("a", "old a\n");
    ground.write("b", "old b\n");
    let failure = interrupted(&ground, &["a", "b"], || {
        for (path, text) in ground.everything() {
            let beside =
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".planwright-"));
            if beside && text == b"old a\n" {
                fs::remove_file(path).unwrap();
            }
        }
        ground.write("b", "theirs\n");
    });
    let why = ToolFailure::Changed { path: "b".into() }.to_string();
    assert_eq!(failure, ToolFailure::HalfDone { changed: vec!["a".into()], why });
    assert_eq!(ground.text("a"), "new a\n");
}

#[test]
fn someone_elses_file_stays_theirs() {
    if !is_root() {
        // Nobody else may give a file away.
        return;
    }
    let ground = Ground::new();
    let path = ground.write("a", "old\n");
    std::os::unix::fs::chown(&path, Some(12_345), Some(54_321)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4750)).unwrap();
    ground.call("edit_file", json!({ "path": "a", "old": "old", "new": "new" })).unwrap();
    let now = fs::metadata(&path).unwrap();
    assert_eq!((now.uid(), now.gid(), now.permissions().mode() & 0o7777), (12_345, 54_321, 0o4750));
}
