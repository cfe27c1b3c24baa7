//! The commands as the page may call them, and their TypeScript. A test keeps `ui/src/ipc/bindings.ts` the same as this.

use planwright_engine::protocol::EngineError;
use tauri_specta::{Builder, ErrorHandlingMode, collect_commands};

use crate::{commands, model_commands, secret_commands, terminal_commands};

/// Every command with its types; errors are thrown as [`EngineError`].
pub fn bindings() -> Builder<tauri::Wry> {
    Builder::new()
        .error_handling(ErrorHandlingMode::Throw)
        .disable_serde_phases()
        .typ::<EngineError>()
        .commands(collect_commands![
            commands::list_sessions,
            commands::create_session,
            commands::open_session,
            commands::delete_session,
            commands::export_session,
            commands::import_text,
            commands::import_file,
            commands::import_address,
            commands::choose_runbook,
            commands::choose_folder,
            commands::examples,
            commands::try_example,
            commands::submit,
            commands::plan_execute,
            commands::page_view,
            commands::page_patch,
            commands::escalation_estimate,
            commands::sorting_estimate,
            commands::forecast,
            commands::undo_preview,
            commands::explain,
            commands::report,
            commands::report_page,
            commands::export_plan,
            commands::save_text,
            commands::read_output,
            commands::output_rows,
            commands::search_output,
            commands::get_settings,
            commands::set_settings,
            commands::grants,
            commands::revoke_grant,
            commands::preview_grant,
            commands::add_never,
            commands::app_info,
            commands::looking_at,
            commands::storage,
            commands::metrics,
            commands::guide_rules,
            commands::forget_experience,
            commands::clear_due,
            commands::empty_trash,
            commands::open_data_folder,
            model_commands::model_status,
            model_commands::test_connection,
            model_commands::set_key,
            model_commands::forget_key,
            model_commands::key_statuses,
            model_commands::discover_servers,
            secret_commands::answer_secret,
            terminal_commands::terminal_input,
            terminal_commands::terminal_screen,
            commands::subscribe,
            commands::took,
        ])
}
