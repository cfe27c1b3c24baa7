//! The way of a password from the page to the program that asks. It goes in, is wiped on this side, and never comes out.

use planwright_engine::protocol::{EngineError, SecretRequestId, SessionId};
use secrecy::SecretString;
use tauri::State;

use crate::door::Door;

/// Hands an answer straight to the program that asks; null declines.
#[tauri::command]
#[specta::specta]
pub(crate) async fn answer_secret(
    door: State<'_, Door>,
    session_id: SessionId,
    request_id: SecretRequestId,
    answer: Option<String>,
) -> Result<(), EngineError> {
    door.engine().await?.answer_secret(session_id, request_id, answer.map(SecretString::from))
}
