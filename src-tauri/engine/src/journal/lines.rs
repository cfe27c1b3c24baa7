//! The list of sessions: a line each, so that showing it reads no events. A line is a copy of what the session's events
//! say. While much happens it follows them a little later, so that an event costs one page and not two; it is caught up
//! before this program reads it, when the record is closed, and, where the program was killed, at the next start. Whoever
//! else looks meanwhile reads the events of what is behind.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::error::db_error;
use super::status;
use super::store::{Store, text, unwritable};
use crate::protocol::{EngineError, SessionId, SessionStatus, SessionSummary, Time};

/// For so long a line may be behind. Then all that are behind are written together.
const LATE: Duration = Duration::from_millis(200);

/// Whether a session has events that its line does not know of.
const IS_BEHIND: &str = "EXISTS (SELECT 1 FROM events
    WHERE place > (number << 32) + last_seq AND place < (number + 1) << 32)";

/// Which lines are behind.
#[derive(Debug, Default)]
pub(super) struct Lines {
    behind: HashMap<SessionId, Behind>,
    /// Number of the last append, to whichever session: the order of the list, whatever the clock said. Not known yet:
    /// `None`.
    turn: Option<i64>,
}

#[derive(Debug)]
struct Behind {
    since: Instant,
    turn: i64,
    /// Time of its last event, where that is known.
    updated: Option<Time>,
}

impl Lines {
    /// The number of the next append.
    pub(super) fn next_turn(&mut self, db: &Connection) -> rusqlite::Result<i64> {
        let last = match self.turn {
            Some(last) => last,
            None => db.query_row("SELECT coalesce(max(last_turn), 0) FROM sessions", [], |row| {
                row.get::<_, i64>(0)
            })?,
        };
        self.turn = Some(last + 1);
        Ok(last + 1)
    }

    /// The session has events that its line does not know of.
    pub(super) fn fell_behind(&mut self, session: SessionId, turn: i64, updated: Option<Time>) {
        let since = self.behind.get(&session).map_or_else(Instant::now, |behind| behind.since);
        self.behind.insert(session, Behind { since, turn, updated });
    }

    /// The session's line was written, or is gone.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.behind.remove(&session);
    }

    /// How long nothing needs to be caught up yet; `None` while nothing is behind.
    pub(super) fn patience(&self) -> Option<Duration> {
        let oldest = self.behind.values().map(|behind| behind.since).min()?;
        Some(LATE.saturating_sub(oldest.elapsed()))
    }
}

/// What the list knows of a session.
pub(super) struct Line {
    /// `None` when unreadable.
    pub(super) summary: Option<SessionSummary>,
    /// At least as many events were written.
    pub(super) last_seq: u32,
    /// In words, where damage was noted.
    pub(super) damage: Option<String>,
}

impl Store {
    pub(super) fn line(&self, session: SessionId) -> Result<Option<Line>, EngineError> {
        self.db
            .prepare_cached("SELECT summary, last_seq, damage FROM sessions WHERE id = ?1")
            .and_then(|mut query| {
                query
                    .query_row([session.to_string()], |row| {
                        Ok(Line {
                            summary: serde_json::from_str(&text(row, 0)?).ok(),
                            last_seq: row.get(1)?,
                            damage: row.get(2)?,
                        })
                    })
                    .optional()
            })
            .map_err(db_error)
    }

    /// Newest first; with `search`, those whose title, folder or text contains it, whatever the case.
    pub(super) fn sessions(&self, search: &str) -> Result<Vec<SessionSummary>, EngineError> {
        let wanted = search.trim().to_lowercase();
        let rows = || -> rusqlite::Result<Vec<(String, Option<SessionSummary>)>> {
            let query = format!(
                "SELECT id, summary, damage, {IS_BEHIND} FROM sessions ORDER BY last_turn DESC, number DESC"
            );
            let line = |row: &Row<'_>| {
                let read = serde_json::from_str::<SessionSummary>(&text(row, 1)?).ok();
                let read = if row.get(3)? { None } else { read };
                let damage: Option<String> = row.get(2)?;
                let line =
                    read.map(|summary| SessionSummary { damage: summary.damage.or(damage), ..summary });
                Ok((text(row, 0)?, line))
            };
            self.db.prepare_cached(&query)?.query_map([], line)?.collect()
        };
        let said = if wanted.is_empty() { HashSet::new() } else { self.sessions_that_say(&wanted)? };
        let mut found = Vec::new();
        for (id, line) in rows().map_err(db_error)? {
            let summary = match line {
                Some(summary) => summary,
                // It is only a copy, so it is made again.
                None => match id.parse() {
                    Ok(known) => self.summarize(known)?,
                    Err(_) => continue,
                },
            };
            if wanted.is_empty()
                || summary.title.to_lowercase().contains(&wanted)
                || summary.cwd.to_lowercase().contains(&wanted)
                || said.contains(&id)
            {
                found.push(summary);
            }
        }
        Ok(found)
    }

    /// The sessions, newest first, as number, id and how many of its last events are to be looked at when that should not be
    /// more than `most` in all.
    pub(super) fn newest(&self, most: u32) -> rusqlite::Result<Vec<(i64, String, u32)>> {
        let mut left = most;
        let mut newest = Vec::new();
        let mut query = self.db.prepare_cached(
            "SELECT number, id, last_seq FROM sessions ORDER BY last_turn DESC, number DESC",
        )?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()?.filter(|_| left > 0) {
            let some = left.min(row.get(2)?);
            left -= some;
            newest.push((row.get(0)?, text(row, 1)?, some));
        }
        Ok(newest)
    }

    fn summarize(&self, session: SessionId) -> Result<SessionSummary, EngineError> {
        let read = self.load(session)?;
        let mut updated = read.value.created_at;
        self.read_events(session, 0, |record| updated = record.at)?;
        Ok(status::summary(&read.value, updated, read.damage.map(|damage| damage.message)))
    }

    /// Writes every line that is behind. On an error they stay so, and are due again after a while.
    pub(super) fn catch_up(&mut self) -> Result<(), EngineError> {
        self.write_lines().inspect_err(|_| {
            for behind in self.lines.behind.values_mut() {
                behind.since = Instant::now();
            }
        })?;
        self.lines.behind.clear();
        Ok(())
    }

    fn write_lines(&mut self) -> Result<(), EngineError> {
        self.hold.let_go(&self.db).map_err(db_error)?;
        let mut lines = Vec::with_capacity(self.lines.behind.len());
        for (session, behind) in &self.lines.behind {
            let (summary, last_seq) = match (self.kept_state(*session), behind.updated) {
                (Some(state), Some(updated)) => (status::summary(state, updated, None), state.seq),
                (Some(_) | None, _) => (self.summarize(*session)?, self.last_seq(*session)?),
            };
            lines.push((summary, last_seq, behind.turn));
        }
        if lines.is_empty() {
            return Ok(());
        }
        let mut write_all = || -> rusqlite::Result<()> {
            let change = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for (summary, last_seq, turn) in &lines {
                write(&change, summary, *last_seq, Some(*turn))?;
            }
            change.commit()
        };
        write_all().map_err(db_error)
    }

    /// For a record that was not closed: which lines are behind.
    pub(super) fn find_behind(&mut self) -> rusqlite::Result<()> {
        let ids: Vec<String> = self
            .db
            .prepare(&format!("SELECT id FROM sessions WHERE {IS_BEHIND}"))?
            .query_map([], |row| text(row, 0))?
            .collect::<rusqlite::Result<_>>()?;
        for id in ids.iter().filter_map(|id| id.parse().ok()) {
            let turn = self.lines.next_turn(&self.db)?;
            self.lines.fell_behind(id, turn, None);
        }
        Ok(())
    }

    /// Notes in the list that a session is damaged, unless that is known.
    pub(super) fn mark_damaged(&mut self, session: SessionId, message: &str) -> Result<(), EngineError> {
        self.catch_up()?;
        self.forget(session);
        let Some(Line { last_seq, damage: None, .. }) = self.line(session)? else { return Ok(()) };
        let read = self.load(session)?;
        let summary = status::summary(&read.value, Time::now(), Some(message.to_owned()));
        write(&self.db, &summary, last_seq, None).map_err(db_error)
    }

    /// The number of its last event that is there, read or not.
    fn last_seq(&self, session: SessionId) -> Result<u32, EngineError> {
        let mut last = 0;
        self.raw_events(session, 0, |raw| last = raw.seq)?;
        Ok(last)
    }
}

/// The line of a session that is told to run and that nobody leads.
pub(super) fn interrupted(summary: SessionSummary) -> SessionSummary {
    let status = match summary.status {
        SessionStatus::Running => SessionStatus::Interrupted,
        other => other,
    };
    SessionSummary { status, ..summary }
}

/// Writes a session's line. `turn`: where it moves to in the list.
pub(super) fn write(
    db: &Connection,
    summary: &SessionSummary,
    last_seq: u32,
    turn: Option<i64>,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO sessions (id, updated_millis, last_seq, summary, damage, last_turn)
         VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, 0))
         ON CONFLICT (id) DO UPDATE SET updated_millis = ?2, last_seq = ?3, summary = ?4, damage = ?5,
         last_turn = coalesce(?6, last_turn)",
    )?
    .execute(params![
        summary.id.to_string(),
        summary.updated_at.0.as_millisecond(),
        last_seq,
        serde_json::to_string(summary).map_err(unwritable)?,
        summary.damage,
        turn,
    ])
    .map(drop)
}

/// What the events of a session stand under; one is given out where there is none yet, with an empty line.
pub(super) fn number_of(db: &Connection, session: SessionId) -> rusqlite::Result<i64> {
    let id = session.to_string();
    let known = db
        .prepare_cached("SELECT number FROM sessions WHERE id = ?1")?
        .query_row([&id], |row| row.get(0))
        .optional()?;
    if let Some(number) = known {
        return Ok(number);
    }
    db.prepare_cached("INSERT INTO sessions (id, updated_millis, last_seq, summary) VALUES (?1, 0, 0, '')")?
        .execute([&id])?;
    Ok(db.last_insert_rowid())
}
