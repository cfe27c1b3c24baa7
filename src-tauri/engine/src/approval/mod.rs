//! The gate: the only place where a [`Permit`] is made.

mod permit;

pub use permit::Permit;
