//! The way between a program at a terminal and the page: what is typed goes straight to it and is kept nowhere.

use planwright_engine::protocol::{EngineError, SessionId, StepId, TerminalInput, TerminalScreen};
use tauri::State;

use crate::door::Door;

/// Does at a running program's terminal what the user does there. The page sends one after the other.
#[tauri::command]
#[specta::specta]
pub(crate) async fn terminal_input(
    door: State<'_, Door>,
    session_id: SessionId,
    step_id: StepId,
    input: TerminalInput,
) -> Result<(), EngineError> {
    door.engine().await?.terminal_input(session_id, step_id, input).await
}

/// What a terminal shows now, or showed last; null when that is kept no longer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn terminal_screen(
    door: State<'_, Door>,
    session_id: SessionId,
    step_id: StepId,
    attempt: u32,
) -> Result<Option<TerminalScreen>, EngineError> {
    Ok(door.engine().await?.terminal_screen(session_id, step_id, attempt))
}
