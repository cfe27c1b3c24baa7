//! Real programs that ask for a password: it reaches them, and stands nowhere afterwards.

mod git_server;
mod keyboard;
mod user;

use std::process::Command as Program;

use planwright_engine::protocol::{
    ApprovalAnswer, ErrorCode, Event, Mode, PlanState, SecretKind, SecretOutcome, SecretRequest, StepState,
};
use planwright_tests::search::{holding, holds};
use planwright_tests::{Harness, ScriptedMind, sequence};
use secrecy::SecretString;

use git_server::{GitServer, TlsGitServer};
use user::User;

const PASSWORD: &str = "c0rrect/horse+battery&staple-ü";
const WRONG: &str = "wr0ng&Answer+entirely/bad";

/// Runs the plan, gives these answers in turn (`None` declines) and allows whatever else is asked. The requests as they came.
async fn answering(run: &mut Harness, mode: Mode, answers: &[Option<&str>]) -> Vec<SecretRequest> {
    lead(run, mode, answers, false).await
}

async fn lead(
    run: &mut Harness,
    mode: Mode,
    answers: &[Option<&str>],
    unattended: bool,
) -> Vec<SecretRequest> {
    run.start(mode).await;
    let mut answers = answers.iter();
    let mut requests = Vec::new();
    loop {
        let event = run
            .wait_for("a question or the end", |event| {
                matches!(
                    event,
                    Event::SecretNeeded { .. }
                        | Event::ApprovalNeeded { .. }
                        | Event::PlanCompleted { .. }
                        | Event::PlanFailed { .. }
                        | Event::PlanPaused { .. }
                        | Event::AgentStuck { .. }
                )
            })
            .await;
        match event {
            Event::SecretNeeded { request } => {
                if let Some(answer) = answers.next() {
                    let answer = answer.map(SecretString::from);
                    run.engine.answer_secret(run.session, request.id, answer).unwrap();
                }
                requests.push(request);
            }
            // A policy has answered already.
            Event::ApprovalNeeded { .. } if unattended => {}
            Event::ApprovalNeeded { approval } => {
                run.answer(&approval, ApprovalAnswer::AllowOnce { edited_command: None }).await;
            }
            _ => return requests,
        }
    }
}

/// Nothing that was written or can be had from the engine holds the secret.
async fn stands_nowhere(run: &Harness, secret: &str) {
    let folders = run.home().parent().unwrap().to_owned();
    assert_eq!(holding(&folders, secret), Vec::<std::path::PathBuf>::new());
    let state = serde_json::to_vec(&run.state().await).unwrap();
    let events = serde_json::to_vec(&run.events().await).unwrap();
    let seen = serde_json::to_vec(&run.seen).unwrap();
    let report = run.engine.report(run.session).await.unwrap();
    let export = run.engine.export_session(run.session).await.unwrap();
    for text in [&state, &events, &seen, report.as_bytes(), export.as_bytes()] {
        assert!(!holds(text, secret));
    }
}

async fn outcomes(run: &Harness) -> Vec<SecretOutcome> {
    let outcome = |event| match event {
        Event::SecretResolved { outcome, .. } => Some(outcome),
        _ => None,
    };
    run.events().await.into_iter().filter_map(|record| outcome(record.event)).collect()
}

async fn output(run: &Harness) -> String {
    run.state().await.results.iter().map(|result| result.output.as_str()).collect()
}

/// A key with this passphrase in the workspace.
fn make_key(run: &Harness) {
    let made = Program::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-C", "test", "-N", PASSWORD, "-f"])
        .arg(run.work("key"))
        .status()
        .unwrap();
    assert!(made.success());
}

#[tokio::test]
async fn a_key_is_opened_with_its_passphrase() {
    let mut run = Harness::new(&sequence(&["ssh-keygen -y -f key"])).await;
    make_key(&run);
    let requests = answering(&mut run, Mode::Planner, &[Some(PASSWORD)]).await;
    assert_eq!(run.plan().await.state, PlanState::Completed);
    assert!(output(&run).await.contains("ssh-ed25519 "));
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.kind, request.attempt, &request.warning), (SecretKind::Passphrase, 1, &None));
    assert_eq!((request.program.as_str(), request.command.as_str()), ("ssh-keygen", "ssh-keygen -y -f key"));
    assert_eq!(request.called_as, "ssh-keygen -y -f key");
    assert_eq!(outcomes(&run).await, [SecretOutcome::Answered]);
    assert_eq!(run.state().await.secrets, []);
    stands_nowhere(&run, PASSWORD).await;
}

#[tokio::test]
async fn three_wrong_answers_are_enough() {
    let agent =
        r#"eval "$(ssh-agent -s)" >/dev/null; ssh-add key; status=$?; ssh-agent -k >/dev/null; exit $status"#;
    let mut run = Harness::new(&sequence(&[agent])).await;
    make_key(&run);
    let requests = answering(&mut run, Mode::Planner, &[Some(WRONG); 3]).await;
    assert_eq!(requests.iter().map(|request| request.attempt).collect::<Vec<_>>(), [1, 2, 3, 3]);
    assert!(matches!(run.plan().await.state, PlanState::Failed { .. }));
    assert!(output(&run).await.contains("Planwright: Three answers were wrong, so this one was declined."));
    assert_eq!(
        outcomes(&run).await,
        [
            SecretOutcome::Answered,
            SecretOutcome::Answered,
            SecretOutcome::Answered,
            SecretOutcome::TooManyTries
        ]
    );
    stands_nowhere(&run, WRONG).await;
}

#[tokio::test]
async fn a_declined_question_is_a_failure_that_no_model_learns_the_secret_of() {
    let mind = ScriptedMind::new(|_, _| r#"{"action":"abort","reasoning":"no"}"#.to_owned());
    // The first key is opened, the second question declined.
    let plan = sequence(&["ssh-keygen -y -f key && ssh-keygen -y -f key"]);
    let mut run = Harness::with_mind(&plan, &mind).await;
    make_key(&run);
    answering(&mut run, Mode::Agentic, &[Some(PASSWORD), None]).await;
    assert_eq!(outcomes(&run).await, [SecretOutcome::Answered, SecretOutcome::Declined]);
    assert!(matches!(run.step("s1").await, StepState::Failed { .. }));
    let asked = format!("{:?}", mind.asked());
    assert!(asked.contains("ssh-keygen") && asked.contains("You declined to answer."), "{asked}");
    assert!(!holds(asked.as_bytes(), PASSWORD));
    stands_nowhere(&run, PASSWORD).await;
}

#[tokio::test]
async fn a_repository_is_cloned_with_a_name_and_a_password() {
    let server = GitServer::start("ada", PASSWORD);
    let clone = format!("git clone -q {} copy && cat copy/file", server.url());
    let mut run = Harness::new(&sequence(&[&clone])).await;
    let requests = answering(&mut run, Mode::Planner, &[Some("ada"), Some(PASSWORD)]).await;
    assert_eq!(run.plan().await.state, PlanState::Completed, "{}", output(&run).await);
    let kinds: Vec<_> = requests.iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [SecretKind::Username, SecretKind::Password]);
    assert!(requests.iter().all(|request| request.warning.is_none()), "{requests:?}");
    assert!(output(&run).await.contains("from the server"));
    stands_nowhere(&run, PASSWORD).await;
}

#[tokio::test]
async fn git_asks_over_tls_and_only_where_the_server_is_known() {
    let server = TlsGitServer::start("ada", PASSWORD);
    let unknown = format!("git clone -q {} stranger", server.url());
    // Its own configuration, as for a server of a company.
    let known = format!("git config --file known http.sslCAInfo {}", server.authority());
    // A variable of this machine's would count more than that.
    let clone = format!(
        "unset GIT_SSL_CAINFO; GIT_CONFIG_GLOBAL=$PWD/known git clone -q {} copy && cat copy/file",
        server.url()
    );
    let steps = [format!("{unknown} || echo not trusted"), known, clone];
    let mut run = Harness::new(&sequence(&steps.each_ref().map(String::as_str))).await;
    let requests = answering(&mut run, Mode::Planner, &[Some("ada"), Some(PASSWORD)]).await;
    let state = run.state().await;
    assert_eq!(run.plan().await.state, PlanState::Completed, "{:?}", state.results);
    assert!(state.results[0].output.contains("certificate") && !run.work("stranger").exists());
    let asked: Vec<_> = requests.iter().map(|request| (request.kind, request.step_id.0.as_str())).collect();
    assert_eq!(asked, [(SecretKind::Username, "s3"), (SecretKind::Password, "s3")]);
    assert!(requests.iter().all(|request| request.warning.is_none()), "{requests:?}");
    assert!(requests[1].prompt.contains("https://"), "{}", requests[1].prompt);
    assert!(state.results[2].output.contains("from the server"));
    stands_nowhere(&run, PASSWORD).await;
}

#[tokio::test]
async fn a_service_asks_while_it_starts_and_later_and_typing_takes_none_of_its_time() {
    let ask = |words: &str| format!("\"$SSH_ASKPASS\" '{words}' | wc -c");
    let command =
        format!("{}; echo listening on 80; {}; sleep 300", ask("Password: "), ask("Password again: "));
    let service = serde_json::json!({ "line": "listening on", "seconds": 3 });
    let plan = serde_json::json!({ "steps": [{ "id": "s1", "command": command, "service": service }] });
    let mut run = Harness::new(&plan.to_string()).await;
    run.start(Mode::Planner).await;
    let mut requests = Vec::new();
    while requests.len() < 2 {
        let event = run
            .wait_for("a question", |event| {
                matches!(event, Event::SecretNeeded { .. } | Event::ApprovalNeeded { .. })
            })
            .await;
        match event {
            Event::ApprovalNeeded { approval } => {
                run.answer(&approval, ApprovalAnswer::AllowOnce { edited_command: None }).await;
            }
            Event::SecretNeeded { request } => {
                // Longer than the service has.
                tokio::time::sleep(std::time::Duration::from_secs(if requests.is_empty() { 5 } else { 0 }))
                    .await;
                assert_eq!(run.state().await.secrets, std::slice::from_ref(&request));
                let answer = Some(SecretString::from(PASSWORD));
                run.engine.answer_secret(run.session, request.id, answer).unwrap();
                requests.push(request);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(requests.iter().all(|request| request.step_id.0 == "s1"));
    let is_answered = |records: &[planwright_engine::protocol::EventRecord]| {
        let done = records.iter().filter(|record| matches!(record.event, Event::SecretResolved { .. }));
        done.count() == 2
    };
    while !is_answered(&run.events().await) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(outcomes(&run).await, [SecretOutcome::Answered, SecretOutcome::Answered]);
    let id = run.state().await.services[0].id;
    run.tell(planwright_engine::protocol::Command::StopService { service_id: id }).await;
    run.wait_for("its end", |event| matches!(event, Event::ServiceEnded { .. })).await;
    stands_nowhere(&run, PASSWORD).await;
}

#[tokio::test]
async fn a_question_ends_with_its_command() {
    let mut run = Harness::new(&sequence(&["ssh-keygen -y -f key"])).await;
    make_key(&run);
    run.start(Mode::Planner).await;
    let approval = run.question().await;
    run.answer(&approval, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    let event = run.wait_for("a question", |event| matches!(event, Event::SecretNeeded { .. })).await;
    let Event::SecretNeeded { request } = event else { panic!("{event:?}") };
    assert_eq!(run.state().await.secrets, std::slice::from_ref(&request));
    run.tell(planwright_engine::protocol::Command::Cancel).await;
    run.settled().await;
    assert_eq!(outcomes(&run).await, [SecretOutcome::Withdrawn]);
    assert_eq!(run.state().await.secrets, []);
    let late = run.engine.answer_secret(run.session, request.id, None);
    assert_eq!(late.unwrap_err().code, ErrorCode::NotNow);
}

#[tokio::test]
async fn a_script_that_asks_like_sudo_is_seen_through() {
    let spoof = r#"bash -c '"$SUDO_ASKPASS" "[sudo] password for you: " >/dev/null; exit 3'"#;
    let mut run = Harness::new(&sequence(&[spoof])).await;
    let requests = answering(&mut run, Mode::Planner, &[None]).await;
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.program.as_str(), request.command.as_str()), ("bash", spoof));
    assert_eq!(
        request.warning.as_deref(),
        Some("bash is none of the programs that usually ask for passwords.")
    );
}

#[tokio::test]
async fn with_nobody_there_it_is_declined_at_once() {
    let plan = sequence(&["ssh-keygen -y -f key"]);
    let mut run = Harness::unattended(&plan, "approve = \"dangerous\"\n", None).await;
    make_key(&run);
    lead(&mut run, Mode::Planner, &[], true).await;
    assert_eq!(outcomes(&run).await, [SecretOutcome::NobodyThere]);
    assert!(output(&run).await.contains("Planwright: Nobody is here to answer."));
}

#[tokio::test]
async fn sudo_gets_the_password_of_an_ordinary_user() {
    let Some(user) = User::make(PASSWORD) else { return };
    let step = format!("runuser -u {} -- sudo -k -A id -u", user.name());
    let mut run = Harness::new(&sequence(&[&step])).await;
    let requests = answering(&mut run, Mode::Planner, &[Some(WRONG), Some(PASSWORD)]).await;
    assert_eq!(run.plan().await.state, PlanState::Completed, "{}", output(&run).await);
    assert!(output(&run).await.ends_with("0\n"));
    assert_eq!(requests.iter().map(|request| request.attempt).collect::<Vec<_>>(), [1, 2]);
    assert!(requests.iter().all(|request| request.program == "sudo" && request.warning.is_none()));
    assert_eq!(requests[0].kind, SecretKind::Password);
    stands_nowhere(&run, PASSWORD).await;
    stands_nowhere(&run, WRONG).await;
}

#[tokio::test]
async fn sudo_asks_without_a_terminal_or_a_display_and_leaves_no_trace() {
    let run_sudo = "sudo -u x id; sudo -S id; sudo -kS id; command sudo id; type -t sudo";
    let mut run = Harness::new(&sequence(&["PATH=$PWD/bin:$PATH", run_sudo, "true"])).await;
    std::fs::create_dir(run.work("bin")).unwrap();
    std::fs::write(run.work("bin/sudo"), "#!/bin/sh\necho called with \"$@\"\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(run.work("bin/sudo"), mode).unwrap();
    answering(&mut run, Mode::Planner, &[]).await;
    assert_eq!(run.plan().await.state, PlanState::Completed);
    assert_eq!(
        output(&run).await,
        "called with -A -u x id\ncalled with -S id\ncalled with -kS id\ncalled with -A id\nfile\n"
    );
    let shell = run.state().await.shell;
    assert_eq!((shell.functions.len(), shell.variables.len()), (0, 0), "{shell:?}");
    assert_eq!(shell.environment.keys().collect::<Vec<_>>(), ["PATH"], "{shell:?}");
}

#[test]
fn the_headless_program_declines_plainly_and_types_masked() {
    user::headless();
}
