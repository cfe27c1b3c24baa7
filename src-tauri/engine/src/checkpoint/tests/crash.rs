//! The program ends at each single change on disk that an undo makes. At the next start the undo is finished, or it had
//! not begun; the record says which; nothing is lost and nothing is left lying about.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;

use super::ops::{Op, ops, run};
use super::picture::{Picture, differences};
use super::random::config;
use super::{Bench, ending};
use crate::protocol::UndoTarget;

struct Story<'a> {
    tree: &'a dyn Fn(&Path),
    step: &'a dyn Fn(&Path),
}

/// The step done, and the pictures before and after it.
fn told(story: &Story<'_>) -> (Bench, Picture, Picture) {
    let mut bench = Bench::new();
    (story.tree)(&bench.root());
    let before = bench.picture();
    bench.step(|root| (story.step)(root));
    let after = bench.picture();
    (bench, before, after)
}

/// Cut off after `at` changes, and again after `again` changes of the start that finishes it. `false`: it was done before.
fn cut_off(story: &Story<'_>, at: u32, again: Option<u32>) -> Result<bool, TestCaseError> {
    let (mut bench, before, after) = told(story);
    if before == after {
        return Ok(false);
    }
    let whole = ending::after(at, || bench.try_undo(&UndoTarget::Run));
    if let Some(again) = again {
        ending::after(again, || bench.try_reopen());
    }
    bench.reopen();
    let undone = bench.store.undone();
    prop_assert!(whole.is_none() || undone.len() == 1, "change {}: {:?}", at, whole);
    let Some(undo) = undone.first() else {
        prop_assert_eq!(
            differences(&after, &bench.picture()),
            Vec::<String>::new(),
            "not begun, change {}",
            at
        );
        bench.undo(&UndoTarget::Run);
        prop_assert_eq!(differences(&before, &bench.picture()), Vec::<String>::new());
        return Ok(true);
    };
    prop_assert_eq!(
        differences(&before, &bench.picture()),
        Vec::<String>::new(),
        "change {}: {:?}",
        at,
        undo
    );
    prop_assert_eq!(&undo.skipped, &vec![], "change {}", at);
    let trash =
        fs::read_dir(bench.trash()).unwrap().flatten().flat_map(|undo| fs::read_dir(undo.path()).unwrap());
    let parts: Vec<_> = trash.flatten().filter(|item| item.path().extension().is_some()).collect();
    prop_assert!(parts.is_empty(), "{:?}", parts);
    // What it took away is all there.
    let back = bench.undo(&UndoTarget::Undo { undo_id: undo.id });
    prop_assert_eq!(differences(&after, &bench.picture()), Vec::<String>::new(), "change {}: {:?}", at, back);
    Ok(whole.is_none())
}

fn at_each_change(story: &Story<'_>) {
    let mut at = 0;
    while cut_off(story, at, None).unwrap() {
        at += 1;
    }
    assert!(at > 5, "only {at} changes");
}

#[test]
fn files_and_folders() {
    at_each_change(&Story {
        tree: &|root| {
            fs::create_dir_all(root.join("gone/deep")).unwrap();
            fs::write(root.join("gone/deep/file"), "deep").unwrap();
            fs::write(root.join("changed"), "old").unwrap();
            fs::write(root.join("mode"), "mode").unwrap();
            fs::write(root.join("same"), "same").unwrap();
            symlink("changed", root.join("link")).unwrap();
        },
        step: &|root| {
            fs::remove_dir_all(root.join("gone")).unwrap();
            fs::write(root.join("changed"), "new").unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o4700);
            fs::set_permissions(root.join("mode"), mode).unwrap();
            fs::create_dir_all(root.join("made/deep")).unwrap();
            fs::write(root.join("made/deep/file"), "new").unwrap();
            fs::remove_file(root.join("link")).unwrap();
            symlink("same", root.join("link")).unwrap();
        },
    });
}

#[test]
fn kinds_that_change_places() {
    at_each_change(&Story {
        tree: &|root| {
            fs::create_dir(root.join("folder")).unwrap();
            fs::write(root.join("folder/file"), "x").unwrap();
            fs::write(root.join("file"), "file").unwrap();
            symlink("file", root.join("link")).unwrap();
            fs::create_dir(root.join("outer")).unwrap();
        },
        step: &|root| {
            fs::rename(root.join("folder"), root.join("outer/moved")).unwrap();
            fs::rename(root.join("file"), root.join("folder")).unwrap();
            fs::create_dir(root.join("file")).unwrap();
            fs::rename(root.join("link"), root.join("file/link")).unwrap();
            fs::write(root.join("link"), "no link").unwrap();
        },
    });
}

#[test]
fn files_with_several_names() {
    at_each_change(&Story {
        tree: &|root| {
            fs::write(root.join("a"), "one").unwrap();
            fs::hard_link(root.join("a"), root.join("b")).unwrap();
            fs::hard_link(root.join("a"), root.join("c")).unwrap();
            fs::write(root.join("x"), "two").unwrap();
        },
        step: &|root| {
            fs::remove_file(root.join("a")).unwrap();
            fs::write(root.join("b"), "both").unwrap();
            fs::rename(root.join("x"), root.join("c")).unwrap();
            fs::hard_link(root.join("c"), root.join("x")).unwrap();
            fs::write(root.join("a"), "alone").unwrap();
        },
    });
}

/// Its other name is not looked after, so its content changes in its place.
#[test]
fn a_file_with_a_name_elsewhere() {
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("other");
    at_each_change(&Story {
        tree: &|root| {
            drop(fs::remove_file(&other));
            fs::write(&other, "the old content").unwrap();
            fs::hard_link(&other, root.join("a")).unwrap();
        },
        step: &|root| fs::write(root.join("a"), "new").unwrap(),
    });
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn an_undo_cut_off_anywhere_is_finished(tree in ops(15), act in ops(10), at in 0u32..40, again in prop::option::of(0u32..20)) {
        let all = |ops: &[Op], root: &Path| ops.iter().for_each(|op| run(root, op));
        cut_off(&Story { tree: &|root| all(&tree, root), step: &|root| all(&act, root) }, at, again)?;
    }
}

/// The program ends while a step runs: what the step had done by then can be taken back. What its text does not name may be
/// somebody's who wrote there before the next start, so that is asked about.
#[test]
fn a_step_cut_off_is_settled_at_the_next_start() {
    let mut bench = Bench::new();
    bench.write("a", "one");
    let before = bench.picture();
    let kept = bench.before("1", &[&bench.at("a")]);
    bench.store.keep(&kept).unwrap();
    bench.write("a", "two");
    bench.write("b", "new");
    bench.reopen();
    let left = bench.undo(&super::step(1)).skipped;
    assert_eq!((bench.read("a"), bench.read("b")), ("one".to_owned(), "new".to_owned()));
    assert!(left.len() == 1 && left[0].why.starts_with("It is not known"), "{left:?}");
    let all = [left[0].path.clone()];
    bench.store.undo(&super::step(1), None, &all, crate::protocol::UndoBy::User).unwrap();
    // The folder keeps the time that it had between the two.
    let mut after = differences(&before, &bench.picture());
    after.retain(|line| !line.contains("what: folder"));
    assert_eq!(after, Vec::<String>::new());
}
