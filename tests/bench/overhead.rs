//! What the engine costs per step over the bare command (SPEC section 12: at most 2 ms in the median), and where it
//! goes. `cargo bench -p planwright-tests`

use std::io::Write as _;
use std::process::{Command as Process, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use planwright_engine::engine::{Adviser, Attendance, Engine, EngineConfig, ImportSource};
use planwright_engine::journal::{Durability, Journal};
use planwright_engine::model::{MemoryKeys, Models};
use planwright_engine::protocol::{Command, Event, Mode, SessionId, Update};

type Failure = Box<dyn std::error::Error>;

const RUNS: usize = 300;
/// Milliseconds.
const BUDGET: f64 = 2.0;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let worker = planwright_tests::worker();
    let folder = tempfile::tempdir()?;

    let bare = median(times(bare_bash)?);
    let supervised = median(times(|| through_the_worker(&worker))?);
    let adviser = Adviser::new(worker.clone());
    let mut reads = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        adviser.assess("true", folder.path()).await;
        reads.push(start.elapsed());
    }
    let read = median(reads);
    let append = median(appends(&folder.path().join("journal")).await?);
    let step = median(steps(&folder.path().join("home"), folder.path(), worker).await?);

    let overhead = millis(step) - millis(bare);
    println!("{:<44}{:>9.3} ms", "bash -c true", millis(bare));
    println!("{:<44}{:>9.3} ms", "the same under the worker", millis(supervised));
    println!("{:<44}{:>9.3} ms", "reading and judging the command", millis(read));
    println!("{:<44}{:>9.3} ms", "one event into the journal", millis(append));
    println!("{:<44}{:>9.3} ms", "a step of a run, all in all", millis(step));
    println!("{:<44}{overhead:>9.3} ms", "overhead per step");
    println!("{:<44}{:>9.2} x", "a step over the bare command", millis(step) / millis(bare));
    println!("budget {BUDGET} ms: {}", if overhead <= BUDGET { "held" } else { "exceeded" });
    Ok(())
}

fn times(mut run: impl FnMut() -> Result<(), Failure>) -> Result<Vec<Duration>, Failure> {
    (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run().map(|()| start.elapsed())
        })
        .collect()
}

fn bare_bash() -> Result<(), Failure> {
    Process::new("bash").args(["--noprofile", "--norc", "-c", "true"]).status()?;
    Ok(())
}

fn through_the_worker(worker: &std::path::Path) -> Result<(), Failure> {
    let mut child = Process::new(worker).arg("run").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let spec = serde_json::json!({
        "command": "true", "cwd": "/", "restore": "", "wallMillis": 60_000, "silenceMillis": 60_000
    });
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    stdin.write_all(format!("{spec}\n").as_bytes())?;
    let output = child.wait_with_output()?;
    drop(stdin);
    if output.stdout.is_empty() { Err("the worker said nothing".into()) } else { Ok(()) }
}

async fn appends(home: &std::path::Path) -> Result<Vec<Duration>, Failure> {
    let (journal, _) = Journal::open(home)?;
    let session = SessionId::new();
    let created = Event::SessionCreated { title: "bench".into(), cwd: "/".into() };
    journal.append(session, vec![created], Durability::Normal).await?;
    let mut taken = Vec::with_capacity(RUNS);
    for number in 0..RUNS {
        let event = Event::SessionRenamed { title: format!("bench {number}") };
        let start = Instant::now();
        journal.append(session, vec![event], Durability::Normal).await?;
        taken.push(start.elapsed());
    }
    Ok(taken)
}

/// From the end of one step to the end of the next.
async fn steps(
    home: &std::path::Path,
    cwd: &std::path::Path,
    worker: std::path::PathBuf,
) -> Result<Vec<Duration>, Failure> {
    let config = EngineConfig {
        home: home.to_owned(),
        worker,
        attendance: Attendance::User,
        models: Models::default(),
        keys: Arc::new(MemoryKeys::default()),
    };
    let engine = Engine::spawn(config).await?;
    let script = "true\n".repeat(RUNS);
    let source = ImportSource { name: "bench.sh".into(), bytes: script.into_bytes() };
    let session = engine.import(source, Some(cwd.display().to_string()), None).await?.id;
    let mut updates = engine.subscribe();
    engine.submit(session, Command::Start { mode: Some(Mode::Planner) }).await?;
    let mut taken = Vec::with_capacity(RUNS);
    let mut last = None;
    while let Some(update) = updates.next().await {
        let Update::Event { record } = update else { continue };
        match record.event {
            Event::StepCompleted { .. } => {
                let now = Instant::now();
                taken.extend(last.replace(now).map(|before| now - before));
            }
            Event::PlanCompleted { .. } => return Ok(taken),
            Event::PlanFailed { reason } => return Err(reason.into()),
            _ => {}
        }
    }
    Err("the engine ended".into())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
