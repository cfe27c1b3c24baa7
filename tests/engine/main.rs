//! Behaviour of the engine and the shell reader through their public surfaces only.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod runbooks;
mod shell_reader;
