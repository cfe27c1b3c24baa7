//! What a server can do is found out once, truthfully, and with as few questions as it takes.

use std::sync::Arc;

use planwright_engine::model::{
    Capabilities, ModelProvider as _, ModelRequest, Provider, ProviderKind, ToolSpec,
};
use planwright_engine::protocol::ToolSupport;
use planwright_tests::path_server::{PathServer, calls, document, says, status};
use serde_json::{Value, json};

use super::{answer, gather, limits, request};

fn provider(server: &PathServer, model: &str) -> Provider {
    Provider::new(ProviderKind::Local, Some(&server.url()), model.to_owned(), None)
        .unwrap()
        .with_limits(limits())
}

fn has_tools(body: &Value) -> bool {
    body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

fn has_schema(body: &Value) -> bool {
    body["response_format"]["type"] == "json_schema"
}

#[tokio::test]
async fn a_server_that_says_nothing_is_put_to_the_test_once() {
    let server = PathServer::start(|path, body| match path {
        "/v1/chat/completions" if has_tools(body) => Some(calls("get_weather", &json!({ "city": "Paris" }))),
        "/v1/chat/completions" if has_schema(body) => Some(says(r#"{"fruit": "pear"}"#)),
        "/v1/chat/completions" => Some(says("Hello.")),
        "/v1/models" => Some(document(&json!({ "data": [{ "id": "m", "max_model_len": 32768 }] }))),
        _ => None,
    })
    .await;
    let provider = provider(&server, "m");
    assert_eq!(provider.info().tools, ToolSupport::Unknown);
    let expected = Capabilities { tools: ToolSupport::Native, schema: true, context_tokens: Some(32768) };
    assert_eq!(provider.probe().await, expected);
    let asked = server.completions();
    assert_eq!(asked, 2, "one question with a tool, one with a schema");
    // Known from now on, also to another provider of the same model.
    assert_eq!(self::provider(&server, "m").probe().await, expected);
    assert_eq!(server.completions(), asked);
    let info = provider.info();
    assert_eq!((info.tools, info.context_tokens), (ToolSupport::Native, Some(32768)));
    // Another model of the same server is another matter.
    assert_eq!(self::provider(&server, "other").info().tools, ToolSupport::Unknown);
}

#[tokio::test]
async fn a_model_that_only_talks_has_no_tools_and_keeps_to_no_schema() {
    let server = PathServer::start(|path, _| {
        (path == "/v1/chat/completions").then(|| says("The weather in Paris is lovely."))
    })
    .await;
    assert_eq!(
        provider(&server, "talker").probe().await,
        Capabilities { tools: ToolSupport::Envelope, schema: false, context_tokens: None }
    );
}

#[tokio::test]
async fn a_refusal_of_tools_is_an_answer_and_an_outage_is_none() {
    let refusing = PathServer::start(|path, body| match path {
        "/v1/chat/completions" if has_tools(body) => {
            Some(status(400, &json!({ "error": { "message": "m does not support tools" } })))
        }
        "/v1/chat/completions" => Some(says("Hello.")),
        _ => None,
    })
    .await;
    assert_eq!(provider(&refusing, "m").probe().await.tools, ToolSupport::Envelope);
    let failing = PathServer::start(|_, _| Some(status(503, &json!({ "error": "loading" })))).await;
    let provider = provider(&failing, "m");
    assert_eq!(
        provider.probe().await,
        Capabilities { tools: ToolSupport::Unknown, schema: false, context_tokens: None }
    );
    let asked = failing.completions();
    provider.probe().await;
    assert!(failing.completions() > asked, "what was not found out is asked again");
}

#[tokio::test]
async fn what_a_server_says_of_itself_is_believed() {
    let llama = PathServer::start(|path, _| match path {
        "/props" => Some(document(&json!({
            "default_generation_settings": { "n_ctx": 4096 },
            "chat_template_caps": { "supports_tools": false, "supports_tool_calls": false },
        }))),
        "/v1/chat/completions" => Some(says("Hello.")),
        _ => None,
    })
    .await;
    let found = provider(&llama, "small").probe().await;
    assert_eq!((found.tools, found.context_tokens), (ToolSupport::Envelope, Some(4096)));
    assert!(llama.asked().iter().all(|(_, body)| !has_tools(body)), "it was not put to the test");

    let ollama = PathServer::start(|path, body| match path {
        "/api/show" if body["model"] == "qwen3:8b" => Some(document(&json!({
            "capabilities": ["completion", "tools"], "model_info": { "qwen3.context_length": 40960 },
        }))),
        "/api/ps" => Some(document(&json!({ "models": [{ "model": "qwen3:8b", "context_length": 8192 }] }))),
        "/v1/chat/completions" => Some(says(r#"{"fruit":"apple"}"#)),
        _ => None,
    })
    .await;
    assert_eq!(
        provider(&ollama, "qwen3:8b").probe().await,
        Capabilities { tools: ToolSupport::Native, schema: true, context_tokens: Some(8192) }
    );
}

#[tokio::test]
async fn cloud_providers_are_known_and_not_asked() {
    let server = PathServer::start(|_, _| None).await;
    for (kind, model, schema) in [
        (ProviderKind::OpenAi, "gpt-5-mini", true),
        (ProviderKind::Moonshot, "kimi-k2.6", true),
        (ProviderKind::Anthropic, "claude-sonnet-5-5", false),
    ] {
        let provider = Provider::new(kind, Some(&server.url()), model.to_owned(), None).unwrap();
        let found = provider.probe().await;
        assert_eq!((found.tools, found.schema), (ToolSupport::Native, schema), "{kind:?}");
        assert!(found.context_tokens.is_some_and(|tokens| tokens > 100_000), "{kind:?}");
        assert!(provider.info().price.is_some(), "{kind:?}");
    }
    assert!(server.asked().is_empty());
}

fn with_tools() -> ModelRequest {
    ModelRequest {
        tools: vec![ToolSpec {
            name: "ls".to_owned(),
            description: "Lists a folder.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        }],
        ..request()
    }
}

/// Asks twice with tools, and once without before; gives how many completions that took, and what was said.
async fn conversation(server: &PathServer) -> (usize, String) {
    let model = provider(server, "m").fitted();
    let (events, error) = gather(model.as_ref(), request()).await;
    assert_eq!((error, answer(events).text.as_str()), (None, "Hello."));
    assert_eq!(server.asked().len(), 1, "without tools there is nothing to find out");
    let mut text = String::new();
    for _ in 0..2 {
        let (events, error) = gather(model.as_ref(), with_tools()).await;
        assert_eq!(error, None);
        let said = answer(events);
        assert_eq!(said.tool_calls.len(), 1);
        assert_eq!((said.tool_calls[0].name.as_str(), said.tool_calls[0].whole), ("ls", true));
        assert_eq!(said.tool_calls[0].parsed().unwrap(), json!({ "path": "." }));
        text = said.text;
    }
    (server.completions(), text)
}

const LOOKING: &str = r#"{"say": "Looking.", "tools": [{"name": "ls", "parameters": {"path": "."}}]}"#;

#[tokio::test]
async fn a_conversation_drives_each_model_in_its_own_way() {
    let native = PathServer::start(|path, body| match path {
        "/v1/chat/completions" if has_tools(body) => Some(calls("ls", &json!({ "path": "." }))),
        "/v1/chat/completions" => Some(says("Hello.")),
        _ => None,
    })
    .await;
    assert_eq!(conversation(&native).await, (3, String::new()), "no completion only to find out");
    assert_eq!(provider(&native, "m").info().tools, ToolSupport::Native);
    let looks = native.asked().iter().filter(|(path, _)| path == "/props").count();
    assert_eq!(looks, 1, "it was asked once what it can");
    assert!(native.asked().iter().all(|(path, _)| path != "/api/show"), "it is no Ollama");

    // It refuses tools, and says nothing of itself.
    let refusing = PathServer::start(|path, body| match path {
        "/v1/chat/completions" if has_tools(body) => {
            Some(status(400, &json!({ "error": { "message": "m does not support tools" } })))
        }
        "/v1/chat/completions" if has_schema(body) => Some(says(LOOKING)),
        "/v1/chat/completions" => Some(says("Hello.")),
        _ => None,
    })
    .await;
    assert_eq!(conversation(&refusing).await, (4, "Looking.".to_owned()), "refused once, then never again");
    assert_eq!(provider(&refusing, "m").info().tools, ToolSupport::Envelope);

    // It would ignore tools, and says so.
    let telling = PathServer::start(|path, body| match path {
        "/props" => Some(document(&json!({ "chat_template_caps": { "supports_tool_calls": false } }))),
        "/v1/chat/completions" if has_schema(body) => Some(says(LOOKING)),
        "/v1/chat/completions" => Some(says("Hello.")),
        _ => None,
    })
    .await;
    assert_eq!(conversation(&telling).await, (3, "Looking.".to_owned()));
    assert!(telling.asked().iter().all(|(_, body)| !has_tools(body)));
}

#[tokio::test]
async fn a_server_that_is_away_is_told_as_the_conversation_would_tell_it() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let once = planwright_engine::model::Limits { attempts: 1, ..limits() };
    let away = Provider::new(ProviderKind::Local, Some(&url), "m".to_owned(), None).unwrap();
    let (_, error) = gather(away.with_limits(once).fitted().as_ref(), with_tools()).await;
    assert_eq!(error.map(|error| error.code()), Some("network"));
}

#[tokio::test]
async fn a_stop_during_the_probe_ends_it() {
    let server = planwright_tests::model_server::ModelServer::start(vec![
        planwright_tests::model_server::Reply::silent(),
    ])
    .await;
    let provider = Provider::new(ProviderKind::Local, Some(&server.url()), "m".to_owned(), None).unwrap();
    let model = Arc::clone(&provider.fitted());
    let (stop, cancel) = tokio::sync::watch::channel(false);
    let mut stream = model.stream(with_tools(), cancel);
    let reading = tokio::spawn(async move { futures_util::StreamExt::next(&mut stream).await });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let began = std::time::Instant::now();
    stop.send(true).unwrap();
    let ended = reading.await.unwrap();
    assert_eq!(ended, Some(Err(planwright_engine::model::ModelError::Cancelled)));
    assert!(began.elapsed() < std::time::Duration::from_millis(200), "{:?}", began.elapsed());
}
