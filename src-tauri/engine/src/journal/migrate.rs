//! The versions of the record, and the way from each to the next. What a version made is never changed, only added to.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::store::{sum_of, text};
use super::sum;
use crate::plan::changes;
use crate::protocol::{Event, Plan};

pub(super) const SCHEMA_VERSION: i64 = 4;

/// What makes one version out of the one before it.
#[derive(Clone, Copy)]
pub(super) enum Migration {
    Script(&'static str),
    Program(fn(&Transaction<'_>) -> rusqlite::Result<()>),
}

/// The first makes version 1 out of an empty file.
const MIGRATIONS: [Migration; SCHEMA_VERSION as usize] = [
    Migration::Script(
        "
    CREATE TABLE sessions (
        id TEXT NOT NULL UNIQUE,
        updated_millis INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        summary TEXT NOT NULL,
        damage TEXT
    );
    CREATE TABLE events (
        session TEXT NOT NULL,
        seq INTEGER NOT NULL,
        at TEXT NOT NULL,
        event TEXT NOT NULL,
        UNIQUE (session, seq)
    );
    CREATE TABLE settings (name TEXT NOT NULL UNIQUE, value TEXT NOT NULL);
    CREATE TABLE grants (id TEXT NOT NULL UNIQUE, value TEXT NOT NULL);
",
    ),
    // Rows are checked by their sum; sessions are in the order of their last events, whatever the clock said.
    Migration::Script(
        "
    ALTER TABLE events ADD COLUMN sum INTEGER;
    ALTER TABLE sessions ADD COLUMN last_row INTEGER NOT NULL DEFAULT 0;
    UPDATE sessions SET last_row = coalesce((SELECT max(rowid) FROM events WHERE session = sessions.id), 0);
",
    ),
    // A revision is told by what it changed, no longer by the whole plan.
    Migration::Program(revisions_as_changes),
    // The events of a session stand side by side, under its number and theirs: no second tree is written at each of them.
    // A session that only its events tell of gets a line, as an unreadable one has it.
    Migration::Script(
        "
    CREATE TABLE numbered (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        updated_millis INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        summary TEXT NOT NULL,
        damage TEXT,
        last_turn INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO numbered (id, updated_millis, last_seq, summary, damage, last_turn)
        SELECT id, updated_millis, last_seq, summary, damage, last_row FROM sessions ORDER BY rowid;
    INSERT OR IGNORE INTO numbered (id, updated_millis, last_seq, summary)
        SELECT DISTINCT session, 0, 0, '' FROM events;
    CREATE TABLE placed (
        place INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        seq INTEGER NOT NULL,
        at TEXT NOT NULL,
        event TEXT NOT NULL,
        sum INTEGER
    );
    INSERT OR IGNORE INTO placed (place, session, seq, at, event, sum)
        SELECT (number << 32) + seq, session, seq, at, event, sum FROM events JOIN numbered ON id = session
        WHERE seq BETWEEN 0 AND 4294967295 ORDER BY 1;
    DROP TABLE sessions;
    DROP TABLE events;
    ALTER TABLE numbered RENAME TO sessions;
    ALTER TABLE placed RENAME TO events;
",
    ),
];

/// Brings a record to the present version. A newer version's is left alone.
pub(super) fn migrate(db: &mut Connection) -> rusqlite::Result<()> {
    migrate_by(db, &MIGRATIONS)
}

/// One transaction a version: a migration that breaks off leaves the version before it, whole.
pub(super) fn migrate_by(db: &mut Connection, migrations: &[Migration]) -> rusqlite::Result<()> {
    let version = version(db)?;
    for (at, migration) in migrations.iter().enumerate().skip(usize::try_from(version).unwrap_or(0)) {
        let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        match migration {
            Migration::Script(script) => change.execute_batch(script)?,
            Migration::Program(program) => program(&change)?,
        }
        change.pragma_update(None, "user_version", at as i64 + 1)?;
        change.commit()?;
    }
    Ok(())
}

pub(super) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// A row that is damaged, or does not read as what it should be, stays as it is: reading it says so.
pub(super) fn revisions_as_changes(change: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut rows = change.prepare(
        r#"SELECT rowid, session, seq, at, event, sum FROM events
           WHERE event LIKE '{"type":"plan-generated"%' OR event LIKE '{"type":"plan-revised"%'
           ORDER BY session, seq"#,
    )?;
    let mut rows = rows.query([])?;
    let mut present: Option<(String, Plan)> = None;
    while let Some(row) = rows.next()? {
        let (session, seq, at, event) = (text(row, 1)?, row.get::<_, u32>(2)?, text(row, 3)?, text(row, 4)?);
        let sum = sum_of(row, 5)?;
        if sum.is_some_and(|sum| sum != i64::from(sum::of(&session, seq, &at, &event))) {
            continue;
        }
        let Ok(OldEvent { kind, plan, rest }) = serde_json::from_str(&event) else { continue };
        let before = present.take().filter(|(of, _)| *of == session);
        if kind == "plan-generated" {
            present = Some((session, plan));
            continue;
        }
        let Some((_, before)) = before else { continue };
        let mut revised = rest;
        revised.insert("type".to_owned(), kind.into());
        revised.insert("planId".to_owned(), serde_json::json!(plan.id));
        revised.insert("revision".to_owned(), plan.revision.into());
        revised.insert("originalSteps".to_owned(), plan.original_steps.into());
        let changes = changes::between(&before.steps, &plan.steps);
        revised.insert("changes".to_owned(), serde_json::json!(changes));
        // One that was not applied then is not applied now, and what follows it is about the plan before it.
        let applies = plan.id == before.id && plan.revision > before.revision;
        present = Some((session.clone(), if applies { plan } else { before }));
        let Ok(event) = serde_json::from_value::<Event>(revised.into()) else { continue };
        let Ok(event) = serde_json::to_string(&event) else { continue };
        let sum = sum.map(|_| sum::of(&session, seq, &at, &event));
        change.execute(
            "UPDATE events SET event = ?1, sum = ?2 WHERE rowid = ?3",
            params![event, sum, row.get::<_, i64>(0)?],
        )?;
    }
    Ok(())
}

/// An event that held a whole plan.
#[derive(serde::Deserialize)]
struct OldEvent {
    #[serde(rename = "type")]
    kind: String,
    plan: Plan,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}
