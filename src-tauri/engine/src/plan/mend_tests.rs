use std::sync::Arc;

use super::*;
use crate::plan::testing::{input_of, plan_of, step_of};
use crate::protocol::{Action, PageReading, PageRole, StepChange};

/// A plan that has run, of commands that stand in `text`; each step's place is its whole block's.
fn run_of(text: &str, commands: &[&str]) -> Plan {
    let mut plan = plan_of(commands);
    for step in &mut plan.steps {
        Arc::make_mut(step).state = StepState::Completed { attempt: 0 };
    }
    let steps = plan.steps.iter().map(|step| StepPlace {
        step_id: step.id.clone(),
        block: 0,
        start: 0,
        end: u32::try_from(text.len()).unwrap(),
        role: PageRole::Run,
        why: String::new(),
        text: step.action.command().to_owned(),
    });
    plan.page = Some(Arc::new(PageReading { steps: steps.collect(), ..PageReading::default() }));
    plan
}

fn change(plan: &mut Plan, id: &str, command: &str) {
    let step = plan.step_mut(&id.into()).unwrap();
    let before = step.action.command().to_owned();
    step.action = Action::shell(command);
    step.changed =
        Some(StepChange { before, revision: 2, source: "apt-spelling".into(), reason: "a slip".into() });
}

/// A repair that was done for a step, at a place of the plan.
fn repair(plan: &mut Plan, at: usize, id: &str, for_step: &str, command: &str) {
    let mut step = step_of(id, 0, command);
    step.state = StepState::Completed { attempt: 0 };
    step.origin = StepOrigin::Repair {
        for_step: for_step.into(),
        source: "rule".into(),
        reason: "missing".into(),
        revision: 2,
    };
    plan.steps.insert(at, Arc::new(step));
}

fn mend(text: &str, name: &str, plan: &Plan) -> (String, Vec<String>) {
    let plan = Plan { origin: PlanOrigin::Runbook { name: name.to_owned() }, ..plan.clone() };
    let patched = patched(text.as_bytes(), &plan).unwrap();
    (patched.after, patched.mended.by_hand)
}

#[test]
fn a_changed_command_keeps_its_prompt_and_all_around_it() {
    let text = "# Get it\n\nFirst:\n\n```console\n$ apt-get instal jq\n$ jq --version\njq-1.6\n```\n";
    let mut plan = run_of(text, &["apt-get instal jq", "jq --version"]);
    assert_eq!(mend(text, "a.md", &plan), (text.to_owned(), Vec::new()), "nothing was mended");
    change(&mut plan, "s1", "apt-get install jq");
    assert_eq!(mend(text, "a.md", &plan).0, text.replace("instal jq", "install jq"));
}

#[test]
fn a_step_that_was_not_done_mends_nothing() {
    let text = "```sh\nmak all\n```\n";
    let mut plan = run_of(text, &["mak all"]);
    change(&mut plan, "s1", "make all");
    plan.step_mut(&"s1".into()).unwrap().state = StepState::Failed { attempt: 0, reason: "no".into() };
    assert_eq!(mend(text, "a.md", &plan), (text.to_owned(), Vec::new()));
}

#[test]
fn the_pages_blank_stands_again_where_a_value_was_filled_in() {
    let text = "```sh\ngit clon <your-fork>\n```\n";
    let mut plan = run_of(text, &["git clon <your-fork>"]);
    let input = PlanInput { token: "<your-fork>".into(), ..input_of("YOUR_FORK") };
    plan.inputs = vec![input];
    change(&mut plan, "s1", "git clone \"${YOUR_FORK}\"");
    assert_eq!(mend(text, "a.md", &plan).0, "```sh\ngit clone <your-fork>\n```\n");
}

#[test]
fn repairs_stand_before_and_behind_what_they_were_for_in_their_order() {
    let text = "Do:\n\n1. Build it:\n\n   ```\n   make\n   ```\n\n2. Rest.\n";
    let mut plan = run_of(text, &["make"]);
    repair(&mut plan, 0, "r1", "s1", "sudo apt-get update");
    repair(&mut plan, 1, "r2", "r1", "sudo apt-get install -y make");
    repair(&mut plan, 3, "r3", "s1", "make check");
    let wanted = text.replace(
        "   make\n",
        "   sudo apt-get update\n   sudo apt-get install -y make\n   make\n   make check\n",
    );
    assert_eq!(mend(text, "a.md", &plan).0, wanted);
}

#[test]
fn a_command_in_a_sentence_is_joined_to_its_repair() {
    let text = "Now run `npm test` and wait.\n";
    let mut plan = run_of(text, &["npm test"]);
    repair(&mut plan, 0, "r1", "s1", "npm install");
    assert_eq!(mend(text, "a.md", &plan).0, "Now run `npm install && npm test` and wait.\n");
}

#[test]
fn a_web_page_keeps_its_entities() {
    let text = "<p>Run</p><pre>$ mkdir b &amp;&amp; cd b\n$ cmak ..</pre>";
    let mut plan = run_of(text, &["mkdir b && cd b", "cmak .."]);
    change(&mut plan, "s1", "mkdir -p b && cd b");
    change(&mut plan, "s2", "cmake ..");
    assert_eq!(
        mend(text, "a.html", &plan).0,
        "<p>Run</p><pre>$ mkdir -p b &amp;&amp; cd b\n$ cmake ..</pre>"
    );
}

#[test]
fn of_several_lines_those_that_differ_change_and_options_of_the_plan_stay_out() {
    let text = "#!/bin/sh\nset -e\nfor f in *.c; do\n  gc -c $f\ndone\n";
    let mut plan = run_of(text, &["set -e\nfor f in *.c; do\n  gc -c $f\ndone"]);
    change(&mut plan, "s1", "set -e\nfor f in *.c; do\n  gcc -c $f\ndone");
    assert_eq!(mend(text, "a.sh", &plan).0, text.replace("gc -c", "gcc -c"));
}

#[test]
fn the_second_of_two_alike_is_the_one_that_changes() {
    let text = "```sh\nmake\nmake\n```\n";
    let mut plan = run_of(text, &["make", "make"]);
    change(&mut plan, "s2", "make -j2");
    assert_eq!(mend(text, "a.md", &plan).0, "```sh\nmake\nmake -j2\n```\n");
}

#[test]
fn a_longer_command_is_not_taken_for_a_shorter_one() {
    let text = "```sh\npip install x --user\npip install x\n```\n";
    let mut plan = run_of(text, &["pip install x"]);
    change(&mut plan, "s1", "pip3 install x");
    assert_eq!(mend(text, "a.md", &plan).0, "```sh\npip install x --user\npip3 install x\n```\n");
}

#[test]
fn what_has_no_place_is_told() {
    let text = "```sh\nmake\n```\n";
    let mut plan = run_of(text, &["printf x > conf"]);
    change(&mut plan, "s1", "printf y > conf");
    assert_eq!(mend(text, "a.md", &plan), (text.to_owned(), vec!["printf y > conf".to_owned()]));
}

#[test]
fn line_ends_and_the_byte_order_mark_stay_as_they_are() {
    let text = "# T\n\n```sh\nmak\ncc a.c\n```\n\nEnd\n";
    let mut plan = run_of(text, &["mak", "cc a.c"]);
    plan.origin = PlanOrigin::Runbook { name: "a.md".into() };
    change(&mut plan, "s1", "make");
    repair(&mut plan, 1, "r1", "s2", "apt-get install gcc");
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let patched = patched(windows(text).as_bytes(), &plan).unwrap();
    assert_eq!(patched.before, windows(text));
    assert_eq!(
        patched.after,
        windows(&text.replace("mak\n", "make\n").replace("cc a.c", "apt-get install gcc\ncc a.c"))
    );
    assert_eq!((patched.mended.changes, patched.mended.by_hand.len()), (2, 0));
}

#[test]
fn a_page_in_another_encoding_is_refused() {
    let plan = run_of("make", &["make"]);
    assert_eq!(patched(b"caf\xe9", &plan).unwrap_err().code, ErrorCode::NotText);
}
