//! What the user may do at any time (SPEC E6).

use std::time::{Duration, Instant};

use planwright_engine::protocol::{
    ApprovalAnswer, Command, ErrorCode, Event, Mode, PauseReason, PlanState, StepState,
};
use planwright_tests::{Harness, sequence};

/// Live processes of a run, found by a variable that its steps carry.
fn alive(marker: &str) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let holds = |path: std::path::PathBuf| {
        std::fs::read(path).is_ok_and(|text| text.windows(marker.len()).any(|part| part == marker.as_bytes()))
    };
    entries.flatten().filter(|entry| holds(entry.path().join("environ"))).count()
}

async fn until(what: &str, fits: impl Fn() -> bool) {
    let start = Instant::now();
    while !fits() {
        assert!(start.elapsed() < Duration::from_secs(10), "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_pause_comes_after_the_running_step_and_resume_may_change_the_mode() {
    let mut run = Harness::new(&sequence(&["sleep 0.3; touch one", "exit 7", "touch three"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    run.tell(Command::Pause).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Paused { reason: PauseReason::User });
    assert!(run.work("one").exists());
    assert_eq!(plan.steps[1].state, StepState::Pending);

    assert_eq!(run.refusal(Command::Pause).await, ErrorCode::NotNow);
    run.tell(Command::Resume { mode: Some(Mode::Agentic) }).await;
    let plan = run.settled().await;
    assert_eq!(plan.mode, Mode::Agentic);
    assert!(matches!(plan.state, PlanState::Stuck { .. }), "in planner it would have failed");
}

#[tokio::test]
async fn a_pause_that_was_taken_back_does_not_happen() {
    let mut run = Harness::new(&sequence(&["sleep 0.3", "touch two"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    run.tell(Command::Pause).await;
    let other = Command::Resume { mode: Some(Mode::Teacher) };
    assert_eq!(run.refusal(other).await, ErrorCode::NotNow, "the mode changes only when paused");
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
}

/// Cancels a run whose step left stubborn processes everywhere; returns how long the acknowledgement took.
async fn cancel_a_stubborn_step(round: usize) -> Duration {
    let marker = format!("CONTROL_TEST={}-{round}-", std::process::id());
    let sleeper = "trap '' TERM; setsid sleep 301 & (sleep 302 &) ; sleep 303";
    let export = format!("export {marker}");
    let mut run = Harness::new(&sequence(&[&export, sleeper, "touch later"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s2").await;
    // Without the shell, which has lived for longer than the variable.
    until("the sleepers", || alive(&marker) >= 3).await;
    let asked = Instant::now();
    run.tell(Command::Cancel).await;
    let acknowledged = asked.elapsed();
    let plan = run.settled().await;
    let gone = asked.elapsed();
    assert_eq!(alive(&marker), 0);
    assert!(gone < Duration::from_secs(2), "{gone:?}");
    assert_eq!(plan.state, PlanState::Cancelled);
    assert_eq!(plan.steps[1].state, StepState::Cancelled);
    assert_eq!(plan.steps[2].state, StepState::Pending);
    let ended = run.events().await.pop().unwrap();
    let Event::PlanCancelled { gone_at: Some(gone_at) } = ended.event else { panic!("{ended:?}") };
    let result = run.state().await.results.pop().unwrap();
    assert!(result.ended_at <= gone_at);
    assert_eq!(run.refusal(Command::Cancel).await, ErrorCode::NotNow);
    assert!(!run.work("later").exists());
    acknowledged
}

#[tokio::test]
async fn a_cancel_is_acknowledged_at_once_and_leaves_no_process() {
    let mut quickest = Duration::MAX;
    for round in 0..3 {
        quickest = quickest.min(cancel_a_stubborn_step(round).await);
    }
    // The quickest: other tests may keep the machine busy for a moment.
    assert!(quickest < Duration::from_millis(50), "{quickest:?}");
}

#[tokio::test]
async fn a_running_step_can_be_skipped_and_its_result_is_kept() {
    let mut run = Harness::new(&sequence(&["echo half; sleep 300", "touch two"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: false }).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed);
    assert!(matches!(&plan.steps[0].state, StepState::Skipped { reason } if reason == "You skipped it."));
    assert!(run.work("two").exists());
    assert_eq!(run.state().await.results[0].stdout, "half\n");
}

#[tokio::test]
async fn what_needs_a_skipped_step_is_skipped_with_it_only_when_that_was_wanted() {
    let plan = r#"{"steps": [
        {"id": "s1", "command": "sleep 300"}, {"id": "s2", "command": "touch two", "dependsOn": ["s1"]},
        {"id": "s3", "command": "touch three", "dependsOn": ["s2"]}, {"id": "s4", "command": "touch four"}]}"#;
    for with_dependents in [true, false] {
        let mut run = Harness::new(plan).await;
        run.start(Mode::Planner).await;
        run.wait_started("s1").await;
        run.tell(Command::Skip { step_id: "s1".into(), with_dependents }).await;
        let plan = run.settled().await;
        assert_eq!(plan.state, PlanState::Completed);
        let is_there = ["two", "three", "four"].map(|file| run.work(file).exists());
        assert_eq!(is_there, [!with_dependents, !with_dependents, true]);
        if with_dependents {
            let told = |step: usize| match &plan.steps[step].state {
                StepState::Skipped { reason } => reason.clone(),
                other => panic!("{other:?}"),
            };
            assert_eq!(told(0), "You skipped it.");
            assert!(told(1).starts_with("You skipped it with \"") && told(2) == told(1), "{}", told(1));
        }
    }
}

#[tokio::test]
async fn a_step_to_come_can_be_edited_and_skipped_during_a_run_and_the_running_one_not() {
    let mut run = Harness::new(&sequence(&["sleep 0.4", "touch two", "touch three"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    let edit =
        |id: &str, command: &str| Command::Edit { step_id: id.into(), command: command.into(), run: false };
    assert_eq!(run.refusal(edit("s1", "touch one")).await, ErrorCode::InvalidInput);
    assert_eq!(run.refusal(edit("s2", "   ")).await, ErrorCode::InvalidInput);
    assert_eq!(run.refusal(edit("nowhere", "true")).await, ErrorCode::NoSuchStep);
    run.tell(edit("s2", "touch changed")).await;
    run.tell(Command::Skip { step_id: "s3".into(), with_dependents: false }).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed);
    assert_eq!(plan.revision, 2);
    assert!(run.work("changed").exists() && !run.work("two").exists() && !run.work("three").exists());
    assert_eq!(run.refusal(edit("s1", "true")).await, ErrorCode::InvalidInput, "a done step stays");
}

#[tokio::test]
async fn what_cannot_be_done_now_is_refused_with_its_type() {
    let mut run = Harness::new(&sequence(&["sleep 0.5"])).await;
    let nothing = ApprovalAnswer::NotNow;
    for command in [
        Command::Pause,
        Command::RaiseBudget,
        Command::Guide { text: "words".into() },
        Command::Retry { step_id: "s1".into() },
        Command::RunStep { step_id: "s1".into() },
        Command::Confirm { revision: 9, allowed: vec![] },
    ] {
        assert_eq!(run.refusal(command).await, ErrorCode::NotNow);
    }
    let approval_id = planwright_engine::protocol::ApprovalId::new();
    let answer = Command::Answer { approval_id, answer: nothing };
    assert_eq!(run.refusal(answer.clone()).await, ErrorCode::NoSuchApproval);
    assert_eq!(
        run.refusal(Command::Skip { step_id: "x".into(), with_dependents: false }).await,
        ErrorCode::NoSuchStep
    );
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    for command in [
        Command::SetMode { mode: Mode::Agentic },
        Command::Start { mode: None },
        Command::Resume { mode: None },
        Command::Reject,
        Command::Retry { step_id: "s1".into() },
        Command::RunStep { step_id: "s1".into() },
        Command::RaiseBudget,
        Command::Guide { text: "words".into() },
        Command::Confirm { revision: 1, allowed: vec![] },
    ] {
        assert_eq!(run.refusal(command).await, ErrorCode::NotNow);
    }
    assert_eq!(run.refusal(answer).await, ErrorCode::NoSuchApproval);
    run.tell(Command::Rename { title: "Another name".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.state().await.title, "Another name");
    assert_eq!(run.refusal(Command::Resume { mode: None }).await, ErrorCode::NotNow);
}

#[tokio::test]
async fn a_cancelled_and_a_failed_run_can_be_taken_up_again() {
    let mut run = Harness::new(&sequence(&["echo a >> log", "[ -e key ] || exit 7", "echo c >> log"])).await;
    run.start(Mode::Planner).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    std::fs::write(run.work("key"), "").unwrap();
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "a\nc\n", "what was done is not done again");
}

#[tokio::test]
async fn a_rejected_plan_runs_nothing() {
    let run = Harness::new(&sequence(&["touch ran"])).await;
    run.tell(Command::Reject).await;
    assert_eq!(run.plan().await.state, PlanState::Cancelled);
    assert!(!run.work("ran").exists());
}
