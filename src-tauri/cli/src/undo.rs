//! Taking back what a step or a run did to files: what it would do is shown first, in the very words of what is done.

use std::path::Path;

use planwright_engine::engine::{Attendance, data_folder};
use planwright_engine::journal::Journal;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Command, EngineError, ErrorCode, Event, SessionState, StepId, UndoAct, UndoFile, UndoId, UndoPreview,
    UndoRecord, UndoTarget,
};
use serde::Serialize;

use crate::args::{ModelArgs, Undo};
use crate::exit::{Exit, Stop};
use crate::lines::Lines;
use crate::{record, show, words};

/// The preview as a line.
#[derive(Serialize)]
struct PreviewLine<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    preview: &'a UndoPreview,
}

pub(crate) async fn undo(call: Undo, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let id = record::find(&Journal::open_read_only(&data_folder())?, &call.session).await?;
    let engine = record::engine(Attendance::Nobody(PolicyFile::default()), model).await?;
    let state = engine.open_session(id).await?;
    let target = match &call.step {
        Some(step) => UndoTarget::Step { step_id: step_named(&state, step)? },
        None if call.redo => UndoTarget::Undo { undo_id: last_undo(&state)? },
        None => UndoTarget::Run,
    };
    let preview = engine.undo_preview(id, target.clone()).await?;
    if json {
        show::line(&PreviewLine { r#type: "undo-preview", preview: &preview })?;
    } else {
        show_preview(&state, &preview, call.overwrite)?;
    }
    if call.dry_run || preview.files.is_empty() {
        return Ok(Exit::Done);
    }
    let in_conflict = |file: UndoFile| file.conflict.is_some().then_some(file.path);
    let overwrite =
        if call.overwrite { preview.files.into_iter().filter_map(in_conflict).collect() } else { Vec::new() };
    engine.submit(id, Command::Undo { target, token: preview.token, overwrite }).await?;
    let (mut whole, mut lines) = (true, Lines::after(&state));
    for event in engine.events(id, state.seq).await? {
        if let Event::Undone { undo } = &event.event {
            whole &= undo.skipped.is_empty();
            if json {
                lines.event(&event)?;
            } else {
                show_record(undo, &engine.undo_trash(id, undo.id))?;
            }
        }
    }
    Ok(if whole { Exit::Done } else { Exit::Failed })
}

fn last_undo(state: &SessionState) -> Result<UndoId, EngineError> {
    let open = state.undone.iter().rev().find(|undo| undo.undone_by.is_none());
    open.map(|undo| undo.id).ok_or_else(|| {
        EngineError::new(ErrorCode::NotNow, "There is no undo in this session that could be taken back.")
    })
}

/// A step by its number in the plan, from 1, or by its id; a call of the conversation by its id.
fn step_named(state: &SessionState, wanted: &str) -> Result<StepId, EngineError> {
    let steps = state.plan.iter().flat_map(|plan| &plan.steps);
    let Ok(number) = wanted.parse::<usize>() else { return Ok(StepId(wanted.to_owned())) };
    let count = steps.clone().count();
    number.checked_sub(1).and_then(|nth| steps.clone().nth(nth)).map(|step| step.id.clone()).ok_or_else(
        || {
            let message = format!("There is no step {number}: the plan has {count}.");
            EngineError::new(ErrorCode::NoSuchStep, message)
        },
    )
}

fn show_preview(state: &SessionState, preview: &UndoPreview, overwrite: bool) -> Result<(), Stop> {
    let mut text = String::new();
    for file in &preview.files {
        let does = match file.does {
            UndoAct::Restore => "put back",
            UndoAct::Recreate => "bring back",
            UndoAct::Trash => "to the trash",
            UndoAct::Metadata => "mode, owner, times",
        };
        text.push_str(&format!("  {does:<18}  {}\n", file.path));
        if let Some(why) = &file.conflict {
            // What stands around it or in it is not overwritten with it.
            let word = if overwrite && !file.follows { "all the same" } else { "left alone" };
            text.push_str(&format!("  {:<18}  {word}: {why}\n", ""));
        }
    }
    if preview.more > 0 {
        text.push_str(&format!("  … and {} more\n", preview.more));
    }
    if preview.files.is_empty() {
        text.push_str("There is nothing to undo.\n");
    }
    for gap in &preview.gaps {
        let step = state.plan.iter().find_map(|plan| plan.step(&gap.step_id));
        let what = step.map_or_else(
            || "A call of the conversation".to_owned(),
            |step| format!("\"{}\"", words::one_line(&step.title)),
        );
        text.push_str(&format!("{what}: {}.\n", gap.why));
    }
    show::text_as_is(&text)
}

fn show_record(undo: &UndoRecord, trash: &Path) -> Result<(), Stop> {
    let UndoRecord { restored, recreated, trashed, .. } = undo;
    let mut text =
        format!("Undone: {restored} put back, {recreated} brought back, {trashed} to the trash.\n");
    if restored + trashed > 0 {
        text.push_str(&format!("What was replaced or taken away is in {}\n", trash.display()));
    }
    for file in &undo.skipped {
        text.push_str(&format!("Left alone: {}. {}\n", file.path, file.why));
    }
    if !undo.skipped.is_empty() {
        text.push_str("`--overwrite` puts back those that have changed, too.\n");
    }
    text.push_str("`undo --redo` takes this back.\n");
    show::text_as_is(&text)
}
