//! What `import` prints of a page besides its steps: the role of each, the choices, what is left out and what is asked for.

use planwright_engine::plan::inputs::asked;
use planwright_engine::protocol::{EngineError, ErrorCode, Plan};
use serde_json::{Value, json};

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
