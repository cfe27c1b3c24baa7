//! Models: decoding, the wire, recovery with a model over HTTP.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod bad_input;
mod capability;
mod decode;
mod envelope;
mod local;
mod patience;
mod recovery;
mod settings;
mod wire;

use std::time::Duration;

use futures_util::StreamExt as _;
use planwright_engine::model::decode::Answer;
use planwright_engine::model::{
    Limits, ModelError, ModelEvent, ModelMessage, ModelProvider, ModelRequest, Provider, ProviderKind,
};
use planwright_tests::model_server::{ModelServer, Reply};
use tokio::sync::watch;

const OPENAI: &[u8] = include_bytes!("../../support/fixtures/streams/openai/parallel.sse");

fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(2),
        idle: Duration::from_secs(1),
        silent: Duration::from_secs(10),
        whole: Duration::from_secs(20),
        attempts: 3,
        first_wait: Duration::from_millis(10),
        longest_wait: Duration::from_secs(3),
    }
}

fn provider(server: &ModelServer, kind: ProviderKind) -> Provider {
    Provider::new(kind, Some(&server.url()), "some-model".to_owned(), Some("sk-secret".to_owned().into()))
        .unwrap()
        .with_limits(limits())
}

fn request() -> ModelRequest {
    ModelRequest {
        system: "Be brief.".to_owned(),
        messages: vec![ModelMessage::user("hello")],
        tools: Vec::new(),
        max_tokens: 100,
        schema: None,
    }
}

async fn ask(provider: &Provider) -> (Vec<ModelEvent>, Option<ModelError>) {
    gather(provider, request()).await
}

/// Everything that came, and the error at the end.
async fn gather(model: &dyn ModelProvider, request: ModelRequest) -> (Vec<ModelEvent>, Option<ModelError>) {
    let (_running, cancel) = watch::channel(false);
    let mut stream = model.stream(request, cancel);
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing follows an error");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

async fn error_of(reply: Reply, kind: ProviderKind) -> (ModelError, usize) {
    let server = ModelServer::start(vec![reply]).await;
    let (_, error) = ask(&provider(&server, kind)).await;
    (error.expect("an error"), server.requests().len())
}

fn answer(events: Vec<ModelEvent>) -> Answer {
    let mut answer = Answer::default();
    answer.extend(events);
    answer
}
