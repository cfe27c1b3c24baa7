use std::fmt::{self, Debug};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::decode::{Answer, Dialect};
use super::exchange::{Exchange, Limits};
use super::http::{self, About, Address};
use super::known::known;
use super::request::{Constraint, ModelMessage, ModelRequest, Quirks, Role, anthropic_body, openai_body};
use super::{ModelError, ModelEvent, ProviderKind, StopReason};
use crate::protocol::ModelInfo;

/// Ends after an error, and never goes on after it.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, ModelError>>;

/// Longest answer to a question of [`ModelProvider::call_raw`], in tokens.
const RAW_TOKENS: u32 = 4096;

/// Something that answers as a language model.
#[async_trait::async_trait]
pub trait ModelProvider: Debug + Send + Sync {
    /// The model's name.
    fn name(&self) -> String;

    /// What is known of it: its price, its room, how it calls tools.
    fn info(&self) -> ModelInfo;

    /// Finds out what [`Self::info`] does not know yet and the model's server can tell, before the first question is measured
    /// by it. Asked again it costs nothing. Never fails: what cannot be found out stays unknown.
    async fn prepare(&self) {}

    /// Asks, and gives the answer as it comes. Nothing is sent before the stream is polled. Setting `cancel` to true
    /// ends the stream with `Cancelled` and closes the connection, as dropping the stream does.
    fn stream(&self, request: ModelRequest, cancel: watch::Receiver<bool>) -> ModelStream;

    /// Asks without tools, and gives the answer's text. `messages` alternate, the user's side first. `heard` sees
    /// every event as it comes, the retries among them. Dropping the future ends the call.
    ///
    /// # Errors
    /// Whatever the stream ends with; `Refused`; `Malformed` for an empty answer.
    async fn call_raw(
        &self,
        system: &str,
        messages: &[String],
        schema: Option<&Value>,
        heard: &(dyn for<'e> Fn(&'e ModelEvent) + Send + Sync),
    ) -> Result<String, ModelError> {
        let roles = [Role::User, Role::Assistant].into_iter().cycle();
        let request = ModelRequest {
            system: system.to_owned(),
            messages: roles
                .zip(messages)
                .map(|(role, text)| match role {
                    Role::User => ModelMessage::user(text),
                    Role::Assistant => ModelMessage::assistant(text),
                })
                .collect(),
            tools: Vec::new(),
            max_tokens: RAW_TOKENS,
            schema: schema.cloned(),
        };
        let (_running, cancel) = watch::channel(false);
        let mut stream = self.stream(request, cancel);
        let mut answer = Answer::default();
        while let Some(event) = stream.next().await {
            let event = event?;
            heard(&event);
            answer.add(event);
        }
        if answer.refusal.is_some() || answer.stop_reason == Some(StopReason::ContentFiltered) {
            let message = answer.refusal.filter(|why| !why.is_empty()).unwrap_or(answer.text);
            return Err(ModelError::Refused { message });
        }
        if answer.text.trim().is_empty() {
            return Err(ModelError::Empty);
        }
        Ok(answer.text)
    }
}

impl ProviderKind {
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Moonshot, Self::Local];

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Moonshot => "Moonshot",
            Self::Local => "the local server",
        }
    }

    pub fn dialect(self) -> Dialect {
        match self {
            Self::Anthropic => Dialect::Anthropic,
            Self::OpenAi | Self::Moonshot | Self::Local => Dialect::OpenAi,
        }
    }

    pub(super) fn quirks(self) -> Quirks {
        match self {
            Self::OpenAi | Self::Anthropic => {
                Quirks { max_tokens: "max_completion_tokens", answers: Constraint::OneShape }
            }
            Self::Moonshot => Quirks { max_tokens: "max_tokens", answers: Constraint::OneShape },
            Self::Local => Quirks { max_tokens: "max_tokens", answers: Constraint::Schema },
        }
    }
}

/// One model of one server. Cheap to clone; the HTTP client is built when it is first needed.
#[derive(Clone)]
pub struct Provider {
    inner: Arc<Inner>,
}

struct Inner {
    kind: ProviderKind,
    model: String,
    address: Address,
    key: Option<SecretString>,
    limits: Limits,
    client: OnceLock<reqwest::Client>,
}

impl Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("kind", &self.inner.kind)
            .field("model", &self.inner.model)
            .field("address", &self.inner.address)
            .finish_non_exhaustive()
    }
}

impl Provider {
    /// `base_url`: with or without the version (`/v1`) at its end; `None` is the provider's own.
    ///
    /// # Errors
    /// `Settings` for an address that is none; `NoKey` where the server is not on this machine and needs one.
    pub fn new(
        kind: ProviderKind,
        base_url: Option<&str>,
        model: String,
        key: Option<SecretString>,
    ) -> Result<Self, ModelError> {
        let address = Address::new(kind, base_url)?;
        if key.is_none() && kind != ProviderKind::Local && !address.is_on_this_machine() {
            return Err(ModelError::NoKey { provider: kind.label() });
        }
        let limits = match kind {
            ProviderKind::Local => Limits::local(),
            ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Moonshot => Limits::default(),
        };
        Ok(Self { inner: Arc::new(Inner { kind, model, address, key, limits, client: OnceLock::new() }) })
    }

    /// The same with other bounds on time and attempts.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        let inner = Inner {
            kind: self.inner.kind,
            model: self.inner.model.clone(),
            address: self.inner.address.clone(),
            key: self.inner.key.clone(),
            limits,
            client: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn kind(&self) -> ProviderKind {
        self.inner.kind
    }

    /// The names of the models that the server offers: proof that address and key are right.
    ///
    /// # Errors
    /// As for a call, without retries.
    pub async fn models(&self) -> Result<Vec<String>, ModelError> {
        let inner = &self.inner;
        let request = http::get_models(inner.client()?, &inner.address, inner.kind, inner.key.as_ref());
        http::models(request, inner.limits.idle).await.map_err(|error| inner.discreet(error))
    }
}

/// What probing needs.
impl Provider {
    pub(super) fn address(&self) -> String {
        self.inner.address.to_string()
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// What the server says of itself beside the dialect.
    pub(super) async fn about(&self, about: &About<'_>, limit: Duration) -> Result<Value, ModelError> {
        let inner = &self.inner;
        let request = http::about(inner.client()?, &inner.address, about, inner.kind, inner.key.as_ref());
        http::json(request, limit).await
    }
}

impl Inner {
    /// Errors are shown and journalled: a key that a server repeats in one goes no further.
    fn discreet(&self, error: ModelError) -> ModelError {
        match &self.key {
            Some(key) => error.without(key.expose_secret()),
            None => error,
        }
    }

    fn client(&self) -> Result<&reqwest::Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = http::client(&self.address, &self.limits)?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// Stands for the server that a model runs on in what is kept, and does not tell its address.
pub fn server_of(model: &ModelInfo) -> String {
    format!("{:x}", Sha256::digest(&model.base_url)).chars().take(16).collect()
}

#[async_trait::async_trait]
impl ModelProvider for Provider {
    fn name(&self) -> String {
        self.inner.model.clone()
    }

    fn info(&self) -> ModelInfo {
        ModelInfo {
            provider: self.inner.kind,
            model: self.inner.model.clone(),
            base_url: self.inner.address.to_string(),
            tools: self.tools(),
            context_tokens: self.context_tokens(),
            price: known(self.inner.kind, &self.inner.model).price,
        }
    }

    fn stream(&self, request: ModelRequest, cancel: watch::Receiver<bool>) -> ModelStream {
        let inner = &self.inner;
        let body = match inner.kind.dialect() {
            Dialect::Anthropic => anthropic_body(&request, &inner.model),
            Dialect::OpenAi => openai_body(&request, &inner.model, inner.kind.quirks()),
        };
        let post =
            inner.client().map(|client| http::post(client, &inner.address, inner.kind, inner.key.as_ref()));
        let stream =
            Exchange::new(post, body, inner.kind.dialect(), inner.limits.clone(), cancel).into_stream();
        let inner = Arc::clone(inner);
        stream
            .map(move |event| match event {
                Ok(ModelEvent::Retrying { attempt, allowed, wait, error }) => {
                    Ok(ModelEvent::Retrying { attempt, allowed, wait, error: inner.discreet(error) })
                }
                Ok(event) => Ok(event),
                Err(error) => Err(inner.discreet(error)),
            })
            .boxed()
    }
}
