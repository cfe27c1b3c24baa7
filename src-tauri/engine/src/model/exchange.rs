//! One question to a server and its answer: sending, waiting, reading, and asking again where that may help.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::{RequestBuilder, Response};
use tokio::sync::watch;
use tokio::time::Instant;

use super::decode::{Decoder, Dialect};
use super::request::Body;
use super::{ModelError, ModelEvent, ModelStream, NetworkProblem, asleep, http};

/// Bounds of one exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection stands.
    pub connect: Duration,
    /// Without a byte from the server.
    pub idle: Duration,
    /// Without anything of the answer, though bytes such as keep-alives come.
    pub silent: Duration,
    /// For the whole answer.
    pub whole: Duration,
    /// Attempts in all.
    pub attempts: u32,
    /// Before the second attempt; it doubles with each further one.
    pub first_wait: Duration,
    /// The longest wait; a server that asks for a longer one is not waited for.
    pub longest_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(90),
            silent: Duration::from_secs(300),
            whole: Duration::from_secs(1800),
            attempts: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// For a server on a small machine, where a large prompt takes minutes before its first token.
    pub fn local() -> Self {
        Self { idle: Duration::from_secs(300), silent: Duration::from_secs(600), ..Self::default() }
    }
}

/// How long to wait for counts once the reason for the end is known, where a server keeps the connection open.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// What comes of an answer after the machine was asleep comes soon.
const AFTER_SLEEP: Duration = Duration::from_secs(10);

/// Fields that a server of little ability may refuse. The request is made again without the one it names.
const OPTIONAL: [(&str, &[&str]); 2] = [
    ("response_format", &["response_format", "json_schema", "json_object", "schema", "grammar"]),
    ("stream_options", &["stream_options", "include_usage"]),
];

#[derive(Debug)]
pub(super) struct Exchange {
    post: Option<RequestBuilder>,
    body: Body,
    dialect: Dialect,
    limits: Limits,
    cancel: watch::Receiver<bool>,
    phase: Phase,
    /// Events that are decoded, not yet taken.
    ready: VecDeque<Result<ModelEvent, ModelError>>,
    attempt: u32,
    /// Whether any of the answer has come; then the question is seldom asked again.
    answered: bool,
    deadline: Option<Instant>,
    /// How long the machine had been asleep in all when that was last looked at.
    asleep: Duration,
    /// When it woke up, until something comes after that.
    woke: Option<Instant>,
}

#[derive(Debug)]
enum Phase {
    Waiting(Duration),
    Sending,
    Reading { response: Response, decoder: Box<Decoder>, last_content: Instant },
    Ended,
}

impl Exchange {
    pub(super) fn new(
        post: Result<RequestBuilder, ModelError>,
        body: Body,
        dialect: Dialect,
        limits: Limits,
        cancel: watch::Receiver<bool>,
    ) -> Self {
        let mut ready = VecDeque::new();
        let post = post.map_err(|error| ready.push_back(Err(error))).ok();
        let phase = if post.is_some() { Phase::Sending } else { Phase::Ended };
        Self {
            post,
            body,
            dialect,
            limits,
            cancel,
            phase,
            ready,
            attempt: 1,
            answered: false,
            deadline: None,
            asleep: asleep::in_all(),
            woke: None,
        }
    }

    pub(super) fn into_stream(self) -> ModelStream {
        futures_util::stream::unfold(self, async |mut exchange| {
            let event = exchange.next().await?;
            Some((event, exchange))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if *self.cancel.borrow() && !matches!(self.phase, Phase::Ended) {
                self.end(ModelError::Cancelled);
                // What is decoded but not taken is not wanted any more.
                self.ready.drain(..self.ready.len() - 1);
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if matches!(self.phase, Phase::Ended) {
                return None;
            }
            let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + self.limits.whole);
            let mut cancel = self.cancel.clone();
            tokio::select! {
                biased;
                // A sender that is gone can cancel nothing.
                Ok(_) = cancel.wait_for(|cancelled| *cancelled) => {}
                () = tokio::time::sleep_until(deadline) => self.end(timed_out(NetworkProblem::Deadline)),
                () = asleep::again(self.asleep) => self.wake(),
                () = self.advance() => {}
            }
        }
    }

    /// The machine was asleep. A question is asked again; an answer that has begun has a moment to go on.
    fn wake(&mut self) {
        self.asleep = asleep::in_all();
        match &self.phase {
            Phase::Sending => self.failed(timed_out(NetworkProblem::Asleep)),
            Phase::Reading { .. } if !self.answered => self.failed(timed_out(NetworkProblem::Asleep)),
            Phase::Reading { .. } => self.woke = Some(Instant::now()),
            Phase::Waiting(_) | Phase::Ended => {}
        }
    }

    /// One step further. Safe to drop at any point where it waits.
    async fn advance(&mut self) {
        match &mut self.phase {
            Phase::Ended => {}
            Phase::Waiting(wait) => {
                tokio::time::sleep(*wait).await;
                self.phase = Phase::Sending;
            }
            Phase::Sending => match self.send().await {
                Ok(response) => {
                    let decoder = Box::new(Decoder::new(self.dialect));
                    self.phase = Phase::Reading { response, decoder, last_content: Instant::now() };
                }
                Err(error) => self.failed(error),
            },
            Phase::Reading { .. } => {
                if let Err(error) = self.read().await {
                    self.failed(error);
                }
            }
        }
    }

    async fn send(&mut self) -> Result<Response, ModelError> {
        let Some(post) = self.post.as_ref().and_then(RequestBuilder::try_clone) else {
            return Err(ModelError::Settings { message: "The request cannot be sent twice.".to_owned() });
        };
        let request = post.json(&self.body);
        let answer =
            async { http::accepted(request.send().await.map_err(|error| http::network(&error))?).await };
        tokio::time::timeout(self.limits.idle, answer).await.unwrap_or_else(|_| Err(http::idle()))
    }

    async fn read(&mut self) -> Result<(), ModelError> {
        let Phase::Reading { response, decoder, last_content } = &mut self.phase else { return Ok(()) };
        let silent = self.limits.silent.saturating_sub(last_content.elapsed());
        let limit = if decoder.is_ending() { LAST_WORDS } else { self.limits.idle.min(silent) };
        let awake = self.woke.map(|woke| AFTER_SLEEP.saturating_sub(woke.elapsed()));
        let limit = awake.map_or(limit, |left| left.min(limit));
        let chunk = match tokio::time::timeout(limit, response.chunk()).await {
            Ok(chunk) => chunk.map_err(|error| http::network(&error))?,
            Err(_) if decoder.is_ending() => None,
            Err(_) if awake.is_some() => return Err(timed_out(NetworkProblem::Asleep)),
            Err(_) => return Err(http::idle()),
        };
        self.woke = None;
        let mut events = Vec::new();
        let (result, over) = match chunk {
            Some(bytes) => (decoder.feed(&bytes, &mut events), decoder.is_over()),
            None => (Ok(()), true),
        };
        if !events.is_empty() {
            *last_content = Instant::now();
        }
        let result = match result {
            Ok(()) if over => {
                let Phase::Reading { decoder, .. } = std::mem::replace(&mut self.phase, Phase::Ended) else {
                    return Ok(());
                };
                decoder.finish(&mut events)
            }
            result => result,
        };
        // Counts come first in one dialect: they are no part of the answer yet.
        self.answered |= events.iter().any(|event| !matches!(event, ModelEvent::Usage { .. }));
        self.ready.extend(events.into_iter().map(Ok));
        result
    }

    /// Asks again where that may help. Once the answer has begun only a server that says it has too much to do is asked again:
    /// nothing of an answer has run before its end.
    fn failed(&mut self, error: ModelError) {
        if self.answered && !matches!(error, ModelError::Overloaded { .. }) {
            return self.end(error);
        }
        self.answered = false;
        if self.drop_what_is_refused(&error) {
            self.phase = Phase::Sending;
            return;
        }
        let wait = self.wait(&error);
        if !error.is_transient() || self.attempt >= self.limits.attempts || wait > self.limits.longest_wait {
            return self.end(error);
        }
        self.attempt += 1;
        self.ready.push_back(Ok(ModelEvent::Retrying {
            attempt: self.attempt,
            allowed: self.limits.attempts,
            wait,
            error,
        }));
        self.phase = Phase::Waiting(wait);
    }

    fn end(&mut self, error: ModelError) {
        self.ready.push_back(Err(error));
        self.phase = Phase::Ended;
    }

    /// Doubles with each attempt, with up to a quarter more so that many clients do not come back together. What the
    /// server asks for is the least.
    fn wait(&self, error: &ModelError) -> Duration {
        let doubled = self.limits.first_wait.saturating_mul(1 << (self.attempt - 1).min(16));
        let bounded = doubled.min(self.limits.longest_wait);
        let spread = RandomState::new().hash_one(self.attempt) % 256;
        let jittered = bounded + bounded / 1024 * u32::try_from(spread).unwrap_or(0);
        error
            .retry_after()
            .map_or(jittered.min(self.limits.longest_wait), |asked| asked.max(self.limits.first_wait))
    }

    fn drop_what_is_refused(&mut self, error: &ModelError) -> bool {
        let (ModelError::BadRequest { message } | ModelError::Server { message, .. }) = error else {
            return false;
        };
        let message = message.to_lowercase();
        let refused = OPTIONAL
            .iter()
            .find(|(field, words)| self.body.has(field) && words.iter().any(|word| message.contains(word)));
        if let Some((field, _)) = refused {
            self.body.remove(field);
        }
        refused.is_some()
    }
}

fn timed_out(problem: NetworkProblem) -> ModelError {
    ModelError::Network { problem, message: String::new() }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use super::*;

    /// A server that never answers the first question and answers the second.
    fn server() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
        thread::spawn(move || {
            let mut lost: Option<TcpStream> = None;
            for mut caller in listener.incoming().flatten() {
                let mut question = [0; 4096];
                let _ = caller.read(&mut question).unwrap();
                if lost.is_none() {
                    lost = Some(caller);
                    continue;
                }
                let body = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                caller.write_all(format!("{head}{body}").as_bytes()).unwrap();
            }
        });
        address
    }

    #[tokio::test]
    async fn a_question_that_a_sleep_cut_off_is_asked_again() {
        let post = reqwest::Client::new().post(server());
        let limits = Limits { first_wait: Duration::from_millis(1), ..Limits::default() };
        let (_stay, cancel) = watch::channel(false);
        let mut events =
            Exchange::new(Ok(post), Body::default(), Dialect::OpenAi, limits, cancel).into_stream();
        // The first question is on its way by then.
        assert!(tokio::time::timeout(Duration::from_millis(300), events.next()).await.is_err());
        asleep::tests::PRETENDED.set(Duration::from_secs(3600));
        let first = events.next().await.unwrap().unwrap();
        let again = ModelError::Network { problem: NetworkProblem::Asleep, message: String::new() };
        assert!(matches!(&first, ModelEvent::Retrying { error, .. } if *error == again), "{first:?}");
        let text = loop {
            match events.next().await.unwrap().unwrap() {
                ModelEvent::Text { text } => break text,
                ModelEvent::Retrying { error, .. } => panic!("again: {error}"),
                _ => {}
            }
        };
        assert_eq!(text, "hi");
        asleep::tests::PRETENDED.set(Duration::ZERO);
    }
}
