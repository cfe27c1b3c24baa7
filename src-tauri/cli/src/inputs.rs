//! Values for what a plan asks for, from the call's arguments or a file. Others on the machine can read arguments, so a secret among
//! them is taken, and said.

use std::path::Path;

use planwright_engine::engine::Engine;
use planwright_engine::protocol::{
    Command, EngineError, ErrorCode, GivenValue, InputKind, PlanInput, SessionState,
};

use crate::args::Inputs;
use crate::show;

/// Gives the plan its values.
pub(crate) async fn give(
    engine: &Engine,
    state: &SessionState,
    given: &Inputs,
    json: bool,
) -> Result<(), EngineError> {
    let mut values = Vec::new();
    for text in &given.input {
        values.push(pair(text)?);
    }
    let inputs = state.plan.as_ref().map(|plan| plan.inputs.as_slice()).unwrap_or_default();
    for name in secrets(inputs, &values).filter(|_| !json) {
        show::notice(&format!(
            "{name} is a secret, and other users can read the arguments of a program. Put it into a file for --input-file, or \
             into the environment."
        ));
    }
    if let Some(path) = &given.input_file {
        values.extend(from_file(path)?);
    }
    if values.is_empty() {
        return Ok(());
    }
    engine.submit(state.id, Command::GiveInputs { values }).await
}

fn secrets<'v>(inputs: &'v [PlanInput], values: &'v [GivenValue]) -> impl Iterator<Item = &'v str> {
    let is_given = |input: &&PlanInput| values.iter().any(|given| given.name == input.name);
    let secret = inputs.iter().filter(|input| input.kind == InputKind::Secret);
    secret.filter(is_given).map(|input| input.name.as_str())
}

fn pair(text: &str) -> Result<GivenValue, EngineError> {
    // What is no pair may be a secret, and is not repeated.
    let (name, value) = text.split_once('=').ok_or_else(|| {
        EngineError::new(ErrorCode::InvalidInput, "A value is given as NAME=VALUE; one of them has no \"=\".")
    })?;
    Ok(GivenValue { name: name.trim().to_owned(), value: value.to_owned() })
}

/// One NAME=VALUE a line; blank lines and lines that begin with # are none.
fn from_file(path: &Path) -> Result<Vec<GivenValue>, EngineError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message =
            format!("The inputs {} cannot be read: {}.", path.display(), EngineError::reason(&error));
        EngineError::new(ErrorCode::FileUnreadable, message)
    })?;
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).map(pair).collect()
}
