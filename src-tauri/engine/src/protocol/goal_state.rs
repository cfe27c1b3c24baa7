use serde::{Deserialize, Serialize};

use super::{
    Cap, GoalAction, GoalId, GoalQuestionId, GoalRequest, SignalStatus, StepId, SubGoal, Time, Todo,
    TodoChange, TodoStatus, Usage,
};

/// What a goal waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum GoalWait {
    Question,
    Approval,
    VerifyQuestion,
    /// The user took an action over.
    Hand,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum GoalPause {
    User,
    /// The program ended while it was worked on.
    Interrupted,
    /// It waits for words or a hand, and nobody is here to give them.
    Unattended,
    /// An approval was answered with "not now".
    Declined {
        action_id: StepId,
    },
    /// What the action would change could not be kept, or the disk that holds the data folder is full.
    NoRoom {
        message: String,
    },
    /// The model could not answer. `code` is that of the model's error.
    ModelFailed {
        code: String,
        message: String,
    },
}

/// Where a goal stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum GoalPhase {
    Working,
    Waiting { what: GoalWait },
    Paused { reason: GoalPause },
    Ended { end: GoalEnd },
}

/// What ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum GoalBudget {
    Iterations {
        allowed: u32,
    },
    /// The session's cap on tokens or money.
    Cap {
        cap: Cap,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StuckCause {
    /// The model's own word.
    SaidSo,
    /// Its signals could not be read.
    Malformed,
    /// It went in circles, also after it was told so.
    Loop,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum GoalEnd {
    /// `verified`: the check was made and passed; a goal that has none is not verified.
    Complete {
        verified: bool,
    },
    Stuck {
        cause: StuckCause,
        words: String,
    },
    /// Never a kind of done.
    OutOfBudget {
        budget: GoalBudget,
    },
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum AskedBy {
    Agent,
    /// Whether the goal is reached: "yes" is a yes, everything else says what is missing.
    Verify,
}

/// A question that the user is to answer in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GoalQuestion {
    pub id: GoalQuestionId,
    pub text: String,
    pub asked_by: AskedBy,
    /// The action that asks; none for a check.
    pub action_id: Option<StepId>,
}

/// The user's words on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Guidance {
    pub text: String,
    pub at: Time,
    /// The iteration that was under way, or the last one.
    pub iteration: u32,
    /// The model has answered since.
    pub seen: bool,
}

/// What the model said of its own work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Reflection {
    pub iteration: u32,
    pub status: SignalStatus,
    pub text: String,
    pub at: Time,
}

/// Why a `complete` did not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SentBack {
    OpenTodos {
        ids: Vec<String>,
    },
    /// `result` is the end of what the command gave; bounded.
    VerifyFailed {
        result: String,
    },
    /// In the user's words.
    VerifyDenied {
        text: String,
    },
}

/// An answer of the model that was no signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RejectedSignal {
    /// From 1.
    pub attempt: u32,
    pub error: String,
    /// The beginning of what it said.
    pub answer: String,
}

/// How work goes in circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// The same action with the same result three times.
    SameAction,
    /// A cycle of up to five actions.
    Cycle,
    /// No to-do moved for ten iterations.
    NoProgress,
}

/// A loop that the model is told of, or was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct LoopNotice {
    pub kind: LoopKind,
    pub iteration: u32,
}

/// What was found wrong on the way, and how it went on: neither the model's words nor the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GoalNote {
    pub at: Time,
    pub what: GoalNoted,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum GoalNoted {
    /// An answer was no signal.
    Rejected {
        attempt: u32,
        allowed: u32,
        error: String,
    },
    /// `again`: the model had been told of it before.
    Looped {
        kind: LoopKind,
        again: bool,
    },
    SentBack {
        reason: SentBack,
    },
    /// `allowed`: iterations, in all.
    Resumed {
        allowed: u32,
    },
}

/// A goal and all that became of it, a fold over the journal. It holds a bounded part; the journal has all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GoalState {
    pub id: GoalId,
    pub request: GoalRequest,
    pub phase: GoalPhase,
    /// What the model said last.
    pub status: SignalStatus,
    /// Signals so far.
    pub iteration: u32,
    /// What the request allows, and what was added to it.
    pub iterations_allowed: u32,
    pub todos: Vec<Todo>,
    /// Ids of the to-dos that the user added or changed. The model may work them off, and nothing else.
    pub user_todos: Vec<String>,
    /// Of the list as it stands; 0 before the first. `EditTodos` names it.
    pub todo_number: u32,
    /// The last ones, oldest first; at most [`super::MAX_TODO_CHANGES`].
    pub todo_changes: Vec<TodoChange>,
    /// The iteration in which a to-do moved last.
    pub moved_in: u32,
    /// The last ones, oldest first; at most [`super::MAX_GOAL_ACTIONS`].
    pub actions: Vec<GoalAction>,
    /// Actions before the first one here.
    pub omitted_actions: u32,
    /// The last ones, oldest first; at most [`super::MAX_SUB_GOALS`], and all that are under way.
    pub sub_goals: Vec<SubGoal>,
    /// Of all that were begun.
    pub sub_goal_count: u32,
    pub assessment: String,
    pub completion_estimate: Option<u8>,
    pub question: Option<GoalQuestion>,
    pub taken_over: Option<StepId>,
    pub guidance: Vec<Guidance>,
    pub reflections: Vec<Reflection>,
    /// Until the next signal.
    pub sent_back: Option<SentBack>,
    /// Until a signal can be read.
    pub rejected: Option<RejectedSignal>,
    /// Open to-dos that the last signal left out; they stay.
    pub left_out: Vec<String>,
    /// The last one.
    pub looped: Option<LoopNotice>,
    /// The last ones, oldest first; at most [`super::MAX_GOAL_NOTES`].
    pub notes: Vec<GoalNote>,
    /// The model said `complete`, and that is being checked.
    pub checking: bool,
    /// What the session had used when the goal was set; caps count the whole session.
    pub usage_before: Usage,
    pub started_at: Time,
    pub ended_at: Option<Time>,
    /// The file that its report was written to when it ended last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// How far a goal has come, for the list of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GoalProgress {
    /// Those that were cancelled are not counted.
    pub todos: u32,
    pub done: u32,
    pub iteration: u32,
}

impl GoalState {
    /// Also the one in which nothing could be read yet.
    pub fn iterations_begun(&self) -> u32 {
        self.iteration + u32::from(self.rejected.is_some())
    }

    /// One that was just set, when the session had used so much.
    pub fn begun(id: GoalId, request: GoalRequest, usage_before: Usage, at: Time) -> Self {
        Self {
            id,
            phase: GoalPhase::Working,
            status: SignalStatus::Planning,
            iteration: 0,
            iterations_allowed: request.max_iterations,
            request,
            todos: Vec::new(),
            user_todos: Vec::new(),
            todo_number: 0,
            todo_changes: Vec::new(),
            moved_in: 0,
            actions: Vec::new(),
            omitted_actions: 0,
            sub_goals: Vec::new(),
            sub_goal_count: 0,
            assessment: String::new(),
            completion_estimate: None,
            question: None,
            taken_over: None,
            guidance: Vec::new(),
            reflections: Vec::new(),
            sent_back: None,
            rejected: None,
            left_out: Vec::new(),
            looped: None,
            notes: Vec::new(),
            checking: false,
            usage_before,
            started_at: at,
            ended_at: None,
            report: None,
        }
    }

    pub fn progress(&self) -> GoalProgress {
        let count = |wanted: fn(TodoStatus) -> bool| {
            self.todos.iter().filter(|todo| wanted(todo.status)).count() as u32
        };
        GoalProgress {
            todos: count(|status| status != TodoStatus::Cancelled),
            done: count(|status| status == TodoStatus::Completed),
            iteration: self.iteration,
        }
    }

    pub fn action(&self, id: &StepId) -> Option<&GoalAction> {
        // The one that is asked for is among the last.
        self.actions.iter().rev().find(|action| action.id == *id)
    }

    pub fn sub_goal(&self, number: u32) -> Option<&SubGoal> {
        self.sub_goals.iter().find(|sub| sub.task.number == number)
    }

    /// Those that are under way.
    pub fn branches(&self) -> impl Iterator<Item = &SubGoal> {
        self.sub_goals.iter().filter(|sub| sub.end.is_none())
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.phase, GoalPhase::Ended { .. })
    }

    /// It is worked on, or waits for the user and goes on with their answer.
    pub fn is_under_way(&self) -> bool {
        matches!(self.phase, GoalPhase::Working | GoalPhase::Waiting { .. })
    }
}
