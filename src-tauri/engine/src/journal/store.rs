//! The tables and every statement on them, synchronous, on one connection. It knows rows and folds; it opens no file
//! and starts no thread. Each method is one transaction: it happens whole or not at all.

use std::collections::HashMap;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::error::{Reading, db_error, folder_error, no_such_session};
use super::hold::Hold;
use super::lines::{self, Lines};
use super::reserve::Reserve;
use super::settling::Settling;
use super::{fold, status, sum};
use crate::protocol::{EngineError, ErrorCode, Event, EventRecord, SessionId, SessionState, Time};

/// How sure an append must be when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives the end of the program at any moment, not a power cut.
    Normal,
    /// On the disk: survives a power cut too.
    Synced,
}

/// Sessions whose folded state is kept at hand; a plan each, without results.
const FOLDED_KEPT: usize = 32;

#[derive(Debug)]
pub(super) struct Store {
    pub(super) db: Connection,
    /// Enough of each session's state to keep its line in the list up to date without reading it all again.
    folded: HashMap<SessionId, Folded>,
    pub(super) lines: Lines,
    pub(super) hold: Hold,
    /// The database is new, and may not be on the disk yet.
    settling: Option<Settling>,
    /// What the connection is set to.
    durability: Option<Durability>,
    /// `None` where nothing is appended for people: a copy that is read, or being made.
    reserve: Option<Reserve>,
}

/// A session whose events were read or written here.
#[derive(Debug)]
struct Folded {
    state: SessionState,
    /// What its events stand under; see [`lines::number_of`].
    number: Option<i64>,
}

/// An append that did not happen, with what was to be written.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) error: EngineError,
    pub(crate) events: Vec<Event>,
}

/// An event row as it is on the disk.
#[derive(Debug)]
pub(super) struct RawEvent {
    pub(super) seq: u32,
    pub(super) at: String,
    pub(super) event: String,
    /// None: written by version 1.
    pub(super) sum: Option<i64>,
}

impl RawEvent {
    pub(super) fn parse(&self, session: SessionId) -> Result<EventRecord, String> {
        let expected = || sum::of(&session.to_string(), self.seq, &self.at, &self.event);
        if self.sum.is_some_and(|sum| sum != i64::from(expected())) {
            return Err("its sum does not fit".to_owned());
        }
        let at = self.at.parse().map(Time).map_err(|error| error.to_string())?;
        let event = serde_json::from_str(&self.event).map_err(|error| error.to_string())?;
        Ok(EventRecord { session_id: session, seq: self.seq, at, event })
    }
}

/// Where an event stands among all: those of a session side by side, in their order.
pub(super) fn place(number: i64, seq: u32) -> i64 {
    (number << 32) | i64::from(seq)
}

impl Store {
    pub(super) fn new(db: Connection) -> Self {
        Self {
            db,
            folded: HashMap::new(),
            lines: Lines::default(),
            hold: Hold::default(),
            settling: None,
            durability: None,
            reserve: None,
        }
    }

    /// For a database that was made just now.
    pub(super) fn of_new(db: Connection, settling: Settling) -> Self {
        Self { settling: Some(settling), ..Self::new(db) }
    }

    /// With room kept for the last words.
    pub(super) fn with_reserve(self, reserve: Reserve) -> Self {
        Self { reserve: Some(reserve), ..self }
    }

    /// Takes the room for the last words. `true`: it is there.
    pub(super) fn take_reserve(&self) -> bool {
        self.reserve.as_ref().is_none_or(Reserve::take)
    }

    pub(super) fn append(
        &mut self,
        session: SessionId,
        events: Vec<Event>,
        durability: Durability,
    ) -> Result<Vec<EventRecord>, Refused> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let at = Time::now();
        // Taken out, and put back only after the commit: a failed append leaves the cache to be folded afresh.
        let continued = match self.folded.remove(&session) {
            Some(folded) => Ok(folded),
            None => self.state_to_continue(session, events.first(), at),
        };
        let mut folded = match continued {
            Ok(folded) => folded,
            Err(error) => return Err(Refused { error, events }),
        };
        let records: Vec<EventRecord> = (folded.state.seq.saturating_add(1)..)
            .zip(events)
            .map(|(seq, event)| EventRecord { session_id: session, seq, at, event })
            .collect();
        let mut written = self.write(&mut folded, &records, durability);
        let is_full = written.as_ref().is_err_and(|error| error.code == ErrorCode::DiskFull);
        if is_full && self.reserve.as_ref().is_some_and(Reserve::give_up) {
            written = self
                .state_to_continue(session, records.first().map(|record| &record.event), at)
                .and_then(|before| {
                    folded = before;
                    self.write(&mut folded, &records, durability)
                });
        }
        let text = match written {
            Ok(text) => text,
            Err(error) => {
                let events = records.into_iter().map(|record| record.event).collect();
                return Err(Refused { error, events });
            }
        };
        if let Some(reserve) = &mut self.reserve {
            reserve.keep(text);
        }
        if self.folded.len() >= FOLDED_KEPT {
            self.folded.clear();
        }
        self.folded.insert(session, folded);
        Ok(records)
    }

    /// Returns how much text it wrote, in bytes.
    fn write(
        &mut self,
        folded: &mut Folded,
        records: &[EventRecord],
        durability: Durability,
    ) -> Result<usize, EngineError> {
        if durability == Durability::Synced {
            self.settle()?;
        }
        let written = self.commit(folded, records, durability);
        if written.is_err() {
            // What failed may have ended it.
            let _ = self.hold.let_go(&self.db);
        }
        written.map_err(db_error)
    }

    /// The log alone is synced at a commit; what it belongs to must be on the disk by then.
    fn settle(&mut self) -> Result<(), EngineError> {
        if let Some(settling) = &mut self.settling {
            settling.finish().map_err(|error| folder_error(settling.database(), &error))?;
            self.settling = None;
        }
        Ok(())
    }

    fn state_to_continue(
        &self,
        session: SessionId,
        first: Option<&Event>,
        at: Time,
    ) -> Result<Folded, EngineError> {
        if self.line(session)?.is_none() {
            return match first {
                Some(Event::SessionCreated { title, cwd }) => {
                    Ok(Folded { state: fold::begin(session, title, cwd, at), number: None })
                }
                Some(_) | None => Err(no_such_session()),
            };
        }
        let read = self.load(session)?;
        match read.damage {
            None => Ok(Folded { state: read.value, number: None }),
            Some(damage) => Err(EngineError::new(
                ErrorCode::JournalDamaged,
                format!("This session cannot go on. {} Start a new one from its plan.", damage.message),
            )),
        }
    }

    fn commit(
        &mut self,
        folded: &mut Folded,
        records: &[EventRecord],
        durability: Durability,
    ) -> rusqlite::Result<usize> {
        if self.durability != Some(durability) {
            // In WAL mode FULL syncs the log at this commit, and with it all that was written before.
            let synchronous = match durability {
                Durability::Normal => "NORMAL",
                Durability::Synced => "FULL",
            };
            self.durability = None;
            self.db.pragma_update(None, "synchronous", synchronous)?;
            self.durability = Some(durability);
        }
        let Folded { state, number } = folded;
        let with_line = number.is_none() || durability == Durability::Synced;
        // A row alone is a transaction by itself, and nearly all come alone: nothing is begun and ended around it.
        let change = match records {
            [_] if !with_line => {
                self.hold.keep(&self.db)?;
                None
            }
            _ => {
                self.hold.let_go(&self.db)?;
                Some(Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?)
            }
        };
        let db = change.as_deref().unwrap_or(&self.db);
        let id = state.id.to_string();
        let own = match *number {
            Some(own) => own,
            None => lines::number_of(db, state.id)?,
        };
        let turn = self.lines.next_turn(db)?;
        let mut written = 0;
        for record in records {
            let (at, text) =
                (record.at.to_string(), serde_json::to_string(&record.event).map_err(unwritable)?);
            let sum = sum::of(&id, record.seq, &at, &text);
            written += text.len();
            db.prepare_cached(
                "INSERT INTO events (place, session, seq, at, event, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![place(own, record.seq), id, record.seq, at, text, sum])?;
            // The live fold reports what is impossible; here it only must not count.
            let _ = fold::fold(state, record);
            state.results.clear();
            state.revisions.clear();
            state.shell_before.clear();
        }
        let at = records.last().map(|last| last.at);
        if let Some(at) = at.filter(|_| with_line) {
            lines::write(db, &status::summary(state, at, None), state.seq, Some(turn))?;
        }
        if let Some(change) = change {
            change.commit()?;
        }
        *number = Some(own);
        if with_line {
            self.lines.forget(state.id);
        } else {
            self.lines.fell_behind(state.id, turn, at);
        }
        Ok(written)
    }

    /// Folds a session up to its end, or to the first row that cannot be read.
    pub(super) fn load(&self, session: SessionId) -> Result<Reading<SessionState>, EngineError> {
        let lines::Line { summary, last_seq, damage: marked } =
            self.line(session)?.ok_or_else(no_such_session)?;
        let mut state = match summary {
            Some(known) => fold::begin(session, known.title, known.cwd, known.created_at),
            None => fold::begin(session, "Untitled", "", Time::now()),
        };
        let read = self.read_events(session, 0, |record| {
            let _ = fold::apply(&mut state, &record);
        })?;
        let missing = (state.seq < last_seq).then(|| damaged_from(state.seq + 1));
        Ok(match read.or(marked).or(missing) {
            None => Reading::whole(state),
            Some(message) => Reading::in_part(state, message),
        })
    }

    pub(super) fn events(
        &self,
        session: SessionId,
        after: u32,
    ) -> Result<Reading<Vec<EventRecord>>, EngineError> {
        let lines::Line { last_seq, damage: marked, .. } = self.line(session)?.ok_or_else(no_such_session)?;
        let mut records: Vec<EventRecord> = Vec::new();
        let read = self.read_events(session, after, |record| records.push(record))?;
        let last = records.last().map_or(after, |record| record.seq);
        let missing = (last < last_seq).then(|| damaged_from(last + 1));
        Ok(match read.or(marked).or(missing) {
            None => Reading::whole(records),
            Some(message) => Reading::in_part(records, message),
        })
    }

    /// Hands on each record in order; returns what stopped it before the end, in words.
    pub(super) fn read_events(
        &self,
        session: SessionId,
        after: u32,
        mut take: impl FnMut(EventRecord),
    ) -> Result<Option<String>, EngineError> {
        let mut expected = after;
        let mut stopped: Option<String> = None;
        self.raw_events(session, after, |raw| {
            if stopped.is_some() {
                return;
            }
            expected = expected.saturating_add(1);
            if raw.seq != expected {
                stopped = Some(damaged_from(expected));
                return;
            }
            match raw.parse(session) {
                Ok(record) => take(record),
                Err(reason) => {
                    tracing::error!(%session, seq = raw.seq, reason, "event unreadable");
                    stopped = Some(damaged_from(raw.seq));
                }
            }
        })?;
        Ok(stopped)
    }

    pub(super) fn raw_events(
        &self,
        session: SessionId,
        after: u32,
        mut take: impl FnMut(RawEvent),
    ) -> Result<(), EngineError> {
        let read = || -> rusqlite::Result<()> {
            let mut query = self.db.prepare_cached(
                "SELECT seq, at, event, sum FROM events
                 WHERE place > ((SELECT number FROM sessions WHERE id = ?1) << 32) + ?2
                 AND place < ((SELECT number FROM sessions WHERE id = ?1) + 1) << 32 ORDER BY place",
            )?;
            let mut rows = query.query(params![session.to_string(), after])?;
            while let Some(row) = rows.next()? {
                take(RawEvent {
                    seq: row.get(0)?,
                    at: text(row, 1)?,
                    event: text(row, 2)?,
                    sum: sum_of(row, 3)?,
                });
            }
            Ok(())
        };
        let mut read = read;
        read().map_err(db_error)
    }

    /// What is known of the session besides what is on the disk: no more to be built on.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.folded.remove(&session);
        self.lines.forget(session);
        let _ = self.hold.let_go(&self.db);
    }

    /// Its state, where it was kept.
    pub(super) fn kept_state(&self, session: SessionId) -> Option<&SessionState> {
        self.folded.get(&session).map(|folded| &folded.state)
    }

    /// One event a line; a row that cannot be read stands as `{"sessionId", "seq", "at", "unreadable"}`.
    pub(super) fn export(&self, session: SessionId) -> Result<String, EngineError> {
        self.line(session)?.ok_or_else(no_such_session)?;
        let mut lines = String::new();
        let mut failed = None;
        self.raw_events(session, 0, |raw| {
            let line = match raw.parse(session) {
                Ok(record) => serde_json::to_string(&record),
                Err(_) => serde_json::to_string(&serde_json::json!({
                    "sessionId": session, "seq": raw.seq, "at": raw.at, "unreadable": raw.event,
                })),
            };
            match line {
                Ok(line) => {
                    lines.push_str(&line);
                    lines.push('\n');
                }
                Err(error) => failed = Some(error),
            }
        })?;
        match failed {
            None => Ok(lines),
            Some(error) => Err(db_error(unwritable(error))),
        }
    }

    pub(super) fn remove(&mut self, session: SessionId) -> Result<(), EngineError> {
        self.forget(session);
        let mut remove = || -> rusqlite::Result<()> {
            let change = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change.execute(
                "DELETE FROM events WHERE place > (SELECT number FROM sessions WHERE id = ?1) << 32
                 AND place < ((SELECT number FROM sessions WHERE id = ?1) + 1) << 32",
                [session.to_string()],
            )?;
            change.execute("DELETE FROM sessions WHERE id = ?1", [session.to_string()])?;
            change.commit()
        };
        remove().map_err(db_error)
    }
}

/// A row's sum; what is no number fits no row.
pub(super) fn sum_of(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<i64>> {
    Ok(match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => None,
        rusqlite::types::ValueRef::Integer(sum) => Some(sum),
        rusqlite::types::ValueRef::Real(_)
        | rusqlite::types::ValueRef::Text(_)
        | rusqlite::types::ValueRef::Blob(_) => Some(-1),
    })
}

/// A column as text, whatever its bytes: damage shows when it is parsed, not here.
pub(super) fn text(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<String> {
    let value = row.get_ref(column)?;
    Ok(match value {
        rusqlite::types::ValueRef::Text(bytes) | rusqlite::types::ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        rusqlite::types::ValueRef::Null => String::new(),
        rusqlite::types::ValueRef::Integer(number) => number.to_string(),
        rusqlite::types::ValueRef::Real(number) => number.to_string(),
    })
}

pub(super) fn unwritable(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

fn damaged_from(seq: u32) -> String {
    format!(
        "The record of this session is damaged from its event {seq} on. What came before is shown; export keeps the rest."
    )
}
