//! Sizes, the rule for keeping, the trash, and finding by text.

use std::collections::HashSet;

use super::*;

async fn session(journal: &Journal, title: &str, more: Vec<Event>) -> SessionId {
    let id = SessionId::new();
    let created = Event::SessionCreated { title: title.into(), cwd: "/work".into() };
    journal.append(id, [vec![created], more].concat(), Durability::Normal).await.unwrap();
    id
}

/// Empty sessions of so many KiB of output each, oldest first.
async fn sized(journal: &Journal, sizes: &[usize]) -> Vec<SessionId> {
    let mut ids = Vec::new();
    for kib in sizes {
        let id = session(journal, "Sized", vec![]).await;
        let file = journal.output_path(id, &"s1".into(), 0);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, vec![0; kib * 1024]).unwrap();
        ids.push(id);
    }
    ids
}

fn keep(days: Option<u32>, mib: Option<u32>) -> Settings {
    Settings { keep_days: days, keep_mib: mib, ..Settings::default() }
}

#[tokio::test]
async fn sizes_are_told_per_session_and_kind() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let ids = sized(&journal, &[3, 0]).await;
    let renamed = Event::SessionRenamed { title: "x".repeat(10_000) };
    journal.append(ids[1], vec![renamed], Durability::Normal).await.unwrap();
    let kept = home.path().join("checkpoints").join(ids[1].to_string()).join("objects");
    fs::create_dir_all(&kept).unwrap();
    fs::write(kept.join("one"), vec![0; 5000]).unwrap();
    let gone = sized(&journal, &[7]).await;
    journal.delete(gone[0]).await.unwrap();

    let storage = journal.storage(HashSet::new(), &keep(None, None)).await.unwrap();
    let told: Vec<_> =
        storage.sessions.iter().map(|it| (it.session.id, it.output_kib, it.kept_kib)).collect();
    assert_eq!(told, [(ids[1], 0, 5), (ids[0], 3, 0)]);
    assert!((10..13).contains(&storage.sessions[0].record_kib), "{storage:?}");
    assert_eq!(storage.sessions[1].record_kib, 1);
    assert_eq!(storage.trash_kib, 8, "the output, and the record in a line");
    assert!(storage.record_kib > 10 && storage.damaged_kib == 0 && storage.free_kib.is_some());
    assert_eq!(storage.due, [], "everything is kept unless a rule says otherwise");
}

#[tokio::test]
async fn a_rule_for_room_takes_the_oldest_until_it_fits() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let ids = sized(&journal, &[900, 900, 900, 900]).await;
    let due = async |open: &[SessionId], keep| {
        journal.storage(open.iter().copied().collect(), &keep).await.unwrap().due
    };
    assert_eq!(due(&[], keep(None, Some(4))).await, []);
    assert_eq!(due(&[], keep(None, Some(2))).await, ids[..2]);
    assert_eq!(due(&ids[..1], keep(None, Some(2))).await, ids[1..3], "an open one stays");
    assert_eq!(due(&[], keep(None, Some(0))).await, ids);
}

#[tokio::test]
async fn a_rule_for_days_takes_what_is_older_and_finished() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let old = session(&journal, "Old", vec![]).await;
    let unfinished =
        session(&journal, "Draft", vec![Event::PlanGenerated { plan: plan(vec![step("a", "ls")]) }]).await;
    let new = session(&journal, "New", vec![]).await;
    drop(journal);
    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    for id in [old, unfinished] {
        let line: String = db
            .query_row("SELECT summary FROM sessions WHERE id = ?1", [id.to_string()], |row| row.get(0))
            .unwrap();
        let mut line: SessionSummary = serde_json::from_str(&line).unwrap();
        line.updated_at = Time("2020-01-01T00:00:00Z".parse().unwrap());
        let line = serde_json::to_string(&line).unwrap();
        db.execute("UPDATE sessions SET summary = ?2 WHERE id = ?1", [id.to_string(), line]).unwrap();
    }
    drop(db);
    let (journal, _) = Journal::open(home.path()).unwrap();
    let storage = journal.storage(HashSet::new(), &keep(Some(30), None)).await.unwrap();
    assert_eq!(storage.due, [old], "not {unfinished}, which is a draft, nor {new}");
    assert!(storage.sessions.iter().any(|it| it.session.id == unfinished && it.is_open));
}

#[tokio::test]
async fn the_trash_is_emptied_of_what_was_deleted_and_of_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    journal.empty_trash(None).await.unwrap();
    let ids = sized(&journal, &[1, 1]).await;
    for id in &ids {
        journal.delete(*id).await.unwrap();
    }
    let trash = home.path().join("trash");
    fs::create_dir(trash.join(format!("{}.checkpoints", ids[0]))).unwrap();
    for foreign in ["notes.txt", "notes.jsonl"] {
        fs::write(trash.join(foreign), "mine").unwrap();
    }
    let names = || {
        let entries =
            fs::read_dir(&trash).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    };
    assert_eq!(names().len(), 7);
    journal.empty_trash(Some(ids[0])).await.unwrap();
    assert_eq!(names().len(), 4);
    journal.empty_trash(None).await.unwrap();
    assert_eq!(names(), ["notes.jsonl", "notes.txt"]);
}

#[tokio::test]
async fn sessions_are_found_by_what_is_in_them() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let fruit = plan(vec![step("a", "echo \"Äpfel\" > 100%_fruit")]);
    let first = session(&journal, "One", vec![Event::PlanGenerated { plan: fruit }]).await;
    let second = session(&journal, "Two", vec![]).await;
    let found = async |wanted: &str| {
        journal.sessions(wanted).await.unwrap().iter().map(|it| it.id).collect::<Vec<_>>()
    };
    for wanted in ["äpfel", "ECHO", "100%_fruit", "\"Äpfel\"", " one "] {
        assert_eq!(found(wanted).await, [first], "{wanted}");
    }
    assert_eq!(found("/work").await, [second, first]);
    for nothing in ["plan-generated", "100_", "session-created", &first.to_string()] {
        assert_eq!(found(nothing).await, [], "{nothing}");
    }
}
