//! Reads what still reads out of a damaged database, row by row, into a new one. It never writes to the damaged one.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row, Transaction, params};

use super::error::db_error;
use super::lines::{self, number_of};
use super::migrate::{migrate, revisions_as_changes};
use super::open::private_file;
use super::status;
use super::store::{Store, place, sum_of, text};
use crate::protocol::{EngineError, SessionId, SessionSummary, Time};

/// Rows in a row that may fail before the rest of a table is given up.
const MISSES_ALLOWED: u32 = 100_000;
/// Rows in a row that may fail before those of the next session are tried.
const MISSES_OF_A_SESSION: u32 = 10_000;

/// A session as the damaged list had it.
struct Known {
    id: SessionId,
    last_seq: u32,
    turn: i64,
    summary: Option<SessionSummary>,
}

#[derive(Debug, Default)]
pub(super) struct Rescued {
    whole: u32,
    in_part: u32,
}

impl Rescued {
    pub(super) fn in_words(&self, kept_at: &Path) -> String {
        let sessions =
            |count: u32| if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") };
        let read_back = match (self.whole, self.in_part) {
            (0, 0) => "No session could be read back".to_owned(),
            (whole, 0) => format!("{} could be read back whole", sessions(whole)),
            (0, part) => format!("{} could be read back in part", sessions(part)),
            (whole, part) => {
                format!("{} could be read back whole and {} in part", sessions(whole), sessions(part))
            }
        };
        format!(
            "The record of sessions was damaged. {read_back}. The damaged files are kept in {}.",
            kept_at.display()
        )
    }
}

/// Makes `new` out of what reads in `damaged`. On an error `new` is of no use.
pub(super) fn rescue(damaged: &Path, new: &Path) -> Result<Rescued, EngineError> {
    private_file(new).map_err(|error| super::error::folder_error(new, &error))?;
    let mut db = Connection::open(new).map_err(db_error)?;
    migrate(&mut db).map_err(db_error)?;
    let copy = db.transaction().map_err(db_error)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut summaries = Vec::new();
    // SQLite deletes the log of a database that was emptied: that one is only set aside.
    let emptied = damaged.metadata().is_ok_and(|file| file.len() == 0);
    if !emptied && let Ok(old) = Connection::open_with_flags(damaged, flags) {
        // Lets SQLite read a file that is shorter than its header says. Where even this fails nothing can be read.
        let _ = old.pragma_update(None, "writable_schema", true);
        copy_rows(&old, &copy, &mut summaries).map_err(db_error)?;
        // Rows as an earlier version wrote them; of which one may not be readable any more.
        revisions_as_changes(&copy).map_err(db_error)?;
    }
    copy.commit().map_err(db_error)?;
    let mut store = Store::new(db);
    summarize(&mut store, &summaries)
}

/// Fails only when the new database cannot be written.
fn copy_rows(old: &Connection, new: &Transaction<'_>, summaries: &mut Vec<Known>) -> rusqlite::Result<()> {
    let valid = |id: &str| id.parse::<SessionId>().ok();
    let sum = if old.prepare("SELECT sum FROM events").is_ok() { "sum" } else { "NULL" };
    let mut numbers = HashMap::new();
    walk(old, "events", &format!("session, seq, at, event, {sum}"), |row| {
        // Which session a row without a readable one belonged to shows as a gap there.
        let (Some(id), Ok(seq)) = (valid(&text(row, 1)?), row.get::<_, u32>(2)) else { return Ok(()) };
        let number = match numbers.get(&id) {
            Some(number) => *number,
            None => *numbers.entry(id).or_insert(number_of(new, id)?),
        };
        let place = place(number, seq);
        // Two rows that say they are the same event: the first is kept.
        new.prepare_cached(
            "INSERT OR IGNORE INTO events (place, session, seq, at, event, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![place, id.to_string(), seq, text(row, 3)?, text(row, 4)?, sum_of(row, 5)?])
        .map(drop)
    })?;
    let turns = ["last_turn", "last_row"];
    let turn = turns.iter().find(|turn| old.prepare(&format!("SELECT {turn} FROM sessions")).is_ok());
    walk(old, "sessions", &format!("id, last_seq, summary, {}", turn.unwrap_or(&"0")), |row| {
        if let (Some(id), Ok(last_seq)) = (valid(&text(row, 1)?), row.get::<_, u32>(2)) {
            let summary = serde_json::from_str(&text(row, 3)?).ok();
            summaries.push(Known { id, last_seq, turn: row.get(4).unwrap_or(0), summary });
        }
        Ok(())
    })?;
    for (table, key) in [("settings", "name"), ("grants", "id")] {
        walk(old, table, &format!("{key}, value"), |row| {
            let insert = format!("INSERT OR IGNORE INTO {table} ({key}, value) VALUES (?1, ?2)");
            new.prepare_cached(&insert)?.execute([text(row, 1)?, text(row, 2)?]).map(drop)
        })?;
    }
    Ok(())
}

/// Hands on each row of the table that can be read, its number in column 0. A row that fails is stepped over.
fn walk(
    old: &Connection,
    table: &str,
    columns: &str,
    mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let query = format!("SELECT rowid, {columns} FROM {table} NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid");
    let Ok(mut query) = old.prepare(&query) else { return Ok(()) };
    let (mut next, mut misses) = (1_i64, 0);
    while misses < MISSES_ALLOWED {
        let Ok(mut rows) = query.query([next]) else { return Ok(()) };
        loop {
            match rows.next() {
                Ok(None) => return Ok(()),
                Ok(Some(row)) => {
                    // A damaged tree may lead in a circle.
                    match row.get::<_, i64>(0) {
                        Ok(at) if at >= next => next = at.saturating_add(1),
                        Ok(_) | Err(_) => break,
                    }
                    misses = 0;
                    take(row)?;
                }
                Err(_) => break,
            }
        }
        misses += 1;
        // Events stand under the number of their session; what was made before version 4 ends before the first jump.
        next = if misses % MISSES_OF_A_SESSION == 0 {
            (next >> 32).saturating_add(1) << 32
        } else {
            next.saturating_add(1)
        };
    }
    Ok(())
}

/// Writes each session's line, marking those of which something is missing.
fn summarize(store: &mut Store, known: &[Known]) -> Result<Rescued, EngineError> {
    let mut rescued = Rescued::default();
    let mut ids: BTreeSet<SessionId> = known.iter().map(|known| known.id).collect();
    ids.extend(sessions_with_events(store).map_err(db_error)?);
    // One that is in the list no more is shown first.
    let newest = known.iter().map(|known| known.turn).max().unwrap_or(0) + 1;
    for id in ids {
        let known = known.iter().find(|known| known.id == id);
        let placeholder = known.and_then(|known| known.summary.clone()).unwrap_or_else(|| nameless(id));
        let mut last = 0;
        store.raw_events(id, 0, |raw| last = raw.seq)?;
        // The events count on from the last number that was given out, read or not.
        let expected = known.map_or(last, |known| last.max(known.last_seq));
        let turn = known.map_or(newest, |known| known.turn);
        let undamaged = SessionSummary { damage: None, ..placeholder.clone() };
        lines::write(&store.db, &undamaged, expected, Some(turn)).map_err(db_error)?;
        let read = store.load(id)?;
        let damage = if let Some(damage) = read.damage {
            Some(damage.message)
        } else if known.is_none() {
            Some(format!(
                "{} of this session's events were read back and later ones may be missing.",
                read.value.seq
            ))
        } else {
            placeholder.damage.clone()
        };
        match damage {
            None => rescued.whole += 1,
            Some(_) => rescued.in_part += 1,
        }
        let updated = if known.is_some() { placeholder.updated_at } else { Time::now() };
        let summary = status::summary(&read.value, updated, damage);
        lines::write(&store.db, &summary, expected, None).map_err(db_error)?;
    }
    Ok(rescued)
}

fn sessions_with_events(store: &Store) -> rusqlite::Result<Vec<SessionId>> {
    store
        .db
        .prepare("SELECT DISTINCT session FROM events")?
        .query_map([], |row| text(row, 0))?
        .filter_map(|id| id.map(|id| id.parse().ok()).transpose())
        .collect()
}

fn nameless(id: SessionId) -> SessionSummary {
    status::summary(&super::fold::begin(id, "Untitled (damaged)", "", Time::now()), Time::now(), None)
}
