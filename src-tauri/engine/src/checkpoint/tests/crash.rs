use proptest::prelude::*;

use super::Bench;
use super::ops::{ops, run};
use super::picture::differences;
use super::random::config;
use crate::checkpoint::CheckpointError;
use crate::protocol::{UndoBy, UndoTarget};

proptest! {
    #![proptest_config(config(120))]

    /// The program ends after each single change on disk that an undo makes. Opened again, the undo is as if it had never
    /// begun for the record, and done again it comes to the same end.
    #[test]
    fn an_undo_cut_off_anywhere_can_be_done_again(tree in ops(15), act in ops(10), at in 0u32..14) {
        let mut bench = Bench::new();
        tree.iter().for_each(|op| run(&bench.root(), op));
        let before = bench.picture();
        bench.step(|root| act.iter().for_each(|op| run(root, op)));
        if before == bench.picture() {
            return Ok(());
        }
        let ended = bench.store.undo_until(&UndoTarget::Run, None, &[], UndoBy::User, Some(at));
        if ended.is_ok() {
            return Ok(());
        }
        prop_assert!(matches!(ended, Err(CheckpointError::Ended)), "{:?}", ended);
        bench.reopen();
        prop_assert_eq!(bench.store.undone(), vec![]);
        let again = bench.store.undo(&UndoTarget::Run, None, &[], UndoBy::User);
        prop_assert!(
            matches!(&again, Ok(undo) if undo.skipped.is_empty()) || matches!(again, Err(CheckpointError::Nothing)),
            "{:?}", again
        );
        // Folders that were made twice keep the time of the second: all else is to the bit.
        prop_assert_eq!(differences(&before, &bench.picture()), Vec::<String>::new());
    }
}

/// The program ends while a step runs: what the step had done by then can be taken back.
#[test]
fn a_step_cut_off_is_settled_at_the_next_start() {
    let mut bench = Bench::new();
    bench.write("a", "one");
    let before = bench.picture();
    let kept = bench.before("1", &[]);
    bench.store.keep(&kept).unwrap();
    bench.write("a", "two");
    bench.write("b", "new");
    bench.reopen();
    bench.undo(&super::step(1));
    assert_eq!(differences(&before, &bench.picture()), Vec::<String>::new());
}
