//! Behaviour of the engine through its public surface only.

mod architecture;
mod guide;
mod runbooks;
mod shell_reader;
