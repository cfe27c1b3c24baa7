//! Where the keys of providers are. A key is a secret from end to end: it is never printed, journalled, exported or written
//! to a file. Settings never hold one.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::{Mutex, PoisonError};

use secrecy::{ExposeSecret as _, SecretString};

use super::{ModelError, ProviderKind};
use crate::protocol::{EngineError, KeyPlace, KeyStatus};

/// A place for keys, one for each family of providers.
#[async_trait::async_trait]
pub trait KeyStore: Debug + Send + Sync {
    /// # Errors
    /// `KeyUnusable` when there may be one that cannot be had.
    async fn get(&self, provider: ProviderKind) -> Result<Option<SecretString>, EngineError>;

    /// Replaces what was there.
    ///
    /// # Errors
    /// `KeyUnusable`.
    async fn put(&self, provider: ProviderKind, key: SecretString) -> Result<(), EngineError>;

    /// Does nothing where there is none.
    ///
    /// # Errors
    /// `KeyUnusable` when it may still be there.
    async fn forget(&self, provider: ProviderKind) -> Result<(), EngineError>;

    async fn status(&self, provider: ProviderKind) -> KeyStatus;
}

/// Keys in memory, until the program ends.
#[derive(Default)]
pub struct MemoryKeys {
    keys: Mutex<HashMap<ProviderKind, SecretString>>,
}

impl Debug for MemoryKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryKeys")
    }
}

impl MemoryKeys {
    pub fn take(&self, provider: ProviderKind) -> Option<SecretString> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).remove(&provider)
    }

    pub fn find(&self, provider: ProviderKind) -> Option<SecretString> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).get(&provider).cloned()
    }

    pub fn keep(&self, provider: ProviderKind, key: SecretString) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).insert(provider, key);
    }
}

#[async_trait::async_trait]
impl KeyStore for MemoryKeys {
    async fn get(&self, provider: ProviderKind) -> Result<Option<SecretString>, EngineError> {
        Ok(self.find(provider))
    }

    async fn put(&self, provider: ProviderKind, key: SecretString) -> Result<(), EngineError> {
        self.keep(provider, key);
        Ok(())
    }

    async fn forget(&self, provider: ProviderKind) -> Result<(), EngineError> {
        self.take(provider);
        Ok(())
    }

    async fn status(&self, provider: ProviderKind) -> KeyStatus {
        let held = self.find(provider).is_some();
        KeyStatus {
            provider,
            place: if held { KeyPlace::Memory } else { KeyPlace::None },
            note: held.then(|| "Kept until Planwright is closed.".to_owned()),
        }
    }
}

/// A key as it was typed or pasted, without the blanks around it.
///
/// # Errors
/// `Settings` for what can be no key.
pub fn checked_key(key: &SecretString) -> Result<SecretString, ModelError> {
    let text = key.expose_secret().trim();
    let wrong = |message: &str| Err(ModelError::Settings { message: message.to_owned() });
    if text.is_empty() {
        return wrong("The key is empty. Enter the key.");
    }
    if text.chars().any(|c| c.is_control() || !c.is_ascii()) {
        return wrong("The key holds characters that no key has. Copy the key again.");
    }
    Ok(SecretString::from(text))
}
