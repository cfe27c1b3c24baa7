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

/// The stronger model that this process's `PLANWRIGHT_STRONGER_*` variables name; see [`stronger_from_variables`].
///
/// # Errors
/// As for [`from_variables`].
pub async fn stronger_from_environment() -> Result<Option<Provider>, ModelError> {
    stronger_from_variables(|name| std::env::var(name).ok()).await
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
    let told = Told::by(|name| told(&variable, &format!("PLANWRIGHT_{name}")));
    drop(variable);
    provider("PLANWRIGHT", told).await
}

/// The same of the stronger model, by `PLANWRIGHT_STRONGER_*`. What they leave out is the main model's where the provider is
/// the same: `PLANWRIGHT_STRONGER_MODEL` alone is enough.
///
/// # Errors
/// As for [`from_variables`].
pub async fn stronger_from_variables(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Provider>, ModelError> {
    let own = |name: &str| told(&variable, &format!("PLANWRIGHT_STRONGER_{name}"));
    if ["PROVIDER", "MODEL", "BASE_URL"].iter().all(|name| own(name).is_none()) {
        return Ok(None);
    }
    let main = |name: &str| told(&variable, &format!("PLANWRIGHT_{name}"));
    let same = own("PROVIDER").is_none_or(|provider| Some(provider) == main("PROVIDER"));
    let shared = |name: &str| match name {
        "MODEL" => None,
        // A key goes to no other server than the one that it is for.
        "API_KEY" | "BASE_URL" if own("BASE_URL").is_some() => None,
        _ => main(name).filter(|_| same),
    };
    let told = Told::by(|name| own(name).or_else(|| shared(name)));
    provider("PLANWRIGHT_STRONGER", told).await
}

/// What the variables of one model say.
struct Told {
    provider: Option<String>,
    model: Option<String>,
    base_url: Option<String>,
    key: Option<String>,
}

impl Told {
    fn by(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            provider: variable("PROVIDER"),
            model: variable("MODEL"),
            base_url: variable("BASE_URL"),
            key: variable("API_KEY"),
        }
    }
}

fn told(variable: impl Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    variable(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

async fn provider(prefix: &str, told: Told) -> Result<Option<Provider>, ModelError> {
    let Told { provider, model, base_url, key } = told;
    let provider = match provider.map(|text| text.to_lowercase()).as_deref() {
        Some("openai") => ProviderKind::OpenAi,
        Some("anthropic") => ProviderKind::Anthropic,
        Some("moonshot") => ProviderKind::Moonshot,
        Some("local") => ProviderKind::Local,
        Some(other) => {
            let message = format!(
                "{prefix}_PROVIDER is \"{other}\". Set it to openai, anthropic, moonshot or local, or unset it to go without a model."
            );
            return Err(ModelError::Settings { message });
        }
        None if base_url.is_some() => ProviderKind::Local,
        None => return Ok(None),
    };
    let key = key.map(|key| checked_key(&SecretString::from(key))).transpose().map_err(|error| {
        ModelError::Settings { message: format!("{prefix}_API_KEY cannot be used. {error}") }
    })?;
    provider_for(&ModelChoice { provider, base_url, model }, key).await.map(Some)
}
