//! Models: decoding, the wire, recovery with a model over HTTP.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod decode;
mod local;
mod recovery;
mod wire;
