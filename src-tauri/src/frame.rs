//! The window as the desktop sees it: one per data folder, where it was last time, showing our own pages only.

use tauri::plugin::TauriPlugin;
use tauri::webview::{PageLoadEvent, WebviewWindowBuilder};
use tauri::{AppHandle, Manager as _, Runtime, Url};
use tauri_plugin_window_state::StateFlags;

/// The only window, as `tauri.conf.json` names it.
pub(crate) const MAIN: &str = "main";

/// Opens the window; it is shown when the page is there, so that no white sheet flashes.
pub(crate) fn open(app: &AppHandle) -> tauri::Result<()> {
    for window in &app.config().app.windows {
        WebviewWindowBuilder::from_config(app, window)?
            .on_navigation(is_our_page)
            .on_page_load(|window, load| match load.event() {
                PageLoadEvent::Started => {}
                PageLoadEvent::Finished => {
                    if let Err(error) = window.show() {
                        tracing::error!("the window cannot be shown: {error}");
                    }
                }
            })
            .build()?;
    }
    Ok(())
}

/// Brings the window to the front; `false` where there is none any more.
pub(crate) fn to_front(app: &AppHandle) -> bool {
    let Some(window) = app.get_webview_window(MAIN) else { return false };
    let raised = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = raised {
        tracing::warn!("the window cannot be brought to the front: {error}");
    }
    true
}

/// A second start on the same data folder brings the first one's window to the front and ends. On unix `instance` does it.
#[cfg(not(unix))]
pub(crate) fn single_instance(data_folder: &std::path::Path) -> TauriPlugin<tauri::Wry> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    let mut folder = DefaultHasher::new();
    data_folder.hash(&mut folder);
    tauri_plugin_single_instance::Builder::new()
        .callback(|app, _arguments, _folder| drop(to_front(app)))
        .dbus_id(format!("dev.planwright.app.on{:016x}", folder.finish()))
        .build()
}

/// Size and place are kept; whether it is visible is not, for [`open`] shows it in its own time.
pub(crate) fn remembered_place<R: Runtime>() -> TauriPlugin<R> {
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(StateFlags::all() - StateFlags::VISIBLE)
        .build()
}

/// Pages come out of the program itself; nothing else is ever opened here.
fn is_our_page(url: &Url) -> bool {
    url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost") || url.as_str() == "about:blank"
}
