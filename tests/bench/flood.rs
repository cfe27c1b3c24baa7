//! What floods of output do to the engine: how much it grows, how fast it takes them, and that nothing of what must be
//! kept is lost (SPEC section 12: 1 GB grows it by at most 32 MB). Also how long the whole of an output takes to read and
//! to search, what hiding secrets costs, and how often lines of two streams change places.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use planwright_engine::engine::{Attendance, Engine, EngineConfig, ImportSource, Updates};
use planwright_engine::model::{MemoryKeys, Models};
use planwright_engine::protocol::{
    ApprovalAnswer, Command, Event, Mode, OutputQuery, SessionId, Settings, StepId, StepResult, Update,
};
use planwright_engine::redact::Redactor;

use crate::Failure;
use crate::measure::{load, verdict};

/// SPEC section 12, in MiB.
const GROWTH: f64 = 32.0;
const MB: f64 = 1e6;

#[tokio::main]
pub(crate) async fn measure() -> Result<(), Failure> {
    // Apart from the data folder: what is kept for an undo would be kept of itself.
    let (home, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let engine = warm_engine(home.path(), folder.path()).await?;
    // Whoever never takes what it is sent must not make the engine grow either.
    let _sleeper = engine.subscribe();
    flood(&engine, folder.path(), "1 GB of `yes`", "yes | head -c 1000000000", 1e9).await?;
    let line = "head -c 200000000 /dev/zero | tr '\\0' a";
    flood(&engine, folder.path(), "a line of 200 MB", line, 2e8).await?;
    let (session, step) =
        flood(&engine, folder.path(), "1 million lines", "seq 1000000", 6_888_896.0).await?;
    flood(&engine, folder.path(), "200 MB of raw bytes", "head -c 200000000 /dev/urandom", 2e8).await?;
    println!();
    look(&engine, session, &step).await?;
    hide();
    order(&engine, folder.path()).await?;
    println!("load of this machine at the end: {}", load());
    Ok(())
}

/// A hundred floods at once.
#[tokio::main]
pub(crate) async fn measure_at_once() -> Result<(), Failure> {
    let (home, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let engine = warm_engine(home.path(), folder.path()).await?;
    at_once(&engine, folder.path()).await?;
    println!("load of this machine at the end: {}", load());
    Ok(())
}

/// An engine that has run a command, and the head of the table.
async fn warm_engine(home: &Path, folder: &Path) -> Result<Engine, Failure> {
    println!("load of this machine: {}", load());
    let config = EngineConfig {
        home: home.to_owned(),
        worker: planwright_tests::worker(),
        attendance: Attendance::User,
        models: Models::default(),
        keys: Arc::new(MemoryKeys::default()),
    };
    let engine = Engine::spawn(config).await?;
    engine.use_settings(Settings {
        ask_from: planwright_engine::protocol::Risk::Dangerous,
        ..engine.settings()
    });
    run(&engine, folder, "echo warm").await?;
    println!("{:<44}{:>12}{:>14}", "", "growth", "throughput");
    Ok(engine)
}

/// A session that is about to run one command.
async fn ready(engine: &Engine, cwd: &Path, command: &str) -> Result<SessionId, Failure> {
    let source = ImportSource { name: "flood.sh".into(), bytes: command.as_bytes().to_vec(), path: None };
    Ok(engine.import(source, Some(cwd.display().to_string()), None).await?.id)
}

async fn start(engine: &Engine, session: SessionId) -> Result<(), Failure> {
    Ok(engine.submit(session, Command::Start { mode: Some(Mode::Planner) }).await?)
}

/// The result of the session's only step; what is shown live is taken and let go.
async fn ended(updates: &mut Updates, session: SessionId) -> Result<StepResult, Failure> {
    while let Some(update) = updates.next().await {
        let Update::Event { record } = update else { continue };
        match record.event {
            Event::StepCompleted { result, .. } if record.session_id == session => return Ok(result),
            Event::StepFailed { reason, .. } | Event::PlanFailed { reason, .. } => return Err(reason.into()),
            Event::ApprovalNeeded { .. } => return Err("the command is asked about".into()),
            _ => {}
        }
    }
    Err("the engine ended".into())
}

async fn run(engine: &Engine, cwd: &Path, command: &str) -> Result<(SessionId, StepResult), Failure> {
    let session = ready(engine, cwd, command).await?;
    let mut updates = engine.subscribe();
    start(engine, session).await?;
    Ok((session, ended(&mut updates, session).await?))
}

async fn flood(
    engine: &Engine,
    cwd: &Path,
    name: &str,
    command: &str,
    bytes: f64,
) -> Result<(SessionId, StepId), Failure> {
    let watch = Watch::begin();
    let begun = Instant::now();
    let (session, result) = run(engine, cwd, command).await?;
    let taken = begun.elapsed();
    let growth = watch.end();
    row(name, growth, bytes, taken);
    verdict("", growth, GROWTH, "MiB");
    Ok((session, result.step_id))
}

fn row(name: &str, growth: f64, bytes: f64, taken: Duration) {
    println!("{name:<44}{growth:>8.1} MiB{:>9.0} MB/s", bytes / MB / taken.as_secs_f64());
}

/// A hundred sessions that each write 10 MB.
async fn at_once(engine: &Engine, cwd: &Path) -> Result<(), Failure> {
    const COMMANDS: usize = 100;
    let mut sessions = Vec::with_capacity(COMMANDS);
    for number in 0..COMMANDS {
        sessions.push(ready(engine, cwd, &format!("yes {number} | head -c 10000000")).await?);
    }
    let watch = Watch::begin();
    let begun = Instant::now();
    let mut updates = engine.subscribe();
    for session in &sessions {
        start(engine, *session).await?;
    }
    let mut left = COMMANDS;
    while left > 0 {
        match updates.next().await {
            Some(Update::Event { record }) if matches!(record.event, Event::StepCompleted { .. }) => {
                left -= 1
            }
            Some(Update::Event { record }) if matches!(record.event, Event::StepFailed { .. }) => {
                return Err("a command failed".into());
            }
            // On a machine this busy the reader may not be done in its time; what is not read is asked about.
            Some(Update::Event { record }) => {
                if let Event::ApprovalNeeded { approval } = record.event {
                    let answer = ApprovalAnswer::AllowOnce { edited_command: None };
                    let command = Command::Answer { approval_id: approval.id, answer };
                    engine.submit(record.session_id, command).await?;
                }
            }
            Some(_) => {}
            None => return Err("the engine ended".into()),
        }
    }
    let (taken, growth) = (begun.elapsed(), watch.end());
    row("100 commands at once, 10 MB each", growth, 1e9, taken);
    verdict("", growth, GROWTH, "MiB");
    Ok(())
}

/// Reading and searching a million rows.
async fn look(engine: &Engine, session: SessionId, step: &StepId) -> Result<(), Failure> {
    let timed = |begun: Instant| begun.elapsed().as_secs_f64() * 1000.0;
    let begun = Instant::now();
    let first = engine.output_rows(session, step, 0, 999_000, 1000).await?;
    println!("{:<44}{:>8.1} ms", "the last 1000 of a million rows, first time", timed(begun));
    if (first.total, first.rows.last().map(String::as_str)) != (1_000_000, Some("1000000")) {
        return Err("rows are missing".into());
    }
    let begun = Instant::now();
    engine.output_rows(session, step, 0, 500_000, 200).await?;
    println!("{:<44}{:>8.1} ms", "200 rows in the middle, from then on", timed(begun));
    let begun = Instant::now();
    let query = OutputQuery { text: "99999".into(), match_case: false };
    let matches = engine.search_output(session, step, 0, query).await?;
    println!("{:<44}{:>8.1} ms", "a search through all of it", timed(begun));
    if matches.total != 19 {
        return Err(format!("{} places instead of 19", matches.total).into());
    }
    Ok(())
}

/// The cost of hiding, with twenty known secrets.
fn hide() {
    let redactor = Redactor::default();
    (0..20).for_each(|number| redactor.know(&format!("s3cret-{number}-value/with+signs")));
    let text = "INFO compiling src/lib.rs:42 https://example.org/path?x=1 done in 0.5 s\n".repeat(900);
    let (mut stream, begun, rounds) = (redactor.stream(), Instant::now(), 2000);
    for _ in 0..rounds {
        stream.push(text.as_bytes());
    }
    let taken = begun.elapsed();
    println!(
        "{:<44}{:>8.0} MB/s",
        "hiding 20 secrets",
        (text.len() * rounds) as f64 / MB / taken.as_secs_f64()
    );
}

/// Lines of two streams, written within microseconds of each other, that came out in another order.
async fn order(engine: &Engine, cwd: &Path) -> Result<(), Failure> {
    for (name, pause) in [("at once", ""), ("with 1 ms between", "sleep 0.001;")] {
        let command =
            format!("for i in {{1..500}}; do echo $((2*i)); {pause} echo $((2*i+1)) >&2; {pause} done");
        let (_, result) = run(engine, cwd, &command).await?;
        let numbers: Vec<u32> = result.output.lines().filter_map(|line| line.parse().ok()).collect();
        if numbers.len() != 1000 {
            return Err(format!("{} lines instead of 1000", numbers.len()).into());
        }
        // Not the descents: when all of one stream comes before the other there is only one.
        let misplaced = numbers.iter().zip(2..).filter(|(number, place)| **number != *place).count();
        println!(
            "{:<44}{:>8.1} %",
            format!("lines of two pipes out of place, {name}"),
            misplaced as f64 / 10.0
        );
    }
    Ok(())
}

/// The most memory that this process had, over what it had when this began.
struct Watch {
    before: f64,
    most: Arc<AtomicU64>,
    done: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Watch {
    fn begin() -> Self {
        let before = resident();
        let (most, done) = (Arc::new(AtomicU64::new(before)), Arc::new(AtomicBool::new(false)));
        let (seen, over) = (Arc::clone(&most), Arc::clone(&done));
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                seen.fetch_max(resident(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        Self { before: before as f64, most, done, thread }
    }

    /// In MiB.
    fn end(self) -> f64 {
        self.done.store(true, Ordering::Relaxed);
        drop(self.thread.join());
        (self.most.load(Ordering::Relaxed) as f64 - self.before) / 1024.0
    }
}

/// In KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
