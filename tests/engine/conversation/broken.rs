//! Answers that break on the wire: the turn ends with the reason, nothing is lost, and the conversation goes on.

use std::time::Duration;

use planwright_engine::protocol::{AnswerPart, ChatEntry, Command, TurnEnd};
use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::Talk;

fn chunk(delta: Value, reason: Value) -> String {
    let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    format!("data: {chunk}\n\n")
}

fn call_begun() -> String {
    let function = json!({ "name": "shell", "arguments": "{\"command\": \"touch no" });
    let call = json!({ "index": 0, "id": "call_a", "type": "function", "function": function });
    chunk(json!({ "content": "I will" }), Value::Null)
        + chunk(json!({ "tool_calls": [call] }), Value::Null).as_str()
}

/// A conversation with a server that first breaks in this way, and then answers properly.
async fn after(broken: Reply) -> (Talk, TurnEnd) {
    // A failure that may pass is met twice at most before the server is well again.
    let server = ModelServer::start(vec![broken.clone(), broken, Reply::openai("Here again.")]).await;
    let mut talk = Talk::of(server.url()).await;
    let end = talk.turn("hello").await;
    talk.kept = Some(server);
    (talk, end)
}

async fn goes_on(mut talk: Talk) {
    for _ in 0..3 {
        if talk.turn("and now?").await == TurnEnd::Done {
            let state = talk.state().await;
            let users =
                state.conversation.entries.iter().filter(|entry| matches!(entry, ChatEntry::User { .. }));
            assert!(users.count() >= 2, "the words before are still there");
            return;
        }
    }
    panic!("it never went on: {:#?}", talk.state().await.conversation);
}

fn code(end: &TurnEnd) -> &str {
    match end {
        TurnEnd::Failed { code, message } => {
            assert!(message.ends_with('.') || message.contains("The server says"), "{message}");
            code
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_stream_that_stops_in_a_call_runs_nothing_and_keeps_the_words() {
    let (talk, end) = after(Reply::stream(call_begun())).await;
    assert_eq!(code(&end), "ended-early");
    assert!(!talk.folder().join("no").exists());
    let state = talk.state().await;
    let said = state.conversation.entries.iter().any(|entry| match entry {
        ChatEntry::Answer { parts, stop_reason: None, .. } => {
            parts == &[AnswerPart::Text { text: "I will".to_owned() }]
        }
        _ => false,
    });
    assert!(said, "{:#?}", state.conversation.entries);
    goes_on(talk).await;
}

#[tokio::test]
async fn a_page_in_the_place_of_an_answer_is_told() {
    let page =
        Reply::status(200, &["content-type: text/html"], "<html><body>Welcome to the router</body></html>");
    let (talk, end) = after(page).await;
    assert_eq!(code(&end), "malformed-answer");
    goes_on(talk).await;
}

#[tokio::test]
async fn a_broken_frame_is_told() {
    let (talk, end) = after(Reply::stream("data: {\"choices\": [\n\n")).await;
    assert_eq!(code(&end), "malformed-answer");
    goes_on(talk).await;
}

#[tokio::test]
async fn bytes_that_are_no_text_do_no_harm() {
    let mut body = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a".to_vec();
    body.extend([0xff, 0xfe, 0x80]);
    body.extend(b"b\"},\"finish_reason\":null}]}\n\n");
    body.extend(chunk(json!({}), json!("stop")).into_bytes());
    body.extend(b"data: [DONE]\n\n");
    let server = ModelServer::start(vec![Reply::stream(body), Reply::openai("fine")]).await;
    let mut talk = Talk::of(server.url()).await;
    let end = talk.turn("hello").await;
    assert!(matches!(&end, TurnEnd::Done | TurnEnd::Failed { .. }), "{end:?}");
    talk.kept = Some(server);
    goes_on(talk).await;
}

#[tokio::test]
async fn two_megabytes_are_an_answer() {
    let words = "Sheep are woolly. ".repeat(2_000_000 / 18);
    let server = ModelServer::start(vec![Reply::openai(&words), Reply::openai("short")]).await;
    let mut talk = Talk::of(server.url()).await;
    assert_eq!(talk.turn("tell me everything").await, TurnEnd::Done);
    assert_eq!(talk.turn("shorter").await, TurnEnd::Done);
}

/// A stream without an end is ended by the user, and by its size when nobody looks.
#[tokio::test]
async fn an_endless_stream_is_ended() {
    let drip = chunk(json!({ "content": "and so on " }), Value::Null);
    let endless = Reply::stream("").forever(drip, Duration::from_millis(1));
    let server = ModelServer::start(vec![endless, Reply::openai("I stopped.")]).await;
    let mut talk = Talk::of(server.url()).await;
    talk.say("count").await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    talk.submit(Command::Interrupt).await;
    assert_eq!(talk.end().await, TurnEnd::Interrupted);
    assert_eq!(talk.turn("thanks").await, TurnEnd::Done);

    let flood = chunk(json!({ "content": "x".repeat(1 << 20) }), Value::Null);
    let server = ModelServer::start(vec![
        Reply::stream("").forever(flood, Duration::ZERO),
        Reply::openai("I stopped."),
    ])
    .await;
    let mut talk = Talk::of(server.url()).await;
    let end = talk.turn("flood").await;
    assert_eq!(code(&end), "too-large");
    talk.kept = Some(server);
    goes_on(talk).await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told() {
    let mut talk = Talk::of("http://127.0.0.1:9".to_owned()).await;
    let end = talk.turn("hello").await;
    assert_eq!(code(&end), "network");
}
