//! Everything that a server can do wrong, each told apart by its code, with nothing lost and bounded memory.

use std::time::Duration;

use planwright_engine::model::{Limits, ModelError, NetworkProblem, Provider, ProviderKind};
use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::json;

use super::{answer, ask, error_of, limits, provider};

const ANTHROPIC: &[u8] = include_bytes!("../../support/fixtures/streams/anthropic/tool.sse");
const OPENAI: &[u8] = include_bytes!("../../support/fixtures/streams/openai/parallel.sse");

fn delta(content: serde_json::Value) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": content }] }))
}

#[tokio::test]
async fn each_trouble_has_a_code_of_its_own() {
    let head = &["content-type: application/json"][..];
    let error =
        |code: &str, message: &str| json!({ "error": { "code": code, "message": message } }).to_string();
    let said = delta(json!({ "content": "half" }));
    let cases = [
        (Reply::status(404, head, error("model_not_found", "no such model")), "unknown-model"),
        (Reply::status(401, head, error("invalid_api_key", "wrong")), "rejected-key"),
        (Reply::status(429, &["retry-after: 3600"], "{}"), "rate-limit"),
        (Reply::status(429, head, error("insufficient_quota", "pay")), "out-of-credit"),
        (Reply::status(529, &["retry-after: 3600"], "{}"), "overloaded"),
        (Reply::status(500, head, error("server_error", "oops")), "server-error"),
        (Reply::status(400, head, error("context_length_exceeded", "long")), "context-overflow"),
        (Reply::status(400, head, error("bad", "what?")), "bad-request"),
        (Reply::status(200, &["content-type: text/html"], "<html>Sign in</html>"), "malformed-answer"),
        (Reply::status(200, &["content-type: text/plain"], "hello"), "malformed-answer"),
        (Reply::stream(format!("{said}data: {{\"choices\":\n\n")), "malformed-answer"),
        (Reply::stream(said.clone()), "ended-early"),
        (Reply::stream(format!("{said}data: {{\"choi")), "ended-early"),
        (Reply::stream(said).pause(Duration::from_secs(60)), "network"),
        (Reply::status(301, &["location: https://elsewhere"], ""), "settings"),
    ];
    for (reply, code) in cases {
        let words = format!("{reply:?}").chars().take(200).collect::<String>();
        let (error, _) = error_of(reply, ProviderKind::OpenAi).await;
        assert_eq!(error.code(), code, "{words}: {error}");
        assert!(!error.to_string().contains("sk-secret"), "{error}");
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_never_gives_a_call_that_is_not_whole() {
    for (kind, body) in [(ProviderKind::Anthropic, ANTHROPIC), (ProviderKind::OpenAi, OPENAI)] {
        let whole = {
            let server = ModelServer::start(vec![Reply::stream(body)]).await;
            answer(ask(&provider(&server, kind)).await.0)
        };
        let once = Limits { attempts: 1, ..limits() };
        for cut in (1..body.len()).step_by(23) {
            let server = ModelServer::start(vec![Reply::stream(&body[..cut])]).await;
            let (events, error) = ask(&provider(&server, kind).with_limits(once.clone())).await;
            let said = answer(events);
            assert!(whole.text.starts_with(&said.text), "{cut}: {}", said.text);
            for (call, full) in said.tool_calls.iter().zip(&whole.tool_calls) {
                assert!(!call.whole || call == full, "{cut}: {call:?}");
                assert!(full.arguments.starts_with(&call.arguments), "{cut}: {call:?}");
            }
            // Without an error only where nothing but the goodbye is missing.
            assert!(error.is_some() || said == whole, "{cut}: {said:?}");
        }
    }
}

#[tokio::test]
async fn the_same_answer_comes_out_of_any_two_pieces() {
    for (kind, body) in [(ProviderKind::Anthropic, ANTHROPIC), (ProviderKind::OpenAi, OPENAI)] {
        let cuts = || (1..body.len()).step_by(31);
        let pieces =
            |cut: usize| Reply::stream(&body[..cut]).pause(Duration::from_millis(2)).then(&body[cut..]);
        let server = ModelServer::start(cuts().map(pieces).collect()).await;
        let provider = provider(&server, kind);
        let mut answers = Vec::new();
        for cut in cuts() {
            let (events, error) = ask(&provider).await;
            assert_eq!(error, None, "{cut}");
            answers.push(answer(events));
        }
        assert!(answers.len() > 40 && answers.iter().all(|said| *said == answers[0]));
        assert!(answers[0].tool_calls.iter().all(|call| call.whole));
    }
}

#[tokio::test]
async fn broken_arguments_of_a_whole_call_are_told_and_the_rest_is_kept() {
    for (kind, body) in [
        (ProviderKind::OpenAi, &include_bytes!("../../support/fixtures/streams/openai/cut_in_call.sse")[..]),
        (
            ProviderKind::Anthropic,
            &include_bytes!("../../support/fixtures/streams/anthropic/broken_arguments.sse")[..],
        ),
    ] {
        let server = ModelServer::start(vec![Reply::stream(body)]).await;
        let (events, error) = ask(&provider(&server, kind)).await;
        let call = answer(events).tool_calls.remove(0);
        match kind {
            ProviderKind::Anthropic => {
                assert_eq!((error, call.whole), (None, true));
                assert_eq!(call.parsed().unwrap_err().code(), "malformed-tool-arguments");
            }
            _ => assert_eq!((error, call.whole), (Some(ModelError::EndedEarly), false)),
        }
    }
}

#[tokio::test]
async fn two_megabytes_come_whole() {
    let piece = "äöü€ ".repeat(1000);
    let pieces = 2 * 1024 * 1024 / piece.len() + 1;
    let body = delta(json!({ "content": piece })).repeat(pieces)
        + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = ModelServer::start(vec![Reply::stream(body)]).await;
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!((error, answer(events).text.len()), (None, piece.len() * pieces));
    // As one frame, too.
    let text = "x".repeat(2 << 20);
    let body = delta(json!({ "content": text }))
        + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let server = ModelServer::start(vec![Reply::stream(body)]).await;
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!((error, answer(events).text.len()), (None, 2 << 20));
}

#[tokio::test]
async fn endless_answers_of_every_kind_end_with_a_reason_and_a_closed_connection() {
    let name = "model::bad_input::endless_answers_of_every_kind_end_with_a_reason_and_a_closed_connection";
    if !planwright_tests::alone(name) {
        return;
    }
    let much = "z".repeat(256 << 10);
    let call = |arguments: &str| json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "f", "arguments": arguments } }] });
    let json_head = &["content-type: application/json"][..];
    let endless = [
        ("text", Reply::stream("").forever(delta(json!({ "content": much })), Duration::ZERO)),
        ("reasoning", Reply::stream("").forever(delta(json!({ "reasoning_content": much })), Duration::ZERO)),
        ("arguments", Reply::stream("").forever(delta(call(&much)), Duration::ZERO)),
        ("one frame", Reply::stream("data: ").forever(much.clone(), Duration::ZERO)),
        ("one body", Reply::status(200, json_head, "{\"a\":\"").forever(much.clone(), Duration::ZERO)),
    ];
    for (what, reply) in endless {
        let server = ModelServer::start(vec![reply]).await;
        let (_, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
        assert_eq!(error.map(|error| error.code()), Some("too-large"), "{what}");
        let gone = async {
            while server.open() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(2), gone).await.expect("the connection is closed");
    }
    // An error's body without end, and a list of models.
    let server =
        ModelServer::start(vec![Reply::status(400, &[], "").forever(much.clone(), Duration::ZERO)]).await;
    let (_, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert!(error.is_some_and(|error| error.code() == "bad-request" && error.to_string().len() < 2000));
    let server =
        ModelServer::start(vec![Reply::status(200, json_head, "[").forever(much, Duration::ZERO)]).await;
    let error = provider(&server, ProviderKind::OpenAi).models().await.unwrap_err();
    assert_eq!(error.code(), "malformed-answer");
    assert!(peak_megabytes().is_none_or(|peak| peak < 400), "{:?} MB", peak_megabytes());
}

/// The most memory that this process ever had.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

#[tokio::test]
async fn a_slow_trickle_that_goes_on_is_waited_for_and_one_that_says_nothing_is_not() {
    let mut slow = Reply::stream("");
    for byte in OPENAI {
        slow = slow.then([*byte]).pause(Duration::from_micros(300));
    }
    let server = ModelServer::start(vec![slow]).await;
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!((answer(events).tool_calls.len(), error), (2, None));
    // A head that comes byte by byte and never ends.
    let server = ModelServer::start(vec![Reply::silent().forever("x", Duration::from_millis(20))]).await;
    let once = Limits { attempts: 1, ..limits() };
    let (_, error) = ask(&provider(&server, ProviderKind::OpenAi).with_limits(once)).await;
    assert_eq!(error, Some(ModelError::Network { problem: NetworkProblem::Idle, message: String::new() }));
}

#[tokio::test]
async fn an_error_within_the_stream_keeps_what_came() {
    let body = include_bytes!("../../support/fixtures/streams/anthropic/overloaded.sse");
    let server = ModelServer::start(vec![Reply::stream(body)]).await;
    let (_, error) = ask(&provider(&server, ProviderKind::Anthropic)).await;
    assert_eq!(error.map(|error| error.code()), Some("overloaded"));
}

#[tokio::test]
async fn no_network_is_told_apart_from_no_server() {
    let once = Limits { attempts: 1, ..limits() };
    let codes = async |url: &str| {
        let provider =
            Provider::new(ProviderKind::OpenAi, Some(url), "m".to_owned(), Some("k".into())).unwrap();
        ask(&provider.with_limits(once.clone())).await.1.unwrap().to_string()
    };
    assert!(codes("https://no-such-host.invalid/v1").await.contains("name cannot be found"));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert!(codes(&format!("http://127.0.0.1:{port}/v1")).await.contains("Nothing answers"));
}
