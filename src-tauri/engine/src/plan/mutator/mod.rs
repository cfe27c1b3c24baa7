//! Changes of a plan (P5), each a pure function from one revision to the next. Completed steps are never altered and
//! keep their order; states are carried over; a changed command loses its assessment so that the engine must judge it
//! again. What cannot be done is refused with a type, never a silent no-op.

mod edit;
mod inputs;
mod page;
mod sorting;

use std::sync::Arc;

use super::changes::number_all;
use super::describe;
use super::raw::non_blank;
use super::validate::{CommandFault, check_command, tidy_command};
use crate::protocol::{
    Action, MAX_ADDED_STEPS, MAX_STEPS_PER_CORRECTION, Plan, ProtoStep, Step, StepChange, StepId, StepLimits,
    StepOrigin, StepState,
};

/// Changes one revision of a plan into the next, or refuses; the plan itself stays as it is.
#[derive(Debug, Clone, Copy)]
pub struct PlanMutator<'p> {
    plan: &'p Plan,
}

impl<'p> PlanMutator<'p> {
    pub fn of(plan: &'p Plan) -> Self {
        Self { plan }
    }
}

/// For which failed step a change is made, who proposed it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairNote {
    pub for_step: StepId,
    /// A field guide rule id, a model's name, or "you".
    pub source: String,
    pub reason: String,
}

/// Why a plan was left as it is; for people, with what to do where they can do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MutationError {
    #[error("The plan has no step \"{id}\".")]
    NoSuchStep { id: StepId },
    #[error("\"{title}\" is done and stays as it is. Add a new step instead.")]
    StepCompleted { title: String },
    #[error("\"{title}\" is running. Cancel it before changing it.")]
    StepRunning { title: String },
    #[error("There is nothing to insert.")]
    NothingToInsert,
    #[error("{asked} new steps at once; a correction may bring at most {allowed}.")]
    TooManyAtOnce { asked: usize, allowed: usize },
    #[error(
        "{added} steps were added to this plan already and {asked} more were asked for; at most {allowed} may be added."
    )]
    TooManyAdded { added: u32, asked: usize, allowed: u32 },
    #[error("\"{title}\" cannot be used: {fault}")]
    BadCommand { title: String, fault: CommandFault },
    #[error("\"{title}\" has this command already.")]
    Unchanged { title: String },
    #[error("Steps can be added, moved and removed only before the plan is confirmed.")]
    NotADraft,
    #[error("A plan needs at least one step. Reject the plan instead.")]
    LastStep,
    #[error("The plan has {allowed} steps, the most there may be.")]
    PlanFull { allowed: usize },
    #[error("The plan is not from a page.")]
    NoPage,
    #[error("The page shows no such way. Look at its choices again.")]
    NoSuchWay,
    #[error("There is nothing to run in that part of the page.")]
    NothingToTakeIn,
    #[error("It does not ask for {name}. It asks for {asked}.")]
    NoSuchInput { name: String, asked: String },
    #[error("\"{label}\": {fault}")]
    UnfitValue { label: String, fault: String },
    #[error(
        "\"{label}\" has a value that steps may have used already. Stop the run and import the page again to change it."
    )]
    ValueInUse { label: String },
    #[error("\"{title}\" needs \"{needs}\" to come before it.")]
    NeedsEarlier { title: String, needs: String },
}

impl PlanMutator<'_> {
    /// Makes a step of a proposal, with an id of its own, to be part of the revision after `plan`'s.
    pub fn promote_proto_step(&self, proto: &ProtoStep, by: &RepairNote) -> Result<Step, MutationError> {
        let plan = self.plan;
        let origin = StepOrigin::Repair {
            for_step: by.for_step.clone(),
            source: by.source.clone(),
            reason: by.reason.clone(),
            revision: plan.revision + 1,
        };
        step_from(proto, origin)
    }

    /// Inserts repair steps right after `after`. Those that come to stand before the step they are for become its needs.
    pub fn insert_steps(
        &self,
        after: &StepId,
        protos: &[ProtoStep],
        by: &RepairNote,
    ) -> Result<Plan, MutationError> {
        let plan = self.plan;
        insert_at(plan, place_of(plan, after)? + 1, protos, by)
    }

    /// Inserts repair steps right before `before`, which usually is the failed step.
    pub fn insert_steps_before(
        &self,
        before: &StepId,
        protos: &[ProtoStep],
        by: &RepairNote,
    ) -> Result<Plan, MutationError> {
        let plan = self.plan;
        insert_at(plan, place_of(plan, before)?, protos, by)
    }

    /// Puts what `proto` says in the place of a step. Its id, dependencies, limits, origin and state stay.
    pub fn replace_step(
        &self,
        id: &StepId,
        proto: &ProtoStep,
        by: &RepairNote,
    ) -> Result<Plan, MutationError> {
        let plan = self.plan;
        let place = changeable(plan, id)?;
        let command = usable(&proto.command, &proto.title)?;
        let verify = usable_verify(proto)?;
        let mut next = next_revision(plan);
        let step = Arc::make_mut(&mut next.steps[place]);
        record_change(step, next.revision, &by.source, &by.reason);
        step.title = proto.title.clone();
        step.kind = proto.kind;
        step.action = Action::Shell { command };
        step.why = non_blank(Some(proto.why.clone()));
        step.verify = verify;
        step.warning = proto.warning.clone();
        step.expected = None;
        step.estimate_seconds = None;
        Ok(next)
    }

    /// Replaces a step's command alone; of a manual step its words.
    pub fn replace_step_command(
        &self,
        id: &StepId,
        command: &str,
        source: &str,
        reason: &str,
    ) -> Result<Plan, MutationError> {
        let plan = self.plan;
        let place = changeable(plan, id)?;
        let command = usable(command, &plan.steps[place].title)?;
        if plan.steps[place].action.command() == command {
            return Err(MutationError::Unchanged { title: plan.steps[place].title.clone() });
        }
        let mut next = next_revision(plan);
        let step = Arc::make_mut(&mut next.steps[place]);
        record_change(step, next.revision, source, reason);
        // A name that was made of the command is made of the new one.
        if !step.action.is_manual() && step.title == describe(step.action.command()).0 {
            step.title = describe(&command).0;
        }
        step.action = step.action.with_text(command);
        Ok(next)
    }
}

fn insert_at(
    plan: &Plan,
    place: usize,
    protos: &[ProtoStep],
    by: &RepairNote,
) -> Result<Plan, MutationError> {
    let failed = changeable_target(plan, &by.for_step)?;
    if protos.is_empty() {
        return Err(MutationError::NothingToInsert);
    }
    if protos.len() > MAX_STEPS_PER_CORRECTION {
        return Err(MutationError::TooManyAtOnce { asked: protos.len(), allowed: MAX_STEPS_PER_CORRECTION });
    }
    let added = plan.added_steps();
    if added as usize + protos.len() > MAX_ADDED_STEPS as usize {
        return Err(MutationError::TooManyAdded { added, asked: protos.len(), allowed: MAX_ADDED_STEPS });
    }
    let mut repairs = Vec::with_capacity(protos.len());
    for proto in protos {
        repairs.push(PlanMutator::of(plan).promote_proto_step(proto, by)?);
    }
    let ids: Vec<StepId> = repairs.iter().map(|step| step.id.clone()).collect();

    // The first repair starts from where the failed step would have; each other one follows the one before it.
    let earlier = |id: &StepId| plan.steps[..place].iter().any(|step| &step.id == id);
    repairs[0].depends_on = plan.steps[failed].depends_on.iter().filter(|id| earlier(id)).cloned().collect();
    for (follower, previous) in repairs.iter_mut().skip(1).zip(&ids) {
        follower.depends_on = vec![previous.clone()];
    }

    let mut next = next_revision(plan);
    if place <= failed {
        Arc::make_mut(&mut next.steps[failed]).depends_on.extend(ids);
    } else {
        // A follow-up of the failed step, not something it could wait for.
        repairs[0].depends_on.push(by.for_step.clone());
    }
    next.steps.splice(place..place, repairs.into_iter().map(Arc::new));
    number_all(&mut next.steps);
    Ok(next)
}

/// The place of a step whose definition may change now.
fn changeable(plan: &Plan, id: &StepId) -> Result<usize, MutationError> {
    let place = changeable_target(plan, id)?;
    match plan.steps[place].state {
        StepState::Running { .. } => {
            Err(MutationError::StepRunning { title: plan.steps[place].title.clone() })
        }
        StepState::Pending
        | StepState::AwaitingRun
        | StepState::AwaitingApproval { .. }
        | StepState::Recovering { .. }
        | StepState::Completed { .. }
        | StepState::Failed { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled
        | StepState::Interrupted { .. } => Ok(place),
    }
}

/// The place of a step that is not completed.
fn changeable_target(plan: &Plan, id: &StepId) -> Result<usize, MutationError> {
    let place = place_of(plan, id)?;
    if let StepState::Completed { .. } = plan.steps[place].state {
        return Err(MutationError::StepCompleted { title: plan.steps[place].title.clone() });
    }
    Ok(place)
}

fn place_of(plan: &Plan, id: &StepId) -> Result<usize, MutationError> {
    plan.steps
        .iter()
        .position(|step| &step.id == id)
        .ok_or_else(|| MutationError::NoSuchStep { id: id.clone() })
}

fn step_from(proto: &ProtoStep, origin: StepOrigin) -> Result<Step, MutationError> {
    Ok(Step {
        id: StepId::new(),
        index: 0,
        title: proto.title.clone(),
        kind: proto.kind,
        action: Action::Shell { command: usable(&proto.command, &proto.title)? },
        changed: None,
        why: non_blank(Some(proto.why.clone())),
        expected: None,
        verify: usable_verify(proto)?,
        ok_exit: vec![0],
        depends_on: Vec::new(),
        limits: StepLimits::default(),
        service: None,
        estimate_seconds: None,
        assessment: None,
        warning: proto.warning.clone(),
        origin,
        state: StepState::Pending,
    })
}

fn usable(command: &str, title: &str) -> Result<String, MutationError> {
    let command = tidy_command(command);
    match check_command(&command) {
        Ok(()) => Ok(command),
        Err(fault) => Err(MutationError::BadCommand { title: title.to_owned(), fault }),
    }
}

fn usable_verify(proto: &ProtoStep) -> Result<Option<String>, MutationError> {
    non_blank(proto.verify.clone()).map(|verify| usable(&verify, &proto.title)).transpose()
}

fn record_change(step: &mut Step, revision: u32, source: &str, reason: &str) {
    step.changed = Some(StepChange {
        before: step.action.command().to_owned(),
        revision,
        source: source.to_owned(),
        reason: reason.to_owned(),
    });
    step.assessment = None;
    // It was about the command before.
    step.warning = None;
}

fn next_revision(plan: &Plan) -> Plan {
    Plan { revision: plan.revision + 1, ..plan.clone() }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
