//! Which state may follow which (E5). One pure function each; an impossible transition is an error, never a silent
//! overwrite.

use crate::protocol::{PlanState, StepState};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {what} that is {from} cannot become {to}")]
pub struct ImpossibleTransition {
    pub what: &'static str,
    pub from: &'static str,
    pub to: &'static str,
}

/// The step state that follows `from` when `to` is asked for.
pub fn step(from: &StepState, to: StepState) -> Result<StepState, ImpossibleTransition> {
    use StepState as S;
    let allowed = match from {
        S::Pending => !matches!(to, S::Recovering { .. } | S::Completed { .. } | S::Interrupted { .. }),
        S::AwaitingRun => {
            matches!(
                to,
                S::Pending
                    | S::AwaitingApproval { .. }
                    | S::Running { .. }
                    | S::Skipped { .. }
                    | S::Cancelled
            )
        }
        S::AwaitingApproval { .. } => matches!(
            to,
            S::Pending
                | S::AwaitingRun
                | S::AwaitingApproval { .. }
                | S::Running { .. }
                | S::Recovering { .. }
                | S::Skipped { .. }
                | S::Failed { .. }
                | S::Cancelled
        ),
        S::Running { .. } => matches!(
            to,
            S::Recovering { .. }
                | S::Completed { .. }
                | S::Failed { .. }
                | S::Cancelled
                | S::Interrupted { .. }
        ),
        S::Recovering { .. } => matches!(
            to,
            S::Pending
                | S::AwaitingRun
                | S::AwaitingApproval { .. }
                | S::Running { .. }
                | S::Failed { .. }
                | S::Skipped { .. }
                | S::Cancelled
        ),
        S::Failed { .. } | S::Interrupted { .. } => matches!(
            to,
            S::Pending
                | S::AwaitingRun
                | S::AwaitingApproval { .. }
                | S::Running { .. }
                | S::Recovering { .. }
                | S::Skipped { .. }
                | S::Cancelled
        ),
        // Skipped and cancelled steps may be put back by the user; a completed one is never touched again.
        S::Skipped { .. } | S::Cancelled => matches!(to, S::Pending),
        S::Completed { .. } => false,
    };
    if allowed {
        Ok(to)
    } else {
        Err(ImpossibleTransition { what: "step", from: step_name(from), to: step_name(&to) })
    }
}

/// The plan state that follows `from` when `to` is asked for.
pub fn plan(from: &PlanState, to: PlanState) -> Result<PlanState, ImpossibleTransition> {
    use PlanState as P;
    let allowed = match from {
        P::Draft => matches!(to, P::Draft | P::Ready | P::Cancelled),
        P::Ready => matches!(to, P::Draft | P::Ready | P::Running | P::Cancelled),
        P::Running => !matches!(to, P::Draft | P::Ready),
        P::Recovering { .. } => !matches!(to, P::Draft | P::Ready),
        P::Paused { .. } => matches!(to, P::Paused { .. } | P::Running | P::Failed { .. } | P::Cancelled),
        P::Stuck { .. } => matches!(
            to,
            P::Running | P::Recovering { .. } | P::Paused { .. } | P::Failed { .. } | P::Cancelled
        ),
        // A failed or cancelled run may be taken up again by the user.
        P::Failed { .. } | P::Cancelled => matches!(to, P::Running),
        P::Completed => false,
    };
    if allowed {
        Ok(to)
    } else {
        Err(ImpossibleTransition { what: "plan", from: plan_name(from), to: plan_name(&to) })
    }
}

fn step_name(state: &StepState) -> &'static str {
    match state {
        StepState::Pending => "pending",
        StepState::AwaitingRun => "awaiting Run",
        StepState::AwaitingApproval { .. } => "awaiting approval",
        StepState::Running { .. } => "running",
        StepState::Recovering { .. } => "recovering",
        StepState::Completed { .. } => "completed",
        StepState::Failed { .. } => "failed",
        StepState::Skipped { .. } => "skipped",
        StepState::Cancelled => "cancelled",
        StepState::Interrupted { .. } => "interrupted",
    }
}

fn plan_name(state: &PlanState) -> &'static str {
    match state {
        PlanState::Draft => "a draft",
        PlanState::Ready => "ready",
        PlanState::Running => "running",
        PlanState::Recovering { .. } => "recovering",
        PlanState::Paused { .. } => "paused",
        PlanState::Stuck { .. } => "stuck",
        PlanState::Completed => "completed",
        PlanState::Failed { .. } => "failed",
        PlanState::Cancelled => "cancelled",
    }
}
