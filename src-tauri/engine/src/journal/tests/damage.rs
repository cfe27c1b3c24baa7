//! Damaged files, folders that cannot be written, full disks.

use std::os::unix::fs::FileExt as _;

use super::*;

/// Three sessions of several pages each, as one file without a log.
async fn filled(home: &Path) -> Vec<SessionId> {
    let (journal, _) = Journal::open(home).unwrap();
    let sessions: Vec<SessionId> = (0..3).map(|_| SessionId::new()).collect();
    for &session in &sessions {
        journal.append(session, vec![session_created()], Durability::Normal).await.unwrap();
        for n in 0..40 {
            let title = format!("{n} {}", "y".repeat(1500));
            journal.append(session, vec![Event::SessionRenamed { title }], Durability::Normal).await.unwrap();
        }
    }
    drop(journal);
    assert!(!home.join("journal.sqlite3-wal").exists());
    sessions
}

fn database(home: &Path) -> fs::File {
    fs::OpenOptions::new().write(true).open(home.join("journal.sqlite3")).unwrap()
}

fn one_damage(home: &Path) -> (Journal, Damage) {
    let (journal, mut damage) = Journal::open(home).unwrap();
    assert_eq!(damage.len(), 1);
    (journal, damage.remove(0))
}

#[tokio::test]
async fn bytes_overwritten_in_the_middle_cost_only_what_they_hit() {
    let home = tempfile::tempdir().unwrap();
    let sessions = filled(home.path()).await;
    let length = home.path().join("journal.sqlite3").metadata().unwrap().len();
    let middle = length / 2 / 4096 * 4096;
    database(home.path()).write_all_at(&[0xff; 8192], middle).unwrap();
    let before = fs::read(home.path().join("journal.sqlite3")).unwrap();

    let (journal, damage) = one_damage(home.path());
    let kept = damage.kept_at.unwrap();
    assert_eq!(fs::read(kept.join("journal.sqlite3")).unwrap(), before, "kept as it was");
    assert!(damage.message.contains(kept.to_str().unwrap()), "{}", damage.message);
    let list = journal.sessions("").await.unwrap();
    assert_eq!(list.len(), 3);
    let mut events = 0;
    for &session in &sessions {
        let whole = list.iter().find(|it| it.id == session).unwrap().damage.is_none();
        let lines = journal.export(session).await.unwrap().lines().count();
        assert_eq!(whole, lines == 41, "{lines}");
        events += lines;
        let more = journal.append(session, vec![session_created()], Durability::Normal).await;
        match more {
            Ok(records) => assert!(whole && records[0].seq == 42),
            Err(error) => assert!(!whole && error.code == ErrorCode::JournalDamaged, "{error}"),
        }
    }
    assert!((100..123).contains(&events), "{events} of 123 read back: {}", damage.message);
    drop(journal);
    let (_, damage) = Journal::open(home.path()).unwrap();
    assert_eq!(damage, [], "told once");
}

#[tokio::test]
async fn a_truncated_file_is_read_back_as_far_as_it_goes() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path()).await;
    let length = home.path().join("journal.sqlite3").metadata().unwrap().len();
    database(home.path()).set_len(length * 4 / 5).unwrap();
    let (journal, damage) = one_damage(home.path());
    let list = journal.sessions("").await.unwrap();
    assert_eq!(list.len(), 3, "{}", damage.message);
    assert!(list.iter().any(|it| it.status == SessionStatus::Damaged));
    let mut events = 0;
    for session in list {
        events += journal.export(session.id).await.unwrap().lines().count();
    }
    assert!(events > 60, "{events}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_set_aside() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("journal.sqlite3"), "Dear diary, ".repeat(500)).unwrap();
    let error = Journal::open_read_only(home.path()).unwrap_err();
    assert_eq!(error.code, ErrorCode::JournalDamaged);
    let (journal, damage) = one_damage(home.path());
    assert!(damage.message.contains("No session could be read back"), "{}", damage.message);
    journal.append(SessionId::new(), vec![session_created()], Durability::Synced).await.unwrap();
    assert_eq!(journal.sessions("").await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_emptied_database_keeps_its_log() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("journal.sqlite3"), "").unwrap();
    fs::write(home.path().join("journal.sqlite3-wal"), "pages").unwrap();
    let (_, damage) = one_damage(home.path());
    assert_eq!(fs::read(damage.kept_at.unwrap().join("journal.sqlite3-wal")).unwrap(), b"pages");
}

#[tokio::test]
async fn a_row_that_does_not_parse_ends_the_state_there_and_marks_the_session() {
    let home = tempfile::tempdir().unwrap();
    let sessions = filled(home.path()).await;
    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    db.execute(
        "UPDATE events SET event = '{\"type\":\"' WHERE session = ?1 AND seq = 5",
        [sessions[0].to_string()],
    )
    .unwrap();
    db.execute("DELETE FROM events WHERE session = ?1 AND seq = 7", [sessions[1].to_string()]).unwrap();
    drop(db);
    let (journal, damage) = Journal::open(home.path()).unwrap();
    assert_eq!(damage, []);
    for (session, last) in [(sessions[0], 4), (sessions[1], 6)] {
        let read = journal.load(session).await.unwrap();
        assert_eq!(read.value.seq, last);
        assert!(read.damage.unwrap().message.contains(&format!("event {}", last + 1)));
        assert_eq!(journal.events(session, 0).await.unwrap().value.len() as u32, last);
    }
    let list = journal.sessions("").await.unwrap();
    assert_eq!(list.iter().filter(|it| it.status == SessionStatus::Damaged).count(), 2);
    let lines = journal.export(sessions[0]).await.unwrap();
    assert!(lines.lines().nth(4).unwrap().contains("unreadable") && lines.lines().count() == 41);
}

#[tokio::test]
async fn lost_last_events_and_a_lost_line_in_the_list_are_noticed() {
    let home = tempfile::tempdir().unwrap();
    let sessions = filled(home.path()).await;
    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    db.execute("DELETE FROM events WHERE session = ?1 AND seq > 30", [sessions[0].to_string()]).unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    assert!(journal.load(sessions[0]).await.unwrap().damage.unwrap().message.contains("event 31"));
    assert!(journal.events(sessions[0], 3).await.unwrap().damage.is_some());
    assert_eq!(journal.load(sessions[1]).await.unwrap().damage, None);
    drop(journal);
    db.execute("DELETE FROM sessions WHERE id = ?1", [sessions[1].to_string()]).unwrap();
    db.execute_batch("DROP TABLE grants").unwrap();
    drop(db);
    let (journal, damage) = one_damage(home.path());
    assert!(
        damage.message.contains("1 session could be read back whole and 2 sessions in part"),
        "{}",
        damage.message
    );
    let list = journal.sessions("").await.unwrap();
    let damaged: Vec<_> = list.iter().filter(|it| it.damage.is_some()).map(|it| it.id).collect();
    assert!(list.len() == 3 && damaged.contains(&sessions[0]) && damaged.contains(&sessions[1]));
    assert_eq!(journal.export(sessions[1]).await.unwrap().lines().count(), 41);
}

#[tokio::test]
async fn two_rows_that_say_they_are_the_same_event_do_not_hinder_the_rescue() {
    let home = tempfile::tempdir().unwrap();
    let sessions = filled(home.path()).await;
    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    db.execute("UPDATE events SET seq = 6 WHERE session = ?1 AND seq = 5", [sessions[0].to_string()])
        .unwrap();
    db.execute_batch("DROP TABLE grants").unwrap();
    drop(db);
    let (journal, damage) = one_damage(home.path());
    assert!(
        damage.message.contains("2 sessions could be read back whole and 1 session in part"),
        "{}",
        damage.message
    );
    assert_eq!(journal.export(sessions[0]).await.unwrap().lines().count(), 40);
}

#[tokio::test]
async fn a_rescue_that_was_cut_off_is_finished_or_done_again() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path()).await;
    let (path, rescued) = (home.path().join("journal.sqlite3"), home.path().join("journal.rescued.sqlite3"));
    fs::rename(&path, &rescued).unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    assert_eq!(journal.sessions("").await.unwrap().len(), 3);
    drop(journal);
    fs::write(&rescued, "half made").unwrap();
    let (journal, damage) = Journal::open(home.path()).unwrap();
    assert_eq!((journal.sessions("").await.unwrap().len(), damage.len()), (3, 0));
    assert!(!rescued.exists());
}

#[test]
fn a_folder_that_cannot_be_written_says_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("file"), "").unwrap();
    for path in [home.path().join("file/planwright"), "/proc/planwright".into()] {
        let error = Journal::open(&path).unwrap_err();
        assert_eq!(error.code, ErrorCode::DataFolderReadOnly, "{error}");
        assert!(error.message.contains("PLANWRIGHT_HOME"), "{error}");
    }
}

/// A file system of a given size and mode, taken away again at the end. `None` where mounting is not allowed.
struct Mounted(PathBuf);

impl Mounted {
    fn tmpfs(at: &Path, options: &str) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mounted = Self::run(&["mount", "-t", "tmpfs", "-o", options, "tmpfs"], at);
        if !mounted {
            eprintln!("skipped: a file system cannot be mounted here");
        }
        mounted.then(|| Self(at.to_owned()))
    }

    fn run(words: &[&str], at: &Path) -> bool {
        std::process::Command::new(words[0])
            .args(&words[1..])
            .arg(at)
            .stderr(std::process::Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        Self::run(&["umount"], &self.0);
    }
}

/// A journal with one session, on a small disk. Taken apart in this order, the journal is closed before the disk goes.
struct Small {
    _folder: tempfile::TempDir,
    _mounted: Mounted,
    home: PathBuf,
    session: SessionId,
    journal: Journal,
}

impl Small {
    /// `None` where nothing can be mounted.
    async fn of(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("small");
        let mounted = Mounted::tmpfs(&home, size)?;
        let (journal, _) = Journal::open(&home).unwrap();
        let session = SessionId::new();
        journal.append(session, vec![session_created()], Durability::Synced).await.unwrap();
        Some(Self { _folder: folder, _mounted: mounted, home, session, journal })
    }
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_passes() {
    let Some(Small { _folder, _mounted, home, session, journal }) = Small::of("size=2m").await else {
        return;
    };
    fs::write(home.join("ballast"), vec![0; 1_000_000]).unwrap();
    let mut last = 1;
    let error = loop {
        let event = Event::SessionRenamed { title: "z".repeat(20_000) };
        match journal.append(session, vec![event.clone(), event], Durability::Normal).await {
            Ok(records) => last = records[1].seq,
            Err(error) => break error,
        }
        assert!(last < 1000, "the disk never filled");
    };
    assert_eq!(error.code, ErrorCode::DiskFull, "{error}");
    assert_eq!(journal.load(session).await.unwrap().value.seq, last);
    fs::remove_file(home.join("ballast")).unwrap();
    let event = Event::SessionRenamed { title: "room again".into() };
    let records = journal.append(session, vec![event], Durability::Synced).await.unwrap();
    assert_eq!(records[0].seq, last + 1);
    drop(journal);
    let (journal, damage) = Journal::open(&home).unwrap();
    assert_eq!(damage, []);
    assert_eq!(journal.load(session).await.unwrap().value.title, "room again");
}

#[tokio::test]
async fn a_read_only_disk_can_still_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("fixed");
    let Some(_mounted) = Mounted::tmpfs(&home, "size=8m") else { return };
    let sessions = filled(&home).await;
    assert!(Mounted::run(&["mount", "-o", "remount,ro"], &home));
    let error = Journal::open(&home).unwrap_err();
    assert_eq!(error.code, ErrorCode::DataFolderReadOnly, "{error}");
    let looking = Journal::open_read_only(&home).unwrap();
    assert_eq!(looking.load(sessions[2]).await.unwrap().value.seq, 41);
}

/// Limits the database to its present pages, or lets it grow again: a full disk that needs no mounting.
async fn limit(journal: &Journal, is_full: bool) {
    let work = move |store: &mut crate::journal::store::Store| {
        let pages: i64 = if is_full { 1 } else { 1_000_000 };
        // No more than 1 means no more than there are.
        store.db.pragma_update(None, "max_page_count", pages).unwrap();
        Ok(())
    };
    journal.writer.as_ref().unwrap().run(work).await.unwrap();
}

#[tokio::test]
async fn what_does_not_fit_comes_back_and_is_written_later() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(home.path()).unwrap();
    let session = SessionId::new();
    journal.append(session, vec![session_created()], Durability::Normal).await.unwrap();
    assert!(!journal.is_short_of_room() && home.path().join("journal.reserve").exists());
    limit(&journal, true).await;
    let events = vec![Event::SessionRenamed { title: "z".repeat(100_000) }];
    let refused = journal.try_append(session, events.clone(), Durability::Normal).await.unwrap().unwrap_err();
    assert_eq!((refused.error.code, &refused.events), (ErrorCode::DiskFull, &events));
    assert!(
        journal.is_short_of_room() && !home.path().join("journal.reserve").exists(),
        "the reserve was tried"
    );
    limit(&journal, false).await;
    let records = journal.append(session, refused.events, Durability::Normal).await.unwrap();
    assert_eq!(records[0].seq, 2);
    assert!(journal.has_room_again().await && !journal.is_short_of_room());
    assert_eq!(journal.load(session).await.unwrap().value.title.len(), 100_000);
}

/// Leaves nothing of a small disk.
fn filled_up(home: &Path) -> fs::File {
    let mut ballast = fs::OpenOptions::new().append(true).create(true).open(home.join("ballast")).unwrap();
    let mut pieces = 0;
    while ballast.write_all(&[0; 4096]).is_ok() {
        pieces += 1;
        assert!(pieces < 10_000, "this is not the small disk");
    }
    ballast
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_takes_the_room_of_the_reserve_as_well_does_not_take_that_of_the_log() {
    let Some(Small { _folder, _mounted, home, session, journal }) = Small::of("size=12m").await else {
        return;
    };
    fs::remove_file(home.join("journal.reserve")).unwrap();
    drop(filled_up(&home));
    for word in ["w", "x", "y"] {
        let words = vec![Event::SessionRenamed { title: word.repeat(200_000) }];
        journal.append(session, words, Durability::Synced).await.unwrap();
        assert!(journal.is_short_of_room());
    }
    assert!(!journal.has_room_again().await);
    fs::remove_file(home.join("ballast")).unwrap();
    assert!(journal.has_room_again().await);
    assert_eq!(journal.load(session).await.unwrap().value.title, "y".repeat(200_000));
}

#[tokio::test]
async fn the_reserve_takes_the_last_words() {
    let Some(Small { _folder, _mounted, home, session, journal }) = Small::of("size=12m").await else {
        return;
    };
    let ballast = filled_up(&home);
    let words = vec![Event::SessionRenamed { title: "w".repeat(1_300_000) }];
    assert_eq!(journal.append(session, words, Durability::Synced).await.unwrap()[0].seq, 2);
    assert!(journal.is_short_of_room() && !journal.has_room_again().await);
    drop(ballast);
    fs::remove_file(home.join("ballast")).unwrap();
    assert!(journal.has_room_again().await);
}

#[tokio::test]
async fn a_row_that_was_changed_and_still_reads_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    let sessions = filled(home.path()).await;
    let db = rusqlite::Connection::open(home.path().join("journal.sqlite3")).unwrap();
    let change = "UPDATE events SET event = replace(event, 'y', 'x') WHERE session = ?1 AND seq = 9";
    assert_eq!(db.execute(change, [sessions[0].to_string()]).unwrap(), 1);
    db.execute("UPDATE events SET sum = 'odd' WHERE session = ?1 AND seq = 9", [sessions[1].to_string()])
        .unwrap();
    drop(db);
    let (journal, _) = Journal::open(home.path()).unwrap();
    for session in &sessions[..2] {
        let read = journal.load(*session).await.unwrap();
        assert_eq!(read.value.seq, 8);
        assert!(read.damage.unwrap().message.contains("event 9"));
    }
    assert_eq!(journal.load(sessions[2]).await.unwrap().damage, None);
}

/// Small steps of a generator: the same seeds every time, so that a failure can be looked at.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[tokio::test]
async fn random_damage_never_shows_what_was_not_written() {
    let home = tempfile::tempdir().unwrap();
    let sessions = filled(home.path()).await;
    let path = home.path().join("journal.sqlite3");
    let sound = fs::read(&path).unwrap();
    let mut written = Vec::new();
    {
        let (journal, _) = Journal::open(home.path()).unwrap();
        for session in &sessions {
            written.push(journal.events(*session, 0).await.unwrap().value);
        }
    }
    let (mut set_aside, mut marked, mut events) = (0, 0, 0);
    for seed in 0..60 {
        let (home, mut dice) = (tempfile::tempdir().unwrap(), Dice(seed));
        let path = home.path().join("journal.sqlite3");
        let mut bytes = sound.clone();
        for _ in 0..1 + dice.roll(3) {
            let at = dice.roll(bytes.len() as u64) as usize;
            let length = 1 + dice.roll(if seed % 2 == 0 { 8 } else { 6000 }) as usize;
            let end = (at + length).min(bytes.len());
            bytes[at..end].iter_mut().for_each(|byte| *byte = dice.roll(256) as u8);
        }
        fs::write(&path, &bytes).unwrap();
        let (journal, damage) = Journal::open(home.path()).unwrap_or_else(|error| panic!("{seed}: {error}"));
        set_aside += damage.len();
        for kept in damage.iter().filter_map(|damage| damage.kept_at.as_ref()) {
            assert_eq!(fs::read(kept.join("journal.sqlite3")).unwrap(), bytes, "{seed}: kept as it was");
        }
        for (session, written) in sessions.iter().zip(&written) {
            // A session of which nothing reads any more is not in the list.
            let Ok(read) = journal.events(*session, 0).await else {
                assert!(!damage.is_empty(), "{seed}: gone without a word");
                continue;
            };
            assert!(written.starts_with(&read.value), "{seed}: not what was written");
            let is_whole = read.value.len() == written.len();
            assert!(is_whole || read.damage.is_some(), "{seed}: less without a word");
            marked += usize::from(read.damage.is_some());
            events += read.value.len();
        }
    }
    println!(
        "{set_aside} of 60 set aside, {marked} of 180 sessions in part, {events} of {} events",
        60 * 123
    );
    assert!(set_aside > 10 && marked > 10 && events > 3000, "{set_aside} {marked} {events}");
}
