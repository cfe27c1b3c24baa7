//! The machine is kept awake while something works that does not wait for the user, and no longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use planwright_engine::awake::{Lock, NotHeld, Wakefulness};
use planwright_engine::engine::ImportSource;
use planwright_engine::protocol::{ApprovalAnswer, Command, Mode, PlanState, Settings};
use planwright_tests::{Harness, sequence};

#[derive(Debug, Default)]
struct Machine {
    held: Arc<AtomicUsize>,
    asked: AtomicUsize,
}

#[derive(Debug)]
struct Held(Arc<AtomicUsize>);

impl Lock for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait::async_trait]
impl Wakefulness for Machine {
    async fn keep_awake(&self) -> Result<Box<dyn Lock>, NotHeld> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.held.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Held(Arc::clone(&self.held))))
    }
}

impl Machine {
    async fn until_held(&self, locks: usize) {
        let start = Instant::now();
        while self.held.load(Ordering::SeqCst) != locks {
            assert!(start.elapsed() < Duration::from_secs(20), "never: {locks} locks");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Waits until there is a file `go`.
const WAITS: &str = "while [ ! -e go ]; do sleep 0.02; done";

async fn watched(plan: &[&str]) -> (Harness, Arc<Machine>) {
    let run = Harness::new(&sequence(plan)).await;
    let machine = Arc::new(Machine::default());
    run.engine.keep_awake(Arc::clone(&machine) as Arc<dyn Wakefulness>);
    (run, machine)
}

fn go(run: &Harness) {
    std::fs::write(run.work("go"), "").unwrap();
}

#[tokio::test]
async fn a_run_holds_it_to_its_end_and_gives_it_up_when_paused() {
    let (mut run, machine) = watched(&[WAITS, "mv go gone", WAITS]).await;
    machine.until_held(0).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    machine.until_held(1).await;
    run.tell(Command::Pause).await;
    go(&run);
    assert!(matches!(run.settled().await.state, PlanState::Paused { .. }));
    machine.until_held(0).await;
    run.tell(Command::Resume { mode: None }).await;
    run.wait_started("s3").await;
    machine.until_held(1).await;
    go(&run);
    assert_eq!(run.settled().await.state, PlanState::Completed);
    machine.until_held(0).await;
}

#[tokio::test]
async fn it_is_given_up_while_a_question_waits_and_when_the_run_is_cancelled() {
    let (mut run, machine) = watched(&["mkdir doomed", "rm -rf doomed", WAITS]).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    machine.until_held(0).await;
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    run.wait_started("s3").await;
    machine.until_held(1).await;
    run.tell(Command::Cancel).await;
    assert_eq!(run.settled().await.state, PlanState::Cancelled);
    machine.until_held(0).await;
}

#[tokio::test]
async fn many_sessions_hold_one_and_the_last_gives_it_up() {
    let (mut run, machine) = watched(&[WAITS]).await;
    let waits_too = "while [ ! -e on ]; do sleep 0.02; done";
    let bytes = format!("```sh\n{waits_too}\n```\n").into_bytes();
    let cwd = run.work("").display().to_string();
    let source = ImportSource { name: "other.md".into(), bytes, path: None };
    let other = run.engine.import(source, Some(cwd), None).await.unwrap().id;
    run.start(Mode::Planner).await;
    run.engine.submit(other, Command::Start { mode: None }).await.unwrap();
    run.wait_started("s1").await;
    machine.until_held(1).await;
    while run.engine.attention().borrow().sessions.values().filter(|standing| standing.works).count() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    go(&run);
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(machine.held.load(Ordering::SeqCst), 1, "the other one works on");
    std::fs::write(run.work("on"), "").unwrap();
    machine.until_held(0).await;
    assert_eq!(machine.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_setting_is_followed_at_once_and_the_end_of_the_engine_is_its_end() {
    let (mut run, machine) = watched(&[WAITS]).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    machine.until_held(1).await;
    let off = Settings { keep_awake: false, ..run.engine.settings() };
    run.engine.set_settings(off.clone()).await.unwrap();
    machine.until_held(0).await;
    run.engine.set_settings(Settings { keep_awake: true, ..off }).await.unwrap();
    machine.until_held(1).await;
    go(&run);
    assert_eq!(run.settled().await.state, PlanState::Completed);
    drop(run);
    machine.until_held(0).await;
}

/// One that never answers.
#[derive(Debug)]
struct Silent;

#[async_trait::async_trait]
impl Wakefulness for Silent {
    async fn keep_awake(&self) -> Result<Box<dyn Lock>, NotHeld> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn nothing_waits_for_a_machine_that_does_not_answer() {
    let mut run = Harness::new(&sequence(&["touch one"])).await;
    run.engine.keep_awake(Arc::new(Silent));
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
}
