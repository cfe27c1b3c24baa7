use serde::{Deserialize, Serialize};

use super::{CallState, ModelRole, SessionId, StepId, SubGoalWish, Time};

/// Iterations of a goal session when its request says nothing else (G1).
pub const MAX_ITERATIONS: u32 = 50;
/// Iterations that a request may ask for.
pub const MOST_ITERATIONS: u32 = 1000;
/// Times that a malformed signal is sent back with its error, before it is `stuck` (G2).
pub const MAX_SIGNAL_MENDS: u32 = 2;
/// Actions that a state holds; the journal has all.
pub const MAX_GOAL_ACTIONS: usize = 200;
/// Changes of the to-do list that a state holds.
pub const MAX_TODO_CHANGES: usize = 50;
/// To-dos that a list may hold.
pub const MAX_TODOS: usize = 100;
/// Words of guidance, reflections and notes that a state holds of each.
pub const MAX_GOAL_NOTES: usize = 20;

/// What a goal session is to reach (G1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GoalRequest {
    pub goal: String,
    #[serde(default)]
    pub context: Option<String>,
    #[serde(default)]
    pub verify: Option<Verify>,
    /// From 1 to [`MOST_ITERATIONS`].
    #[serde(default = "usual_iterations")]
    pub max_iterations: u32,
    /// The model that works on it; `None`: the main one.
    #[serde(default)]
    pub model_backend: Option<ModelRole>,
    /// The session that it is set in, where the request names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

fn usual_iterations() -> u32 {
    MAX_ITERATIONS
}

impl GoalRequest {
    pub fn new(goal: impl Into<String>) -> Self {
        Self {
            goal: goal.into(),
            context: None,
            verify: None,
            max_iterations: MAX_ITERATIONS,
            model_backend: None,
            session_id: None,
        }
    }
}

/// What must hold before a goal counts as complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Verify {
    /// Must end with status 0.
    Command { command: String },
    /// The user must answer with yes.
    Question { question: String },
}

/// One line of the to-do list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Todo {
    /// Unique in the list, and the same in every list that follows.
    pub id: String,
    pub title: String,
    pub status: TodoStatus,
    pub priority: Priority,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

impl TodoStatus {
    /// Still to be done.
    pub fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::InProgress => true,
            Self::Completed | Self::Cancelled => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    High,
    Medium,
    Low,
}

/// What the model says it is doing (G2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum SignalStatus {
    Planning,
    Executing,
    Reflecting,
    Stuck,
    Complete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ActionType {
    Eval,
    Shell,
    FileRead,
    AiConsult,
    UserInput,
}

impl ActionType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eval => "eval",
            Self::Shell => "shell",
            Self::FileRead => "file_read",
            Self::AiConsult => "ai_consult",
            Self::UserInput => "user_input",
        }
    }
}

/// What the model wants done next: a script, a command, a path, a question to another model or to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct NextAction {
    #[serde(rename = "type")]
    pub kind: ActionType,
    pub content: String,
    pub rationale: String,
}

/// A model's answer of one iteration, read and checked (G2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Signal {
    pub status: SignalStatus,
    /// The whole list as the model wants it.
    pub todos: Vec<Todo>,
    pub next_action: Option<NextAction>,
    /// To-dos to be worked side by side, instead of an action; at most [`super::MAX_SIDE_BY_SIDE`].
    #[serde(default)]
    pub sub_goals: Vec<SubGoalWish>,
    pub self_assessment: String,
    /// In percent.
    pub completion_estimate: Option<u8>,
    /// A question that only the user can answer.
    pub user_input_needed: Option<String>,
}

/// Who wants an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ActionAuthor {
    Agent,
    /// The user took it over, and wrote it or did it.
    User,
    /// The command that must succeed before the goal is complete.
    Verify,
}

/// An action of a goal: a call that nobody planned, as those of a conversation are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GoalAction {
    pub id: StepId,
    /// From 1.
    pub iteration: u32,
    /// Of older ones the texts are cut.
    pub action: NextAction,
    pub author: ActionAuthor,
    /// `waiting` until it begins; of older ones the result is cut. One that was stopped while it ran is `interrupted`: nobody
    /// knows how far it came, and it is not run again by itself.
    pub state: CallState,
    /// When it was proposed.
    pub at: Time,
}

/// Who changed the to-do list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum TodoAuthor {
    Agent,
    User,
}

/// The list as it became.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TodoChange {
    /// From 1, without gaps.
    pub number: u32,
    pub author: TodoAuthor,
    pub iteration: u32,
    pub at: Time,
    pub todos: Vec<Todo>,
}
