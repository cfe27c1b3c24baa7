//! A failing plan in agentic mode with a model over HTTP.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use planwright_engine::engine::{Attendance, Engine, EngineConfig, ImportSource};
use planwright_engine::model::{Limits, MemoryKeys, Models, Provider, ProviderKind};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    ApprovalAnswer, Command, Correction, CorrectionAction, Event, Mode, Risk, SessionId, StuckReason, Update,
};
use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A command that fails in a way no rule knows, until `ready` is there.
const STEP: &str = "test -e ready || { echo 'flux capacitor out of phase' >&2; exit 7; }";

struct Run {
    engine: Engine,
    session: SessionId,
    folder: TempDir,
    server: ModelServer,
    _home: TempDir,
}

impl Run {
    async fn new(answers: &[&str], policy: &str, command: &str) -> Self {
        let server = ModelServer::start(answers.iter().map(|answer| Reply::openai(answer)).collect()).await;
        let provider = Provider::new(ProviderKind::Local, Some(&server.url()), "scripted".to_owned(), None)
            .unwrap()
            .with_limits(Limits { attempts: 2, first_wait: Duration::from_millis(10), ..Limits::default() });
        Self::with(provider, server, Attendance::Nobody(PolicyFile::parse(policy).unwrap()), command).await
    }

    async fn with(provider: Provider, server: ModelServer, attendance: Attendance, command: &str) -> Self {
        let (home, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let config = EngineConfig {
            home: home.path().to_owned(),
            worker: planwright_tests::worker(),
            attendance,
            models: Models::of(Some(Arc::new(provider))),
            keys: Arc::new(MemoryKeys::default()),
        };
        let engine = Engine::spawn(config).await.unwrap();
        let page = format!("# Try\n\n## Start it\n\n```sh\n{command}\n```\n");
        let source = ImportSource { name: "try.md".to_owned(), bytes: page.into_bytes(), path: None };
        let state = engine.import(source, Some(folder.path().display().to_string()), None).await.unwrap();
        Self { engine, session: state.id, folder, server, _home: home }
    }

    /// Runs to the end, or until `stop` says that it is enough.
    async fn until(&self, command: Command, stop: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut updates = self.engine.subscribe();
        self.engine.submit(self.session, command).await.unwrap();
        let mut events = Vec::new();
        let follow = async {
            while let Some(update) = updates.next().await {
                let Update::Event { record } = update else { continue };
                events.push(record.event);
                if events.last().is_some_and(&stop) {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), follow).await.expect("the run ends");
        events
    }

    async fn all(&self) -> Vec<Event> {
        self.until(Command::Start { mode: Some(Mode::Agentic) }, is_end).await
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }
}

fn is_end(event: &Event) -> bool {
    matches!(
        event,
        Event::PlanCompleted { .. }
            | Event::PlanFailed { .. }
            | Event::PlanPaused { .. }
            | Event::PlanCancelled { .. }
    )
}

fn actions(events: &[Event]) -> Vec<CorrectionAction> {
    let correction = |event: &Event| match event {
        Event::CorrectionAttempt { correction: Correction::Step(correction), .. } => Some(correction.action),
        _ => None,
    };
    events.iter().filter_map(correction).collect()
}

fn stuck(events: &[Event]) -> &StuckReason {
    for event in events {
        if let Event::AgentStuck { reason, .. } = event {
            return reason;
        }
    }
    panic!("the agent is not stuck: {events:?}")
}

fn insert(steps: &[&str]) -> String {
    let steps: Vec<Value> = steps
        .iter()
        .map(|command| json!({ "title": "Mend", "kind": "repair", "command": command, "why": "so" }))
        .collect();
    json!({ "action": "insert_steps", "reasoning": "It is missing.", "confidence": 0.8, "newSteps": steps })
        .to_string()
}

const CAUTION: &str = "approve = \"caution\"";

#[tokio::test]
async fn inserted_steps_run_before_the_failed_one() {
    let run = Run::new(&[&insert(&["touch ready"])], CAUTION, STEP).await;
    let events = run.all().await;
    assert!(matches!(events.last(), Some(Event::PlanCompleted { repairs: 1, .. })), "{:?}", events.last());
    assert_eq!(actions(&events), [CorrectionAction::InsertSteps]);
    assert!(run.folder().join("ready").exists());
    // What the model was asked: held to the shapes, with the output fenced.
    let request = &run.server.requests()[0].body;
    assert_eq!(request["response_format"]["json_schema"]["schema"]["oneOf"].as_array().unwrap().len(), 5);
    let question = request["messages"][1]["content"].as_str().unwrap();
    assert!(question.contains("<output>\nflux capacitor out of phase"), "{question}");
}

#[tokio::test]
async fn a_modified_command_replaces_the_failed_one() {
    let answer =
        json!({ "action": "modify", "reasoning": "Simpler.", "modifiedCommand": "echo fine" }).to_string();
    let run = Run::new(&[&format!("Sure! Here:\n```json\n{answer}\n```")], CAUTION, STEP).await;
    let events = run.all().await;
    assert!(matches!(events.last(), Some(Event::PlanCompleted { .. })));
    assert_eq!(actions(&events), [CorrectionAction::Modify]);
}

#[tokio::test]
async fn a_retry_with_another_command_counts_as_one() {
    let answer =
        json!({ "action": "retry", "reasoning": "Once more.", "modifiedCommand": "true" }).to_string();
    let run = Run::new(&[&answer], CAUTION, STEP).await;
    let events = run.all().await;
    assert!(matches!(events.last(), Some(Event::PlanCompleted { .. })));
    assert!(events.iter().any(|event| matches!(event, Event::RetryAttempt { .. })));
}

#[tokio::test]
async fn skip_and_abort() {
    let run = Run::new(&[r#"{"action":"skip","reasoning":"Not needed."}"#], CAUTION, STEP).await;
    let events = run.all().await;
    assert!(matches!(events.last(), Some(Event::PlanCompleted { skipped: 1, .. })), "{:?}", events.last());

    let run = Run::new(
        &[r#"{"action":"abort","reasoning":"I do not know.","alternatives":["ask Doc"]}"#],
        CAUTION,
        STEP,
    )
    .await;
    let events = run.all().await;
    assert!(matches!(stuck(&events), StuckReason::Aborted { reason } if reason == "I do not know."));
}

#[tokio::test]
async fn an_answer_is_mended_once_and_given_up_twice() {
    let run = Run::new(&["I would try rebooting.", &insert(&["touch ready"])], CAUTION, STEP).await;
    let events = run.all().await;
    assert!(matches!(events.last(), Some(Event::PlanCompleted { .. })));
    let second = &run.server.requests()[1].body["messages"];
    assert_eq!(second[2]["role"], "assistant");
    assert!(second[3]["content"].as_str().unwrap().contains("cannot be used"));

    let run = Run::new(&["Hm.", r#"{"action":"explode","reasoning":"x"}"#], CAUTION, STEP).await;
    let events = run.all().await;
    assert!(matches!(stuck(&events), StuckReason::Aborted { reason } if reason.contains("twice")));
    assert_eq!(run.server.requests().len(), 2);
}

#[tokio::test]
async fn of_five_offered_steps_three_are_taken() {
    let five = ["touch a", "touch b", "touch ready", "touch d", "touch e"];
    let run = Run::new(&[&insert(&five)], CAUTION, STEP).await;
    let events = run.all().await;
    assert!(matches!(events.last(), Some(Event::PlanCompleted { repairs: 3, .. })), "{:?}", events.last());
    assert!(run.folder().join("b").exists() && !run.folder().join("d").exists());
}

#[tokio::test]
async fn a_risk_that_the_model_claims_changes_nothing() {
    let answer = json!({
        "action": "insert_steps",
        "reasoning": "Clean up first.",
        "newSteps": [{ "title": "Clean", "command": "rm -rf keep", "why": "harmless", "risk": "safe" }],
    });
    let run = Run::new(&[&answer.to_string()], CAUTION, STEP).await;
    std::fs::create_dir(run.folder().join("keep")).unwrap();
    let events = run.all().await;
    let asked = events.iter().find_map(|event| match event {
        Event::ApprovalNeeded { approval } => {
            Some((approval.action.command().to_owned(), approval.assessment.risk))
        }
        _ => None,
    });
    assert_eq!(asked, Some(("rm -rf keep".to_owned(), Risk::Dangerous)));
    assert!(run.folder().join("keep").exists(), "nobody allowed it");
}

#[tokio::test]
async fn words_of_the_user_reach_the_model() {
    let server = ModelServer::start(vec![
        Reply::openai(r#"{"action":"abort","reasoning":"No idea."}"#),
        Reply::openai(r#"{"action":"modify","reasoning":"As you say.","modifiedCommand":"echo fine"}"#),
    ])
    .await;
    let provider =
        Provider::new(ProviderKind::Local, Some(&server.url()), "scripted".to_owned(), None).unwrap();
    let run = Run::with(provider, server, Attendance::User, STEP).await;
    let answer_or_stop = |event: &Event| {
        is_end(event) || matches!(event, Event::AgentStuck { .. } | Event::ApprovalNeeded { .. })
    };
    let mut events = run.until(Command::Start { mode: Some(Mode::Agentic) }, answer_or_stop).await;
    let words = Command::Guide { text: "Use the DeLorean.".to_owned() };
    let mut command = match events.last() {
        Some(Event::ApprovalNeeded { approval }) => allow(approval.id),
        _ => words.clone(),
    };
    for _ in 0..5 {
        let guiding = matches!(command, Command::Guide { .. });
        events = run.until(command, answer_or_stop).await;
        command = match events.last() {
            Some(Event::ApprovalNeeded { approval }) => allow(approval.id),
            Some(Event::AgentStuck { .. }) if !guiding => words.clone(),
            _ => break,
        };
    }
    assert!(matches!(events.last(), Some(Event::PlanCompleted { .. })), "{:?}", events.last());
    let question = &run.server.requests()[1].body["messages"][1]["content"];
    assert!(question.as_str().unwrap().contains("The user says: Use the DeLorean."), "{question}");
}

fn allow(approval_id: planwright_engine::protocol::ApprovalId) -> Command {
    Command::Answer { approval_id, answer: ApprovalAnswer::AllowOnce { edited_command: None } }
}

#[tokio::test]
async fn a_model_that_cannot_be_reached_ends_the_run_with_the_reason() {
    let server = ModelServer::start(vec![Reply::status(401, &[], "{}")]).await;
    let provider =
        Provider::new(ProviderKind::Local, Some(&server.url()), "scripted".to_owned(), None).unwrap();
    let policy = Attendance::Nobody(PolicyFile::parse(CAUTION).unwrap());
    let run = Run::with(provider, server, policy, STEP).await;
    let events = run.all().await;
    assert!(
        matches!(stuck(&events), StuckReason::Aborted { reason } if reason.contains("key was not accepted"))
    );
}
