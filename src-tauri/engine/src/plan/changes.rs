//! Revisions as changes: what differs between the steps of two revisions, and either of them made from the other. The
//! size of a change is that of what changed, not that of the plan.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::protocol::{Plan, RevisionEntry, Step, StepId, StepSplice, StepState};

/// The changes were made to other steps than these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the changes are of another plan")]
pub struct OtherPlan;

/// What makes `after` out of `before`, as short as it can be said. Places and states are no difference.
pub fn between(before: &[Arc<Step>], after: &[Arc<Step>]) -> Vec<StepSplice> {
    // Most of a long plan stands untouched before and behind what changed; that need not be compared in every way.
    let ahead = before.iter().zip(after).take_while(|(old, new)| is_same(old, new)).count();
    let (before, after) = (&before[ahead..], &after[ahead..]);
    let behind =
        before.iter().rev().zip(after.iter().rev()).take_while(|(old, new)| is_same(old, new)).count();
    let (before, after) = (&before[..before.len() - behind], &after[..after.len() - behind]);
    let places: HashMap<&StepId, usize> = before.iter().zip(0..).map(|(step, at)| (&step.id, at)).collect();
    // Each step as a number; one that is in both as it was has the same in both.
    let old: Vec<usize> = (0..before.len()).collect();
    let new: Vec<usize> = after
        .iter()
        .zip(before.len()..)
        .map(|(step, fresh)| match places.get(&step.id) {
            Some(&at) if is_same(&before[at], step) => at,
            Some(_) | None => fresh,
        })
        .collect();
    let defined = |steps: &[Arc<Step>], range: Range<usize>| {
        let as_defined =
            |(step, index): (&Arc<Step>, u32)| Step { index, state: StepState::Pending, ..Step::clone(step) };
        steps[range.clone()].iter().zip(number(ahead + range.start)..).map(as_defined).collect()
    };
    let mut splices: Vec<StepSplice> = Vec::new();
    for change in capture_diff_slices(Algorithm::Patience, &old, &new) {
        if let DiffOp::Equal { .. } = change {
            continue;
        }
        let at = number(ahead + change.new_range().start);
        let removed: Vec<Step> = defined(before, change.old_range());
        let inserted: Vec<Step> = defined(after, change.new_range());
        match splices.last_mut() {
            // One place, told in two parts.
            Some(last) if last.at + number(last.inserted.len()) == at && follows(last, &removed) => {
                last.removed.extend(removed);
                last.inserted.extend(inserted);
            }
            _ => splices.push(StepSplice { at, removed, inserted }),
        }
    }
    splices
}

/// Whether what is removed stood right behind what an earlier splice removed.
fn follows(last: &StepSplice, removed: &[Step]) -> bool {
    match (last.removed.last(), removed.first()) {
        (Some(before), Some(after)) => before.index + 1 == after.index,
        (None, _) | (_, None) => true,
    }
}

/// Makes the next revision of a plan, or leaves it as it is. States stay with the steps that were not touched; the
/// inserted ones come as `inserted` has them.
pub fn revise(
    plan: &mut Plan,
    revision: u32,
    original_steps: u32,
    changes: &[StepSplice],
) -> Result<(), OtherPlan> {
    check(&plan.steps, changes)?;
    let mut rest = std::mem::take(&mut plan.steps).into_iter();
    let mut steps = Vec::new();
    for splice in changes {
        steps.extend(rest.by_ref().take(place(splice).saturating_sub(steps.len())));
        rest.by_ref().take(splice.removed.len()).for_each(drop);
        steps.extend(splice.inserted.iter().cloned().map(Arc::new));
    }
    steps.extend(rest);
    plan.steps = numbered(steps);
    plan.revision = revision;
    plan.original_steps = original_steps;
    Ok(())
}

/// The earlier steps, where the changes are what made `after`.
fn revert(after: Vec<Arc<Step>>, changes: &[StepSplice]) -> Result<Vec<Arc<Step>>, OtherPlan> {
    let mut rest = after.into_iter();
    let mut before = Vec::new();
    let mut passed = 0;
    for splice in changes {
        let kept = place(splice).checked_sub(passed).ok_or(OtherPlan)?;
        before.extend(rest.by_ref().take(kept));
        for inserted in &splice.inserted {
            if rest.next().is_none_or(|step| step.id != inserted.id) {
                return Err(OtherPlan);
            }
        }
        passed = place(splice) + splice.inserted.len();
        before.extend(splice.removed.iter().cloned().map(Arc::new));
    }
    before.extend(rest);
    Ok(numbered(before))
}

/// The steps of a plan as an earlier `revision` defined them. Their states are those of now.
pub fn steps_at(
    plan: &Plan,
    revisions: &[RevisionEntry],
    revision: u32,
) -> Result<Vec<Arc<Step>>, OtherPlan> {
    let later = revisions.iter().rev().take_while(|entry| entry.revision > revision);
    later.map(|entry| &entry.changes).try_fold(plan.steps.clone(), |steps, changes| revert(steps, changes))
}

/// Whether the changes can be made to these steps, and each step is there once then.
fn check(before: &[Arc<Step>], changes: &[StepSplice]) -> Result<(), OtherPlan> {
    let mut new = HashSet::new();
    if !changes.iter().flat_map(|splice| &splice.inserted).all(|step| new.insert(&step.id)) {
        return Err(OtherPlan);
    }
    let gone: HashSet<&StepId> =
        changes.iter().flat_map(|splice| &splice.removed).map(|step| &step.id).collect();
    // The few that change are looked up, not the many that stay.
    let stays = |step: &Arc<Step>| new.contains(&step.id) && !gone.contains(&step.id);
    if before.iter().any(stays) {
        return Err(OtherPlan);
    }
    let (mut from, mut to) = (0, 0);
    for splice in changes {
        let kept = place(splice).checked_sub(to).ok_or(OtherPlan)?;
        let stood = before.get(from + kept..from + kept + splice.removed.len()).ok_or(OtherPlan)?;
        if !stood.iter().map(|step| &step.id).eq(splice.removed.iter().map(|step| &step.id)) {
            return Err(OtherPlan);
        }
        from += kept + splice.removed.len();
        to = place(splice) + splice.inserted.len();
    }
    Ok(())
}

fn place(splice: &StepSplice) -> usize {
    usize::try_from(splice.at).unwrap_or(usize::MAX)
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Makes each step say where it stands.
pub(crate) fn number_all(steps: &mut [Arc<Step>]) {
    for (index, step) in (0..).zip(steps) {
        if step.index != index {
            Arc::make_mut(step).index = index;
        }
    }
}

fn numbered(mut steps: Vec<Arc<Step>>) -> Vec<Arc<Step>> {
    number_all(&mut steps);
    steps
}

/// All but where a step stands and how far it is.
fn is_same(one: &Arc<Step>, other: &Arc<Step>) -> bool {
    if Arc::ptr_eq(one, other) {
        return true;
    }
    let Step {
        id,
        index: _,
        title,
        kind,
        action,
        changed,
        why,
        expected,
        verify,
        ok_exit,
        depends_on,
        limits,
        service,
        estimate_seconds,
        assessment,
        warning,
        origin,
        state: _,
    } = one.as_ref();
    (id, title, kind, action, changed, why)
        == (&other.id, &other.title, &other.kind, &other.action, &other.changed, &other.why)
        && (expected, verify, ok_exit, depends_on)
            == (&other.expected, &other.verify, &other.ok_exit, &other.depends_on)
        && (limits, service, estimate_seconds) == (&other.limits, &other.service, &other.estimate_seconds)
        && (assessment, warning, origin) == (&other.assessment, &other.warning, &other.origin)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plan::testing::{plan_of, step_of};

    fn steps(ids: &[&str]) -> Vec<Arc<Step>> {
        numbered(ids.iter().map(|id| Arc::new(step_of(id, 0, "true"))).collect())
    }

    fn apply(before: Vec<Arc<Step>>, changes: &[StepSplice]) -> Result<Vec<Arc<Step>>, OtherPlan> {
        let mut plan = Plan { steps: before.clone(), ..plan_of(&[]) };
        match revise(&mut plan, 2, 0, changes) {
            Ok(()) => Ok(plan.steps),
            Err(other) => {
                assert_eq!((plan.steps, plan.revision), (before, 1), "left as it was");
                Err(other)
            }
        }
    }

    fn told(changes: &[StepSplice]) -> Vec<(u32, Vec<&str>, Vec<&str>)> {
        fn ids(steps: &[Step]) -> Vec<&str> {
            steps.iter().map(|step| step.id.0.as_str()).collect()
        }
        changes.iter().map(|splice| (splice.at, ids(&splice.removed), ids(&splice.inserted))).collect()
    }

    #[test]
    fn only_what_changed_is_told() {
        let before = steps(&["a", "b", "c", "d"]);
        assert_eq!(told(&between(&before, &before)), []);
        let moved = steps(&["b", "c", "a", "d"]);
        assert_eq!(told(&between(&before, &moved)), [(0, vec!["a"], vec![]), (2, vec![], vec!["a"])]);
        let added = steps(&["a", "b", "new", "c", "d"]);
        assert_eq!(told(&between(&before, &added)), [(2, vec![], vec!["new"])]);
        assert_eq!(told(&between(&added, &before)), [(2, vec!["new"], vec![])]);
        let mut changed = before.clone();
        Arc::make_mut(&mut changed[1]).action = crate::protocol::Action::shell("false");
        Arc::make_mut(&mut changed[2]).state = StepState::Cancelled;
        assert_eq!(told(&between(&before, &changed)), [(1, vec!["b"], vec!["b"])], "a state is no change");
    }

    #[test]
    fn changes_of_another_plan_are_refused() {
        let (before, after) = (steps(&["a", "b", "c"]), steps(&["a", "new", "c"]));
        let changes = between(&before, &after);
        for other in [steps(&["a", "x", "c"]), steps(&["a"]), Vec::new()] {
            assert_eq!(check(&other, &changes), Err(OtherPlan));
            assert_eq!(apply(other.clone(), &changes), Err(OtherPlan));
            assert_eq!(revert(other, &changes), Err(OtherPlan));
        }
        let twice = between(&steps(&["a"]), &steps(&["a", "c"]));
        assert_eq!(check(&before, &twice), Err(OtherPlan));
        let mut backwards = between(&steps(&["a", "b", "c"]), &steps(&["x", "b", "y"]));
        backwards.reverse();
        assert_eq!(check(&before, &backwards), Err(OtherPlan));
        assert_eq!(revert(steps(&["x", "b", "y"]), &backwards), Err(OtherPlan));
    }

    proptest! {
        #[test]
        fn either_revision_is_made_from_the_other(
            from in prop::sample::subsequence((0..12_u8).collect::<Vec<_>>(), 0..12).prop_shuffle(),
            to in prop::sample::subsequence((0..12_u8).collect::<Vec<_>>(), 0..12).prop_shuffle(),
            changed in any::<u16>(),
        ) {
            let made = |id: &u8, command: &str| Arc::new(step_of(&id.to_string(), 0, command));
            let before = numbered(from.iter().map(|id| made(id, "true")).collect());
            let command = |id: &u8| if changed >> id & 1 == 1 { "false" } else { "true" };
            let after = numbered(to.iter().map(|id| made(id, command(id))).collect());
            let changes = between(&before, &after);
            prop_assert_eq!(apply(before.clone(), &changes), Ok(after.clone()));
            prop_assert_eq!(revert(after, &changes), Ok(before));
        }
    }
}
