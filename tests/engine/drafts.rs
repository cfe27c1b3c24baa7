//! The user's edits of a plan on the confirmation card (P4): through the public door, each a revision of its own.

use planwright_engine::engine::Attendance;
use planwright_engine::plan::changes;
use planwright_engine::protocol::{
    Author, Command, ErrorCode, Event, Mode, Plan, PlanState, Risk, StepId, StepState,
};
use planwright_tests::{Harness, sequence};

/// Deleting a folder with something in it is dangerous.
fn make_full(run: &Harness, folder: &str) {
    std::fs::create_dir(run.work(folder)).unwrap();
    std::fs::write(run.work(folder).join("file"), "kept").unwrap();
}

fn commands(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.action.command()).collect()
}

fn add(after: Option<&str>, title: &str, command: &str) -> Command {
    Command::AddStep { after: after.map(StepId::from), title: title.into(), command: command.into() }
}

fn remove(id: &str) -> Command {
    Command::RemoveStep { step_id: id.into() }
}

fn move_to(id: &str, to: u32) -> Command {
    Command::MoveStep { step_id: id.into(), to }
}

#[tokio::test]
async fn steps_are_added_moved_and_removed_each_as_a_revision_of_the_users() {
    let mut run = Harness::new(&sequence(&["echo one >> runs", "echo two >> runs"])).await;
    run.tell(add(Some("s2"), "  Say \n three ", "echo three >> runs")).await;
    run.tell(add(None, "", "mkdir made")).await;
    run.tell(move_to("s2", 1)).await;
    run.tell(remove("s1")).await;
    let state = run.state().await;
    let plan = state.plan.unwrap();
    assert_eq!(commands(&plan), ["mkdir made", "echo two >> runs", "echo three >> runs"]);
    assert_eq!((plan.revision, plan.added_steps(), plan.state.clone()), (5, 0, PlanState::Draft));
    assert_eq!(plan.steps[2].title, "Say three");
    assert!(plan.steps[0].title.starts_with("Make"), "{}", plan.steps[0].title);
    assert!(plan.steps.iter().all(|step| step.assessment.is_some() && step.state == StepState::Pending));
    assert_eq!(plan.steps.iter().map(|step| step.index).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(plan.steps[1].depends_on, [plan.steps[0].id.clone()], "a sequence stays one");
    let first = changes::steps_at(&plan, &state.revisions, 1).unwrap();
    let reasons: Vec<_> = state.revisions.iter().map(|entry| entry.reason.as_str()).collect();
    assert_eq!(
        reasons[1..],
        [
            "You added \"Say three\".",
            &format!("You added \"{}\".", plan.steps[0].title),
            "You moved \"echo two >> runs\" to place 2.",
            "You removed \"echo one >> runs\".",
        ]
        .map(|reason| reason.replace("echo two >> runs", &plan.steps[1].title))
        .map(|reason| reason.replace("echo one >> runs", &first[0].title))
    );
    assert!(state.revisions[1..].iter().all(|entry| entry.author == Author::User));
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("runs"), "two\nthree\n");
}

#[tokio::test]
async fn what_is_added_is_judged_before_it_can_run() {
    let mut run = Harness::new(&sequence(&["true"])).await;
    make_full(&run, "doomed");
    run.tell(add(Some("s1"), "Clean up", "rm -rf doomed")).await;
    let plan = run.plan().await;
    assert_eq!(plan.steps[1].assessment.as_ref().unwrap().risk, Risk::Dangerous);
    run.start(Mode::Planner).await;
    assert_eq!(run.question().await.action.command(), "rm -rf doomed");
}

#[tokio::test]
async fn edits_that_make_no_plan_are_refused_and_change_nothing() {
    let run = Harness::new(&sequence(&["true", "false"])).await;
    for (command, code) in [
        (add(Some("nobody"), "x", "true"), ErrorCode::NoSuchStep),
        (add(None, "x", "   "), ErrorCode::InvalidInput),
        (add(None, "x", "a\0b"), ErrorCode::InvalidInput),
        (add(None, &"x".repeat(121), "true"), ErrorCode::InvalidInput),
        (remove("nobody"), ErrorCode::NoSuchStep),
        (move_to("nobody", 0), ErrorCode::NoSuchStep),
    ] {
        assert_eq!(run.refusal(command.clone()).await, code, "{command:?}");
    }
    run.tell(move_to("s2", 99)).await;
    assert_eq!(run.plan().await.revision, 1, "it is the last one already");
    run.tell(remove("s1")).await;
    assert_eq!(run.refusal(remove("s2")).await, ErrorCode::InvalidInput);
    assert_eq!(commands(&run.plan().await), ["false"]);
}

#[tokio::test]
async fn a_need_that_was_stated_is_not_broken_by_a_move() {
    let plan = r#"{"steps":[
        {"id":"a","command":"true"},{"id":"b","command":"true","dependsOn":["a"]},{"id":"c","command":"true"}]}"#;
    let run = Harness::new(plan).await;
    assert_eq!(run.refusal(move_to("b", 0)).await, ErrorCode::InvalidInput);
    run.tell(move_to("c", 0)).await;
    let ids: Vec<_> = run.plan().await.steps.into_iter().map(|step| step.id.0.clone()).collect();
    assert_eq!(ids, ["c", "a", "b"]);
}

#[tokio::test]
async fn a_command_of_a_draft_can_be_changed_and_a_confirmation_of_what_was_is_refused() {
    let mut run = Harness::new(&sequence(&["rm -rf doomed", "true"])).await;
    make_full(&run, "other");
    run.tell(Command::Edit { step_id: "s1".into(), command: "rm -rf other".into(), run: false }).await;
    let plan = run.plan().await;
    assert_eq!((plan.revision, plan.state.clone()), (2, PlanState::Draft));
    assert_eq!(plan.steps[0].changed.as_ref().unwrap().source, "you");
    let stale = Command::Confirm { revision: 1, allowed: vec!["s1".into()] };
    assert_eq!(run.refusal(stale).await, ErrorCode::NotNow);
    run.tell(Command::Confirm { revision: 2, allowed: vec!["s1".into()] }).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed, "the tick was for this command");
    assert!(!run.work("other").exists());
}

#[tokio::test]
async fn a_tick_is_for_the_command_as_it_stood() {
    let mut run = Harness::new(&sequence(&["rm -rf doomed", "true"])).await;
    make_full(&run, "doomed");
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s1".into()] }).await;
    // Changed and changed back after the tick: it is asked about.
    for command in ["rm -rf other", "rm -rf doomed"] {
        run.tell(Command::Edit { step_id: "s1".into(), command: command.into(), run: false }).await;
    }
    run.start(Mode::Planner).await;
    assert_eq!(run.question().await.action.command(), "rm -rf doomed");
}

#[tokio::test]
async fn once_confirmed_or_running_no_step_is_added_moved_or_removed() {
    let mut run = Harness::new(&sequence(&["sleep 30", "true"])).await;
    let edits = || [add(None, "x", "true"), remove("s2"), move_to("s2", 0)];
    run.tell(Command::Confirm { revision: 1, allowed: vec![] }).await;
    for edit in edits() {
        assert_eq!(run.refusal(edit).await, ErrorCode::NotNow);
    }
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    for edit in edits() {
        assert_eq!(run.refusal(edit).await, ErrorCode::NotNow);
    }
    run.tell(Command::Cancel).await;
    run.wait_for("the end", |event| matches!(event, Event::PlanCancelled { .. })).await;
    for edit in edits() {
        assert_eq!(run.refusal(edit).await, ErrorCode::NotNow);
    }
    assert_eq!(run.plan().await.revision, 1);
}

#[tokio::test]
async fn the_edits_are_there_after_a_restart() {
    use planwright_engine::engine::Attendance;
    let run = Harness::new(&sequence(&["true", "false"])).await;
    run.tell(add(Some("s1"), "x", "echo x")).await;
    run.tell(move_to("s2", 0)).await;
    let run = run.restart(Attendance::User, None).await;
    let plan = run.plan().await;
    assert_eq!((commands(&plan), plan.revision), (vec!["false", "true", "echo x"], 3));
}

/// Two ways of which the machine can decide neither, something optional, and a step behind them.
const TWO_WAYS: &str = "# Gizmo\n\n## Install\n\n### Option 1\n\n```sh\necho first >> runs\n```\n\n### Option 2\n\n\
    ```sh\necho second >> runs\necho more >> runs\n```\n\n## Check\n\n```sh\necho checked >> runs\n```\n\n\
    ## Uninstall\n\n```sh\nrm -f runs\n```\n";

#[tokio::test]
async fn another_way_is_chosen_judged_recorded_and_run() {
    let run = Harness::new(TWO_WAYS).await;
    assert_eq!(commands(&run.plan().await), ["echo first >> runs", "echo checked >> runs"]);
    run.tell(Command::ChooseWay { choice: 0, way: 1 }).await;
    let state = run.state().await;
    let plan = state.plan.unwrap();
    assert_eq!(commands(&plan), ["echo second >> runs", "echo more >> runs", "echo checked >> runs"]);
    assert!(plan.steps.iter().all(|step| step.assessment.is_some()));
    assert_eq!(state.revisions[1].author, Author::User);
    assert!(state.revisions[1].reason.starts_with("You chose \"Option 2"), "{}", state.revisions[1].reason);
    // The way that is taken already is no revision.
    run.tell(Command::ChooseWay { choice: 0, way: 1 }).await;
    assert_eq!(run.plan().await.revision, plan.revision);
    assert_eq!(run.refusal(Command::ChooseWay { choice: 0, way: 2 }).await, ErrorCode::InvalidInput);
    // The record holds the choice.
    let mut run = run.restart(Attendance::User, None).await;
    let page = run.plan().await.page.unwrap();
    assert_eq!((page.choices[0].chosen, page.choices[0].decided.as_str()), (1, "you chose it"));
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("runs"), "second\nmore\nchecked\n");
    assert_eq!(run.refusal(Command::ChooseWay { choice: 0, way: 0 }).await, ErrorCode::NotNow);
}

#[tokio::test]
async fn what_is_taken_in_is_judged_like_any_step() {
    let mut run = Harness::new(TWO_WAYS).await;
    let page = run.plan().await.page.unwrap();
    let uninstall = page.left_out.iter().find(|one| one.text == "rm -f runs").unwrap();
    run.tell(Command::TakeIn { block: uninstall.block }).await;
    assert_eq!(run.refusal(Command::TakeIn { block: uninstall.block }).await, ErrorCode::InvalidInput);
    let plan = run.plan().await;
    assert_eq!(commands(&plan), ["echo first >> runs", "echo checked >> runs", "rm -f runs"]);
    assert!(plan.steps[2].assessment.as_ref().unwrap().risk >= Risk::Caution);
    let first = plan.steps[0].id.clone();
    run.tell(remove(&first.0)).await;
    let left = run.plan().await.page.unwrap();
    assert!(left.left_out.iter().any(|one| one.why == "you left it out"), "{:?}", left.left_out);
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(!run.work("runs").exists());
}
