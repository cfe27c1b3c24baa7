//! The record: making plans, listing sessions, writing plans and reports. Looking works while another Planwright runs.

use std::path::Path;
use std::sync::Arc;

use planwright_engine::brain::{Mind, ModelMind};
use planwright_engine::engine::{
    Attendance, Engine, EngineConfig, ImportSource, data_folder, worker_beside_program,
};
use planwright_engine::journal::{self, Journal};
use planwright_engine::model::{self, ModelEvent};
use planwright_engine::plan::{confirmation_text, export};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{EngineError, ErrorCode, Plan, SessionId, SessionState};
use serde_json::json;

use crate::args::{Export, FormatArg, Import, Report, Sessions};
use crate::exit::Exit;
use crate::show;

pub(crate) async fn import(call: Import, json: bool) -> Result<Exit, EngineError> {
    let engine = engine(PolicyFile::default()).await?;
    let state = import_into(&engine, &call.file, call.cwd.as_deref()).await?;
    let plan = plan_of(&state)?;
    if json {
        show::line(plan)?;
    } else {
        println!("{}\n", confirmation_text(plan));
        println!("Session {}. Run it with: planwright-cli resume {}", state.id, state.id);
    }
    Ok(Exit::Done)
}

pub(crate) async fn export(call: Export) -> Result<Exit, EngineError> {
    let state = load(&call.session).await?;
    let plan = plan_of(&state)?;
    match call.format {
        FormatArg::Sh => print!("{}", export::to_script(plan)),
        FormatArg::Md => print!("{}", export::to_markdown(plan)),
        FormatArg::Json => println!("{}", export::to_json(plan)?),
    }
    Ok(Exit::Done)
}

pub(crate) async fn sessions(call: Sessions, json: bool) -> Result<Exit, EngineError> {
    let sessions = Journal::open_read_only(&data_folder())?.sessions(&call.search).await?;
    for session in &sessions {
        if json {
            show::line(session)?;
        } else {
            show::session(session);
        }
    }
    if sessions.is_empty() && !json {
        println!("No sessions yet. Start one with: planwright-cli run FILE");
    }
    Ok(Exit::Done)
}

pub(crate) async fn report(call: Report) -> Result<Exit, EngineError> {
    let journal = Journal::open_read_only(&data_folder())?;
    let id = find(&journal, &call.session).await?;
    let state = journal.load(id).await?.value;
    let records = journal.events(id, 0).await?.value;
    print!("{}", journal::report(&state, &records));
    Ok(Exit::Done)
}

/// An engine with nobody at it.
pub(crate) async fn engine(policy: PolicyFile) -> Result<Engine, EngineError> {
    let config = EngineConfig {
        home: data_folder(),
        worker: worker_beside_program(),
        attendance: Attendance::Nobody(policy),
        mind: mind().await?,
    };
    let engine = Engine::spawn(config).await?;
    if let Some(notice) = engine.app_info().notice {
        eprintln!("{notice}");
    }
    Ok(engine)
}

/// The model that the environment names, if any.
async fn mind() -> Result<Option<Arc<dyn Mind>>, EngineError> {
    let provider = model::from_environment()
        .await
        .map_err(|error| EngineError::new(ErrorCode::NoModel, error.to_string()))?;
    Ok(provider.map(|provider| Arc::new(ModelMind::new(provider).heard_by(say_retry)) as Arc<dyn Mind>))
}

/// A wait for the model is seen as it happens.
fn say_retry(event: &ModelEvent) {
    if let ModelEvent::Retrying { attempt, allowed, wait, error } = event {
        eprintln!("{error} Asking again in {:.1} s ({attempt}/{allowed}).", wait.as_secs_f32());
    }
}

/// Imports a file, or standard input for `-`. The folder is the current one unless another is given.
pub(crate) async fn import_into(
    engine: &Engine,
    file: &Path,
    cwd: Option<&Path>,
) -> Result<SessionState, EngineError> {
    let cwd = cwd.unwrap_or(Path::new(".")).display().to_string();
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut tokio::io::stdin(), &mut bytes).await.map_err(|error| {
            EngineError::new(ErrorCode::FileUnreadable, format!("Standard input cannot be read: {error}."))
        })?;
        return engine.import(ImportSource { name: "-".to_owned(), bytes }, Some(cwd), None).await;
    }
    engine.import_file(file, Some(cwd), None).await
}

/// The session that a person means: an id, the beginning of exactly one, or "last".
pub(crate) async fn find(journal: &Journal, wanted: &str) -> Result<SessionId, EngineError> {
    let sessions = journal.sessions("").await?;
    let missing = || {
        EngineError::new(
            ErrorCode::NoSuchSession,
            format!("There is no session \"{wanted}\". `planwright-cli sessions` lists them."),
        )
    };
    if wanted == "last" {
        return sessions.first().map(|session| session.id).ok_or_else(missing);
    }
    let mut found = sessions.iter().filter(|session| session.id.to_string().starts_with(wanted));
    match (found.next(), found.next()) {
        (Some(session), None) => Ok(session.id),
        (Some(_), Some(_)) => {
            let message = format!("More than one session begins with \"{wanted}\". Give more of the id.");
            Err(EngineError::new(ErrorCode::NoSuchSession, message))
        }
        (None, _) => Err(missing()),
    }
}

async fn load(wanted: &str) -> Result<SessionState, EngineError> {
    let journal = Journal::open_read_only(&data_folder())?;
    let id = find(&journal, wanted).await?;
    Ok(journal.load(id).await?.value)
}

fn plan_of(state: &SessionState) -> Result<&Plan, EngineError> {
    let none = || EngineError::new(ErrorCode::NotNow, "This session has no plan.");
    state.plan.as_ref().ok_or_else(none)
}

/// The first line of `--json` output: which session the events belong to.
pub(crate) fn session_line(state: &SessionState) -> serde_json::Value {
    json!({ "type": "session", "sessionId": state.id, "title": state.title, "cwd": state.cwd })
}
