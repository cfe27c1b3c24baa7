//! Cases that a search through random trees found, each made plain.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::Bench;
use super::picture::differences;
use crate::protocol::UndoTarget;

/// Undone, put back, undone again: the tree is each time what it was.
fn there_and_back(tree: impl FnOnce(&Path), step: impl FnOnce(&Path)) {
    let mut bench = Bench::new();
    tree(&bench.root());
    let before = bench.picture();
    bench.step(step);
    let after = bench.picture();
    let mut undo = bench.undo(&UndoTarget::Run);
    assert_eq!(differences(&before, &bench.picture()), Vec::<String>::new());
    for wanted in [&after, &before] {
        bench.reopen();
        undo = bench.undo(&UndoTarget::Undo { undo_id: undo.id });
        assert_eq!(differences(wanted, &bench.picture()), Vec::<String>::new());
    }
}

/// A clock of a file system ticks so slowly that a step's change may not show in the folder's time.
#[test]
fn a_folder_whose_time_did_not_change_keeps_it() {
    there_and_back(
        |root| {
            fs::create_dir(root.join("b")).unwrap();
            fs::write(root.join("b/old"), "old").unwrap();
        },
        |root| {
            let folder = File::open(root.join("b")).unwrap();
            let time = folder.metadata().unwrap().modified().unwrap();
            fs::write(root.join("b/new"), "new").unwrap();
            fs::create_dir(root.join("b/made")).unwrap();
            fs::remove_file(root.join("b/old")).unwrap();
            folder.set_modified(time).unwrap();
        },
    );
}

#[test]
fn a_folder_beside_one_that_is_made_anew_keeps_its_time() {
    there_and_back(
        |root| {
            fs::create_dir_all(root.join("f/g")).unwrap();
            fs::create_dir(root.join("b")).unwrap();
        },
        |root| {
            let time = fs::metadata(root).unwrap().modified().unwrap();
            fs::remove_dir_all(root.join("f")).unwrap();
            fs::rename(root.join("b"), root.join("f")).unwrap();
            fs::create_dir(root.join("b")).unwrap();
            File::open(root).unwrap().set_modified(time).unwrap();
        },
    );
}

#[test]
fn of_three_names_of_a_file_one_is_replaced() {
    there_and_back(
        |root| {
            fs::write(root.join("b"), "").unwrap();
            fs::hard_link(root.join("b"), root.join("c")).unwrap();
            fs::hard_link(root.join("b"), root.join("d")).unwrap();
        },
        |root| {
            fs::write(root.join("b"), "abc").unwrap();
            fs::write(root.join("new"), "new").unwrap();
            fs::rename(root.join("new"), root.join("c")).unwrap();
        },
    );
}

/// Content, mode and time are the same all along: only who shares them with whom is not.
#[test]
fn names_that_change_partners() {
    there_and_back(
        |root| {
            for (name, other) in [("a", "b"), ("c", "d")] {
                fs::write(root.join(name), "same").unwrap();
                let time = std::time::SystemTime::UNIX_EPOCH;
                File::options().write(true).open(root.join(name)).unwrap().set_modified(time).unwrap();
                fs::hard_link(root.join(name), root.join(other)).unwrap();
            }
        },
        |root| {
            fs::rename(root.join("b"), root.join("x")).unwrap();
            fs::rename(root.join("d"), root.join("b")).unwrap();
            fs::rename(root.join("x"), root.join("d")).unwrap();
        },
    );
}

#[test]
fn a_name_elsewhere_is_still_one_of_the_file() {
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("other");
    fs::write(&other, "old").unwrap();
    there_and_back(
        |root| fs::hard_link(&other, root.join("a")).unwrap(),
        |root| fs::write(root.join("a"), "new").unwrap(),
    );
    assert_eq!(fs::read_to_string(&other).unwrap(), "old");
}

/// As an editing tool does it: one name is known to change, the other may be outside of what is looked at.
#[test]
fn an_edit_of_one_name_taken_back_leaves_both_names_on_the_file() {
    for (other, only_files) in [("work/b", false), ("work/b", true), ("b", false), ("b", true)] {
        let mut bench = Bench::new();
        let other = bench.root().parent().unwrap().join(other);
        bench.write("a", "old");
        fs::hard_link(bench.at("a"), &other).unwrap();
        let a = bench.at("a");
        let mut before = bench.before("1", &[&a]);
        before.effects.only_files = only_files;
        let checkpoint = bench.store.keep(&before).unwrap();
        fs::write(&a, "new").unwrap();
        bench.settle(checkpoint.id);
        bench.undo(&UndoTarget::Run);
        assert_eq!(bench.read("a"), "old");
        let file = |path: &Path| fs::metadata(path).unwrap().ino();
        assert_eq!(file(&a), file(&other), "{} {only_files}", other.display());
    }
}
