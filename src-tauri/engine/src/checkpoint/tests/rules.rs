use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::scan::Caps;
use super::rights::Ordinary;
use super::{Bench, step};
use crate::checkpoint::CheckpointError;
use crate::checkpoint::store::Store;
use crate::protocol::{Coverage, Effects, UndoAct, UndoBy, UndoTarget};
use crate::redact::Redactor;

fn shown(bench: &Bench, target: &UndoTarget) -> Vec<(String, UndoAct, Option<String>)> {
    let root = bench.root();
    bench
        .preview(target)
        .files
        .into_iter()
        .map(|file| {
            let name = file.path.strip_prefix(root.to_str().unwrap()).unwrap().to_owned();
            (name, file.does, file.conflict)
        })
        .collect()
}

#[test]
fn a_preview_says_what_the_undo_will_do() {
    let mut bench = Bench::new();
    bench.write("changed", "old");
    bench.write("removed", "gone");
    bench.write("mode", "m");
    let changed = bench.step(|root| {
        fs::write(root.join("changed"), "new").unwrap();
        fs::remove_file(root.join("removed")).unwrap();
        fs::create_dir(root.join("made")).unwrap();
        fs::write(root.join("made/file"), "x").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(root.join("mode"), mode).unwrap();
    });
    let names: Vec<String> = ["changed", "made", "made/file", "mode", "removed"]
        .iter()
        .map(|name| bench.at(name).display().to_string())
        .collect();
    assert_eq!((changed.files, changed.more), (names, 0));
    let none = None::<String>;
    assert_eq!(
        shown(&bench, &step(1)),
        [
            ("/changed".to_owned(), UndoAct::Restore, none.clone()),
            ("/made".to_owned(), UndoAct::Trash, none.clone()),
            ("/made/file".to_owned(), UndoAct::Trash, none.clone()),
            ("/mode".to_owned(), UndoAct::Metadata, none.clone()),
            ("/removed".to_owned(), UndoAct::Recreate, none),
        ]
    );
    let undo = bench.undo(&step(1));
    assert_eq!((undo.restored, undo.recreated, undo.trashed, undo.skipped), (2, 1, 2, vec![]));
    assert_eq!((bench.read("changed"), bench.read("removed")), ("old".to_owned(), "gone".to_owned()));
}

#[test]
fn what_changed_since_is_left_alone_unless_it_is_named() {
    let mut bench = Bench::new();
    bench.write("a", "old");
    bench.write("b", "old");
    bench.step(|root| {
        fs::write(root.join("a"), "step").unwrap();
        fs::write(root.join("b"), "step").unwrap();
    });
    bench.write("a", "mine");
    let preview = bench.preview(&step(1));
    assert_eq!(preview.files[0].conflict.as_deref(), Some("It has changed since."));
    assert_eq!(preview.files[1].conflict, None);
    let undo = bench.undo(&step(1));
    assert_eq!((bench.read("a"), bench.read("b")), ("mine".to_owned(), "old".to_owned()));
    assert_eq!(undo.skipped.len(), 1);
    // It can be asked for again, with the file named.
    let preview = bench.preview(&step(1));
    let named = [preview.files[0].path.clone()];
    bench.store.undo(&step(1), Some(&preview.token), &named, UndoBy::User).unwrap();
    assert_eq!(bench.read("a"), "old");
    let last = bench.store.undone().last().unwrap().id;
    bench.undo(&UndoTarget::Undo { undo_id: last });
    assert_eq!(bench.read("a"), "mine");
}

#[test]
fn a_token_of_another_state_is_refused() {
    let mut bench = Bench::new();
    bench.write("a", "old");
    bench.step(|root| fs::write(root.join("a"), "step").unwrap());
    let token = bench.preview(&step(1)).token;
    bench.write("a", "mine");
    let refused = bench.store.undo(&step(1), Some(&token), &[], UndoBy::User);
    assert!(matches!(refused, Err(CheckpointError::Stale)), "{refused:?}");
    assert_eq!(bench.read("a"), "mine");
}

#[test]
fn a_folder_goes_only_when_nothing_else_is_in_it() {
    let mut bench = Bench::new();
    bench.step(|root| {
        fs::create_dir(root.join("made")).unwrap();
        fs::write(root.join("made/a"), "x").unwrap();
    });
    bench.write("made/mine", "mine");
    let follows: Vec<bool> = bench.preview(&step(1)).files.iter().map(|file| file.follows).collect();
    assert_eq!(follows, [true, false]);
    let undo = bench.undo(&step(1));
    assert_eq!(undo.trashed, 1);
    assert_eq!(undo.skipped[0].why, "Something else is in it.");
    assert_eq!(bench.read("made/mine"), "mine");
    assert!(!bench.at("made/a").exists());
}

/// An ordinary user who may list a folder but not enter it sees names alone: nothing in it has gone, and what was made there
/// is not known.
#[test]
fn what_a_step_closed_is_said() {
    let mut bench = Bench::new();
    let _rights = Ordinary::new();
    fs::create_dir(bench.at("shut")).unwrap();
    bench.write("shut/old", "old");
    bench.step(|root| {
        fs::write(root.join("shut/made"), "new").unwrap();
        fs::set_permissions(root.join("shut"), PermissionsExt::from_mode(0o600)).unwrap();
    });
    assert_eq!(shown(&bench, &step(1)), [("/shut".to_owned(), UndoAct::Metadata, None)]);
    let gaps: Vec<String> = bench.preview(&step(1)).gaps.into_iter().map(|gap| gap.why).collect();
    assert_eq!(gaps, ["not kept: files that cannot be read"]);
    let undo = bench.undo(&step(1));
    assert_eq!((undo.restored, undo.recreated, undo.trashed, undo.skipped), (1, 0, 0, vec![]));
    assert_eq!((bench.read("shut/old"), bench.read("shut/made")), ("old".to_owned(), "new".to_owned()));
}

#[test]
fn a_folder_that_became_a_link_is_not_entered() {
    let mut bench = Bench::new();
    fs::create_dir(bench.at("f")).unwrap();
    bench.write("f/a", "old");
    bench.step(|root| fs::write(root.join("f/a"), "step").unwrap());
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "step").unwrap();
    fs::rename(bench.at("f"), bench.at("elsewhere")).unwrap();
    symlink(outside.path(), bench.at("f")).unwrap();
    let preview = bench.preview(&step(1));
    assert!(preview.files[0].conflict.is_some(), "{preview:?}");
    let all: Vec<String> = preview.files.iter().map(|file| file.path.clone()).collect();
    let undo = bench.store.undo(&step(1), None, &all, UndoBy::User).unwrap();
    assert_eq!(undo.skipped.len(), 1, "{undo:?}");
    assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "step");
}

#[test]
fn a_revision_and_since_take_back_what_came_after() {
    let mut bench = Bench::new();
    for text in ["one", "two", "three"] {
        bench.step(|root| fs::write(root.join("a"), text).unwrap());
    }
    // In these tests step 2 ran under revision 2.
    let third = UndoTarget::Revision { plan_id: bench.plan, revision: 3 };
    assert_eq!(shown(&bench, &third).len(), 1);
    bench.undo(&UndoTarget::Since { step_id: "2".into() });
    assert_eq!(bench.read("a"), "one");
    let undone = bench.store.undo(&step(3), None, &[], UndoBy::User);
    assert!(matches!(undone, Err(CheckpointError::Nothing)), "{undone:?}");
    bench.undo(&UndoTarget::Run);
    assert!(!bench.at("a").exists());
    let none = bench.store.preview(&UndoTarget::Step { step_id: "9".into() });
    assert!(matches!(none, Err(CheckpointError::NoSuchStep(_))), "{none:?}");
}

#[test]
fn what_another_plan_of_the_session_did_is_left_alone() {
    let mut bench = Bench::new();
    bench.step(|root| fs::write(root.join("first"), "x").unwrap());
    let first = bench.plan;
    bench.next_plan();
    bench.step(|root| fs::write(root.join("second"), "x").unwrap());
    // Both have a step 1; the latest is meant.
    assert_eq!(bench.undo(&step(1)).trashed, 1);
    assert!(bench.at("first").exists() && !bench.at("second").exists());
    assert!(shown(&bench, &UndoTarget::Plan { plan_id: bench.plan }).is_empty());
    assert_eq!(bench.undo(&UndoTarget::Plan { plan_id: first }).trashed, 1);
    assert!(!bench.at("first").exists());
}

#[test]
fn an_earlier_step_alone_does_not_touch_what_a_later_one_changed() {
    let mut bench = Bench::new();
    bench.write("a", "old");
    bench.step(|root| fs::write(root.join("a"), "one").unwrap());
    bench.step(|root| fs::write(root.join("a"), "two").unwrap());
    assert!(shown(&bench, &step(1))[0].2.is_some());
    bench.write("a", "mine");
    let found = shown(&bench, &UndoTarget::Run);
    assert_eq!(found[0].2.as_deref(), Some("It has changed since."));
}

#[test]
fn known_targets_outside_are_looked_after() {
    let mut bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    let there = outside.path().canonicalize().unwrap();
    fs::write(there.join("config"), "old").unwrap();
    fs::write(there.join("other"), "x").unwrap();
    let (config, new) = (there.join("config"), there.join("sub/dir/new"));
    let before = super::picture::of(&there);
    let changed = bench.step_touching(&[&config, &new], |_| {
        fs::write(&config, "new").unwrap();
        fs::create_dir_all(new.parent().unwrap()).unwrap();
        fs::write(&new, "n").unwrap();
        fs::write(there.join("other"), "not looked after").unwrap();
    });
    assert_eq!(changed.files.len(), 4, "{changed:?}");
    bench.undo(&step(1));
    fs::write(there.join("other"), "x").unwrap();
    let now = super::picture::of(&there);
    let other: Vec<_> = super::picture::differences(&before, &now)
        .into_iter()
        .filter(|line| !line.starts_with(there.join("other").to_str().unwrap()))
        .collect();
    assert_eq!(other, Vec::<String>::new());
}

#[test]
fn what_a_build_makes_is_listed_and_not_kept() {
    let mut bench = Bench::new();
    fs::create_dir(bench.at("target")).unwrap();
    bench.write("target/old", "old");
    bench.write("src", "old");
    bench.step(|root| {
        fs::write(root.join("target/old"), "new content").unwrap();
        fs::write(root.join("target/made"), "x").unwrap();
        fs::write(root.join("src"), "new").unwrap();
    });
    let preview = bench.preview(&step(1));
    assert_eq!(preview.files.len(), 1, "{preview:?}");
    assert_eq!(preview.gaps.len(), 1, "{preview:?}");
    assert!(preview.gaps[0].why.ends_with("target is left as it is: a build makes it again"), "{preview:?}");
    bench.undo(&step(1));
    assert_eq!((bench.read("src"), bench.read("target/made")), ("old".to_owned(), "x".to_owned()));

    // A whole new one goes, as it came.
    let mut bench = Bench::new();
    bench.step(|root| {
        fs::create_dir_all(root.join("node_modules/x")).unwrap();
        fs::write(root.join("node_modules/x/a"), "x").unwrap();
    });
    let undo = bench.undo(&step(1));
    assert!(!bench.at("node_modules").exists());
    bench.undo(&UndoTarget::Undo { undo_id: undo.id });
    assert_eq!(bench.read("node_modules/x/a"), "x");
}

#[test]
fn the_data_folder_is_not_kept_in_itself() {
    let mut bench = Bench::new();
    let data = bench.at("data");
    bench.store =
        Store::open(data.join("checkpoints/one"), data.clone(), Caps::default(), &Redactor::default())
            .unwrap();
    bench.write("a", "old");
    fs::write(data.join("journal"), "written all the time").unwrap();
    bench.step(|root| {
        fs::write(root.join("a"), "new").unwrap();
        fs::write(root.join("data/journal"), "and again").unwrap();
    });
    let preview = bench.preview(&step(1));
    assert_eq!(preview.files.len(), 1, "{preview:?}");
    let coverage = &bench.store.kept[0].checkpoint.covers;
    assert!(
        matches!(coverage, Coverage::Partly { why } if why.contains("what Planwright itself has written there")),
        "{coverage:?}"
    );
    bench.undo(&step(1));
    assert_eq!((bench.read("a"), bench.read("data/journal")), ("old".to_owned(), "and again".to_owned()));
}

#[test]
fn beyond_the_caps_nothing_is_taken_for_new() {
    let mut bench = Bench::with(Caps { entries: 6, store: 100, file: 10 });
    fs::create_dir(bench.at("many")).unwrap();
    for nth in 0..9 {
        bench.write(&format!("many/{nth}"), "x");
    }
    bench.write("big", "more than ten bytes");
    let coverage = {
        let before = bench.before("0", &[]);
        bench.store.keep(&before).unwrap().covers
    };
    assert!(matches!(coverage, Coverage::Partly { .. }), "{coverage:?}");
    bench.step(|root| {
        for nth in 4..9 {
            fs::remove_file(root.join(format!("many/{nth}"))).unwrap();
        }
        fs::write(root.join("big"), "other bytes, more than ten").unwrap();
    });
    let preview = bench.preview(&step(1));
    assert_eq!(preview.files, [], "{preview:?}");
    assert!(preview.gaps.iter().any(|gap| gap.why.contains("its content was not kept")), "{preview:?}");
    let undo = bench.store.undo(&step(1), None, &[], UndoBy::User);
    assert!(bench.at("many/0").exists() && bench.at("many/3").exists(), "{undo:?}");
}

#[test]
fn a_wide_folder_is_not_walked() {
    let mut bench = Bench::new();
    bench.write("a", "old");
    let mut before = bench.before("1", &[]);
    before.home = bench.at("home/me");
    let checkpoint = bench.store.keep(&before).unwrap();
    assert!(matches!(checkpoint.covers, Coverage::Nothing { .. }), "{checkpoint:?}");
    before.effects = Effects { touches: vec![bench.at("a").display().to_string()], ..Effects::default() };
    let checkpoint = bench.store.keep(&before).unwrap();
    assert!(matches!(checkpoint.covers, Coverage::Partly { .. }), "{checkpoint:?}");
    before.effects.only_files = true;
    let checkpoint = bench.store.keep(&before).unwrap();
    assert_eq!(checkpoint.covers, Coverage::Whole, "it touches nothing else");
    bench.write("a", "new");
    bench.write("other", "new");
    bench.settle(checkpoint.id);
    bench.undo(&step(1));
    assert_eq!((bench.read("a"), bench.read("other")), ("old".to_owned(), "new".to_owned()));
}

#[test]
fn what_is_kept_is_for_this_user_alone_and_each_content_once() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.write(name, "the same");
    }
    bench.step(|_| {});
    let objects = bench.trash().with_file_name("objects");
    let found: Vec<_> = fs::read_dir(&objects)
        .unwrap()
        .flat_map(|part| fs::read_dir(part.unwrap().path()).unwrap())
        .map(|object| object.unwrap().metadata().unwrap().permissions().mode() & 0o777)
        .collect();
    assert_eq!(found, [0o600]);
    assert_eq!(fs::metadata(objects).unwrap().permissions().mode() & 0o777, 0o700);
}
