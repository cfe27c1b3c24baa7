use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Cap, GoalAction, GoalId, LoopNotice, RejectedSignal, SignalStatus, StuckCause, Time, Todo, TodoAuthor,
    Usage,
};

/// Sub-goals that are worked side by side at most.
pub const MAX_SIDE_BY_SIDE: usize = 3;
/// Iterations of a sub-goal.
pub const SUB_GOAL_ITERATIONS: u32 = 8;
/// Sub-goals that a state holds; the journal has all.
pub const MAX_SUB_GOALS: usize = 12;

/// A to-do that a signal hands to a sub-goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubGoalWish {
    /// An open to-do, of this sub-goal alone.
    pub todo_id: String,
    /// What is to be found out, in words that need nothing else.
    pub goal: String,
}

/// What a sub-goal is to find out, and what it may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SubGoalTask {
    /// From 1, over the whole goal.
    pub number: u32,
    pub todo_id: String,
    pub goal: String,
    pub asked_by: TodoAuthor,
    /// The goal's iteration that it belongs to.
    pub iteration: u32,
    pub max_iterations: u32,
    /// Its share of what the session may still use; `None` where the session has no cap.
    pub max_tokens: Option<u32>,
    /// In millionths of a US dollar.
    pub max_cost_micros: Option<u32>,
}

/// What of a sub-goal's ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SubGoalBudget {
    Iterations {
        allowed: u32,
    },
    /// Its own share.
    Share {
        cap: Cap,
    },
    /// The session's cap.
    Session {
        cap: Cap,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SubGoalEnd {
    Complete,
    Stuck {
        cause: StuckCause,
        words: String,
    },
    OutOfBudget {
        budget: SubGoalBudget,
    },
    /// `code` is that of the model's error.
    ModelFailed {
        code: String,
        message: String,
    },
    /// The goal was stopped, or the to-do cancelled.
    Cancelled,
}

/// In words for models, reports and terminals, bounded by what it holds.
impl fmt::Display for SubGoalEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => f.write_str("complete"),
            Self::Stuck { words, .. } => write!(f, "stuck: {words}"),
            Self::OutOfBudget { budget: SubGoalBudget::Iterations { allowed } } => {
                write!(f, "not finished, its {allowed} iterations were used up")
            }
            Self::OutOfBudget { budget: SubGoalBudget::Share { cap } } => {
                write!(f, "not finished, its share of the session's {} was used up", means(*cap))
            }
            Self::OutOfBudget { budget: SubGoalBudget::Session { cap } } => {
                write!(f, "not finished, the session's {} is used up", means(*cap))
            }
            Self::ModelFailed { message, .. } => {
                write!(f, "not finished, the model could not answer: {message}")
            }
            Self::Cancelled => f.write_str("stopped by the user"),
        }
    }
}

fn means(cap: Cap) -> &'static str {
    match cap {
        Cap::Tokens => "cap on tokens",
        Cap::Cost => "cap on money",
    }
}

/// A model could not be reached at this time, and is asked again after the wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ModelWait {
    pub model: String,
    pub attempt: u32,
    pub allowed: u32,
    pub wait_millis: u32,
    pub reason: String,
    pub at: Time,
}

/// A to-do that is worked apart from the rest: it has its own small context and budget, and only reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SubGoal {
    pub task: SubGoalTask,
    /// `None`: under way.
    pub end: Option<SubGoalEnd>,
    /// What came of it, for the goal: its own closing words, or an account made from its results. Its id is
    /// [`SubGoal::synthesis_id`].
    pub synthesis: Option<String>,
    /// The goal's model has answered since it ended.
    pub seen: bool,
    pub status: SignalStatus,
    /// Signals so far.
    pub iteration: u32,
    pub todos: Vec<Todo>,
    /// The iteration in which a to-do of its own moved last.
    pub moved_in: u32,
    /// Of older ones the texts are cut.
    pub actions: Vec<GoalAction>,
    pub assessment: String,
    pub rejected: Option<RejectedSignal>,
    /// Its model could not be reached; until it answers.
    pub retrying: Option<ModelWait>,
    /// The last one.
    pub looped: Option<LoopNotice>,
    pub usage: Usage,
    pub started_at: Time,
    pub ended_at: Option<Time>,
}

impl SubGoal {
    /// One that was just given its task.
    pub fn begun(task: SubGoalTask, at: Time) -> Self {
        Self {
            task,
            end: None,
            synthesis: None,
            seen: false,
            status: SignalStatus::Planning,
            iteration: 0,
            todos: Vec::new(),
            moved_in: 0,
            actions: Vec::new(),
            assessment: String::new(),
            rejected: None,
            retrying: None,
            looped: None,
            usage: Usage::default(),
            started_at: at,
            ended_at: None,
        }
    }

    /// Under which its account is known to models, people and scripts (C7).
    pub fn synthesis_id(number: u32, goal: GoalId) -> String {
        format!("agent_{number}_{goal}")
    }
}
