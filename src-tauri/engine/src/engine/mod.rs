//! The one door. It owns the sessions' tasks and the things they share, and hands commands and questions to them. A
//! window and the headless program see nothing else of the engine.

mod adviser;
mod attention;
mod examples;
mod experience;
mod grants;
mod import;
mod models;
mod output;
mod page;
mod place;
mod storage;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

pub use adviser::Adviser;
pub use examples::Example;
pub use import::{FetchedPage, ImportSource};
pub use models::{model_from_environment, stronger_from_environment};
pub use place::{data_folder, worker_beside_program};

use crate::attention::Board;
use crate::brain::AgentBrain;
use crate::checkpoint::Checkpoints;
use crate::forecast::{Forecasts, Sandbox};
use crate::guide::{Local, ThisMachine};
use crate::journal::{self, Durability, Journal};
use crate::knowledge;
use crate::model::{KeyStore, Models};
use crate::plan::export;
use crate::protocol::{
    ApprovalId, Command, EngineError, ErrorCode, Event, Explanation, Forecast, Mode, PlanId,
    QuestionEstimate, SecretRequestId, Service, SessionId, SessionState, SessionSummary, Settings,
    ShellState, StepId, TerminalInput, TerminalRun, TerminalScreen, UndoId, UndoPreview, UndoTarget, Update,
};
use crate::redact::Redactor;
use crate::runner::{self, Shortcoming, Terminals};
use crate::secret::Askpass;
use crate::session::{self, Hub, Message, Remembered, RiskClassifier, Shared, UNNAMED};
pub use crate::session::{Attendance, Updates};
use crate::shell::ShellReader;

/// What an engine is started with.
#[derive(Debug)]
pub struct EngineConfig {
    /// The data folder; made when missing.
    pub home: PathBuf,
    /// The `planwright-worker` program.
    pub worker: PathBuf,
    pub attendance: Attendance,
    /// Those that the environment or a test names; where it names none, the settings do.
    pub models: Models,
    /// Where the keys for the settings' models are.
    pub keys: Arc<dyn KeyStore>,
}

/// The agent. Cheap to clone; sessions end when the last clone is gone.
#[derive(Debug, Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    sessions: Arc<Mutex<HashMap<SessionId, mpsc::Sender<Message>>>>,
    info: Arc<AppInfo>,
    keys: Arc<dyn KeyStore>,
    /// Sets up the models of the settings, until somebody waits for it.
    starting: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// Facts for the window's About and for its first notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    pub version: String,
    pub data_folder: String,
    /// The user's home folder.
    pub home: String,
    pub user: String,
    /// Who is asked when no rule knows a failure; `None`: nobody.
    pub model: Option<String>,
    /// Something found at the start that the user should know: damage set aside, settings that could not be read.
    pub notice: Option<String>,
}

/// A plan as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum PlanFormat {
    Sh,
    Md,
    Json,
}

impl Engine {
    /// Opens the data folder and makes ready. Sessions that were running when the program ended are interrupted here.
    ///
    /// # Errors
    /// `WorkerMissing`, and whatever keeps the data folder from being opened (see [`Journal::open`]).
    pub async fn spawn(config: EngineConfig) -> Result<Self, EngineError> {
        if !config.worker.is_file() {
            let message = format!(
                "The helper program {} is missing. Install Planwright again, or build it with `npm start`.",
                config.worker.display()
            );
            return Err(EngineError::new(ErrorCode::WorkerMissing, message));
        }
        runner::share_heaps();
        // Beside the opening of the record, which mostly waits for the disk.
        tokio::task::spawn_blocking(knowledge::warm);
        let home = config.home.clone();
        let redactor = Redactor::default();
        redactor.follow_logs();
        let checkpoints = Arc::new(Checkpoints::new(&home, redactor.clone()));
        let (journal, damage) =
            tokio::task::spawn_blocking(move || Journal::open(&home)).await.map_err(|error| {
                EngineError::new(ErrorCode::Internal, format!("Opening the record broke off: {error}."))
            })??;
        journal.interrupt_running().await?;
        let settings = journal.settings().await?;
        let grants = Remembered::open(journal.clone()).await?;
        let damage = damage.into_iter().chain(settings.damage).chain(grants.damage);
        let local = Local::of(&config.home);
        let faults = local.rules.problems().into_iter().map(|problem| problem.to_string());
        let notices: Vec<String> = damage.map(|damage| damage.message).chain(faults).collect();

        let environment = place::environment();
        let home = place::user_home(&environment);
        let user = place::user_name(&environment);
        let info = AppInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_folder: config.home.display().to_string(),
            home: home.display().to_string(),
            user: user.clone(),
            model: None,
            notice: (!notices.is_empty()).then(|| notices.join("\n")),
        };
        let machine = Arc::new(ThisMachine::new(environment.get("PATH").map_or("", String::as_str)));
        config.models.hide(redactor.clone());
        let shared = Shared {
            journal,
            grants: grants.value,
            classifier: RiskClassifier::new(ShellReader::new(config.worker.clone()), environment, home, user),
            forecasts: Forecasts::new(Sandbox::new(config.worker.clone())),
            checkpoints,
            askpass: Askpass::new(config.attendance.is_somebody(), {
                let redactor = redactor.clone();
                move |secret| redactor.know(secret)
            }),
            terminals: Terminals::default(),
            runner: runner::of_this_machine(config.worker, redactor.clone()),
            redactor,
            brain: AgentBrain::new(machine, config.models.clone(), local),
            models: config.models,
            settings: watch::Sender::new(place::overridden(settings.value)),
            attention: Board::default(),
            attendance: config.attendance,
            hub: Hub::default(),
            system: crate::brain::surroundings::system(),
        };
        let (shared, keys) = (Arc::new(shared), config.keys);
        Self::tell_of_models(&shared);
        let starting = Self::begin_models(&shared, &keys);
        Ok(Self {
            shared,
            sessions: Arc::default(),
            info: Arc::new(info),
            keys,
            starting: Arc::new(Mutex::new(Some(starting))),
        })
    }

    /// Everything that happens from now on, in order.
    pub fn subscribe(&self) -> Updates {
        self.shared.hub.subscribe()
    }

    pub fn app_info(&self) -> AppInfo {
        AppInfo { model: self.shared.models.main().map(|model| model.name()), ..(*self.info).clone() }
    }

    /// What running commands on this system does not keep of what is promised; empty on Linux.
    pub fn shortcomings(&self) -> &'static [Shortcoming] {
        self.shared.runner.shortcomings()
    }

    /// Newest first; `search` finds in titles, folders and texts, an empty one finds all.
    pub async fn sessions(&self, search: &str) -> Result<Vec<SessionSummary>, EngineError> {
        self.shared.journal.sessions(search).await
    }

    /// A new session. Its folder is the user's home unless `cwd` names another, which must exist.
    pub async fn create_session(
        &self,
        title: Option<String>,
        cwd: Option<String>,
    ) -> Result<SessionState, EngineError> {
        let cwd = place::workspace(cwd.as_deref().unwrap_or(&self.info.home))?;
        let title = title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| UNNAMED.to_owned());
        let id = SessionId::new();
        self.shared
            .journal
            .append(id, vec![Event::SessionCreated { title, cwd }], Durability::Normal)
            .await?;
        self.publish_sessions().await?;
        self.open_session(id).await
    }

    /// The session's state as it is now.
    pub async fn open_session(&self, id: SessionId) -> Result<SessionState, EngineError> {
        let (reply, answer) = oneshot::channel();
        self.send(id, Message::Snapshot(reply)).await?;
        answer.await.map_err(|_| gone())
    }

    /// Takes the session out of the list; its record is kept in the data folder's trash.
    pub async fn delete_session(&self, id: SessionId) -> Result<(), EngineError> {
        let state = self.shared.journal.load(id).await?.value;
        if matches!(journal::status(&state), crate::protocol::SessionStatus::Running) {
            return Err(EngineError::new(
                ErrorCode::NotNow,
                "This session is running. Stop it before deleting it.",
            ));
        }
        if state.services.iter().any(Service::is_running) {
            return Err(EngineError::new(
                ErrorCode::NotNow,
                "A service of this session is still running. Stop it before deleting the session.",
            ));
        }
        self.sessions.lock().await.remove(&id);
        self.shared.attention.forget(id);
        let record = self.shared.journal.delete(id).await?;
        let (checkpoints, to) = (Arc::clone(&self.shared.checkpoints), record.with_extension("checkpoints"));
        blocking(move || checkpoints.set_aside(id, &to)).await?;
        self.end_session_grants(id).await?;
        self.publish_sessions().await
    }

    /// The session's whole record, one event as JSON a line, with its secrets hidden.
    pub async fn export_session(&self, id: SessionId) -> Result<String, EngineError> {
        let lines = self.shared.journal.export(id).await?;
        let hide = |line: &str| match serde_json::from_str(line) {
            Ok(value) => self.shared.redactor.json(value).to_string(),
            Err(_) => self.shared.redactor.text(line),
        };
        Ok(lines.lines().flat_map(|line| [hide(line), "\n".to_owned()]).collect())
    }

    /// Every event of the session after `after_seq`.
    pub async fn events(
        &self,
        id: SessionId,
        after_seq: u32,
    ) -> Result<Vec<crate::protocol::EventRecord>, EngineError> {
        Ok(self.shared.journal.events(id, after_seq).await?.value)
    }

    /// Hands a command to the session. `Ok` means accepted; what comes of it arrives as events.
    pub async fn submit(&self, id: SessionId, command: Command) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        self.send(id, Message::Command(command, reply)).await?;
        answer.await.map_err(|_| gone())?
    }

    /// Runs a plan by its own id: what somebody confirmed is what starts, or nothing.
    ///
    /// # Errors
    /// `Stale` when no open session has this plan, and what keeps it from being started.
    pub async fn plan_execute(&self, plan_id: PlanId, mode: Option<Mode>) -> Result<(), EngineError> {
        let open: Vec<SessionId> = self.sessions.lock().await.keys().copied().collect();
        for id in open {
            if self.open_session(id).await?.plan.is_some_and(|plan| plan.id == plan_id) {
                return self.submit(id, Command::Start { mode }).await;
            }
        }
        let message = "That plan is not open, or another has taken its place. Look at the session again.";
        Err(EngineError::new(ErrorCode::Stale, message))
    }

    /// Hands an answer straight to the program that asks (`SecretNeeded`); `None` declines. The answer is in no event, and
    /// nothing keeps it but the list of what must never appear in a text.
    ///
    /// # Errors
    /// `NotNow` when the program does not wait for it any more, `InvalidInput` for what can be no answer.
    pub fn answer_secret(
        &self,
        id: SessionId,
        request: SecretRequestId,
        answer: Option<SecretString>,
    ) -> Result<(), EngineError> {
        self.shared.askpass.answer(id, request, answer)
    }

    /// Whether somebody is there who answers such questions; else they are declined at once. At the start it is so when
    /// a user attends.
    pub fn answers_secrets(&self, attended: bool) {
        self.shared.askpass.set_attended(attended);
    }

    /// Does at a running program's terminal what the user does there. What is typed is kept nowhere and in no event. Calls
    /// for one terminal that must keep their order wait for one another.
    ///
    /// # Errors
    /// `NotNow` when no program of the step runs in a terminal, `InvalidInput` for too long a text.
    pub async fn terminal_input(
        &self,
        id: SessionId,
        step: StepId,
        input: TerminalInput,
    ) -> Result<(), EngineError> {
        let terminals = self.shared.terminals.clone();
        blocking(move || terminals.input(id, &step, &input)).await
    }

    /// What is on the terminal of an attempt; `None` when it has none, or one that ended too long ago.
    pub fn terminal_screen(&self, id: SessionId, step: StepId, attempt: u32) -> Option<TerminalScreen> {
        self.shared.terminals.screen(id, &TerminalRun { step_id: step, attempt })
    }

    /// What a command would do, in the session's folder and shell state. Runs nothing.
    pub async fn explain(&self, id: SessionId, command: &str) -> Result<Explanation, EngineError> {
        let state = self.open_session(id).await?;
        Ok(self.shared.classifier.explain(command, &state.shell, &state.cwd).await)
    }

    /// What an undo would do now; `Command::Undo` with its token does it. Only looks.
    ///
    /// # Errors
    /// `NoSuchStep` for a step that has changed nothing here, `NotNow` for an undo that was taken back already.
    pub async fn undo_preview(&self, id: SessionId, target: UndoTarget) -> Result<UndoPreview, EngineError> {
        self.open_session(id).await?;
        let checkpoints = Arc::clone(&self.shared.checkpoints);
        blocking(move || checkpoints.preview(id, &target)).await
    }

    /// Where an undo put what it replaced or took away.
    pub fn undo_trash(&self, id: SessionId, undo: UndoId) -> PathBuf {
        self.shared.checkpoints.trash_of(id, undo)
    }

    /// What the command of an open question did to files when it was tried out, as far as that has come; `None` when it
    /// is not tried out. Changes of it arrive as updates.
    pub fn forecast(&self, id: ApprovalId) -> Option<Forecast> {
        self.shared.forecasts.of(id)
    }

    /// The session as a Markdown report, with its secrets hidden.
    pub async fn report(&self, id: SessionId) -> Result<String, EngineError> {
        let state = self.shared.journal.load(id).await?.value;
        let records = self.shared.journal.events(id, 0).await?.value;
        Ok(self.shared.redactor.text(&journal::report(&state, &records)))
    }

    /// The same report as an HTML page that stands alone: no script, nothing loaded, no address in it.
    pub async fn report_page(&self, id: SessionId) -> Result<String, EngineError> {
        Ok(journal::page(&self.report(id).await?))
    }

    /// What asking the stronger model about the failure that the run is stuck at may cost; `None` when the run is not
    /// stuck, or no stronger model is set.
    pub async fn escalation_estimate(&self, id: SessionId) -> Result<Option<QuestionEstimate>, EngineError> {
        let state = self.open_session(id).await?;
        let records = self.shared.journal.events(id, 0).await?.value;
        Ok(session::estimate(&self.shared, &state, &records))
    }

    pub async fn export_plan(&self, id: SessionId, format: PlanFormat) -> Result<String, EngineError> {
        let state = self.open_session(id).await?;
        let plan = state
            .plan
            .ok_or_else(|| EngineError::new(ErrorCode::NotNow, "This session has no plan to export."))?;
        match format {
            PlanFormat::Sh => Ok(export::to_script(&plan)),
            PlanFormat::Md => Ok(export::to_markdown(&plan)),
            PlanFormat::Json => export::to_json(&plan),
        }
    }

    pub fn settings(&self) -> Settings {
        self.shared.settings()
    }

    pub async fn set_settings(&self, settings: Settings) -> Result<(), EngineError> {
        self.shared.journal.put_settings(settings.clone()).await?;
        let before = self.shared.settings.send_replace(settings.clone());
        self.shared.hub.publish(Update::Settings { settings: settings.clone() });
        self.switch_models(&before, &settings).await;
        Ok(())
    }

    /// Other settings for this program's time, not kept.
    pub fn use_settings(&self, settings: Settings) {
        self.shared.settings.send_replace(settings);
    }

    async fn publish_sessions(&self) -> Result<(), EngineError> {
        let sessions = self.shared.journal.sessions("").await?;
        self.shared.hub.publish(Update::Sessions { sessions });
        Ok(())
    }

    /// Sends to the session's task, which is started when it is first needed.
    async fn send(&self, id: SessionId, message: Message) -> Result<(), EngineError> {
        let mut sessions = self.sessions.lock().await;
        let sender = match sessions.get(&id).filter(|sender| !sender.is_closed()) {
            Some(sender) => sender.clone(),
            None => {
                let sender = session::open(Arc::clone(&self.shared), id).await?;
                sessions.insert(id, sender.clone());
                sender
            }
        };
        drop(sessions);
        sender.send(message).await.map_err(|_| gone())
    }

    /// A shell state for judging commands in a folder before anything has run there.
    fn shell_in(cwd: &str) -> ShellState {
        ShellState { cwd: cwd.to_owned(), ..ShellState::default() }
    }
}

/// Work that waits for the disk, on a thread of its own.
async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, EngineError>
where
    T: Send + 'static,
    E: Into<EngineError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(Into::into),
        Err(error) => Err(EngineError::new(ErrorCode::Internal, format!("The work broke off: {error}."))),
    }
}

fn gone() -> EngineError {
    EngineError::new(ErrorCode::Internal, "The session's task has ended. Open the session again.")
}
