//! A real model on this machine, where `PLANWRIGHT_TEST_MODEL_URL` names its server (`scripts/local-model.mjs` starts
//! one). Tests of the wire, not of wisdom: the model is very small.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use planwright_engine::engine::{Attendance, Engine, EngineConfig, ImportSource};
use planwright_engine::model::decode::Answer;
use planwright_engine::model::{
    Capabilities, MemoryKeys, ModelError, ModelEvent, ModelMessage, ModelProvider as _, ModelRequest, Models,
    Provider, ProviderKind, StopReason, ToolSpec,
};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{AllowedBy, Command, Event, Mode, StuckReason, ToolSupport, Update};
use serde_json::json;
use tokio::sync::watch;

/// The server's key; `local_model.py` sets the same.
const KEY: &str = "planwright-test";

/// The real server, or `None` with the reason on the screen.
async fn real(key: &str) -> Option<Provider> {
    let Ok(url) = std::env::var("PLANWRIGHT_TEST_MODEL_URL") else {
        eprintln!(
            "skipped: PLANWRIGHT_TEST_MODEL_URL is not set; `node scripts/local-model.mjs` starts a server and prints it"
        );
        return None;
    };
    let provider = |model: &str, key: &str| {
        Provider::new(ProviderKind::Local, Some(&url), model.to_owned(), Some(key.to_owned().into())).unwrap()
    };
    let models = provider("", KEY).models().await.expect("the named server answers");
    Some(provider(&models[0], key))
}

fn request(text: &str, max_tokens: u32) -> ModelRequest {
    ModelRequest {
        system: "You are brief.".to_owned(),
        messages: vec![ModelMessage::user(text)],
        tools: Vec::new(),
        max_tokens,
        schema: None,
    }
}

#[tokio::test]
async fn it_streams_text_usage_and_an_end() {
    let Some(provider) = real(KEY).await else { return };
    let (_running, cancel) = watch::channel(false);
    let events: Vec<_> = provider.stream(request("Say hello.", 24), cancel).collect().await;
    let pieces = events.iter().filter(|event| matches!(event, Ok(ModelEvent::Text { .. }))).count();
    assert!(pieces > 1, "{events:?}");
    let mut answer = Answer::default();
    answer.extend(events.into_iter().map(Result::unwrap));
    assert!(!answer.text.is_empty());
    assert!(matches!(answer.stop_reason, Some(StopReason::EndTurn | StopReason::MaxTokens)));
    assert!(answer.usage.is_some_and(|usage| usage.input_tokens > 0 && usage.output_tokens > 0));
}

#[tokio::test]
async fn it_stops_at_once() {
    let Some(provider) = real(KEY).await else { return };
    let (stop, cancel) = watch::channel(false);
    let mut stream = provider.stream(request("Tell a very long story.", 400), cancel);
    assert!(stream.next().await.unwrap().is_ok());
    stop.send(true).unwrap();
    let stopped = Instant::now();
    loop {
        match stream.next().await {
            Some(Ok(_)) => {}
            Some(Err(error)) => break assert_eq!(error, ModelError::Cancelled),
            None => panic!("ended without an error"),
        }
    }
    assert!(stopped.elapsed() < Duration::from_millis(50), "{:?}", stopped.elapsed());
}

#[tokio::test]
async fn a_wrong_key_is_told() {
    let Some(provider) = real("wrong").await else { return };
    let error = provider.call_raw("s", &["q".to_owned()], None, &|_| {}).await.unwrap_err();
    assert_eq!(error.code(), "rejected-key", "{error}");
}

#[tokio::test]
async fn the_probe_tells_what_it_can_do() {
    let Some(provider) = real(KEY).await else { return };
    let found = provider.probe().await;
    // Its template knows no tools, its server holds answers to any schema, and `local_model.py` gives it this room.
    let expected = Capabilities { tools: ToolSupport::Envelope, schema: true, context_tokens: Some(4096) };
    assert_eq!(found, expected);
    assert_eq!((provider.info().tools, provider.info().price), (ToolSupport::Envelope, None));
}

#[tokio::test]
async fn it_is_driven_through_the_envelope() {
    let Some(provider) = real(KEY).await else { return };
    let tool = |name: &str, argument: &str| ToolSpec {
        name: name.to_owned(),
        description: format!("Needs a {argument}."),
        parameters: json!({
            "type": "object",
            "properties": { argument: { "type": "string", "enum": ["a.txt", "b.txt"] } },
            "required": [argument],
            "additionalProperties": false,
        }),
    };
    let model = provider.fitted();
    let mut whole = 0;
    for question in ["Read a.txt.", "Use the tool remove on b.txt.", "Say hello."] {
        let tools = vec![tool("read", "file"), tool("remove", "path")];
        let (_running, cancel) = watch::channel(false);
        let mut stream = model.stream(ModelRequest { tools, ..request(question, 120) }, cancel);
        let mut said = Answer::default();
        while let Some(event) = stream.next().await {
            said.add(event.unwrap());
        }
        match &said.stop_reason {
            Some(StopReason::ToolUse) => assert!(!said.tool_calls.is_empty()),
            // A very small model may talk to its limit; then nothing may run.
            Some(StopReason::EndTurn | StopReason::MaxTokens) => assert!(said.tool_calls.is_empty()),
            other => panic!("{other:?}: {said:?}"),
        }
        whole += usize::from(said.stop_reason != Some(StopReason::MaxTokens));
        for call in &said.tool_calls {
            let argument = match call.name.as_str() {
                "read" => "file",
                "remove" => "path",
                other => panic!("no such tool: {other}"),
            };
            let value = call.parsed().unwrap()[argument].as_str().map(str::to_owned);
            assert!(call.whole && matches!(value.as_deref(), Some("a.txt" | "b.txt")), "{call:?}");
        }
        assert!(said.usage.is_some_and(|usage| usage.output_tokens > 0));
    }
    assert!(whole > 0, "no answer came to its end");
}

#[tokio::test]
async fn its_corrections_parse_nothing_dangerous_runs_and_the_run_ends_in_its_budgets() {
    let Some(provider) = real(KEY).await else { return };
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = Engine::spawn(EngineConfig {
        home: home.path().to_owned(),
        worker: planwright_tests::worker(),
        attendance: Attendance::Nobody(PolicyFile::parse("approve = \"safe\"").unwrap()),
        models: Models::of(Some(Arc::new(provider))),
        keys: Arc::new(MemoryKeys::default()),
    })
    .await
    .unwrap();
    let page = "# Try\n\n```sh\necho 'flux capacitor out of phase' >&2; exit 7\n```\n";
    let source = ImportSource { name: "try.md".to_owned(), bytes: page.as_bytes().to_vec(), path: None };
    let state = engine.import(source, Some(folder.path().display().to_string()), None).await.unwrap();
    let mut updates = engine.subscribe();
    engine.submit(state.id, Command::Start { mode: Some(Mode::Agentic) }).await.unwrap();
    let mut asked = 0;
    loop {
        // One answer at a time: how long all of them take is the machine's business, how many there are is the run's.
        let update = tokio::time::timeout(Duration::from_secs(300), updates.next()).await;
        let Some(update) = update.expect("the run goes on") else { break };
        let Update::Event { record } = update else { continue };
        match record.event {
            Event::AgentThinking { .. } => asked += 1,
            Event::StepStarted { allowed_by, command, .. } => {
                assert_ne!(allowed_by, AllowedBy::Policy, "beyond safe: {command}");
            }
            Event::AgentStuck { reason: StuckReason::Aborted { reason }, .. } => {
                // A very small model may talk to its limit, or leave a text empty; what its server holds it to fits.
                let is_of_form =
                    !["does not fit", "no JSON object"].iter().any(|fault| reason.contains(fault));
                assert!(is_of_form, "{reason}");
            }
            Event::PlanCompleted { .. } | Event::PlanFailed { .. } | Event::PlanPaused { .. } => break,
            _ => {}
        }
    }
    assert!((1..=11).contains(&asked), "{asked}");
}
