//! Choosing models, keeping keys, testing connections: the engine's side of the settings.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use planwright_engine::engine::{Attendance, Engine, EngineConfig};
use planwright_engine::model::{KeyStore, MemoryKeys, Models, Provider, ProviderKind};
use planwright_engine::protocol::{
    Command, ErrorCode, KeyPlace, ModelChoice, ModelStatus, Settings, ToolSupport, Update,
};
use planwright_tests::path_server::{PathServer, calls, document, says, status};
use serde_json::json;
use tempfile::TempDir;

const SECRET: &str = "sk-very-hush-1955";

async fn engine(home: &Path, models: Models, keys: Arc<dyn KeyStore>) -> Engine {
    let until = tokio::time::Instant::now() + Duration::from_secs(10);
    loop {
        let config = EngineConfig {
            home: home.to_owned(),
            worker: planwright_tests::worker(),
            attendance: Attendance::User,
            models: models.clone(),
            keys: Arc::clone(&keys),
        };
        match Engine::spawn(config).await {
            // The one before it may hold the folder for a moment longer.
            Err(error) if error.code == ErrorCode::NotNow && tokio::time::Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            engine => {
                let engine = engine.unwrap();
                engine.models_settled().await;
                return engine;
            }
        }
    }
}

async fn fresh() -> (TempDir, Engine) {
    let home = TempDir::new().unwrap();
    let engine = engine(home.path(), Models::default(), Arc::new(MemoryKeys::default())).await;
    (home, engine)
}

fn choice(provider: ProviderKind, base_url: Option<&str>, model: Option<&str>) -> ModelChoice {
    ModelChoice { provider, base_url: base_url.map(str::to_owned), model: model.map(str::to_owned) }
}

fn main_model(choice: ModelChoice) -> Settings {
    Settings { main_model: Some(choice), ..Settings::default() }
}

/// What a server replies, the report's code, and words of its message.
type Case = (fn() -> Vec<u8>, &'static str, &'static str);

/// A server with two models; one calls tools.
async fn server() -> PathServer {
    PathServer::start(|path, body| match path {
        "/v1/models" => Some(document(&json!({ "data": [{ "id": "big-model" }, { "id": "small-model" }] }))),
        "/v1/chat/completions" if body["model"] == "wrong" || body["model"] == "big-modell" => Some(status(
            404,
            &json!({ "error": { "message": "model not found", "code": "model_not_found" } }),
        )),
        "/v1/chat/completions" if body["tools"].is_array() => {
            Some(calls("get_weather", &json!({ "city": "Paris" })))
        }
        "/v1/chat/completions" => Some(says("OK.")),
        _ => None,
    })
    .await
}

/// Waits until the models are told to be so.
async fn published(updates: &mut planwright_engine::engine::Updates, expected: &ModelStatus) {
    let told = async {
        while let Some(update) = updates.next().await {
            if matches!(&update, Update::Models { status } if status == expected) {
                return;
            }
        }
        panic!("the engine is gone");
    };
    tokio::time::timeout(Duration::from_secs(5), told).await.expect("the models are told");
}

#[tokio::test]
async fn a_choice_without_its_key_is_told_at_once_and_works_with_it() {
    let (_home, engine) = fresh().await;
    assert_eq!(engine.model_status(), ModelStatus::default());
    let mut updates = engine.subscribe();
    engine.set_settings(main_model(choice(ProviderKind::Anthropic, None, None))).await.unwrap();
    let status = engine.model_status();
    assert!(status.main.is_none());
    assert!(status.problem.as_deref().is_some_and(|problem| problem.contains("No key for Anthropic")));
    published(&mut updates, &status).await;

    let told = engine.set_key(ProviderKind::Anthropic, format!("  {SECRET}\n").into()).await.unwrap();
    assert_eq!(
        (told.place, told.note.as_deref()),
        (KeyPlace::Memory, Some("Kept until Planwright is closed."))
    );
    let status = engine.model_status();
    assert_eq!(status.problem, None);
    let main = status.main.clone().unwrap();
    assert_eq!((main.provider, main.model.as_str()), (ProviderKind::Anthropic, "claude-sonnet-5-5"));
    assert_eq!((main.tools, main.price.is_some()), (ToolSupport::Native, true));
    published(&mut updates, &status).await;
    assert_eq!(engine.app_info().model.as_deref(), Some("claude-sonnet-5-5"));

    engine.forget_key(ProviderKind::Anthropic).await.unwrap();
    let status = engine.model_status();
    assert!(status.main.is_none() && status.problem.is_some());
    engine.set_settings(Settings::default()).await.unwrap();
    assert_eq!(engine.model_status(), ModelStatus::default());
}

#[tokio::test]
async fn each_role_is_switched_with_its_own_key() {
    let (_home, engine) = fresh().await;
    engine.set_key(ProviderKind::OpenAi, SECRET.into()).await.unwrap();
    let settings = Settings {
        stronger_model: Some(choice(ProviderKind::OpenAi, None, Some("gpt-5"))),
        ..main_model(choice(ProviderKind::Moonshot, None, None))
    };
    engine.set_settings(settings.clone()).await.unwrap();
    let status = engine.model_status();
    assert!(status.main.is_none());
    assert!(status.problem.is_some_and(|problem| problem.contains("Moonshot")));
    assert_eq!(status.stronger.unwrap().model, "gpt-5");
    // A change of something else leaves the models as they are.
    engine.set_settings(Settings { token_cap: Some(5), ..settings }).await.unwrap();
    assert!(engine.model_status().stronger.is_some());
}

#[tokio::test]
async fn the_environment_goes_before_the_settings() {
    let home = TempDir::new().unwrap();
    let named =
        Provider::new(ProviderKind::Local, Some("http://127.0.0.1:9"), "named".to_owned(), None).unwrap();
    let keys = Arc::new(MemoryKeys::default());
    let engine = engine(home.path(), Models::of(Some(named.fitted())), keys).await;
    engine.set_key(ProviderKind::OpenAi, SECRET.into()).await.unwrap();
    engine.set_settings(main_model(choice(ProviderKind::OpenAi, None, None))).await.unwrap();
    let status = engine.model_status();
    assert!(status.from_environment);
    assert_eq!(status.main.unwrap().model, "named");
    // One that cannot be used is said, and nothing else is used in its place.
    let home = TempDir::new().unwrap();
    let keys = Arc::new(MemoryKeys::default());
    let engine =
        self::engine(home.path(), Models::unusable("Set PLANWRIGHT_PROVIDER.".to_owned()), keys).await;
    engine.set_key(ProviderKind::OpenAi, SECRET.into()).await.unwrap();
    engine.set_settings(main_model(choice(ProviderKind::OpenAi, None, None))).await.unwrap();
    let status = engine.model_status();
    assert_eq!((status.main, status.problem.as_deref()), (None, Some("Set PLANWRIGHT_PROVIDER.")));
}

#[tokio::test]
async fn the_choice_comes_back_with_the_program_and_sends_nothing() {
    let server = server().await;
    let home = TempDir::new().unwrap();
    let keys: Arc<dyn KeyStore> = Arc::new(MemoryKeys::default());
    let first = engine(home.path(), Models::default(), Arc::clone(&keys)).await;
    let chosen = choice(ProviderKind::Local, Some(&server.url()), Some("big-model"));
    first.set_settings(main_model(chosen)).await.unwrap();
    drop(first);
    let second = engine(home.path(), Models::default(), keys).await;
    assert_eq!(second.model_status().main.unwrap().model, "big-model");
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_local_server_without_a_named_model_is_asked_for_one() {
    let server = server().await;
    let (_home, engine) = fresh().await;
    engine.set_settings(main_model(choice(ProviderKind::Local, Some(&server.url()), None))).await.unwrap();
    assert_eq!(engine.model_status().main.unwrap().model, "big-model");
    // One that is gone is told, and taken up when a test finds it there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = choice(ProviderKind::Local, Some(&format!("http://127.0.0.1:{port}")), None);
    engine.set_settings(main_model(gone)).await.unwrap();
    let status = engine.model_status();
    assert!(status.main.is_none());
    assert!(status.problem.is_some_and(|problem| problem.starts_with("Nothing answers")));
}

#[tokio::test]
async fn a_connection_that_works_is_described() {
    let server = server().await;
    let (_home, engine) = fresh().await;
    let chosen = choice(ProviderKind::Local, Some(&server.url()), Some("big-model"));
    let report = engine.test_connection(chosen, None).await;
    assert!(report.ok && report.code.is_none(), "{report:?}");
    assert_eq!(report.models, ["big-model", "small-model"]);
    assert_eq!(report.model.as_deref(), Some("big-model"));
    assert_eq!((report.tools, report.schema), (Some(ToolSupport::Native), Some(false)));
    assert!(report.first_token_millis.is_some());
    assert!(report.message.starts_with("big-model answers after "), "{}", report.message);
}

#[tokio::test]
async fn what_is_wrong_with_a_connection_is_said_exactly() {
    let (_home, engine) = fresh().await;
    let test = async |chosen: ModelChoice, key: Option<&str>| {
        let report = engine.test_connection(chosen, key.map(Into::into)).await;
        assert!(!report.ok && !report.message.contains(SECRET), "{report:?}");
        (report.code.unwrap_or_default(), report.message)
    };
    let at = |url: &str, model: &str| choice(ProviderKind::Local, Some(url), Some(model));

    let (code, message) = test(choice(ProviderKind::OpenAi, None, None), None).await;
    assert_eq!(code, "no-key", "{message}");
    let (code, message) = test(choice(ProviderKind::OpenAi, None, None), Some("a\u{1}b")).await;
    assert_eq!((code.as_str(), message.contains("Copy the key again")), ("settings", true));

    let server = server().await;
    let (code, message) = test(at(&server.url(), "big-modell"), None).await;
    assert_eq!(code, "unknown-model");
    assert!(message.contains("near it are \"big-model\""), "{message}");

    let replying = async |reply: fn() -> Vec<u8>| PathServer::start(move |_, _| Some(reply())).await;
    let cases: [Case; 4] = [
        (
            || status(401, &json!({ "error": { "message": "bad key", "code": "invalid_api_key" } })),
            "rejected-key",
            "key was not accepted",
        ),
        (
            || status(429, &json!({ "error": { "message": "pay", "code": "insufficient_quota" } })),
            "out-of-credit",
            "no credit left",
        ),
        (
            || {
                b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/html\r\n\r\n<html>Hi</html>"
                    .to_vec()
            },
            "malformed-answer",
            "web page",
        ),
        (
            || b"HTTP/1.1 404 No\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\nnope".to_vec(),
            "settings",
            "no model server at this address",
        ),
    ];
    for (reply, code, words) in cases {
        let server = replying(reply).await;
        let (found, message) = test(at(&server.url(), "m"), Some(SECRET)).await;
        assert_eq!(found, code, "{message}");
        assert!(message.contains(words), "{message}");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (code, message) = test(at(&format!("http://127.0.0.1:{port}"), "m"), None).await;
    assert_eq!(code, "network");
    assert!(message.contains("Nothing answers") && message.contains(&port.to_string()), "{message}");
    let (_, message) = test(at("http://no-such-host.invalid", "m"), None).await;
    assert!(message.contains("name cannot be found"), "{message}");
    let (code, message) = test(at("nonsense", "m"), None).await;
    assert_eq!((code.as_str(), message.contains("https://host/v1")), ("settings", true), "{message}");
}

#[tokio::test]
async fn keys_that_are_none_are_refused() {
    let (_home, engine) = fresh().await;
    for key in ["", "  ", "a b\u{7}", "schlüssel"] {
        let error = engine.set_key(ProviderKind::OpenAi, key.into()).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput, "{key}");
    }
    let places: Vec<_> = engine.key_statuses().await.iter().map(|status| status.place).collect();
    assert_eq!(places, [KeyPlace::None; 4]);
}

#[tokio::test]
async fn a_key_is_nowhere_in_the_data_folder_an_export_or_a_printed_engine() {
    let server = server().await;
    let (home, engine) = fresh().await;
    engine.set_key(ProviderKind::Local, SECRET.into()).await.unwrap();
    engine.set_key(ProviderKind::OpenAi, SECRET.into()).await.unwrap();
    let chosen = choice(ProviderKind::Local, Some(&server.url()), Some("big-model"));
    engine.set_settings(main_model(chosen.clone())).await.unwrap();
    engine.test_connection(chosen, Some(SECRET.into())).await;
    let session = engine.create_session(None, Some(home.path().display().to_string())).await.unwrap();
    engine.submit(session.id, Command::Rename { title: "Keys".to_owned() }).await.unwrap();
    let exported = engine.export_session(session.id).await.unwrap();
    let report = engine.report(session.id).await.unwrap();
    let settings = serde_json::to_string(&engine.settings()).unwrap();
    let status = serde_json::to_string(&engine.model_status()).unwrap();
    for text in [exported, report, settings, status, format!("{engine:?}")] {
        assert!(!text.contains(SECRET), "{text}");
    }
    drop(engine);
    let mut files = 0;
    let mut folders = vec![home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                files += 1;
                let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
                assert!(!found, "{}", path.display());
            }
        }
    }
    assert!(files > 0);
}
