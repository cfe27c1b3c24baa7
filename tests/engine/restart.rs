//! What a program that ended left behind, and what is done about it (SPEC S1).

use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use planwright_engine::engine::{Attendance, Engine, EngineConfig};
use planwright_engine::journal::{Durability, Journal};
use planwright_engine::model::{MemoryKeys, Models};
use planwright_engine::protocol::{
    AllowedBy, ApprovalAnswer, Command, ErrorCode, Event, Mode, PauseReason, PlanState, SessionStatus,
    StepState,
};
use planwright_tests::{Closed, Harness, sequence};

/// Set in the process that is to be killed: the data folder, and what it does there.
const VICTIM: &str = "PLANWRIGHT_TEST_VICTIM";

/// Not a test of its own: run again by the tests below in a process of its own, which they kill.
#[tokio::test]
async fn victim() {
    let Some(home) = std::env::var_os(VICTIM) else { return };
    let config = EngineConfig {
        home: home.into(),
        worker: planwright_tests::worker(),
        attendance: Attendance::User,
        models: Models::default(),
        keys: Arc::new(MemoryKeys::default()),
    };
    let engine = Engine::spawn(config).await.unwrap();
    let sessions = engine.sessions("").await.unwrap();
    engine.submit(sessions[0].id, Command::Start { mode: Some(Mode::Planner) }).await.unwrap();
    let mut updates = engine.subscribe();
    while let Some(update) = updates.next().await {
        if let planwright_engine::protocol::Update::Event { record } = update
            && let Event::ApprovalNeeded { approval } = record.event
        {
            let answer = ApprovalAnswer::AllowOnce { edited_command: None };
            engine
                .submit(sessions[0].id, Command::Answer { approval_id: approval.id, answer })
                .await
                .unwrap();
        }
    }
}

/// Runs the harness's session in another process until `ready`, and kills that process without warning.
pub(super) async fn killed(run: Harness, ready: impl Fn(&Closed) -> bool) -> Harness {
    let run = run.closed().await;
    let mut victim: Child = Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "restart::victim", "--nocapture"])
        .env(VICTIM, run.home())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !ready(&run) {
        assert!(start.elapsed() < Duration::from_secs(20), "the victim never got there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    run.reopened(Attendance::User, None).await
}

#[tokio::test]
async fn a_step_that_ran_when_the_program_was_killed_is_interrupted_and_not_run_again() {
    let plan =
        sequence(&["echo one >> log", "echo two >> log; [ -e key ] || sleep 300", "echo three >> log"]);
    let mut run = killed(Harness::new(&plan).await, |run| run.lines("log") == 2).await;
    let state = run.state().await;
    let found = state.plan.unwrap();
    assert_eq!(found.state, PlanState::Paused { reason: PauseReason::Interrupted });
    assert_eq!(found.steps[1].state, StepState::Interrupted { attempt: 0 });
    assert!(matches!(found.steps[0].state, StepState::Completed { .. }));
    let sessions = run.engine.sessions("").await.unwrap();
    assert_eq!(sessions[0].status, SessionStatus::WaitingForYou);
    let names = run.names().await;
    assert_eq!(names[names.len() - 2..], ["step-interrupted", "plan-paused"]);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(run.text("log"), "one\ntwo\n");

    assert_eq!(run.refusal(Command::Resume { mode: None }).await, ErrorCode::NotNow);
    std::fs::write(run.work("key"), "").unwrap();
    run.tell(Command::Retry { step_id: "s2".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "one\ntwo\ntwo\nthree\n");
}

#[tokio::test]
async fn an_interrupted_step_can_be_skipped() {
    let plan = sequence(&["echo one >> log; sleep 300", "echo two >> log"]);
    let mut run = killed(Harness::new(&plan).await, |run| run.lines("log") == 1).await;
    run.tell(Command::Skip { step_id: "s1".into(), with_dependents: false }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "one\ntwo\n");
}

#[tokio::test]
async fn a_permission_given_before_a_kill_is_not_there_after_it() {
    // The permission was for the run that the kill ended; running it again is asked about anew.
    let plan = sequence(&["mkdir -p doomed && echo in >> log", "rm -rf doomed; echo gone >> log; sleep 300"]);
    let mut run = killed(Harness::new(&plan).await, |run| run.lines("log") == 2).await;
    assert_eq!(run.step("s2").await, StepState::Interrupted { attempt: 0 });
    std::fs::create_dir(run.work("doomed")).unwrap();
    run.tell(Command::Retry { step_id: "s2".into() }).await;
    let question = run.question().await;
    assert_eq!(question.step_id.0, "s2");
    assert!(run.work("doomed").exists());
    assert_eq!(run.lines("log"), 2);
}

#[tokio::test]
async fn a_permission_given_and_not_used_is_not_there_after_a_restart() {
    let mut run = Harness::new(&sequence(&["rm -rf doomed"])).await;
    std::fs::create_dir(run.work("doomed")).unwrap();
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let (session, closed) = (run.session, run.closed().await);
    // As if the program had been killed between the answer and the start of the step.
    let (journal, _) = Journal::open(&closed.home()).unwrap();
    let answered = Event::ApprovalResolved {
        approval_id: question.id,
        step_id: question.step_id.clone(),
        answer: ApprovalAnswer::AllowOnce { edited_command: None },
        allowed_by: Some(AllowedBy::User),
    };
    journal.append(session, vec![answered], Durability::Synced).await.unwrap();
    drop(journal);
    let mut run = closed.reopened(Attendance::User, None).await;
    assert_eq!(run.plan().await.state, PlanState::Paused { reason: PauseReason::Interrupted });
    run.tell(Command::Resume { mode: None }).await;
    assert_ne!(run.question().await.id, question.id);
    assert!(run.work("doomed").exists());
}

#[tokio::test]
async fn what_was_ticked_is_not_remembered_after_a_restart() {
    let run = Harness::new(&sequence(&["rm -rf doomed"])).await;
    std::fs::create_dir(run.work("doomed")).unwrap();
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s1".into()] }).await;
    let mut run = run.restart(Attendance::User, None).await;
    run.start(Mode::Planner).await;
    run.question().await;
    assert!(run.work("doomed").exists());
}

#[tokio::test]
async fn quitting_in_the_middle_interrupts_and_leaves_no_process() {
    let mut run =
        Harness::new(&sequence(&["echo $$ > pid; echo run >> log; sleep 300", "touch after"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    while run.lines("log") == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut run = run.restart(Attendance::User, None).await;
    assert!(!std::path::Path::new(&format!("/proc/{}", run.text("pid").trim())).exists());
    assert_eq!(run.step("s1").await, StepState::Interrupted { attempt: 0 });
    run.tell(Command::Edit { step_id: "s1".into(), command: "echo mine >> log".into(), run: true }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "run\nmine\n");
}

#[tokio::test]
async fn a_step_that_waits_for_run_still_waits_after_a_restart() {
    let mut run = Harness::new(&sequence(&["touch one"])).await;
    run.start(Mode::Teacher).await;
    run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
    let mut run = run.restart(Attendance::User, None).await;
    assert_eq!(run.step("s1").await, StepState::AwaitingRun);
    run.tell(Command::RunStep { step_id: "s1".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
}

#[tokio::test]
async fn the_shell_state_survives_a_restart() {
    let mut run =
        Harness::new(&sequence(&["mkdir in && cd in && export WORD=kept", "sleep 0.3", "echo $WORD > here"]))
            .await;
    run.start(Mode::Planner).await;
    run.wait_started("s2").await;
    run.tell(Command::Pause).await;
    run.settled().await;
    let mut run = run.restart(Attendance::User, None).await;
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("in/here"), "kept\n");
}

#[tokio::test]
async fn a_folder_that_is_gone_is_said_before_anything_runs() {
    let run = Harness::new(&sequence(&["touch ran"])).await;
    std::fs::remove_dir(run.work("")).unwrap();
    let refused = run.submit(Command::Start { mode: None }).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::FolderMissing);
    assert!(refused.message.contains("Make it again"), "{}", refused.message);
    std::fs::create_dir(run.work("")).unwrap();
    run.tell(Command::Start { mode: None }).await;
}

async fn spawn_at(home: &std::path::Path) -> Result<Engine, planwright_engine::protocol::EngineError> {
    Engine::spawn(EngineConfig {
        home: home.to_owned(),
        worker: planwright_tests::worker(),
        attendance: Attendance::User,
        models: Models::default(),
        keys: Arc::new(MemoryKeys::default()),
    })
    .await
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_used_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    // Also root cannot make a folder below a file, nor write below /proc.
    for home in [file.join("home"), "/proc/planwright".into()] {
        let refused = spawn_at(&home).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::DataFolderReadOnly, "{}", refused.message);
        assert!(refused.message.contains(&home.display().to_string()), "{}", refused.message);
    }
}

#[tokio::test]
async fn a_second_program_on_the_same_folder_is_refused() {
    let run = Harness::new(&sequence(&["true"])).await;
    let refused = spawn_at(&run.home()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotNow);
}

#[tokio::test]
async fn a_damaged_journal_is_set_aside_said_and_the_engine_is_usable() {
    let run = Harness::new(&sequence(&["true"])).await.closed().await;
    let journal = run.home().join("journal.sqlite3");
    let mut bytes = std::fs::read(&journal).unwrap();
    let middle = bytes.len() / 2;
    bytes[..100].fill(0x5a);
    bytes[middle..].fill(0x5a);
    std::fs::write(&journal, bytes).unwrap();
    let engine = spawn_at(&run.home()).await.unwrap();
    let notice = engine.app_info().notice.unwrap();
    assert!(notice.contains("damaged"), "{notice}");
    assert!(std::fs::read_dir(run.home().join("damaged")).unwrap().next().is_some(), "nothing is dropped");
    let made = engine.create_session(None, Some(run.work("").display().to_string())).await.unwrap();
    assert_eq!(made.title, "New session");
}
