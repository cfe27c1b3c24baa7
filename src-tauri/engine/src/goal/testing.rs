use crate::protocol::{GoalId, GoalRequest, GoalState, Time, Usage};

/// A goal that was just set.
pub(super) fn goal() -> GoalState {
    GoalState::begun(GoalId::new(), GoalRequest::new("Free 5 GB on the disk"), Usage::default(), Time::now())
}
