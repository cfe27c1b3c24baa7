//! What the user ticked when confirming a plan: exactly those steps as they stood, at the risk that was shown, for this
//! plan and the revisions that leave them as they are. Held in memory only, so it never survives a restart.

use std::collections::BTreeMap;

use crate::protocol::{Action, Plan, PlanId, Risk, Step, StepId};

#[derive(Debug, Default)]
pub(super) struct Consents {
    /// The plan and the latest of its revisions that was followed.
    of: Option<(PlanId, u32)>,
    ticked: BTreeMap<StepId, Ticked>,
}

#[derive(Debug, PartialEq, Eq)]
struct Ticked {
    action: Action,
    verify: Option<String>,
    risk: Risk,
}

impl Ticked {
    fn of(step: &Step) -> Option<Self> {
        let risk = step.assessment.as_ref()?.risk;
        Some(Self { action: step.action.clone(), verify: step.verify.clone(), risk })
    }

    fn is(&self, step: &Step) -> bool {
        self.action == step.action && self.verify == step.verify
    }
}

impl Consents {
    /// Steps that the plan does not have, or that nobody has judged, are left out.
    pub(super) fn given(plan: &Plan, allowed: &[StepId]) -> Self {
        let ticked = allowed.iter().filter_map(|id| Some((id.clone(), Ticked::of(plan.step(id)?)?)));
        Self { of: Some((plan.id, plan.revision)), ticked: ticked.collect() }
    }

    /// A tick was for the step as it stood; one that is changed and changed back needs a new one. Any revision that is
    /// not the next one, and any other plan, ends them all.
    pub(super) fn follow(&mut self, revised: &Plan) {
        let next =
            self.of.is_some_and(|(plan, revision)| (plan, revision + 1) == (revised.id, revised.revision));
        if !next {
            return self.clear();
        }
        self.of = Some((revised.id, revised.revision));
        self.ticked.retain(|id, ticked| revised.step(id).is_some_and(|step| ticked.is(step)));
    }

    /// Whether exactly this was ticked, and is judged no more severely than it was then.
    pub(super) fn cover(&self, plan: &Plan, step: &Step, risk: Risk) -> bool {
        self.of == Some((plan.id, plan.revision))
            && self.ticked.get(&step.id).is_some_and(|ticked| ticked.is(step) && risk <= ticked.risk)
    }

    /// What was ticked was for a run of the step that is over.
    pub(super) fn use_up(&mut self, id: &StepId) {
        self.ticked.remove(id);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::testing::plan_of;
    use crate::protocol::{Assessment, Effects, UndoOutlook};

    fn plan() -> Plan {
        let mut plan = plan_of(&["rm -rf a", "rm -rf b"]);
        for step in &mut plan.steps {
            Arc::make_mut(step).assessment = Some(Assessment {
                risk: Risk::Dangerous,
                reasons: Vec::new(),
                effects: Effects::default(),
                undo: UndoOutlook::NotNeeded,
                keyboard: None,
            });
        }
        plan
    }

    fn revised(plan: &Plan, change: impl FnOnce(&mut Plan)) -> Plan {
        let mut next = Plan { revision: plan.revision + 1, ..plan.clone() };
        change(&mut next);
        next
    }

    fn covers(consents: &Consents, plan: &Plan) -> [bool; 2] {
        [0, 1].map(|at| consents.cover(plan, &plan.steps[at], Risk::Dangerous))
    }

    #[test]
    fn exactly_what_was_ticked_is_covered() {
        let plan = plan();
        let both: Vec<StepId> = plan.steps.iter().map(|step| step.id.clone()).collect();
        assert_eq!(covers(&Consents::given(&plan, &both[..1]), &plan), [true, false]);
        assert_eq!(covers(&Consents::given(&plan, &[StepId::from("other")]), &plan), [false; 2]);
        let consents = Consents::given(&plan, &both);
        assert!(!consents.cover(&plan, &plan.steps[0], Risk::Blocked), "judged more severely now");
        let another = Plan { id: PlanId::new(), ..plan.clone() };
        assert_eq!(covers(&consents, &another), [false; 2]);
    }

    #[test]
    fn a_revision_ends_what_it_changes_for_good() {
        let plan = plan();
        let both: Vec<StepId> = plan.steps.iter().map(|step| step.id.clone()).collect();
        type Change = fn(&mut Step);
        let changes: [Change; 2] =
            [|step| step.action = Action::shell("rm -rf c"), |step| step.verify = Some("true".into())];
        for change in changes {
            let mut consents = Consents::given(&plan, &both);
            let changed = revised(&plan, |plan| change(Arc::make_mut(&mut plan.steps[0])));
            assert_eq!(covers(&consents, &changed), [false; 2], "a revision that was not followed");
            consents.follow(&changed);
            assert_eq!(covers(&consents, &changed), [false, true]);
            let back = revised(&changed, |next| next.steps[0] = plan.steps[0].clone());
            consents.follow(&back);
            assert_eq!(covers(&consents, &back), [false, true]);
        }
        let mut consents = Consents::given(&plan, &both);
        let skipping = Plan { revision: plan.revision + 2, ..plan.clone() };
        consents.follow(&skipping);
        assert_eq!(covers(&consents, &skipping), [false; 2]);
    }
}
