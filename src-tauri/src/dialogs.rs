//! The system's own dialogs and windows. Closing one is an answer, not an error.

use std::path::PathBuf;

use planwright_engine::protocol::{EngineError, ErrorCode};
use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt as _, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;

/// What a runbook's name may end with.
const RUNBOOKS: &[&str] = &["md", "markdown", "sh", "bash", "txt", "json"];

pub(crate) async fn choose_runbook(app: &AppHandle) -> Option<PathBuf> {
    let dialog = app.dialog().file().set_title("Open a runbook").add_filter("Runbooks and plans", RUNBOOKS);
    answer(dialog, FileDialogBuilder::pick_file).await
}

pub(crate) async fn choose_folder(app: &AppHandle) -> Option<PathBuf> {
    let dialog = app.dialog().file().set_title("Choose the folder to work in");
    answer(dialog, FileDialogBuilder::pick_folder).await
}

pub(crate) async fn choose_where_to_save(app: &AppHandle, suggested_name: &str) -> Option<PathBuf> {
    let dialog = app.dialog().file().set_title("Save").set_file_name(suggested_name);
    answer(dialog, FileDialogBuilder::save_file).await
}

/// Opens the folder in the desktop's file manager.
pub(crate) fn show_folder(folder: &str) -> Result<(), EngineError> {
    tauri_plugin_opener::open_path(folder, None::<&str>).map_err(|error| {
        tracing::warn!("{error}");
        let message = format!("No file manager could be opened. The folder is {folder}.");
        EngineError::new(ErrorCode::FileUnreadable, message)
    })
}

type Reply = Box<dyn FnOnce(Option<FilePath>) + Send>;

async fn answer(
    dialog: FileDialogBuilder<tauri::Wry>,
    open: impl FnOnce(FileDialogBuilder<tauri::Wry>, Reply),
) -> Option<PathBuf> {
    let (reply, chosen) = oneshot::channel();
    // Nobody waits any more when the window was closed meanwhile.
    open(dialog, Box::new(move |path| drop(reply.send(path))));
    chosen.await.ok().flatten()?.into_path().ok()
}
