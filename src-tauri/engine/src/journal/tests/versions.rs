//! Records of earlier versions are brought up to date, those of later ones are left alone.

use std::sync::Arc;

use super::*;
use crate::journal::migrate::{self, Migration, SCHEMA_VERSION, version};

/// Each as a program of that version wrote it, as text.
const RECORDS: [(i64, &str); 3] = [
    (1, include_str!("fixtures/version-1.sql")),
    (2, include_str!("fixtures/version-2.sql")),
    (3, include_str!("fixtures/version-3.sql")),
];

fn record_of(version_of: i64) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let (_, text) = RECORDS.iter().find(|(of, _)| *of == version_of).unwrap();
    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    db.execute_batch(text).unwrap();
    assert_eq!(version(&db).unwrap(), version_of);
    home
}

#[test]
fn there_is_a_record_of_every_earlier_version() {
    let versions: Vec<i64> = RECORDS.iter().map(|(version, _)| *version).collect();
    assert_eq!(versions, (1..SCHEMA_VERSION).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_earlier_record_is_read_whole_and_goes_on() {
    for (of, events) in [(1, 23), (2, 27), (3, 27)] {
        let home = record_of(of);
        let (journal, damage) = Journal::open(home.path()).unwrap();
        assert_eq!(damage, []);
        let list = journal.sessions("").await.unwrap();
        let lines: Vec<_> = list.iter().map(|it| (it.title.as_str(), it.status)).collect();
        assert_eq!(
            lines,
            [("Tidy", SessionStatus::Paused), ("Set up notes", SessionStatus::Failed)],
            "newest first"
        );
        for (session, count) in [(list[0].id, 7), (list[1].id, events)] {
            assert_eq!(journal.events(session, 0).await.unwrap().value.len(), count);
            let read = journal.load(session).await.unwrap();
            assert_eq!(read.damage, None);
            if count == events {
                check_revisions(&read.value);
            }
            let more = vec![Event::SessionRenamed { title: "later".into() }];
            let records = journal.append(session, more, Durability::Synced).await.unwrap();
            assert_eq!(records[0].seq as usize, count + 1);
        }
        let settings = journal.settings().await.unwrap();
        assert_eq!((settings.damage, settings.value.default_mode), (None, Mode::Planner));
        assert_eq!(settings.value.wall_seconds, 60);
        drop(journal);
        let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
        assert_eq!(version(&db).unwrap(), SCHEMA_VERSION);
    }
}

/// The first version's plan, the folder that was made for its second step, and which it waits for since.
fn check_revisions(state: &SessionState) {
    let plan = state.plan.as_ref().unwrap();
    let commands = |steps: &[Arc<Step>]| -> Vec<String> {
        steps.iter().map(|step| step.action.command().to_owned()).collect()
    };
    let before =
        ["mkdir -p notes && cd notes && export WORD=kept", "echo one > deep/first", "seq 3", "false"];
    let first = changes::steps_at(plan, &state.revisions, 1).unwrap();
    assert_eq!(commands(&first), before);
    let mut after = before.to_vec();
    after.insert(1, "mkdir -p deep");
    assert_eq!(
        (commands(&plan.steps), plan.revision),
        (after.iter().map(|it| (*it).to_owned()).collect(), 2)
    );
    let changed: Vec<_> = state.revisions.iter().map(|entry| entry.changes.len()).collect();
    assert_eq!(changed, [0, 1]);
}

#[tokio::test]
async fn looking_at_an_earlier_record_brings_it_up_to_date() {
    let home = record_of(1);
    let journal = Journal::open_read_only(home.path()).unwrap();
    assert_eq!(journal.sessions("notes").await.unwrap().len(), 1);
}

#[test]
fn a_migration_that_breaks_off_leaves_the_version_before() {
    let home = record_of(1);
    let mut db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    let breaks = "ALTER TABLE events ADD COLUMN more TEXT; UPDATE nowhere SET x = 1;";
    let scripts = ["", breaks].map(Migration::Script);
    migrate::migrate_by(&mut db, &scripts).unwrap_err();
    assert_eq!(version(&db).unwrap(), 1);
    assert!(db.prepare("SELECT more FROM events").is_err(), "all of it or nothing");
    migrate::migrate(&mut db).unwrap();
    assert_eq!(version(&db).unwrap(), SCHEMA_VERSION);
}

#[tokio::test]
async fn a_damaged_earlier_record_is_read_back() {
    for (of, _) in RECORDS {
        let home = record_of(of);
        let path = home.path().join("journal.sqlite3");
        let mut bytes = fs::read(&path).unwrap();
        let length = bytes.len();
        bytes[length - 4096..].fill(0xff);
        fs::write(&path, bytes).unwrap();
        let (journal, damage) = Journal::open(home.path()).unwrap();
        assert_eq!(damage.len(), 1);
        let list = journal.sessions("").await.unwrap();
        let notes = list.iter().find(|it| it.title == "Set up notes");
        check_revisions(&journal.load(notes.unwrap().id).await.unwrap().value);
    }
}

#[tokio::test]
async fn a_later_record_is_refused_and_untouched() {
    let home = tempfile::tempdir().unwrap();
    drop(Journal::open(home.path()).unwrap());
    let path = home.path().join("journal.sqlite3");
    let db = rusqlite::Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    db.execute_batch("CREATE TABLE news (id TEXT); DROP TABLE grants;").unwrap();
    drop(db);
    let before = fs::read(&path).unwrap();
    for refused in [Journal::open(home.path()).map(drop), Journal::open_read_only(home.path()).map(drop)] {
        let error = refused.unwrap_err();
        assert_eq!(error.code, ErrorCode::NotNow);
        assert!(error.message.contains("newer") && error.message.contains("Update"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!home.path().join("damaged").exists());
}

#[tokio::test]
async fn the_order_is_that_of_the_events_whatever_the_clock_said() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let [first, second] = [SessionId::new(), SessionId::new()];
    for session in [first, second, first] {
        let event = match session == first && !journal.sessions("").await.unwrap().is_empty() {
            true => Event::SessionRenamed { title: "touched last".into() },
            false => session_created(),
        };
        journal.append(session, vec![event], Durability::Normal).await.unwrap();
    }
    drop(journal);
    // As if the clock had stood in the future for the second, and had been set back within the first.
    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    db.execute("UPDATE sessions SET updated_millis = 9e15 WHERE id = ?1", [second.to_string()]).unwrap();
    db.execute(
        "UPDATE events SET at = '2001-01-01T00:00:00Z', sum = NULL WHERE session = ?1 AND seq = 2",
        [first.to_string()],
    )
    .unwrap();
    drop(db);
    let (journal, _) = Journal::open(home.path()).unwrap();
    let order: Vec<SessionId> = journal.sessions("").await.unwrap().iter().map(|it| it.id).collect();
    assert_eq!(order, [first, second]);
    let read = journal.load(first).await.unwrap();
    assert_eq!((read.damage, read.value.title.as_str()), (None, "touched last"));
}
