//! The gate: the only place where a [`Permit`] is made.
#![cfg_attr(
    not(feature = "test-permits"),
    doc = "",
    doc = "```compile_fail,E0425",
    doc = "let permit = planwright_engine::approval::permit_for_tests;",
    doc = "```"
)]

mod permit;

pub use permit::Permit;

/// A permit without the gate. There is none in a build without the feature `test-permits`, which only the tests
/// package turns on, for itself.
#[cfg(any(test, feature = "test-permits"))]
pub fn permit_for_tests(action: &crate::protocol::Action, cwd: &str, revision: u32) -> Permit {
    Permit::new(action, cwd, revision, crate::protocol::AllowedBy::User)
}
