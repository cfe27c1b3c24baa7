//! What the user can do when a run is stuck, and while it is being mended (SPEC A3).

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use planwright_engine::protocol::{Command, ErrorCode, Event, Mode, PlanState, StepState, StuckReason};
use planwright_tests::{Harness, ScriptedMind, insert, modify, sequence, stuck_reason};

use crate::recovery::always_another_failure;

fn stubborn_until_told() -> std::sync::Arc<ScriptedMind> {
    ScriptedMind::new(|number, question| {
        if question.messages[0].contains("The user says: use the other door") {
            modify("echo door >> runs")
        } else {
            always_another_failure(number)
        }
    })
}

#[tokio::test]
async fn words_for_a_stuck_run_reach_the_brain() {
    let mind = stubborn_until_told();
    let mut run = Harness::with_mind(&sequence(&["exit 1", "touch after"]), &mind).await;
    run.start(Mode::Agentic).await;
    assert_eq!(stuck_reason(&run.settled().await), Some(&StuckReason::StepRetries { allowed: 3 }));
    assert_eq!(run.refusal(Command::Guide { text: "  ".into() }).await, ErrorCode::InvalidInput);
    run.tell(Command::Guide { text: "use the other door".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("after").exists());
}

#[tokio::test]
async fn words_that_do_not_help_lead_back_to_being_stuck() {
    let mind = ScriptedMind::new(|number, _| always_another_failure(number));
    let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    let before = mind.asked().len();
    run.tell(Command::Guide { text: "do something".into() }).await;
    assert!(stuck_reason(&run.settled().await).is_some());
    assert_eq!(mind.asked().len(), before + 1);
}

#[tokio::test]
async fn a_stuck_step_can_be_edited() {
    let mut run = Harness::new(&sequence(&["exit 7", "touch after"])).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::Edit { step_id: "s1".into(), command: "touch mine".into(), run: true }).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed);
    assert!(run.work("mine").exists() && run.work("after").exists());
    assert_eq!(plan.steps[0].changed.as_ref().unwrap().source, "you");
}

#[tokio::test]
async fn a_stuck_run_can_be_taken_over_in_teacher() {
    let mut run = Harness::new(&sequence(&["[ -e key ]", "touch after"])).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::Resume { mode: Some(Mode::Teacher) }).await;
    for id in ["s1", "s2"] {
        run.wait_for("waiting for Run", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
        std::fs::write(run.work("key"), "").unwrap();
        run.tell(Command::RunStep { step_id: id.into() }).await;
    }
    assert_eq!(run.settled().await.state, PlanState::Completed);
}

#[tokio::test]
async fn the_budget_is_raised_once() {
    let mind = ScriptedMind::new(|number, _| always_another_failure(number));
    let mut run = Harness::with_mind(&sequence(&["echo once >> runs; exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::RaiseBudget).await;
    assert_eq!(stuck_reason(&run.settled().await), Some(&StuckReason::StepRetries { allowed: 6 }));
    assert_eq!(run.lines("runs"), 7);
    assert_eq!(run.refusal(Command::RaiseBudget).await, ErrorCode::NotNow);
}

#[tokio::test]
async fn a_stuck_step_can_be_skipped_and_a_stuck_run_cancelled() {
    let mut run = Harness::new(&sequence(&["exit 7", "touch after"])).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: false }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("after").exists());

    let mut run = Harness::new(&sequence(&["exit 7", "touch after"])).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::Cancel).await;
    assert_eq!(run.settled().await.state, PlanState::Cancelled);
    assert!(!run.work("after").exists());
}

#[tokio::test]
async fn what_needs_a_skipped_step_is_skipped_with_it_where_that_is_wanted() {
    let plan = sequence(&["exit 7", "touch needs", "touch needs-that", "touch free"]);
    let mut plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    plan["steps"][1]["dependsOn"] = serde_json::json!(["s1"]);
    plan["steps"][2]["dependsOn"] = serde_json::json!(["s2"]);
    let mut run = Harness::new(&plan.to_string()).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: true }).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed, "{:#?}", plan.steps);
    let with_it = |step: &planwright_engine::protocol::Step| matches!(&step.state, StepState::Skipped { reason } if reason.contains("which it needs"));
    assert_eq!(plan.steps.iter().map(|step| with_it(step)).collect::<Vec<_>>(), [false, true, true, false]);
    assert_eq!(["needs", "needs-that", "free"].map(|name| run.work(name).exists()), [false, false, true]);
}

#[tokio::test]
async fn skipping_a_step_that_is_being_mended_skips_its_repairs_and_goes_on() {
    let mind = ScriptedMind::new(|_, _| insert(&["sleep 60", "touch repaired"]));
    let mut run = Harness::with_mind(&sequence(&["exit 1", "touch after"]), &mind).await;
    run.start(Mode::Agentic).await;
    run.wait_for(
        "the repair",
        |event| matches!(event, Event::StepStarted { command, .. } if command == "sleep 60"),
    )
    .await;
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: false }).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed, "{:#?}", plan.steps);
    assert!(plan.steps[..3].iter().all(|step| matches!(step.state, StepState::Skipped { .. })));
    assert!(run.work("after").exists() && !run.work("repaired").exists());
}

#[tokio::test]
async fn an_edit_while_the_brain_thinks_counts_more_than_its_answer() {
    let mind = ScriptedMind::slow(Duration::from_millis(400), |_, _| modify("touch theirs"));
    let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    run.wait_for("thinking", |event| matches!(event, Event::AgentThinking { .. })).await;
    run.tell(Command::Edit { step_id: "s1".into(), command: "touch mine".into(), run: false }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("mine").exists() && !run.work("theirs").exists());
}

#[tokio::test]
async fn words_while_the_brain_thinks_make_it_think_again_with_them() {
    let mind = ScriptedMind::slow(Duration::from_millis(400), |_, question| {
        let told = question.messages[0].contains("The user says: use the other door");
        modify(if told { "touch told" } else { "touch untold" })
    });
    let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    run.wait_for("thinking", |event| matches!(event, Event::AgentThinking { .. })).await;
    run.tell(Command::Guide { text: "use the other door".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("told").exists() && !run.work("untold").exists());
}

#[tokio::test]
async fn the_brain_can_be_interrupted_by_a_cancel_and_by_a_skip() {
    let slow = || ScriptedMind::slow(Duration::from_secs(60), |_, _| modify("true"));
    let mut run = Harness::with_mind(&sequence(&["exit 1", "touch after"]), &slow()).await;
    run.start(Mode::Agentic).await;
    run.wait_for("thinking", |event| matches!(event, Event::AgentThinking { .. })).await;
    assert!(run.state().await.thinking.is_some_and(|thinking| thinking.asking.contains("scripted")));
    run.tell(Command::Cancel).await;
    assert_eq!(run.settled().await.state, PlanState::Cancelled);

    let mut run = Harness::with_mind(&sequence(&["exit 1", "touch after"]), &slow()).await;
    run.start(Mode::Agentic).await;
    run.wait_for("thinking", |event| matches!(event, Event::AgentThinking { .. })).await;
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: false }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("after").exists());
}

#[tokio::test]
async fn a_step_whose_repair_waits_for_an_answer_can_be_skipped() {
    let mind = ScriptedMind::new(|_, _| insert(&["rm -rf data"]));
    let mut run = Harness::with_mind(&sequence(&["exit 1", "touch after"]), &mind).await;
    std::fs::create_dir(run.work("data")).unwrap();
    run.start(Mode::Agentic).await;
    run.question().await;
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: false }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("data").exists() && run.work("after").exists());
    assert!(run.state().await.approvals.is_empty());
}

/// A program that knows two words equally near to the typed one.
fn between_two(run: &Harness) {
    let script = "#!/bin/sh\n[ $1 = task ] && exec touch chosen\n\
                  echo \"unknown word tesk. Did you mean one of: test, task?\" >&2\nexit 1\n";
    std::fs::write(run.work("tool"), script).unwrap();
    std::fs::set_permissions(run.work("tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn candidates(event: &Event) -> Option<Vec<&str>> {
    match event {
        Event::AgentStuck { candidates, .. } => {
            Some(candidates.iter().map(|it| it.command.as_str()).collect())
        }
        _ => None,
    }
}

#[tokio::test]
async fn which_of_several_commands_was_meant_is_asked_and_what_is_chosen_runs() {
    let mut run = Harness::new(&sequence(&["./tool tesk", "touch after"])).await;
    between_two(&run);
    run.start(Mode::Agentic).await;
    let asked = run.wait_for("the question", |event| candidates(event).is_some()).await;
    assert_eq!(candidates(&asked).unwrap(), ["./tool test", "./tool task"]);
    assert!(!run.work("chosen").exists(), "nothing is taken before the user has chosen");
    run.tell(Command::Edit { step_id: "s1".into(), command: "./tool task".into(), run: true }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("chosen").exists() && run.work("after").exists());
}

#[tokio::test]
async fn what_was_chosen_and_worked_comes_first_the_next_time_until_it_is_forgotten() {
    let mut run = Harness::new(&sequence(&["./tool tesk", "./tool tesk", "./tool tesk"])).await;
    between_two(&run);
    run.start(Mode::Agentic).await;
    let expected =
        [["./tool test", "./tool task"], ["./tool task", "./tool test"], ["./tool test", "./tool task"]];
    for (step, expected) in ["s1", "s2", "s3"].into_iter().zip(expected) {
        let asks = |event: &Event| matches!(event, Event::AgentStuck { step_id, .. } if step_id.0 == step);
        let asked = run.wait_for("the question", asks).await;
        assert_eq!(candidates(&asked).unwrap(), expected, "{step}");
        if step == "s2" {
            run.tell(Command::Skip { step_id: step.into(), with_dependents: false }).await;
            run.engine.forget_experience(None).await.unwrap();
        } else {
            let command = "./tool task".to_owned();
            run.tell(Command::Edit { step_id: step.into(), command, run: true }).await;
        }
    }
    assert_eq!(run.settled().await.state, PlanState::Completed);
}

#[tokio::test]
async fn with_nobody_there_to_choose_the_run_stops_and_names_the_candidates() {
    let mut run =
        Harness::unattended(&sequence(&["./tool tesk", "touch after"]), "approve = \"caution\"", None).await;
    between_two(&run);
    run.start(Mode::Agentic).await;
    let asked = run.wait_for("the question", |event| candidates(event).is_some()).await;
    assert_eq!(candidates(&asked).unwrap().len(), 2);
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    assert!(!run.work("chosen").exists() && !run.work("after").exists());
}
