//! The lines of the list follow the events: nobody who asks sees them behind, and nothing that ends a program leaves them so.

use super::*;
use crate::journal::store::Store;

fn database(home: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(home.join("journal.sqlite3")).unwrap()
}

/// As it stands on the disk.
fn title_on_disk(home: &Path) -> String {
    let line: String =
        database(home).query_row("SELECT summary FROM sessions", [], |row| row.get(0)).unwrap();
    serde_json::from_str::<SessionSummary>(&line).unwrap().title
}

fn renamed(title: &str) -> Vec<Event> {
    vec![Event::SessionRenamed { title: title.into() }]
}

/// A session whose last name its line does not know of.
async fn behind(journal: &Journal) -> SessionId {
    let session = SessionId::new();
    journal.append(session, vec![session_created()], Durability::Normal).await.unwrap();
    journal.append(session, renamed("new"), Durability::Normal).await.unwrap();
    session
}

/// The record of such a session, opened without the thread that writes.
async fn store_behind(home: &Path) -> (Store, SessionId) {
    let (journal, _) = Journal::open(home).unwrap();
    let session = behind(&journal).await;
    drop(journal);
    (Store::new(database(home)), session)
}

#[tokio::test]
async fn whoever_asks_sees_what_was_written() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    behind(&journal).await;
    let looking = Journal::open_read_only(home.path()).unwrap();
    assert_eq!(looking.sessions("").await.unwrap()[0].title, "new", "from the events");
    assert_eq!(journal.sessions("").await.unwrap()[0].title, "new");
    assert_eq!(title_on_disk(home.path()), "new");
}

#[tokio::test]
async fn a_line_is_caught_up_soon_by_itself_with_what_must_be_sure_and_at_the_end() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let session = behind(&journal).await;
    let waited = tokio::time::timeout(std::time::Duration::from_secs(60), async {
        while title_on_disk(home.path()) != "new" {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    });
    waited.await.expect("it follows");
    journal.append(session, renamed("sure"), Durability::Synced).await.unwrap();
    assert_eq!(title_on_disk(home.path()), "sure");
    journal.append(session, renamed("last"), Durability::Normal).await.unwrap();
    drop(journal);
    assert_eq!(title_on_disk(home.path()), "last");
}

#[tokio::test]
async fn the_next_start_catches_up_what_a_kill_left_behind() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let other = SessionId::new();
    journal.append(other, vec![session_created()], Durability::Synced).await.unwrap();
    let session = behind(&journal).await;
    drop(journal);
    // As a kill leaves it: events, and a line from before them.
    let db = database(home.path());
    db.execute(
        "UPDATE sessions SET last_seq = 1, last_turn = 0, summary = replace(summary, 'new', 'old') WHERE id = ?1",
        [session.to_string()],
    )
    .unwrap();
    drop(db);
    let (journal, damage) = Journal::open(home.path()).unwrap();
    assert_eq!(damage, []);
    let list = journal.sessions("").await.unwrap();
    let titles: Vec<&str> = list.iter().map(|it| it.title.as_str()).collect();
    assert_eq!((list[0].id, titles.len()), (session, 2), "{titles:?}");
    assert_eq!(titles[0], "new");
    let records = journal.append(session, renamed("on"), Durability::Normal).await.unwrap();
    assert_eq!(records[0].seq, 3);
}

#[tokio::test]
async fn events_that_come_one_by_one_do_not_keep_the_log_from_beginning_anew() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, session) = store_behind(home.path()).await;
    let log = || home.path().join("journal.sqlite3-wal").metadata().unwrap().len();
    let append = |store: &mut Store, so_many| {
        for _ in 0..so_many {
            store.append(session, renamed("on"), Durability::Normal).unwrap();
        }
    };
    // More pages than SQLite puts back by itself once they are a thousand.
    append(&mut store, 1_500);
    let grown = log();
    assert!(grown > 1_500 * 4096, "the read was held: {grown}");
    store.catch_up().unwrap();
    append(&mut store, 500);
    let rest = log() - grown;
    assert!(rest < 100 * 4096, "{rest} more bytes");
    // Closing does it as well, with the read still open.
    drop(store);
    assert!(!home.path().join("journal.sqlite3-wal").exists());
    let (journal, damage) = Journal::open(home.path()).unwrap();
    assert_eq!(damage, []);
    let read = journal.events(session, 0).await.unwrap();
    assert_eq!((read.value.len(), read.damage), (2_002, None));
}

#[tokio::test]
async fn lines_that_cannot_be_written_are_not_tried_again_at_once() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, session) = store_behind(home.path()).await;
    store.lines.fell_behind(session, 9, None);
    store.db.pragma_update(None, "query_only", true).unwrap();
    std::thread::sleep(store.lines.patience().unwrap());
    assert_eq!(store.lines.patience(), Some(std::time::Duration::ZERO));
    assert!(store.catch_up().is_err());
    assert!(store.lines.patience().unwrap() > std::time::Duration::ZERO, "there is time for what waits");
    store.db.pragma_update(None, "query_only", false).unwrap();
    store.catch_up().unwrap();
    assert_eq!(store.lines.patience(), None);
}
