//! What the page may ask about models and keys. A key goes in and never comes out again.

use planwright_engine::protocol::{
    ConnectionReport, EngineError, FoundServer, KeyStatus, ModelChoice, ModelStatus, ProviderKind,
};
use secrecy::SecretString;
use tauri::State;

use crate::door::Door;

type Answer<T> = Result<T, EngineError>;

/// Which models answer now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn model_status(door: State<'_, Door>) -> Answer<ModelStatus> {
    Ok(door.engine().await?.model_status())
}

/// Tries a choice out, with the key given or the one that is kept. What is wrong stands in the report.
#[tauri::command]
#[specta::specta]
pub(crate) async fn test_connection(
    door: State<'_, Door>,
    choice: ModelChoice,
    key: Option<String>,
) -> Answer<ConnectionReport> {
    Ok(door.engine().await?.test_connection(choice, key.map(SecretString::from)).await)
}

/// Keeps a key; where, the answer says.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_key(door: State<'_, Door>, provider: ProviderKind, key: String) -> Answer<KeyStatus> {
    door.engine().await?.set_key(provider, SecretString::from(key)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn forget_key(door: State<'_, Door>, provider: ProviderKind) -> Answer<KeyStatus> {
    door.engine().await?.forget_key(provider).await
}

/// Where the keys are, one line for each provider.
#[tauri::command]
#[specta::specta]
pub(crate) async fn key_statuses(door: State<'_, Door>) -> Answer<Vec<KeyStatus>> {
    Ok(door.engine().await?.key_statuses().await)
}

/// The model servers that answer on this machine's usual ports.
#[tauri::command]
#[specta::specta]
pub(crate) async fn discover_servers(door: State<'_, Door>) -> Answer<Vec<FoundServer>> {
    Ok(door.engine().await?.discover_servers().await)
}
