//! An engine with somebody at it, as the window has one, in a process of its own that can be killed. It is told what to do a
//! command a line; it tells first how it found the session, and then what happens.

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use planwright_engine::engine::{Attendance, Engine, EngineConfig, worker_beside_program};
use planwright_engine::model::{self, MemoryKeys, Models, Provider};
use planwright_engine::protocol::{Command, EventRecord, SessionId, Update};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The word that makes this program one.
pub(crate) const WORD: &str = "attended";

/// `words`: the data folder, the workspace, the model server's address, and the session if there is one.
pub(crate) fn live(words: &[String]) -> ExitCode {
    let [home, work, url, session @ ..] = words else { return ExitCode::from(2) };
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    threads.block_on(attend(home.into(), work, url, session.first().map(|id| id.parse().unwrap())));
    ExitCode::SUCCESS
}

async fn attend(home: PathBuf, work: &str, url: &str, session: Option<SessionId>) {
    let (url, asked) = (url.to_owned(), |name: &str| name.strip_prefix("PLANWRIGHT_").map(str::to_owned));
    let named = move |name: &str| match asked(name)?.as_str() {
        "PROVIDER" => Some("local".to_owned()),
        "MODEL" => Some("scripted".to_owned()),
        "BASE_URL" => Some(url.clone()),
        _ => None,
    };
    let model = model::from_variables(named).await.unwrap().map(Provider::fitted);
    let config = EngineConfig {
        home,
        worker: worker_beside_program(),
        attendance: Attendance::User,
        models: Models::of(model),
        keys: Arc::new(MemoryKeys::default()),
    };
    let engine = Engine::spawn(config).await.unwrap();
    let mut updates = engine.subscribe();
    let state = match session {
        Some(id) => engine.open_session(id).await.unwrap(),
        None => engine.create_session(None, Some(work.to_owned())).await.unwrap(),
    };
    let id = state.id;
    tell(&json!({ "type": "opened", "state": state }));
    let mut commands = commands();
    loop {
        tokio::select! {
            update = updates.next() => match update {
                Some(Update::Event { record }) if record.session_id == id => tell(&as_shown(&record)),
                Some(_) => {}
                None => return,
            },
            command = commands.recv() => {
                let Some(command) = command else { return };
                if let Err(error) = engine.submit(id, command).await {
                    tell(&json!({ "type": "refused", "error": error }));
                }
            }
        }
    }
}

/// The commands of standard input, until it ends.
fn commands() -> mpsc::UnboundedReceiver<Command> {
    let (sender, commands) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Some(command) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else { return };
            if sender.send(command).is_err() {
                return;
            }
        }
    });
    commands
}

fn tell(line: &Value) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}").unwrap();
    stdout.flush().unwrap();
}

/// A record as a line of `--json`.
pub(crate) fn as_shown(record: &EventRecord) -> Value {
    // By way of text, as it is shown: a number is a little another as a value.
    let text = serde_json::to_string(&record.event).unwrap();
    let mut line: Value = serde_json::from_str(&text).unwrap();
    line["sessionId"] = serde_json::to_value(record.session_id).unwrap();
    line["seq"] = record.seq.into();
    line["at"] = serde_json::to_value(record.at).unwrap();
    line
}
