//! Plans as values: validation, state transitions, mutation, runbook import and export. Nothing here runs a command,
//! reads a file or asks anybody; what cannot be a plan is refused with a message that says what to do.

pub mod card;
pub mod changes;
pub mod check;
pub mod detect;
pub mod export;
pub mod inputs;
pub mod left_out;
pub mod mend;
pub mod mutator;
pub mod page;
mod raw;
pub mod runbook;
mod secrets;
pub mod sorting;
pub mod transition;
mod validate;

#[cfg(test)]
pub(crate) mod testing;

use crate::protocol::StepKind;
pub use card::{confirmation_text, estimated_seconds, files_affected, overall_risk};
pub(crate) use raw::kind as kind_in_any_case;
pub use raw::{RawAction, RawPlan, RawStep, from_json, from_json_within};
pub use validate::{MAX_IMPORTED_STEPS, MAX_SOURCE_BYTES, validate};

/// What to call a command whose author gave it no title, and which kind it looks like.
pub fn describe(command: &str) -> (String, StepKind) {
    (runbook::describe::title(command), runbook::describe::kind(command))
}
