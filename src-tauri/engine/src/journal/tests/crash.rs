//! The program is killed at random moments; what it had acknowledged is there.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;

const HOME: &str = "PLANWRIGHT_TEST_CRASH_HOME";
const SESSION: &str = "PLANWRIGHT_TEST_CRASH_SESSION";

/// Not a test of its own: what the killed program does. Prints each number after its append returned.
#[tokio::test]
async fn child() {
    let (Some(home), Ok(session)) = (std::env::var_os(HOME), std::env::var(SESSION)) else { return };
    let session: SessionId = session.parse().unwrap();
    let (journal, damage) = Journal::open(Path::new(&home)).unwrap();
    assert_eq!(damage, []);
    if journal.sessions("").await.unwrap().is_empty() {
        journal.append(session, vec![session_created()], Durability::Normal).await.unwrap();
    }
    for round in 0_u32.. {
        let durability = if round.is_multiple_of(7) { Durability::Synced } else { Durability::Normal };
        let note = Event::SessionRenamed { title: format!("{round} {}", "x".repeat(round as usize % 3000)) };
        let notes = vec![note; 1 + round as usize % 2];
        let records = journal.append(session, notes, durability).await.unwrap();
        println!("acknowledged {}", records.last().unwrap().seq);
        std::io::stdout().flush().unwrap();
    }
}

#[tokio::test]
async fn killed_at_any_moment_nothing_acknowledged_is_lost() {
    let home = tempfile::tempdir().unwrap();
    let session = SessionId::new();
    let mut seen_before = 0;
    for round in 0..50_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "journal::tests::crash::child", "--nocapture", "--test-threads=1"])
            .env(HOME, home.path())
            .env(SESSION, session.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            lines.filter_map(|line| line.rsplit_once("acknowledged ")?.1.parse::<u32>().ok()).last()
        });
        // From before it opens the folder to well into its work, without a pattern.
        let nanos =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos();
        std::thread::sleep(Duration::from_micros(u64::from(nanos) % 60_000 + round * 100));
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = reader.join().unwrap().unwrap_or(seen_before);

        let (journal, damage) = Journal::open(home.path()).unwrap();
        assert_eq!(damage, []);
        if journal.sessions("").await.unwrap().is_empty() {
            assert_eq!(acknowledged, 0);
            continue;
        }
        let records = journal.events(session, 0).await.unwrap();
        assert_eq!(records.damage, None);
        let numbers: Vec<u32> = records.value.iter().map(|record| record.seq).collect();
        assert_eq!(numbers, (1..=numbers.len() as u32).collect::<Vec<_>>());
        let last = numbers.len() as u32;
        assert!(last >= acknowledged && acknowledged >= seen_before, "{seen_before} {acknowledged} {last}");
        seen_before = last;
    }
    println!("{seen_before} events over 50 kills");
    assert!(seen_before > 50, "the child hardly wrote: {seen_before}");
}
