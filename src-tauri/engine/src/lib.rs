//! The agent behind Planwright. It turns runbooks into plans, runs them, mends them and records everything.
//! It names no window and no terminal: both are clients of [`engine::Engine`].
//!
//! Imports point one way only, checked by a test: `protocol` ← `redact`, `metrics`, `plan`, `shell`, `knowledge`, `manual`, `risk`, `explain`,
//! `keyboard`, `exit_status`, `policy`, `secret`, `attention` ← `approval`, `awake` ← `runner`, `forecast`, `tools`, `checkpoint`, `journal`, `guide`, `model`, `address` ← `context`, `brain` ← `goal` ← `session` ← `engine`.

pub mod address;
pub mod approval;
pub mod attention;
pub mod awake;
pub mod brain;
pub mod checkpoint;
pub mod context;
pub mod engine;
mod exit_status;
pub mod explain;
pub mod forecast;
pub mod goal;
pub mod guide;
pub mod journal;
pub mod keyboard;
mod knowledge;
mod manual;
pub mod metrics;
pub mod model;
pub mod plan;
pub mod policy;
pub mod protocol;
pub mod redact;
pub mod risk;
pub mod runner;
mod secret;
mod session;
pub mod shell;
pub mod tools;
