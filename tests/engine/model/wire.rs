//! Requests as they are written, answers as they are told apart.

use futures_util::StreamExt as _;
use planwright_engine::model::decode::ToolCall;
use planwright_engine::model::{
    Content, Limits, ModelError, ModelMessage, ModelProvider as _, ModelRequest, NetworkProblem, Provider,
    ProviderKind, Role, StopReason, ToolSpec, from_variables, stronger_from_variables,
};
use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::json;
use tokio::sync::watch;

use super::{OPENAI, answer, ask, error_of, limits, provider};

const ANTHROPIC: &[u8] = include_bytes!("../../support/fixtures/streams/anthropic/tool.sse");

#[tokio::test]
async fn both_dialects_come_through_split_at_every_byte() {
    let server = ModelServer::start(vec![Reply::byte_by_byte(ANTHROPIC)]).await;
    let (events, error) = ask(&provider(&server, ProviderKind::Anthropic)).await;
    assert_eq!(error, None);
    let said = answer(events);
    assert_eq!((said.text.as_str(), said.stop_reason), ("Let me look.", Some(StopReason::ToolUse)));
    let call = ToolCall {
        id: "toolu_01".to_owned(),
        name: "get_weather".to_owned(),
        arguments: "{\"location\": \"San Francisco, CA\", \"unit\": \"c\"}".to_owned(),
        whole: true,
        extra: serde_json::Map::new(),
    };
    assert_eq!(said.tool_calls, [call]);

    let server = ModelServer::start(vec![Reply::byte_by_byte(OPENAI)]).await;
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!(error, None);
    let said = answer(events);
    let calls: Vec<_> =
        said.tool_calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("f", "{\"a\":1}"), ("g", "{\"b\":2}")]);
}

#[tokio::test]
async fn each_dialect_is_asked_in_its_own_words() {
    let conversation = ModelRequest {
        system: "Be brief.".to_owned(),
        messages: vec![
            ModelMessage::user("list"),
            ModelMessage {
                role: Role::Assistant,
                content: vec![
                    Content::Text { text: "Looking.".to_owned() },
                    Content::ToolUse {
                        id: "c1".to_owned(),
                        name: "ls".to_owned(),
                        input: json!({ "p": "." }),
                        extra: serde_json::Map::new(),
                    },
                ],
            },
            ModelMessage {
                role: Role::User,
                content: vec![Content::ToolResult {
                    tool_use_id: "c1".to_owned(),
                    content: "a.txt".to_owned(),
                    is_error: false,
                }],
            },
        ],
        tools: vec![ToolSpec {
            name: "ls".to_owned(),
            description: "Lists.".to_owned(),
            parameters: json!({ "type": "object" }),
        }],
        max_tokens: 100,
        schema: Some(json!({ "type": "object" })),
    };
    let ask = async |kind| {
        let server = ModelServer::start(vec![Reply::openai("ok")]).await;
        let (_running, cancel) = watch::channel(false);
        let stream = provider(&server, kind).stream(conversation.clone(), cancel);
        stream.collect::<Vec<_>>().await;
        server.requests().remove(0)
    };

    let anthropic = ask(ProviderKind::Anthropic).await;
    assert!(anthropic.head.starts_with("post /v1/messages "), "{}", anthropic.head);
    assert!(
        anthropic.head.contains("x-api-key: sk-secret")
            && anthropic.head.contains("anthropic-version: 2023-06-01")
    );
    let keep = json!({ "type": "ephemeral" });
    assert_eq!(
        anthropic.body["system"],
        json!([{ "type": "text", "text": "Be brief.", "cache_control": keep }])
    );
    assert_eq!(
        anthropic.body["messages"][2]["content"],
        json!([{ "type": "tool_result", "tool_use_id": "c1", "content": "a.txt", "cache_control": keep }])
    );
    assert_eq!(anthropic.body["tools"][0]["input_schema"], json!({ "type": "object" }));

    let openai = ask(ProviderKind::OpenAi).await;
    assert!(openai.head.starts_with("post /v1/chat/completions "), "{}", openai.head);
    assert!(openai.head.contains("authorization: bearer sk-secret"));
    assert_eq!(openai.body["messages"][0], json!({ "role": "system", "content": "Be brief." }));
    assert_eq!(
        openai.body["messages"][3],
        json!({ "role": "tool", "tool_call_id": "c1", "content": "a.txt" })
    );
    assert_eq!(openai.body["messages"][2]["tool_calls"][0]["function"]["arguments"], "{\"p\":\".\"}");
    assert_eq!(openai.body["max_completion_tokens"], 100);

    let local = ask(ProviderKind::Local).await;
    assert_eq!(local.body["response_format"]["json_schema"]["schema"], json!({ "type": "object" }));
    assert_eq!(local.body["max_tokens"], 100);
}

#[tokio::test]
async fn refusals_of_a_request_are_told_apart() {
    let json_head = &["content-type: application/json"][..];
    let cases: [(ProviderKind, u16, &str, &str); 14] = [
        (
            ProviderKind::Anthropic,
            401,
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            "rejected-key",
        ),
        (
            ProviderKind::OpenAi,
            401,
            r#"{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            "rejected-key",
        ),
        (
            ProviderKind::Moonshot,
            401,
            r#"{"error":{"message":"Invalid Authentication","type":"invalid_authentication_error"}}"#,
            "rejected-key",
        ),
        (ProviderKind::OpenAi, 403, "{}", "rejected-key"),
        (
            ProviderKind::OpenAi,
            404,
            r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
            "unknown-model",
        ),
        (
            ProviderKind::Anthropic,
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
            "unknown-model",
        ),
        (ProviderKind::Local, 404, r#"{"error":"model 'x' not found"}"#, "unknown-model"),
        (ProviderKind::Local, 404, "404 page not found", "settings"),
        (
            ProviderKind::OpenAi,
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            "out-of-credit",
        ),
        (
            ProviderKind::OpenAi,
            400,
            r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#,
            "context-overflow",
        ),
        (
            ProviderKind::Anthropic,
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#,
            "context-overflow",
        ),
        (
            ProviderKind::Local,
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            "context-overflow",
        ),
        (
            ProviderKind::OpenAi,
            400,
            r#"{"error":{"message":"flagged","code":"content_policy_violation"}}"#,
            "refused",
        ),
        (
            ProviderKind::OpenAi,
            400,
            r#"{"error":{"message":"bad messages","type":"invalid_request_error"}}"#,
            "bad-request",
        ),
    ];
    for (kind, status, body, code) in cases {
        let (error, requests) = error_of(Reply::status(status, json_head, body), kind).await;
        assert_eq!((error.code(), requests), (code, 1), "{status} {body}: {error}");
        assert!(!error.to_string().contains("sk-secret"));
    }
}

#[tokio::test]
async fn answers_that_are_none_are_told_plainly() {
    let page = "<html>Sign in</html>";
    for (reply, word) in [
        (Reply::status(200, &["content-type: text/html; charset=utf-8"], page), "web page"),
        (Reply::stream(page), "web page"),
        (Reply::status(200, &[], "hello"), "not a stream"),
        (Reply::stream("data: {\"choices\":[{]}\n\n"), "broken JSON"),
        (Reply::status(200, &["content-type: application/json"], "{\"hello\":1}"), "no completion"),
    ] {
        let (error, requests) = error_of(reply, ProviderKind::Local).await;
        assert_eq!((error.code(), requests), ("malformed-answer", 1));
        assert!(error.to_string().contains(word), "{error}");
    }
    let (error, _) =
        error_of(Reply::status(302, &["location: http://127.0.0.1:1/"], ""), ProviderKind::Local).await;
    assert_eq!(error.code(), "settings");
}

#[tokio::test]
async fn invalid_utf8_loses_nothing_and_is_said_at_the_end() {
    let body = include_bytes!("../../support/fixtures/streams/openai/invalid_utf8.sse");
    let server = ModelServer::start(vec![Reply::byte_by_byte(body)]).await;
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!(answer(events).text, "caf\u{FFFD}\u{FFFD} e\u{FFFD}.");
    assert!(error.unwrap().to_string().contains("UTF-8"));
}

#[tokio::test]
async fn network_errors_are_told_apart() {
    let failing = async |url: &str| {
        let provider = Provider::new(ProviderKind::Local, Some(url), "m".to_owned(), None)
            .unwrap()
            .with_limits(Limits { attempts: 1, ..limits() });
        match ask(&provider).await.1 {
            Some(ModelError::Network { problem, .. }) => problem,
            other => panic!("{url}: {other:?}"),
        }
    };
    // A port that was just free.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert_eq!(failing(&format!("http://127.0.0.1:{port}")).await, NetworkProblem::Connect);
    assert_eq!(failing("http://no-such-host.invalid").await, NetworkProblem::Name);
    // A plain server where a secure one is expected.
    let server = ModelServer::start(vec![Reply::stream("")]).await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        use std::io::Write as _;
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    assert_eq!(failing(&plain).await, NetworkProblem::Secure);
    drop(server);
}

#[tokio::test]
async fn a_server_that_cannot_hold_to_a_schema_is_asked_without() {
    let refused = Reply::status(
        400,
        &[],
        r#"{"error":{"message":"'response_format' is not supported","type":"invalid_request_error"}}"#,
    );
    let server = ModelServer::start(vec![refused, Reply::openai("{}")]).await;
    let said = provider(&server, ProviderKind::Local)
        .call_raw("s", &["q".to_owned()], Some(&json!({ "type": "object" })), &|_| {})
        .await;
    assert_eq!(said, Ok("{}".to_owned()));
    let requests = server.requests();
    assert!(
        requests[0].body.get("response_format").is_some()
            && requests[1].body.get("response_format").is_none()
    );
}

#[tokio::test]
async fn call_raw_gives_text_or_a_reason() {
    let call = async |reply| {
        let server = ModelServer::start(vec![reply]).await;
        provider(&server, ProviderKind::OpenAi)
            .call_raw("s", &["q".to_owned(), "a".to_owned(), "q2".to_owned()], None, &|_| {})
            .await
    };
    assert_eq!(call(Reply::openai("hi")).await, Ok("hi".to_owned()));
    assert_eq!(call(Reply::openai(" ")).await.unwrap_err().code(), "empty-answer");
    let refusal = include_bytes!("../../support/fixtures/streams/openai/refusal.sse");
    assert_eq!(call(Reply::stream(refusal)).await.unwrap_err().code(), "refused");
    let filtered = include_bytes!("../../support/fixtures/streams/openai/content_filter.sse");
    assert_eq!(call(Reply::stream(filtered)).await.unwrap_err().code(), "refused");
}

#[tokio::test]
async fn keys_are_never_printed_and_missing_ones_are_said() {
    let server = ModelServer::start(vec![Reply::openai("x")]).await;
    assert!(!format!("{:?}", provider(&server, ProviderKind::OpenAi)).contains("sk-secret"));
    // Nor where a server repeats them: its words are shown and journalled.
    let echo = r#"{"error":{"message":"Incorrect key sk-secret, slow down","code":"rate_limit_exceeded"}}"#;
    let limited = Reply::status(429, &["retry-after: 0.01"], echo);
    let server = ModelServer::start(vec![limited, Reply::status(401, &[], echo)]).await;
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    let told = format!("{events:?} {error:?}");
    assert!(told.contains("Incorrect key …, slow down") && !told.contains("sk-secret"), "{told}");
    let error = provider(&server, ProviderKind::OpenAi).models().await.unwrap_err();
    assert!(!error.to_string().contains("sk-secret"), "{error}");
    let missing = Provider::new(ProviderKind::Anthropic, None, "m".to_owned(), None).unwrap_err();
    assert_eq!(missing.code(), "no-key");
    for url in ["not a url", "ftp://host", "http://"] {
        assert_eq!(
            Provider::new(ProviderKind::Local, Some(url), "m".to_owned(), None).unwrap_err().code(),
            "settings"
        );
    }
}

#[tokio::test]
async fn models_are_listed() {
    let list = Reply::status(
        200,
        &["content-type: application/json"],
        r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#,
    );
    let server = ModelServer::start(vec![list]).await;
    let models = provider(&server, ProviderKind::Local).models().await;
    assert_eq!(models, Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert!(server.requests()[0].head.starts_with("get /v1/models "));
}

#[tokio::test]
async fn the_environment_names_a_provider_or_says_what_to_set() {
    let from = async |pairs: &[(&str, &str)]| {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(name, value)| (format!("PLANWRIGHT_{name}"), (*value).to_owned())).collect();
        from_variables(|name| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
            .await
    };
    assert!(from(&[]).await.unwrap().is_none());
    assert!(from(&[("PROVIDER", " "), ("MODEL", "x")]).await.unwrap().is_none());
    let provider =
        from(&[("PROVIDER", "Anthropic"), ("API_KEY", "k"), ("MODEL", "m")]).await.unwrap().unwrap();
    assert_eq!((provider.kind(), provider.name()), (ProviderKind::Anthropic, "m".to_owned()));
    assert_eq!(from(&[("PROVIDER", "openai")]).await.unwrap_err().code(), "no-key");
    assert_eq!(from(&[("PROVIDER", "claude")]).await.unwrap_err().code(), "settings");
    assert_eq!(from(&[("PROVIDER", "openai"), ("API_KEY", "a\nb")]).await.unwrap_err().code(), "settings");

    let stronger = async |pairs: &[(&str, &str)]| {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(name, value)| (format!("PLANWRIGHT_{name}"), (*value).to_owned())).collect();
        stronger_from_variables(|name| {
            pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        })
        .await
    };
    let main = [("PROVIDER", "anthropic"), ("API_KEY", "k"), ("MODEL", "m")];
    assert!(stronger(&main).await.unwrap().is_none());
    let more = |own: &[(&'static str, &'static str)]| [main.as_slice(), own].concat();
    let same = stronger(&more(&[("STRONGER_MODEL", "big")])).await.unwrap().unwrap();
    assert_eq!((same.kind(), same.name()), (ProviderKind::Anthropic, "big".to_owned()));
    // Another provider, or another server, does not get the main one's key.
    for other in [("STRONGER_PROVIDER", "openai"), ("STRONGER_BASE_URL", "https://else.example")] {
        let refused = stronger(&more(&[other, ("STRONGER_MODEL", "big")])).await.unwrap_err();
        assert_eq!(refused.code(), "no-key", "{other:?}");
    }
    let own = [("STRONGER_PROVIDER", "openai"), ("STRONGER_API_KEY", "k"), ("STRONGER_MODEL", "o")];
    assert_eq!(stronger(&more(&own)).await.unwrap().unwrap().kind(), ProviderKind::OpenAi);

    let list = Reply::status(200, &["content-type: application/json"], r#"{"data":[{"id":"first"}]}"#);
    let server = ModelServer::start(vec![list]).await;
    let found = from(&[("BASE_URL", &server.url())]).await.unwrap().unwrap();
    assert_eq!((found.kind(), found.name()), (ProviderKind::Local, "first".to_owned()));
    let empty = Reply::status(200, &["content-type: application/json"], r#"{"data":[]}"#);
    let server = ModelServer::start(vec![empty]).await;
    assert_eq!(from(&[("BASE_URL", &server.url())]).await.unwrap_err().code(), "settings");
}
