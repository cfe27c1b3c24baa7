//! Trying again, waiting, and stopping.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use planwright_engine::model::{
    Limits, ModelError, ModelEvent, ModelProvider as _, NetworkProblem, ProviderKind,
};
use planwright_tests::model_server::{ModelServer, Reply};
use tokio::sync::watch;

use super::{OPENAI, answer, ask, error_of, limits, provider, request};

#[tokio::test]
async fn what_passes_is_tried_again_and_said() {
    let limited = Reply::status(
        429,
        &["retry-after: 0.05", "content-type: application/json"],
        r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#,
    );
    let overloaded = Reply::status(
        529,
        &[],
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
    );
    let server = ModelServer::start(vec![limited, overloaded, Reply::stream(OPENAI)]).await;
    let started = Instant::now();
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!(error, None);
    assert_eq!(server.requests().len(), 3);
    assert!(started.elapsed() >= Duration::from_millis(50), "the server's wait counts");
    let retries: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            ModelEvent::Retrying { attempt, allowed, error, .. } => Some((*attempt, *allowed, error.code())),
            _ => None,
        })
        .collect();
    assert_eq!(retries, [(2, 3, "rate-limit"), (3, 3, "overloaded")]);

    let (error, requests) = error_of(Reply::status(503, &[], "busy"), ProviderKind::OpenAi).await;
    assert_eq!((error.code(), requests), ("overloaded", 3));
    let (error, requests) = error_of(Reply::status(500, &[], "oops"), ProviderKind::OpenAi).await;
    assert_eq!((error.code(), requests), ("server-error", 3));
}

#[tokio::test]
async fn a_wait_longer_than_anyone_wants_is_not_waited() {
    let reply = Reply::status(429, &["retry-after: 3600"], "{}");
    let (error, requests) = error_of(reply, ProviderKind::OpenAi).await;
    assert_eq!((error.retry_after(), requests), (Some(Duration::from_secs(3600)), 1));
    assert!(error.to_string().contains("wait 3600 s"), "{error}");
    let reply = Reply::status(429, &["retry-after: Wed, 21 Oct 2099 07:28:00 GMT"], "{}");
    let (error, _) = error_of(reply, ProviderKind::OpenAi).await;
    assert!(error.retry_after().is_some_and(|wait| wait > Duration::from_secs(1_000_000)), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_keeps_what_came_and_is_not_asked_again() {
    let begin = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\n";
    for reply in [
        Reply::stream(begin),
        Reply::stream(format!("{begin}data: {{\"choi")),
        // A chunked body without its end: the connection was lost.
        Reply::status(
            200,
            &["content-type: text/event-stream", "transfer-encoding: chunked"],
            format!("{:x}\r\n{begin}\r\n", begin.len()),
        ),
    ] {
        let server = ModelServer::start(vec![reply]).await;
        let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
        assert_eq!(answer(events).text, "half");
        let error = error.unwrap();
        assert!(
            matches!(
                error,
                ModelError::EndedEarly | ModelError::Network { problem: NetworkProblem::Lost, .. }
            ),
            "{error:?}"
        );
        assert_eq!(server.requests().len(), 1);
    }
    // Before anything came it is asked again.
    let server = ModelServer::start(vec![Reply::stream(""), Reply::stream(OPENAI)]).await;
    let (_, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!((error, server.requests().len()), (None, 2));
}

#[tokio::test]
async fn silence_trickle_and_endless_streams_end() {
    let idle = ModelError::Network { problem: NetworkProblem::Idle, message: String::new() };
    let first = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    // Nothing more comes.
    let server = ModelServer::start(vec![Reply::stream(first).pause(Duration::from_secs(60))]).await;
    let (_, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!(error, Some(idle.clone()));
    // Only keep-alives come.
    let trickle = Reply::stream(first).forever(": ping\n\n", Duration::from_millis(50));
    let server = ModelServer::start(vec![trickle]).await;
    let impatient = Limits { silent: Duration::from_millis(500), ..limits() };
    let (_, error) = ask(&provider(&server, ProviderKind::OpenAi).with_limits(impatient)).await;
    assert_eq!(error, Some(idle));
    // Text without end.
    let text = "y".repeat(1 << 20);
    let flood = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    let server = ModelServer::start(vec![Reply::stream("").forever(flood, Duration::ZERO)]).await;
    let (_, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!(error.unwrap().code(), "too-large");
}

#[tokio::test]
async fn a_server_that_keeps_the_line_open_after_the_end_holds_nobody_up() {
    let body = include_str!("../../support/fixtures/streams/openai/no_done.sse");
    let server = ModelServer::start(vec![Reply::stream(body).pause(Duration::from_secs(60))]).await;
    let started = Instant::now();
    let (events, error) = ask(&provider(&server, ProviderKind::OpenAi)).await;
    assert_eq!((answer(events).text.as_str(), error), ("fin", None));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_stop_takes_effect_at_once_wherever_the_call_is() {
    let first = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    let slow = Limits {
        idle: Duration::from_secs(60),
        first_wait: Duration::from_secs(30),
        longest_wait: Duration::from_secs(60),
        ..limits()
    };
    let mut times = Vec::new();
    for reply in [
        // Waiting for the head; for the rest of the stream; in a flood; between two attempts.
        Reply::silent(),
        Reply::stream(first).pause(Duration::from_secs(60)),
        Reply::stream("").forever(first, Duration::ZERO),
        Reply::status(503, &[], ""),
    ] {
        for round in 0..50 {
            let server = ModelServer::start(vec![reply.clone()]).await;
            let provider = provider(&server, ProviderKind::OpenAi).with_limits(slow.clone());
            let (stop, cancel) = watch::channel(false);
            let mut stream = provider.stream(request(), cancel);
            let reader = tokio::spawn(async move {
                loop {
                    match stream.next().await {
                        Some(Ok(_)) => {}
                        Some(Err(error)) => return (error, Instant::now()),
                        None => panic!("ended without an error"),
                    }
                }
            });
            tokio::time::sleep(Duration::from_millis(5 + 3 * (round % 10))).await;
            let stopped = Instant::now();
            stop.send(true).unwrap();
            let (error, at) = reader.await.unwrap();
            assert_eq!(error, ModelError::Cancelled);
            times.push(at - stopped);
            // The connection is closed with it.
            let closed = async {
                while server.open() > 0 {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(2), closed).await.expect("the connection is closed");
        }
    }
    times.sort_unstable();
    // The 99th of a hundred.
    assert!(times.len() == 200 && times[197] < Duration::from_millis(50), "{times:?}");
}
