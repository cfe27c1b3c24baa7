//! The window as the desktop sees it: one per data folder, where it was last time, showing our own pages only.

use tauri::plugin::TauriPlugin;
use tauri::webview::{PageLoadEvent, WebviewWindowBuilder};
use tauri::{AppHandle, LogicalSize, Manager as _, Runtime, Url, WebviewWindow};
use tauri_plugin_window_state::StateFlags;

/// The only window, as `tauri.conf.json` names it.
pub(crate) const MAIN: &str = "main";

/// Opens the window; it is shown when the page is there, so that no white sheet flashes.
pub(crate) fn open(app: &AppHandle) -> tauri::Result<()> {
    for window in &app.config().app.windows {
        let window = WebviewWindowBuilder::from_config(app, window)?
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
        if let Err(error) = fit(&window) {
            tracing::warn!("the window cannot be fitted to the screen: {error}");
        }
    }
    Ok(())
}

/// Makes a window smaller that is larger than the room on its screen, at its first start or where it was last on a larger one.
fn fit<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let Some(screen) = window.current_monitor()?.or(window.primary_monitor()?) else { return Ok(()) };
    let scale = screen.scale_factor();
    let room: LogicalSize<f64> = screen.work_area().size.to_logical(scale);
    let now: LogicalSize<f64> = window.inner_size()?.to_logical(scale);
    let fitting = fitted(now, room);
    if fitting == now { Ok(()) } else { window.set_size(fitting) }
}

/// What a window's frame and title take of the screen's room.
const FRAME: LogicalSize<f64> = LogicalSize { width: 4.0, height: 40.0 };

fn fitted(wanted: LogicalSize<f64>, room: LogicalSize<f64>) -> LogicalSize<f64> {
    LogicalSize::new(
        wanted.width.min(room.width - FRAME.width),
        wanted.height.min(room.height - FRAME.height),
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_no_larger_than_its_screen() {
        let config: serde_json::Value = serde_json::from_str(include_str!("../tauri.conf.json")).unwrap();
        let of = |name: &str| config["app"]["windows"][0][name].as_f64().unwrap();
        let wanted = LogicalSize::new(of("width"), of("height"));
        for (width, height) in [(1024.0, 600.0), (1280.0, 720.0), (1366.0, 768.0), (800.0, 480.0)] {
            let fit = fitted(wanted, LogicalSize::new(width, height));
            assert!(fit.width <= width && fit.height < height, "{width}x{height}: {fit:?}");
            // What the window may not fall below, a screen that small has room for.
            assert!(
                fit.width >= of("minWidth") && fit.height >= of("minHeight"),
                "{width}x{height}: {fit:?}"
            );
        }
        assert_eq!(fitted(wanted, LogicalSize::new(2560.0, 1440.0)), wanted);
    }
}
