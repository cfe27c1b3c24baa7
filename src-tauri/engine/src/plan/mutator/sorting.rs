//! A page's blocks sorted by a model while the plan is a draft: each becomes steps or is left out, as the user could do it block by
//! block. Commands are the page's before and after; what is named is only where a value of the user's stands.

use std::sync::Arc;

use super::edit::only_draft;
use super::page::{finished, put_block_aside, put_block_in, reading_of};
use super::{MutationError, PlanMutator, next_revision};
use crate::plan::runbook::inputs::take_inputs;
use crate::plan::sorting::{NamedInput, SortedBlock, SortedChoice, Sorting};
use crate::protocol::{PageChoice, PageReading, PageWay, Plan, Step};

/// Inputs that may be named at once.
const MOST_INPUTS: usize = 20;
/// Longest text that is an input, in characters.
const TOKEN: usize = 100;

impl PlanMutator<'_> {
    /// Sorts the blocks as told; one that is not named stays as it is, and one that the page does not have changes nothing.
    ///
    /// # Errors
    /// `NotADraft`, `NoPage`; `LastStep` where nothing would be left to do.
    pub fn sort(&self, sorting: &Sorting) -> Result<Plan, MutationError> {
        let plan = self.plan;
        only_draft(plan)?;
        let mut reading = reading_of(plan)?;
        let mut next = next_revision(plan);
        for sorted in &sorting.blocks {
            let (block, why) = (sorted.block, reason(sorted, &sorting.by));
            if sorted.role.is_taken() {
                let is_left = reading.left_out.iter().any(|one| one.block == block && !one.steps.is_empty());
                put_block_in(&mut next.steps, &mut reading, block);
                let places = reading.steps.iter_mut().filter(|place| is_left && place.block == block);
                places.for_each(|place| place.why.clone_from(&why));
            } else {
                put_block_aside(&mut next.steps, &mut reading, block, sorted.role, &why);
            }
        }
        add_choices(&mut reading, &sorting.choices);
        follow_ways(&mut reading, &next.steps, &sorting.by);
        let mut next = finished(plan, next, reading)?;
        name_inputs(&mut next, &sorting.inputs);
        Ok(next)
    }
}

fn reason(sorted: &SortedBlock, by: &str) -> String {
    if sorted.why.is_empty() { format!("{by} says so") } else { format!("{by}: {}", sorted.why) }
}

/// Choices that nobody saw before. One that shares blocks with a known one says nothing new.
fn add_choices(reading: &mut PageReading, choices: &[SortedChoice]) {
    for choice in choices {
        let mut blocks: Vec<u32> =
            choice.ways.iter().flat_map(|(_, blocks)| blocks.iter().copied()).collect();
        let count = blocks.len();
        blocks.sort_unstable();
        blocks.dedup();
        let is_known = |block: &u32| {
            reading.choices.iter().flat_map(|known| &known.ways).any(|way| way.blocks.contains(block))
        };
        let each_has_some = choice.ways.iter().all(|(_, blocks)| !blocks.is_empty());
        if choice.ways.len() < 2 || !each_has_some || blocks.len() < count || blocks.iter().any(is_known) {
            continue;
        }
        let ways = choice.ways.iter().map(|(name, blocks)| PageWay {
            name: name.clone(),
            texts: blocks.iter().flat_map(|block| texts(reading, *block)).collect(),
            blocks: blocks.clone(),
            unfit: None,
        });
        let choice =
            PageChoice { name: choice.name.clone(), ways: ways.collect(), chosen: 0, decided: String::new() };
        reading.choices.push(choice);
    }
}

fn texts(reading: &PageReading, block: u32) -> Vec<String> {
    let steps = reading.steps.iter().filter(|place| place.block == block).map(|place| place.text.clone());
    let texts: Vec<String> = steps.filter(|text| !text.is_empty()).collect();
    if !texts.is_empty() {
        return texts;
    }
    reading.left_out.iter().filter(|one| one.block == block).map(|one| one.text.clone()).collect()
}

/// The way of a choice that is taken is the one whose blocks are steps now, where exactly one is.
fn follow_ways(reading: &mut PageReading, steps: &[Arc<Step>], by: &str) {
    let taken: Vec<u32> = reading
        .steps
        .iter()
        .filter(|place| steps.iter().any(|step| step.id == place.step_id))
        .map(|place| place.block)
        .collect();
    for choice in &mut reading.choices {
        let is_taken = |at: &usize| {
            let others = || choice.ways.iter().enumerate().filter(|(other, _)| other != at);
            let is_own = |block: &&u32| others().all(|(_, way)| !way.blocks.contains(block));
            choice.ways[*at].blocks.iter().filter(is_own).any(|block| taken.contains(block))
        };
        let found: Vec<usize> = (0..choice.ways.len()).filter(is_taken).collect();
        let [way] = found.as_slice() else { continue };
        let way = u32::try_from(*way).unwrap_or(u32::MAX);
        if way != choice.chosen || choice.decided.is_empty() {
            choice.chosen = way;
            choice.decided = format!("{by} chose it");
        }
    }
}

/// Puts variables where the named texts stand. A text that is not in its block names nothing.
fn name_inputs(plan: &mut Plan, named: &[NamedInput]) {
    let known: Vec<String> = plan.inputs.iter().map(|input| input.name.clone()).collect();
    let Some(page) = plan.page.as_mut() else { return };
    let fit: Vec<&NamedInput> = named
        .iter()
        .filter(|input| {
            let token = input.token.as_str();
            token.trim() == token
                && (3..=TOKEN).contains(&token.chars().count())
                && !token.contains(char::is_control)
                && token.contains(char::is_alphanumeric)
                && texts(page, input.block).iter().any(|text| text.contains(token))
        })
        .take(MOST_INPUTS)
        .collect();
    if fit.is_empty() {
        return;
    }
    let tokens: Vec<String> = fit.iter().map(|input| input.token.clone()).collect();
    let left_out = Arc::make_mut(page).left_out.iter_mut().flat_map(|one| &mut one.steps);
    let mut steps: Vec<&mut Step> = plan.steps.iter_mut().map(Arc::make_mut).chain(left_out).collect();
    let before: Vec<String> = steps.iter().map(|step| step.action.command().to_owned()).collect();
    let declared = std::mem::take(&mut plan.inputs);
    plan.inputs = take_inputs(steps.iter_mut().map(|step| &mut **step), declared, &tokens);
    for (step, before) in steps.into_iter().zip(before) {
        if step.action.command() != before {
            step.assessment = None;
        }
    }
    for input in plan.inputs.iter_mut().filter(|input| !known.contains(&input.name)) {
        let label = fit.iter().find(|named| named.token == input.token).map(|named| &named.label);
        if let Some(label) = label.filter(|label| !label.is_empty()) {
            input.label.clone_from(label);
        }
    }
}

#[cfg(test)]
#[path = "sorting_tests.rs"]
mod tests;
