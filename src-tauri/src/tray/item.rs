//! The tray of Linux desktops: a status item on the session bus, which needs no library of the desktop. Where there is no
//! bus or no tray nothing is shown, and a tray that comes later shows it.

use std::time::Duration;

use ksni::TrayMethods as _;
use ksni::menu::{MenuItem, StandardItem};
use planwright_engine::attention::Attention;
use planwright_engine::engine::Engine;
use planwright_engine::protocol::{Command, SessionId};
use tauri::image::Image;
use tauri::{AppHandle, Manager as _};

use super::{Face, View, pause_all, stop_all};
use crate::{attention, frame};

/// A bus that does not answer is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(crate) struct Tray {
    state: State,
    shown: Option<View>,
}

#[derive(Default)]
enum State {
    #[default]
    Hidden,
    Shown(ksni::Handle<Item>),
    /// It could not be shown; that was said, and is tried again when the user wants it anew.
    Refused,
}

impl Tray {
    /// Shows the view, or, with none, nothing.
    pub(crate) async fn show(&mut self, app: &AppHandle, engine: &Engine, view: Option<View>) {
        if self.shown == view {
            return;
        }
        self.shown.clone_from(&view);
        match (std::mem::take(&mut self.state), view) {
            (State::Shown(handle), Some(view)) => {
                // `None`: the item has ended with the bus.
                let updated = tokio::time::timeout(PATIENCE, handle.update(|item| item.view = view)).await;
                self.state = if matches!(updated, Ok(None)) { State::Refused } else { State::Shown(handle) };
            }
            (State::Hidden, Some(view)) => self.state = begin(app, engine, view).await,
            (State::Refused, Some(_)) => self.state = State::Refused,
            (State::Shown(handle), None) => handle.shutdown().await,
            (State::Hidden | State::Refused, None) => {}
        }
    }
}

async fn begin(app: &AppHandle, engine: &Engine, view: View) -> State {
    let item = Item { app: app.clone(), engine: engine.clone(), view };
    match tokio::time::timeout(PATIENCE, item.assume_sni_available(true).spawn()).await {
        Ok(Ok(handle)) => return State::Shown(handle),
        Ok(Err(error)) => tracing::info!("no tray icon: {error}"),
        Err(_) => tracing::info!("no tray icon: the session bus does not answer"),
    }
    State::Refused
}

struct Item {
    app: AppHandle,
    engine: Engine,
    view: View,
}

impl Item {
    fn to_front(&self) {
        match self.view.waits.first() {
            Some((session, _)) => attention::show_session(&self.app, *session),
            None => {
                frame::to_front(&self.app);
            }
        }
    }

    /// Sends each session its command. One that refuses has come to its end meanwhile.
    fn send(&self, commands: fn(&Attention) -> Vec<(SessionId, Command)>) {
        let engine = self.engine.clone();
        let commands = commands(&engine.attention().borrow());
        tauri::async_runtime::spawn(async move {
            for (session, command) in commands {
                if let Err(error) = engine.submit(session, command).await {
                    tracing::info!(code = ?error.code, "from the tray: {error}");
                }
            }
        });
    }

    /// As the user closes it.
    fn quit(&self) {
        if let Some(window) = self.app.get_webview_window(frame::MAIN)
            && let Err(error) = window.close()
        {
            tracing::warn!("the window cannot be closed: {error}");
        }
    }
}

impl ksni::Tray for Item {
    fn id(&self) -> String {
        "dev.planwright.app".to_owned()
    }

    fn title(&self) -> String {
        format!("Planwright: {}", self.view.words)
    }

    fn status(&self) -> ksni::Status {
        match self.view.face {
            Face::NeedsYou => ksni::Status::NeedsAttention,
            Face::Idle | Face::Working | Face::Done => ksni::Status::Active,
        }
    }

    fn icon_pixmap(&self) -> Vec<ksni::Icon> {
        pixmaps(self.view.face)
    }

    fn attention_icon_pixmap(&self) -> Vec<ksni::Icon> {
        pixmaps(Face::NeedsYou)
    }

    fn tool_tip(&self) -> ksni::ToolTip {
        let waits: Vec<String> = self.view.waits.iter().map(|(_, words)| in_markup(words)).collect();
        ksni::ToolTip { title: self.title(), description: waits.join("<br>"), ..ksni::ToolTip::default() }
    }

    fn activate(&mut self, _x: i32, _y: i32) {
        self.to_front();
    }

    fn menu(&self) -> Vec<MenuItem<Self>> {
        let waits = self.view.waits.iter().map(|(session, words)| {
            let session = *session;
            entry(words, true, move |item| attention::show_session(&item.app, session))
        });
        let mut menu: Vec<MenuItem<Self>> = waits.collect();
        if !menu.is_empty() {
            menu.push(MenuItem::Separator);
        }
        menu.extend([
            entry("Open Planwright", true, |item| {
                frame::to_front(&item.app);
            }),
            entry("Pause all", self.view.can_pause, |item| item.send(pause_all)),
            entry("Stop all", self.view.can_stop, |item| item.send(stop_all)),
            MenuItem::Separator,
            entry("Quit", true, |item| item.quit()),
        ]);
        menu
    }

    fn watcher_offline(&self, _reason: ksni::OfflineReason) -> bool {
        tracing::info!("no tray icon: this desktop shows none now");
        true
    }
}

fn entry(words: &str, enabled: bool, chosen: impl Fn(&Item) + Send + 'static) -> MenuItem<Item> {
    // One underscore would mark a key.
    let label = words.replace('_', "__");
    let activate = Box::new(move |item: &mut Item| chosen(item));
    StandardItem { label, enabled, activate, ..StandardItem::default() }.into()
}

/// Desktops read a few tags in a tool tip; a session's title has none.
fn in_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn pixmaps(face: Face) -> Vec<ksni::Icon> {
    let images: [Image<'static>; 3] = match face {
        Face::Idle => [
            tauri::include_image!("icons/tray/idle-16.png"),
            tauri::include_image!("icons/tray/idle-24.png"),
            tauri::include_image!("icons/tray/idle-48.png"),
        ],
        Face::Working => [
            tauri::include_image!("icons/tray/working-16.png"),
            tauri::include_image!("icons/tray/working-24.png"),
            tauri::include_image!("icons/tray/working-48.png"),
        ],
        Face::NeedsYou => [
            tauri::include_image!("icons/tray/needs-you-16.png"),
            tauri::include_image!("icons/tray/needs-you-24.png"),
            tauri::include_image!("icons/tray/needs-you-48.png"),
        ],
        Face::Done => [
            tauri::include_image!("icons/tray/done-16.png"),
            tauri::include_image!("icons/tray/done-24.png"),
            tauri::include_image!("icons/tray/done-48.png"),
        ],
    };
    images.iter().map(pixmap).collect()
}

/// The bus wants the colours as alpha, red, green, blue.
fn pixmap(image: &Image<'_>) -> ksni::Icon {
    let mut data = image.rgba().to_vec();
    data.chunks_exact_mut(4).for_each(|pixel| pixel.rotate_right(1));
    let side = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
    ksni::Icon { width: side(image.width()), height: side(image.height()), data }
}
