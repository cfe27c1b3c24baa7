//! The window: it shows the engine and hands it what the user does. It decides nothing, and what it cannot do without
//! the engine it says. Everything here is a builder, commands of a few lines, and the way updates take to the page.

mod attention;
mod badge;
mod bindings;
mod commands;
mod dialogs;
mod display;
mod door;
mod frame;
#[cfg(unix)]
mod instance;
mod keychain;
mod model_commands;
mod secret_commands;
mod terminal_commands;
mod tray;
mod updates;

use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use tauri::Manager as _;

pub use bindings::bindings;
use door::Door;
use planwright_engine::redact::{log_panics, log_writer};

/// Opens the window and returns when it is closed. 0: closed by the user, or the window that has this data folder came to
/// the front; 1: could not be opened; 2: there is no display.
pub fn run() -> ExitCode {
    log_to_stderr();
    if let Err(missing) = display::open() {
        eprintln!("{missing}");
        return ExitCode::from(2);
    }
    #[cfg(unix)]
    // Held to the end of this function: with it goes the lock.
    let first = match instance::start(&planwright_engine::engine::data_folder()) {
        instance::Start::First(first) => Arc::new(first),
        instance::Start::Second => return ExitCode::SUCCESS,
        instance::Start::Unanswered => {
            eprintln!(
                "Planwright is open already with this data folder, and its window does not answer. End that one, or set \
                 PLANWRIGHT_HOME to another folder."
            );
            return ExitCode::FAILURE;
        }
    };
    #[cfg(unix)]
    let opened = {
        let first = Arc::clone(&first);
        open(move |app| first.listen(move || frame::to_front(&app)))
    };
    #[cfg(not(unix))]
    let opened = open(|_| ());
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Planwright's window could not be opened: {error}.");
            ExitCode::FAILURE
        }
    }
}

/// `listen`: has the window brought to the front by a second start.
fn open(listen: impl FnOnce(tauri::AppHandle) + Send + 'static) -> tauri::Result<()> {
    let builder = tauri::Builder::default();
    #[cfg(not(unix))]
    let builder = builder.plugin(frame::single_instance(&planwright_engine::engine::data_folder()));
    builder
        .plugin(frame::remembered_place())
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(bindings().invoke_handler())
        .on_window_event(|window, event| {
            if let tauri::WindowEvent::Focused(true) = event {
                door::looks(window.app_handle());
            }
        })
        .setup(|app| {
            // The door first: the page asks for it as soon as it is there.
            app.manage(Door::new(app.handle().clone()));
            app.manage(attention::Looking::default());
            frame::open(app.handle())?;
            listen(app.handle().clone());
            door::open_early(app.handle().clone());
            Ok(())
        })
        .run(tauri::generate_context!())
}

fn log_to_stderr() {
    log_panics();
    let filter =
        tracing_subscriber::EnvFilter::try_from_env("PLANWRIGHT_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(log_writer).init();
}
