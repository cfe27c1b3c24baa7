//! Services (SPEC E10) through the real execution path: started through the gate, waited for, listed, stopped.

use std::time::{Duration, Instant};

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    ApprovalAnswer, Command, ErrorCode, Event, ExitStatus, Mode, PlanState, Service, ServiceEnd,
    ServiceState, StepId, StepState,
};
use planwright_tests::{Harness, ScriptedMind, modify};
use serde_json::{Value, json};

/// A plan whose first step is a service.
fn plan(command: &str, service: Value, then: &[&str]) -> String {
    let mut steps = vec![json!({ "id": "s1", "title": "Serve", "command": command, "service": service })];
    steps.extend(
        (2..).zip(then).map(|(number, command)| json!({ "id": format!("s{number}"), "command": command })),
    );
    json!({ "title": "with a service", "steps": steps }).to_string()
}

const LISTENS: &str = "echo $$ > pid; echo starting; sleep 0.2; echo listening on 80; sleep 300; echo";

fn listening() -> Value {
    json!({ "line": "listening on", "seconds": 20 })
}

/// Whether the process whose number the service wrote down is there.
fn is_alive(run: &Harness) -> bool {
    let pid = run.text("pid");
    assert!(!pid.trim().is_empty(), "it never ran");
    std::path::Path::new("/proc").join(pid.trim()).exists()
}

async fn service(run: &Harness) -> Service {
    let services = run.state().await.services;
    assert_eq!(services.len(), 1, "{services:?}");
    services.into_iter().next().unwrap()
}

async fn ended(run: &mut Harness) -> ServiceEnd {
    match run.wait_for("the service's end", |event| matches!(event, Event::ServiceEnded { .. })).await {
        Event::ServiceEnded { end, .. } => end,
        other => panic!("{other:?}"),
    }
}

fn end_of(service: &Service) -> &ServiceEnd {
    match &service.state {
        ServiceState::Ended { end, .. } => end,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_service_runs_on_while_later_steps_run_until_it_is_stopped() {
    let mut run = Harness::new(&plan(LISTENS, listening(), &["kill -0 $(cat pid) && echo yes > seen"])).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("seen"), "yes\n");
    let state = run.state().await;
    let result = &state.results[0];
    assert_eq!(result.exit_status, ExitStatus::Detached);
    assert_eq!(result.output, "starting\nlistening on 80\n");
    let service = service(&run).await;
    assert!(matches!(service.state, ServiceState::Ready { .. }) && is_alive(&run), "{service:?}");
    assert_eq!((service.title.as_str(), service.step_id.0.as_str(), service.attempt), ("Serve", "s1", 0));
    assert_eq!(run.engine.sessions("").await.unwrap()[0].services, 1);
    assert_eq!(run.engine.delete_session(run.session).await.unwrap_err().code, ErrorCode::NotNow);

    run.tell(Command::StopService { service_id: service.id }).await;
    assert_eq!(ended(&mut run).await, ServiceEnd::Stopped);
    assert!(!is_alive(&run));
    assert_eq!(run.refusal(Command::StopService { service_id: service.id }).await, ErrorCode::NotNow);
    assert_eq!(run.engine.sessions("").await.unwrap()[0].services, 0);
    let output = run.engine.read_output(run.session, &StepId::from("s1"), 0).await.unwrap();
    // bash may say after it that it was ended.
    assert!(output.starts_with("starting\nlistening on 80\n"), "{output}");
    assert_eq!(run.plan().await.state, PlanState::Completed, "what is done stays done");
}

#[tokio::test]
async fn a_port_that_answers_is_ready_and_one_that_is_taken_is_not_used() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let command = format!("python3 -m http.server --bind 127.0.0.1 {port}");
    let steps = plan(&command, json!({ "port": port, "seconds": 20 }), &[]);
    let mut run = Harness::unattended(&steps, "approve = \"dangerous\"", None).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());

    let mut other = Harness::unattended(&steps, "approve = \"dangerous\"", None).await;
    other.start(Mode::Planner).await;
    other.settled().await;
    assert!(
        matches!(other.step("s1").await, StepState::Failed { reason, .. } if reason.contains("answers on port")),
        "{:?}",
        other.step("s1").await
    );
    assert!(other.state().await.services.is_empty(), "it was not even started");
    let id = service(&run).await.id;
    run.tell(Command::StopService { service_id: id }).await;
    assert_eq!(ended(&mut run).await, ServiceEnd::Stopped);
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[tokio::test]
async fn one_that_ends_before_it_is_ready_has_failed() {
    let mut run = Harness::new(&plan("echo cannot bind >&2; exit 3", listening(), &["touch ran"])).await;
    run.start(Mode::Planner).await;
    let plan = run.settled().await;
    assert!(matches!(plan.state, PlanState::Failed { .. }));
    let state = run.state().await;
    assert_eq!(state.results[0].exit_status, ExitStatus::Code { code: 3 });
    assert_eq!(state.results[0].stderr, "cannot bind\n");
    let itself = ServiceEnd::Itself { exit_status: ExitStatus::Code { code: 3 } };
    assert_eq!(end_of(&state.services[0]), &itself);
    assert!(!run.work("ran").exists());
}

#[tokio::test]
async fn one_that_is_not_ready_in_time_has_failed_with_evidence_and_is_gone() {
    let command = "echo $$ > pid; echo still warming up; setsid sleep 300 & exec sleep 300";
    let service = json!({ "file": "run/app.sock", "seconds": 1 });
    let mut run = Harness::new(&plan(command, service, &[])).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    assert!(!is_alive(&run));
    let state = run.state().await;
    assert_eq!(end_of(&state.services[0]), &ServiceEnd::NotReady);
    let result = &state.results[0];
    let verify = result.verify.as_ref().unwrap();
    assert_eq!(result.exit_status, ExitStatus::TimedOut { seconds: 1 });
    assert_eq!(
        (verify.command.as_str(), result.output.as_str()),
        ("run/app.sock is there", "still warming up\n")
    );
    assert!(
        verify.output.contains("app.sock") && verify.output.contains("No such file"),
        "{}",
        verify.output
    );
    assert!(
        matches!(run.step("s1").await, StepState::Failed { reason, .. } if reason.contains("not ready within 1 s"))
    );
}

#[tokio::test]
async fn its_end_while_others_run_is_said() {
    let command = "echo listening on 80; sleep 0.5; exit 4";
    let mut run = Harness::new(&plan(command, listening(), &["sleep 1.5; echo done > done"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s2").await;
    let itself = ServiceEnd::Itself { exit_status: ExitStatus::Code { code: 4 } };
    assert_eq!(ended(&mut run).await, itself);
    assert!(!run.work("done").exists(), "it was said while the other ran");
    assert_eq!(run.settled().await.state, PlanState::Completed);
}

#[tokio::test]
async fn a_failing_check_stops_it() {
    let steps =
        json!({ "steps": [{ "id": "s1", "command": LISTENS, "service": listening(), "verify": "false" }] });
    let mut run = Harness::new(&steps.to_string()).await;
    run.start(Mode::Planner).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    assert!(!is_alive(&run));
    assert_eq!(end_of(&service(&run).await), &ServiceEnd::NotReady);
}

#[tokio::test]
async fn a_cancel_ends_services_before_it_says_that_all_is_gone() {
    let mut run = Harness::new(&plan(LISTENS, listening(), &["sleep 300; echo"])).await;
    run.start(Mode::Planner).await;
    run.wait_started("s2").await;
    run.tell(Command::Cancel).await;
    assert_eq!(run.settled().await.state, PlanState::Cancelled);
    assert!(!is_alive(&run));
    assert_eq!(end_of(&service(&run).await), &ServiceEnd::Stopped);
    let names = run.names().await;
    let place = |name: &str| names.iter().position(|one| one == name).unwrap();
    assert!(place("service-ended") < place("plan-cancelled"), "{names:?}");
}

#[tokio::test]
async fn a_cancel_while_it_starts_ends_it() {
    let command = "echo $$ > pid; sleep 300; echo";
    let mut run = Harness::new(&plan(command, listening(), &[])).await;
    run.start(Mode::Planner).await;
    run.wait_for("its start", |event| matches!(event, Event::ServiceStarted { .. })).await;
    let begun = Instant::now();
    while run.text("pid").is_empty() && begun.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    run.tell(Command::Cancel).await;
    assert_eq!(run.settled().await.state, PlanState::Cancelled);
    assert!(!is_alive(&run));
    assert_eq!(end_of(&service(&run).await), &ServiceEnd::Stopped);
}

#[tokio::test]
async fn readiness_that_fails_goes_to_recovery() {
    let mind = ScriptedMind::new(|_, question| {
        assert!(question.messages.iter().any(|message| message.contains("lissening")), "{question:?}");
        modify(LISTENS)
    });
    let command = "echo lissening on 80; exit 1";
    let mut run = Harness::with_mind(&plan(command, listening(), &["kill -0 $(cat pid)"]), &mind).await;
    run.start(Mode::Agentic).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let states: Vec<bool> = run.state().await.services.iter().map(Service::is_running).collect();
    assert_eq!(states, [false, true]);
    assert!(run.names().await.contains(&"correction-success".to_owned()));
}

#[tokio::test]
async fn a_dangerous_one_asks_before_it_starts() {
    let command = format!("rm -rf ~/.config; {LISTENS}");
    let mut run = Harness::new(&plan(&command, listening(), &[])).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    assert!(run.state().await.services.is_empty() && !run.work("pid").exists());
    run.answer(&question, ApprovalAnswer::NotNow).await;
    run.settled().await;
    assert!(run.state().await.services.is_empty() && !run.work("pid").exists());
}

#[tokio::test]
async fn it_ends_with_its_session_and_the_next_start_says_so() {
    let mut run = Harness::new(&plan(LISTENS, listening(), &[])).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    assert!(is_alive(&run));
    let run = run.restart(Attendance::User, None).await;
    assert!(!is_alive(&run));
    assert_eq!(end_of(&service(&run).await), &ServiceEnd::SessionEnded);
}

/// A run that was killed while its service ran; the service is lost.
async fn lost(then: &[&str]) -> Harness {
    let run = Harness::new(&plan(LISTENS, listening(), then)).await;
    let run = crate::restart::killed(run, |run| run.lines("pid") == 1 && run.lines("later") == 1).await;
    assert!(!is_alive(&run));
    assert_eq!(end_of(&service(&run).await), &ServiceEnd::Lost);
    run
}

#[tokio::test]
async fn one_that_was_lost_is_started_again_and_nothing_else_is() {
    let mut run = lost(&["echo once >> later; sleep 300", "echo never >> never"]).await;
    // Whatever ran when the program was killed is the user's to decide about.
    let id = service(&run).await.id;
    let before = run.state().await.results.len();
    run.tell(Command::StartService { service_id: id }).await;
    assert!(matches!(run.settled().await.state, PlanState::Paused { .. }));
    let state = run.state().await;
    let states: Vec<bool> = state.services.iter().map(Service::is_running).collect();
    assert_eq!(states, [false, true]);
    assert!(is_alive(&run) && matches!(state.services[1].state, ServiceState::Ready { .. }));
    assert_eq!((state.services[1].attempt, state.results.len()), (1, before + 1));
    assert_eq!(state.results.last().unwrap().output, "starting\nlistening on 80\n");
    assert_eq!(run.step("s1").await, StepState::Completed { attempt: 1 });
    assert_eq!(run.step("s2").await, StepState::Interrupted { attempt: 0 });
    assert_eq!((run.step("s3").await, run.lines("later")), (StepState::Pending, 1));
    assert!(run.names().await.contains(&"service-wanted".to_owned()));
    // One is enough.
    assert_eq!(run.refusal(Command::StartService { service_id: id }).await, ErrorCode::NotNow);
}

#[tokio::test]
async fn started_again_it_completes_the_plan_again_and_may_fail_like_the_first_time() {
    let mut run = Harness::new(&plan(LISTENS, listening(), &["echo once >> later"])).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let first = service(&run).await.id;
    run.tell(Command::StopService { service_id: first }).await;
    ended(&mut run).await;
    run.tell(Command::StartService { service_id: first }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(is_alive(&run));
    assert_eq!(run.lines("later"), 1, "the others are done");
    let second = run.state().await.services[1].id;
    run.tell(Command::StopService { service_id: second }).await;
    ended(&mut run).await;
    // Its folder is gone, so it cannot be what it was.
    std::fs::remove_dir_all(run.work("")).unwrap();
    assert_eq!(run.refusal(Command::StartService { service_id: second }).await, ErrorCode::FolderMissing);
}

#[tokio::test]
async fn a_dangerous_one_asks_again_before_it_starts_again() {
    let command = format!("rm -rf doomed; {LISTENS}");
    let mut run = Harness::new(&plan(&command, listening(), &[])).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let id = service(&run).await.id;
    run.tell(Command::StopService { service_id: id }).await;
    ended(&mut run).await;
    run.tell(Command::StartService { service_id: id }).await;
    let question = run.question().await;
    assert_eq!((question.step_id.0.as_str(), run.state().await.services.len()), ("s1", 1));
    run.answer(&question, ApprovalAnswer::NotNow).await;
    assert!(matches!(run.settled().await.state, PlanState::Paused { .. }));
    assert_eq!(run.state().await.services.len(), 1);
    // Declined, it can be wanted once more.
    run.tell(Command::StartService { service_id: id }).await;
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(is_alive(&run));
}

#[tokio::test]
async fn the_line_is_heard_in_a_flood_that_the_live_view_drops() {
    let command =
        "yes before | head -c 3000000; echo listening on 80; yes after | head -c 3000000; sleep 300";
    let service_of = json!({ "line": "listening on", "seconds": 300 });
    let mut run = Harness::new(&plan(command, service_of, &[])).await;
    // Nobody takes any of it.
    let _sleeper = run.engine.subscribe();
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(matches!(service(&run).await.state, ServiceState::Ready { .. }));
}

#[tokio::test]
async fn a_page_and_a_plan_say_it_alike() {
    use planwright_engine::engine::PlanFormat;
    let run = Harness::new(&plan(LISTENS, listening(), &[])).await;
    let page = run.engine.export_plan(run.session, PlanFormat::Md).await.unwrap();
    let again = Harness::new(&page).await;
    assert_eq!(again.plan().await.steps[0].service, run.plan().await.steps[0].service);
    assert!(again.plan().await.steps[0].service.is_some());
    let script = run.engine.export_plan(run.session, PlanFormat::Sh).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let output = std::process::Command::new("bash")
        .arg("-c")
        .arg(&script)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{script}\n{output:?}");
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
    let gone = |pid: &str| !std::path::Path::new("/proc").join(pid.trim()).exists();
    let begun = Instant::now();
    while !gone(&pid) && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(gone(&pid), "the script's service ends with it");
}
