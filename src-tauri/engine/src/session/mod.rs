//! One owner per session: a task that owns the state, receives commands, and walks the plan. Nobody else changes a
//! session. Every change is an event, appended to the journal before it is applied and published.
//!
//! While something takes long (a command, the brain, a person) the task goes on answering commands; see
//! [`Session::attend`].

mod admission;
mod attempt;
mod classifier;
mod consent;
mod control;
mod conversation;
mod draft;
mod ended;
mod errand;
mod escalation;
mod foretell;
mod gate;
mod goal;
mod grants;
mod habits;
mod history;
mod hub;
mod idle;
mod inputs;
mod instructions;
mod jobs;
mod list;
mod machine;
mod mending;
mod needs;
mod readiness;
mod recovery;
mod room;
mod run;
mod services;
mod skipping;
mod sorting;
mod undo;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

pub(crate) use classifier::RiskClassifier;
pub(crate) use escalation::estimate;
pub(crate) use grants::Remembered;
pub(crate) use hub::Hub;
pub use hub::Updates;
pub(crate) use sorting::question as sorting_question;

use crate::attention::{Board, Seat};
use crate::brain::context::{self, AgentContext};
use crate::brain::{AgentBrain, Answers};
use crate::checkpoint::Checkpoints;
use crate::context::Transcript;
use crate::forecast::Forecasts;
use crate::journal::{self, Durability, Journal};
use crate::model::{Models, Notes};
use crate::policy::PolicyFile;
use crate::protocol::{
    Command, EngineError, ErrorCode, Event, Plan, ServiceEnd, SessionId, SessionState, SessionStatus,
    Settings, ShellState, StepId, Update,
};
use crate::redact::Redactor;
use crate::runner::{LivingShell, Runner, Terminals, Withheld};
use crate::secret::Askpass;
use consent::Consents;
use control::Control;
use habits::Habits;
use history::History;
use list::SessionList;
use run::PlanExecutor;
use services::Services;

/// Who answers when a question comes up.
#[derive(Debug, Clone)]
pub enum Attendance {
    /// A user: questions wait for them.
    User,
    /// A user who can be shown a terminal, in the window or as this program's own: programs that want a keyboard are
    /// offered one, too.
    AtTerminal,
    /// Nobody: a question is a no unless the policy file grants it, and a stuck run stops.
    Nobody(PolicyFile),
}

impl Attendance {
    pub(crate) fn is_somebody(&self) -> bool {
        match self {
            Self::User | Self::AtTerminal => true,
            Self::Nobody(_) => false,
        }
    }
}

/// What every session shares.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) journal: Journal,
    pub(crate) grants: Remembered,
    pub(crate) classifier: RiskClassifier,
    pub(crate) runner: Arc<dyn Runner>,
    /// Hides secrets in whatever is kept, shown or sent.
    pub(crate) redactor: Redactor,
    pub(crate) forecasts: Forecasts,
    pub(crate) checkpoints: Arc<Checkpoints>,
    pub(crate) askpass: Askpass,
    pub(crate) terminals: Terminals,
    pub(crate) brain: AgentBrain,
    pub(crate) models: Models,
    pub(crate) settings: watch::Sender<Settings>,
    pub(crate) attention: Board,
    pub(crate) attendance: Attendance,
    pub(crate) hub: Hub,
    /// The operating system's name, for models.
    pub(crate) system: String,
}

impl Shared {
    pub(crate) fn settings(&self) -> Settings {
        self.settings.borrow().clone()
    }
}

/// Between two looks at what commands have left running, while nothing else goes on.
const LOOK_AT_JOBS: Duration = Duration::from_secs(2);

/// The title of a session until something gives it one.
pub(crate) const UNNAMED: &str = "New session";

/// What a session's task is told.
#[derive(Debug)]
pub(crate) enum Message {
    Command(Command, oneshot::Sender<Result<(), EngineError>>),
    /// A plan to take up, as a draft.
    Adopt(Box<Plan>, oneshot::Sender<Result<(), EngineError>>),
    Snapshot(oneshot::Sender<SessionState>),
}

/// A session's owner. Lives in its task.
#[derive(Debug)]
pub(crate) struct Session {
    shared: Arc<Shared>,
    state: SessionState,
    history: History,
    transcript: Transcript,
    /// What the brain remembers of the run.
    context: AgentContext,
    /// What it answered in this run.
    answers: Answers,
    /// Condenses the context while the run goes on; ends with the session.
    condensing: JoinSet<()>,
    control: Control,
    inbox: mpsc::Receiver<Message>,
    /// What calls of models, and commands that ask for a password, tell while they go on; whoever attends journals it.
    notes: Notes,
    noted: mpsc::UnboundedReceiver<Event>,
    consents: Consents,
    habits: Habits,
    services: Services,
    /// The shell that its commands run in.
    living: LivingShell,
    /// Secret values that the plan asked for.
    withheld: Withheld,
    /// Runs of this session that permissions were given for.
    runs: BTreeSet<String>,
    published: Option<(SessionStatus, u32)>,
    list: SessionList,
    seat: Seat,
}

/// Starts the task that owns the session. The state is the journal's; what a crash left is put right first.
pub(crate) async fn open(shared: Arc<Shared>, id: SessionId) -> Result<mpsc::Sender<Message>, EngineError> {
    let (sender, inbox) = mpsc::channel(64);
    let (notes, noted) = mpsc::unbounded_channel();
    let state = journal::begin(id, "", "", crate::protocol::Time::now());
    let mut session = Session {
        list: SessionList::of(Arc::clone(&shared)),
        seat: shared.attention.seat(id),
        shared,
        state,
        history: History::default(),
        transcript: Transcript::default(),
        context: AgentContext::default(),
        answers: Answers::default(),
        condensing: JoinSet::new(),
        control: Control::default(),
        inbox,
        notes,
        noted,
        consents: Consents::default(),
        habits: Habits::default(),
        services: Services::default(),
        living: LivingShell::default(),
        withheld: Withheld::default(),
        runs: BTreeSet::new(),
        published: None,
    };
    session.reload().await?;
    tokio::spawn(session.live());
    Ok(sender)
}

impl Session {
    /// Takes the state from the journal, and records what the end of the program before left behind.
    async fn reload(&mut self) -> Result<(), EngineError> {
        // What runs on without a true record of it is worse than its end.
        self.services = Services::default();
        let id = self.state.id;
        let loaded = self.shared.journal.load(id).await?;
        let events = self.shared.journal.events(id, 0).await?;
        self.state = loaded.value;
        self.history = History::of(&events.value);
        self.habits = Habits::of(&events.value);
        self.transcript = Transcript::of(&events.value);
        self.context = AgentContext::of(&events.value);
        self.consents.clear();
        self.control = Control::default();
        self.seat.tell(&self.state, None);
        self.emit(journal::recover(&self.state)).await?;
        self.forget_lost_secrets().await?;
        self.tell_of_undos().await
    }

    async fn live(mut self) {
        // Questions that were open when the program ended are open again; nothing runs without their answer.
        if self.is_under_way() {
            self.lead().await;
        }
        while let Some(message) = self.next_idle_message().await {
            self.control = Control::default();
            match message {
                Message::Snapshot(reply) => drop(reply.send(self.state.clone())),
                Message::Adopt(plan, reply) => {
                    let adopted = self.adopt(*plan).await;
                    drop(reply.send(adopted));
                }
                Message::Command(command, reply) => {
                    let result = self.command(command).await;
                    let go_on = matches!(result, Ok(true));
                    drop(reply.send(result.map(|_| ())));
                    if go_on {
                        self.lead().await;
                    }
                }
            }
            if let Err(error) = self.end_run_grants().await {
                tracing::error!("permissions of a run that is over could not be ended: {error}");
            }
        }
        if let Err(error) = self.end_all_services(ServiceEnd::SessionEnded).await {
            tracing::error!("the end of a service could not be recorded: {error}");
        }
        if let Err(error) = self.close_shell().await {
            tracing::error!("the end of what a command left running could not be recorded: {error}");
        }
        self.list.finish().await;
    }

    /// The next message while nothing runs; what a call in the background tells meanwhile is recorded.
    async fn next_idle_message(&mut self) -> Option<Message> {
        loop {
            tokio::select! {
                biased;
                message = self.inbox.recv() => return message,
                () = tokio::time::sleep(LOOK_AT_JOBS), if !self.state.jobs.is_empty() => {
                    if let Err(error) = self.look_at_jobs().await {
                        tracing::error!("the end of a command could not be recorded: {error}");
                    }
                }
                Some(event) = self.noted.recv() => {
                    if let Err(error) = self.note(event).await {
                        tracing::error!("a model's use could not be recorded: {error}");
                    }
                }
            }
        }
    }

    async fn adopt(&mut self, plan: Plan) -> Result<(), EngineError> {
        if self.is_under_way() {
            return Err(not_now("A plan is running. Stop it first."));
        }
        if self.has_open_goal() {
            return Err(not_now("A goal is open here. Stop it first, or start a new session."));
        }
        self.forget_run();
        self.look_ahead();
        self.take_secrets_of(&plan);
        self.emit(vec![Event::PlanGenerated { plan }]).await?;
        // A plan that says itself that it has some.
        self.forget_lost_secrets().await
    }

    /// What belonged to the plan before goes with it.
    fn forget_run(&mut self) {
        self.history = History::default();
        self.answers = Answers::default();
        self.condensing.abort_all();
        self.consents.clear();
        self.withheld = Withheld::default();
    }

    /// Records what a call of a model told, and warns when a cap comes near.
    async fn note(&mut self, event: Event) -> Result<(), EngineError> {
        let before = self.state.usage;
        self.emit(vec![event]).await?;
        let warnings = conversation::caps::warnings(&before, &self.state.usage, &self.shared.settings());
        self.emit(warnings).await
    }

    /// Records what calls of models have told so far.
    async fn take_notes(&mut self) -> Result<(), EngineError> {
        while let Ok(event) = self.noted.try_recv() {
            self.note(event).await?;
        }
        Ok(())
    }

    /// Leads the run; an error that no event can record is published and the state taken from the journal again.
    async fn lead(&mut self) {
        self.seat.led();
        let led = match &self.state.conversation.turn {
            Some(_) => self.turns().await,
            None if self.has_open_goal() => self.pursue().await,
            None => PlanExecutor::of(self).run().await,
        };
        if let Err(error) = led {
            tracing::error!(code = ?error.code, "the run broke off: {error}");
            self.shared.hub.publish(Update::Problem { session_id: Some(self.state.id), error });
            if let Err(error) = self.reload().await {
                tracing::error!("the session could not be read again: {error}");
            }
        }
        self.seat.rest();
        if self.is_over() {
            // What the user ticked was for this run.
            self.consents.clear();
        }
    }

    /// Appends, applies, publishes, in this order.
    async fn emit(&mut self, events: Vec<Event>) -> Result<(), EngineError> {
        self.emit_with(events, Durability::Normal).await
    }

    async fn emit_with(&mut self, events: Vec<Event>, durability: Durability) -> Result<(), EngineError> {
        if events.is_empty() {
            return Ok(());
        }
        let records = match self.shared.journal.try_append(self.state.id, events, durability).await? {
            Ok(records) => records,
            Err(refused) => self.hold(refused, durability).await?,
        };
        let ended = Seat::ending(&records);
        for record in records {
            journal::apply(&mut self.state, &record)
                .map_err(|impossible| EngineError::new(ErrorCode::Internal, format!("{impossible}.")))?;
            self.history.apply(&record.event);
            self.habits.apply(&record.event);
            self.services.apply(&record.event);
            self.transcript.apply(&record.event);
            self.context.apply(&record.event);
            self.shared.hub.publish(Update::Event { record });
        }
        self.seat.tell(&self.state, ended);
        self.condense();
        self.publish_summary();
        Ok(())
    }

    /// Has the oldest of what the brain remembers condensed by the model, one part at a time. What comes of it arrives as
    /// an event like those of any call of a model; nothing waits for it.
    fn condense(&mut self) {
        while self.condensing.try_join_next().is_some() {}
        if !self.condensing.is_empty() || !self.is_under_way() {
            return;
        }
        let (Some(these), Some(model)) = (self.context.to_condense(), self.shared.models.main()) else {
            return;
        };
        let notes = self.notes.clone();
        self.condensing.spawn(async move { context::condense(model.as_ref(), these, notes).await });
    }

    /// The list of sessions is sent when this session's line in it would read differently.
    fn publish_summary(&mut self) {
        let done = self.state.plan.as_ref().map_or(0, |plan| {
            plan.steps.iter().filter(|step| step.state.is_finished()).count() as u32 + plan.revision * 1000
        });
        let done = done + self.state.goal.as_ref().map_or(0, |goal| goal.todo_number * 1000 + goal.iteration);
        let line = (journal::status(&self.state), done);
        if self.published == Some(line) || !self.shared.hub.has_subscribers() {
            return;
        }
        self.published = Some(line);
        self.list.changed();
    }

    /// The shell state that a step starts from: what the steps before it left, and for one that ran before what its
    /// first attempt started from, as its repairs left it.
    fn shell_for(&self, id: &StepId) -> ShellState {
        let kept = self.state.shell_before.iter().find(|kept| kept.step_id == *id);
        self.with_inputs(kept.map_or(&self.state.shell, |kept| &kept.state))
    }

    fn is_under_way(&self) -> bool {
        use crate::protocol::PlanState as P;
        if self.state.goal.as_ref().is_some_and(crate::protocol::GoalState::is_under_way) {
            return true;
        }
        match self.state.plan.as_ref().map(|plan| &plan.state) {
            Some(P::Running | P::Recovering { .. }) => true,
            Some(
                P::Draft
                | P::Ready
                | P::Paused { .. }
                | P::Stuck { .. }
                | P::Completed
                | P::Failed { .. }
                | P::Cancelled,
            )
            | None => false,
        }
    }

    fn is_over(&self) -> bool {
        use crate::protocol::PlanState as P;
        match self.state.plan.as_ref().map(|plan| &plan.state) {
            Some(P::Completed | P::Failed { .. } | P::Cancelled) => true,
            Some(
                P::Draft | P::Ready | P::Running | P::Recovering { .. } | P::Paused { .. } | P::Stuck { .. },
            )
            | None => false,
        }
    }

    fn plan(&self) -> Result<&Plan, EngineError> {
        self.state
            .plan
            .as_ref()
            .ok_or_else(|| not_now("There is no plan yet. Import a page or a script first."))
    }
}

fn not_now(message: impl Into<String>) -> EngineError {
    EngineError::new(ErrorCode::NotNow, message)
}
