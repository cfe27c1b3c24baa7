//! The window: it shows the engine and hands it what the user does. It decides nothing, and what it cannot do without
//! the engine it says. Everything here is a builder, commands of a few lines, and the way updates take to the page.

mod attention;
mod bindings;
mod commands;
mod dialogs;
mod display;
mod door;
mod frame;
mod keychain;
mod model_commands;
mod secret_commands;
mod updates;

use std::process::ExitCode;

use tauri::Manager as _;

pub use bindings::bindings;
use door::Door;

/// Opens the window and returns when it is closed. 0: closed by the user; 1: could not be opened; 2: there is no display.
pub fn run() -> ExitCode {
    log_to_stderr();
    if let Err(missing) = display::open() {
        eprintln!("{missing}");
        return ExitCode::from(2);
    }
    match open() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Planwright's window could not be opened: {error}.");
            ExitCode::FAILURE
        }
    }
}

fn open() -> tauri::Result<()> {
    tauri::Builder::default()
        .plugin(frame::single_instance(&planwright_engine::engine::data_folder()))
        .plugin(frame::remembered_place())
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(bindings().invoke_handler())
        .setup(|app| {
            // The door first: the page asks for it as soon as it is there.
            app.manage(Door::new(app.handle().clone()));
            frame::open(app.handle())?;
            door::open_early(app.handle().clone());
            Ok(())
        })
        .run(tauri::generate_context!())
}

fn log_to_stderr() {
    let filter =
        tracing_subscriber::EnvFilter::try_from_env("PLANWRIGHT_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
