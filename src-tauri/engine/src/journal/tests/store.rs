use super::*;

fn open(home: &Path) -> Journal {
    let (journal, damage) = Journal::open(home).unwrap();
    assert_eq!(damage, []);
    journal
}

#[tokio::test]
async fn what_is_appended_is_there_after_reopening_and_counts_without_gaps() {
    let home = tempfile::tempdir().unwrap();
    let session = SessionId::new();
    let plan = plan(vec![step("a", "true")]);
    let journal = open(home.path());
    let mut events = began(&plan, Mode::Planner);
    events.extend([started("a", 0), completed("a", 0, Some("/work/x"))]);
    let mut live = begin(session, "", "", Time::now());
    for (at, event) in events.into_iter().enumerate() {
        let durability = if at % 2 == 0 { Durability::Normal } else { Durability::Synced };
        let records = journal.append(session, vec![event], durability).await.unwrap();
        assert_eq!(records[0].seq as usize, at + 1);
        apply(&mut live, &records[0]).unwrap();
    }
    assert_eq!(journal.load(session).await.unwrap(), Reading::whole(live.clone()));
    drop(journal);

    let journal = open(home.path());
    assert_eq!(journal.load(session).await.unwrap(), Reading::whole(live));
    let records =
        journal.append(session, vec![Event::SessionRenamed { title: "Größer".into() }], Durability::Normal);
    assert_eq!(records.await.unwrap()[0].seq, 7);
    let list = journal.sessions("GRÖSS").await.unwrap();
    assert_eq!(list, []);
    let list = journal.sessions("größ").await.unwrap();
    assert_eq!((list.len(), list[0].title.as_str(), list[0].steps_done), (1, "Größer", 1));
    assert_eq!(journal.events(session, 5).await.unwrap().value.len(), 2);
    assert_eq!(journal.export(session).await.unwrap().lines().count(), 7);
}

#[tokio::test]
async fn a_session_begins_with_its_creation() {
    let home = tempfile::tempdir().unwrap();
    let journal = open(home.path());
    let event = Event::SessionRenamed { title: "x".into() };
    let error = journal.append(SessionId::new(), vec![event], Durability::Normal).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NoSuchSession);
    assert_eq!(journal.load(SessionId::new()).await.unwrap_err().code, ErrorCode::NoSuchSession);
    assert_eq!(journal.sessions("").await.unwrap(), []);
}

#[tokio::test]
async fn a_deleted_session_is_kept_in_the_trash() {
    let home = tempfile::tempdir().unwrap();
    let journal = open(home.path());
    let (gone, stays) = (SessionId::new(), SessionId::new());
    for session in [gone, stays] {
        journal.append(session, vec![session_created()], Durability::Normal).await.unwrap();
    }
    let output = journal.output_path(gone, &"a".into(), 0);
    fs::create_dir_all(output.parent().unwrap()).unwrap();
    fs::write(&output, "said").unwrap();
    assert_eq!(journal.read_output(gone, &"a".into(), 0).await.unwrap(), "said");
    let exported = journal.export(gone).await.unwrap();
    let kept = journal.delete(gone).await.unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), exported);
    assert!(kept.with_extension("output").join("a.0.log").exists() && !output.exists());
    assert_eq!(journal.load(gone).await.unwrap_err().code, ErrorCode::NoSuchSession);
    assert_eq!(journal.sessions("").await.unwrap().len(), 1);
    assert_eq!(journal.delete(gone).await.unwrap_err().code, ErrorCode::NoSuchSession);
}

#[tokio::test]
async fn settings_and_grants_are_kept_and_unreadable_ones_are_told() {
    let home = tempfile::tempdir().unwrap();
    let journal = open(home.path());
    assert_eq!(journal.settings().await.unwrap(), Reading::whole(Settings::default()));
    let settings = Settings { wall_seconds: 5, theme: Theme::Dark, ..Settings::default() };
    journal.put_settings(settings.clone()).await.unwrap();
    let grant = Grant {
        id: GrantId::new(),
        allow: true,
        rule: GrantRule::Exact { command: "ls".into() },
        lifetime: GrantLifetime::Always,
        bound_to: String::new(),
        created_at: Time::now(),
        last_used_at: None,
        uses: 0,
        expires_at: None,
    };
    let other = Grant { id: GrantId::new(), allow: false, ..grant.clone() };
    journal.put_grant(grant.clone()).await.unwrap();
    journal.put_grant(other.clone()).await.unwrap();
    let used = Grant { last_used_at: Some(Time::now()), uses: 1, ..grant.clone() };
    journal.put_grant(used.clone()).await.unwrap();
    drop(journal);

    let journal = open(home.path());
    assert_eq!(journal.settings().await.unwrap(), Reading::whole(settings));
    assert_eq!(journal.grants().await.unwrap(), Reading::whole(vec![used, other.clone()]));
    assert!(journal.revoke_grant(grant.id).await.unwrap());
    assert!(!journal.revoke_grant(grant.id).await.unwrap());
    drop(journal);

    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    db.execute_batch(
        "UPDATE settings SET value = '{\"wallSeconds\": \"long\"}'; UPDATE grants SET value = '{'",
    )
    .unwrap();
    drop(db);
    let journal = open(home.path());
    let read = journal.settings().await.unwrap();
    assert_eq!(read.value, Settings::default());
    assert!(read.damage.unwrap().message.contains("defaults"));
    let read = journal.grants().await.unwrap();
    assert!(read.value.is_empty() && read.damage.is_some());
}

#[tokio::test]
async fn one_program_writes_and_others_look() {
    let home = tempfile::tempdir().unwrap();
    let journal = open(home.path());
    let session = SessionId::new();
    journal.append(session, vec![session_created()], Durability::Normal).await.unwrap();
    let error = Journal::open(home.path()).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotNow);
    assert!(error.message.contains("already running"), "{error}");

    let looking = Journal::open_read_only(home.path()).unwrap();
    assert_eq!(looking.load(session).await.unwrap().value.seq, 1);
    journal
        .append(session, vec![Event::SessionRenamed { title: "b".into() }], Durability::Normal)
        .await
        .unwrap();
    assert_eq!(looking.sessions("").await.unwrap()[0].title, "b");
    let error = looking.append(session, vec![session_created()], Durability::Normal).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotNow);
    drop(journal);
    drop(looking);
    // With nobody writing, and after the log is gone.
    let looking = Journal::open_read_only(home.path()).unwrap();
    assert_eq!(looking.load(session).await.unwrap().value.seq, 2);
    drop(open(home.path()));
    let nothing = Journal::open_read_only(&home.path().join("none")).unwrap();
    assert_eq!(nothing.sessions("").await.unwrap(), []);
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    let home = home.path().join("new/planwright");
    let journal = open(&home);
    journal.append(SessionId::new(), vec![session_created()], Durability::Normal).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home), 0o700);
    for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.lock"] {
        assert_eq!(mode(&home.join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn what_ran_when_the_program_ended_is_interrupted_at_the_next_start() {
    let home = tempfile::tempdir().unwrap();
    let journal = open(home.path());
    let plan = plan(vec![step("a", "true"), step("b", "true")]);
    let (running, asking, draft) = (SessionId::new(), SessionId::new(), SessionId::new());
    for (session, last) in
        [(running, started("a", 0)), (asking, Event::ApprovalNeeded { approval: approval("a") })]
    {
        let mut events = began(&plan, Mode::Planner);
        events.push(last);
        journal.append(session, events, Durability::Normal).await.unwrap();
    }
    let events = vec![session_created(), Event::PlanGenerated { plan }];
    journal.append(draft, events, Durability::Normal).await.unwrap();
    drop(journal);

    let journal = open(home.path());
    assert_eq!(journal.interrupt_running().await.unwrap(), [running]);
    let state = journal.load(running).await.unwrap().value;
    assert_eq!(step_state(&state, "a"), &StepState::Interrupted { attempt: 0 });
    assert_eq!(plan_state(&state), &PlanState::Paused { reason: PauseReason::Interrupted });
    assert_eq!(journal.load(asking).await.unwrap().value.approvals.len(), 1);
    assert_eq!(journal.interrupt_running().await.unwrap(), []);
    let waiting: Vec<_> =
        journal.sessions("").await.unwrap().into_iter().map(|it| (it.id, it.status)).collect();
    assert!(waiting.contains(&(running, SessionStatus::WaitingForYou)));
    assert!(waiting.contains(&(asking, SessionStatus::WaitingForYou)));
    assert!(waiting.contains(&(draft, SessionStatus::Draft)));
}
