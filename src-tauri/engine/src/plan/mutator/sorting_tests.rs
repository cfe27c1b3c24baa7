use super::super::page::tests::{commands, page};
use super::*;
use crate::protocol::PageRole;

fn block(block: u32, role: PageRole, why: &str) -> SortedBlock {
    SortedBlock { block, role, why: why.into() }
}

fn sorting(blocks: Vec<SortedBlock>) -> Sorting {
    Sorting { by: "gem".into(), blocks, ..Sorting::default() }
}

fn sorted(plan: &Plan, sorting: &Sorting) -> Plan {
    PlanMutator::of(plan).sort(sorting).unwrap()
}

#[test]
fn blocks_become_steps_or_are_left_out_by_their_numbers() {
    let plan = page();
    let told = sorting(vec![
        block(1, PageRole::Alternative, "dnf is here"),
        block(2, PageRole::Run, "it is recommended"),
        block(3, PageRole::Aside, ""),
        block(77, PageRole::Run, "there is none"),
    ]);
    let next = sorted(&plan, &told);
    assert_eq!(commands(&next), ["get", "dnf makecache", "dnf install x"]);
    assert_eq!(next.revision, plan.revision + 1);
    let reading = next.page.as_deref().unwrap();
    let left: Vec<(u32, PageRole, &str)> =
        reading.left_out.iter().map(|one| (one.block, one.role, one.why.as_str())).collect();
    assert_eq!(
        left,
        [
            (1, PageRole::Alternative, "gem: dnf is here"),
            (3, PageRole::Aside, "gem says so"),
            (4, PageRole::Optional, "said so"),
        ]
    );
    let place = reading.steps.iter().find(|place| place.step_id == "d1".into()).unwrap();
    assert_eq!((place.role, place.why.as_str()), (PageRole::Run, "gem: it is recommended"));
    assert_eq!((reading.choices[0].chosen, reading.choices[0].decided.as_str()), (1, "gem chose it"));
}

#[test]
fn a_choice_that_nobody_saw_is_named_and_one_that_is_known_stays() {
    let way = |name: &str, blocks: &[u32]| (name.to_owned(), blocks.to_vec());
    let mut told = sorting(vec![block(3, PageRole::Alternative, ""), block(4, PageRole::Run, "")]);
    told.choices = vec![
        SortedChoice { name: "Use".into(), ways: vec![way("use", &[3]), way("clean", &[4])] },
        SortedChoice { name: "Twice".into(), ways: vec![way("a", &[1]), way("b", &[2])] },
        SortedChoice { name: "One".into(), ways: vec![way("a", &[0])] },
        SortedChoice { name: "None".into(), ways: vec![way("a", &[0]), way("b", &[])] },
    ];
    let next = sorted(&page(), &told);
    let reading = next.page.as_deref().unwrap();
    let names: Vec<(&str, u32)> =
        reading.choices.iter().map(|choice| (choice.name.as_str(), choice.chosen)).collect();
    assert_eq!(names, [("Install", 0), ("Use", 1)]);
    // The other way is the user's again, with one click.
    let back = PlanMutator::of(&next).choose_way(1, 0).unwrap();
    assert_eq!(commands(&back), ["get", "apt install x", "use"]);
}

#[test]
fn a_plan_of_nothing_is_refused() {
    let all = (0..5).map(|number| block(number, PageRole::Aside, "")).collect();
    assert_eq!(PlanMutator::of(&page()).sort(&sorting(all)).unwrap_err(), MutationError::LastStep);
}

#[test]
fn what_is_named_becomes_a_variable_only_where_the_page_has_it() {
    let mut plan = page();
    let reading = Arc::make_mut(plan.page.as_mut().unwrap());
    reading.steps[1].text = "apt install x --host box.lan".into();
    let step = Arc::make_mut(&mut plan.steps[1]);
    step.action = crate::protocol::Action::shell("apt install x --host box.lan");
    step.assessment = super::super::tests::assessed();
    let named = |token: &str, label: &str| NamedInput { block: 1, token: token.into(), label: label.into() };
    let mut told = sorting(Vec::new());
    told.inputs = vec![
        named("box.lan", "Your server"),
        named("; rm -rf ~", "evil"),
        named("apt", "the program itself"),
        named("  ", "nothing"),
    ];
    let next = sorted(&plan, &told);
    assert_eq!(commands(&next), ["get", "apt install x --host \"${BOX_LAN}\"", "use"]);
    let inputs: Vec<(&str, &str)> =
        next.inputs.iter().map(|input| (input.token.as_str(), input.label.as_str())).collect();
    assert_eq!(inputs, [("box.lan", "Your server")]);
    assert_eq!(next.steps[1].assessment, None, "it is another command, and judged again");
}

#[test]
fn no_word_of_who_sorts_becomes_part_of_a_command() {
    let evil = "$(touch pwned); rm -rf ~";
    let mut told = sorting(
        (0..5)
            .map(|number| block(number, if number == 3 { PageRole::Aside } else { PageRole::Run }, evil))
            .collect(),
    );
    told.by = evil.into();
    told.choices =
        vec![SortedChoice { name: evil.into(), ways: vec![(evil.into(), vec![3]), (evil.into(), vec![4])] }];
    told.inputs = (0..5)
        .flat_map(|block| [evil, "get", "dnf", "install"].map(|token| (block, token)))
        .map(|(block, token)| NamedInput { block, token: token.into(), label: evil.into() })
        .collect();
    let plan = page();
    let known: Vec<String> = commands(&plan)
        .into_iter()
        .map(str::to_owned)
        .chain(
            plan.page
                .iter()
                .flat_map(|page| &page.left_out)
                .flat_map(|one| &one.steps)
                .map(|step| step.action.command().to_owned()),
        )
        .collect();
    let next = sorted(&plan, &told);
    let left_out = next.page.iter().flat_map(|page| &page.left_out).flat_map(|one| &one.steps);
    for command in
        next.steps.iter().map(|step| step.action.command()).chain(left_out.map(|step| step.action.command()))
    {
        let mut as_written = command.to_owned();
        for input in &next.inputs {
            as_written = as_written.replace(&format!("\"${{{}}}\"", input.name), &input.token);
        }
        assert!(known.contains(&as_written), "{command}");
    }
}

#[test]
fn what_the_user_decided_before_is_what_the_model_is_told() {
    let plan = PlanMutator::of(&page()).take_in(4).unwrap();
    let plan = PlanMutator::of(&plan).remove_step(&"s3".into()).unwrap();
    let roles: Vec<(u32, PageRole)> = crate::plan::sorting::blocks(plan.page.as_deref().unwrap())
        .into_iter()
        .map(|(block, (_, role))| (block, role))
        .collect();
    assert_eq!(
        roles,
        [
            (0, PageRole::Run),
            (1, PageRole::Run),
            (2, PageRole::OtherSystem),
            (3, PageRole::Optional),
            (4, PageRole::Run),
        ]
    );
}
