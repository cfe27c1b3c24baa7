//! Questions about single commands, one JSON object a line in, one out. A line that cannot be read gets an error in
//! its place, and the rest go on.

use std::path::PathBuf;

use planwright_engine::engine::{Adviser, worker_beside_program};
use planwright_engine::guide::Failure;
use planwright_engine::protocol::{EngineError, ErrorCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::args::Explain;
use crate::exit::Exit;
use crate::show;

/// Longest line that is read, in bytes; a longer one is an error of its own.
const MAX_LINE: usize = 16 * 1024 * 1024;

#[derive(Debug, Deserialize)]
struct AssessLine {
    command: String,
    cwd: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DiagnoseLine {
    command: String,
    exit_code: Option<i32>,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    cwd: Option<PathBuf>,
}

pub(crate) async fn assess() -> Result<Exit, EngineError> {
    let adviser = Adviser::new(worker_beside_program());
    let here = here()?;
    answer_lines(async |line: AssessLine| {
        let cwd = line.cwd.unwrap_or_else(|| here.clone());
        let assessment = adviser.assess(&line.command, &cwd).await;
        let reasons: Vec<Value> = assessment
            .reasons
            .iter()
            .map(|reason| json!({ "text": reason.text, "fragment": reason.fragment }))
            .collect();
        json!({ "command": line.command, "risk": assessment.risk, "reasons": reasons })
    })
    .await
}

pub(crate) async fn diagnose() -> Result<Exit, EngineError> {
    let adviser = Adviser::new(worker_beside_program());
    answer_lines(async |line: DiagnoseLine| {
        let failure = Failure {
            command: line.command,
            exit_code: line.exit_code,
            stdout: line.stdout,
            stderr: line.stderr,
            cwd: line.cwd,
        };
        let correction = adviser.diagnose(&failure).await;
        let source = correction.as_ref().map_or("guide", |correction| correction.source.as_str()).to_owned();
        json!({ "correction": correction, "source": source })
    })
    .await
}

pub(crate) async fn explain(call: Explain, json: bool) -> Result<Exit, EngineError> {
    let cwd = match call.cwd {
        Some(cwd) => cwd,
        None => here()?,
    };
    let explanation = Adviser::new(worker_beside_program()).explain(&call.command, &cwd).await;
    if json {
        show::line(&explanation)?;
    } else {
        show::explanation(&explanation);
    }
    Ok(Exit::Done)
}

async fn answer_lines<T: DeserializeOwned>(answer: impl AsyncFn(T) -> Value) -> Result<Exit, EngineError> {
    let mut input = BufReader::new(tokio::io::stdin());
    let mut output = tokio::io::stdout();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line).await.map_err(|error| broken(&error))?;
        if read == 0 {
            return Ok(Exit::Done);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let reply = if line.len() > MAX_LINE {
            wrong_line(ErrorCode::TooLarge, "the line is longer than 16 MB")
        } else {
            match serde_json::from_slice::<T>(&line) {
                Ok(question) => answer(question).await,
                Err(error) => {
                    wrong_line(ErrorCode::InvalidInput, &format!("the line cannot be read: {error}"))
                }
            }
        };
        let mut text = reply.to_string();
        text.push('\n');
        output.write_all(text.as_bytes()).await.map_err(|error| broken(&error))?;
        output.flush().await.map_err(|error| broken(&error))?;
    }
}

fn wrong_line(code: ErrorCode, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

fn here() -> Result<PathBuf, EngineError> {
    std::env::current_dir().map_err(|error| {
        EngineError::new(ErrorCode::FolderMissing, format!("The current folder cannot be used: {error}."))
    })
}

fn broken(error: &std::io::Error) -> EngineError {
    EngineError::new(ErrorCode::Internal, format!("Reading or writing broke off: {error}."))
}
