//! Recovery in the fold: a step that is being mended, being stuck, and the budgets of it.

use super::{Applied, impossible, plan_of};
use crate::plan::transition;
use crate::protocol::{
    Ledger, MAX_ADDED_STEPS, MAX_RETRIES_PER_STEP, MAX_TOTAL_CORRECTIONS, PlanState, SessionState, StepId,
    StepState, StuckReason, Time,
};

/// The step stays `recovering` while its repair steps run, until it starts again itself.
pub(super) fn begin(state: &mut SessionState, id: &StepId, since: Time) -> Applied {
    let ledger = state.ledger.clone();
    let plan = plan_of(state, "recovering")?;
    let next_plan = transition::plan(&plan.state, PlanState::Recovering { step_id: id.clone() })?;
    let step = plan.step_mut(id).ok_or_else(|| impossible("step", "not in the plan", "recovering"))?;
    let attempt = match &step.state {
        StepState::Running { attempt, .. }
        | StepState::Recovering { attempt, .. }
        | StepState::Completed { attempt }
        | StepState::Failed { attempt, .. }
        | StepState::Interrupted { attempt } => *attempt,
        StepState::Pending
        | StepState::AwaitingRun
        | StepState::AwaitingApproval { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled
            if ledger.step_id.as_ref() == Some(id) =>
        {
            ledger.attempt.saturating_sub(1)
        }
        StepState::Pending
        | StepState::AwaitingRun
        | StepState::AwaitingApproval { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled => 0,
    };
    if !matches!(step.state, StepState::Recovering { .. }) {
        step.state = transition::step(&step.state, StepState::Recovering { attempt, since })?;
    }
    plan.state = next_plan;
    state.approvals.retain(|open| open.step_id != *id);
    Ok(())
}

pub(super) fn stuck(state: &mut SessionState, id: &StepId, reason: &StuckReason) -> Applied {
    let plan = plan_of(state, "stuck")?;
    let next_plan =
        transition::plan(&plan.state, PlanState::Stuck { step_id: id.clone(), reason: reason.clone() })?;
    let step = plan.step_mut(id).ok_or_else(|| impossible("step", "not in the plan", "stuck"))?;
    // Nothing recovers it any more, and it must not look as if something did.
    if let StepState::Recovering { attempt, .. } = step.state {
        step.state =
            transition::step(&step.state, StepState::Failed { attempt, reason: stuck_in_words(reason) })?;
    }
    plan.state = next_plan;
    Ok(())
}

/// Why recovery gave up, as a sentence without a full stop.
pub(crate) fn stuck_in_words(reason: &StuckReason) -> String {
    match reason {
        StuckReason::StepRetries { allowed } => format!("it still failed after {allowed} retries"),
        StuckReason::Corrections { allowed } => format!("all {allowed} corrections of the run are used"),
        StuckReason::AddedSteps { allowed } => {
            format!("{allowed} steps have been added and no more may follow")
        }
        StuckReason::NoProgress => "the corrections repeat themselves".to_owned(),
        StuckReason::Aborted { reason } => reason.clone(),
        StuckReason::Blocked { reason } => format!("the correction is never allowed to run: {reason}"),
    }
}

/// The plan leaves `recovering` when the step it recovered is done with.
pub(super) fn settle(state: &mut SessionState, id: &StepId) {
    if let Some(plan) = &mut state.plan
        && plan.state == (PlanState::Recovering { step_id: id.clone() })
        && let Ok(running) = transition::plan(&plan.state, PlanState::Running)
    {
        plan.state = running;
    }
}

pub(super) fn raise_budget(ledger: &mut Ledger) -> Applied {
    let unraised = fresh_ledger();
    if ledger.corrections_allowed != unraised.corrections_allowed {
        return Err(impossible("budget", "raised already", "raised again"));
    }
    ledger.attempts_allowed += MAX_RETRIES_PER_STEP;
    ledger.corrections_allowed += MAX_TOTAL_CORRECTIONS;
    Ok(())
}

pub(super) fn fresh_ledger() -> Ledger {
    Ledger {
        step_id: None,
        attempt: 0,
        attempts_allowed: 1 + MAX_RETRIES_PER_STEP,
        corrections: 0,
        corrections_allowed: MAX_TOTAL_CORRECTIONS,
        added: 0,
        added_allowed: MAX_ADDED_STEPS,
    }
}
