//! The engine as the window holds it: opened once, asked for by every command. When it cannot be opened the window is
//! there all the same and each command says why; the next one tries again, so that the user can mend it and go on.

use planwright_engine::engine::{Attendance, Engine, EngineConfig, data_folder, worker_beside_program};
use planwright_engine::protocol::EngineError;
use tauri::{AppHandle, Manager as _};
use tokio::sync::OnceCell;

use crate::attention;

#[derive(Debug)]
pub(crate) struct Door {
    app: AppHandle,
    engine: OnceCell<Engine>,
}

impl Door {
    pub(crate) fn new(app: AppHandle) -> Self {
        Self { app, engine: OnceCell::new() }
    }

    /// # Errors
    /// Why the engine cannot be opened, as [`Engine::spawn`] says it.
    pub(crate) async fn engine(&self) -> Result<&Engine, EngineError> {
        self.engine.get_or_try_init(|| self.open()).await
    }

    async fn open(&self) -> Result<Engine, EngineError> {
        let config = EngineConfig {
            home: data_folder(),
            worker: worker_beside_program(),
            attendance: Attendance::User,
            mind: None,
        };
        let engine = Engine::spawn(config).await?;
        tauri::async_runtime::spawn(attention::watch(self.app.clone(), engine.subscribe()));
        Ok(engine)
    }
}

/// Opens the engine while the page still loads; a failure is told by the first command.
pub(crate) fn open_early(app: AppHandle) {
    tauri::async_runtime::spawn(async move {
        if let Err(error) = app.state::<Door>().engine().await {
            tracing::error!(code = ?error.code, "{}", error.message);
        }
    });
}
