//! What was taken back, as the report tells it.

use super::words::{code, inline, moment};
use super::{line, section};
use crate::protocol::{SessionState, StepId, UndoBy, UndoRecord, UndoTarget};

/// Every undo, oldest first; nothing where nothing was undone.
pub(super) fn undone(out: &mut String, state: &SessionState) {
    let mut text = String::new();
    for undo in &state.undone {
        let UndoRecord { restored, recreated, trashed, .. } = undo;
        let by = match undo.by {
            UndoBy::User => "you",
            UndoBy::Rollback => "the plan, after a failure",
        };
        let again = if undo.undone_by.is_some() { "; this undo was itself undone later" } else { "" };
        line(
            &mut text,
            format_args!(
                "- {}: {}, by {by}: {restored} put back, {recreated} brought back, {trashed} to the trash{again}",
                moment(undo.at),
                target(state, &undo.target),
            ),
        );
        for file in &undo.skipped {
            line(&mut text, format_args!("  - Left alone: {}. {}", code(&file.path), inline(&file.why)));
        }
    }
    section(out, "Undone", &text);
}

fn target(state: &SessionState, target: &UndoTarget) -> String {
    match target {
        UndoTarget::Step { step_id } => name(state, step_id),
        UndoTarget::Run | UndoTarget::Plan { .. } => "the whole run".to_owned(),
        UndoTarget::Turn { .. } => "what was done for a message".to_owned(),
        UndoTarget::Since { step_id } => format!("{} and everything after it", name(state, step_id)),
        UndoTarget::Revision { revision, .. } => format!("back to revision {revision}"),
        UndoTarget::Undo { .. } => "an undo".to_owned(),
    }
}

fn name(state: &SessionState, id: &StepId) -> String {
    state.plan.as_ref().map_or_else(|| code(&id.0), |plan| super::words::name(plan, id))
}
