//! What the list of sessions shows of one, and what a restart must add to its record. Pure.

use crate::protocol::{
    CallOutcome, CallState, ChatEntry, Event, EventRecord, GoalEnd, GoalPause, GoalPhase, GoalState,
    PauseReason, Plan, PlanState, ServiceEnd, SessionState, SessionStatus, SessionSummary, StepState, Time,
    ToolResult, TurnEnd,
};

/// Where the session stands. Damage is the journal's to know; see [`summary`].
pub fn status(state: &SessionState) -> SessionStatus {
    if state.conversation.turn.is_some() {
        return if state.approvals.is_empty() {
            SessionStatus::Running
        } else {
            SessionStatus::WaitingForYou
        };
    }
    if let Some(goal) = state.goal.as_ref().filter(|goal| !goal.has_ended() || is_about_goal(state)) {
        return goal_status(goal);
    }
    let Some(plan) = &state.plan else {
        return if state.conversation.entries.is_empty() {
            SessionStatus::Empty
        } else {
            SessionStatus::Paused
        };
    };
    // Whatever the plan is told to become, a process that runs is what people must know of.
    if plan.steps.iter().any(|step| matches!(step.state, StepState::Running { .. })) {
        return SessionStatus::Running;
    }
    match &plan.state {
        PlanState::Draft => SessionStatus::Draft,
        PlanState::Ready => SessionStatus::Ready,
        PlanState::Running | PlanState::Recovering { .. } if waits(state, plan) => {
            SessionStatus::WaitingForYou
        }
        PlanState::Running | PlanState::Recovering { .. } => SessionStatus::Running,
        PlanState::Paused {
            reason: PauseReason::Interrupted | PauseReason::NoRoom { .. } | PauseReason::Manual { .. },
        }
        | PlanState::Stuck { .. } => SessionStatus::WaitingForYou,
        PlanState::Paused {
            reason:
                PauseReason::User
                | PauseReason::Declined { .. }
                | PauseReason::NotKept { .. }
                | PauseReason::StepFailed { .. },
        } if !state.approvals.is_empty() => SessionStatus::WaitingForYou,
        PlanState::Paused {
            reason:
                PauseReason::User
                | PauseReason::Declined { .. }
                | PauseReason::NotKept { .. }
                | PauseReason::StepFailed { .. },
        } => SessionStatus::Paused,
        PlanState::Completed => SessionStatus::Completed,
        PlanState::Failed { .. } => SessionStatus::Failed,
        PlanState::Cancelled => SessionStatus::Cancelled,
    }
}

/// Whether a goal is the last thing that the session was about: no plan was made after it was set.
pub fn is_about_goal(state: &SessionState) -> bool {
    let planned_at = state.revisions.first().map(|made| made.at.0);
    state.goal.as_ref().is_some_and(|goal| planned_at.is_none_or(|at| at <= goal.started_at.0))
}

fn goal_status(goal: &GoalState) -> SessionStatus {
    match &goal.phase {
        GoalPhase::Working => SessionStatus::Running,
        GoalPhase::Waiting { .. } => SessionStatus::WaitingForYou,
        GoalPhase::Paused { reason: GoalPause::User | GoalPause::Declined { .. } } => SessionStatus::Paused,
        GoalPhase::Paused {
            reason:
                GoalPause::Interrupted
                | GoalPause::Unattended
                | GoalPause::NoRoom { .. }
                | GoalPause::ModelFailed { .. },
        } => SessionStatus::WaitingForYou,
        GoalPhase::Ended { end: GoalEnd::Complete { .. } } => SessionStatus::Completed,
        GoalPhase::Ended { end: GoalEnd::Stuck { .. } | GoalEnd::OutOfBudget { .. } } => {
            SessionStatus::Failed
        }
        GoalPhase::Ended { end: GoalEnd::Cancelled } => SessionStatus::Cancelled,
    }
}

/// The session's line in the list. `updated_at` is the time of its last event.
pub fn summary(state: &SessionState, updated_at: Time, damage: Option<String>) -> SessionSummary {
    let steps = state.plan.as_ref().map_or(&[][..], |plan| &plan.steps);
    let count = |wanted: usize| u32::try_from(wanted).unwrap_or(u32::MAX);
    SessionSummary {
        id: state.id,
        title: state.title.clone(),
        cwd: state.cwd.clone(),
        created_at: state.created_at,
        updated_at,
        status: if damage.is_some() { SessionStatus::Damaged } else { status(state) },
        steps: count(steps.len()),
        steps_done: count(
            steps.iter().filter(|step| matches!(step.state, StepState::Completed { .. })).count(),
        ),
        services: count(state.services.iter().filter(|service| service.is_running()).count()),
        goal: state.goal.as_ref().filter(|_| is_about_goal(state)).map(GoalState::progress),
        repairs: count(steps.iter().filter(|step| step.is_repair()).count()),
        damage,
    }
}

/// Tells of a session that nobody leads any more as [`recover`] finds it, without writing anything.
pub fn as_interrupted(state: &mut SessionState, records: &mut Vec<EventRecord>) {
    let at = records.last().map_or(state.created_at, |last| last.at);
    for event in recover(state) {
        let record = EventRecord { session_id: state.id, seq: state.seq + 1, at, event };
        // What does not fit is logged there, and the record stays true without it.
        let _ = super::apply(state, &record);
        records.push(record);
    }
}

/// The events that make a loaded session honest again after its program ended: a step that was running is
/// interrupted, a service ended with the program, and a run that nobody leads is paused. Open questions and steps waiting for Run stay as they are.
pub fn recover(state: &SessionState) -> Vec<Event> {
    let mut events = recover_turn(state);
    events.extend(recover_goal(state));
    let lost = state.services.iter().filter(|service| service.is_running());
    if !state.jobs.is_empty() {
        events.push(Event::JobsChanged { jobs: Vec::new() });
    }
    events.extend(lost.map(|service| Event::ServiceEnded { service_id: service.id, end: ServiceEnd::Lost }));
    let Some(plan) = &state.plan else { return events };
    let interrupted = plan.steps.iter().filter_map(|step| match &step.state {
        StepState::Running { attempt, .. } => {
            Some(Event::StepInterrupted { step_id: step.id.clone(), attempt: *attempt })
        }
        StepState::Pending
        | StepState::AwaitingRun
        | StepState::AwaitingApproval { .. }
        | StepState::Recovering { .. }
        | StepState::Completed { .. }
        | StepState::Failed { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled
        | StepState::Interrupted { .. } => None,
    });
    let interrupted: Vec<Event> = interrupted.collect();
    let leaderless = match &plan.state {
        PlanState::Running | PlanState::Recovering { .. } => !interrupted.is_empty() || !waits(state, plan),
        PlanState::Draft
        | PlanState::Ready
        | PlanState::Paused { .. }
        | PlanState::Stuck { .. }
        | PlanState::Completed
        | PlanState::Failed { .. }
        | PlanState::Cancelled => false,
    };
    events.extend(interrupted);
    if leaderless {
        events.push(Event::PlanPaused { reason: PauseReason::Interrupted });
    }
    events
}

/// A turn cannot go on by itself: a call that ran or waited is interrupted, and the next message continues from there.
fn recover_turn(state: &SessionState) -> Vec<Event> {
    let Some(turn) = &state.conversation.turn else { return Vec::new() };
    let now = Time::now();
    let open = state.conversation.entries.iter().filter_map(|entry| match entry {
        ChatEntry::Call { call_id, tool, state, .. } => match state {
            CallState::Ended { .. } => None,
            CallState::Waiting | CallState::AwaitingApproval { .. } => Some((call_id, tool, false)),
            CallState::Running { .. } => Some((call_id, tool, true)),
        },
        _ => None,
    });
    let mut events: Vec<Event> = open
        .map(|(call_id, tool, ran)| Event::CallFinished {
            result: ToolResult::interrupt(call_id.clone(), tool, ran, now),
            shell: None,
        })
        .collect();
    let end = TurnEnd::Interrupted;
    let (message_id, synthesis_id) = (turn.message_id, turn.message_id.synthesis_id());
    events.push(Event::TurnEnded { message_id, end, synthesis: None, synthesis_id });
    events
}

/// An action that ran is interrupted, and nobody leads the goal until the user resumes it. What waits for the user waits on.
fn recover_goal(state: &SessionState) -> Vec<Event> {
    let Some(goal) = state.goal.as_ref().filter(|goal| !goal.has_ended()) else { return Vec::new() };
    let running = goal.actions.iter().filter(|action| matches!(action.state, CallState::Running { .. }));
    let reading = goal.branches().flat_map(|sub| &sub.actions);
    let reading = reading.filter(|action| matches!(action.state, CallState::Running { .. }));
    let cut_short = reading.map(|action| {
        let words = "The program ended while it read. It changed nothing, and may be done again.";
        let (id, tool) = (action.id.clone(), action.action.kind.as_str());
        let result = ToolResult::told(id, tool, CallOutcome::Interrupted, words, Time::now());
        Event::CallFinished { result, shell: None }
    });
    let mut events: Vec<Event> = running
        .map(|action| {
            let words = "The program ended while it ran. It may have done a part of its work, or all of it. Look at what it \
                         left before it is done again.";
            let (id, tool) = (action.id.clone(), action.action.kind.as_str());
            let result = ToolResult::told(id, tool, CallOutcome::Interrupted, words, Time::now());
            Event::CallFinished { result, shell: None }
        })
        .chain(cut_short)
        .collect();
    if goal.phase == GoalPhase::Working {
        events.push(Event::GoalPaused { reason: GoalPause::Interrupted });
    }
    events
}

fn waits(state: &SessionState, plan: &Plan) -> bool {
    !state.approvals.is_empty() || plan.steps.iter().any(|step| step.state == StepState::AwaitingRun)
}
