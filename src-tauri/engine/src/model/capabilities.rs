//! What a model server can do: found out once for each model, kept while the program runs. Cloud providers are known and
//! never asked. A server that says what it can is believed; one that does not is put to the test when a connection is
//! tested, and shows itself in its first conversation.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::decode::{Answer, read_json};
use super::known::known;
use super::server::{self, Said};
use super::{
    Limits, ModelError, ModelMessage, ModelProvider as _, ModelRequest, Provider, ProviderKind, StopReason,
    ToolSpec,
};
use crate::protocol::ToolSupport;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// `Unknown` when the server could not be asked, or its answer proves nothing.
    pub tools: ToolSupport,
    /// Whether answers can be held to a JSON schema, as far as that is proven.
    pub schema: bool,
    /// The server's word, else what is known of the model.
    pub context_tokens: Option<u32>,
}

/// Longest answer to a question of the probe, in tokens: room for a model that thinks before it speaks.
const TOKENS: u32 = 256;
/// For a whole question: a large model may have to be loaded first.
const PATIENCE: Duration = Duration::from_secs(120);

/// What was found out, by address and model.
static FOUND: LazyLock<Mutex<HashMap<(String, String), Found>>> = LazyLock::new(Mutex::default);

/// `None`: not asked yet, or without a result.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    tools: Option<ToolSupport>,
    schema: Option<bool>,
    context_tokens: Option<u32>,
    /// Whether the server has said what it says of itself.
    heard: bool,
}

/// Told whenever something is found out.
static CHANGED: LazyLock<watch::Sender<()>> = LazyLock::new(|| watch::Sender::new(()));

/// Tells when more is known of a model than before.
pub fn found_more() -> watch::Receiver<()> {
    CHANGED.subscribe()
}

impl Provider {
    /// Finds out what the model can do; what was found before is not asked again. Never fails: what cannot be found out
    /// stays unknown, and is asked again the next time.
    pub async fn probe(&self) -> Capabilities {
        if self.kind() == ProviderKind::Local {
            if self.hear_of_tools().await == ToolSupport::Unknown
                && let Some(native) = self.calls_a_tool().await
            {
                self.keep_tools(native);
            }
            if self.found().schema.is_none() {
                let schema = self.keeps_to_a_schema().await;
                self.keep(|found| found.schema = schema.or(found.schema));
            }
            // Asked again: by now the model is loaded, and its server knows how much room it gave it.
            if let Some(said) = server::say(self).await {
                self.keep(|found| found.context_tokens = said.context_tokens.or(found.context_tokens));
            }
        }
        Capabilities { tools: self.tools(), schema: self.schema(), context_tokens: self.context_tokens() }
    }

    /// How the model is best driven to call tools, as far as its server says. Makes no model speak.
    pub(super) async fn hear_of_tools(&self) -> ToolSupport {
        if self.tools() == ToolSupport::Unknown
            && !self.found().heard
            && let Some(Said { tools, context_tokens }) = server::say(self).await
        {
            self.keep(|found| {
                found.heard = true;
                found.tools = tools.map(support);
                found.context_tokens = context_tokens.or(found.context_tokens);
            });
        }
        self.tools()
    }

    pub(super) fn keep_tools(&self, native: bool) {
        if self.found().tools != Some(support(native)) {
            self.keep(|found| found.tools = Some(support(native)));
        }
    }

    /// Forgets what was found: the server behind the address may be another one by now.
    pub(super) fn forget_found(&self) {
        FOUND.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.place());
    }

    pub(super) fn tools(&self) -> ToolSupport {
        match self.kind() {
            ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Moonshot => ToolSupport::Native,
            ProviderKind::Local => self.found().tools.unwrap_or(ToolSupport::Unknown),
        }
    }

    fn schema(&self) -> bool {
        match self.kind() {
            ProviderKind::OpenAi | ProviderKind::Moonshot => true,
            ProviderKind::Anthropic => false,
            ProviderKind::Local => self.found().schema.unwrap_or(false),
        }
    }

    pub(super) fn context_tokens(&self) -> Option<u32> {
        self.found().context_tokens.or_else(|| known(self.kind(), &self.name()).context_tokens)
    }

    fn place(&self) -> (String, String) {
        (self.address(), self.name())
    }

    fn found(&self) -> Found {
        let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        found.get(&self.place()).copied().unwrap_or_default()
    }

    fn keep(&self, change: impl FnOnce(&mut Found)) {
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        change(found.entry(self.place()).or_default());
        drop(found);
        CHANGED.send_replace(());
    }

    /// Whether it calls a tool that it is asked to call; `None` when the answer proves nothing.
    async fn calls_a_tool(&self) -> Option<bool> {
        let tool = ToolSpec {
            name: "get_weather".to_owned(),
            description: "The weather of a city, now.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "city": { "type": "string" } },
                "required": ["city"],
            }),
        };
        let question = "What is the weather in Paris? Call the tool get_weather to find out.";
        match self.ask(question, vec![tool], None).await {
            Ok(answer) if answer.tool_calls.iter().any(|call| call.whole && call.parsed().is_ok()) => {
                Some(true)
            }
            Ok(answer) => is_whole(&answer).then_some(false),
            Err(error) => refuses_tools(&error).then_some(false),
        }
    }

    /// Whether a schema turns an answer that would be anything else into what fits it.
    async fn keeps_to_a_schema(&self) -> Option<bool> {
        let schema = json!({
            "type": "object",
            "properties": { "fruit": { "type": "string", "enum": ["apple", "pear"] } },
            "required": ["fruit"],
            "additionalProperties": false,
        });
        let answer = self.ask("Say hello.", Vec::new(), Some(schema)).await.ok()?;
        let fits = read_json(answer.text.trim())
            .is_ok_and(|value| value == json!({ "fruit": "apple" }) || value == json!({ "fruit": "pear" }));
        (fits || is_whole(&answer)).then_some(fits)
    }

    async fn ask(
        &self,
        question: &str,
        tools: Vec<ToolSpec>,
        schema: Option<Value>,
    ) -> Result<Answer, ModelError> {
        let limits = Limits { whole: PATIENCE, attempts: 1, ..self.limits().clone() };
        let request = ModelRequest {
            system: String::new(),
            messages: vec![ModelMessage::user(question)],
            tools,
            max_tokens: TOKENS,
            schema,
        };
        let (_running, cancel) = watch::channel(false);
        let mut stream = self.clone().with_limits(limits).stream(request, cancel);
        let mut answer = Answer::default();
        while let Some(event) = stream.next().await {
            answer.add(event?);
        }
        Ok(answer)
    }
}

fn support(native: bool) -> ToolSupport {
    if native { ToolSupport::Native } else { ToolSupport::Envelope }
}

/// Whether a request was refused because of the tools in it.
pub(super) fn refuses_tools(error: &ModelError) -> bool {
    let (ModelError::BadRequest { message } | ModelError::Server { message, .. }) = error else {
        return false;
    };
    let message = message.to_lowercase();
    ["tool", "function call", "jinja"].iter().any(|word| message.contains(word))
}

/// A model that was still thinking at its limit has shown nothing.
fn is_whole(answer: &Answer) -> bool {
    !answer.text.trim().is_empty() || answer.stop_reason != Some(StopReason::MaxTokens)
}
