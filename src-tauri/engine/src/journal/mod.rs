//! The append-only record in SQLite: events are written before they are shown, and all that is shown is a fold.

mod fold;

pub use fold::apply;
