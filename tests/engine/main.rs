//! Behaviour of the engine through its public surface only.

// A test ends where it cannot go on.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod approvals;
mod control;
mod guide;
mod modes;
mod recovery;
mod restart;
mod runbooks;
mod shell_reader;
mod stuck;
