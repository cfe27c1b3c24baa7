//! What asks for the user's attention: one notion of it, over all sessions, worked out here from their states and events
//! and from nothing else. Notification, tray, badge, the window's title and the lock that keeps the machine awake all
//! follow it. It decides nothing.
//!
//! A need ends when it is answered, whoever looks; an end is told until somebody has looked.

mod board;

use std::collections::BTreeMap;

pub(crate) use board::{Board, Seat};

use crate::protocol::{
    ApprovalId, CallState, ChatEntry, Event, GoalEnd, GoalPause, GoalPhase, GoalQuestionId, GoalState,
    InstructionsUse, PauseReason, PlanState, SecretRequestId, SessionId, SessionState, StepId, StepState,
    Time, TurnEnd,
};

/// Where every session stands that works, waits for the user, or has ended unseen. One that does none of it is not in here,
/// nor is one that nobody has opened since the program started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attention {
    pub sessions: BTreeMap<SessionId, Standing>,
}

/// One session's part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    pub title: String,
    pub kind: Kind,
    /// It goes on without the user; see [`works`].
    pub works: bool,
    pub need: Option<Need>,
    /// How its work ended, until it is looked at or works again.
    pub ended: Option<Ending>,
}

/// What a session is at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    Turn,
    Goal,
    #[default]
    Plan,
}

/// What cannot go on without the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// A running command asks for a password or the like.
    Secret { id: SecretRequestId, expires_at: Time },
    /// What it is about is not told here: this is for places that others can read.
    Approval { id: ApprovalId },
    /// A goal's question, or the check of it.
    Question { id: Option<GoalQuestionId> },
    /// The user took an action over.
    Hand { action_id: Option<StepId> },
    /// Teacher: a step waits for Run.
    Run { step_id: StepId },
    /// A step is to be done by hand.
    Manual { step_id: StepId },
    /// A plan is stuck.
    Stuck { step_id: StepId },
    /// The disk is full.
    NoRoom,
    /// A goal's model could not answer.
    ModelFailed,
}

/// How work came to its end without the user's doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    PlanDone,
    PlanFailed,
    /// By its check, or by the agent's own word.
    GoalReached {
        verified: bool,
    },
    GoalStuck,
    GoalOutOfBudget,
    Answered,
    /// A turn ended before its answer was whole.
    Unanswered,
}

/// All of it in one word, the most urgent one. `sessions` is how many are in that state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    NeedsYou { sessions: u32 },
    Ended { sessions: u32, failed: bool },
    Working { sessions: u32 },
    Idle,
}

impl Attention {
    pub fn mood(&self) -> Mood {
        let count = |of: fn(&Standing) -> bool| {
            u32::try_from(self.sessions.values().filter(|standing| of(standing)).count()).unwrap_or(u32::MAX)
        };
        let needs = count(|standing| standing.need.is_some());
        let ended = count(|standing| standing.ended.is_some());
        let works = count(|standing| standing.works);
        let failed = self.sessions.values().filter_map(|standing| standing.ended).any(Ending::is_failure);
        match (needs, ended, works) {
            (0, 0, 0) => Mood::Idle,
            (0, 0, sessions) => Mood::Working { sessions },
            (0, sessions, _) => Mood::Ended { sessions, failed },
            (sessions, ..) => Mood::NeedsYou { sessions },
        }
    }

    /// Whether anything goes on that does not wait for the user.
    pub fn works(&self) -> bool {
        self.sessions.values().any(|standing| standing.works)
    }

    /// Sessions that a badge counts: those that need the user, and those that ended unseen.
    pub fn unseen(&self) -> u32 {
        let calls = |standing: &&Standing| standing.need.is_some() || standing.ended.is_some();
        u32::try_from(self.sessions.values().filter(calls).count()).unwrap_or(u32::MAX)
    }
}

impl Standing {
    fn is_quiet(&self) -> bool {
        !self.works && self.need.is_none() && self.ended.is_none()
    }
}

impl Ending {
    pub fn is_failure(self) -> bool {
        match self {
            Self::PlanDone | Self::GoalReached { .. } | Self::Answered => false,
            Self::PlanFailed | Self::GoalStuck | Self::GoalOutOfBudget | Self::Unanswered => true,
        }
    }
}

/// What the session is at, as its owner leads it: a turn first, then a goal.
pub fn kind(state: &SessionState) -> Kind {
    if state.conversation.turn.is_some() {
        Kind::Turn
    } else if state.goal.as_ref().is_some_and(|goal| !goal.has_ended()) {
        Kind::Goal
    } else {
        Kind::Plan
    }
}

/// Whether anything of a session that is led goes on without the user; not when all of it waits for them, or nothing is
/// left to do.
///
/// A command that asks for a password waits, one in a terminal works. A service that is ready is no work: it has no end
/// that anybody could wait for.
pub fn works(state: &SessionState) -> bool {
    let asks = |id: &StepId| state.secrets.iter().any(|request| request.step_id == *id);
    if running(state).any(|id| !asks(id)) {
        return true;
    }
    if !state.approvals.is_empty() || !state.secrets.is_empty() || asks_about_instructions(state) {
        return false;
    }
    match kind(state) {
        Kind::Turn => true,
        Kind::Goal => state.goal.as_ref().is_some_and(|goal| goal.phase == GoalPhase::Working),
        Kind::Plan => state.plan.as_ref().is_some_and(|plan| match plan.state {
            PlanState::Running | PlanState::Recovering { .. } => {
                !plan.steps.iter().any(|step| step.state == StepState::AwaitingRun)
            }
            PlanState::Draft
            | PlanState::Ready
            | PlanState::Paused { .. }
            | PlanState::Stuck { .. }
            | PlanState::Completed
            | PlanState::Failed { .. }
            | PlanState::Cancelled => false,
        }),
    }
}

/// The steps, calls and actions whose processes run.
fn running(state: &SessionState) -> impl Iterator<Item = &StepId> {
    let steps = state.plan.iter().flat_map(|plan| &plan.steps);
    let steps = steps.filter(|step| matches!(step.state, StepState::Running { .. })).map(|step| &step.id);
    let turn = state.conversation.turn.iter().flat_map(|_| {
        // The turn's own entries: those behind the user's last words.
        state.conversation.entries.iter().rev().take_while(|entry| !matches!(entry, ChatEntry::User { .. }))
    });
    let calls = turn.filter_map(|entry| match entry {
        ChatEntry::Call { call_id, state: CallState::Running { .. }, .. } => Some(call_id),
        _ => None,
    });
    let actions = state.goal.iter().flat_map(|goal| &goal.actions);
    let actions =
        actions.filter(|action| matches!(action.state, CallState::Running { .. })).map(|action| &action.id);
    steps.chain(calls).chain(actions)
}

/// Nothing is asked of a model before the user has said whether the project's instructions are read to it.
fn asks_about_instructions(state: &SessionState) -> bool {
    kind(state) != Kind::Plan && state.instructions.iter().any(|one| one.reading == InstructionsUse::Asked)
}

/// What the session needs the user for, the most urgent first. What the user did, or finds at the next start, is none.
pub fn need(state: &SessionState) -> Option<Need> {
    if let Some(request) = state.secrets.first() {
        return Some(Need::Secret { id: request.id, expires_at: request.expires_at });
    }
    if let Some(approval) = state.approvals.first() {
        return Some(Need::Approval { id: approval.id });
    }
    if asks_about_instructions(state) {
        return Some(Need::Question { id: None });
    }
    if let Some(goal) = state.goal.as_ref().filter(|goal| !goal.has_ended()) {
        return need_of_goal(goal);
    }
    let plan = state.plan.as_ref()?;
    match &plan.state {
        PlanState::Running | PlanState::Recovering { .. } => {
            let waits = plan.steps.iter().find(|step| step.state == StepState::AwaitingRun)?;
            let step_id = waits.id.clone();
            Some(if waits.action.is_manual() { Need::Manual { step_id } } else { Need::Run { step_id } })
        }
        PlanState::Stuck { step_id, .. } => Some(Need::Stuck { step_id: step_id.clone() }),
        PlanState::Paused { reason } => match reason {
            PauseReason::NoRoom { .. } => Some(Need::NoRoom),
            PauseReason::Manual { step_id } => Some(Need::Manual { step_id: step_id.clone() }),
            PauseReason::NotKept { step_id, .. } | PauseReason::StepFailed { step_id } => {
                Some(Need::Stuck { step_id: step_id.clone() })
            }
            PauseReason::User | PauseReason::Interrupted | PauseReason::Declined { .. } => None,
        },
        PlanState::Draft
        | PlanState::Ready
        | PlanState::Completed
        | PlanState::Failed { .. }
        | PlanState::Cancelled => None,
    }
}

fn need_of_goal(goal: &GoalState) -> Option<Need> {
    use crate::protocol::GoalWait;
    match &goal.phase {
        GoalPhase::Working | GoalPhase::Ended { .. } => None,
        GoalPhase::Waiting { what } => match what {
            GoalWait::Question | GoalWait::VerifyQuestion => {
                Some(Need::Question { id: goal.question.as_ref().map(|question| question.id) })
            }
            GoalWait::Hand => Some(Need::Hand { action_id: goal.taken_over.clone() }),
            // The approval itself says it; between its answer and the next event there is none.
            GoalWait::Approval => None,
        },
        GoalPhase::Paused { reason } => match reason {
            GoalPause::NoRoom { .. } => Some(Need::NoRoom),
            GoalPause::ModelFailed { .. } => Some(Need::ModelFailed),
            GoalPause::User | GoalPause::Interrupted | GoalPause::Unattended | GoalPause::Declined { .. } => {
                None
            }
        },
    }
}

/// The end that an event is; `None` for one that the user brought about, and for everything else.
pub fn ending(event: &Event) -> Option<Ending> {
    match event {
        Event::PlanCompleted { .. } => Some(Ending::PlanDone),
        Event::PlanFailed { .. } => Some(Ending::PlanFailed),
        Event::GoalEnded { end, .. } => match end {
            GoalEnd::Complete { verified } => Some(Ending::GoalReached { verified: *verified }),
            GoalEnd::Stuck { .. } => Some(Ending::GoalStuck),
            GoalEnd::OutOfBudget { .. } => Some(Ending::GoalOutOfBudget),
            GoalEnd::Cancelled => None,
        },
        Event::TurnEnded { end, .. } => match end {
            TurnEnd::Done | TurnEnd::PlanProposed { .. } | TurnEnd::Asked | TurnEnd::RoundDone => {
                Some(Ending::Answered)
            }
            TurnEnd::MaxTokens
            | TurnEnd::Filtered
            | TurnEnd::Refused { .. }
            | TurnEnd::Rounds { .. }
            | TurnEnd::CapReached
            | TurnEnd::Failed { .. } => Some(Ending::Unanswered),
            TurnEnd::Interrupted => None,
        },
        _ => None,
    }
}
