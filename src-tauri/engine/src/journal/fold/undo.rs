//! What was kept and what was taken back, as the state tells of it.

use crate::protocol::{Checkpoint, MAX_CHECKPOINTS, Plan, UndoRecord};

/// A later attempt takes the place of the one before.
pub(super) fn kept(checkpoints: &mut Vec<Checkpoint>, checkpoint: &Checkpoint) {
    checkpoints.retain(|known| known.step_id != checkpoint.step_id);
    checkpoints.push(checkpoint.clone());
    let surplus = checkpoints.len().saturating_sub(MAX_CHECKPOINTS);
    checkpoints.drain(..surplus);
}

/// Steps of two plans may have the same id; what was kept for the one says nothing of the other.
pub(super) fn forget_plans(checkpoints: &mut Vec<Checkpoint>, old: Option<&Plan>, new: &Plan) {
    checkpoints.retain(|known| {
        new.step(&known.step_id).is_none() && old.is_none_or(|old| old.step(&known.step_id).is_none())
    });
}

/// An undo of an undo is told in both records.
pub(super) fn undone(all: &mut Vec<UndoRecord>, undo: &UndoRecord) {
    if let Some(undone) = undo.target.undo_id() {
        for earlier in all.iter_mut().filter(|earlier| earlier.id == undone) {
            earlier.undone_by = Some(undo.id);
        }
    }
    all.push(undo.clone());
}
