use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::plan::testing::plan_of;
use crate::plan::validate::{MAX_IMPORTED_STEPS, validate};
use crate::protocol::{Assessment, Effects, PlanState, Risk, StepKind, Time, UndoOutlook};

fn proto(command: &str) -> ProtoStep {
    ProtoStep {
        title: format!("Do {command}"),
        kind: StepKind::Repair,
        command: command.into(),
        why: "because".into(),
        verify: None,
        warning: None,
    }
}

fn note(for_step: &str) -> RepairNote {
    RepairNote { for_step: for_step.into(), source: "guide:x".into(), reason: "it was missing".into() }
}

pub(super) fn assessed() -> Option<Assessment> {
    Some(Assessment {
        risk: Risk::Safe,
        reasons: vec![],
        effects: Effects::default(),
        undo: UndoOutlook::NotNeeded,
        keyboard: None,
    })
}

fn commands(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.action.command()).collect()
}

#[test]
fn repairs_go_before_the_failed_step_and_it_needs_them() {
    let mut plan = plan_of(&["a", "b", "c"]);
    Arc::make_mut(&mut plan.steps[0]).state = StepState::Completed { attempt: 0 };
    Arc::make_mut(&mut plan.steps[1]).state = StepState::Recovering { attempt: 0, since: Time::now() };
    let next = PlanMutator::of(&plan)
        .insert_steps_before(&"s2".into(), &[proto("x"), proto("y")], &note("s2"))
        .unwrap();
    assert_eq!(commands(&next), ["a", "x", "y", "b", "c"]);
    assert_eq!(next.revision, 2);
    assert_eq!(next.original_steps, 3);
    assert_eq!(next.steps[1].depends_on, ["s1".into()]);
    assert_eq!(next.steps[2].depends_on, [next.steps[1].id.clone()]);
    assert_eq!(next.steps[3].depends_on, ["s1".into(), next.steps[1].id.clone(), next.steps[2].id.clone()]);
    assert_eq!(next.steps[4].depends_on, ["s2".into()], "what depended on the failed step still does");
    assert_eq!(next.steps[3].state, plan.steps[1].state);
    assert_eq!(
        next.steps[1].origin,
        StepOrigin::Repair {
            for_step: "s2".into(),
            source: "guide:x".into(),
            reason: "it was missing".into(),
            revision: 2
        }
    );
    assert_eq!(validate(&next, 5), Ok(()));
    assert_eq!(plan.revision, 1, "the old revision is untouched");
}

#[test]
fn inserting_after_the_step_before_is_the_same_as_before_the_step() {
    let plan = plan_of(&["a", "b"]);
    let next = PlanMutator::of(&plan).insert_steps(&"s1".into(), &[proto("x")], &note("s2")).unwrap();
    assert_eq!(commands(&next), ["a", "x", "b"]);
    assert!(next.steps[2].depends_on.contains(&next.steps[1].id));
}

#[test]
fn inserting_after_the_failed_step_makes_follow_ups() {
    let plan = plan_of(&["a", "b"]);
    let next =
        PlanMutator::of(&plan).insert_steps(&"s1".into(), &[proto("x"), proto("y")], &note("s1")).unwrap();
    assert_eq!(commands(&next), ["a", "x", "y", "b"]);
    assert_eq!(next.steps[0].depends_on, []);
    assert_eq!(next.steps[1].depends_on, ["s1".into()]);
    assert_eq!(validate(&next, 4), Ok(()));
}

#[test]
fn a_second_repair_starts_from_where_the_first_ended() {
    let plan = plan_of(&["a", "b"]);
    let once = PlanMutator::of(&plan).insert_steps_before(&"s2".into(), &[proto("x")], &note("s2")).unwrap();
    let twice = PlanMutator::of(&once).insert_steps_before(&"s2".into(), &[proto("y")], &note("s2")).unwrap();
    assert_eq!(commands(&twice), ["a", "x", "y", "b"]);
    assert_eq!(twice.steps[2].depends_on, ["s1".into(), once.steps[1].id.clone()]);
    assert_eq!(validate(&twice, 4), Ok(()));
}

#[test]
fn the_budget_of_added_steps_is_refused_by_type() {
    let mut plan = plan_of(&["a"]);
    for _ in 0..3 {
        plan = PlanMutator::of(&plan)
            .insert_steps_before(&"s1".into(), &[proto("x"), proto("y"), proto("z")], &note("s1"))
            .unwrap();
    }
    assert_eq!(
        PlanMutator::of(&plan).insert_steps_before(&"s1".into(), &[proto("x"), proto("y")], &note("s1")),
        Err(MutationError::TooManyAdded { added: 9, asked: 2, allowed: 10 })
    );
    let full = PlanMutator::of(&plan).insert_steps_before(&"s1".into(), &[proto("x")], &note("s1")).unwrap();
    assert_eq!(full.added_steps(), 10);
}

#[test]
fn what_an_insertion_refuses() {
    let mut plan = plan_of(&["a", "b"]);
    let four = [proto("1"), proto("2"), proto("3"), proto("4")];
    assert_eq!(
        PlanMutator::of(&plan).insert_steps_before(&"s1".into(), &four, &note("s1")),
        Err(MutationError::TooManyAtOnce { asked: 4, allowed: 3 })
    );
    assert_eq!(
        PlanMutator::of(&plan).insert_steps_before(&"s1".into(), &[], &note("s1")),
        Err(MutationError::NothingToInsert)
    );
    assert_eq!(
        PlanMutator::of(&plan).insert_steps_before(&"no".into(), &[proto("x")], &note("s1")),
        Err(MutationError::NoSuchStep { id: "no".into() })
    );
    assert_eq!(
        PlanMutator::of(&plan).insert_steps_before(&"s1".into(), &[proto("x")], &note("no")),
        Err(MutationError::NoSuchStep { id: "no".into() })
    );
    assert_eq!(
        PlanMutator::of(&plan).insert_steps_before(&"s1".into(), &[proto(" \n")], &note("s1")),
        Err(MutationError::BadCommand { title: "Do  \n".into(), fault: CommandFault::Blank })
    );
    Arc::make_mut(&mut plan.steps[0]).state = StepState::Completed { attempt: 0 };
    assert_eq!(
        PlanMutator::of(&plan).insert_steps_before(&"s2".into(), &[proto("x")], &note("s1")),
        Err(MutationError::StepCompleted { title: "Step s1".into() })
    );
}

#[test]
fn a_name_made_of_the_command_follows_it_and_one_that_was_given_stays() {
    let mut plan = plan_of(&["mkdri notes", "mkdri more"]);
    Arc::make_mut(&mut plan.steps[0]).title = describe("mkdri notes").0;
    let change = |plan: &Plan, id: &str, command: &str| {
        PlanMutator::of(plan).replace_step_command(&id.into(), command, "rule", "a slip").unwrap()
    };
    let next = change(&change(&plan, "s1", "mkdir notes"), "s2", "mkdir more");
    assert_eq!(next.steps[0].title, describe("mkdir notes").0);
    assert_eq!(next.steps[1].title, "Step s2");
}

#[test]
fn a_changed_command_is_recorded_and_must_be_assessed_again() {
    let mut plan = plan_of(&["a", "b"]);
    Arc::make_mut(&mut plan.steps[0]).assessment = assessed();
    Arc::make_mut(&mut plan.steps[1]).assessment = assessed();
    let next =
        PlanMutator::of(&plan).replace_step_command(&"s1".into(), "a2\r\n", "you", "typed wrong").unwrap();
    assert_eq!(commands(&next), ["a2", "b"]);
    assert_eq!(next.steps[0].assessment, None);
    assert_eq!(next.steps[1].assessment, plan.steps[1].assessment);
    assert_eq!(
        next.steps[0].changed,
        Some(StepChange {
            before: "a".into(),
            revision: 2,
            source: "you".into(),
            reason: "typed wrong".into()
        })
    );
}

#[test]
fn a_replaced_step_keeps_its_place_and_needs() {
    let mut plan = plan_of(&["a", "b"]);
    Arc::make_mut(&mut plan.steps[1]).assessment = assessed();
    Arc::make_mut(&mut plan.steps[1]).expected = Some("old".into());
    let next = PlanMutator::of(&plan).replace_step(&"s2".into(), &proto("new"), &note("s2")).unwrap();
    let step = &next.steps[1];
    assert_eq!((step.id.0.as_str(), step.index, step.depends_on.as_slice()), ("s2", 1, &["s1".into()][..]));
    assert_eq!((step.title.as_str(), step.action.command()), ("Do new", "new"));
    assert_eq!((step.expected.as_deref(), step.assessment.as_ref()), (None, None));
    assert_eq!(step.changed.as_ref().map(|change| change.before.as_str()), Some("b"));
}

#[test]
fn completed_and_running_steps_keep_their_commands() {
    let mut plan = plan_of(&["a", "b"]);
    Arc::make_mut(&mut plan.steps[0]).state = StepState::Completed { attempt: 0 };
    Arc::make_mut(&mut plan.steps[1]).state = StepState::Running { attempt: 0, started_at: Time::now() };
    let change =
        |id: &str| PlanMutator::of(&plan).replace_step_command(&id.into(), "x", "you", "").map(|_| ());
    assert_eq!(change("s1"), Err(MutationError::StepCompleted { title: "Step s1".into() }));
    assert_eq!(change("s2"), Err(MutationError::StepRunning { title: "Step s2".into() }));
    assert_eq!(
        PlanMutator::of(&plan).replace_step(&"s1".into(), &proto("x"), &note("s1")),
        Err(MutationError::StepCompleted { title: "Step s1".into() })
    );
}

#[test]
fn no_change_is_said_so() {
    let plan = plan_of(&["a"]);
    assert_eq!(
        PlanMutator::of(&plan).replace_step_command(&"s1".into(), "a\n", "you", ""),
        Err(MutationError::Unchanged { title: "Step s1".into() })
    );
}

#[test]
fn edits_of_a_sequence_keep_it_a_sequence() {
    let plan = plan_of(&["a", "b", "c"]);
    let moved = PlanMutator::of(&plan).move_step(&"s3".into(), 0).unwrap();
    assert_eq!(commands(&moved), ["c", "a", "b"]);
    assert_eq!(moved.steps[1].depends_on, ["s3".into()]);
    let removed = PlanMutator::of(&moved).remove_step(&"s1".into()).unwrap();
    assert_eq!(commands(&removed), ["c", "b"]);
    assert_eq!(removed.steps[1].depends_on, ["s3".into()]);
    let added = PlanMutator::of(&removed).add_step(None, &proto("x")).unwrap();
    assert_eq!(commands(&added), ["x", "c", "b"]);
    assert_eq!(added.steps[1].depends_on, [added.steps[0].id.clone()]);
    assert_eq!((added.revision, added.original_steps, added.added_steps()), (4, 3, 0));
    assert_eq!(validate(&added, 3), Ok(()));
}

#[test]
fn stated_needs_outlive_edits_or_refuse_them() {
    let mut plan = plan_of(&["a", "b", "c", "d"]);
    Arc::make_mut(&mut plan.steps[1]).depends_on = vec![];
    Arc::make_mut(&mut plan.steps[2]).depends_on = vec!["s1".into(), "s2".into()];
    assert_eq!(
        PlanMutator::of(&plan).move_step(&"s3".into(), 1),
        Err(MutationError::NeedsEarlier { title: "Step s3".into(), needs: "Step s2".into() })
    );
    let moved = PlanMutator::of(&plan).move_step(&"s2".into(), 0).unwrap();
    assert_eq!(moved.steps[2].depends_on, ["s1".into(), "s2".into()]);
    let removed = PlanMutator::of(&plan).remove_step(&"s3".into()).unwrap();
    assert_eq!(removed.steps[2].depends_on, ["s1".into(), "s2".into()], "inherited from the removed step");
}

#[test]
fn only_a_draft_is_edited_and_never_to_nothing() {
    let mut plan = plan_of(&["a"]);
    assert_eq!(PlanMutator::of(&plan).remove_step(&"s1".into()), Err(MutationError::LastStep));
    plan.state = PlanState::Running;
    assert_eq!(PlanMutator::of(&plan).remove_step(&"s1".into()), Err(MutationError::NotADraft));
    assert_eq!(PlanMutator::of(&plan).move_step(&"s1".into(), 0), Err(MutationError::NotADraft));
    assert_eq!(PlanMutator::of(&plan).add_step(None, &proto("x")), Err(MutationError::NotADraft));
}

#[derive(Debug, Clone)]
enum Change {
    Insert {
        before: bool,
        at: usize,
        for_step: usize,
        count: usize,
    },
    Replace {
        at: usize,
    },
    Command {
        at: usize,
        to: u8,
    },
    Add {
        after: Option<usize>,
    },
    Remove {
        at: usize,
    },
    Move {
        at: usize,
        to: usize,
    },
    /// Not a mutation: the run goes on.
    State {
        at: usize,
        to: u8,
    },
    /// Draft or running.
    Confirm(bool),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..20usize;
    prop_oneof![
        4 => (any::<bool>(), at.clone(), at.clone(), 0..5usize)
            .prop_map(|(before, at, for_step, count)| Change::Insert { before, at, for_step, count }),
        1 => at.clone().prop_map(|at| Change::Replace { at }),
        1 => (at.clone(), any::<u8>()).prop_map(|(at, to)| Change::Command { at, to }),
        1 => proptest::option::of(at.clone()).prop_map(|after| Change::Add { after }),
        1 => at.clone().prop_map(|at| Change::Remove { at }),
        1 => (at.clone(), at.clone()).prop_map(|(at, to)| Change::Move { at, to }),
        2 => (at, 0..4u8).prop_map(|(at, to)| Change::State { at, to }),
        1 => any::<bool>().prop_map(Change::Confirm),
    ]
}

fn apply(plan: &Plan, change: &Change) -> Result<Plan, MutationError> {
    let id = |at: usize| plan.steps[at % plan.steps.len()].id.clone();
    match change {
        Change::Insert { before, at, for_step, count } => {
            let protos: Vec<ProtoStep> = (0..*count).map(|n| proto(&format!("repair {n}"))).collect();
            let by = RepairNote { for_step: id(*for_step), source: "m".into(), reason: "r".into() };
            if *before {
                PlanMutator::of(plan).insert_steps_before(&id(*at), &protos, &by)
            } else {
                PlanMutator::of(plan).insert_steps(&id(*at), &protos, &by)
            }
        }
        Change::Replace { at } => {
            let by = RepairNote { for_step: id(*at), source: "m".into(), reason: "r".into() };
            PlanMutator::of(plan).replace_step(&id(*at), &proto("replaced"), &by)
        }
        Change::Command { at, to } => {
            PlanMutator::of(plan).replace_step_command(&id(*at), &format!("cmd {to}"), "you", "r")
        }
        Change::Add { after } => PlanMutator::of(plan).add_step(after.map(id).as_ref(), &proto("added")),
        Change::Remove { at } => PlanMutator::of(plan).remove_step(&id(*at)),
        Change::Move { at, to } => PlanMutator::of(plan).move_step(&id(*at), *to),
        Change::State { at, to } => {
            let mut next = plan.clone();
            let at = at % plan.steps.len();
            Arc::make_mut(&mut next.steps[at]).state = match to {
                0 => StepState::Completed { attempt: 0 },
                1 => StepState::Failed { attempt: 0, reason: "f".into() },
                2 => StepState::Running { attempt: 0, started_at: Time::now() },
                _ => StepState::Pending,
            };
            Arc::make_mut(&mut next.steps[at]).assessment = assessed();
            Ok(next)
        }
        Change::Confirm(draft) => {
            Ok(Plan { state: if *draft { PlanState::Draft } else { PlanState::Running }, ..plan.clone() })
        }
    }
}

fn completed(plan: &Plan) -> Vec<Step> {
    plan.steps
        .iter()
        .filter(|step| matches!(step.state, StepState::Completed { .. }))
        .map(|step| Step { index: 0, ..Step::clone(step) })
        .collect()
}

proptest! {
    #[test]
    fn any_sequence_of_mutations_keeps_the_invariants(changes in proptest::collection::vec(change(), 1..40)) {
        let mut plan = plan_of(&["a", "b", "c", "d"]);
        for change in &changes {
            let next = match apply(&plan, change) {
                Ok(next) => next,
                Err(_) => continue,
            };
            if let Err(fault) = validate(&next, MAX_IMPORTED_STEPS) {
                prop_assert!(false, "{change:?}: {fault}");
            }
            prop_assert!(next.added_steps() <= MAX_ADDED_STEPS);
            match change {
                Change::State { .. } | Change::Confirm(_) => prop_assert_eq!(next.revision, plan.revision),
                Change::Insert { .. } | Change::Replace { .. } | Change::Command { .. } => {
                    prop_assert_eq!(next.revision, plan.revision + 1);
                    prop_assert_eq!(completed(&next), completed(&plan));
                }
                Change::Add { .. } | Change::Remove { .. } | Change::Move { .. } => {
                    prop_assert_eq!(next.revision, plan.revision + 1);
                    prop_assert_eq!(next.original_steps as usize, next.steps.len());
                }
            }
            for step in &next.steps {
                let before = plan.step(&step.id);
                if before.is_none_or(|before| before.action != step.action) {
                    prop_assert_eq!(&step.assessment, &None, "a new or changed command keeps no assessment");
                }
                if let Some(before) = before && !matches!(change, Change::State { .. }) {
                    prop_assert_eq!(&before.state, &step.state);
                }
            }
            plan = next;
        }
    }
}
