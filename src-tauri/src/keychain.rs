//! Keys in the desktop's keyring; where there is none, or it stays locked, in memory until Planwright is closed, and said
//! so. Never in a file. A keyring may ask the user something and answer late or never, so each call has a thread of its own
//! and a limit.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use planwright_engine::model::{KeyStore, MemoryKeys};
use planwright_engine::protocol::{EngineError, ErrorCode, KeyPlace, KeyStatus, ProviderKind};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::oneshot;

/// For one call of the keyring: time for the user to unlock it.
const LIMIT: Duration = Duration::from_secs(20);

/// A keyring, as far as it is needed here. Its calls block.
pub(crate) trait Ring: Send + Sync {
    fn get(&self, account: &str) -> Result<Option<SecretString>, Trouble>;
    fn set(&self, account: &str, key: &SecretString) -> Result<(), Trouble>;
    fn delete(&self, account: &str) -> Result<(), Trouble>;
}

/// Why the keyring is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// There is none.
    Missing,
    /// It is locked, or refuses.
    Locked,
    /// It did not answer within the limit.
    Slow,
}

impl Trouble {
    fn words(self) -> &'static str {
        match self {
            Self::Missing => "No keyring answers on this desktop",
            Self::Locked => "The keyring is locked or refused",
            Self::Slow => "The keyring did not answer in time",
        }
    }
}

/// The keyring of this desktop.
struct Desktop;

const SERVICE: &str = "Planwright";

impl Ring for Desktop {
    fn get(&self, account: &str) -> Result<Option<SecretString>, Trouble> {
        match keyring::Entry::new(SERVICE, account).and_then(|entry| entry.get_password()) {
            Ok(key) => Ok(Some(SecretString::from(key))),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(trouble(&error)),
        }
    }

    fn set(&self, account: &str, key: &SecretString) -> Result<(), Trouble> {
        keyring::Entry::new(SERVICE, account)
            .and_then(|entry| entry.set_password(key.expose_secret()))
            .map_err(|error| trouble(&error))
    }

    fn delete(&self, account: &str) -> Result<(), Trouble> {
        match keyring::Entry::new(SERVICE, account).and_then(|entry| entry.delete_credential()) {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(trouble(&error)),
        }
    }
}

fn trouble(error: &keyring::Error) -> Trouble {
    match error {
        // Some of its errors carry what was read: those are never printed.
        keyring::Error::NoDefaultStore | keyring::Error::PlatformFailure(_) => {
            tracing::info!("no keyring: {error}");
            Trouble::Missing
        }
        keyring::Error::NoStorageAccess(_) => {
            tracing::info!("the keyring is not open: {error}");
            Trouble::Locked
        }
        _ => Trouble::Locked,
    }
}

/// The keyring first, memory second.
pub(crate) struct Keychain {
    ring: Arc<dyn Ring>,
    limit: Duration,
    memory: MemoryKeys,
    /// What is known of the keyring's content, so that showing it asks nobody to unlock anything.
    seen: Mutex<HashMap<ProviderKind, Result<bool, Trouble>>>,
}

impl Debug for Keychain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keychain")
    }
}

impl Keychain {
    pub(crate) fn new() -> Self {
        Self::with(Arc::new(Desktop), LIMIT)
    }

    fn with(ring: Arc<dyn Ring>, limit: Duration) -> Self {
        Self { ring, limit, memory: MemoryKeys::default(), seen: Mutex::default() }
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Ring) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let (tell, told) = oneshot::channel();
        let ring = Arc::clone(&self.ring);
        // Not one of the runtime's threads: a call that never ends would keep the program from ending.
        std::thread::Builder::new()
            .name("keyring".to_owned())
            .spawn(move || drop(tell.send(work(ring.as_ref()))))
            .map_err(|_| Trouble::Missing)?;
        match tokio::time::timeout(self.limit, told).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Trouble::Missing),
            Err(_) => Err(Trouble::Slow),
        }
    }

    async fn read(&self, provider: ProviderKind) -> Result<Option<SecretString>, Trouble> {
        let key = self.ask(move |ring| ring.get(account(provider))).await;
        self.note(provider, key.as_ref().map(Option::is_some).map_err(|trouble| *trouble));
        key
    }

    fn note(&self, provider: ProviderKind, seen: Result<bool, Trouble>) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(provider, seen);
    }

    /// A keyring that is of no use for one key is of none for the others.
    fn seen(&self, provider: ProviderKind) -> Option<Result<bool, Trouble>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(&provider).or_else(|| seen.values().find(|seen| seen.is_err())).copied()
    }
}

fn account(provider: ProviderKind) -> &'static str {
    match provider {
        ProviderKind::OpenAi => "openai",
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Moonshot => "moonshot",
        ProviderKind::Local => "local",
    }
}

fn unusable(trouble: Trouble, what_to_do: &str) -> EngineError {
    EngineError::new(ErrorCode::KeyUnusable, format!("{}. {what_to_do}", trouble.words()))
}

#[async_trait::async_trait]
impl KeyStore for Keychain {
    async fn get(&self, provider: ProviderKind) -> Result<Option<SecretString>, EngineError> {
        if let Some(key) = self.memory.find(provider) {
            return Ok(Some(key));
        }
        match self.read(provider).await {
            Ok(key) => Ok(key),
            // What does not exist holds no key.
            Err(Trouble::Missing) => Ok(None),
            // A server on this machine rarely wants a key: it is asked without one.
            Err(_) if provider == ProviderKind::Local => Ok(None),
            Err(trouble) => {
                Err(unusable(trouble, "Unlock it and choose the model again, or enter the key again."))
            }
        }
    }

    async fn put(&self, provider: ProviderKind, key: SecretString) -> Result<(), EngineError> {
        let kept = key.clone();
        let done = self.ask(move |ring| ring.set(account(provider), &kept)).await;
        self.note(provider, done.map(|()| true));
        match done {
            Ok(()) => drop(self.memory.take(provider)),
            Err(_) => self.memory.keep(provider, key),
        }
        Ok(())
    }

    async fn forget(&self, provider: ProviderKind) -> Result<(), EngineError> {
        drop(self.memory.take(provider));
        let done = self.ask(move |ring| ring.delete(account(provider))).await;
        self.note(provider, done.map(|()| false));
        match done {
            Ok(()) | Err(Trouble::Missing) => Ok(()),
            Err(trouble) => Err(unusable(trouble, "The key may still be in it. Unlock it and try again.")),
        }
    }

    async fn status(&self, provider: ProviderKind) -> KeyStatus {
        let held = self.memory.find(provider).is_some();
        if !held && self.seen(provider).is_none() {
            drop(self.read(provider).await);
        }
        let seen = self.seen(provider).unwrap_or(Ok(false));
        let place = match seen {
            _ if held => KeyPlace::Memory,
            Ok(true) => KeyPlace::Keyring,
            Ok(false) | Err(_) => KeyPlace::None,
        };
        let note = match (seen.err(), held) {
            (Some(trouble), true) => {
                Some(format!("{}. The key is kept until Planwright is closed.", trouble.words()))
            }
            (Some(trouble), false) => {
                Some(format!("{}. A key entered now is kept until Planwright is closed.", trouble.words()))
            }
            (None, _) => None,
        };
        KeyStatus { provider, place, note }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A keyring in memory, or the trouble that it always makes.
    #[derive(Default)]
    struct Fake {
        keys: Mutex<HashMap<String, SecretString>>,
        trouble: Option<Trouble>,
    }

    impl Ring for Fake {
        fn get(&self, account: &str) -> Result<Option<SecretString>, Trouble> {
            self.trouble.map_or_else(|| Ok(self.keys.lock().unwrap().get(account).cloned()), Err)
        }

        fn set(&self, account: &str, key: &SecretString) -> Result<(), Trouble> {
            if let Some(trouble) = self.trouble {
                return Err(trouble);
            }
            self.keys.lock().unwrap().insert(account.to_owned(), key.clone());
            Ok(())
        }

        fn delete(&self, account: &str) -> Result<(), Trouble> {
            if let Some(trouble) = self.trouble {
                return Err(trouble);
            }
            self.keys.lock().unwrap().remove(account);
            Ok(())
        }
    }

    fn troubled(trouble: Trouble) -> Keychain {
        Keychain::with(Arc::new(Fake { trouble: Some(trouble), ..Fake::default() }), LIMIT)
    }

    fn key() -> SecretString {
        SecretString::from("sk-hush")
    }

    const OPENAI: ProviderKind = ProviderKind::OpenAi;

    #[tokio::test]
    async fn a_key_goes_into_the_keyring_and_out_again() {
        let keychain = Keychain::with(Arc::new(Fake::default()), LIMIT);
        assert_eq!(keychain.status(OPENAI).await.place, KeyPlace::None);
        keychain.put(OPENAI, key()).await.unwrap();
        let status = keychain.status(OPENAI).await;
        assert_eq!((status.place, status.note), (KeyPlace::Keyring, None));
        assert!(keychain.memory.find(OPENAI).is_none(), "one copy is enough");
        assert_eq!(keychain.get(OPENAI).await.unwrap().unwrap().expose_secret(), "sk-hush");
        assert!(keychain.get(ProviderKind::Moonshot).await.unwrap().is_none());
        keychain.forget(OPENAI).await.unwrap();
        assert_eq!(keychain.status(OPENAI).await.place, KeyPlace::None);
        assert!(keychain.get(OPENAI).await.unwrap().is_none());
        assert!(!format!("{keychain:?}").contains("hush"));
    }

    #[tokio::test]
    async fn without_a_keyring_it_is_kept_in_memory_and_said() {
        for trouble in [Trouble::Missing, Trouble::Locked, Trouble::Slow] {
            let keychain = troubled(trouble);
            keychain.put(OPENAI, key()).await.unwrap();
            let status = keychain.status(OPENAI).await;
            assert_eq!(status.place, KeyPlace::Memory);
            let note = status.note.unwrap();
            assert!(
                note.starts_with(trouble.words()) && note.contains("until Planwright is closed"),
                "{note}"
            );
            assert_eq!(keychain.get(OPENAI).await.unwrap().unwrap().expose_secret(), "sk-hush");
        }
    }

    #[tokio::test]
    async fn a_locked_keyring_is_no_missing_key() {
        let keychain = troubled(Trouble::Locked);
        assert_eq!(keychain.get(OPENAI).await.unwrap_err().code, ErrorCode::KeyUnusable);
        assert!(keychain.get(ProviderKind::Local).await.unwrap().is_none());
        assert_eq!(keychain.forget(OPENAI).await.unwrap_err().code, ErrorCode::KeyUnusable);
        let missing = troubled(Trouble::Missing);
        assert!(missing.get(OPENAI).await.unwrap().is_none());
        missing.forget(OPENAI).await.unwrap();
    }

    #[tokio::test]
    async fn a_keyring_that_never_answers_holds_nobody_up_for_ever() {
        struct Stuck(Mutex<std::sync::mpsc::Receiver<()>>);
        impl Ring for Stuck {
            fn get(&self, _account: &str) -> Result<Option<SecretString>, Trouble> {
                self.0.lock().unwrap().recv().ok();
                Ok(None)
            }
            fn set(&self, _account: &str, _key: &SecretString) -> Result<(), Trouble> {
                Ok(())
            }
            fn delete(&self, _account: &str) -> Result<(), Trouble> {
                Ok(())
            }
        }
        let (_stuck, until) = std::sync::mpsc::channel();
        let keychain = Keychain::with(Arc::new(Stuck(Mutex::new(until))), Duration::from_millis(50));
        let error = keychain.get(OPENAI).await.unwrap_err();
        assert!(error.message.starts_with("The keyring did not answer in time."), "{error}");
    }

    /// Whatever this machine has: an answer comes, and it is one of those above.
    #[tokio::test]
    async fn the_desktop_answers_or_is_known_not_to() {
        let keychain = Keychain::new();
        let status = keychain.status(ProviderKind::Moonshot).await;
        assert_ne!(status.place, KeyPlace::Memory);
    }
}
