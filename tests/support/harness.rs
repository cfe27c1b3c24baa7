use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use planwright_engine::engine::{Attendance, Engine, EngineConfig, ImportSource, Updates};
use planwright_engine::model::{
    MemoryKeys, ModelError, ModelEvent, ModelProvider, ModelRequest, ModelStream, Models, ProviderKind,
    StopReason, Usage,
};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Approval, ApprovalAnswer, Command, EngineError, ErrorCode, Event, EventRecord, Mode, ModelInfo,
    ModelRole, Plan, PlanState, Price, SessionId, SessionState, StepId, StepState, ToolSupport, Update,
};

/// How long a test waits for an event that must come.
pub const SOON: Duration = Duration::from_secs(60);

/// What a model was asked, without tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MindQuestion {
    pub system: String,
    /// Alternating, starting with the user's side.
    pub messages: Vec<String>,
}

type Script = dyn FnMut(usize, &MindQuestion) -> Result<String, ModelError> + Send;

/// A model that answers from a script and remembers what it was asked. The script gets the number of the question,
/// from 0.
///
/// Being asked to condense what the brain remembers of a run is no question of the script's: it is answered apart.
pub struct ScriptedMind {
    name: &'static str,
    price: Option<Price>,
    script: Mutex<Box<Script>>,
    asked: Mutex<Vec<MindQuestion>>,
    condenses: Mutex<Box<Script>>,
    condensed: Mutex<Vec<MindQuestion>>,
    /// How long it takes to condense.
    condense_delay: Duration,
    /// How long it thinks.
    delay: Duration,
    /// Those who must all have asked before one of them is answered.
    meeting: Option<Meeting>,
    /// What each question counts as read.
    tokens: Option<u32>,
    thinking: AtomicUsize,
}

/// Whose questions, and where they meet.
type Meeting = (fn(&MindQuestion) -> bool, tokio::sync::Barrier);

/// Counts a question as long as somebody waits for its answer.
struct Thinking<'a>(&'a AtomicUsize);

impl Drop for Thinking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl std::fmt::Debug for ScriptedMind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScriptedMind")
    }
}

impl ScriptedMind {
    pub fn new(script: impl FnMut(usize, &MindQuestion) -> String + Send + 'static) -> Arc<Self> {
        let mut script = script;
        Self::fallible(move |number, question| Ok(script(number, question)))
    }

    pub fn fallible(
        script: impl FnMut(usize, &MindQuestion) -> Result<String, ModelError> + Send + 'static,
    ) -> Arc<Self> {
        Self::boxed(Duration::ZERO, Box::new(script))
    }

    fn boxed(delay: Duration, script: Box<Script>) -> Arc<Self> {
        Arc::new(Self {
            name: "scripted",
            price: None,
            script: Mutex::new(script),
            asked: Mutex::default(),
            condenses: Mutex::new(Box::new(|_, _| Ok("It failed before.".to_owned()))),
            condensed: Mutex::default(),
            condense_delay: Duration::ZERO,
            delay,
            meeting: None,
            tokens: None,
            thinking: AtomicUsize::new(0),
        })
    }

    /// The same mind under another name, with a price.
    ///
    /// # Panics
    /// When it is in use already.
    #[must_use]
    pub fn named(self: Arc<Self>, name: &'static str, price: Option<Price>) -> Arc<Self> {
        let mind = Arc::into_inner(self).expect("a mind is named before it is used");
        Arc::new(Self { name, price, ..mind })
    }

    /// With a script of its own for condensing, and the time that it takes.
    ///
    /// # Panics
    /// When it is in use already.
    #[must_use]
    pub fn condensing(
        self: Arc<Self>,
        condense_delay: Duration,
        script: impl FnMut(usize, &MindQuestion) -> Result<String, ModelError> + Send + 'static,
    ) -> Arc<Self> {
        let mind = Arc::into_inner(self).expect("a mind is made before it is used");
        Arc::new(Self { condenses: Mutex::new(Box::new(script)), condense_delay, ..mind })
    }

    /// Answers those whose question fits only when `all` of them have asked.
    ///
    /// # Panics
    /// When it is in use already.
    #[must_use]
    pub fn meeting(self: Arc<Self>, all: usize, fits: fn(&MindQuestion) -> bool) -> Arc<Self> {
        let mind = Arc::into_inner(self).expect("a mind is made before it is used");
        Arc::new(Self { meeting: Some((fits, tokio::sync::Barrier::new(all))), ..mind })
    }

    /// Takes its time over each answer.
    ///
    /// # Panics
    /// When it is in use already.
    #[must_use]
    pub fn taking(self: Arc<Self>, delay: Duration) -> Arc<Self> {
        let mind = Arc::into_inner(self).expect("a mind is made before it is used");
        Arc::new(Self { delay, ..mind })
    }

    /// Tells so many tokens as read with each answer.
    ///
    /// # Panics
    /// When it is in use already.
    #[must_use]
    pub fn counting(self: Arc<Self>, tokens: u32) -> Arc<Self> {
        let mind = Arc::into_inner(self).expect("a mind is made before it is used");
        Arc::new(Self { tokens: Some(tokens), ..mind })
    }

    /// Questions whose answer somebody waits for now.
    pub fn thinking(&self) -> usize {
        self.thinking.load(Ordering::SeqCst)
    }

    /// One that takes its time over each answer.
    pub fn slow(
        delay: Duration,
        mut script: impl FnMut(usize, &MindQuestion) -> String + Send + 'static,
    ) -> Arc<Self> {
        Self::boxed(delay, Box::new(move |number, question: &MindQuestion| Ok(script(number, question))))
    }

    fn note(&self, question: &MindQuestion) -> usize {
        let mut asked = self.asked.lock().expect("no test panics in here");
        asked.push(question.clone());
        asked.len() - 1
    }

    /// Everything that it was to condense so far.
    pub fn condensed(&self) -> Vec<MindQuestion> {
        self.condensed.lock().expect("no test panics in here").clone()
    }

    /// Everything else it was asked so far.
    pub fn asked(&self) -> Vec<MindQuestion> {
        self.asked.lock().expect("no test panics in here").clone()
    }
}

#[async_trait::async_trait]
impl ModelProvider for ScriptedMind {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn info(&self) -> ModelInfo {
        ModelInfo {
            provider: ProviderKind::Local,
            model: self.name(),
            base_url: String::new(),
            tools: ToolSupport::Unknown,
            context_tokens: None,
            price: self.price,
        }
    }

    /// The same script behind the streaming call.
    fn stream(&self, request: ModelRequest, _cancel: tokio::sync::watch::Receiver<bool>) -> ModelStream {
        let messages = request.messages.iter().map(|message| format!("{:?}", message.content)).collect();
        let question = MindQuestion { system: request.system, messages };
        let number = self.note(&question);
        let answer = (self.script.lock().expect("no test panics in here"))(number, &question);
        let events: Vec<_> = match answer {
            Ok(text) => {
                vec![Ok(ModelEvent::Text { text }), Ok(ModelEvent::Stop { reason: StopReason::EndTurn })]
            }
            Err(error) => vec![Err(error)],
        };
        Box::pin(futures_util::stream::iter(events))
    }

    async fn call_raw(
        &self,
        system: &str,
        messages: &[String],
        _schema: Option<&serde_json::Value>,
        heard: &(dyn for<'e> Fn(&'e ModelEvent) + Send + Sync),
    ) -> Result<String, ModelError> {
        let question = MindQuestion { system: system.to_owned(), messages: messages.to_vec() };
        if system.starts_with("You condense") {
            let number = {
                let mut condensed = self.condensed.lock().expect("no test panics in here");
                condensed.push(question.clone());
                condensed.len() - 1
            };
            tokio::time::sleep(self.condense_delay).await;
            return (self.condenses.lock().expect("no test panics in here"))(number, &question);
        }
        let number = self.note(&question);
        self.thinking.fetch_add(1, Ordering::SeqCst);
        let _thinking = Thinking(&self.thinking);
        tokio::time::sleep(self.delay).await;
        if let Some((_, barrier)) = self.meeting.as_ref().filter(|(fits, _)| fits(&question)) {
            barrier.wait().await;
        }
        if let Some(input_tokens) = self.tokens {
            heard(&ModelEvent::Usage { usage: Usage { input_tokens, ..Usage::default() } });
        }
        (self.script.lock().expect("no test panics in here"))(number, &question)
    }
}

/// A model's answer that replaces the command.
pub fn modify(command: &str) -> String {
    serde_json::json!({"action": "modify", "reasoning": "try this", "modifiedCommand": command}).to_string()
}

/// A model's answer that inserts steps with these commands.
pub fn insert(commands: &[&str]) -> String {
    let steps: Vec<_> = commands
        .iter()
        .map(|command| serde_json::json!({"title": command, "command": command, "why": "it helps"}))
        .collect();
    serde_json::json!({"action": "insert_steps", "reasoning": "this first", "newSteps": steps}).to_string()
}

/// A plan as JSON: a plain sequence of these commands with the ids "s1", "s2" and so on.
pub fn sequence(commands: &[&str]) -> String {
    let steps: Vec<_> = (1..)
        .zip(commands)
        .map(|(number, command)| serde_json::json!({"id": format!("s{number}"), "command": command}))
        .collect();
    serde_json::json!({"title": "a test", "steps": steps}).to_string()
}

/// An engine on a data folder and a workspace of its own, and one session.
#[derive(Debug)]
pub struct Harness {
    folders: Arc<tempfile::TempDir>,
    pub engine: Engine,
    updates: Updates,
    /// Events of the session seen by this harness, in order.
    pub seen: Vec<EventRecord>,
    pub session: SessionId,
}

impl Harness {
    /// A user at the screen, and no model.
    pub async fn new(plan: &str) -> Self {
        Self::with(plan, Attendance::User, None).await
    }

    pub async fn with_mind(plan: &str, mind: &Arc<ScriptedMind>) -> Self {
        Self::with(plan, Attendance::User, Some(Arc::clone(mind))).await
    }

    /// Nobody at the screen; `policy` is a policy file's text.
    pub async fn unattended(plan: &str, policy: &str, mind: Option<Arc<ScriptedMind>>) -> Self {
        let policy = PolicyFile::parse(policy).expect("the test's policy is one");
        Self::with(plan, Attendance::Nobody(policy), mind).await
    }

    pub async fn with(plan: &str, attendance: Attendance, mind: Option<Arc<ScriptedMind>>) -> Self {
        Self::with_models(plan, attendance, models(mind)).await
    }

    /// A user at the screen, and two models.
    pub async fn with_stronger(plan: &str, main: &Arc<ScriptedMind>, stronger: &Arc<ScriptedMind>) -> Self {
        let models = models(Some(Arc::clone(main)));
        models.set_provider(ModelRole::Stronger, Some(Arc::clone(stronger) as Arc<dyn ModelProvider>));
        Self::with_models(plan, Attendance::User, models).await
    }

    /// A session without a plan, and up to two models.
    pub async fn empty(
        attendance: Attendance,
        main: &Arc<ScriptedMind>,
        stronger: Option<&Arc<ScriptedMind>>,
    ) -> Self {
        let models = models(Some(Arc::clone(main)));
        models.set_provider(
            ModelRole::Stronger,
            stronger.map(|mind| Arc::clone(mind) as Arc<dyn ModelProvider>),
        );
        let folders = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folders.path().join("work")).expect("a workspace");
        let engine = spawn(&folders.path().join("home"), attendance, models).await;
        let updates = engine.subscribe();
        let work = folders.path().join("work").display().to_string();
        let state = engine.create_session(None, Some(work)).await.expect("a session is made");
        Self { folders: Arc::new(folders), engine, updates, seen: Vec::new(), session: state.id }
    }

    async fn with_models(plan: &str, attendance: Attendance, models: Models) -> Self {
        let folders = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folders.path().join("work")).expect("a workspace");
        let engine = spawn(&folders.path().join("home"), attendance, models).await;
        let updates = engine.subscribe();
        let work = folders.path().join("work").display().to_string();
        let name = if plan.trim_start().starts_with('{') { "plan.json" } else { "page.md" };
        let source = ImportSource { name: name.to_owned(), bytes: plan.as_bytes().to_owned(), path: None };
        let state = engine.import(source, Some(work), None).await.expect("the test's plan is one");
        Self { folders: Arc::new(folders), engine, updates, seen: Vec::new(), session: state.id }
    }

    pub fn home(&self) -> PathBuf {
        home(&self.folders)
    }

    /// A path in the workspace.
    pub fn work(&self, name: &str) -> PathBuf {
        work(&self.folders, name)
    }

    /// Lines of a file in the workspace; 0 when there is none. What a step appends counts its runs.
    pub fn lines(&self, name: &str) -> usize {
        self.text(name).lines().count()
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.work(name)).unwrap_or_default()
    }

    /// Ends the engine as a program does that quits, and starts another on the same data folder.
    pub async fn restart(self, attendance: Attendance, mind: Option<Arc<ScriptedMind>>) -> Self {
        self.closed().await.reopened(attendance, mind).await
    }

    /// Ends the engine and waits until its data folder is free.
    pub async fn closed(self) -> Closed {
        let Self { folders, engine, updates, session, .. } = self;
        drop((engine, updates));
        let closed = Closed { folders, session };
        drop(spawn(&closed.home(), Attendance::User, models(None)).await);
        closed
    }

    pub async fn submit(&self, command: Command) -> Result<(), EngineError> {
        self.engine.submit(self.session, command).await
    }

    /// Submits what must be accepted.
    pub async fn tell(&self, command: Command) {
        let words = format!("{command:?}");
        self.submit(command).await.unwrap_or_else(|error| panic!("{words}: {error}"));
    }

    /// The code that a command is refused with.
    pub async fn refusal(&self, command: Command) -> ErrorCode {
        let words = format!("{command:?}");
        self.submit(command).await.map(|()| panic!("{words} was accepted")).unwrap_err().code
    }

    pub async fn start(&self, mode: Mode) {
        self.tell(Command::Start { mode: Some(mode) }).await;
    }

    pub async fn answer(&self, approval: &Approval, answer: ApprovalAnswer) {
        self.tell(Command::Answer { approval_id: approval.id, answer }).await;
    }

    pub async fn state(&self) -> SessionState {
        self.engine.open_session(self.session).await.expect("the session opens")
    }

    pub async fn plan(&self) -> Plan {
        self.state().await.plan.expect("the session has a plan")
    }

    pub async fn step(&self, id: &str) -> StepState {
        self.plan().await.step(&StepId::from(id)).expect("the plan has the step").state.clone()
    }

    /// The next event that fits. The ones before it are passed over; all are kept in `seen`.
    ///
    /// # Panics
    /// When it does not come in time, with what came instead.
    pub async fn wait_for(&mut self, what: &str, fits: impl Fn(&Event) -> bool) -> Event {
        let from = self.seen.len();
        let waited = tokio::time::timeout(SOON, async {
            loop {
                match self.updates.next().await {
                    Some(Update::Event { record }) if record.session_id == self.session => {
                        let found = fits(&record.event).then(|| record.event.clone());
                        self.seen.push(record);
                        if let Some(event) = found {
                            return event;
                        }
                    }
                    Some(Update::Problem { error, .. }) => panic!("{what}: {error}"),
                    Some(_) => {}
                    None => panic!("the engine ended before: {what}"),
                }
            }
        })
        .await;
        waited.unwrap_or_else(|_| panic!("never came: {what}. Came: {:#?}", names(&self.seen[from..])))
    }

    /// Waits until the run ends, pauses or is stuck, and returns the plan.
    pub async fn settled(&mut self) -> Plan {
        self.wait_for("the end of the run", |event| {
            matches!(
                event,
                Event::PlanCompleted { .. }
                    | Event::PlanFailed { .. }
                    | Event::PlanCancelled { .. }
                    | Event::PlanPaused { .. }
                    | Event::AgentStuck { .. }
            )
        })
        .await;
        // Several events may have been written at once; the state has them all.
        let plan = self.plan().await;
        while let Some(update) = self.updates.try_next() {
            if let Update::Event { record } = update {
                self.seen.push(record);
            }
        }
        plan
    }

    /// Waits for a question.
    pub async fn question(&mut self) -> Approval {
        let event = self.wait_for("a question", |event| matches!(event, Event::ApprovalNeeded { .. })).await;
        match event {
            Event::ApprovalNeeded { approval } => approval,
            other => panic!("{other:?}"),
        }
    }

    pub async fn wait_started(&mut self, id: &str) {
        let id = StepId::from(id);
        self.wait_for(
            "a step's start",
            |event| matches!(event, Event::StepStarted { step_id, .. } if *step_id == id),
        )
        .await;
    }

    /// Names of all events of the session, from the journal.
    pub async fn names(&self) -> Vec<String> {
        names(&self.events().await)
    }

    pub async fn events(&self) -> Vec<EventRecord> {
        self.engine.events(self.session, 0).await.expect("the journal reads")
    }
}

/// A session whose engine has ended.
#[derive(Debug)]
pub struct Closed {
    folders: Arc<tempfile::TempDir>,
    session: SessionId,
}

impl Closed {
    pub fn home(&self) -> PathBuf {
        home(&self.folders)
    }

    pub fn work(&self, name: &str) -> PathBuf {
        work(&self.folders, name)
    }

    pub fn lines(&self, name: &str) -> usize {
        std::fs::read_to_string(self.work(name)).map_or(0, |text| text.lines().count())
    }

    pub async fn reopened(self, attendance: Attendance, mind: Option<Arc<ScriptedMind>>) -> Harness {
        let engine = spawn(&self.home(), attendance, models(mind)).await;
        let updates = engine.subscribe();
        let Self { folders, session } = self;
        let harness = Harness { folders, engine, updates, seen: Vec::new(), session };
        harness.state().await;
        harness
    }
}

fn models(mind: Option<Arc<ScriptedMind>>) -> Models {
    Models::of(mind.map(|mind| mind as Arc<dyn ModelProvider>))
}

fn home(folders: &tempfile::TempDir) -> PathBuf {
    folders.path().join("home")
}

fn work(folders: &tempfile::TempDir, name: &str) -> PathBuf {
    folders.path().join("work").join(name)
}

/// The wire names of events.
pub fn names(records: &[EventRecord]) -> Vec<String> {
    let name = |record: &EventRecord| {
        let json = serde_json::to_value(&record.event).expect("an event is JSON");
        json["type"].as_str().unwrap_or_default().to_owned()
    };
    records.iter().map(name).collect()
}

/// Whether a plan is stuck, and why.
pub fn stuck_reason(plan: &Plan) -> Option<&planwright_engine::protocol::StuckReason> {
    match &plan.state {
        PlanState::Stuck { reason, .. } => Some(reason),
        _ => None,
    }
}

/// Starts an engine; one that has just ended may hold its folder for a moment longer.
async fn spawn(home: &Path, attendance: Attendance, models: Models) -> Engine {
    let until = tokio::time::Instant::now() + SOON;
    loop {
        let config = EngineConfig {
            home: home.to_owned(),
            worker: crate::worker(),
            attendance: attendance.clone(),
            models: models.clone(),
            keys: Arc::new(MemoryKeys::default()),
        };
        match Engine::spawn(config).await {
            Err(error) if error.code == ErrorCode::NotNow && tokio::time::Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            other => return other.expect("the engine starts"),
        }
    }
}
