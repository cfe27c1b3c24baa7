//! The user's edits on the confirmation card, while the plan is a draft: each is a revision of its own, assessed like
//! any other. Once the plan is confirmed its steps are only changed, not added, moved or removed.

use super::Session;
use crate::plan::{self, mutator::PlanMutator};
use crate::protocol::{Author, EngineError, ErrorCode, Plan, ProtoStep, StepId};

/// Longest title that a user may give a step, in characters.
const TITLE: usize = 120;

impl Session {
    pub(super) async fn add_step(
        &mut self,
        after: Option<StepId>,
        title: String,
        command: String,
    ) -> Result<(), EngineError> {
        let (named, kind) = plan::describe(&command);
        let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.chars().nth(TITLE).is_some() {
            let message = format!("The title is longer than {TITLE} characters. Make it shorter.");
            return Err(EngineError::new(ErrorCode::InvalidInput, message));
        }
        let title = if title.is_empty() { named } else { title };
        let proto = ProtoStep { title, kind, command, why: String::new(), verify: None, warning: None };
        let plan = self.plan()?;
        let revised = PlanMutator::of(plan).add_step(after.as_ref(), &proto)?;
        let added =
            revised.steps.iter().find(|step| plan.step(&step.id).is_none()).map(|step| step.id.clone());
        self.edited(revised, format!("You added \"{}\".", proto.title), added).await
    }

    pub(super) async fn remove_step(&mut self, id: &StepId) -> Result<(), EngineError> {
        let plan = self.plan()?;
        let revised = PlanMutator::of(plan).remove_step(id)?;
        let reason = format!("You removed \"{}\".", title_of(plan, id));
        self.edited(revised, reason, None).await
    }

    /// A step that is already there stays without a new revision.
    pub(super) async fn move_step(&mut self, id: &StepId, to: u32) -> Result<(), EngineError> {
        let plan = self.plan()?;
        let revised = PlanMutator::of(plan).move_step(id, to as usize)?;
        let place = |plan: &Plan| plan.step(id).map_or(0, |step| step.index);
        if place(plan) == place(&revised) {
            return Ok(());
        }
        let reason = format!("You moved \"{}\" to place {}.", title_of(plan, id), place(&revised) + 1);
        self.edited(revised, reason, Some(id.clone())).await
    }

    /// The way that is taken already stays without a new revision.
    pub(super) async fn choose_way(&mut self, choice: u32, way: u32) -> Result<(), EngineError> {
        let plan = self.plan()?;
        let known = plan.page.as_deref().and_then(|page| page.choices.get(choice as usize));
        if known.is_some_and(|known| known.chosen == way) {
            return Ok(());
        }
        let revised = PlanMutator::of(plan).choose_way(choice as usize, way as usize)?;
        let way = known.and_then(|known| known.ways.get(way as usize));
        let reason = format!("You chose \"{}\".", way.map_or("", |way| &way.name));
        self.edited(revised, reason, None).await
    }

    pub(super) async fn take_in(&mut self, block: u32) -> Result<(), EngineError> {
        let plan = self.plan()?;
        let revised = PlanMutator::of(plan).take_in(block)?;
        let added = revised.steps.iter().find(|step| plan.step(&step.id).is_none()).cloned();
        let reason = format!("You took in \"{}\".", added.as_ref().map_or("", |step| &step.title));
        self.edited(revised, reason, added.map(|step| step.id.clone())).await
    }

    async fn edited(
        &mut self,
        plan: Plan,
        reason: String,
        step_id: Option<StepId>,
    ) -> Result<(), EngineError> {
        self.revise(plan, Author::User, reason, step_id).await
    }
}

fn title_of(plan: &Plan, id: &StepId) -> String {
    plan.step(id).map(|step| step.title.clone()).unwrap_or_default()
}
