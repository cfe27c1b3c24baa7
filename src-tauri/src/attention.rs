//! Calls the user when an answer is awaited and the window is not in front: urgency, and a desktop notification that
//! brings the window there and does nothing else. It never answers.

use notify_rust::Notification;
use planwright_engine::engine::Updates;
use planwright_engine::protocol::{Event, Time, Update};
use tauri::{AppHandle, Manager as _, UserAttentionType};

use crate::frame;

/// Runs until the engine is gone.
pub(crate) async fn watch(app: AppHandle, mut updates: Updates) {
    while let Some(update) = updates.next().await {
        if let Some(what) = awaited(&update) {
            call(&app, what);
        }
    }
}

/// What the user is waited for with, in words for a notification. The command itself stays in the window.
fn awaited(update: &Update) -> Option<&str> {
    match update {
        Update::Event { record } => match &record.event {
            Event::ApprovalNeeded { approval } => Some(&approval.warning_message),
            Event::SecretNeeded { request } if request.expires_at > Time::now() => {
                Some("A running command asks for a password.")
            }
            Event::AgentStuck { .. } => Some("The plan is stuck and waits for your decision."),
            _ => None,
        },
        Update::Output { .. }
        | Update::Terminal { .. }
        | Update::Answer { .. }
        | Update::Models { .. }
        | Update::Sessions { .. }
        | Update::Settings { .. }
        | Update::Grants { .. }
        | Update::Forecast { .. }
        | Update::Problem { .. } => None,
    }
}

fn call(app: &AppHandle, what: &str) {
    let Some(window) = app.get_webview_window(frame::MAIN) else { return };
    if window.is_focused().unwrap_or(false) {
        return;
    }
    if let Err(error) = window.request_user_attention(Some(UserAttentionType::Critical)) {
        tracing::warn!("the window cannot ask for attention: {error}");
    }
    let app = app.clone();
    let notification = Notification::new()
        .appname("Planwright")
        .icon("planwright")
        .summary("Planwright waits for your answer")
        .body(what)
        .action("default", "Show")
        .finalize();
    // A thread of its own: it waits until the notification is clicked or closed.
    tauri::async_runtime::spawn_blocking(move || show(&app, &notification));
}

#[cfg(target_os = "linux")]
fn show(app: &AppHandle, notification: &Notification) {
    match notification.show() {
        Ok(shown) => shown.wait_for_action(|action| {
            if action == "default" {
                frame::to_front(app);
            }
        }),
        // A desktop without notifications is none of the user's trouble: the window still asks for attention.
        Err(error) => tracing::info!("no notification: {error}"),
    }
}

#[cfg(not(target_os = "linux"))]
fn show(_app: &AppHandle, notification: &Notification) {
    if let Err(error) = notification.show() {
        tracing::info!("no notification: {error}");
    }
}
