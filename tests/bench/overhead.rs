//! What the engine costs per step over the bare command, how soon the headless program asks a model about a step that
//! failed (`rounds` measures the start of a conversation), and how much memory its processes take (SPEC section 12).

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use planwright_engine::engine::{Adviser, Attendance, Engine, EngineConfig, ImportSource};
use planwright_engine::journal::{Durability, Journal};
use planwright_engine::model::{MemoryKeys, Models};
use planwright_engine::protocol::{Command, Event, Mode, SessionId, Update};
use planwright_tests::model_server::{ModelServer, Reply};

use crate::Failure;
use crate::measure::{Times, heading, load, memory_of_tree, verdict};

const RUNS: usize = 300;
const TURNS: usize = 10;
const MOVES: usize = 40;
const STARTS: usize = 40;

#[tokio::main]
pub(crate) async fn measure() -> Result<(), Failure> {
    let worker = planwright_tests::worker();
    let folder = tempfile::tempdir()?;
    heading(&load());

    times(bare_bash)?.row("bash -c true");
    let fresh = times(|start| Waiting::start(&worker)?.run(start))?;
    fresh.row("the same under a worker that is started for it");
    let spare = spare_worker(&worker)?;
    spare.row("the same under a worker that was waiting");

    let adviser = Adviser::new(worker.clone());
    let mut reads = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        adviser.assess("true", folder.path()).await;
        reads.push(start.elapsed());
    }
    Times::from(reads).row("reading and judging a command");
    appends(&folder.path().join("journal"), Durability::Normal).await?.row("one event into the journal");
    appends(&folder.path().join("synced"), Durability::Synced).await?.row("the same, synced to the disk");
    let [bare, step, list, changing] =
        steps(&folder.path().join("home"), folder.path(), worker.clone()).await?;
    bare.row("bash -c true, in turns with the runs that follow");
    step.row("a step of a run (true), all in all");
    list.row("one of two commands (true && true)");
    changing.row("one that may change its shell (cd .)");
    for count in [40, 10_000] {
        let home = folder.path().join(format!("moves-{count}"));
        let moved = moves(&home, folder.path(), worker.clone(), count).await?;
        moved.row(&format!("a step of {count} moved: asked → told"));
    }
    let (first, most) = starts().await?;
    first.row("headless: exec to a question about a failed step");

    println!();
    println!("{:<52}{:>9.2} x", "a step over the bare command", step.median() / bare.median());
    println!("{:<52}{:>9.2} x", "a worker that waited over a fresh one", spare.median() / fresh.median());
    verdict("overhead per step", step.median() - bare.median(), 2.0, "ms");
    verdict("overhead of one of two commands", list.median() - bare.median(), 2.0, "ms");
    verdict("overhead of one that may change its shell", changing.median() - bare.median(), 2.0, "ms");
    verdict("memory of all processes at most", most, 30.0, "MiB");
    println!("load of this machine at the end: {}", load());
    Ok(())
}

fn times(mut run: impl FnMut(Instant) -> Result<Duration, Failure>) -> Result<Times, Failure> {
    let taken: Result<Vec<Duration>, Failure> = (0..RUNS).map(|_| run(Instant::now())).collect();
    taken.map(Times::from)
}

fn bare_bash(start: Instant) -> Result<Duration, Failure> {
    Process::new("bash").args(["--noprofile", "--norc", "-c", "true"]).status()?;
    Ok(start.elapsed())
}

fn spare_worker(worker: &Path) -> Result<Times, Failure> {
    let mut taken = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let waiting = Waiting::start(worker)?;
        std::thread::sleep(Duration::from_millis(5));
        taken.push(waiting.run(Instant::now())?);
    }
    Ok(taken.into())
}

/// A worker without orders.
struct Waiting(Child);

impl Waiting {
    fn start(worker: &Path) -> Result<Self, Failure> {
        let mut process = Process::new(worker);
        process.arg("run").stdin(Stdio::piped()).stdout(Stdio::piped());
        Ok(Self(process.spawn()?))
    }

    /// From the orders, or from `start`, to the command's end.
    fn run(mut self, start: Instant) -> Result<Duration, Failure> {
        let environment: Vec<u8> = std::env::vars_os()
            .flat_map(|(name, value)| {
                [name.as_encoded_bytes(), b"=", value.as_encoded_bytes(), b"\0"].concat()
            })
            .collect();
        let spec = serde_json::json!({
            "command": "true", "cwd": "/", "restore": "", "wallMillis": 60_000, "silenceMillis": 60_000,
            "environmentBytes": environment.len()
        });
        let mut stdin = self.0.stdin.take().ok_or("no stdin")?;
        stdin.write_all(&[format!("{spec}\n").as_bytes(), &environment].concat())?;
        let mut stdout = self.0.stdout.take().ok_or("no stdout")?;
        let (mut said, mut part) = (Vec::new(), [0; 16 * 1024]);
        let has = |said: &[u8], words: &[u8]| said.windows(words.len()).any(|part| part == words);
        // Its last word; its own end is nothing that a command waits for.
        while !has(&said, br#"{"type":"gone""#) {
            match stdout.read(&mut part)? {
                0 => return Err("the worker broke off".into()),
                length => said.extend_from_slice(&part[..length]),
            }
        }
        let taken = start.elapsed();
        drop((stdin, stdout));
        self.0.wait()?;
        if has(&said, br#"{"type":"code","code":0}"#) {
            Ok(taken)
        } else {
            Err("the worker did not run the command".into())
        }
    }
}

async fn appends(home: &Path, durability: Durability) -> Result<Times, Failure> {
    let (journal, _) = Journal::open(home)?;
    let session = SessionId::new();
    let created = Event::SessionCreated { title: "bench".into(), cwd: "/".into() };
    journal.append(session, vec![created], durability).await?;
    let mut taken = Vec::with_capacity(RUNS);
    for number in 0..RUNS {
        let event = Event::SessionRenamed { title: format!("bench {number}") };
        let start = Instant::now();
        journal.append(session, vec![event], durability).await?;
        taken.push(start.elapsed());
    }
    Ok(taken.into())
}

/// The bare command, and from the end of one step to the end of the next, for three commands; in turns, for the machine's
/// pace changes from one second to the next.
async fn steps(home: &Path, cwd: &Path, worker: PathBuf) -> Result<[Times; 4], Failure> {
    let engine = engine(home, worker).await?;
    let mut bare = Vec::with_capacity(RUNS);
    let mut taken = [(); 3].map(|()| Vec::with_capacity(RUNS));
    for _ in 0..TURNS {
        for _ in 0..RUNS / TURNS {
            bare.push(bare_bash(Instant::now())?);
        }
        for (taken, command) in taken.iter_mut().zip(["true", "true && true", "cd ."]) {
            taken.extend(run(&engine, cwd, command, RUNS / TURNS).await?);
        }
    }
    let [step, list, changing] = taken;
    Ok([bare.into(), step.into(), list.into(), changing.into()])
}

async fn engine(home: &Path, worker: PathBuf) -> Result<Engine, Failure> {
    let config = EngineConfig {
        home: home.to_owned(),
        worker,
        attendance: Attendance::User,
        models: Models::default(),
        keys: Arc::new(MemoryKeys::default()),
    };
    Ok(Engine::spawn(config).await?)
}

/// Changes to a plan of this many steps, each from the question to the event that tells of it.
async fn moves(home: &Path, cwd: &Path, worker: PathBuf, steps: usize) -> Result<Times, Failure> {
    let engine = engine(home, worker).await?;
    let steps: Vec<serde_json::Value> = (0..steps)
        .map(|at| serde_json::json!({ "title": format!("Say {at}"), "command": format!("echo {at}") }))
        .collect();
    let plan = serde_json::json!({ "title": "A long plan", "steps": steps });
    let source = ImportSource { name: "plan.json".into(), bytes: plan.to_string().into_bytes(), path: None };
    let state = engine.import(source, Some(cwd.display().to_string()), None).await?;
    let step = state.plan.and_then(|plan| plan.steps.into_iter().next()).ok_or("no step")?;
    let mut updates = engine.subscribe();
    let mut taken = Vec::with_capacity(MOVES);
    for number in 0..MOVES {
        let to = if number % 2 == 0 { 5 } else { 0 };
        let start = Instant::now();
        engine.submit(state.id, Command::MoveStep { step_id: step.id.clone(), to }).await?;
        while let Some(update) = updates.next().await {
            let Update::Event { record } = update else { continue };
            if matches!(record.event, Event::PlanRevised { .. }) {
                break;
            }
        }
        taken.push(start.elapsed());
    }
    Ok(taken.into())
}

/// One run with this many steps of one command.
async fn run(engine: &Engine, cwd: &Path, command: &str, steps: usize) -> Result<Vec<Duration>, Failure> {
    let script = format!("{command}\n").repeat(steps);
    let source = ImportSource { name: "bench.sh".into(), bytes: script.into_bytes(), path: None };
    let session = engine.import(source, Some(cwd.display().to_string()), None).await?.id;
    let mut updates = engine.subscribe();
    engine.submit(session, Command::Start { mode: Some(Mode::Planner) }).await?;
    let mut taken = Vec::with_capacity(steps);
    let mut last = None;
    while let Some(update) = updates.next().await {
        let Update::Event { record } = update else { continue };
        match record.event {
            Event::StepCompleted { .. } => {
                let now = Instant::now();
                taken.extend(last.replace(now).map(|before| now - before));
            }
            Event::PlanCompleted { .. } => return Ok(taken),
            Event::PlanFailed { reason, .. } => return Err(reason.into()),
            _ => {}
        }
    }
    Err("the engine ended".into())
}

/// Runs of the headless program, each in a new data folder, up to its first question to a model; and the most memory
/// that one of them and all its processes had.
async fn starts() -> Result<(Times, f64), Failure> {
    let program = planwright_tests::cli();
    let server = ModelServer::start(vec![Reply::silent()]).await;
    let folder = tempfile::tempdir()?;
    let runbook = folder.path().join("runbook.sh");
    std::fs::write(&runbook, "sh -c 'echo no rule knows this >&2; exit 42'\n")?;
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, "approve = \"dangerous\"\n")?;
    let mut taken = Vec::with_capacity(STARTS);
    let mut most: f64 = 0.0;
    for number in 0..STARTS {
        let start = Instant::now();
        let mut child = Process::new(&program)
            .args(["--json", "run", "--mode", "agentic", "--policy"])
            .args([&policy, &runbook])
            .env("PLANWRIGHT_HOME", folder.path().join(format!("home-{number}")))
            .env("PLANWRIGHT_BASE_URL", format!("{}/v1", server.url()))
            .env("PLANWRIGHT_PROVIDER", "local")
            .env("PLANWRIGHT_MODEL", "scripted")
            .stdout(Stdio::null())
            .spawn()?;
        // To look at the memory takes time from the run, so the two are measured in turns.
        let looks = number % 4 == 3;
        while server.requests().len() <= number {
            if child.try_wait()?.is_some() || start.elapsed() > Duration::from_secs(20) {
                return Err("the headless program asked no model".into());
            }
            if looks {
                most = most.max(memory_of_tree(child.id()));
            }
            tokio::time::sleep(Duration::from_millis(if looks { 1 } else { 20 })).await;
        }
        if let (false, Some(request)) = (looks, server.requests().last()) {
            taken.push(request.at - start);
        }
        most = most.max(memory_of_tree(child.id()));
        child.kill()?;
        child.wait()?;
    }
    Ok((taken.into(), most))
}
