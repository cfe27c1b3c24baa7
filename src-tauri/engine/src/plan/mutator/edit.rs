//! The user's edits on the confirmation card: add, move and remove steps of a draft. A plan that is a plain sequence
//! stays one; where needs were stated one by one they are kept, and an edit that would break one is refused.

use std::sync::Arc;

use super::page::list_removed;
use super::{MutationError, PlanMutator, next_revision, place_of, step_from};
use crate::plan::changes::number_all;
use crate::plan::raw::chain;
use crate::plan::validate::MAX_IMPORTED_STEPS;
use crate::protocol::{Plan, PlanState, ProtoStep, Step, StepId, StepOrigin};

impl PlanMutator<'_> {
    /// Adds a step of the user's after `after`, or at the start.
    pub fn add_step(&self, after: Option<&StepId>, proto: &ProtoStep) -> Result<Plan, MutationError> {
        let plan = self.plan;
        only_draft(plan)?;
        if plan.steps.len() >= MAX_IMPORTED_STEPS {
            return Err(MutationError::PlanFull { allowed: MAX_IMPORTED_STEPS });
        }
        let place = match after {
            Some(id) => place_of(plan, id)? + 1,
            None => 0,
        };
        let mut step = step_from(proto, StepOrigin::Original)?;
        step.depends_on = after.cloned().into_iter().collect();
        let mut next = next_revision(plan);
        next.steps.insert(place, Arc::new(step));
        Ok(edited(plan, next))
    }

    /// Removes a step; what needed it needs what it needed.
    pub fn remove_step(&self, id: &StepId) -> Result<Plan, MutationError> {
        let plan = self.plan;
        only_draft(plan)?;
        let place = place_of(plan, id)?;
        if plan.steps.len() == 1 {
            return Err(MutationError::LastStep);
        }
        let mut next = next_revision(plan);
        let removed = take_out(&mut next.steps, place);
        list_removed(&mut next, &removed);
        Ok(edited(plan, next))
    }

    /// Moves a step to place `to` (from 0) of the new order; a place beyond the end is the end.
    pub fn move_step(&self, id: &StepId, to: usize) -> Result<Plan, MutationError> {
        let plan = self.plan;
        only_draft(plan)?;
        let from = place_of(plan, id)?;
        let to = to.min(plan.steps.len() - 1);
        let mut next = next_revision(plan);
        let step = next.steps.remove(from);
        next.steps.insert(to, step);
        let next = edited(plan, next);
        // In a sequence each comes after what it needs, wherever it went.
        if !is_sequence(plan)
            && let Some(refusal) = first_broken_need(&next)
        {
            return Err(refusal);
        }
        Ok(next)
    }
}

/// What needed the step needs what it needed.
pub(super) fn take_out(steps: &mut Vec<Arc<Step>>, place: usize) -> Arc<Step> {
    let removed = steps.remove(place);
    for step in steps {
        if let Some(at) = step.depends_on.iter().position(|needed| *needed == removed.id) {
            let inherited: Vec<StepId> = removed
                .depends_on
                .iter()
                .filter(|needed| !step.depends_on.contains(needed))
                .cloned()
                .collect();
            Arc::make_mut(step).depends_on.splice(at..=at, inherited);
        }
    }
    removed
}

pub(super) fn only_draft(plan: &Plan) -> Result<(), MutationError> {
    match plan.state {
        PlanState::Draft => Ok(()),
        PlanState::Ready
        | PlanState::Running
        | PlanState::Recovering { .. }
        | PlanState::Paused { .. }
        | PlanState::Stuck { .. }
        | PlanState::Completed
        | PlanState::Failed { .. }
        | PlanState::Cancelled => Err(MutationError::NotADraft),
    }
}

/// What holds after any edit. The steps of a draft are its original ones, however it came to have them.
pub(super) fn edited(before: &Plan, mut next: Plan) -> Plan {
    if is_sequence(before) {
        chain(&mut next.steps);
    }
    next.original_steps = u32::try_from(next.steps.len()).unwrap_or(u32::MAX);
    number_all(&mut next.steps);
    next
}

fn is_sequence(plan: &Plan) -> bool {
    let previous = std::iter::once(None).chain(plan.steps.iter().map(|step| Some(&step.id)));
    plan.steps.iter().zip(previous).all(|(step, previous)| step.depends_on.iter().eq(previous))
}

fn first_broken_need(plan: &Plan) -> Option<MutationError> {
    let mut seen = std::collections::HashSet::new();
    for step in &plan.steps {
        if let Some(needed) = step.depends_on.iter().find(|id| !seen.contains(id)) {
            let needs = plan.step(needed).map_or_else(|| needed.to_string(), |step| step.title.clone());
            return Some(MutationError::NeedsEarlier { title: step.title.clone(), needs });
        }
        seen.insert(&step.id);
    }
    None
}
