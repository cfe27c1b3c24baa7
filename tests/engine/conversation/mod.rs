//! The conversation through the engine's door, against a server that refuses what a real provider would refuse.

mod abort;
mod bounds;
mod broken;
mod endings;
mod gate;
mod instructions;
mod rounds;
mod routes;
mod servers;
mod undo;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use planwright_engine::engine::{Attendance, Engine, EngineConfig, Updates};
use planwright_engine::model::{
    Limits, MemoryKeys, ModelProvider, ModelRequest, ModelStream, Models, Provider, ProviderKind,
};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Approval, ApprovalAnswer, Command, EngineError, ErrorCode, Event, EventRecord, ModelInfo, Route,
    SessionId, SessionState, Settings, ToolResult, TurnEnd, Update,
};
use planwright_tests::SOON;
use planwright_tests::chat_server::{ChatServer, Say};
use planwright_tests::model_server::ModelServer;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::watch;

/// An engine that talks with a scripted server, and one session in a folder of its own.
pub(crate) struct Talk {
    pub(crate) engine: Engine,
    updates: Updates,
    session: SessionId,
    pub(crate) server: ChatServer,
    pub(crate) seen: Vec<EventRecord>,
    folders: TempDir,
    /// A server of another kind, for as long as the conversation lasts.
    kept: Option<ModelServer>,
}

impl Talk {
    pub(crate) async fn new(script: impl FnMut(usize, &Value) -> Say + Send + 'static) -> Self {
        Self::with(ProviderKind::Local, Attendance::User, script).await
    }

    /// Nobody at the screen; `policy` is a policy file's text.
    pub(crate) async fn unattended(
        policy: &str,
        script: impl FnMut(usize, &Value) -> Say + Send + 'static,
    ) -> Self {
        let policy = PolicyFile::parse(policy).unwrap();
        Self::with(ProviderKind::Local, Attendance::Nobody(policy), script).await
    }

    /// With a model that reads so many tokens at once.
    pub(crate) async fn in_room(
        tokens: u32,
        script: impl FnMut(usize, &Value) -> Say + Send + 'static,
    ) -> Self {
        Self::furnished(ProviderKind::Local, Attendance::User, Some(tokens), script).await
    }

    async fn with(
        kind: ProviderKind,
        attendance: Attendance,
        script: impl FnMut(usize, &Value) -> Say + Send + 'static,
    ) -> Self {
        Self::furnished(kind, attendance, None, script).await
    }

    async fn furnished(
        kind: ProviderKind,
        attendance: Attendance,
        room: Option<u32>,
        script: impl FnMut(usize, &Value) -> Say + Send + 'static,
    ) -> Self {
        let server = ChatServer::start(script).await;
        let folders = tempfile::tempdir().unwrap();
        std::fs::create_dir(folders.path().join("work")).unwrap();
        let engine = try_engine(folders.path(), kind, attendance, &server.url(), room).await.unwrap();
        let updates = engine.subscribe();
        let work = folders.path().join("work").display().to_string();
        let state = engine.create_session(None, Some(work)).await.unwrap();
        Self { engine, updates, session: state.id, server, seen: Vec::new(), folders, kept: None }
    }

    /// With another server, by its address.
    async fn of(url: String) -> Self {
        let unused = ChatServer::start(|_, _| Say::default()).await;
        let folders = tempfile::tempdir().unwrap();
        std::fs::create_dir(folders.path().join("work")).unwrap();
        let engine =
            try_engine(folders.path(), ProviderKind::Local, Attendance::User, &url, None).await.unwrap();
        let updates = engine.subscribe();
        let work = folders.path().join("work").display().to_string();
        let state = engine.create_session(None, Some(work)).await.unwrap();
        Self { engine, updates, session: state.id, server: unused, seen: Vec::new(), folders, kept: None }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.folders.path().join("work").canonicalize().unwrap()
    }

    async fn set(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.engine.settings();
        change(&mut settings);
        self.engine.set_settings(settings).await.unwrap();
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.submit(Command::Say { text: text.to_owned(), route: Route::Chat, replaces: None }).await;
    }

    async fn submit(&mut self, command: Command) {
        self.engine.submit(self.session, command).await.unwrap();
    }

    /// Says something and waits for the end of the turn.
    pub(crate) async fn turn(&mut self, text: &str) -> TurnEnd {
        self.say(text).await;
        self.end().await
    }

    pub(crate) async fn end(&mut self) -> TurnEnd {
        self.wait(|event| match event {
            Event::TurnEnded { end, .. } => Some(end.clone()),
            _ => None,
        })
        .await
    }

    pub(crate) async fn question(&mut self) -> Approval {
        self.wait(|event| match event {
            Event::ApprovalNeeded { approval } => Some(approval.clone()),
            _ => None,
        })
        .await
    }

    pub(crate) async fn answer(&mut self, approval: &Approval, answer: ApprovalAnswer) {
        self.submit(Command::Answer { approval_id: approval.id, answer }).await;
    }

    /// The first event from now on that `wanted` makes something of.
    pub(crate) async fn wait<T>(&mut self, mut wanted: impl FnMut(&Event) -> Option<T>) -> T {
        let found = async {
            loop {
                let Some(Update::Event { record }) = self.updates.next().await else { continue };
                if record.session_id != self.session {
                    continue;
                }
                let found = wanted(&record.event);
                self.seen.push(record);
                if let Some(found) = found {
                    return found;
                }
            }
        };
        let found = tokio::time::timeout(SOON, found).await;
        found.unwrap_or_else(|_| panic!("nothing of the kind in {:#?}", self.seen))
    }

    async fn state(&self) -> SessionState {
        self.engine.open_session(self.session).await.unwrap()
    }

    /// The same session in another program: the one before has ended wherever it was.
    async fn restart(self) -> Self {
        let Self { engine, updates, session, server, seen, folders, kept } = self;
        drop((engine, updates));
        let engine = loop {
            // The data folder is free when everything of the engine before is gone.
            let url = server.url();
            match try_engine(folders.path(), ProviderKind::Local, Attendance::User, &url, None).await {
                Ok(engine) => break engine,
                Err(error) if error.code == ErrorCode::NotNow => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Err(error) => panic!("{error}"),
            }
        };
        let updates = engine.subscribe();
        Self { engine, updates, session, server, seen, folders, kept }
    }

    fn results(&self) -> Vec<ToolResult> {
        let result = |record: &EventRecord| match &record.event {
            Event::CallFinished { result, .. } => Some(result.clone()),
            _ => None,
        };
        self.seen.iter().filter_map(result).collect()
    }

    /// The results that the model was told with its latest question.
    fn told(&self) -> Vec<String> {
        let body = self.server.bodies().pop().unwrap();
        let messages = body["messages"].as_array().unwrap().clone();
        let results = messages.iter().filter(|message| message["role"] == "tool");
        results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }
}

/// A model whose room is known.
#[derive(Debug)]
struct Roomy {
    provider: Provider,
    room: Option<u32>,
}

impl ModelProvider for Roomy {
    fn name(&self) -> String {
        self.provider.name()
    }

    fn info(&self) -> ModelInfo {
        let info = self.provider.info();
        ModelInfo { context_tokens: self.room.or(info.context_tokens), ..info }
    }

    fn stream(&self, request: ModelRequest, cancel: watch::Receiver<bool>) -> ModelStream {
        self.provider.stream(request, cancel)
    }
}

async fn try_engine(
    folders: &Path,
    kind: ProviderKind,
    attendance: Attendance,
    url: &str,
    room: Option<u32>,
) -> Result<Engine, EngineError> {
    let limits = Limits { attempts: 2, first_wait: Duration::from_millis(10), ..Limits::default() };
    let key = (kind != ProviderKind::Local).then(|| "key".to_owned().into());
    let provider = Provider::new(kind, Some(url), "scripted".to_owned(), key).unwrap().with_limits(limits);
    let config = EngineConfig {
        home: folders.join("home"),
        worker: planwright_tests::worker(),
        attendance,
        models: Models::of(Some(Arc::new(Roomy { provider, room }) as Arc<dyn ModelProvider>)),
        keys: Arc::new(MemoryKeys::default()),
    };
    Engine::spawn(config).await
}

const ONCE: ApprovalAnswer = ApprovalAnswer::AllowOnce { edited_command: None };
