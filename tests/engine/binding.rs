//! What an answer is for (SPEC R3): exactly what was asked, once, and nothing that waiting could turn into a yes.

use std::time::Duration;

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    AllowedBy, ApprovalAnswer, Command, EnvironmentChange, EnvironmentValue, ErrorCode, Event, Mode,
    PlanState,
};
use planwright_tests::{Harness, ScriptedMind, insert, modify, sequence};

const ONCE: ApprovalAnswer = ApprovalAnswer::AllowOnce { edited_command: None };

fn change(name: &str, now: EnvironmentValue) -> EnvironmentChange {
    EnvironmentChange { name: name.to_owned(), now }
}

#[tokio::test]
async fn a_question_tells_what_earlier_steps_left_and_no_secret() {
    let leave = "export PLACE=here API_TOKEN=hunter2; count=3; deploy() { true; }; unset LANG; export LANG=x; unset LANG";
    let mut run = Harness::new(&sequence(&[leave, "rm -rf doomed"])).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let told =
        |name: &str| question.environment.iter().find(|change| change.name == name).map(|it| it.now.clone());
    assert_eq!(told("PLACE"), Some(EnvironmentValue::Set { value: "here".into() }));
    assert_eq!(told("API_TOKEN"), Some(EnvironmentValue::Hidden));
    assert_eq!(told("deploy"), Some(EnvironmentValue::Function));
    assert!(matches!(told("count"), Some(EnvironmentValue::Set { .. })));
    assert!(!serde_json::to_string(&question).unwrap().contains("hunter2"));
    // The same question after a restart, for the same shell.
    let mut run = run.restart(Attendance::User, None).await;
    assert_eq!(run.state().await.approvals, std::slice::from_ref(&question));
    run.answer(&question, ONCE).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
}

/// Between the question and the answer an earlier step is run again and leaves another secret.
#[tokio::test]
async fn another_environment_is_another_question_also_where_it_is_hidden() {
    let plan = serde_json::json!({
        "title": "t", "onFailure": "continue",
        "steps": [
            { "id": "s1", "command": "export API_TOKEN=$(cat token); [ -e key ]", "dependsOn": [] },
            { "id": "s2", "command": "export API_TOKEN=first", "dependsOn": [] },
            { "id": "s3", "command": "rm -rf doomed", "dependsOn": [] },
        ],
    });
    let mut run = Harness::new(&plan.to_string()).await;
    std::fs::write(run.work("token"), "second").unwrap();
    std::fs::create_dir(run.work("doomed")).unwrap();
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let hidden = [change("API_TOKEN", EnvironmentValue::Hidden)];
    assert_eq!(question.environment, hidden);
    run.tell(Command::Pause).await;
    run.settled().await;
    std::fs::write(run.work("key"), "").unwrap();
    run.tell(Command::Retry { step_id: "s1".into() }).await;
    let again = run.question().await;
    assert_eq!(
        (again.step_id.0.as_str(), again.environment.as_slice()),
        ("s3", &hidden[..]),
        "it looks the same"
    );
    assert_ne!((again.id, &again.binding), (question.id, &question.binding));
    let old = Command::Answer { approval_id: question.id, answer: ONCE };
    assert_eq!(run.refusal(old).await, ErrorCode::NoSuchApproval);
    assert!(run.work("doomed").exists());
    run.answer(&again, ONCE).await;
    run.settled().await;
    assert!(!run.work("doomed").exists());
}

#[tokio::test]
async fn a_yes_runs_a_command_once() {
    // The step fails after it was allowed; running it again is asked about again.
    let mut run = Harness::new(&sequence(&["rm -rf doomed; echo run >> runs; exit 1"])).await;
    run.start(Mode::Planner).await;
    let first = run.question().await;
    run.answer(&first, ONCE).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    run.tell(Command::Retry { step_id: "s1".into() }).await;
    let second = run.question().await;
    assert_ne!(second.id, first.id);
    assert_eq!(run.lines("runs"), 1);
    let twice = Command::Answer { approval_id: first.id, answer: ONCE };
    assert_eq!(run.refusal(twice).await, ErrorCode::NoSuchApproval);
}

#[tokio::test]
async fn no_repair_runs_on_an_old_yes() {
    let mind = ScriptedMind::new(|number, _| match number {
        0 => modify("rm -rf doomed; exit 1"),
        1 => insert(&["rm -rf doomed"]),
        _ => modify("rm -rf other"),
    });
    let mut run = Harness::with_mind(&sequence(&["rm -rf doomed; exit 2"]), &mind).await;
    for folder in ["doomed", "other"] {
        std::fs::create_dir(run.work(folder)).unwrap();
    }
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s1".into()] }).await;
    run.start(Mode::Agentic).await;
    // The ticked step ran on the plan's consent; each of what came of it is asked about by itself.
    for (command, revision) in [("rm -rf doomed; exit 1", 2), ("rm -rf doomed", 3)] {
        let question = run.question().await;
        assert_eq!((question.action.command(), question.revision), (command, revision));
        run.answer(&question, ONCE).await;
    }
    let question = run.question().await;
    assert_eq!((question.action.command(), question.revision), ("rm -rf doomed; exit 1", 3));
    run.answer(&question, ONCE).await;
    let question = run.question().await;
    assert_eq!((question.action.command(), question.revision), ("rm -rf other", 4));
    assert!(run.work("other").exists());
    let first = run.events().await.into_iter().find_map(|record| match record.event {
        Event::StepStarted { allowed_by, .. } => Some(allowed_by),
        _ => None,
    });
    assert_eq!(first, Some(AllowedBy::Plan));
}

/// A plan's consent is for its ticked steps as they stood, and ends with the run.
#[tokio::test]
async fn the_plans_consent_covers_what_was_ticked_and_expires_with_the_run() {
    let mut run = Harness::new(&sequence(&["rm -rf one", "rm -rf two", "exit 1"])).await;
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s1".into()] }).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    assert_eq!(question.action.command(), "rm -rf two", "it was not ticked");
    run.answer(&question, ONCE).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    // The run is over. What was ticked for it is asked about in the next.
    run.tell(Command::Edit { step_id: "s3".into(), command: "true".into(), run: false }).await;
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);

    let mut run = Harness::new(&sequence(&["exit 1", "rm -rf two"])).await;
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s2".into()] }).await;
    run.start(Mode::Planner).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: false }).await;
    assert_eq!(run.question().await.action.command(), "rm -rf two");
}

#[tokio::test]
async fn what_is_ticked_is_asked_about_when_it_is_judged_more_severely_then() {
    // Ticked where it only makes a folder of the workspace; by then the name leads elsewhere.
    let mut run = Harness::new(&sequence(&["target=/; true", "rm -rf \"$target\"", "touch after"])).await;
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s2".into()] }).await;
    run.start(Mode::Planner).await;
    let plan = run.settled().await;
    assert!(matches!(plan.state, PlanState::Failed { .. }), "{:?}", plan.state);
    assert!(!run.work("after").exists());
}

#[tokio::test]
async fn questions_of_two_sessions_keep_apart() {
    let mut first = Harness::new(&sequence(&["rm -rf doomed"])).await;
    std::fs::create_dir(first.work("doomed")).unwrap();
    first.start(Mode::Planner).await;
    let question = first.question().await;
    let work = first.work("").display().to_string();
    let bytes = sequence(&["rm -rf doomed"]).into_bytes();
    let source = planwright_engine::engine::ImportSource { name: "plan.json".into(), bytes, path: None };
    let other = first.engine.import(source, Some(work), None).await.unwrap().id;
    first.engine.submit(other, Command::Start { mode: Some(Mode::Planner) }).await.unwrap();
    let engine = first.engine.clone();
    let waiting = async || engine.open_session(other).await.unwrap().approvals;
    while waiting().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let theirs = waiting().await;
    let answer = |approval_id| Command::Answer { approval_id, answer: ONCE };
    let crossed = first.engine.submit(other, answer(question.id)).await;
    assert_eq!(crossed.map_err(|error| error.code), Err(ErrorCode::NoSuchApproval));
    assert_eq!(first.refusal(answer(theirs[0].id)).await, ErrorCode::NoSuchApproval);
    assert!(first.work("doomed").exists());
    assert_eq!(waiting().await, theirs);
    first.answer(&question, ONCE).await;
    assert_eq!(first.settled().await.state, PlanState::Completed);
    assert_eq!(waiting().await, theirs, "the other one still waits");
}

/// Limits on a step's time are for the command, not for the person who thinks about it.
#[tokio::test]
async fn waiting_is_never_a_yes() {
    let plan = serde_json::json!({
        "title": "t",
        "steps": [{ "id": "s1", "command": "rm -rf doomed", "limits": { "wallSeconds": 1, "silenceSeconds": 1 } }],
    });
    let mut run = Harness::new(&plan.to_string()).await;
    std::fs::create_dir(run.work("doomed")).unwrap();
    run.start(Mode::Planner).await;
    let question = run.question().await;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(run.state().await.approvals, [question]);
    assert!(run.work("doomed").exists());
    let names = run.names().await;
    assert!(!names.iter().any(|name| name == "step-started" || name == "approval-resolved"), "{names:?}");
}
