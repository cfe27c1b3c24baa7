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
        S::Pending => !matches!(to, S::Completed { .. } | S::Interrupted { .. }),
        S::AwaitingRun => {
            matches!(
                to,
                S::Pending
                    | S::AwaitingApproval { .. }
                    | S::Running { .. }
                    | S::Failed { .. }
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
        // Skip works at any time: it ends the processes of a running step first.
        S::Running { .. } => matches!(
            to,
            S::Recovering { .. }
                | S::Completed { .. }
                | S::Failed { .. }
                | S::Skipped { .. }
                | S::Cancelled
                | S::Interrupted { .. }
        ),
        // Recovering again: the brain is asked once more, with the user's guidance or a raised budget.
        S::Recovering { .. } => matches!(
            to,
            S::Pending
                | S::AwaitingRun
                | S::AwaitingApproval { .. }
                | S::Running { .. }
                | S::Recovering { .. }
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
        // Skipped and cancelled steps may be put back by the user; a completed one is never touched again
        // (but see `service_again`).
        S::Skipped { .. } | S::Cancelled => matches!(to, S::Pending),
        S::Completed { .. } => false,
    };
    if allowed {
        Ok(to)
    } else {
        Err(ImpossibleTransition { what: "step", from: step_name(from), to: step_name(&to) })
    }
}

/// The state of a service's step whose service is over and is wanted again: the one way on from completed.
pub fn service_again(from: &StepState) -> Result<StepState, ImpossibleTransition> {
    match from {
        StepState::Completed { .. }
        | StepState::Pending
        | StepState::Failed { .. }
        | StepState::Cancelled
        | StepState::Interrupted { .. } => Ok(StepState::Pending),
        StepState::AwaitingRun
        | StepState::AwaitingApproval { .. }
        | StepState::Running { .. }
        | StepState::Recovering { .. }
        | StepState::Skipped { .. } => Err(ImpossibleTransition {
            what: "step",
            from: step_name(from),
            to: "started again as a service",
        }),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{ApprovalId, PauseReason, StepId, StuckReason, Time};

    fn step_states() -> Vec<StepState> {
        vec![
            StepState::Pending,
            StepState::AwaitingRun,
            StepState::AwaitingApproval { approval_id: ApprovalId::new() },
            StepState::Running { attempt: 0, started_at: Time::now() },
            StepState::Recovering { attempt: 0, since: Time::now() },
            StepState::Completed { attempt: 0 },
            StepState::Failed { attempt: 0, reason: "exit 1".into() },
            StepState::Skipped { reason: "by you".into() },
            StepState::Cancelled,
            StepState::Interrupted { attempt: 0 },
        ]
    }

    fn plan_states() -> Vec<PlanState> {
        let step_id = StepId::from("a");
        vec![
            PlanState::Draft,
            PlanState::Ready,
            PlanState::Running,
            PlanState::Recovering { step_id: step_id.clone() },
            PlanState::Paused { reason: PauseReason::User },
            PlanState::Stuck { step_id, reason: StuckReason::NoProgress },
            PlanState::Completed,
            PlanState::Failed { code: String::new(), reason: "step 1 failed".into() },
            PlanState::Cancelled,
        ]
    }

    /// A table row for people: the states that may follow.
    fn followers<S: Clone>(
        from: &S,
        all: &[S],
        step: impl Fn(&S, S) -> bool,
        name: fn(&S) -> &str,
    ) -> String {
        let next: Vec<&str> = all.iter().filter(|to| step(from, (*to).clone())).map(name).collect();
        format!("{} -> {}", name(from), next.join(", "))
    }

    #[test]
    fn every_pair_of_step_states() {
        let all = step_states();
        let table: Vec<String> = all
            .iter()
            .map(|from| followers(from, &all, |a, b| step(a, b).is_ok(), |s| step_name(s)))
            .collect();
        assert_eq!(
            table,
            [
                "pending -> pending, awaiting Run, awaiting approval, running, recovering, failed, skipped, cancelled",
                "awaiting Run -> pending, awaiting approval, running, failed, skipped, cancelled",
                "awaiting approval -> pending, awaiting Run, awaiting approval, running, recovering, failed, \
                 skipped, cancelled",
                "running -> recovering, completed, failed, skipped, cancelled, interrupted",
                "recovering -> pending, awaiting Run, awaiting approval, running, recovering, failed, skipped, \
                 cancelled",
                "completed -> ",
                "failed -> pending, awaiting Run, awaiting approval, running, recovering, skipped, cancelled",
                "skipped -> pending",
                "cancelled -> pending",
                "interrupted -> pending, awaiting Run, awaiting approval, running, recovering, skipped, cancelled",
            ]
        );
    }

    #[test]
    fn a_step_serves_again_when_it_is_over_and_waits_for_nothing() {
        let again: Vec<_> = step_states().into_iter().filter(|state| service_again(state).is_ok()).collect();
        let again: Vec<_> = again.iter().map(step_name).collect();
        assert_eq!(again, ["pending", "completed", "failed", "cancelled", "interrupted"]);
    }

    #[test]
    fn every_pair_of_plan_states() {
        let all = plan_states();
        let table: Vec<String> = all
            .iter()
            .map(|from| followers(from, &all, |a, b| plan(a, b).is_ok(), |s| plan_name(s)))
            .collect();
        assert_eq!(
            table,
            [
                "a draft -> a draft, ready, cancelled",
                "ready -> a draft, ready, running, cancelled",
                "running -> running, recovering, paused, stuck, completed, failed, cancelled",
                "recovering -> running, recovering, paused, stuck, completed, failed, cancelled",
                "paused -> running, paused, failed, cancelled",
                "stuck -> running, recovering, paused, failed, cancelled",
                "completed -> ",
                "failed -> running",
                "cancelled -> running",
            ]
        );
    }

    #[test]
    fn an_allowed_transition_returns_the_new_state_whole() {
        let to = StepState::Failed { attempt: 2, reason: "exit 7".into() };
        let from = StepState::Running { attempt: 2, started_at: Time::now() };
        assert_eq!(step(&from, to.clone()), Ok(to));
    }

    #[test]
    fn a_refusal_says_which_states() {
        let refused = step(&StepState::Completed { attempt: 0 }, StepState::Pending);
        assert_eq!(
            refused.map_err(|e| e.to_string()),
            Err("a step that is completed cannot become pending".into())
        );
        let refused = plan(&PlanState::Draft, PlanState::Running);
        assert_eq!(
            refused.map_err(|e| e.to_string()),
            Err("a plan that is a draft cannot become running".into())
        );
    }
}
