//! A read that stays open between events that come one by one. SQLite begins and ends one around every statement, and of
//! the six locks of the file that an event would take these are four. While it is open the log cannot be put back into
//! the database, so it is let go wherever more than one row is written: at the latest when the lines are caught up.

use rusqlite::Connection;

/// Any row will do: an event has a session.
const READ: &str = "SELECT number FROM sessions";

/// Whether the read is open on the connection that it is used with.
#[derive(Debug, Default)]
pub(super) struct Hold(bool);

impl Hold {
    pub(super) fn keep(&mut self, db: &Connection) -> rusqlite::Result<()> {
        if !self.0 {
            let mut read = db.prepare_cached(READ)?;
            let mut rows = read.raw_query();
            rows.next()?;
            // Dropped, it would end the read. The statement goes back to those that are kept, in the middle of its rows.
            std::mem::forget(rows);
            self.0 = true;
        }
        Ok(())
    }

    pub(super) fn let_go(&mut self, db: &Connection) -> rusqlite::Result<()> {
        if self.0 {
            drop(db.prepare_cached(READ)?.raw_query());
            self.0 = false;
        }
        Ok(())
    }
}
