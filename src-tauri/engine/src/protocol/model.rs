use serde::{Deserialize, Serialize};

/// The families of model servers (M1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    #[serde(rename = "openai")]
    OpenAi,
    Anthropic,
    Moonshot,
    /// Any server of the OpenAI dialect, on this machine or by address.
    Local,
}

/// A model that the user chose.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    pub provider: ProviderKind,
    /// `None`: the provider's own address; for `local`, the first that answers on the usual ports.
    pub base_url: Option<String>,
    /// `None`: the provider's usual one; for `local`, the first that the server offers.
    pub model: Option<String>,
}

/// What a role is for (M6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ModelRole {
    Main,
    /// Asked only when the user says so: when stuck, or to consult.
    Stronger,
}

/// US dollars for a million tokens, as published; in cents so that no fraction crosses the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Price {
    pub input_cents: u32,
    pub output_cents: u32,
    /// Input read from the provider's prompt cache.
    pub cached_cents: u32,
}

/// How a model is driven to call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ToolSupport {
    /// By the provider's own tool calls.
    Native,
    /// By a JSON envelope that its answers are held to.
    Envelope,
    /// Not probed yet: native ones are tried.
    Unknown,
}

/// A model in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    pub provider: ProviderKind,
    pub model: String,
    pub base_url: String,
    pub tools: ToolSupport,
    /// As probed or known; `None` when neither.
    pub context_tokens: Option<u32>,
    /// `None`: unknown, so nothing can be said about cost.
    pub price: Option<Price>,
}

/// Which models answer now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ModelStatus {
    /// `None`: rules only.
    pub main: Option<ModelInfo>,
    pub stronger: Option<ModelInfo>,
    /// Why a model that was chosen cannot be used, in words that say what to do.
    pub problem: Option<String>,
    /// The environment names the main model, and the settings wait until it does not.
    pub from_environment: bool,
}

/// What "test connection" found out. A failure is a result here, not an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionReport {
    pub ok: bool,
    /// The code of the model's error ("rejected-key", "network" …); `None` when it works.
    pub code: Option<String>,
    /// What was found, or exactly what is wrong and what to do.
    pub message: String,
    /// The server's models; empty when it does not say.
    pub models: Vec<String>,
    /// The model that answered.
    pub model: Option<String>,
    pub tools: Option<ToolSupport>,
    /// Whether its answers can be held to a JSON schema.
    pub schema: Option<bool>,
    pub context_tokens: Option<u32>,
    /// Until the first token of the answer.
    pub first_token_millis: Option<u32>,
}

/// Where a provider's key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum KeyPlace {
    None,
    Keyring,
    /// In memory until the program ends: this machine has no keyring that can be used.
    Memory,
    Environment,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct KeyStatus {
    pub provider: ProviderKind,
    pub place: KeyPlace,
    /// Why it is not in the keyring, for people.
    pub note: Option<String>,
}

/// A server found on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FoundServer {
    pub base_url: String,
    pub models: Vec<String>,
}

/// What it would cost to ask a model something; shown before it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct QuestionEstimate {
    pub model: String,
    pub input_tokens: u32,
    /// Of an answer of a usual length.
    pub output_tokens: u32,
    /// Millionths of a US dollar; `None` where the model's price is not known.
    pub cost_micros: Option<u32>,
}

/// What a model was asked for; the meter counts by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    Conversation,
    Planning,
    Recovery,
    Summary,
    Consulting,
    Goal,
}
