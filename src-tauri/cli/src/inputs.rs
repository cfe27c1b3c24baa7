//! Values for what a page leaves to its reader, from the call's arguments or a file. They become the plan's first step; a secret may
//! not, for a plan is written down and arguments can be read by others: it is taken from the environment alone.

use std::path::Path;

use planwright_engine::engine::Engine;
use planwright_engine::protocol::{Command, EngineError, ErrorCode, InputKind, PageInput, SessionState};

use crate::args::Inputs;

/// Gives the plan its values.
pub(crate) async fn give(engine: &Engine, state: &SessionState, given: &Inputs) -> Result<(), EngineError> {
    let mut values = Vec::new();
    for text in &given.input {
        values.push(pair(text)?);
    }
    if let Some(path) = &given.input_file {
        values.extend(from_file(path)?);
    }
    if values.is_empty() {
        return Ok(());
    }
    let page = state.plan.as_ref().and_then(|plan| plan.page.as_deref());
    let inputs = page.map(|page| page.inputs.as_slice()).unwrap_or_default();
    let mut lines = Vec::new();
    for (name, value) in values {
        let Some(input) = inputs.iter().find(|input| input.name == name) else {
            return Err(unknown(&name, inputs));
        };
        if input.kind == InputKind::Secret {
            return Err(bad(format!(
                "{name} is a secret. Set it in the environment instead: {name}=\u{2026} planwright-cli run \u{2026}"
            )));
        }
        lines.push(format!("{name}={}", quoted(&value)));
    }
    let title = "Set what the page asks for".to_owned();
    engine.submit(state.id, Command::AddStep { after: None, title, command: lines.join("\n") }).await
}

fn pair(text: &str) -> Result<(String, String), EngineError> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| bad(format!("\"{text}\" is no NAME=VALUE. Write it so.")))?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// One NAME=VALUE a line; blank lines and lines that begin with # are none.
fn from_file(path: &Path) -> Result<Vec<(String, String)>, EngineError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message =
            format!("The inputs {} cannot be read: {}.", path.display(), EngineError::reason(&error));
        EngineError::new(ErrorCode::FileUnreadable, message)
    })?;
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).map(pair).collect()
}

fn unknown(name: &str, inputs: &[PageInput]) -> EngineError {
    let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
    let has = if names.is_empty() {
        "It asks for nothing.".to_owned()
    } else {
        format!("It asks for {}.", names.join(", "))
    };
    bad(format!("The page does not ask for {name}. {has}"))
}

fn bad(message: String) -> EngineError {
    EngineError::new(ErrorCode::InvalidInput, message)
}

/// The value as one word of bash in which nothing is expanded.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', "'\\''"))
}
