//! The three modes (SPEC E2 to E4a, E9) through the real execution path.

use std::time::{Duration, Instant};

use planwright_engine::plan::changes;
use planwright_engine::protocol::{
    Command, ErrorCode, Event, ExitStatus, Mode, OnFailure, PauseReason, PlanState, SessionStatus,
    SessionSummary, StepId, StepState, Update,
};
use planwright_tests::{Harness, ScriptedMind, insert, sequence};
use tokio::time::timeout;

fn skipped(state: &StepState) -> Option<&str> {
    match state {
        StepState::Skipped { reason } => Some(reason),
        _ => None,
    }
}

#[tokio::test]
async fn planner_runs_in_order_and_completes() {
    let mut run = Harness::new(&sequence(&["echo a >> log", "echo b >> log", "echo c >> log"])).await;
    run.start(Mode::Planner).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed);
    assert_eq!(run.text("log"), "a\nb\nc\n");
    assert!(matches!(
        run.seen.last().unwrap().event,
        Event::PlanCompleted { steps: 3, repairs: 0, skipped: 0 }
    ));
}

/// The typed call takes the plan's own id: another plan than the one that was seen does not start.
#[tokio::test]
async fn a_plan_is_started_by_its_own_id_or_not_at_all() {
    let mut run = Harness::new(&sequence(&["echo a >> log"])).await;
    let plan = run.state().await.plan.unwrap().id;
    let error = run.engine.plan_execute(planwright_engine::protocol::PlanId::new(), None).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Stale);
    run.engine.plan_execute(plan, Some(Mode::Planner)).await.unwrap();
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "a\n");
}

/// However quick the steps are, the list of sessions is read only so often, and the last word is the end.
#[tokio::test]
async fn the_list_of_sessions_keeps_its_pace_and_ends_with_the_end() {
    let mut run = Harness::new(&sequence(&["true"; 60])).await;
    let mut updates = run.engine.subscribe();
    let begun = Instant::now();
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let mut lists = Vec::new();
    let is_told = |sessions: &[SessionSummary]| sessions[0].status == SessionStatus::Completed;
    while !lists.last().is_some_and(|last: &Vec<SessionSummary>| is_told(last)) {
        let next = timeout(Duration::from_secs(10), updates.next()).await;
        if let Update::Sessions { sessions } = next.expect("the end is told").expect("the engine lives") {
            lists.push(sessions);
        }
    }
    assert_eq!(lists.last().unwrap()[0].steps_done, 60);
    let most = begun.elapsed().as_millis() / 100 + 2;
    assert!(lists.len() as u128 <= most, "{} lists in {:?}", lists.len(), begun.elapsed());
}

#[tokio::test]
async fn planner_stops_at_the_first_failure() {
    let mut run = Harness::new(&sequence(&["true", "exit 4", "touch later"])).await;
    run.start(Mode::Planner).await;
    let plan = run.settled().await;
    assert!(matches!(&plan.state, PlanState::Failed { .. }));
    assert!(matches!(&plan.steps[1].state, StepState::Failed { attempt: 0, .. }));
    assert_eq!(plan.steps[2].state, StepState::Pending);
    assert!(!run.work("later").exists());
    assert!(!run.names().await.iter().any(|name| name == "agent-thinking"));
}

#[tokio::test]
async fn continue_skips_only_what_needs_the_failed_step() {
    let plan = r#"{"title": "t", "onFailure": "continue", "steps": [
        {"id": "a", "title": "Make a", "command": "[ -e key ]"},
        {"id": "b", "title": "Use a", "command": "touch b", "dependsOn": ["a"]},
        {"id": "c", "title": "Use b", "command": "touch c", "dependsOn": ["b"]},
        {"id": "d", "title": "Alone", "command": "touch d", "dependsOn": []}]}"#;
    let mut run = Harness::new(plan).await;
    assert_eq!(run.plan().await.on_failure, OnFailure::Continue);
    run.start(Mode::Planner).await;
    let ended = run.settled().await;
    assert!(matches!(&ended.state, PlanState::Failed { reason, .. } if reason.contains("1 step failed")));
    let state = |id: &str| ended.step(&StepId::from(id)).unwrap().state.clone();
    assert_eq!(skipped(&state("b")), Some("It needs \"Make a\", which did not complete."));
    assert_eq!(skipped(&state("c")), Some("It needs \"Use a\", which did not complete."));
    assert!(matches!(state("d"), StepState::Completed { .. }));
    assert!(run.work("d").exists() && !run.work("b").exists());

    // Taken up again, what was held up runs too.
    std::fs::write(run.work("key"), "").unwrap();
    run.tell(Command::Retry { step_id: "a".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("b").exists() && run.work("c").exists());
}

#[tokio::test]
async fn teacher_runs_a_step_only_when_it_is_told_to() {
    let mut run = Harness::new(&sequence(&["touch one", "[ -e key ]", "touch three"])).await;
    run.start(Mode::Teacher).await;
    for id in ["s1", "s2"] {
        let waits = run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
        assert_eq!(waits, Event::StepAwaitingRun { step_id: id.into() });
        assert!(!run.work("one").exists() || id == "s2");
        assert_eq!(run.refusal(Command::RunStep { step_id: "s3".into() }).await, ErrorCode::NotNow);
        run.tell(Command::RunStep { step_id: id.into() }).await;
    }
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Paused { reason: PauseReason::StepFailed { step_id: "s2".into() } });
    assert_eq!(plan.steps[2].state, StepState::Pending);

    // Retry runs it at once; it fails again; then it is skipped and the next one waits.
    run.tell(Command::Retry { step_id: "s2".into() }).await;
    assert!(matches!(run.settled().await.state, PlanState::Paused { .. }));
    run.tell(Command::Skip { step_id: "s2".into(), with_dependents: false }).await;
    let waits = run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
    assert_eq!(waits, Event::StepAwaitingRun { step_id: "s3".into() });
    run.tell(Command::RunStep { step_id: "s3".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("three").exists());
}

#[tokio::test]
async fn while_teacher_waits_the_mode_may_change_and_the_run_goes_on() {
    let mut run = Harness::new(&sequence(&["touch one", "touch two"])).await;
    run.start(Mode::Teacher).await;
    run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
    run.tell(Command::SetMode { mode: Mode::Planner }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("two").exists());
}

#[tokio::test]
async fn the_mode_given_at_the_start_counts_and_fixer_is_planner() {
    let plan = r#"{"title": "t", "mode": "fixer", "steps": [{"command": "exit 1"}]}"#;
    let mut run = Harness::new(plan).await;
    assert_eq!(run.plan().await.mode, Mode::Planner);
    run.start(Mode::Agentic).await;
    assert_eq!(run.settled().await.mode, Mode::Agentic);
}

#[tokio::test]
async fn a_check_that_fails_fails_the_step() {
    let plan = r#"{"title": "t", "steps": [
        {"id": "s1", "command": "echo text > file", "verify": "grep -q wanted file"}, {"command": "touch later"}]}"#;
    let mut run = Harness::new(plan).await;
    run.start(Mode::Planner).await;
    let ended = run.settled().await;
    assert!(matches!(&ended.steps[0].state, StepState::Failed { reason, .. } if reason.contains("check")));
    let result = run.state().await.results.pop().unwrap();
    assert_eq!(result.exit_status.code(), Some(0));
    assert_eq!(result.verify.unwrap().exit_status.code(), Some(1));
    assert!(!run.work("later").exists());
}

#[tokio::test]
async fn the_exit_statuses_that_a_step_names_are_its_success() {
    let plan = r#"{"title": "t", "steps": [
        {"command": "exit 3", "okExit": [0, 3]}, {"id": "s2", "command": "true", "okExit": [1]}]}"#;
    let mut run = Harness::new(plan).await;
    run.start(Mode::Planner).await;
    let ended = run.settled().await;
    assert!(matches!(ended.steps[0].state, StepState::Completed { .. }));
    assert!(matches!(ended.steps[1].state, StepState::Failed { .. }));
}

#[tokio::test]
async fn every_attempt_leaves_its_result() {
    let command =
        "echo out; sleep 0.05; echo err >&2; sleep 0.05; echo more; mkdir -p made; echo x > made/file";
    let mut run = Harness::new(&sequence(&[command, "sleep 300 & echo left"])).await;
    let cwd = run.state().await.cwd;
    run.start(Mode::Planner).await;
    run.settled().await;
    let results = run.state().await.results;
    let first = &results[0];
    assert_eq!((first.step_id.0.as_str(), first.attempt_index), ("s1", 0));
    assert_eq!((first.command.as_str(), &first.cwd), (command, &cwd));
    assert_eq!(first.exit_status, ExitStatus::Code { code: 0 });
    assert_eq!((first.stdout.as_str(), first.stderr.as_str()), ("out\nmore\n", "err\n"));
    assert_eq!(first.output, "out\nerr\nmore\n");
    assert!(first.ended_at.millis_since(first.started_at) >= 90);
    assert_eq!(first.files_changed, [format!("{cwd}/made"), format!("{cwd}/made/file")]);
    // What runs on is no leftover but a job.
    assert_eq!((results[1].leftovers, results[0].leftovers), (0, 0));
    let jobs: Vec<_> = run.state().await.jobs.into_iter().map(|job| (job.command, job.step_id.0)).collect();
    assert_eq!(jobs, [("sleep 300".to_owned(), "s2".to_owned())]);
    let whole = run.engine.read_output(run.session, &StepId::from("s1"), 0).await.unwrap();
    assert_eq!(whole, "out\nerr\nmore\n");
}

/// A page that leans on all that a shell keeps, and what one bash prints for it.
const SHELL_PAGE: &str = "# Shell

```sh
mkdir -p project/src && cd project
```

```sh
export GREETING='hello there'
plain=kept
unset LANGUAGE
greet() { echo \"$GREETING, $1\"; }
```

```sh
python3 -m venv --without-pip env
```

```sh
source env/bin/activate
```

```sh
cd src
```

```sh
cat ../seed > ../seen && { pwd; greet you; echo \"$plain ${LANGUAGE-gone}\"; command -v python; echo \"$VIRTUAL_ENV\"; } >> ../seen
```
";

#[tokio::test]
async fn a_page_runs_as_in_one_bash_also_when_a_step_is_mended_and_retried() {
    // The step that shows everything needs a file that only a repair makes; the repair wanders off meanwhile.
    let mind = ScriptedMind::new(|_, _| insert(&["( cd .. && echo seeded > seed )"]));
    let mut run = Harness::with_mind(SHELL_PAGE, &mind).await;
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed, "{:#?}", run.state().await.results);

    let bash = tempfile::tempdir().unwrap();
    let state = run.state().await;
    let first = changes::steps_at(state.plan.as_ref().unwrap(), &state.revisions, 1).unwrap();
    let commands: Vec<_> = first.iter().map(|step| step.action.command().to_owned()).collect();
    let script = commands.join("\n").replace("cat ../seed", "echo seeded > ../seed; cat ../seed");
    let status = std::process::Command::new("bash")
        .args(["--noprofile", "--norc", "-c", &script])
        .current_dir(bash.path())
        .status()
        .unwrap();
    assert!(status.success());
    let seen = |root: &std::path::Path| {
        let text = std::fs::read_to_string(root.join("project/seen")).unwrap();
        text.replace(&root.canonicalize().unwrap().display().to_string(), "ROOT")
    };
    let ours = seen(&run.work(""));
    assert_eq!(ours, seen(bash.path()));
    assert!(
        ours.starts_with(
            "seeded\nROOT/project/src\nhello there, you\nkept gone\nROOT/project/env/bin/python\n"
        ),
        "{ours}"
    );
}

#[tokio::test]
async fn a_failed_attempt_leaves_nothing_in_the_shell() {
    let mut run =
        Harness::new(&sequence(&["mkdir -p in && cd in && export A=1 && [ -e ../key ]", "pwd > seen"])).await;
    run.start(Mode::Teacher).await;
    run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
    run.tell(Command::RunStep { step_id: "s1".into() }).await;
    run.settled().await;
    let state = run.state().await;
    assert_eq!((&state.shell.cwd, state.shell.environment.len()), (&state.cwd, 0));
    std::fs::write(run.work("key"), "").unwrap();
    run.tell(Command::Retry { step_id: "s1".into() }).await;
    run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
    run.tell(Command::RunStep { step_id: "s2".into() }).await;
    run.settled().await;
    assert_eq!(run.text("in/seen").trim(), format!("{}/in", state.cwd));
}

#[tokio::test]
async fn a_step_run_again_later_starts_where_it_did() {
    let plan = r#"{"title": "t", "onFailure": "continue", "steps": [
        {"id": "a", "command": "pwd >> /dev/stderr; [ -e key ] || exit 1; touch here", "dependsOn": []},
        {"id": "b", "command": "mkdir deep && cd deep", "dependsOn": []}]}"#;
    let mut run = Harness::new(plan).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    std::fs::write(run.work("key"), "").unwrap();
    run.tell(Command::Retry { step_id: "a".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("here").exists());
}

#[tokio::test]
async fn with_nobody_there_teacher_runs_nothing() {
    let mut run = Harness::unattended(&sequence(&["touch ran"]), "approve = \"dangerous\"", None).await;
    run.start(Mode::Teacher).await;
    assert!(matches!(run.settled().await.state, PlanState::Paused { reason: PauseReason::Declined { .. } }));
    assert!(!run.work("ran").exists());
}

/// What a step's own programs write to `$PLANWRIGHT_OUTPUT` are variables of the steps behind it (P7).
#[tokio::test]
async fn a_step_hands_values_on() {
    let mut run = Harness::new(&sequence(&[
        "printf 'port=80%s\\nname=it is\\n' 81 >> \"$PLANWRIGHT_OUTPUT\"",
        "sh -c 'echo port=9090 >> \"$PLANWRIGHT_OUTPUT\"; echo HOME=/evil >> \"$PLANWRIGHT_OUTPUT\"'",
        "echo \"$name $port ${HOME##*/evil}\" > got; echo \"$PLANWRIGHT_OUTPUT\" > file",
        "test ! -s \"$PLANWRIGHT_OUTPUT\" && ! test -e \"$(cat file)\" && echo \"$port\" >> got",
    ]))
    .await;
    run.start(Mode::Planner).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed, "{:?}", run.state().await.results);
    let home = std::env::var("HOME").unwrap_or_default();
    assert_eq!(run.text("got"), format!("it is 9090 {home}\n9090\n"));
    // Known to be a passing file of the run's own, so nobody is asked.
    let risks = plan.steps.iter().map(|step| step.assessment.as_ref().unwrap().risk);
    assert!(
        risks.clone().all(|risk| risk < planwright_engine::protocol::Risk::Dangerous),
        "{:?}",
        risks.collect::<Vec<_>>()
    );
    // A failed step hands nothing on.
    let mut run =
        Harness::new(&sequence(&["echo x=1 >> \"$PLANWRIGHT_OUTPUT\"; false", "echo \"[$x]\" > got"])).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    assert!(run.state().await.shell.variables.is_empty());
}
