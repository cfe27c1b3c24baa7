use std::os::unix::fs::{MetadataExt, PermissionsExt};

use proptest::prelude::*;
use serde_json::json;

use super::super::text;
use super::*;
use crate::protocol::{Risk, UndoOutlook};

fn edit(old: &str, new: &str, replace_all: bool) -> FileEdit {
    FileEdit { path: "f".into(), old: old.into(), new: new.into(), replace_all }
}

/// Places where `old` begins, overlapping ones too.
fn places(text: &str, old: &str) -> usize {
    text.char_indices().filter(|(at, _)| text[*at..].starts_with(old)).count()
}

/// What an edit must come to: plain replacement, or a refusal.
fn plainly(text: &str, edit: &FileEdit) -> Option<String> {
    match (places(text, &edit.old), edit.replace_all) {
        (0, _) => None,
        (_, true) => Some(text.replace(&edit.old, &edit.new)),
        (1, false) => Some(text.replacen(&edit.old, &edit.new, 1)),
        (_, false) => None,
    }
}

fn small() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[abß\n]{0,12}").unwrap()
}

fn old() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[abß\n]{1,3}").unwrap()
}

proptest! {
    #[test]
    fn an_edit_is_plain_replacement(text in small(), old in old(), new in small(), all: bool) {
        let edit = edit(&old, &new, all);
        prop_assert_eq!(text::apply(&text, &edit, 1, "f").ok(), plainly(&text, &edit));
    }

    #[test]
    fn line_ends_and_the_mark_at_the_start_stay(text in small(), old in old(), new in small(), all: bool) {
        prop_assume!(text.contains('\n'));
        let edit = edit(&old, &new, all);
        let crlf = |text: &str| text.replace('\n', "\r\n");
        let plain = plainly(&text, &edit);
        prop_assert_eq!(text::apply(&crlf(&text), &edit, 1, "f").ok(), plain.as_deref().map(crlf));
        let marked = text::apply(&format!("\u{feff}{text}"), &edit, 1, "f").ok();
        prop_assert_eq!(marked, plain.map(|text| format!("\u{feff}{text}")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn several_edits_are_all_made_or_none(
        texts in proptest::collection::vec(small(), 3),
        edits in proptest::collection::vec((0..3usize, old(), small(), any::<bool>()), 1..5),
    ) {
        prop_assume!(edits.iter().all(|(_, old, new, _)| old != new));
        let ground = Ground::new();
        for (index, text) in texts.iter().enumerate() {
            ground.write(&format!("f{index}"), text);
        }
        let before = ground.everything();
        let mut expected = Some(texts.clone());
        for (file, old, new, all) in &edits {
            expected = expected.and_then(|mut texts| {
                texts[*file] = plainly(&texts[*file], &edit(old, new, *all))?;
                Some(texts)
            });
        }
        let input: Vec<_> = edits
            .iter()
            .map(|(file, old, new, all)| {
                json!({ "path": format!("f{file}"), "old": old, "new": new, "replace_all": all })
            })
            .collect();
        let done = ground.call("multi_file_edit", json!({ "edits": input }));
        match expected {
            Some(texts) => {
                done.unwrap();
                let now: Vec<String> = (0..3).map(|index| ground.text(&format!("f{index}"))).collect();
                prop_assert_eq!(now, texts);
                prop_assert_eq!(ground.everything().len(), before.len());
            }
            None => {
                prop_assert!(done.is_err());
                prop_assert_eq!(ground.everything(), before);
            }
        }
    }
}

#[test]
fn mixed_line_ends_are_taken_as_they_stand() {
    let mixed = "a\r\nb\nc\r\n";
    assert_eq!(text::apply(mixed, &edit("b\nc", "x", false), 1, "f").as_deref(), Ok("a\r\nx\r\n"));
    let Err(ToolFailure::NoMatch { near: Some(near), .. }) =
        text::apply(mixed, &edit("a\nb", "x", false), 1, "f")
    else {
        panic!("it does not occur");
    };
    assert!(near.contains("a carriage return (U+000D)"), "{near}");
}

#[test]
fn an_overlapping_place_is_a_second_place() {
    assert_eq!(
        text::apply("aaa", &edit("aa", "b", false), 3, "f"),
        Err(ToolFailure::Ambiguous { path: "f".into(), edit: 3 })
    );
}

#[test]
fn a_text_that_would_grow_too_large_is_refused() {
    let text = "a".repeat(1024 * 1024);
    let done = text::apply(&text, &edit("a", "bbbbbbbb", true), 1, "f");
    assert!(matches!(done, Err(ToolFailure::TooLarge { bytes: 8_388_608, .. })), "{done:?}");
}

#[test]
fn an_edit_tells_what_it_changes_and_keeps_the_mode() {
    let ground = Ground::new();
    let path = ground.write("run.sh", "one\ntwo\nthree\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let owner = fs::metadata(&path).unwrap().uid();
    let prepared =
        ground.prepare("edit_file", json!({ "path": "run.sh", "old": "two", "new": "2" })).unwrap();
    let diff = &prepared.diffs()[0];
    assert_eq!(diff.unified, "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert_eq!((diff.added, diff.removed, diff.created), (1, 1, false));
    assert_eq!(diff.path, path.to_string_lossy());
    let done = allowed(prepared).unwrap();
    assert_eq!(ground.text("run.sh"), "one\n2\nthree\n");
    assert_eq!(done.content, "Changed run.sh (lines: +1 -1).\n");
    assert_eq!(done.files_changed, [path.to_string_lossy()]);
    let now = fs::metadata(&path).unwrap();
    assert_eq!((now.permissions().mode() & 0o7777, now.uid()), (0o751, owner));
}

#[test]
fn a_new_file_gets_its_folders_and_says_so() {
    let ground = Ground::new();
    let prepared = ground.prepare("write_file", json!({ "path": "a/b/c.txt", "content": "x\ny\n" })).unwrap();
    assert!(prepared.diffs()[0].created);
    assert_eq!(prepared.assessment().undo, UndoOutlook::ByHand { how: "delete the file".into() });
    assert!(!ground.path("a").exists());
    let done = allowed(prepared).unwrap();
    assert_eq!(ground.text("a/b/c.txt"), "x\ny\n");
    assert_eq!(
        done.content,
        format!(
            "Made a/b/c.txt (lines: 2).\nMade the folder {}.\nMade the folder {}.\n",
            ground.path("a").display(),
            ground.path("a/b").display()
        )
    );
}

#[test]
fn what_is_as_wanted_already_is_left_alone() {
    let ground = Ground::new();
    let path = ground.write("a", "same\n");
    let inode = fs::metadata(&path).unwrap().ino();
    let done = ground.call("write_file", json!({ "path": "a", "content": "same\n" })).unwrap();
    assert_eq!(
        (done.content.as_str(), done.diffs.len(), done.files_changed.len()),
        ("a was like that already.\n", 0, 0)
    );
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
}

#[test]
fn a_long_difference_is_cut_and_says_so() {
    let ground = Ground::new();
    let lines: String = (0..2000).map(|number| format!("{number}\n")).collect();
    let prepared = ground.prepare("write_file", json!({ "path": "a", "content": lines })).unwrap();
    let diff = &prepared.diffs()[0];
    assert_eq!(diff.unified.lines().count(), 401);
    assert!(diff.unified.ends_with("\\ Lines of this difference that are left out: 1601\n"));
    assert_eq!(diff.added, 2000);
    let wide = "x".repeat(100_000);
    let prepared = ground.prepare("write_file", json!({ "path": "b", "content": wide })).unwrap();
    assert!(prepared.diffs()[0].unified.len() < 200);
}

#[test]
fn a_link_is_followed_and_judged_where_it_leads() {
    let ground = Ground::new();
    let real = ground.surroundings.home.join("notes.txt");
    fs::write(&real, "one\n").unwrap();
    ground.link("../notes.txt", "notes");
    let prepared =
        ground.prepare("edit_file", json!({ "path": "notes", "old": "one", "new": "two" })).unwrap();
    assert!(prepared.assessment().effects.writes_outside);
    assert_eq!(prepared.assessment().effects.touches, [real.to_string_lossy()]);
    allowed(prepared).unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "two\n");
    assert!(ground.path("notes").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_link_to_nothing_makes_the_file_it_points_to() {
    let ground = Ground::new();
    ground.link("../.bash_login", "innocent.txt");
    let prepared = ground.prepare("write_file", json!({ "path": "innocent.txt", "content": "x" })).unwrap();
    assert_eq!(prepared.assessment().risk, Risk::Dangerous);
    assert!(prepared.action().command().ends_with("/.bash_login"));
    allowed(prepared).unwrap();
    assert_eq!(fs::read_to_string(ground.surroundings.home.join(".bash_login")).unwrap(), "x");
    assert!(ground.path("innocent.txt").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn how_an_edit_of_a_secret_file_fails_is_told_only_once_it_is_allowed() {
    let ground = Ground::new();
    ground.write(".env", "KEY=abc\n");
    let missing = |old: &str| json!({ "path": ".env", "old": old, "new": "x" });
    let prepared = ground.prepare("edit_file", missing("KEY=b")).unwrap();
    assert_eq!(prepared.assessment().risk, Risk::Dangerous);
    assert_eq!(prepared.diffs(), []);
    assert_eq!(allowed(prepared), Err(ToolFailure::NoMatch { path: ".env".into(), edit: 1, near: None }));
    // Whether it fits or not, the gate sees the same.
    let fits = ground.prepare("edit_file", missing("KEY=a")).unwrap();
    let not = ground.prepare("edit_file", missing("KEY=b")).unwrap();
    assert_eq!(fits.assessment(), not.assessment());
    assert_eq!(fits.action().command(), not.action().command());
}

#[test]
fn many_files_are_named_shortly_and_too_many_refused() {
    let ground = Ground::new();
    let edits = |count: usize| {
        let edits: Vec<_> = (0..count)
            .map(|index| {
                ground.write(&format!("f{index}"), "a");
                json!({ "path": format!("f{index}"), "old": "a", "new": "b" })
            })
            .collect();
        json!({ "edits": edits })
    };
    let prepared = ground.prepare("multi_file_edit", edits(6)).unwrap();
    assert_eq!(prepared.action().command(), "multi_file_edit f0, f1, f2, f3 and 2 more");
    assert_eq!(prepared.assessment().effects.touches.len(), 6);
    let refused = ground.prepare("multi_file_edit", edits(21)).unwrap_err();
    assert_eq!(refused, ToolFailure::TooManyFiles { files: 21, limit: 20 });
}

#[test]
fn a_mark_that_stands_for_a_secret_is_never_written_over_the_secret() {
    let place = Ground::new();
    place.write(".env", "A=1\nTOKEN=value\n");
    place.write("notes", "a [secret hidden] b\n");
    let refused = |tool: &str, input: serde_json::Value| place.prepare(tool, input).err();
    let shown = "A=2\nTOKEN=[secret hidden]\n";
    assert_eq!(
        refused("write_file", json!({"path": "notes", "content": format!("{shown}[secret hidden]")})),
        Some(ToolFailure::HidesSecret { path: "notes".into() })
    );
    assert_eq!(
        refused("edit_file", json!({"path": "notes", "old": "b", "new": "[secret hidden]"})),
        Some(ToolFailure::HidesSecret { path: "notes".into() })
    );
    assert_eq!(
        refused("edit_file", json!({"path": "notes", "old": "a", "new": "c"})),
        None,
        "it was there before"
    );
    // Of a file that may hold secrets nothing is told before it is allowed.
    assert!(place.call("write_file", json!({"path": ".env", "content": shown})).is_err());
    assert_eq!(place.text(".env"), "A=1\nTOKEN=value\n");
}

#[test]
fn a_changed_file_keeps_its_other_names_attributes_and_access_list() {
    let ground = Ground::new();
    ground.write("a", "one\n");
    ground.write("b", "one\n");
    std::fs::hard_link(ground.path("a"), ground.path("other")).unwrap();
    // Access for user 1 besides the owner, as `setfacl -m u:1:r` writes it.
    let list = [
        2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 1, 0, 0, 0, 4, 0, 4, 0, 255, 255, 255, 255,
        16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255,
    ];
    let marks: [(&str, &[u8]); 2] = [("user.mark", b"kept"), ("system.posix_acl_access", &list)];
    let mut given = Vec::new();
    for (name, value) in marks {
        let flags = rustix::fs::XattrFlags::empty();
        // Not every file system that tests run on has both.
        if rustix::fs::setxattr(ground.path("b"), name, value, flags).is_ok() {
            given.push((name, value));
        }
    }
    let inode = |name: &str| std::fs::metadata(ground.path(name)).unwrap().ino();
    let (before, mode) = (inode("a"), std::fs::metadata(ground.path("b")).unwrap().mode());
    let both = json!({ "edits": [
        { "path": "a", "old": "one", "new": "two" },
        { "path": "b", "old": "one", "new": "two" },
    ]});
    allowed(ground.prepare("multi_file_edit", both).unwrap()).unwrap();
    assert_eq!(
        (ground.text("a"), ground.text("other"), ground.text("b")),
        ("two\n".into(), "two\n".into(), "two\n".into())
    );
    assert_eq!((inode("a"), inode("other")), (before, before));
    assert_eq!(std::fs::metadata(ground.path("b")).unwrap().mode(), mode);
    for (name, value) in given {
        let mut found = [0; 256];
        let length = rustix::fs::getxattr(ground.path("b"), name, &mut found).unwrap();
        assert_eq!(&found[..length], value, "{name}");
    }
}
