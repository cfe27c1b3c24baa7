use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use secrecy::SecretString;

use super::exchange::Limits;
use super::{ModelError, Provider, ProviderKind};

/// Where local servers listen by habit: Ollama, llama.cpp, LM Studio, vLLM.
const PORTS: [u16; 4] = [11434, 8080, 1234, 8000];
/// A server on this machine answers at once or is not there.
const PROBE: Duration = Duration::from_millis(400);

/// The provider that this process's `PLANWRIGHT_*` variables name; see [`from_variables`].
///
/// # Errors
/// As there.
pub async fn from_environment() -> Result<Option<Provider>, ModelError> {
    from_variables(|name| std::env::var(name).ok()).await
}

/// The provider that the `PLANWRIGHT_*` variables name (SPEC section 11); `None` when they name none. Only a local
/// server without an address or a model is looked for; else nothing is sent.
///
/// # Errors
/// `Settings` and `NoKey` for variables that cannot be used, in words that say what to set; network errors of a local
/// server that was named and does not answer.
pub async fn from_variables(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Provider>, ModelError> {
    let variable =
        |name: &str| variable(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let base_url = variable("PLANWRIGHT_BASE_URL");
    let kind = match variable("PLANWRIGHT_PROVIDER").map(|text| text.to_lowercase()).as_deref() {
        Some("openai") => ProviderKind::OpenAi,
        Some("anthropic") => ProviderKind::Anthropic,
        Some("moonshot") => ProviderKind::Moonshot,
        Some("local") => ProviderKind::Local,
        Some(other) => {
            let message = format!(
                "PLANWRIGHT_PROVIDER is \"{other}\". Set it to openai, anthropic, moonshot or local, or unset it to go without a model."
            );
            return Err(ModelError::Settings { message });
        }
        None if base_url.is_some() => ProviderKind::Local,
        None => return Ok(None),
    };
    let key = variable("PLANWRIGHT_API_KEY").map(checked_key).transpose()?;
    let base_url = base_url.as_deref();
    let model = match (variable("PLANWRIGHT_MODEL"), kind) {
        (Some(model), ProviderKind::Local) if base_url.is_none() => {
            return found_locally(key).await.and_then(|server| server.provider(Some(model)).map(Some));
        }
        (Some(model), _) => model,
        (None, ProviderKind::OpenAi) => "gpt-5-mini".to_owned(),
        (None, ProviderKind::Anthropic) => "claude-sonnet-4-5".to_owned(),
        (None, ProviderKind::Moonshot) => "kimi-k2-turbo-preview".to_owned(),
        (None, ProviderKind::Local) => {
            let server = match base_url {
                Some(url) => {
                    LocalServer { models: listed(url, key.clone()).await?, base_url: url.to_owned(), key }
                }
                None => found_locally(key).await?,
            };
            return server.provider(None).map(Some);
        }
    };
    Provider::new(kind, base_url, model, key).map(Some)
}

fn checked_key(text: String) -> Result<SecretString, ModelError> {
    if text.chars().any(|c| c.is_control() || !c.is_ascii()) {
        let message = "PLANWRIGHT_API_KEY holds characters that no key has. Copy the key again.".to_owned();
        return Err(ModelError::Settings { message });
    }
    Ok(SecretString::from(text))
}

/// A server of the OpenAI dialect on this machine.
#[derive(Debug, Clone)]
pub struct LocalServer {
    pub base_url: String,
    pub models: Vec<String>,
    key: Option<SecretString>,
}

impl LocalServer {
    /// `model`: one by name, or the first that the server offers.
    ///
    /// # Errors
    /// `Settings` when it offers none.
    pub fn provider(self, model: Option<String>) -> Result<Provider, ModelError> {
        let model = model.or_else(|| self.models.into_iter().next()).ok_or_else(|| ModelError::Settings {
            message: format!(
                "The server at {} has no model loaded. Load one, or set PLANWRIGHT_MODEL.",
                self.base_url
            ),
        })?;
        Provider::new(ProviderKind::Local, Some(&self.base_url), model, self.key)
    }
}

/// The servers that answer on the usual ports of this machine, in the ports' order. Asks all at once; takes less than
/// half a second.
pub async fn discover(key: Option<SecretString>) -> Vec<LocalServer> {
    let mut found: Vec<_> = PORTS
        .iter()
        .enumerate()
        .map(|(order, port)| {
            let (base_url, key) = (format!("http://127.0.0.1:{port}/v1"), key.clone());
            async move {
                let models = tokio::time::timeout(PROBE, listed(&base_url, key.clone())).await.ok()?.ok()?;
                Some((order, LocalServer { base_url, models, key }))
            }
        })
        .collect::<FuturesUnordered<_>>()
        .filter_map(std::future::ready)
        .collect()
        .await;
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, server)| server).collect()
}

async fn listed(base_url: &str, key: Option<SecretString>) -> Result<Vec<String>, ModelError> {
    let limits =
        Limits { connect: Duration::from_secs(5), idle: Duration::from_secs(10), ..Limits::default() };
    Provider::new(ProviderKind::Local, Some(base_url), String::new(), key)?.with_limits(limits).models().await
}

async fn found_locally(key: Option<SecretString>) -> Result<LocalServer, ModelError> {
    let mut servers = discover(key).await;
    // One with a model before one without.
    servers.sort_by_key(|server| server.models.is_empty());
    servers.into_iter().next().ok_or_else(|| ModelError::Settings {
        message: "No model server answers on this machine (ports 11434, 8080, 1234 and 8000 were tried). Start one, or set PLANWRIGHT_BASE_URL.".to_owned(),
    })
}
