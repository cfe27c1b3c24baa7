//! Agentic recovery (SPEC section 4) through the real execution path: real worker, real bash, a scripted model.

use std::time::Duration;

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    Command, ErrorCode, Event, GuideRule, Mode, PlanState, StepId, StepOrigin, StepState, StuckReason,
};
use planwright_tests::{Harness, ScriptedMind, insert, modify, names, sequence, stuck_reason};

#[tokio::test]
async fn the_guide_inserts_a_step_and_the_run_goes_on() {
    let plan = sequence(&["echo one > first", "cp first made/here", "cat made/here"]);
    let mut run = Harness::new(&plan).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed);
    assert_eq!(run.text("made/here"), "one\n");
    assert_eq!((plan.revision, plan.steps.len(), plan.added_steps()), (2, 4, 1));
    assert!(matches!(&plan.steps[1].origin, StepOrigin::Repair { for_step, source, .. }
        if for_step.0 == "s2" && source.starts_with("guide:")));
    assert_eq!(
        run.names().await,
        [
            "session-created",
            "plan-generated",
            "plan-confirmed",
            "plan-started",
            "checkpoint-created",
            "step-started",
            "step-completed",
            "checkpoint-created",
            "step-started",
            "step-failed",
            "agent-thinking",
            "correction-attempt",
            "plan-revised",
            "checkpoint-created",
            "step-started",
            "step-completed",
            "checkpoint-created",
            "step-started",
            "step-completed",
            "correction-success",
            "step-started",
            "step-completed",
            "plan-completed",
        ]
    );
    let revised = run.seen.iter().find_map(|record| match &record.event {
        Event::PlanRevised { revision, changes, reason, step_id, .. } => {
            Some((*revision, changes, reason, step_id))
        }
        _ => None,
    });
    let (revision, changes, reason, step_id) = revised.unwrap();
    assert_eq!((plan.steps.len(), plan.revision, revision), (4, 2, 2));
    let removed: Vec<_> = changes.iter().flat_map(|it| &it.removed).map(|it| it.id.0.as_str()).collect();
    let inserted: Vec<_> = changes.iter().flat_map(|it| &it.inserted).map(|it| &it.id).collect();
    assert_eq!(removed, ["s2"], "what changed, and nothing else");
    assert_eq!(inserted, [&plan.steps[1].id, &plan.steps[2].id], "the repair, and the step that needs it");
    assert!(!reason.is_empty());
    assert_eq!(step_id, &Some(StepId::from("s2")));
    let state = run.state().await;
    let results: Vec<_> = state
        .results
        .iter()
        .map(|it| (it.step_id.0.as_str(), it.attempt_index, it.exit_status.code()))
        .collect();
    let repair = plan.steps[1].id.0.as_str();
    assert_eq!(
        results,
        [
            ("s1", 0, Some(0)),
            ("s2", 0, Some(1)),
            (repair, 0, Some(0)),
            ("s2", 1, Some(0)),
            ("s3", 0, Some(0))
        ]
    );
    assert_eq!(state.revisions.len(), 2);
    assert_eq!((state.ledger.corrections, state.ledger.added), (1, 1));
    assert_eq!(state.thinking, None);
}

#[tokio::test]
async fn what_came_of_a_rule_is_kept_and_can_be_forgotten() {
    let mut run = Harness::new(&sequence(&["touch made/here", "cp nothing-there elsewhere"])).await;
    run.start(Mode::Agentic).await;
    run.wait_for("the end", |event| matches!(event, Event::AgentStuck { .. })).await;
    let used = |rules: Vec<GuideRule>| -> Vec<GuideRule> {
        rules.into_iter().filter(|rule| rule.helped + rule.failed > 0).collect()
    };
    let rules = used(run.engine.guide_rules().await.unwrap());
    let [rule] = rules.as_slice() else { panic!("{rules:?}") };
    assert_eq!((rule.id.as_str(), rule.helped, rule.failed, rule.own), ("missing-directory", 1, 0, false));
    let unknown = run.engine.forget_experience(Some("no-such-rule".to_owned())).await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::InvalidInput);
    run.engine.forget_experience(Some(rule.id.clone())).await.unwrap();
    assert_eq!(used(run.engine.guide_rules().await.unwrap()), []);
}

#[tokio::test]
async fn a_correction_succeeds_only_with_its_step() {
    let mind = ScriptedMind::new(|number, _| match number {
        0 => insert(&["true"]),
        _ => modify("true"),
    });
    let mut run = Harness::with_mind(&sequence(&["false"]), &mind).await;
    run.start(Mode::Agentic).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let told: Vec<_> = run
        .seen
        .iter()
        .filter_map(|record| match &record.event {
            Event::CorrectionAttempt { number, .. } => Some(("attempt", *number)),
            Event::CorrectionFailed { number, .. } => Some(("failed", *number)),
            Event::CorrectionSuccess { number, .. } => Some(("success", *number)),
            _ => None,
        })
        .collect();
    assert_eq!(told, [("attempt", 1), ("failed", 1), ("attempt", 2), ("success", 2)]);
}

/// A step that fails however it is changed, and counts its runs.
pub(crate) fn always_another_failure(number: usize) -> String {
    modify(&format!("echo again{number} >> runs; exit 1"))
}

#[tokio::test]
async fn a_step_that_always_fails_is_stuck_after_three_retries() {
    let mind = ScriptedMind::new(|number, _| always_another_failure(number));
    let mut run = Harness::with_mind(&sequence(&["echo once >> runs; exit 1", "touch later"]), &mind).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::StepRetries { allowed: 3 }));
    assert_eq!((run.lines("runs"), mind.asked().len()), (4, 3));
    let ledger = run.state().await.ledger;
    assert_eq!((ledger.attempt, ledger.attempts_allowed, ledger.corrections), (4, 4, 3));
    assert!(!run.work("later").exists());
    assert!(matches!(plan.steps[0].state, StepState::Failed { .. }));
}

#[tokio::test]
async fn the_retries_are_counted_across_a_restart() {
    let mind = ScriptedMind::new(|number, _| always_another_failure(number));
    // The third run sleeps, so that the program ends in the middle of it.
    let slow = ScriptedMind::new(|number, _| match number {
        0 => always_another_failure(7),
        _ => modify("echo slow >> runs; sleep 60"),
    });
    let mut run = Harness::with_mind(&sequence(&["echo once >> runs; exit 1"]), &slow).await;
    run.start(Mode::Agentic).await;
    for _ in 0..3 {
        run.wait_started("s1").await;
    }
    while run.lines("runs") < 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut run = run.restart(Attendance::User, Some(mind.clone())).await;
    assert_eq!(run.step("s1").await, StepState::Interrupted { attempt: 2 });
    run.tell(Command::Edit { step_id: "s1".into(), command: "echo mine >> runs; exit 1".into(), run: true })
        .await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::StepRetries { allowed: 3 }));
    assert_eq!(run.text("runs"), "once\nagain7\nslow\nmine\n");
    assert_eq!(mind.asked().len(), 0, "the fourth run was the last");
}

#[tokio::test]
async fn a_failure_being_analysed_when_the_program_ends_is_analysed_again_and_not_run_again() {
    let slow = ScriptedMind::slow(Duration::from_secs(60), |_, _| always_another_failure(0));
    let mut run = Harness::with_mind(&sequence(&["echo once >> runs; exit 1"]), &slow).await;
    run.start(Mode::Agentic).await;
    run.wait_for("thinking", |event| matches!(event, Event::AgentThinking { .. })).await;
    let mind = ScriptedMind::new(|number, _| match number {
        0 => modify("echo two >> runs; exit 1"),
        _ => modify("echo mended >> runs"),
    });
    let mut run = run.restart(Attendance::User, Some(mind)).await;
    assert_eq!(run.lines("runs"), 1);
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("runs"), "once\ntwo\nmended\n");
}

#[tokio::test]
async fn what_passes_by_itself_is_tried_three_times_with_growing_waits() {
    // The message is the shell's own for a program that is being written; the guide waits for it.
    let plan = sequence(&["echo run >> runs; echo 'bash: ./tool: Text file busy' >&2; exit 126"]);
    let mut run = Harness::new(&plan).await;
    run.start(Mode::Agentic).await;
    let mut waits = Vec::new();
    for _ in 0..3 {
        let retry = run.wait_for("a retry", |event| matches!(event, Event::RetryAttempt { .. })).await;
        let Event::RetryAttempt { attempt, allowed, wait_seconds, .. } = retry else { panic!("{retry:?}") };
        waits.push((attempt, allowed, wait_seconds));
    }
    assert_eq!(waits, [(2, 4, 3), (3, 4, 6), (4, 4, 12)]);
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::StepRetries { allowed: 3 }));
    assert_eq!(run.lines("runs"), 4);
}

#[tokio::test]
async fn the_wait_before_a_retry_can_be_cancelled_and_paused() {
    let text = sequence(&["echo run >> runs; echo 'bash: ./tool: Text file busy' >&2; exit 126"]);
    let mut run = Harness::new(&text).await;
    run.start(Mode::Agentic).await;
    run.wait_for("a retry", |event| matches!(event, Event::RetryAttempt { .. })).await;
    let asked = std::time::Instant::now();
    run.tell(Command::Pause).await;
    assert!(matches!(run.settled().await.state, PlanState::Paused { .. }));
    run.tell(Command::Resume { mode: None }).await;
    run.wait_for("a retry", |event| matches!(event, Event::RetryAttempt { .. })).await;
    run.tell(Command::Cancel).await;
    assert_eq!(run.settled().await.state, PlanState::Cancelled);
    assert!(asked.elapsed().as_secs() < 3);
    assert_eq!(run.lines("runs"), 2);
}

#[tokio::test]
async fn new_steps_without_end_are_stuck_at_ten() {
    // Each new step fails too, and gets two more in front of it.
    let mind = ScriptedMind::new(|number, _| {
        insert(&[&format!("echo a{number} >> runs; exit 1"), &format!("echo b{number} >> runs; exit 1")])
    });
    let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::AddedSteps { allowed: 10 }));
    assert_eq!((plan.steps.len(), plan.added_steps()), (11, 10));
    assert_eq!(run.state().await.ledger.added, 10);
}

#[tokio::test]
async fn new_steps_one_at_a_time_end_at_ten_too_and_across_a_restart() {
    let one = |number: usize| insert(&[&format!("echo a{number} >> runs; exit 1")]);
    let first =
        ScriptedMind::new(
            move |number, _| {
                if number == 5 { insert(&["echo slow >> runs; sleep 60"]) } else { one(number) }
            },
        );
    let mut run = Harness::with_mind(&sequence(&["exit 1"]), &first).await;
    run.start(Mode::Agentic).await;
    run.wait_for(
        "the slow step",
        |event| matches!(event, Event::StepStarted { command, .. } if command.contains("slow")),
    )
    .await;
    let second = ScriptedMind::new(move |number, _| one(100 + number));
    let mut run = run.restart(Attendance::User, Some(second.clone())).await;
    let plan = run.plan().await;
    let interrupted =
        plan.steps.iter().find(|step| matches!(step.state, StepState::Interrupted { .. })).unwrap();
    let command = "exit 3".to_owned();
    run.tell(Command::Edit { step_id: interrupted.id.clone(), command, run: true }).await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::Corrections { allowed: 10 }));
    assert_eq!((plan.added_steps(), first.asked().len() + second.asked().len()), (10, 10));
}

/// Steps that succeed at their fourth run only; each run of each is another command.
fn three_corrections_each() -> std::sync::Arc<ScriptedMind> {
    ScriptedMind::new(|_, question| {
        let text = &question.messages[0];
        let ran = text.split("Command: echo ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
        let (step, tried) = ran.split_once('.').unwrap();
        let tried = tried.parse::<u32>().unwrap() + 1;
        modify(&format!("echo {step}.{tried} >> runs; [ {tried} = 3 ]"))
    })
}

const FOUR_STUBBORN: [&str; 4] = [
    "echo 1.0 >> runs; exit 1",
    "echo 2.0 >> runs; exit 1",
    "echo 3.0 >> runs; exit 1",
    "echo 4.0 >> runs; exit 1",
];

#[tokio::test]
async fn ten_corrections_over_several_steps_are_the_end() {
    let mut run = Harness::with_mind(&sequence(&FOUR_STUBBORN), &three_corrections_each()).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::Corrections { allowed: 10 }));
    assert_eq!(run.state().await.ledger.corrections, 10);
    assert_eq!(run.lines("runs"), 4 + 4 + 4 + 2);
    let left: Vec<_> = run
        .seen
        .iter()
        .filter_map(|record| match &record.event {
            Event::BudgetWarning { corrections, allowed } => Some(allowed - corrections),
            _ => None,
        })
        .collect();
    assert_eq!(left, [3, 2, 1]);
    let order = names(&run.seen);
    let warned = order.iter().position(|name| name == "budget-warning").unwrap();
    assert_eq!(order[warned - 1], "agent-thinking");
}

#[tokio::test]
async fn ten_corrections_are_counted_across_a_restart() {
    let mut run = Harness::with_mind(&sequence(&FOUR_STUBBORN), &three_corrections_each()).await;
    run.start(Mode::Agentic).await;
    // Between steps: the pause ends the run at a known place.
    run.wait_started("s3").await;
    run.tell(Command::Pause).await;
    run.settled().await;
    let before = run.state().await.ledger;
    let mut run = run.restart(Attendance::User, Some(three_corrections_each())).await;
    assert_eq!(run.state().await.ledger, before);
    run.tell(Command::Resume { mode: None }).await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::Corrections { allowed: 10 }));
    assert_eq!((run.state().await.ledger.corrections, run.lines("runs")), (10, 14));
}

#[tokio::test]
async fn with_nobody_there_a_stuck_run_fails() {
    let mind = ScriptedMind::new(|number, _| always_another_failure(number));
    let mut run = Harness::unattended(&sequence(&["exit 1"]), "", Some(mind)).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert!(
        matches!(&plan.state, PlanState::Failed { reason, .. } if reason.contains("3 retries")),
        "{:?}",
        plan.state
    );
    let names = run.names().await;
    assert_eq!(names[names.len() - 2..], ["agent-stuck", "plan-failed"]);
}

#[tokio::test]
async fn the_same_correction_twice_in_a_row_is_no_progress() {
    let mind = ScriptedMind::new(|_, _| modify("echo other >> runs; exit 1"));
    let mut run = Harness::with_mind(&sequence(&["echo once >> runs; exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::NoProgress));
    assert_eq!((run.lines("runs"), mind.asked().len()), (2, 3));
    assert_eq!(run.state().await.ledger.corrections, 3, "refused ones count");
    assert_eq!(names(&run.seen).iter().filter(|name| *name == "correction-failed").count(), 3);
}

#[tokio::test]
async fn the_same_command_is_not_run_again_for_nothing() {
    let mind = ScriptedMind::new(|number, _| match number {
        0 | 2 => r#"{"action": "retry", "reasoning": "once more"}"#.to_owned(),
        1 => modify("echo other >> runs; exit 1"),
        _ => modify("echo once >> runs; exit 1"),
    });
    let mut run = Harness::with_mind(&sequence(&["echo once >> runs; exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(stuck_reason(&plan), Some(&StuckReason::NoProgress));
    assert_eq!(run.text("runs"), "once\nother\n");
    let refused = run.seen.iter().filter(|record| {
        matches!(&record.event, Event::CorrectionFailed { reason, .. } if reason.contains("same command"))
    });
    assert_eq!(refused.count(), 3);
}

#[tokio::test]
async fn five_new_steps_are_three_and_a_claimed_risk_is_nothing() {
    let mind = ScriptedMind::new(|_, _| {
        let step = |n: usize| serde_json::json!({"title": n.to_string(), "command": format!("rm -rf doomed{n}"), "why": "w", "risk": "safe"});
        let steps: Vec<_> = (0..5).map(step).collect();
        serde_json::json!({"action": "insert_steps", "reasoning": "x", "newSteps": steps}).to_string()
    });
    let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
    run.start(Mode::Agentic).await;
    let question = run.question().await;
    assert!(question.assessment.risk >= planwright_engine::protocol::Risk::Dangerous);
    assert_eq!(run.plan().await.added_steps(), 3);
}

async fn aborts_with(mind: Option<std::sync::Arc<ScriptedMind>>, words: &str) {
    let mut run = Harness::with(&sequence(&["exit 7"]), Attendance::User, mind).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    let Some(StuckReason::Aborted { reason }) = stuck_reason(&plan) else { panic!("{:?}", plan.state) };
    assert!(reason.contains(words), "{reason}");
    assert_eq!(run.state().await.ledger.corrections, 0);
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_asked_for_once_more_and_then_ends_it() {
    let mind = ScriptedMind::new(|_, _| "I am only a poet.".to_owned());
    aborts_with(Some(mind.clone()), "twice gave an answer that cannot be used").await;
    let asked = mind.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].messages.last().unwrap().contains("no JSON object"));
}

#[tokio::test]
async fn a_model_that_cannot_answer_ends_it_with_the_reason() {
    let mind = ScriptedMind::fallible(|_, _| {
        Err(planwright_engine::model::ModelError::Malformed { message: "the server is on fire".to_owned() })
    });
    aborts_with(Some(mind), "the server is on fire").await;
}

#[tokio::test]
async fn without_a_model_an_unknown_failure_says_so() {
    aborts_with(None, "status 7").await;
}

#[tokio::test]
async fn repairs_that_fail_are_mended_themselves() {
    let mind = ScriptedMind::new(|number, _| match number {
        0 => insert(&["cat missing"]),
        1 => modify("touch mended"),
        _ => modify("true"),
    });
    let mut run = Harness::with_mind(&sequence(&["[ -e mended ]"]), &mind).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed);
    let told: Vec<_> = run
        .seen
        .iter()
        .filter_map(|record| match &record.event {
            Event::CorrectionSuccess { number, .. } => Some(*number),
            _ => None,
        })
        .collect();
    assert_eq!(told, [2, 1], "the repair's own, then that of the step");
}

#[tokio::test]
async fn a_repair_may_move_the_shell_for_the_step_that_it_mends() {
    let mind = ScriptedMind::new(|_, _| insert(&["mkdir inner && cd inner && export WORD=set"]));
    let mut run = Harness::with_mind(&sequence(&["echo \"${WORD:?}\" > here"]), &mind).await;
    run.start(Mode::Agentic).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("inner/here"), "set\n");
}
