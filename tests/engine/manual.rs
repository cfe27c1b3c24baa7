//! Steps that only a person can do: nothing is ever started for them, and the run waits for the user's word in every mode.

use planwright_engine::engine::Attendance;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Action, AllowedBy, Command, Event, Mode, PauseReason, PlanState, Risk, StepId, StepState,
};
use planwright_tests::Harness;

/// The words of the manual step would leave a file if anything ever took them for a command.
const PLAN: &str = r#"{"title": "Groups", "steps": [
    {"id": "join", "command": "echo joined >> log"},
    {"id": "hand", "manual": "touch ran # log out and in again"},
    {"id": "use", "command": "echo used >> log"}
]}"#;

fn hand() -> StepId {
    StepId::from("hand")
}

fn paused_for_hand() -> PlanState {
    PlanState::Paused { reason: PauseReason::Manual { step_id: hand() } }
}

#[tokio::test]
async fn the_run_waits_in_every_mode_until_it_is_done() {
    for mode in [Mode::Teacher, Mode::Planner, Mode::Agentic] {
        let mut run = Harness::new(PLAN).await;
        assert_eq!(
            run.plan().await.step(&hand()).unwrap().action,
            Action::manual("touch ran # log out and in again")
        );
        run.start(mode).await;
        if mode == Mode::Teacher {
            run.wait_for(
                "join waits",
                |event| matches!(event, Event::StepAwaitingRun { step_id } if step_id.0 == "join"),
            )
            .await;
            run.tell(Command::RunStep { step_id: StepId::from("join") }).await;
        }
        run.wait_for(
            "the hand",
            |event| matches!(event, Event::StepAwaitingRun { step_id } if *step_id == hand()),
        )
        .await;
        assert_eq!(run.text("log"), "joined\n");
        let step = run.plan().await.step(&hand()).unwrap().clone();
        assert_eq!(step.assessment.map(|found| found.risk), Some(Risk::Safe));
        run.tell(Command::RunStep { step_id: hand() }).await;
        if mode == Mode::Teacher {
            run.wait_for(
                "use waits",
                |event| matches!(event, Event::StepAwaitingRun { step_id } if step_id.0 == "use"),
            )
            .await;
            run.tell(Command::RunStep { step_id: StepId::from("use") }).await;
        }
        assert_eq!(run.settled().await.state, PlanState::Completed, "{mode:?}");
        assert_eq!(run.text("log"), "joined\nused\n");
        assert!(!run.work("ran").exists());
        let started = run.seen.iter().find_map(|record| match &record.event {
            Event::StepStarted { step_id, allowed_by, .. } if *step_id == hand() => Some(allowed_by.clone()),
            _ => None,
        });
        assert_eq!(started, Some(AllowedBy::User));
        assert_eq!(run.state().await.checkpoints.iter().filter(|one| one.step_id == hand()).count(), 0);
        assert!(run.engine.report(run.session).await.unwrap().contains("done by hand, by your word"));
    }
}

#[tokio::test]
async fn it_can_be_skipped_changed_in_words_and_waits_again_after_a_restart() {
    let mut run = Harness::new(PLAN).await;
    run.start(Mode::Agentic).await;
    run.wait_for("the hand", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
    run.tell(Command::Edit { step_id: hand(), command: "touch ran; reboot".into(), run: false }).await;
    assert_eq!(run.plan().await.step(&hand()).unwrap().action, Action::manual("touch ran; reboot"));
    let mut run = run.restart(Attendance::User, None).await;
    assert_eq!(run.step("hand").await, StepState::AwaitingRun);
    run.tell(Command::Skip { step_id: hand(), with_dependents: false }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "joined\nused\n");
    assert!(!run.work("ran").exists());
}

#[tokio::test]
async fn with_nobody_there_it_stops_until_it_is_taken_up_again_or_is_left_out() {
    let mut run = Harness::unattended(PLAN, "", None).await;
    run.start(Mode::Agentic).await;
    assert_eq!(run.settled().await.state, paused_for_hand());
    assert_eq!(run.text("log"), "joined\n");
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.step("hand").await, StepState::Completed { attempt: 0 });

    let mut run = Harness::unattended(PLAN, "manual = \"skip\"", None).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(matches!(run.step("hand").await, StepState::Skipped { .. }));
    assert_eq!(run.text("log"), "joined\nused\n");

    // What stopped and is taken up by somebody who leaves such steps out is left out, and not called done.
    let mut run = Harness::unattended(PLAN, "", None).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, paused_for_hand());
    let policy = PolicyFile::parse("manual = \"skip\"").unwrap();
    let mut run = run.restart(Attendance::Nobody(policy), None).await;
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(matches!(run.step("hand").await, StepState::Skipped { .. }));
}

#[tokio::test]
async fn a_page_that_says_to_log_in_again_waits_at_that_place() {
    let page = "# Docker without root\n\n1. Make a file:\n\n   ```sh\n   echo a >> log\n   ```\n\n2. Log out and log in again \
                so that your groups are read.\n\n3. Then:\n\n   ```sh\n   echo b >> log\n   ```\n";
    let mut run = Harness::unattended(page, "", None).await;
    let plan = run.plan().await;
    let kinds: Vec<bool> = plan.steps.iter().map(|step| step.action.is_manual()).collect();
    assert_eq!(kinds, [false, true, false], "{:?}", plan.steps);
    assert_eq!(plan.steps[1].action.command(), "Log out and log in again so that your groups are read.");
    run.start(Mode::Planner).await;
    assert!(matches!(run.settled().await.state, PlanState::Paused { reason: PauseReason::Manual { .. } }));
    assert_eq!(run.text("log"), "a\n");
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "a\nb\n");
}
