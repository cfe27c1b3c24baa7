//! What tells a row that was changed on the disk from one that was written: SQLite checks its pages' form, not their
//! contents.

use crc32fast::Hasher;

/// The sum of an event's row. Rows of version 1 have none.
pub(super) fn of(session: &str, seq: u32, at: &str, event: &str) -> u32 {
    let mut hasher = Hasher::new();
    for part in [session.as_bytes(), &seq.to_le_bytes(), at.as_bytes(), event.as_bytes()] {
        hasher.update(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}
