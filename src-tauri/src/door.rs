//! The engine as the window holds it: opened once, asked for by every command. When it cannot be opened the window is
//! there all the same and each command says why; the next one tries again, so that the user can mend it and go on.

use std::sync::{Arc, Mutex, PoisonError};

use planwright_engine::awake;
use planwright_engine::engine::{
    Attendance, Engine, EngineConfig, data_folder, model_from_environment, stronger_from_environment,
    worker_beside_program,
};
use planwright_engine::model::Models;
use planwright_engine::protocol::{EngineError, Update};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager as _};
use tokio::sync::OnceCell;

use crate::attention;
use crate::keychain::Keychain;
use crate::updates::{self, Page, Taken};

pub(crate) struct Door {
    app: AppHandle,
    engine: OnceCell<Engine>,
    pages: Mutex<Pages>,
    /// Of the present page; one before it, which was reloaded, is gone.
    taken: Mutex<Option<Taken>>,
}

/// Who hears the engine's updates. A page may ask before the engine is there; it then misses nothing.
enum Pages {
    Waiting(Vec<Page>),
    Served(Engine),
}

impl Door {
    pub(crate) fn new(app: AppHandle) -> Self {
        Self {
            app,
            engine: OnceCell::new(),
            pages: Mutex::new(Pages::Waiting(Vec::new())),
            taken: Mutex::default(),
        }
    }

    /// # Errors
    /// Why the engine cannot be opened, as [`Engine::spawn`] says it.
    pub(crate) async fn engine(&self) -> Result<&Engine, EngineError> {
        self.engine.get_or_try_init(|| self.open()).await
    }

    /// Sends the page everything that happens from now on, and any page before it nothing more.
    pub(crate) fn subscribe(&self, channel: Channel<Vec<Update>>) {
        let (page, taken) = Page::new(channel);
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(taken);
        match &mut *self.pages.lock().unwrap_or_else(PoisonError::into_inner) {
            Pages::Waiting(waiting) => waiting.push(page),
            Pages::Served(engine) => serve(engine, page),
        }
    }

    /// The page has drawn so many batches since it subscribed.
    pub(crate) fn took(&self, batches: u32) {
        if let Some(taken) = &*self.taken.lock().unwrap_or_else(PoisonError::into_inner) {
            // Two of them may overtake each other on their way.
            taken.send_if_modified(|before| {
                let more = batches > *before;
                *before = batches.max(*before);
                more
            });
        }
    }

    async fn open(&self) -> Result<Engine, EngineError> {
        // The window is of use without a model, and says what is wrong with one that the environment names.
        let models = match model_from_environment().await {
            Ok(model) => Models::of(model),
            Err(error) => Models::unusable(error.message),
        };
        let models = match stronger_from_environment().await {
            Ok(stronger) => models.and_stronger(stronger),
            Err(error) => models.and_unusable_stronger(error.message),
        };
        let config = EngineConfig {
            home: data_folder(),
            worker: worker_beside_program(),
            attendance: Attendance::AtTerminal,
            models,
            keys: Arc::new(Keychain::new()),
        };
        let engine = Engine::spawn(config).await?;
        let standing = standing(&engine).await?;
        engine.keep_awake(awake::of_this_machine());
        tauri::async_runtime::spawn(attention::watch(self.app.clone(), engine.clone()));
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Pages::Waiting(waiting) = std::mem::replace(&mut *pages, Pages::Served(engine.clone())) {
            for mut page in waiting {
                if page.send(standing.clone()) {
                    serve(&engine, page);
                }
            }
        }
        Ok(engine)
    }
}

fn serve(engine: &Engine, page: Page) {
    tauri::async_runtime::spawn(updates::forward(engine.subscribe(), page));
}

/// What a page that was refused at its start has not heard yet.
async fn standing(engine: &Engine) -> Result<Vec<Update>, EngineError> {
    Ok(vec![
        Update::Sessions { sessions: engine.sessions("").await? },
        Update::Settings { settings: engine.settings() },
        Update::Grants { grants: engine.grants().await? },
        Update::Models { status: engine.model_status() },
    ])
}

/// The user has come to the window.
pub(crate) fn looks(app: &AppHandle) {
    if let Some(engine) = app.state::<Door>().engine.get() {
        attention::looks(app, engine);
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
