//! What the page may call. Each command is one call of the engine; none decides anything.

use std::path::Path;

use planwright_engine::engine::{AppInfo, Example, ImportSource, PlanFormat};
use planwright_engine::plan::export;
use planwright_engine::protocol::{
    ApprovalId, Command, EngineError, ErrorCode, Explanation, Forecast, Grant, GrantId, GrantLifetime,
    GrantPreview, GrantRule, GuideRule, Metrics, Mode, OutputMatches, OutputQuery, OutputRows, PagePatch,
    PageView, PlanId, QuestionEstimate, SessionId, SessionState, SessionSummary, Settings, StepId,
    StorageUse, Time, UndoPreview, UndoTarget, Update,
};
use tauri::ipc::Channel;
use tauri::{AppHandle, State};

use crate::attention::Looking;
use crate::dialogs;
use crate::door::Door;

type Answer<T> = Result<T, EngineError>;

#[tauri::command]
#[specta::specta]
pub(crate) async fn list_sessions(
    door: State<'_, Door>,
    query: Option<String>,
) -> Answer<Vec<SessionSummary>> {
    door.engine().await?.sessions(&query.unwrap_or_default()).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn create_session(
    door: State<'_, Door>,
    title: Option<String>,
    cwd: Option<String>,
) -> Answer<SessionState> {
    door.engine().await?.create_session(title, cwd).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn open_session(door: State<'_, Door>, id: SessionId) -> Answer<SessionState> {
    door.engine().await?.open_session(id).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn delete_session(door: State<'_, Door>, id: SessionId) -> Answer<()> {
    door.engine().await?.delete_session(id).await
}

/// The session's record, one event as JSON a line.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_session(door: State<'_, Door>, id: SessionId) -> Answer<String> {
    door.engine().await?.export_session(id).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_text(
    door: State<'_, Door>,
    name: String,
    text: String,
    cwd: Option<String>,
    session_id: Option<SessionId>,
) -> Answer<SessionState> {
    let source = ImportSource { name, bytes: text.into_bytes(), path: None };
    door.engine().await?.import(source, cwd, session_id).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_file(
    door: State<'_, Door>,
    path: String,
    cwd: Option<String>,
    session_id: Option<SessionId>,
) -> Answer<SessionState> {
    door.engine().await?.import_file(Path::new(&path), cwd, session_id).await
}

/// Fetches the page behind an address, and imports it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_address(
    door: State<'_, Door>,
    address: String,
    cwd: Option<String>,
    session_id: Option<SessionId>,
) -> Answer<SessionState> {
    door.engine().await?.import_address(&address, cwd, session_id).await
}

/// The path chosen in the system's dialog; null when it was closed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_runbook(app: AppHandle) -> Option<String> {
    dialogs::choose_runbook(&app).await.map(|path| path.display().to_string())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_folder(app: AppHandle) -> Option<String> {
    dialogs::choose_folder(&app).await.map(|path| path.display().to_string())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn examples(door: State<'_, Door>) -> Answer<Vec<Example>> {
    Ok(door.engine().await?.examples())
}

/// Imports the example in a new scratch folder.
#[tauri::command]
#[specta::specta]
pub(crate) async fn try_example(door: State<'_, Door>, id: String) -> Answer<SessionState> {
    door.engine().await?.try_example(&id).await
}

/// Hands a command to the session; what comes of it arrives as updates.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submit(door: State<'_, Door>, session_id: SessionId, command: Command) -> Answer<()> {
    door.engine().await?.submit(session_id, command).await
}

/// Runs a plan by its own id; one that is no longer there is refused.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_execute(door: State<'_, Door>, plan_id: PlanId, mode: Option<Mode>) -> Answer<()> {
    door.engine().await?.plan_execute(plan_id, mode).await
}

/// The page that the session's plan is from, part by part.
#[tauri::command]
#[specta::specta]
pub(crate) async fn page_view(door: State<'_, Door>, session_id: SessionId) -> Answer<PageView> {
    door.engine().await?.page_view(session_id).await
}

/// What the run mended, as a change of the page; the command "mend-page" writes it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn page_patch(door: State<'_, Door>, session_id: SessionId) -> Answer<PagePatch> {
    door.engine().await?.page_patch(session_id).await
}

/// What asking the stronger model about the failure that the run is stuck at may cost; null when it cannot be asked.
#[tauri::command]
#[specta::specta]
pub(crate) async fn escalation_estimate(
    door: State<'_, Door>,
    session_id: SessionId,
) -> Answer<Option<QuestionEstimate>> {
    door.engine().await?.escalation_estimate(session_id).await
}

/// What having the page of a draft sorted by the model may cost; null when it cannot be asked, or nothing is open.
#[tauri::command]
#[specta::specta]
pub(crate) async fn sorting_estimate(
    door: State<'_, Door>,
    session_id: SessionId,
) -> Answer<Option<QuestionEstimate>> {
    door.engine().await?.sorting_estimate(session_id).await
}

/// What an undo would do now; the command "undo" with its token does it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn undo_preview(
    door: State<'_, Door>,
    session_id: SessionId,
    target: UndoTarget,
) -> Answer<UndoPreview> {
    door.engine().await?.undo_preview(session_id, target).await
}

/// What the command of an open question did to files when it was tried out; null when it is not. Changes of it arrive as
/// updates.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forecast(door: State<'_, Door>, approval_id: ApprovalId) -> Answer<Option<Forecast>> {
    Ok(door.engine().await?.forecast(approval_id))
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn explain(
    door: State<'_, Door>,
    session_id: SessionId,
    command: String,
) -> Answer<Explanation> {
    door.engine().await?.explain(session_id, &command).await
}

/// The session as a Markdown report.
#[tauri::command]
#[specta::specta]
pub(crate) async fn report(door: State<'_, Door>, session_id: SessionId) -> Answer<String> {
    door.engine().await?.report(session_id).await
}

/// The same report as an HTML page that stands alone.
#[tauri::command]
#[specta::specta]
pub(crate) async fn report_page(door: State<'_, Door>, session_id: SessionId) -> Answer<String> {
    door.engine().await?.report_page(session_id).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn export_plan(
    door: State<'_, Door>,
    session_id: SessionId,
    format: PlanFormat,
) -> Answer<String> {
    door.engine().await?.export_plan(session_id, format).await
}

/// Asks where to save, and saves there; the path, or null when the dialog was closed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_text(
    app: AppHandle,
    title: String,
    ending: String,
    text: String,
) -> Answer<Option<String>> {
    let name = format!("{}.{ending}", export::file_stem(&title));
    let Some(path) = dialogs::choose_where_to_save(&app, &name).await else { return Ok(None) };
    match tokio::fs::write(&path, text).await {
        Ok(()) => Ok(Some(path.display().to_string())),
        Err(error) => {
            let message = format!("{} could not be saved: {error}. Choose another place.", path.display());
            Err(EngineError::new(ErrorCode::FileUnreadable, message))
        }
    }
}

/// The whole output of one attempt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn read_output(
    door: State<'_, Door>,
    session_id: SessionId,
    step_id: StepId,
    attempt: u32,
) -> Answer<String> {
    door.engine().await?.read_output(session_id, &step_id, attempt).await
}

/// Rows of one attempt's output, also while it runs.
#[tauri::command]
#[specta::specta]
pub(crate) async fn output_rows(
    door: State<'_, Door>,
    session_id: SessionId,
    step_id: StepId,
    attempt: u32,
    from: u32,
    count: u32,
) -> Answer<OutputRows> {
    door.engine().await?.output_rows(session_id, &step_id, attempt, from, count).await
}

/// Where a text stands in one attempt's output.
#[tauri::command]
#[specta::specta]
pub(crate) async fn search_output(
    door: State<'_, Door>,
    session_id: SessionId,
    step_id: StepId,
    attempt: u32,
    query: OutputQuery,
) -> Answer<OutputMatches> {
    door.engine().await?.search_output(session_id, &step_id, attempt, query).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn get_settings(door: State<'_, Door>) -> Answer<Settings> {
    Ok(door.engine().await?.settings())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn set_settings(door: State<'_, Door>, settings: Settings) -> Answer<()> {
    door.engine().await?.set_settings(settings).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn grants(door: State<'_, Door>) -> Answer<Vec<Grant>> {
    door.engine().await?.grants().await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn revoke_grant(door: State<'_, Door>, id: GrantId) -> Answer<()> {
    door.engine().await?.revoke_grant(id).await
}

/// Which commands of the past the rule would have covered.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preview_grant(
    door: State<'_, Door>,
    rule: GrantRule,
    session_id: Option<SessionId>,
    lifetime: GrantLifetime,
) -> Answer<GrantPreview> {
    door.engine().await?.preview_grant(rule, session_id, lifetime).await
}

/// A refusal that the user writes by hand.
#[tauri::command]
#[specta::specta]
pub(crate) async fn add_never(door: State<'_, Door>, rule: GrantRule) -> Answer<Grant> {
    door.engine().await?.add_never(rule).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn app_info(door: State<'_, Door>) -> Answer<AppInfo> {
    Ok(door.engine().await?.app_info())
}

/// Everything that happens from now on, in batches, until the page is gone; also when the engine is opened only later.
#[tauri::command]
#[specta::specta]
pub(crate) fn subscribe(door: State<'_, Door>, channel: Channel<Vec<Update>>) {
    door.subscribe(channel);
}

/// The page has drawn so many of the batches that it was sent since it subscribed; the next one waits for that.
#[tauri::command]
#[specta::specta]
pub(crate) fn took(door: State<'_, Door>, batches: u32) {
    door.took(batches);
}

/// The session that the page shows now; null: none.
#[tauri::command]
#[specta::specta]
pub(crate) async fn looking_at(
    door: State<'_, Door>,
    looking: State<'_, Looking>,
    session_id: Option<SessionId>,
) -> Answer<()> {
    looking.at(session_id);
    if let Some(session) = session_id {
        door.engine().await?.seen(session);
    }
    Ok(())
}

/// What the data folder holds, with its sizes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn storage(door: State<'_, Door>) -> Answer<StorageUse> {
    door.engine().await?.storage().await
}

/// Figures of what was done, from this moment on; null: of all.
#[tauri::command]
#[specta::specta]
pub(crate) async fn metrics(door: State<'_, Door>, since: Option<Time>) -> Answer<Metrics> {
    door.engine().await?.metrics(since).await
}

/// Every rule of the field guide, with what came of it here.
#[tauri::command]
#[specta::specta]
pub(crate) async fn guide_rules(door: State<'_, Door>) -> Answer<Vec<GuideRule>> {
    door.engine().await?.guide_rules().await
}

/// Forgets what came of a rule; null: of all of them.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forget_experience(door: State<'_, Door>, rule: Option<String>) -> Answer<()> {
    door.engine().await?.forget_experience(rule).await
}

/// Removes for good those of the sessions that are due by the settings.
#[tauri::command]
#[specta::specta]
pub(crate) async fn clear_due(door: State<'_, Door>, sessions: Vec<SessionId>) -> Answer<StorageUse> {
    door.engine().await?.clear_due(sessions).await
}

/// Removes sessions that were deleted before for good.
#[tauri::command]
#[specta::specta]
pub(crate) async fn empty_trash(door: State<'_, Door>) -> Answer<StorageUse> {
    door.engine().await?.empty_trash().await
}

/// Shows the data folder in the desktop's file manager.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_data_folder(door: State<'_, Door>) -> Answer<()> {
    dialogs::show_folder(&door.engine().await?.app_info().data_folder)
}
