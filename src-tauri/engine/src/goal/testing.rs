use crate::protocol::{GoalId, GoalPhase, GoalRequest, GoalState, SignalStatus, Time, Usage};

/// A goal that was just set.
pub(super) fn goal() -> GoalState {
    let request = GoalRequest::new("Free 5 GB on the disk");
    GoalState {
        id: GoalId::new(),
        iterations_allowed: request.max_iterations,
        request,
        phase: GoalPhase::Working,
        status: SignalStatus::Planning,
        iteration: 0,
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
        looped: None,
        checking: false,
        usage_before: Usage::default(),
        started_at: Time::now(),
        ended_at: None,
    }
}
