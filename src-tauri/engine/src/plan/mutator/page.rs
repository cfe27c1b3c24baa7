//! What the user decides of a page's reading while the plan is a draft: another way, a block taken in that was left out, a step
//! left out. Steps keep their order of the page; what goes is listed with its reason and can come back.

use std::sync::Arc;

use super::edit::{edited, only_draft, take_out};
use super::{MutationError, PlanMutator, next_revision};
use crate::plan::validate::MAX_IMPORTED_STEPS;
use crate::protocol::{LeftOut, PageReading, PageRole, PageWay, Plan, Step, StepId, StepState};

impl PlanMutator<'_> {
    /// Takes another way of a choice: its blocks become steps, those of the other ways are left out. What was left out for another
    /// reason than its way stays so.
    pub fn choose_way(&self, choice: usize, way: usize) -> Result<Plan, MutationError> {
        let plan = self.plan;
        only_draft(plan)?;
        let mut reading = reading_of(plan)?;
        let known = reading.choices.get_mut(choice).filter(|known| way < known.ways.len());
        let known = known.ok_or(MutationError::NoSuchWay)?;
        known.chosen = u32::try_from(way).unwrap_or(u32::MAX);
        known.decided = BY_USER.to_owned();
        let instead = format!("\u{201c}{}\u{201d} is taken instead: {BY_USER}", known.ways[way].name);
        let mut blocks: Vec<u32> = known.ways.iter().flat_map(|way| way.blocks.iter().copied()).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let mut next = next_revision(plan);
        for block in blocks {
            if is_on_the_way(&reading, block) {
                let left = reading.left_out.iter().position(|one| {
                    one.block == block && matches!(one.role, PageRole::Alternative | PageRole::OtherSystem)
                });
                if let Some(left) = left {
                    put_in(&mut next.steps, &mut reading, left);
                }
                continue;
            }
            put_block_aside(&mut next.steps, &mut reading, block, PageRole::Alternative, &instead);
            let others = reading.left_out.iter_mut();
            for one in others.filter(|one| one.block == block && one.role == PageRole::Alternative) {
                one.why.clone_from(&instead);
            }
        }
        finished(plan, next, reading)
    }

    /// Makes steps of what was left out, at its place on the page.
    pub fn take_in(&self, block: u32) -> Result<Plan, MutationError> {
        let plan = self.plan;
        only_draft(plan)?;
        let mut reading = reading_of(plan)?;
        let mut next = next_revision(plan);
        put_block_in(&mut next.steps, &mut reading, block);
        if next.steps.len() == plan.steps.len() {
            return Err(MutationError::NothingToTakeIn);
        }
        finished(plan, next, reading)
    }
}

/// Lists a step of a page that the user has removed from `next`; one that is no step of the page is gone.
pub(super) fn list_removed(next: &mut Plan, removed: &Step) {
    let Some(page) = next.page.as_mut() else { return };
    put_aside(Arc::make_mut(page), removed, PageRole::Optional, "you left it out");
}

const BY_USER: &str = "you chose it";

pub(super) fn reading_of(plan: &Plan) -> Result<PageReading, MutationError> {
    plan.page.as_deref().cloned().ok_or(MutationError::NoPage)
}

pub(super) fn finished(plan: &Plan, mut next: Plan, reading: PageReading) -> Result<Plan, MutationError> {
    if next.steps.is_empty() {
        return Err(MutationError::LastStep);
    }
    if next.steps.len() > MAX_IMPORTED_STEPS {
        return Err(MutationError::PlanFull { allowed: MAX_IMPORTED_STEPS });
    }
    next.page = Some(Arc::new(reading));
    Ok(edited(plan, next))
}

/// All of a block that can be done becomes steps.
pub(super) fn put_block_in(steps: &mut Vec<Arc<Step>>, reading: &mut PageReading, block: u32) {
    let is_meant = |one: &LeftOut| one.block == block && !one.steps.is_empty();
    while let Some(left) = reading.left_out.iter().position(is_meant) {
        put_in(steps, reading, left);
    }
}

/// All steps of a block are left out.
pub(super) fn put_block_aside(
    steps: &mut Vec<Arc<Step>>,
    reading: &mut PageReading,
    block: u32,
    role: PageRole,
    why: &str,
) {
    let places = reading.steps.iter().filter(|place| place.block == block);
    let of_block: Vec<StepId> = places.map(|place| place.step_id.clone()).collect();
    while let Some(at) = steps.iter().position(|step| of_block.contains(&step.id)) {
        let step = take_out(steps, at);
        put_aside(reading, &step, role, why);
    }
}

/// Behind the last step that stands before it on the page; what the user added by hand stays where it is.
fn put_in(steps: &mut Vec<Arc<Step>>, reading: &mut PageReading, left: usize) {
    for mut step in reading.left_out.remove(left).steps {
        let own = reading.steps.iter().position(|place| place.step_id == step.id);
        let (before, behind) = reading.steps.split_at(own.unwrap_or(reading.steps.len()));
        let at = match steps.iter().rposition(|there| before.iter().any(|place| place.step_id == there.id)) {
            Some(last) => last + 1,
            None => steps
                .iter()
                .position(|there| behind.iter().any(|place| place.step_id == there.id))
                .unwrap_or(steps.len()),
        };
        // What it needed may be gone by now.
        step.depends_on = at.checked_sub(1).map(|before| steps[before].id.clone()).into_iter().collect();
        // It is done now, whatever it was read as.
        if let Some(place) = own.and_then(|own| reading.steps.get_mut(own)) {
            place.role = if step.action.is_manual() { PageRole::Manual } else { PageRole::Run };
        }
        steps.insert(at, Arc::new(step));
    }
}

fn put_aside(reading: &mut PageReading, step: &Step, role: PageRole, why: &str) {
    let Some(place) = reading.steps.iter().find(|place| place.step_id == step.id) else { return };
    let step = Step { assessment: None, state: StepState::Pending, ..step.clone() };
    if let Some(known) = reading.left_out.iter_mut().find(|one| one.block == place.block && one.role == role)
    {
        known.text = format!("{}\n{}", known.text, step.action.command());
        known.steps.push(step);
        return;
    }
    let (block, start, end) = (place.block, place.start, place.end);
    let at = reading.left_out.partition_point(|one| one.block < block);
    let text = step.action.command().to_owned();
    let after = None;
    let entry = LeftOut { block, role, why: why.to_owned(), text, start, end, after, steps: vec![step] };
    reading.left_out.insert(at, entry);
}

/// Whether a block is part of the way that is taken, in every choice that it is a part of.
fn is_on_the_way(reading: &PageReading, block: u32) -> bool {
    reading.choices.iter().all(|choice| {
        let is_in = |way: &PageWay| way.blocks.contains(&block);
        !choice.ways.iter().any(is_in) || choice.ways.get(choice.chosen as usize).is_some_and(is_in)
    })
}

#[cfg(test)]
#[path = "page_tests.rs"]
pub(super) mod tests;
