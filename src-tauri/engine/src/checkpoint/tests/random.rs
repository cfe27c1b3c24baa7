use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::ops::{Op, ops, run};
use super::picture::{self, Picture, Seen, What, differences};
use super::rights::{self, Ordinary};
use super::{Bench, step};
use crate::protocol::{UndoBy, UndoGap, UndoPreview, UndoTarget};

fn cases(usual: u32) -> u32 {
    std::env::var("PLANWRIGHT_UNDO_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn do_all(bench: &mut Bench, steps: &[Vec<Op>]) {
    for ops in steps {
        bench.step(|root| ops.iter().for_each(|op| run(root, op)));
    }
}

/// What stands in a folder that its owner has closed is kept for nobody but an administrator, and that is said.
fn is_closed_to_us(pictures: &[&Picture], preview: &UndoPreview) -> bool {
    let closed = pictures.iter().any(|picture| picture::has_closed_folder(picture));
    let said = |gap: &UndoGap| gap.why == "not kept: files that cannot be read";
    let told = !preview.gaps.is_empty() && preview.gaps.iter().all(said);
    told && closed && !rights::enters_all()
}

fn many() -> impl Strategy<Value = Vec<Vec<Op>>> {
    prop::collection::vec(ops(8), 1..5)
}

/// The same cases each time, so that a run of all tests says the same twice; with PLANWRIGHT_UNDO_CASES others each time.
pub(super) fn config(usual: u32) -> ProptestConfig {
    let searching = std::env::var_os("PLANWRIGHT_UNDO_CASES").is_some();
    let rng_seed = if searching { RngSeed::Random } else { RngSeed::Fixed(2026) };
    ProptestConfig { cases: cases(usual), rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(150))]

    /// There, back, there again and back again, with a new start of the program between.
    #[test]
    fn a_run_taken_back_leaves_the_tree_as_it_was(tree in ops(25), steps in many(), ordinary in any::<bool>()) {
        let mut bench = Bench::new();
        let _rights = ordinary.then(Ordinary::new);
        tree.iter().for_each(|op| run(&bench.root(), op));
        let before = bench.picture();
        do_all(&mut bench, &steps);
        let after = bench.picture();
        if before == after {
            return Ok(());
        }
        let preview = bench.preview(&UndoTarget::Run);
        if is_closed_to_us(&[&before, &after], &preview) {
            return Ok(());
        }
        prop_assert!(preview.files.iter().all(|file| file.conflict.is_none()), "{:?}", preview);
        prop_assert_eq!(&preview.gaps, &vec![]);
        let undo = bench.undo(&UndoTarget::Run);
        prop_assert_eq!(differences(&before, &bench.picture()), Vec::<String>::new(), "{:?}", undo);
        prop_assert_eq!(&undo.skipped, &vec![]);

        bench.reopen();
        let again = bench.undo(&UndoTarget::Undo { undo_id: undo.id });
        prop_assert_eq!(differences(&after, &bench.picture()), Vec::<String>::new(), "undo of undo: {:?}", again);
        let back = bench.undo(&UndoTarget::Undo { undo_id: again.id });
        prop_assert_eq!(differences(&before, &bench.picture()), Vec::<String>::new(), "and back: {:?}", back);
    }

    /// Step by step from the end, each undo gives the state before that step, and each can be taken back and done again.
    #[test]
    fn steps_are_taken_back_one_by_one(tree in ops(20), steps in many(), ordinary in any::<bool>()) {
        let mut bench = Bench::new();
        let _rights = ordinary.then(Ordinary::new);
        tree.iter().for_each(|op| run(&bench.root(), op));
        let mut pictures = Vec::new();
        for ops in &steps {
            pictures.push(bench.picture());
            do_all(&mut bench, std::slice::from_ref(ops));
        }
        for (nth, before) in pictures.iter().enumerate().rev() {
            let after = bench.picture();
            if *before == after {
                continue;
            }
            let target = step(nth as u32 + 1);
            if is_closed_to_us(&pictures.iter().chain([&after]).collect::<Vec<_>>(), &bench.preview(&target)) {
                return Ok(());
            }
            let mut undo = bench.undo(&target);
            prop_assert_eq!(differences(before, &bench.picture()), Vec::<String>::new(), "step {}", nth + 1);
            for wanted in [&after, before] {
                undo = bench.undo(&UndoTarget::Undo { undo_id: undo.id });
                prop_assert_eq!(differences(wanted, &bench.picture()), Vec::<String>::new(), "again, step {}", nth + 1);
            }
        }
    }

    /// What the user wrote afterwards is all still there, in the place where they wrote it; what no step made is too.
    /// And the undo taken back gives the tree that they had.
    #[test]
    fn later_edits_stay(tree in ops(20), steps in many(), between in ops(3), edits in ops(6), one in any::<bool>(), ordinary in any::<bool>()) {
        let mut bench = Bench::new();
        let _rights = ordinary.then(Ordinary::new);
        tree.iter().for_each(|op| run(&bench.root(), op));
        let (first, last) = steps.split_at(steps.len() / 2);
        do_all(&mut bench, first);
        between.iter().for_each(|op| run(&bench.root(), op));
        do_all(&mut bench, last);
        let left = bench.picture();
        edits.iter().for_each(|op| run(&bench.root(), op));
        let edited = bench.picture();
        let target = if one { step(1) } else { UndoTarget::Run };
        let token = bench.preview(&target).token;
        let Ok(undo) = bench.store.undo(&target, Some(&token), &[], UndoBy::User) else { return Ok(()) };
        let now = bench.picture();
        for (path, seen) in &edited {
            let by_user = match (left.get(path), &seen.what) {
                (Some(left), What::File(_) | What::Link(_)) => left.what != seen.what,
                (None, _) => true,
                (Some(left), What::Folder) => left.what != What::Folder,
            };
            if by_user {
                prop_assert!(now.get(path).map(|now| &now.what) == Some(&seen.what), "{:?}", path);
            }
        }
        // Nothing is lost: each content that was there is in the tree or in the trash.
        let kept = contents(&bench, &now);
        for (path, seen) in &edited {
            if let What::File(content) = &seen.what {
                prop_assert!(kept.contains(content), "{:?} is lost", path);
            }
        }
        let Ok(back) = bench.try_undo(&UndoTarget::Undo { undo_id: undo.id }) else {
            prop_assert_eq!(differences(&edited, &now), Vec::<String>::new());
            return Ok(());
        };
        // Names that the user gave to files of the steps are not known to be names of one file.
        let (edited, now) = (picture::without_links(edited), picture::without_links(bench.picture()));
        prop_assert_eq!(differences(&edited, &now), Vec::<String>::new(), "{:?} and {:?}", undo, back);
    }
}

fn contents(bench: &Bench, tree: &Picture) -> BTreeSet<Vec<u8>> {
    let file = |seen: &Seen| match &seen.what {
        What::File(content) => Some(content.clone()),
        What::Folder | What::Link(_) => None,
    };
    let trash = fs::read_dir(bench.trash()).unwrap().flatten();
    let items = trash.flat_map(|undo| fs::read_dir(undo.path()).unwrap()).flatten();
    tree.values().filter_map(file).chain(items.filter_map(|item| fs::read(item.path()).ok())).collect()
}
