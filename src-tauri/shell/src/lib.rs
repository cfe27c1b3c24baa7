//! Reads bash text into flat facts: every simple command at any depth, its words, redirections and context, and the
//! top-level pieces of a script. It runs nothing, knows no program and judges nothing.
//!
//! The reader (feature `reader`) is for the worker process only: hostile text can make a parser loop, grow or overflow
//! its stack, so it is read under a memory limit and a time limit there. Everyone else sees only the facts.

pub mod binding;
mod facts;
#[cfg(feature = "reader")]
mod reader;
mod texts;

pub use facts::*;
#[cfg(feature = "reader")]
pub use reader::read;
pub use texts::texts_in;
