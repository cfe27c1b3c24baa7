use serde::{Deserialize, Serialize};

use super::{
    AnswerDelta, Approval, Checkpoint, Conversation, EngineError, Event, GivenValue, GoalProgress,
    GoalQuestionId, GoalRequest, GoalState, Grant, Instructions, Job, MendedPage, MessageId, Mode,
    ModelStatus, OutputChunk, Plan, RevisionEntry, Route, SecretRequest, Service, ServiceId, SessionId,
    Settings, ShellState, StepId, StepResult, TerminalRun, Time, Todo, UndoRecord, UndoTarget,
};

/// The recovery budgets, always shown as used of allowed (A4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// The step that the attempts belong to; `None` before the first step runs.
    pub step_id: Option<StepId>,
    /// Attempts of that step so far, the first one counted.
    pub attempt: u32,
    pub attempts_allowed: u32,
    pub corrections: u32,
    pub corrections_allowed: u32,
    pub added: u32,
    pub added_allowed: u32,
}

/// A session's state: a fold over its journal, the same code on load and live.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SessionState {
    pub id: SessionId,
    pub title: String,
    /// The workspace: the folder that the session works in.
    pub cwd: String,
    pub created_at: Time,
    /// Number of the last event in here; 0 before the first.
    pub seq: u32,
    pub plan: Option<Plan>,
    /// Every revision of the plan that was, oldest first, the present one included.
    pub revisions: Vec<RevisionEntry>,
    pub results: Vec<StepResult>,
    pub ledger: Ledger,
    pub approvals: Vec<Approval>,
    /// After the last step that left one.
    pub shell: ShellState,
    /// The shell state before each step's first attempt, so that a retry starts where the step did.
    #[serde(default)]
    pub shell_before: Vec<StepShell>,
    /// The brain's question under way.
    pub thinking: Option<Thinking>,
    pub usage: Usage,
    #[serde(default)]
    pub conversation: Conversation,
    /// What was kept before each step and call, for its latest attempt; oldest first, at most [`MAX_CHECKPOINTS`].
    #[serde(default)]
    pub checkpoints: Vec<Checkpoint>,
    /// What running commands ask for now, oldest first.
    #[serde(default)]
    pub secrets: Vec<SecretRequest>,
    /// Those that run, and the last ones that did, oldest first.
    #[serde(default)]
    pub services: Vec<Service>,
    /// What commands have left running in the session's shell.
    #[serde(default)]
    pub jobs: Vec<Job>,
    /// Every undo that was done, oldest first.
    #[serde(default)]
    pub undone: Vec<UndoRecord>,
    /// The page of the plan as it was mended last; an undo of its step takes that back.
    #[serde(default)]
    pub mended: Option<MendedPage>,
    /// The goal that is pursued, or the last one that was.
    #[serde(default)]
    pub goal: Option<GoalState>,
    /// What was run in a terminal: the latest of each step or call, oldest first, at most [`MAX_TERMINALS`].
    #[serde(default)]
    pub terminals: Vec<TerminalRun>,
    /// What the project says about how to work on it, as it was last found; the nearest folder first.
    #[serde(default)]
    pub instructions: Vec<Instructions>,
    /// A step that failed runs again after a wait.
    #[serde(default)]
    pub retry: Option<RetryWait>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RetryWait {
    pub step_id: StepId,
    /// The one that comes, from 1.
    pub attempt: u32,
    pub allowed: u32,
    pub until: Time,
}

/// Runs in terminals that a state tells of.
pub const MAX_TERMINALS: usize = 100;

/// Checkpoints that a state tells of.
pub const MAX_CHECKPOINTS: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StepShell {
    pub step_id: StepId,
    pub state: ShellState,
}

/// Model use; all zero when rules answered everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Everything read, from the cache or not.
    pub input_tokens: u32,
    pub output_tokens: u32,
    /// The part of the input that came from the provider's prompt cache.
    pub cached_tokens: u32,
    pub calls: u32,
    /// Millionths of a US dollar, for the calls whose price is known.
    pub cost_micros: u32,
    /// Calls whose price is not known.
    pub unpriced_calls: u32,
}

impl Usage {
    /// Counts other calls too.
    pub fn add(&mut self, used: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(used.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(used.output_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(used.cached_tokens);
        self.calls = self.calls.saturating_add(used.calls);
        self.cost_micros = self.cost_micros.saturating_add(used.cost_micros);
        self.unpriced_calls = self.unpriced_calls.saturating_add(used.unpriced_calls);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Thinking {
    pub step_id: StepId,
    /// Who is asked: "field guide" or a model's name.
    pub asking: String,
    /// What is asked, in a few words.
    pub about: String,
    pub since: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Author {
    Runbook,
    User,
    /// A rule id or a model's name.
    Agent {
        source: String,
    },
}

/// A line in the list of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    pub id: SessionId,
    pub title: String,
    pub cwd: String,
    pub created_at: Time,
    pub updated_at: Time,
    pub status: SessionStatus,
    pub steps: u32,
    pub steps_done: u32,
    pub repairs: u32,
    /// Services that run.
    #[serde(default)]
    pub services: u32,
    /// When the session is about a goal.
    #[serde(default)]
    pub goal: Option<GoalProgress>,
    /// Set when this session's record could not be read whole; what could be is shown.
    pub damage: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum SessionStatus {
    Empty,
    Draft,
    Ready,
    Running,
    /// It ran when the program that led it was ended, and nobody leads it now.
    Interrupted,
    /// Waits for an approval, for Run, or for a decision when stuck or interrupted.
    WaitingForYou,
    Paused,
    Completed,
    Failed,
    Cancelled,
    Damaged,
}

/// An event as journalled: numbered without gaps within its session, from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventRecord {
    pub session_id: SessionId,
    pub seq: u32,
    pub at: Time,
    pub event: Event,
}

/// What a subscriber gets: journalled events, and live output beside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
// Made, sent and dropped: an allocation for each would cost more than the room it saves.
#[allow(clippy::large_enum_variant)]
pub enum Update {
    Event {
        record: EventRecord,
    },
    Output {
        session_id: SessionId,
        step_id: StepId,
        attempt: u32,
        chunks: Vec<OutputChunk>,
    },
    /// What a terminal shows more. `after` and `upto` number the pieces: who has not seen all up to `after` takes the
    /// screen as it is instead (`terminal_screen`).
    Terminal {
        session_id: SessionId,
        step_id: StepId,
        attempt: u32,
        after: u32,
        upto: u32,
        text: String,
    },
    /// What a model is saying, before the event that holds it whole. A stream, as output is.
    Answer {
        session_id: SessionId,
        message_id: MessageId,
        round: u32,
        deltas: Vec<AnswerDelta>,
    },
    /// Which models answer changed.
    Models {
        status: ModelStatus,
    },
    /// The list of sessions changed (made, renamed, deleted, status).
    Sessions {
        sessions: Vec<SessionSummary>,
    },
    Settings {
        settings: Settings,
    },
    Grants {
        grants: Vec<Grant>,
    },
    /// What a command that waits for an answer would do to files, as far as it could be tried out.
    Forecast {
        session_id: SessionId,
        approval_id: super::ApprovalId,
        forecast: super::Forecast,
    },
    /// Something that could not be done and that no event can record (a full disk, a lost worker).
    Problem {
        session_id: Option<SessionId>,
        error: EngineError,
    },
}

/// What a client may ask of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Command {
    /// Confirm the plan as shown; `allowed` are the dangerous steps ticked beforehand.
    Confirm {
        revision: u32,
        allowed: Vec<StepId>,
    },
    Reject,
    /// Confirms a draft where needed, then runs. The mode given overrides the plan's.
    Start {
        mode: Option<Mode>,
    },
    /// Teacher: run the step that waits.
    RunStep {
        step_id: StepId,
    },
    Pause,
    /// After a pause, an interruption or when stuck; the mode may change here.
    Resume {
        mode: Option<Mode>,
    },
    Cancel,
    Skip {
        step_id: StepId,
        /// And those later ones that need it, and what needs those.
        #[serde(default)]
        with_dependents: bool,
    },
    /// Run a failed, interrupted or stuck step again.
    Retry {
        step_id: StepId,
    },
    /// Replace a step's command by the user's and, when `run`, go on with it.
    Edit {
        step_id: StepId,
        command: String,
        run: bool,
    },
    SetMode {
        mode: Mode,
    },
    Answer {
        approval_id: super::ApprovalId,
        answer: super::ApprovalAnswer,
    },
    /// When stuck: words for the brain. While a goal is pursued, at any time: words for its next prompt.
    Guide {
        text: String,
    },
    /// When stuck: once per run, as many corrections and attempts again.
    RaiseBudget,
    /// When stuck: ask the stronger model; the user has seen what it may cost.
    Escalate,
    /// Words for the agent. A turn under way is interrupted first. `replaces`: an earlier message that was rewritten;
    /// what followed it is no longer part of the conversation.
    Say {
        text: String,
        route: Route,
        replaces: Option<MessageId>,
    },
    /// Whether a folder's instructions are read to models, as they stand with this digest.
    AnswerInstructions {
        folder: String,
        digest: String,
        read: bool,
    },
    /// Ends the turn under way: the model's stream and the tools.
    Interrupt,
    /// On the confirmation card, while the plan is a draft. `after`: none is the start.
    AddStep {
        after: Option<StepId>,
        title: String,
        command: String,
    },
    /// A step of a page is left out, and can be taken in again.
    RemoveStep {
        step_id: StepId,
    },
    /// On the confirmation card: another way of one of the page's choices, both by their place in the lists.
    ChooseWay {
        choice: u32,
        way: u32,
    },
    /// On the confirmation card: a block that the page's reading left out becomes steps, at its place.
    TakeIn {
        block: u32,
    },
    /// On the confirmation card: the model that is set up sorts the blocks of the page, by their numbers. Ended by
    /// [`Command::Cancel`].
    SortPage,
    /// Values for what the plan asks for. Once it has begun only for what has none yet.
    GiveInputs {
        values: Vec<GivenValue>,
    },
    /// Writes what the run mended into the page that the plan is from, as the patch shows it.
    MendPage,
    /// `to` is the place in the new order, from 0.
    MoveStep {
        step_id: StepId,
        to: u32,
    },
    Rename {
        title: String,
    },
    /// Starts a service again that is over, as a new run of its step: through the gate, and waited for to be ready. The
    /// plan's other steps stay as they are.
    StartService {
        service_id: ServiceId,
    },
    /// Ends a service, whatever else goes on.
    StopService {
        service_id: ServiceId,
    },
    /// Ends what a command has left running, and all that this has started.
    EndJob {
        pid: i32,
    },
    /// What commands have left running runs on after their run, as long as the session is open.
    KeepJobs,
    /// Puts files back, as the preview with this `token` shows. `overwrite`: the paths in conflict that are put back all
    /// the same; the others in conflict are left alone.
    Undo {
        target: UndoTarget,
        token: String,
        overwrite: Vec<String>,
    },
    /// Works towards a goal until it is reached, stuck, out of budget or stopped. `Pause`, `Resume`, `Cancel` and `Guide`
    /// are for it as they are for a plan.
    Pursue {
        request: GoalRequest,
    },
    /// Has an open to-do of the goal worked by a sub-goal.
    StartSubGoal {
        todo_id: String,
    },
    /// The whole list as the user wants it. `base` is the number of the change that it was made from.
    EditTodos {
        todos: Vec<Todo>,
        base: u32,
    },
    AnswerQuestion {
        question_id: GoalQuestionId,
        text: String,
    },
    /// An action that has not begun waits for the user's hand.
    TakeOver {
        action_id: StepId,
    },
    /// Runs `command` as the user's own; without one, `note` says what the user did.
    HandBack {
        action_id: StepId,
        note: String,
        command: Option<String>,
    },
}
