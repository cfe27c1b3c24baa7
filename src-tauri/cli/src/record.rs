//! The record: making plans, listing sessions, writing plans and reports. Looking works while another Planwright runs.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use planwright_engine::address::Address;
use planwright_engine::awake;
use planwright_engine::engine::{
    Attendance, Engine, EngineConfig, FetchedPage, ImportSource, data_folder, stronger_from_environment,
    worker_beside_program,
};
use planwright_engine::journal::{self, Journal};
use planwright_engine::model::{self, MemoryKeys, ModelProvider, Models};
use planwright_engine::plan::{MAX_SOURCE_BYTES, confirmation_text, export};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Command, EngineError, ErrorCode, InstructionsRule, OnFailure, Plan, SessionId, SessionState,
    SessionStatus, SessionStorage, Settings,
};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use crate::args::{Export, FormatArg, Import, ModelArgs, Report, Sessions};
use crate::exit::{Exit, Stop};
use crate::{choices, page, show, terminal, tty, words};

pub(crate) async fn import(call: Import, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let engine = engine(Attendance::Nobody(PolicyFile::default()), model).await?;
    let state = import_into(&engine, &call.file, call.cwd.as_deref(), None).await?;
    let state = choices::choose(&engine, state, &call.ways).await?;
    let plan = plan_of(&state)?;
    if json {
        show::line(&page::with_reading(plan)?)?;
        return Ok(Exit::Done);
    }
    show::text_as_is(&confirmation_text(plan))?;
    if terminal::is_one() {
        let yes = terminal::Terminal::open().says_yes().await?;
        let answer = if yes {
            Command::Confirm { revision: plan.revision, allowed: Vec::new() }
        } else {
            Command::Reject
        };
        engine.submit(state.id, answer).await?;
        if !yes {
            return Ok(Exit::NotApproved);
        }
    } else {
        show::text_as_is("\n")?;
    }
    show::notice(&format!("Run it with: planwright-cli resume {}", state.id));
    Ok(Exit::Done)
}

pub(crate) async fn export(call: Export) -> Result<Exit, Stop> {
    let state = load(&call.session).await?;
    let plan = plan_of(&state)?;
    let text = match call.format {
        FormatArg::Sh => export::to_script(plan),
        FormatArg::Md => export::to_markdown(plan),
        FormatArg::Json => export::to_json(plan)?,
    };
    show::text_as_is(&text)?;
    Ok(Exit::Done)
}

pub(crate) async fn sessions(call: Sessions, json: bool) -> Result<Exit, Stop> {
    if call.prune && call.yes {
        return prune(json).await;
    }
    let folder = data_folder();
    if call.repair {
        let (journal, damage) = Journal::open(&folder)?;
        damage.iter().for_each(|found| show::notice(&found.message));
        if damage.is_empty() {
            show::notice("The record of sessions is in order.");
        }
        drop(journal);
    }
    let journal = Journal::open_read_only(&folder)?;
    let storage = journal.storage(HashSet::new(), &journal.settings().await?.value).await?;
    let found: HashSet<SessionId> = match call.prune {
        true => storage.due.iter().copied().collect(),
        false => journal.sessions(&call.search).await?.iter().map(|session| session.id).collect(),
    };
    let shown: Vec<&SessionStorage> =
        storage.sessions.iter().filter(|kept| found.contains(&kept.session.id)).collect();
    if json {
        for session in &shown {
            show::session(session)?;
        }
    } else if !shown.is_empty() {
        show::sessions(&shown)?;
        if call.prune {
            show::notice(
                "None is removed yet. `planwright-cli sessions --prune --yes` removes these for good.",
            );
        } else if !storage.due.is_empty() {
            let many = words::sessions(storage.due.len());
            show::notice(&format!(
                "{many} may be removed by your rule for keeping; `planwright-cli sessions --prune` tells which."
            ));
        }
    } else if call.prune {
        show::notice("Your rule for keeping keeps every session.");
    } else {
        show::notice(&match call.search.as_str() {
            "" => format!(
                "There are no sessions in {} yet. `planwright-cli run FILE` makes one.",
                folder.display()
            ),
            search => format!("No session has \"{search}\" in its title, folder or text."),
        });
    }
    Ok(Exit::Done)
}

/// Removes what is due for good, and tells each.
async fn prune(json: bool) -> Result<Exit, Stop> {
    let engine = engine(Attendance::Nobody(PolicyFile::default()), &ModelArgs::default()).await?;
    let before = engine.storage().await?;
    let after = engine.clear_due(before.due.clone()).await?;
    let is_left = |id: &SessionId| after.sessions.iter().any(|kept| kept.session.id == *id);
    let gone: Vec<&SessionStorage> = before
        .sessions
        .iter()
        .filter(|kept| before.due.contains(&kept.session.id) && !is_left(&kept.session.id))
        .collect();
    if json {
        for session in &gone {
            show::session(session)?;
        }
    } else {
        show::notice(&format!("{} removed.", words::sessions(gone.len())));
    }
    Ok(Exit::Done)
}

pub(crate) async fn report(call: Report) -> Result<Exit, Stop> {
    let journal = Journal::open_read_only(&data_folder())?;
    let id = find(&journal, &call.session).await?;
    let state = journal.load(id).await?;
    let records = journal.events(id, 0).await?;
    if let Some(damage) = state.damage.or(records.damage) {
        show::notice(&damage.message);
    }
    let (mut state, mut records) = (state.value, records.value);
    let listed = journal.sessions("").await?.into_iter().find(|listed| listed.id == id);
    if listed.is_some_and(|listed| listed.status == SessionStatus::Interrupted) {
        journal::as_interrupted(&mut state, &mut records);
    }
    let report = journal::report(&state, &records);
    show::text_as_is(&if call.html { journal::page(&report) } else { report })?;
    Ok(Exit::Done)
}

pub(crate) async fn engine(attendance: Attendance, model: &ModelArgs) -> Result<Engine, EngineError> {
    let config = EngineConfig {
        home: data_folder(),
        worker: worker_beside_program(),
        attendance,
        models: Models::of(named_model(model).await?).and_stronger(stronger_from_environment().await?),
        keys: Arc::new(MemoryKeys::default()),
    };
    let engine = Engine::spawn(config).await?;
    if model.instructions {
        let settings = engine.settings();
        engine.use_settings(Settings { instructions: InstructionsRule::Always, ..settings });
    }
    engine.answers_secrets(tty::is_there());
    engine.keep_awake(awake::of_this_machine());
    // A model that the settings name is set up at once, or looked for on this machine; one that cannot be had is not
    // waited for.
    drop(tokio::time::timeout(Duration::from_secs(2), engine.models_settled()).await);
    if let Some(notice) = engine.app_info().notice {
        show::notice(&notice);
    }
    let shortcomings: Vec<String> = engine.shortcomings().iter().map(ToString::to_string).collect();
    if !shortcomings.is_empty() {
        show::notice(&format!(
            "On this system not all is kept that is promised of commands. {}",
            shortcomings.join(" ")
        ));
    }
    Ok(engine)
}

/// The model that the arguments name, else the environment's.
async fn named_model(args: &ModelArgs) -> Result<Option<Arc<dyn ModelProvider>>, EngineError> {
    let named = |name: &str| {
        let argument = match name {
            "PLANWRIGHT_PROVIDER" => args.provider.clone(),
            "PLANWRIGHT_MODEL" => args.model.clone(),
            "PLANWRIGHT_BASE_URL" => args.base_url.clone(),
            _ => None,
        };
        argument.or_else(|| std::env::var(name).ok())
    };
    let provider = model::from_variables(named)
        .await
        .map_err(|error| EngineError::new(ErrorCode::NoModel, error.to_string()))?;
    Ok(provider.map(model::Provider::fitted))
}

/// Imports a file, the page behind an address, or standard input for `-`. The folder is the current one unless another is given.
pub(crate) async fn import_into(
    engine: &Engine,
    file: &Path,
    cwd: Option<&Path>,
    on_failure: Option<OnFailure>,
) -> Result<SessionState, EngineError> {
    let cwd = Some(cwd.unwrap_or(Path::new(".")).display().to_string());
    match source_of(engine, file).await? {
        Source::Address(page) => engine.import_fetched(&page, cwd, None, on_failure).await,
        Source::Text(source) => engine.import_with(source, cwd, None, on_failure).await,
    }
}

/// Where a plan is to come from, read and not yet understood.
pub(crate) enum Source {
    Text(ImportSource),
    Address(FetchedPage),
}

pub(crate) async fn source_of(engine: &Engine, file: &Path) -> Result<Source, EngineError> {
    if let Some(address) = file.to_str().filter(|name| Address::is_meant(name)) {
        let page = engine.fetch_page(address).await?;
        if let Some(to) = page.led_to() {
            show::notice(&format!("The address led to {to}"));
        }
        return Ok(Source::Address(page));
    }
    Ok(Source::Text(if file == Path::new("-") {
        let mut bytes = Vec::new();
        // One byte more than may be imported tells that it is too much.
        let most = MAX_SOURCE_BYTES as u64 + 1;
        tokio::io::stdin().take(most).read_to_end(&mut bytes).await.map_err(|error| unread_input(&error))?;
        ImportSource { name: "standard input".to_owned(), bytes, path: None }
    } else if file.is_dir() {
        let message = format!("{} is a folder. Name the page or the script in it.", file.display());
        return Err(EngineError::new(ErrorCode::FileUnreadable, message));
    } else {
        ImportSource::from_file(file).await?
    }))
}

/// The session that a person means: an id, the beginning of exactly one, or "last".
pub(crate) async fn find(journal: &Journal, wanted: &str) -> Result<SessionId, EngineError> {
    let sessions = journal.sessions("").await?;
    let missing = || {
        EngineError::new(
            ErrorCode::NoSuchSession,
            match wanted {
                "last" => "There is no session yet. `planwright-cli run FILE` makes one.".to_owned(),
                _ => format!("There is no session \"{wanted}\". `planwright-cli sessions` lists them."),
            },
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

pub(crate) fn plan_of(state: &SessionState) -> Result<&Plan, EngineError> {
    let none = || {
        EngineError::new(
            ErrorCode::NotNow,
            "This session has no plan yet. `planwright-cli import FILE` makes a session with one.",
        )
    };
    state.plan.as_ref().ok_or_else(none)
}

pub(crate) fn unread_input(error: &std::io::Error) -> EngineError {
    let message = format!("Standard input cannot be read: {}.", EngineError::reason(error));
    EngineError::new(ErrorCode::FileUnreadable, message)
}

/// The first line of `--json` output: which session the events belong to.
pub(crate) fn session_line(state: &SessionState) -> serde_json::Value {
    json!({ "type": "session", "sessionId": state.id, "title": state.title, "cwd": state.cwd })
}
