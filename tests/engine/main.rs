//! Behaviour of the engine through its public surface only.

mod runbooks;
mod guide;
mod shell_reader;
