//! The tools that a model has in conversation: what it is told of them, how its calls are read, and the ones that look
//! at and change files. A call is read, then prepared (which looks at the disk and tells exactly what would change),
//! then run with a permit. Nothing here asks, remembers or shows anything; commands of the shell tool run elsewhere.

mod aim;
mod attributes;
mod call;
mod diff;
mod failure;
mod fallback;
mod list;
mod near;
mod prepare;
pub(crate) mod reach;
mod read_file;
mod run;
mod search;
mod specs;
mod stage;
mod text;

pub use aim::settles;
pub use call::{Call, CallError, FileCall, FileEdit, MAX_EDITS, read};
pub(crate) use diff::diff;
pub use failure::ToolFailure;
pub use fallback::{
    FAILED_EDITS, Failed, SELF_CORRECT, engage_text, failure_line, fallback, self_correct_text,
};
pub use prepare::{Prepared, Surroundings, prepare};
pub use run::{Done, run};
pub use specs::specs;

pub use crate::protocol::ToolName;

#[cfg(test)]
mod tests;
