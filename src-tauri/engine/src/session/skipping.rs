//! What a user's skip means for the steps behind (SPEC E1). A step that somebody chose to skip holds nobody up: often it is
//! done already, by hand or on an earlier day. Whether what needs it is skipped too is asked together with the skip, and
//! then the record says so of each.

use std::collections::BTreeSet;

use super::Session;
use crate::protocol::{EngineError, Event, Plan, Step, StepId, StepState};

impl Session {
    /// The skip of a step and, where wanted, of what needs it.
    pub(super) fn skipped(&self, id: StepId, with_dependents: bool) -> Result<Vec<Event>, EngineError> {
        let dependents = self.skipped_dependents(&id, with_dependents)?;
        Ok(std::iter::once(skipped_by_user(id)).chain(dependents).collect())
    }

    pub(super) fn skipped_dependents(&self, id: &StepId, wanted: bool) -> Result<Vec<Event>, EngineError> {
        if !wanted {
            return Ok(Vec::new());
        }
        let plan = self.plan()?;
        let title = plan.step(id).map(|step| step.title.as_str()).unwrap_or_default();
        let reason = format!("You skipped it with \"{title}\", which it needs.");
        let skipped = |step: &Step| Event::StepSkipped { step_id: step.id.clone(), reason: reason.clone() };
        Ok(dependents(plan, id).into_iter().map(skipped).collect())
    }
}

pub(super) fn skipped_by_user(step_id: StepId) -> Event {
    Event::StepSkipped { step_id, reason: "You skipped it.".to_owned() }
}

/// The steps still to run that need this one, or one of those, in the plan's order.
fn dependents<'a>(plan: &'a Plan, id: &StepId) -> Vec<&'a Step> {
    let mut needed = BTreeSet::from([id]);
    let mut found: Vec<&Step> = Vec::new();
    // Needs may stand behind what needs them, so it is looked until nothing more is found.
    loop {
        let before = found.len();
        for step in &plan.steps {
            if is_to_run(step)
                && !needed.contains(&step.id)
                && step.depends_on.iter().any(|id| needed.contains(id))
            {
                needed.insert(&step.id);
                found.push(step);
            }
        }
        if found.len() == before {
            found.sort_by_key(|step| step.index);
            return found;
        }
    }
}

fn is_to_run(step: &Step) -> bool {
    match step.state {
        StepState::Pending | StepState::AwaitingRun | StepState::AwaitingApproval { .. } => true,
        StepState::Running { .. }
        | StepState::Recovering { .. }
        | StepState::Completed { .. }
        | StepState::Failed { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled
        | StepState::Interrupted { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::testing::plan_of;

    #[test]
    fn what_needs_a_step_is_found_however_far_behind() {
        let mut plan = plan_of(&["a", "b", "c", "d", "e"]);
        let ids: Vec<StepId> = plan.steps.iter().map(|step| step.id.clone()).collect();
        for (step, needs) in [(0, None), (1, Some(0)), (2, Some(1)), (3, Some(0)), (4, None)] {
            let step = Arc::make_mut(&mut plan.steps[step]);
            step.depends_on = needs.map(|need: usize| ids[need].clone()).into_iter().collect();
        }
        let found = |plan: &Plan| dependents(plan, &ids[0]).iter().map(|step| step.index).collect::<Vec<_>>();
        assert_eq!(found(&plan), [1, 2, 3]);
        // What is finished is skipped no more, and what needs only that stands.
        Arc::make_mut(&mut plan.steps[1]).state = StepState::Skipped { reason: String::new() };
        assert_eq!(found(&plan), [3]);
    }
}
