//! Behaviour of the engine through its public surface only.

mod guide;
mod architecture;
mod runbooks;
mod shell_reader;
