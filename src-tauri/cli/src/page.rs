//! Pages: what `import` prints of one besides its steps (the role of each, the choices, what is left out and what is asked
//! for), what a reader would stumble over, and what a run mended.

use std::path::Path;

use planwright_engine::engine::{Attendance, data_folder};
use planwright_engine::journal::Journal;
use planwright_engine::plan::inputs::asked;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{Command, EngineError, ErrorCode, Plan};
use serde_json::{Value, json};

use crate::args::{Check, Mend, ModelArgs};
use crate::exit::{Exit, Stop};
use crate::record::{self, Source};
use crate::show;

/// Makes no session.
pub(crate) async fn check(call: Check, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let engine = record::engine(Attendance::Nobody(PolicyFile::default()), model).await?;
    let folder = call.cwd.as_deref().unwrap_or(Path::new("."));
    let cwd = std::path::absolute(folder).unwrap_or(folder.to_owned()).display().to_string();
    let plan = match record::source_of(&engine, &call.file).await? {
        Source::Text(source) => engine.read_plan(&source, &cwd).await?,
        Source::Address(page) => engine.read_fetched(&page, &cwd).await?,
    };
    let findings = plan.page.as_deref().map(|page| page.findings.as_slice()).unwrap_or_default();
    for finding in findings {
        if json {
            show::line(finding)?;
        } else {
            show::text_as_is(&format!("{}:{}: {}\n", call.file.display(), finding.line, finding.text))?;
        }
    }
    if findings.is_empty() {
        if !json {
            show::text_as_is(&format!("Nothing to stumble over (steps: {}).\n", plan.steps.len()))?;
        }
        return Ok(Exit::Done);
    }
    Ok(Exit::Failed)
}

pub(crate) async fn mend(call: Mend, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let id = record::find(&Journal::open_read_only(&data_folder())?, &call.session).await?;
    let engine = record::engine(Attendance::Nobody(PolicyFile::default()), model).await?;
    let patch = engine.page_patch(id).await?;
    if json {
        show::line(&patch)?;
    } else {
        if patch.changes > 0 {
            show::text_as_is(&format!("--- {0}\n+++ {0}\n{1}", patch.diff.path, patch.diff.unified))?;
        }
        for command in &patch.by_hand {
            show::notice(&format!("Where this belongs on the page cannot be told:\n{command}"));
        }
    }
    if patch.changes == 0 {
        show::notice("The run has changed nothing that stands on the page.");
    } else if call.write {
        engine.submit(id, Command::MendPage).await?;
        let mended = engine.open_session(id).await?.mended;
        if let Some(mended) = mended {
            show::notice(&format!(
                "The page was mended. `planwright-cli undo {id} --step {}` takes it back.",
                mended.step_id
            ));
        }
    }
    Ok(Exit::Done)
}

/// The plan as JSON, each step with its role and the words that decided, and what is no step beside them.
pub(crate) fn with_reading(plan: &Plan) -> Result<Value, EngineError> {
    let unwritten = |error: serde_json::Error| {
        EngineError::new(
            ErrorCode::Internal,
            format!("The plan could not be written as JSON: {error}. Try again."),
        )
    };
    let mut shown = serde_json::to_value(plan).map_err(unwritten)?;
    shown["inputs"] = json!(asked(plan));
    let Some(page) = plan.page.as_deref() else { return Ok(shown) };
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("page");
    }
    shown["leftOut"] = json!(page.left_out);
    shown["choices"] = json!(page.choices);
    for (step, known) in shown["steps"].as_array_mut().into_iter().flatten().zip(&plan.steps) {
        let place = page.steps.iter().find(|place| place.step_id == known.id);
        step["selected"] = json!(true);
        if let Some(place) = place {
            step["role"] = json!(place.role);
            step["decided"] = json!(place.why);
            step["source"] = json!({ "start": place.start, "end": place.end });
        }
    }
    Ok(shown)
}
