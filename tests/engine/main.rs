//! Behaviour of the engine through its public surface only.

mod approvals;
mod control;
mod guide;
mod modes;
mod recovery;
mod restart;
mod runbooks;
mod shell_reader;
