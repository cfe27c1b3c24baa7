//! The agent behind Planwright. It turns runbooks into plans, runs them, mends them and records everything.
//! It names no window and no terminal: both are clients of [`engine::Engine`].
//!
//! Imports point one way only (`tests/architecture`): `protocol` ← `plan`, `risk`, `policy` ← `runner`, `journal`,
//! `guide` ← `approval`, `brain` ← `executor` ← `engine`.

pub mod protocol;
