//! Servers as they are: what they write beside the dialect goes back to them, and what passes is waited for.

use planwright_engine::protocol::{AnswerPart, ChatEntry, TurnEnd};
use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::Talk;

fn chunk(delta: Value, reason: Value) -> String {
    let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    format!("data: {chunk}\n\n")
}

fn call(more: Value) -> Value {
    let mut call = json!({
        "index": 0, "id": "call_a", "type": "function",
        "function": { "name": "list_dir", "arguments": "{\"path\": \".\"}" },
    });
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "tool_calls": [call] })
}

/// The second request's message that holds the first answer.
async fn sent_back(answer: String) -> Value {
    let server = ModelServer::start(vec![Reply::stream(answer), Reply::openai("Done.")]).await;
    let mut talk = Talk::of(server.url()).await;
    assert_eq!(talk.turn("look").await, TurnEnd::Done);
    let requests = server.requests();
    let messages = requests[1].body["messages"].as_array().unwrap().clone();
    messages.into_iter().find(|message| message["role"] == "assistant").unwrap()
}

#[tokio::test]
async fn a_proof_of_the_thought_behind_a_call_goes_back_with_it() {
    let proof = json!({ "extra_content": { "google": { "thought_signature": "proof" } }, "strict": true });
    let body = chunk(call(proof), Value::Null) + &*chunk(json!({}), json!("tool_calls")) + "data: [DONE]\n\n";
    let message = sent_back(body).await;
    let call = &message["tool_calls"][0];
    assert_eq!(call["extra_content"], json!({ "google": { "thought_signature": "proof" } }));
    assert_eq!(
        (&call["strict"], &call["type"], &call["id"]),
        (&json!(true), &json!("function"), &json!("call_a"))
    );
}

#[tokio::test]
async fn reasoning_goes_back_with_the_call_under_the_names_it_came_with() {
    for name in ["reasoning_content", "reasoning", "reasoning_text"] {
        let body = chunk(json!({ name: "h" }), Value::Null)
            + &*chunk(json!({ name: "m" }), Value::Null)
            + &*chunk(call(json!({})), Value::Null)
            + &*chunk(json!({}), json!("tool_calls"));
        let message = sent_back(body).await;
        assert_eq!(message[name], "hm", "{message}");
    }
    let detail = |more: Value| {
        let mut entry = json!({ "type": "reasoning.text", "index": 0, "format": "x" });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        chunk(json!({ "reasoning_details": [entry] }), Value::Null)
    };
    let body = detail(json!({ "text": "h" }))
        + &*detail(json!({ "text": "m" }))
        + &*detail(json!({ "signature": "proof" }))
        + &*chunk(call(json!({})), Value::Null)
        + &*chunk(json!({}), json!("tool_calls"));
    let message = sent_back(body).await;
    let whole =
        json!([{ "type": "reasoning.text", "index": 0, "format": "x", "text": "hm", "signature": "proof" }]);
    assert_eq!(message["reasoning_details"], whole);
}

/// A server that leaves the reasoning in the text wants it there.
#[tokio::test]
async fn reasoning_in_the_text_goes_back_with_the_call_in_the_text() {
    let body = chunk(json!({ "content": "<think>hm" }), Value::Null)
        + &*chunk(json!({ "content": "</think>I look." }), Value::Null)
        + &*chunk(call(json!({})), Value::Null)
        + &*chunk(json!({}), json!("tool_calls"));
    let message = sent_back(body).await;
    assert_eq!(message["content"], "<think>\nhm\n</think>\n\nI look.", "{message}");
}

/// Without a call nothing is to be gone on with.
#[tokio::test]
async fn reasoning_of_an_answer_without_a_call_stays_here() {
    let body = chunk(json!({ "reasoning_content": "hm" }), Value::Null)
        + &*chunk(json!({ "content": "Yes." }), Value::Null)
        + &*chunk(json!({}), json!("stop"));
    let server = ModelServer::start(vec![Reply::stream(body), Reply::openai("Done.")]).await;
    let mut talk = Talk::of(server.url()).await;
    assert_eq!(talk.turn("look").await, TurnEnd::Done);
    assert_eq!(talk.turn("again").await, TurnEnd::Done);
    assert!(!server.requests()[1].body.to_string().contains("reasoning_content"));
}

#[tokio::test]
async fn an_overload_behind_the_first_words_is_waited_for() {
    let overloaded = json!({ "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let body =
        chunk(json!({ "content": "I was about to" }), Value::Null) + &*format!("data: {overloaded}\n\n");
    let server = ModelServer::start(vec![Reply::stream(body), Reply::openai("Here again.")]).await;
    let mut talk = Talk::of(server.url()).await;
    assert_eq!(talk.turn("hello").await, TurnEnd::Done);
    let state = talk.state().await;
    let said: Vec<&AnswerPart> = state
        .conversation
        .entries
        .iter()
        .filter_map(|entry| match entry {
            ChatEntry::Answer { parts, .. } => Some(parts),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(said, [&AnswerPart::Text { text: "Here again.".to_owned() }]);
}

#[tokio::test]
async fn a_refusal_is_said_to_be_one() {
    let body = chunk(json!({ "refusal": "I cannot " }), Value::Null)
        + &*chunk(json!({ "refusal": "help with that." }), Value::Null)
        + &*chunk(json!({}), json!("stop"));
    let server = ModelServer::start(vec![Reply::stream(body)]).await;
    let mut talk = Talk::of(server.url()).await;
    assert_eq!(talk.turn("hello").await, TurnEnd::Refused { why: "I cannot help with that.".to_owned() });
}

#[tokio::test]
async fn an_error_in_a_form_that_nobody_knows_is_an_error() {
    let server =
        ModelServer::start(vec![Reply::stream("data: {\"errorMsg\": \"no more tea\"}\n\ndata: [DONE]\n\n")])
            .await;
    let mut talk = Talk::of(server.url()).await;
    let end = talk.turn("hello").await;
    assert!(matches!(&end, TurnEnd::Failed { message, .. } if message.contains("no more tea")), "{end:?}");
}
