//! What it costs to keep a thousand events a second, as a share of one core: each by itself as it comes, and in batches as
//! a busy run writes them.

use std::time::Duration;

use planwright_engine::journal::{Durability, Journal};
use planwright_engine::protocol::{Event, SessionId};
use rustix::time::{ClockId, clock_gettime};
use tokio::time::{MissedTickBehavior, interval};

use crate::Failure;
use crate::measure::{load, verdict};

const A_SECOND: usize = 1_000;
const SECONDS: usize = 4;
const ROUNDS: usize = 5;

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn measure() -> Result<(), Failure> {
    println!("load of this machine: {}", load());
    println!("{ROUNDS} times {SECONDS} s of {A_SECOND} events a second, in the median:");
    for at_once in [1, 10] {
        let folder = tempfile::tempdir()?;
        let (journal, _) = Journal::open(folder.path())?;
        let session = SessionId::new();
        let created = Event::SessionCreated { title: "bench".into(), cwd: "/".into() };
        journal.append(session, vec![created], Durability::Normal).await?;
        let mut shares = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            // To wake up so often costs something by itself.
            let waking = cpu_of(at_once, async |_| Ok(())).await?;
            let keeping = cpu_of(at_once, async |number| {
                let event = |nth| Event::SessionRenamed { title: format!("bench {number} {nth}") };
                journal.append(session, (0..at_once).map(event).collect(), Durability::Normal).await?;
                Ok(())
            })
            .await?;
            shares.push((keeping - waking) * 100.0 / SECONDS as f64);
        }
        shares.sort_by(f64::total_cmp);
        verdict(&format!("{at_once} at once, share of a core"), shares[ROUNDS / 2], 5.0, "%");
    }
    println!("load of this machine at the end: {}", load());
    Ok(())
}

/// Seconds that all threads of this process work, while `keep` is called for as many events.
async fn cpu_of(at_once: usize, keep: impl AsyncFn(usize) -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut due = interval(Duration::from_secs(1) * u32::try_from(at_once)? / u32::try_from(A_SECOND)?);
    due.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let before = cpu();
    for number in 0..A_SECOND * SECONDS / at_once {
        due.tick().await;
        keep(number).await?;
    }
    Ok(cpu() - before)
}

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
