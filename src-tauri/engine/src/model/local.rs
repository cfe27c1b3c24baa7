//! Finding servers of the OpenAI dialect on this machine, and the provider for what the user chose.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use secrecy::SecretString;

use super::exchange::Limits;
use super::{ModelError, Provider, ProviderKind};
use crate::protocol::{FoundServer, ModelChoice};

/// Where local servers listen by habit: Ollama, llama.cpp, LM Studio, vLLM.
const PORTS: [u16; 4] = [11434, 8080, 1234, 8000];
/// A server on this machine answers at once or is not there.
const PROBE: Duration = Duration::from_millis(400);

/// The provider for a choice. Sends nothing, but for a local server without an address or a model, which is looked for.
///
/// # Errors
/// `Settings` and `NoKey`, in words that say what to do; network errors of a local server that was named and does not
/// answer.
pub async fn provider_for(choice: &ModelChoice, key: Option<SecretString>) -> Result<Provider, ModelError> {
    let kind = choice.provider;
    let base_url = stated(choice.base_url.as_deref());
    let model = stated(choice.model.as_deref());
    let model = match (kind, base_url, model.or(kind.usual_model())) {
        (ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Moonshot, _, Some(model))
        | (ProviderKind::Local, Some(_), Some(model)) => model.to_owned(),
        (_, Some(base_url), None) => first(listed(base_url, key.clone()).await?, base_url)?,
        (_, None, model) => {
            let server = found_locally(key.clone(), model).await?;
            let model = match model {
                Some(model) => model.to_owned(),
                None => first(server.models, &server.base_url)?,
            };
            return Provider::new(kind, Some(&server.base_url), model, key);
        }
    };
    Provider::new(kind, base_url, model, key)
}

fn stated(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn first(models: Vec<String>, base_url: &str) -> Result<String, ModelError> {
    models.into_iter().next().ok_or_else(|| ModelError::Settings {
        message: format!("The server at {base_url} has no model loaded. Load one, or name a model."),
    })
}

/// The servers that answer on the usual ports of this machine, in the ports' order. Asks all at once; takes less than
/// half a second.
pub async fn discover(key: Option<SecretString>) -> Vec<FoundServer> {
    let mut found: Vec<_> = PORTS
        .iter()
        .enumerate()
        .map(|(order, port)| {
            let (base_url, key) = (format!("http://127.0.0.1:{port}/v1"), key.clone());
            async move {
                let models = tokio::time::timeout(PROBE, listed(&base_url, key)).await.ok()?.ok()?;
                Some((order, FoundServer { base_url, models }))
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

/// The server that offers the model, else one with any model, else one that is there at all.
async fn found_locally(key: Option<SecretString>, model: Option<&str>) -> Result<FoundServer, ModelError> {
    let offers =
        |server: &FoundServer| model.is_some_and(|model| server.models.iter().any(|name| name == model));
    let servers = discover(key).await;
    servers.into_iter().min_by_key(|server| (!offers(server), server.models.is_empty())).ok_or_else(|| {
        let ports = PORTS.map(|port| port.to_string()).join(", ");
        let message = format!("No model server answers on this machine (ports {ports} were tried). Start one, or set its address.");
        ModelError::Settings { message }
    })
}
