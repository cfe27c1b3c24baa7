use secrecy::SecretString;

use super::{ModelError, Provider, ProviderKind, checked_key, provider_for};
use crate::protocol::ModelChoice;

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
    let provider = match variable("PLANWRIGHT_PROVIDER").map(|text| text.to_lowercase()).as_deref() {
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
    let key =
        variable("PLANWRIGHT_API_KEY").map(|key| checked_key(&SecretString::from(key))).transpose().map_err(
            |error| ModelError::Settings { message: format!("PLANWRIGHT_API_KEY cannot be used. {error}") },
        )?;
    let choice = ModelChoice { provider, base_url, model: variable("PLANWRIGHT_MODEL") };
    provider_for(&choice, key).await.map(Some)
}
