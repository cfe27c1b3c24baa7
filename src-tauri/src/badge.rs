//! The number at the program's icon in the dock or task bar, where the desktop shows one.

use tauri::WebviewWindow;

/// What is shown now.
#[derive(Debug, Default)]
pub(crate) struct Badge {
    shown: u32,
    #[cfg(target_os = "linux")]
    bus: Option<zbus::Connection>,
}

#[cfg(target_os = "linux")]
impl Badge {
    /// Told to whoever listens on the session bus, as the docks of GNOME and KDE do: `window.set_badge_count` needs a library
    /// that most desktops do not have.
    pub(crate) async fn show(&mut self, _window: &WebviewWindow, count: u32) {
        if self.shown == count {
            return;
        }
        match self.tell(count).await {
            Ok(()) => self.shown = count,
            Err(error) => {
                self.bus = None;
                tracing::info!("no badge: {error}");
            }
        }
    }

    async fn tell(&mut self, count: u32) -> zbus::Result<()> {
        use std::collections::HashMap;

        use zbus::zvariant::Value;

        const PATH: &str = "/dev/planwright/app";
        const DESKTOP_FILE: &str = "application://Planwright.desktop";
        // Kept: a dock takes a number back when the one who told it has left the bus.
        let bus = match &self.bus {
            Some(bus) => bus,
            None => self.bus.insert(zbus::Connection::session().await?),
        };
        let shown = HashMap::from([
            ("count", Value::from(i64::from(count))),
            ("count-visible", Value::from(count > 0)),
        ]);
        bus.emit_signal(
            None::<zbus::names::BusName<'_>>,
            PATH,
            "com.canonical.Unity.LauncherEntry",
            "Update",
            &(DESKTOP_FILE, shown),
        )
        .await
    }
}

#[cfg(not(target_os = "linux"))]
impl Badge {
    pub(crate) async fn show(&mut self, window: &WebviewWindow, count: u32) {
        if self.shown == count {
            return;
        }
        match window.set_badge_count((count > 0).then_some(i64::from(count))) {
            Ok(()) => self.shown = count,
            Err(error) => tracing::info!("no badge: {error}"),
        }
    }
}
