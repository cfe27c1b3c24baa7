//! A plan's first revision and its later ones. The state holds the present plan whole and of each revision what it
//! changed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Applied, conversation, impossible, plan_of, recovery, same_plan, terminals, undo};
use crate::plan::{changes, transition};
use crate::protocol::{
    Author, Ledger, PageReading, Plan, PlanId, PlanInput, PlanOrigin, PlanState, RevisionEntry, SessionState,
    StepId, StepState, Time,
};

/// A new plan has done nothing yet, whatever states its text came with. The shell state stays, as in a terminal;
/// everything that names steps of the plan before goes with it.
pub(super) fn generated(state: &mut SessionState, plan: &Plan, at: Time) -> Applied {
    let mut plan = plan.clone();
    plan.state = PlanState::Draft;
    for step in plan.steps.iter_mut().filter(|step| step.state != StepState::Pending) {
        Arc::make_mut(step).state = StepState::Pending;
    }
    let reason = match &plan.origin {
        PlanOrigin::Runbook { name } | PlanOrigin::Json { name } => format!("Imported from {name}"),
        PlanOrigin::Model { name, .. } => format!("Written by {name}"),
        PlanOrigin::User => "Written by you".to_owned(),
    };
    let author = match &plan.origin {
        PlanOrigin::Runbook { .. } => Author::Runbook,
        PlanOrigin::Model { name, .. } => Author::Agent { source: name.clone() },
        PlanOrigin::Json { .. } | PlanOrigin::User => Author::User,
    };
    state.revisions = vec![RevisionEntry {
        revision: plan.revision,
        author,
        reason,
        step_id: None,
        at,
        changes: Vec::new(),
    }];
    state.ledger = Ledger { added: plan.added_steps(), ..recovery::fresh_ledger() };
    let message_id = match &plan.origin {
        PlanOrigin::Model { message_id, .. } => *message_id,
        PlanOrigin::Runbook { .. } | PlanOrigin::Json { .. } | PlanOrigin::User => None,
    };
    conversation::planned(state, message_id, plan.id, at);
    undo::forget_plans(&mut state.checkpoints, state.plan.as_ref(), &plan);
    terminals::forget_plans(&mut state.terminals, state.plan.as_ref(), &plan);
    state.plan = Some(plan);
    state.mended = None;
    state.results.clear();
    state.approvals.clear();
    state.shell_before.clear();
    Ok(())
}

/// Takes the definitions of the new revision and keeps the states and the mode of the run: a revision changes what is to
/// be done, never what has happened.
/// What a revision changes beside the steps.
pub(super) struct New<'a> {
    pub(super) page: Option<&'a PageReading>,
    pub(super) inputs: Option<&'a [PlanInput]>,
}

pub(super) fn revised(
    state: &mut SessionState,
    plan_id: PlanId,
    original_steps: u32,
    new: New<'_>,
    entry: RevisionEntry,
) -> Applied {
    let old = same_plan(state, plan_id, "revised")?;
    if entry.revision <= old.revision {
        return Err(impossible("plan", "at this revision or a later one", "revised"));
    }
    // A question is about one exact action of one exact revision: of a new one the step must be asked about anew.
    let asked: HashSet<&StepId> = state.approvals.iter().map(|question| &question.step_id).collect();
    let touched: HashSet<&StepId> =
        entry.changes.iter().flat_map(|splice| &splice.removed).map(|step| &step.id).collect();
    let mut states = HashMap::new();
    for step in &old.steps {
        if asked.contains(&step.id) {
            states.insert(step.id.clone(), transition::step(&step.state, StepState::Pending)?);
        } else if touched.contains(&step.id) {
            states.insert(step.id.clone(), step.state.clone());
        }
    }
    let plan = plan_of(state, "revised")?;
    changes::revise(plan, entry.revision, original_steps, &entry.changes)
        .map_err(|_| impossible("plan", "of other steps", "revised"))?;
    if let Some(page) = new.page {
        plan.page = Some(Arc::new(page.clone()));
    }
    if let Some(inputs) = new.inputs {
        plan.inputs = inputs.to_vec();
    }
    let inserted: HashSet<&StepId> =
        entry.changes.iter().flat_map(|splice| &splice.inserted).map(|step| &step.id).collect();
    for step in &mut plan.steps {
        let fresh = || inserted.contains(&step.id).then_some(StepState::Pending);
        if let Some(state) = states.remove(&step.id).or_else(fresh) {
            Arc::make_mut(step).state = state;
        }
    }
    state.ledger.added = plan.added_steps();
    state.approvals.clear();
    state.revisions.push(entry);
    Ok(())
}
