//! Behaviour of the engine through its public surface only.

mod guide;
mod model;
mod runbooks;
mod shell_reader;
