//! Somebody else works in the folder while a step runs: what is theirs stays, and can be chosen.

use std::thread::sleep;
use std::time::Duration;

use super::super::AtWork;
use super::{Bench, moment, step};
use crate::protocol::UndoBy;

/// What `others` does while the step rests, and then what the step does.
fn beside(bench: &mut Bench, others: impl FnOnce(&Bench), own: impl FnOnce(&Bench)) -> Vec<String> {
    let before = bench.before("1", &[]);
    let checkpoint = bench.store.keep(&before).unwrap();
    let begun = moment();
    sleep(Duration::from_millis(60));
    others(bench);
    sleep(Duration::from_millis(60));
    let woken = moment();
    own(bench);
    let work = AtWork::During(vec![(begun, begun), (woken, moment())]);
    bench.store.settle(checkpoint.id, &work).unwrap().files
}

#[test]
fn what_the_user_makes_while_a_step_rests_is_left_and_can_be_chosen() {
    let mut bench = Bench::new();
    for name in ["edited", "removed", "old"] {
        bench.write(name, "old");
    }
    std::fs::create_dir(bench.at("folder")).unwrap();
    std::fs::rename(bench.at("removed"), bench.at("folder/removed")).unwrap();
    let told = beside(
        &mut bench,
        |bench| {
            bench.write("mine.txt", "mine");
            bench.write("edited", "mine");
            std::fs::remove_file(bench.at("folder/removed")).unwrap();
        },
        |bench| {
            bench.write("made", "made");
            bench.write("old", "new");
        },
    );
    assert_eq!(told, [bench.at("made").display().to_string(), bench.at("old").display().to_string()]);
    let left = bench.undo(&step(1)).skipped;
    let named = |name: &str| bench.at(name).display().to_string();
    let paths: Vec<&str> = left.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, [named("edited"), named("folder/removed"), named("mine.txt")]);
    assert!(left.iter().all(|file| file.why.contains("nothing of the step was at work")), "{left:?}");
    assert_eq!((bench.read("mine.txt"), bench.read("edited")), ("mine".to_owned(), "mine".to_owned()));
    assert_eq!((bench.read("old"), bench.at("made").exists()), ("old".to_owned(), false));
    let chosen = [named("mine.txt")];
    bench.store.undo(&step(1), None, &chosen, UndoBy::User).unwrap();
    assert_eq!((bench.at("mine.txt").exists(), bench.read("edited")), (false, "mine".to_owned()));
}

#[test]
fn what_the_text_of_a_command_names_is_the_steps_whenever_it_was_written() {
    let mut bench = Bench::new();
    let before = bench.before("1", &[&bench.at("out")]);
    let checkpoint = bench.store.keep(&before).unwrap();
    bench.write("out", "made");
    bench.store.settle(checkpoint.id, &AtWork::Unknown).unwrap();
    assert_eq!(bench.undo(&step(1)).skipped, []);
    assert!(!bench.at("out").exists());
}
