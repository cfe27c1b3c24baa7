//! What was run in a terminal, as the state tells of it.

use crate::protocol::{MAX_TERMINALS, Plan, StepId, TerminalRun};

/// A later attempt takes the place of the one before.
pub(super) fn started(runs: &mut Vec<TerminalRun>, step_id: &StepId, attempt: u32) {
    runs.retain(|run| run.step_id != *step_id);
    runs.push(TerminalRun { step_id: step_id.clone(), attempt });
    let surplus = runs.len().saturating_sub(MAX_TERMINALS);
    runs.drain(..surplus);
}

/// Steps of two plans may have the same id.
pub(super) fn forget_plans(runs: &mut Vec<TerminalRun>, old: Option<&Plan>, new: &Plan) {
    runs.retain(|run| {
        new.step(&run.step_id).is_none() && old.is_none_or(|old| old.step(&run.step_id).is_none())
    });
}
