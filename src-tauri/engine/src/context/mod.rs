//! What a model sees of a conversation: the messages, made from the same events as everything else; the fixed
//! instructions before them; and what is condensed when they grow too long. Pure: nothing here asks a model, runs a
//! tool or writes a record.
//!
//! Two promises hold whatever happened: roles alternate, and no call stands without its result.

mod compaction;
mod fit;
mod system;
mod transcript;
mod words;

pub use compaction::{SUMMARY_SYSTEM, Shortening, plain_summary, summary_question, tokens_of};
pub use fit::{Fit, Fitting};
pub use system::{Surroundings, plan_now, system};
pub use transcript::{Said, Transcript};
pub use words::{announces_more, bounded, plain_text, synthesis, synthesis_by_tool};

#[cfg(test)]
mod tests;
