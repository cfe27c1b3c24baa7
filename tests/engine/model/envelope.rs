//! A model without tool calls looks like one that has them.

use std::sync::Arc;

use planwright_engine::model::decode::Answer;
use planwright_engine::model::{
    Envelope, ModelError, ModelEvent, ModelProvider as _, ModelRequest, ProviderKind, StopReason, ToolSpec,
};
use planwright_engine::protocol::ToolSupport;
use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::{answer, gather, provider, request};

fn with_tools() -> ModelRequest {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "Does something.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
    };
    ModelRequest { tools: vec![tool("read_file"), tool("ls")], ..request() }
}

/// Asks a model that answers so.
async fn asked(replies: Vec<Reply>) -> (Vec<ModelEvent>, Option<ModelError>, ModelServer) {
    let server = ModelServer::start(replies).await;
    let envelope = Envelope::new(Arc::new(provider(&server, ProviderKind::Local)));
    assert_eq!(envelope.info().tools, ToolSupport::Envelope);
    let (events, error) = gather(&envelope, with_tools()).await;
    (events, error, server)
}

/// The text in pieces, as a model streams it, and how it ends.
fn streamed(text: &str, piece: usize, reason: &str) -> Reply {
    let mut body = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.ceil_char_boundary(piece.min(rest.len())));
        rest = later;
        let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": now } }] });
        body += &format!("data: {chunk}\n\n");
    }
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 7 } });
    Reply::stream(body + format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n").as_str())
}

fn calls(said: &Answer) -> Vec<(&str, Value)> {
    said.tool_calls.iter().map(|call| (call.name.as_str(), call.parsed().unwrap())).collect()
}

const TWO: &str = r#"{"say": "I look at \"both\" 🚗.", "tools": [{"name": "ls", "parameters": {"path": "."}}, {"name": "read_file", "parameters": {"path": "a"}}]}"#;

#[tokio::test]
async fn what_it_says_streams_and_its_calls_follow_whole() {
    for piece in [1, 3, 1000] {
        let (events, error, server) = asked(vec![streamed(TWO, piece, "stop")]).await;
        assert_eq!(error, None);
        let pieces = events.iter().filter(|event| matches!(event, ModelEvent::Text { .. })).count();
        assert!(piece == 1000 || pieces > 3, "{pieces}");
        assert!(matches!(events.last(), Some(ModelEvent::Stop { reason: StopReason::ToolUse })));
        let said = answer(events);
        assert_eq!(said.text, "I look at \"both\" 🚗.");
        assert_eq!(calls(&said), [("ls", json!({ "path": "." })), ("read_file", json!({ "path": "a" }))]);
        assert!(said.tool_calls.iter().all(|call| call.whole));
        assert_ne!(said.tool_calls[0].id, said.tool_calls[1].id);
        assert_eq!(said.usage.map(|usage| usage.input_tokens), Some(100));
        let body = &server.requests()[0].body;
        assert!(body.get("tools").is_none());
        assert!(body["messages"][0]["content"].as_str().unwrap().contains("- ls: Does something."));
        let schema = &body["response_format"]["json_schema"]["schema"];
        assert_eq!(schema["properties"]["tools"]["items"]["anyOf"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn without_calls_the_turn_ends() {
    let (events, error, _) = asked(vec![streamed(r#"{"say": "Done.", "tools": []}"#, 4, "stop")]).await;
    assert_eq!(error, None);
    let said = answer(events);
    assert_eq!((said.text.as_str(), said.stop_reason), ("Done.", Some(StopReason::EndTurn)));
    assert!(said.tool_calls.is_empty());
}

#[tokio::test]
async fn an_answer_is_mended_once_with_what_was_wrong() {
    let broken = r#"{"say": "Looking.", "tools": [{"name": "ls"}]}"#;
    let (events, error, server) = asked(vec![streamed(broken, 5, "stop"), streamed(TWO, 5, "stop")]).await;
    assert_eq!(error, None);
    let said = answer(events);
    assert_eq!(said.text, "Looking.", "what was said already is not said again in other words");
    assert_eq!(said.tool_calls.len(), 2);
    assert_eq!(said.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((200, 14)));
    let messages = &server.requests()[1].body["messages"];
    assert_eq!(messages[2], json!({ "role": "assistant", "content": broken }));
    assert!(messages[3]["content"].as_str().unwrap().contains("missing field `parameters`"), "{messages}");

    let (events, error, server) = asked(vec![streamed(broken, 5, "stop")]).await;
    assert_eq!(error.map(|error| error.code()), Some("malformed-answer"));
    assert!(answer(events).tool_calls.is_empty(), "a call is never made up");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_model_that_only_talks_is_heard() {
    let (events, error, server) = asked(vec![streamed("I would list the folder.", 5, "stop")]).await;
    assert_eq!((error, server.requests().len()), (None, 2));
    let said = answer(events);
    assert_eq!(
        (said.text.as_str(), said.stop_reason),
        ("I would list the folder.", Some(StopReason::EndTurn))
    );
}

#[tokio::test]
async fn an_answer_at_its_limit_keeps_what_it_said_and_runs_nothing() {
    let cut = r#"{"say": "First I look", "tools": [{"name": "ls", "para"#;
    let (events, error, server) = asked(vec![streamed(cut, 6, "length")]).await;
    assert_eq!((error, server.requests().len()), (None, 1));
    let said = answer(events);
    assert_eq!((said.text.as_str(), said.stop_reason), ("First I look", Some(StopReason::MaxTokens)));
    assert!(said.tool_calls.is_empty());
}

#[tokio::test]
async fn a_stream_that_breaks_off_keeps_what_it_said_and_runs_nothing() {
    let piece = json!({ "choices": [{ "index": 0, "delta": { "content": &TWO[..60] } }] });
    let (events, error, _) = asked(vec![Reply::stream(format!("data: {piece}\n\n"))]).await;
    assert_eq!(error, Some(ModelError::EndedEarly));
    let said = answer(events);
    assert!(said.text.starts_with("I look at") && said.tool_calls.is_empty());
}

#[tokio::test]
async fn a_server_with_calls_of_its_own_after_all_is_understood() {
    let native = include_bytes!("../../support/fixtures/streams/openai/parallel.sse");
    let (events, error, server) = asked(vec![Reply::stream(native)]).await;
    assert_eq!((error, server.requests().len()), (None, 1));
    let said = answer(events);
    assert_eq!(said.tool_calls.len(), 2);
    assert_eq!(said.stop_reason, Some(StopReason::ToolUse));
}

#[tokio::test]
async fn a_request_without_tools_goes_through_unchanged() {
    let server = ModelServer::start(vec![Reply::openai("plain words")]).await;
    let envelope = Envelope::new(Arc::new(provider(&server, ProviderKind::Local)));
    let (events, error) = gather(&envelope, request()).await;
    assert_eq!((answer(events).text.as_str(), error), ("plain words", None));
    assert!(server.requests()[0].body.get("response_format").is_none());
}
