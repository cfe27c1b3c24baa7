//! What keeping files for an undo costs a step, in folders of three sizes, and how long it takes to take a run back.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use planwright_engine::engine::{Attendance, Engine, EngineConfig, ImportSource};
use planwright_engine::model::{MemoryKeys, Models};
use planwright_engine::protocol::{Command, Event, Mode, Risk, SessionId, Settings, UndoTarget, Update};

use crate::Failure;
use crate::measure::{Times, heading, load};

const STEPS: usize = 60;
const SIZES: [usize; 3] = [100, 5_000, 40_000];
/// Files in one folder.
const EACH: usize = 100;

#[tokio::main]
pub(crate) async fn measure() -> Result<(), Failure> {
    let home = tempfile::tempdir()?;
    let config = EngineConfig {
        home: home.path().to_owned(),
        worker: planwright_tests::worker(),
        attendance: Attendance::User,
        models: Models::default(),
        keys: Arc::new(MemoryKeys::default()),
    };
    let engine = Engine::spawn(config).await?;
    engine.use_settings(Settings { ask_from: Risk::Dangerous, ..engine.settings() });
    heading(&load());
    let mut ratios = Vec::new();
    for files in SIZES {
        let folder = tempfile::tempdir()?;
        fill(folder.path(), files)?;
        let (_, plain) = steps(&engine, folder.path(), |_| "true\n".to_owned()).await?;
        plain.row(&format!("{files} files: a step that changes nothing"));
        let (session, kept) = steps(&engine, folder.path(), |nth| format!("echo {nth} > d0/{nth}\n")).await?;
        kept.row(&format!("{files} files: a step whose changes are kept"));
        ratios.push((files, kept.median() / plain.median()));
        let mut undos = Vec::new();
        let mut target = UndoTarget::Run;
        for _ in 0..5 {
            let start = Instant::now();
            target = UndoTarget::Undo { undo_id: undo(&engine, session, target).await? };
            undos.push(start.elapsed());
        }
        Times::from(undos).row(&format!("{files} files: preview and undo of {STEPS} steps"));
    }
    println!();
    for (files, ratio) in ratios {
        println!("{:<52}{ratio:>9.2} x", format!("{files} files: a step that is kept over one that is not"));
    }
    println!("load of this machine at the end: {}", load());
    Ok(())
}

fn fill(folder: &Path, files: usize) -> Result<(), Failure> {
    for nth in 0..files {
        let inner = folder.join(format!("d{}", nth / EACH));
        if nth % EACH == 0 {
            std::fs::create_dir(&inner)?;
        }
        std::fs::write(inner.join((nth % EACH).to_string()), format!("file {nth}"))?;
    }
    Ok(())
}

/// From the end of one step to the end of the next. The first step, which reads the folder, is not among them.
async fn steps(
    engine: &Engine,
    cwd: &Path,
    command: impl Fn(usize) -> String,
) -> Result<(SessionId, Times), Failure> {
    let script: String = (0..=STEPS).map(command).collect();
    let source = ImportSource { name: "keeping.sh".into(), bytes: script.into_bytes(), path: None };
    let session = engine.import(source, Some(cwd.display().to_string()), None).await?.id;
    let mut updates = engine.subscribe();
    engine.submit(session, Command::Start { mode: Some(Mode::Planner) }).await?;
    let (mut taken, mut last) = (Vec::new(), None);
    while let Some(update) = updates.next().await {
        let Update::Event { record } = update else { continue };
        match record.event {
            Event::StepCompleted { .. } => {
                let now = Instant::now();
                taken.extend(last.replace(now).map(|before| now - before));
            }
            Event::PlanCompleted { .. } => return Ok((session, taken.into())),
            Event::PlanFailed { reason, .. } => return Err(reason.into()),
            _ => {}
        }
    }
    Err("the engine ended".into())
}

async fn undo(
    engine: &Engine,
    session: SessionId,
    target: UndoTarget,
) -> Result<planwright_engine::protocol::UndoId, Failure> {
    let token = engine.undo_preview(session, target.clone()).await?.token;
    engine.submit(session, Command::Undo { target, token, overwrite: Vec::new() }).await?;
    let undone = engine.open_session(session).await?.undone;
    let last = undone.last().ok_or("nothing was undone")?;
    if last.skipped.is_empty() { Ok(last.id) } else { Err("a file was left out".into()) }
}
