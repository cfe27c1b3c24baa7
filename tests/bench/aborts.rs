//! How long it takes to stop a turn (SPEC C5 and E7: the stream and the tools within 50 ms, p99 of 200): from the command
//! to the event that ends the turn, while the model speaks and while a command runs. When that event comes every
//! process of the command has been seen to be gone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use planwright_engine::engine::{Attendance, Engine, EngineConfig, Updates};
use planwright_engine::model::{MemoryKeys, ModelProvider, Models, Provider, ProviderKind};
use planwright_engine::protocol::{Command, Event, Route, SessionId, TurnEnd, Update};
use planwright_tests::chat_server::{ChatServer, Say};
use serde_json::json;

use crate::Failure;
use crate::measure::{Times, heading, load, verdict};

const ABORTS: usize = 200;

#[tokio::main]
pub(crate) async fn measure() -> Result<(), Failure> {
    let speaking = aborts(
        || Say::text("and so on ".repeat(2000)).slowly(Duration::from_millis(1)),
        |update| matches!(update, Update::Answer { .. }),
    )
    .await?;
    let tools = || Say::call("shell", json!({ "command": "sleep 60 & sleep 60" }));
    let running = aborts(tools, |update| {
        matches!(update, Update::Event { record } if matches!(record.event, Event::CallStarted { .. }))
    })
    .await?;
    heading(&load());
    speaking.row("stop while the model speaks");
    running.row("stop while a command runs");
    println!();
    verdict("stop while the model speaks, p99", speaking.p99(), 50.0, "ms");
    verdict("stop while a command runs, p99", running.p99(), 50.0, "ms");
    println!("load of this machine at the end: {}", load());
    Ok(())
}

/// Turns that are stopped a little after `begun` was seen.
async fn aborts(
    say: impl Fn() -> Say + Send + 'static,
    begun: impl Fn(&Update) -> bool,
) -> Result<Times, Failure> {
    let server = ChatServer::start(move |_, _| say()).await;
    let folders = tempfile::tempdir()?;
    let provider = Provider::new(ProviderKind::Local, Some(&server.url()), "scripted".to_owned(), None)?;
    let engine = Engine::spawn(EngineConfig {
        home: folders.path().join("home"),
        worker: planwright_tests::worker(),
        attendance: Attendance::User,
        models: Models::of(Some(Arc::new(provider) as Arc<dyn ModelProvider>)),
        keys: Arc::new(MemoryKeys::default()),
    })
    .await?;
    let mut updates = engine.subscribe();
    let session = engine.create_session(None, Some(folders.path().display().to_string())).await?.id;
    let mut taken = Vec::with_capacity(ABORTS);
    for nth in 0..ABORTS {
        let text = format!("go on, {nth}");
        engine.submit(session, Command::Say { text, route: Route::Chat, replaces: None }).await?;
        until(&mut updates, session, &begun).await?;
        // A moment into it, not at its very start.
        tokio::time::sleep(Duration::from_millis(5 + nth as u64 % 20)).await;
        let start = Instant::now();
        engine.submit(session, Command::Interrupt).await?;
        let is_end = |update: &Update| match update {
            Update::Event { record } => {
                matches!(&record.event, Event::TurnEnded { end: TurnEnd::Interrupted, .. })
            }
            _ => false,
        };
        until(&mut updates, session, is_end).await?;
        taken.push(start.elapsed());
    }
    if !server.refused().is_empty() {
        return Err(format!("a conversation was refused: {:?}", server.refused()).into());
    }
    Ok(taken.into())
}

async fn until(
    updates: &mut Updates,
    session: SessionId,
    wanted: impl Fn(&Update) -> bool,
) -> Result<(), Failure> {
    loop {
        let update = updates.next().await.ok_or("the engine has ended")?;
        let ours = match &update {
            Update::Event { record } => record.session_id == session,
            Update::Answer { session_id, .. } => *session_id == session,
            _ => false,
        };
        if ours && wanted(&update) {
            return Ok(());
        }
    }
}
