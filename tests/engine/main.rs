//! Behaviour of the engine and the shell reader through their public surfaces only.

mod runbooks;
mod shell_reader;
