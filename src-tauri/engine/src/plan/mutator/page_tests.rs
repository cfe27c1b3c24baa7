use super::*;
use crate::plan::testing::{plan_of, step_of};
use crate::protocol::{PageChoice, PageWay, StepId, StepPlace};

/// Blocks 0 to 4: `get`, then apt or dnf (block 2 has two steps), then `use`, then an optional `clean`.
pub(in crate::plan::mutator) fn page() -> Plan {
    let mut plan = plan_of(&["get", "apt install x", "use"]);
    let place = |id: &str, block: u32| StepPlace {
        step_id: id.into(),
        block,
        start: block * 10,
        end: block * 10 + 5,
        role: PageRole::Run,
        why: String::new(),
        text: String::new(),
    };
    let left = |block: u32, role: PageRole, steps: &[(&str, &str)]| LeftOut {
        block,
        role,
        why: "said so".into(),
        text: "text".into(),
        start: 0,
        end: 0,
        after: None,
        steps: steps.iter().map(|(id, command)| step_of(id, 0, command)).collect(),
    };
    let way = |name: &str, blocks: &[u32]| PageWay {
        name: name.into(),
        texts: Vec::new(),
        blocks: blocks.to_vec(),
        unfit: None,
    };
    plan.page = Some(Arc::new(PageReading {
        steps: vec![
            place("s1", 0),
            place("s2", 1),
            place("d1", 2),
            place("d2", 2),
            place("s3", 3),
            place("c", 4),
        ],
        choices: vec![PageChoice {
            name: "Install".into(),
            ways: vec![way("apt", &[1]), way("dnf", &[2])],
            chosen: 0,
            decided: "this is Debian".into(),
        }],
        left_out: vec![
            left(2, PageRole::OtherSystem, &[("d1", "dnf makecache"), ("d2", "dnf install x")]),
            left(4, PageRole::Optional, &[("c", "clean")]),
        ],
        ..PageReading::default()
    }));
    plan
}

pub(in crate::plan::mutator) fn commands(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.action.command()).collect()
}

fn left_out(plan: &Plan) -> Vec<(u32, PageRole, &str)> {
    let page = plan.page.as_deref().unwrap();
    page.left_out.iter().map(|one| (one.block, one.role, one.why.as_str())).collect()
}

/// Each step needs the one before it, and is numbered by its place.
fn assert_is_sequence(plan: &Plan) {
    let mut before: Option<&StepId> = None;
    for (place, step) in plan.steps.iter().enumerate() {
        assert_eq!(step.index as usize, place);
        assert!(step.depends_on.iter().eq(before), "{:?}", step.depends_on);
        before = Some(&step.id);
    }
}

#[test]
fn another_way_takes_the_place_of_the_first_and_back() {
    let plan = page();
    let other = PlanMutator::of(&plan).choose_way(0, 1).unwrap();
    assert_eq!(commands(&other), ["get", "dnf makecache", "dnf install x", "use"]);
    assert_is_sequence(&other);
    assert_eq!((other.revision, other.original_steps), (2, 4));
    let choice = &other.page.as_deref().unwrap().choices[0];
    assert_eq!((choice.chosen, choice.decided.as_str()), (1, "you chose it"));
    assert_eq!(
        left_out(&other),
        [
            (1, PageRole::Alternative, "\u{201c}dnf\u{201d} is taken instead: you chose it"),
            (4, PageRole::Optional, "said so")
        ]
    );
    let back = PlanMutator::of(&other).choose_way(0, 0).unwrap();
    assert_eq!(commands(&back), commands(&plan));
    assert_is_sequence(&back);
    assert_eq!(left_out(&back)[0].0, 2);
}

#[test]
fn what_is_taken_in_stands_at_its_place() {
    let plan = PlanMutator::of(&page()).take_in(4).unwrap();
    assert_eq!(commands(&plan), ["get", "apt install x", "use", "clean"]);
    let plan = PlanMutator::of(&plan).take_in(2).unwrap();
    assert_eq!(commands(&plan), ["get", "apt install x", "dnf makecache", "dnf install x", "use", "clean"]);
    assert_is_sequence(&plan);
    assert_eq!(left_out(&plan), []);
    assert_eq!(PlanMutator::of(&plan).take_in(2), Err(MutationError::NothingToTakeIn));
}

#[test]
fn a_step_that_is_removed_is_listed_and_comes_back_in_order() {
    let plan = PlanMutator::of(&page()).choose_way(0, 1).unwrap();
    let plan = PlanMutator::of(&plan).remove_step(&"d2".into()).unwrap();
    let plan = PlanMutator::of(&plan).remove_step(&"d1".into()).unwrap();
    assert_eq!(commands(&plan), ["get", "use"]);
    assert_eq!(left_out(&plan)[1], (2, PageRole::Optional, "you left it out"));
    let plan = PlanMutator::of(&plan).take_in(2).unwrap();
    assert_eq!(commands(&plan), ["get", "dnf makecache", "dnf install x", "use"]);
    assert_is_sequence(&plan);
}

#[test]
fn what_was_left_out_by_hand_stays_so_with_another_way() {
    let plan = PlanMutator::of(&page()).remove_step(&"s2".into()).unwrap();
    let plan = PlanMutator::of(&PlanMutator::of(&plan).choose_way(0, 1).unwrap()).choose_way(0, 0).unwrap();
    assert_eq!(commands(&plan), ["get", "use"]);
}

#[test]
fn a_way_of_a_way_that_is_not_taken_stays_out() {
    let mut plan = page();
    let reading = Arc::make_mut(plan.page.as_mut().unwrap());
    // Within dnf one of two ways is taken: the first.
    let inner = |name: &str, blocks: &[u32]| PageWay {
        name: name.into(),
        texts: Vec::new(),
        blocks: blocks.to_vec(),
        unfit: None,
    };
    reading.choices[0].ways[1].blocks = vec![2, 4];
    reading.left_out[1].role = PageRole::Alternative;
    reading.choices.push(PageChoice {
        name: "From".into(),
        ways: vec![inner("repository", &[2]), inner("file", &[4])],
        chosen: 0,
        decided: String::new(),
    });
    let plan = PlanMutator::of(&plan).choose_way(0, 1).unwrap();
    assert_eq!(commands(&plan), ["get", "dnf makecache", "dnf install x", "use"]);
    let plan = PlanMutator::of(&plan).choose_way(1, 1).unwrap();
    assert_eq!(commands(&plan), ["get", "use", "clean"]);
}

#[test]
fn what_the_page_does_not_have_is_refused() {
    assert_eq!(PlanMutator::of(&page()).choose_way(0, 2), Err(MutationError::NoSuchWay));
    assert_eq!(PlanMutator::of(&page()).choose_way(1, 0), Err(MutationError::NoSuchWay));
    assert_eq!(PlanMutator::of(&plan_of(&["a"])).choose_way(0, 0), Err(MutationError::NoPage));
    assert_eq!(PlanMutator::of(&page()).take_in(0), Err(MutationError::NothingToTakeIn));
}
