//! What it costs to keep a thousand events a second, as a share of one core: each by itself as it comes, from one session
//! and from many, and in batches. Beside it what SQLite alone takes for as many rows. From many sessions it is about half as
//! much again, since a row in the middle of the table is two pages.

use std::time::Duration;

use futures_util::future::try_join_all;
use planwright_engine::journal::{Durability, Journal};
use planwright_engine::protocol::{Event, SessionId};
use rusqlite::{Connection, params};
use rustix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::Failure;
use crate::measure::{load, verdict};

const A_SECOND: usize = 1_000;
const SECONDS: usize = 4;
const ROUNDS: usize = 5;

/// How the events come: from so many sessions, so many of them at once.
#[derive(Clone, Copy)]
struct Way {
    sessions: usize,
    at_once: usize,
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn measure() -> Result<(), Failure> {
    println!("load of this machine: {}", load());
    println!(
        "{ROUNDS} times {SECONDS} s of {A_SECOND} events a second, in the median, as a share of a core:"
    );
    let one = Way { sessions: 1, at_once: 1 };
    let bare = bare(one).await?;
    println!("{:<52}{bare:>9.3} %", "bare INSERTs by SQLite, without a thread");
    let alone = journal(one).await?;
    let among = journal(Way { sessions: 20, at_once: 1 }).await?;
    let batches = journal(Way { sessions: 1, at_once: 10 }).await?;
    verdict("one session, each event as it comes", alone, 5.0, "%");
    verdict("20 sessions, each event as it comes", among, 5.0, "%");
    verdict("one session, ten events at once", batches, 5.0, "%");
    println!("{:<52}{:>9.2} x", "one session over the bare INSERTs", alone / bare);
    println!("{:<52}{:>9.2} x", "20 sessions over the bare INSERTs", among / bare);
    println!("load of this machine at the end: {}", load());
    Ok(())
}

/// The same rows as the journal writes, with the same settings.
async fn bare(way: Way) -> Result<f64, Failure> {
    let folder = tempfile::tempdir()?;
    let db = Connection::open(folder.path().join("bare.sqlite3"))?;
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.execute_batch(
        "CREATE TABLE events (place INTEGER PRIMARY KEY, session TEXT, seq INTEGER, at TEXT, event TEXT, sum INTEGER)",
    )?;
    let mut rounds = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let place = round * A_SECOND * SECONDS;
        let keep = async |_, number: usize| {
            let (place, seq) = (i64::try_from(place + number)?, i64::try_from(number)?);
            let event = format!(r#"{{"type":"sessionRenamed","title":"bench {number} 0"}}"#);
            let (session, at) = ("0190a0b0-1234-7890-abcd-0123456789ab", "2026-01-01T00:00:00.000000Z");
            db.prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                .execute(params![place, session, seq, at, event, seq])?;
            Ok(())
        };
        rounds.push(share(way, keep).await?);
    }
    Ok(median(rounds))
}

async fn journal(way: Way) -> Result<f64, Failure> {
    let folder = tempfile::tempdir()?;
    let (journal, _) = Journal::open(folder.path())?;
    let sessions: Vec<SessionId> = (0..way.sessions).map(|_| SessionId::new()).collect();
    for session in &sessions {
        let created = Event::SessionCreated { title: "bench".into(), cwd: "/".into() };
        journal.append(*session, vec![created], Durability::Normal).await?;
    }
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let keep = async |session: usize, number| {
            let event = |nth| Event::SessionRenamed { title: format!("bench {number} {nth}") };
            journal
                .append(sessions[session], (0..way.at_once).map(event).collect(), Durability::Normal)
                .await?;
            Ok(())
        };
        rounds.push(share(way, keep).await?);
    }
    Ok(median(rounds))
}

fn median(mut shares: Vec<f64>) -> f64 {
    shares.sort_by(f64::total_cmp);
    shares[shares.len() / 2]
}

/// In percent of a core. To wake up so often costs something by itself, which is not counted.
async fn share(way: Way, keep: impl AsyncFn(usize, usize) -> Result<(), Failure>) -> Result<f64, Failure> {
    let waking = cpu_of(way, async |_, _| Ok(())).await?;
    Ok((cpu_of(way, keep).await? - waking) * 100.0 / SECONDS as f64)
}

/// Seconds that all threads of this process work while `keep` is called, with a session and a number, for as many events;
/// each session waits for one before its next.
async fn cpu_of(way: Way, keep: impl AsyncFn(usize, usize) -> Result<(), Failure>) -> Result<f64, Failure> {
    let Way { sessions, at_once } = way;
    let apart = Duration::from_secs(1) * u32::try_from(at_once)? / u32::try_from(A_SECOND)?;
    let (before, begun) = (cpu(), Instant::now());
    let keep = &keep;
    try_join_all((0..sessions).map(|session| async move {
        let mut due = interval_at(begun + apart * u32::try_from(session)?, apart * u32::try_from(sessions)?);
        due.set_missed_tick_behavior(MissedTickBehavior::Burst);
        for number in 0..A_SECOND * SECONDS / at_once / sessions {
            due.tick().await;
            keep(session, number).await?;
        }
        Ok::<_, Failure>(())
    }))
    .await?;
    Ok(cpu() - before)
}

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
