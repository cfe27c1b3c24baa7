//! Behaviour of the engine through its public surface only.

mod runbooks;
mod shell_reader;
