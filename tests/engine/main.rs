//! Behaviour of the engine through its public surface only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test that cannot go on fails here.

mod addresses;
mod approvals;
mod architecture;
mod awake;
mod binding;
mod brain;
mod breakages;
mod control;
mod conversation;
mod drafts;
mod forecast;
mod goal;
mod grants;
mod green;
mod guide;
mod injection;
mod inputs;
mod manual;
mod mending;
mod model;
mod modes;
mod output;
mod pages;
mod planning;
mod recovery;
mod restart;
mod room;
mod runbooks;
mod secrets;
mod services;
mod shell_reader;
mod sorting;
mod stuck;
mod terminal;
mod undo;
