//! Which models answer: the one that the environment names, or those of the settings with the keys of this machine.

use std::sync::{Arc, Weak};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use tokio::task::JoinHandle;

use super::Engine;
use crate::model::{self, KeyStore, ModelProvider, checked_key, provider_for};
use crate::protocol::{
    ConnectionReport, EngineError, ErrorCode, FoundServer, KeyPlace, KeyStatus, ModelChoice, ModelRole,
    ModelStatus, ProviderKind, Settings, Update,
};
use crate::redact::Redactor;
use crate::session::Shared;

const ROLES: [ModelRole; 2] = [ModelRole::Main, ModelRole::Stronger];

/// How long a change waits for its effect, so that most are in force when they return. The rest arrives as an update.
const SOON: Duration = Duration::from_secs(1);

/// The model that the environment names (`PLANWRIGHT_PROVIDER` and its companions), if any.
///
/// # Errors
/// `NoModel`, with what to do, when the environment names one that cannot be used.
pub async fn model_from_environment() -> Result<Option<Arc<dyn ModelProvider>>, EngineError> {
    let provider = model::from_environment()
        .await
        .map_err(|error| EngineError::new(ErrorCode::NoModel, error.to_string()))?;
    Ok(provider.map(model::Provider::fitted))
}

/// The same of the stronger model (`PLANWRIGHT_STRONGER_PROVIDER` and its companions).
///
/// # Errors
/// As for the main one.
pub async fn stronger_from_environment() -> Result<Option<Arc<dyn ModelProvider>>, EngineError> {
    let provider = model::stronger_from_environment()
        .await
        .map_err(|error| EngineError::new(ErrorCode::NoModel, error.to_string()))?;
    Ok(provider.map(model::Provider::fitted))
}

impl Engine {
    /// Which models answer now, and why one that was chosen cannot.
    pub fn model_status(&self) -> ModelStatus {
        self.shared.models.status()
    }

    /// Waits until the models that the settings named at the start are set up, or known to be unusable.
    pub async fn models_settled(&self) {
        let starting = self.starting.lock().await.take();
        if let Some(starting) = starting {
            drop(starting.await);
        }
    }

    /// Tries a choice out with the key given, or the one that is kept for its provider. What is wrong stands in the
    /// report.
    pub async fn test_connection(&self, choice: ModelChoice, key: Option<SecretString>) -> ConnectionReport {
        let key = match key {
            Some(key) => checked_key(&key).map(Some).map_err(|error| (error.code(), error.to_string())),
            None => self.keys.get(choice.provider).await.map_err(|error| ("no-key", error.message)),
        };
        let report = match key {
            Ok(key) => model::test_connection(&choice, key).await,
            Err((code, message)) => ConnectionReport {
                ok: false,
                code: Some(code.to_owned()),
                message,
                models: Vec::new(),
                model: None,
                tools: None,
                schema: None,
                context_tokens: None,
                first_token_millis: None,
            },
        };
        // One that could not be had may now be there.
        if report.ok {
            let settings = self.settings();
            let missing = |role: &ModelRole| {
                chosen(&settings, *role) == Some(&choice) && self.shared.models.get(*role).is_none()
            };
            self.change(ROLES.into_iter().filter(missing).collect()).await;
        }
        report
    }

    /// Keeps a key, and sets up anew the models that need it.
    ///
    /// # Errors
    /// `InvalidInput` for what can be no key; `KeyUnusable` when it cannot be kept.
    pub async fn set_key(&self, provider: ProviderKind, key: SecretString) -> Result<KeyStatus, EngineError> {
        let key = checked_key(&key)
            .map_err(|error| EngineError::new(ErrorCode::InvalidInput, error.to_string()))?;
        self.shared.redactor.know(key.expose_secret());
        self.keys.put(provider, key).await?;
        self.renew(provider).await;
        Ok(self.key_status(provider).await)
    }

    /// Forgets a key; models that need it can then not be used.
    ///
    /// # Errors
    /// `KeyUnusable` when it may still be there.
    pub async fn forget_key(&self, provider: ProviderKind) -> Result<KeyStatus, EngineError> {
        self.keys.forget(provider).await?;
        self.renew(provider).await;
        Ok(self.key_status(provider).await)
    }

    /// Where the keys are, one line for each provider.
    pub async fn key_statuses(&self) -> Vec<KeyStatus> {
        let mut statuses = Vec::with_capacity(ProviderKind::ALL.len());
        for provider in ProviderKind::ALL {
            statuses.push(self.key_status(provider).await);
        }
        statuses
    }

    /// The model servers that answer on this machine's usual ports.
    pub async fn discover_servers(&self) -> Vec<FoundServer> {
        // A server that does not accept the key for local ones is found by test, with an address.
        model::discover(self.keys.get(ProviderKind::Local).await.ok().flatten()).await
    }

    async fn key_status(&self, provider: ProviderKind) -> KeyStatus {
        let named = self.model_status().main.is_some_and(|main| main.provider == provider);
        let in_environment = std::env::var_os("PLANWRIGHT_API_KEY").is_some_and(|key| !key.is_empty());
        if self.shared.models.from_environment() && named && in_environment {
            let note = Some("PLANWRIGHT_API_KEY is set, and used.".to_owned());
            return KeyStatus { provider, place: KeyPlace::Environment, note };
        }
        self.keys.status(provider).await
    }

    /// Tells whoever listens when more is found out about a model in use, such as by a conversation.
    pub(super) fn tell_of_models(shared: &Arc<Shared>) {
        let (shared, mut more) = (Arc::downgrade(shared), model::found_more());
        tokio::spawn(async move {
            while more.changed().await.is_ok() {
                let Some(shared) = shared.upgrade() else { return };
                publish(&shared);
            }
        });
    }

    /// Begins with the models of the settings, in the background.
    pub(super) fn begin_models(shared: &Arc<Shared>, keys: &Arc<dyn KeyStore>) -> JoinHandle<()> {
        let settings = shared.settings();
        let named = |role: &ModelRole| chosen(&settings, *role).is_some() && !is_pinned(shared, *role);
        set_up(shared, keys, ROLES.into_iter().filter(named).collect())
    }

    /// Brings the models in line with changed settings.
    pub(super) async fn switch_models(&self, before: &Settings, now: &Settings) {
        let changed = |role: &ModelRole| chosen(before, *role) != chosen(now, *role);
        self.change(ROLES.into_iter().filter(changed).collect()).await;
    }

    /// The same models with another key.
    async fn renew(&self, provider: ProviderKind) {
        let settings = self.settings();
        let concerned =
            |role: &ModelRole| chosen(&settings, *role).is_some_and(|choice| choice.provider == provider);
        self.change(ROLES.into_iter().filter(concerned).collect()).await;
    }

    async fn change(&self, roles: Vec<ModelRole>) {
        let mut roles = roles;
        roles.retain(|role| !is_pinned(&self.shared, *role));
        if roles.is_empty() {
            return;
        }
        for role in &roles {
            // From here on nobody is asked who was not chosen.
            self.shared.models.set_provider(*role, None);
        }
        drop(tokio::time::timeout(SOON, set_up(&self.shared, &self.keys, roles)).await);
    }
}

fn chosen(settings: &Settings, role: ModelRole) -> Option<&ModelChoice> {
    match role {
        ModelRole::Main => settings.main_model.as_ref(),
        ModelRole::Stronger => settings.stronger_model.as_ref(),
    }
}

/// The environment's model stays, whatever the settings say.
fn is_pinned(shared: &Shared, role: ModelRole) -> bool {
    shared.models.is_pinned(role)
}

fn publish(shared: &Shared) {
    shared.hub.publish(Update::Models { status: shared.models.status() });
}

/// Sets roles up as the settings say. It does not keep the engine alive.
fn set_up(shared: &Arc<Shared>, keys: &Arc<dyn KeyStore>, roles: Vec<ModelRole>) -> JoinHandle<()> {
    let (settings, keys, redactor) = (shared.settings(), Arc::clone(keys), shared.redactor.clone());
    let shared = Arc::downgrade(shared);
    tokio::spawn(async move {
        for role in roles {
            let choice = chosen(&settings, role);
            let model = match choice {
                Some(choice) => made(choice, keys.as_ref(), &redactor).await.map(Some),
                None => Ok(None),
            };
            take_up(&shared, role, choice, model);
        }
    })
}

async fn made(
    choice: &ModelChoice,
    keys: &dyn KeyStore,
    redactor: &Redactor,
) -> Result<Arc<dyn ModelProvider>, String> {
    let key = keys.get(choice.provider).await.map_err(|error| error.message)?;
    if let Some(key) = &key {
        redactor.know(key.expose_secret());
    }
    let provider = provider_for(choice, key).await.map_err(|error| error.to_string())?;
    Ok(provider.fitted())
}

fn take_up(
    shared: &Weak<Shared>,
    role: ModelRole,
    choice: Option<&ModelChoice>,
    model: Result<Option<Arc<dyn ModelProvider>>, String>,
) {
    let Some(shared) = shared.upgrade() else { return };
    // The settings may have changed again meanwhile.
    if chosen(&shared.settings(), role) != choice {
        return;
    }
    match model {
        Ok(model) => shared.models.set_provider(role, model),
        Err(problem) => shared.models.fail(role, problem),
    }
    publish(&shared);
}
