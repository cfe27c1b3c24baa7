//! Questions about single commands, one JSON object a line in, one out. A line that cannot be read gets an error in
//! its place, and the rest go on.

use std::path::PathBuf;

use planwright_engine::engine::{Adviser, worker_beside_program};
use planwright_engine::guide::Failure;
use planwright_engine::protocol::{AgentCorrection, Risk};
use planwright_engine::protocol::{EngineError, ErrorCode, TROUBLESHOOTING, about_code};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use crate::args::Explain;
use crate::exit::{Exit, Stop};
use crate::show;

/// Longest line that is read, in bytes; a longer one is an error of its own.
const MAX_LINE: u64 = 16 * 1024 * 1024;
const MAX_PIECE: u64 = 64 * 1024;

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

#[derive(Debug, Serialize)]
struct AssessAnswer {
    command: String,
    risk: Risk,
    reasons: Vec<Reason>,
}

#[derive(Debug, Serialize)]
struct Reason {
    text: String,
    fragment: String,
}

#[derive(Debug, Serialize)]
struct DiagnoseAnswer {
    correction: Option<AgentCorrection>,
    /// Who answered: the rule, or the guide as a whole when none did.
    source: String,
}

/// A line that is a question of its kind.
trait Question: DeserializeOwned {
    /// What such a line looks like, for whoever wrote another.
    const FORM: &'static str;
}

impl Question for AssessLine {
    const FORM: &'static str = r#"{"command": "…", "cwd": "…" (may be left out)}"#;
}

impl Question for DiagnoseLine {
    const FORM: &'static str = r#"{"command": "…", "exitCode": 1, "stdout": "…", "stderr": "…"}"#;
}

pub(crate) async fn assess() -> Result<Exit, Stop> {
    let adviser = Adviser::new(worker_beside_program());
    let here = here()?;
    answer_lines(async |line: AssessLine| {
        let cwd = line.cwd.unwrap_or_else(|| here.clone());
        let assessment = adviser.assess(&line.command, &cwd).await;
        let reasons = assessment.reasons.into_iter();
        AssessAnswer {
            command: line.command,
            risk: assessment.risk,
            reasons: reasons.map(|reason| Reason { text: reason.text, fragment: reason.fragment }).collect(),
        }
    })
    .await
}

pub(crate) async fn diagnose() -> Result<Exit, Stop> {
    let adviser = Adviser::new(worker_beside_program());
    for problem in adviser.rule_problems() {
        show::notice(&problem.to_string());
    }
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
        DiagnoseAnswer { correction, source }
    })
    .await
}

pub(crate) async fn explain(call: Explain, json: bool) -> Result<Exit, Stop> {
    let cwd = match call.cwd {
        Some(cwd) => cwd,
        None => here()?,
    };
    let explanation = Adviser::new(worker_beside_program()).explain(&call.command, &cwd).await;
    if json {
        show::line(&explanation)?;
    } else {
        show::explanation(&explanation)?;
    }
    Ok(Exit::Done)
}

async fn answer_lines<Q: Question, A: Serialize>(answer: impl AsyncFn(Q) -> A) -> Result<Exit, Stop> {
    let mut input = BufReader::new(tokio::io::stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        let read =
            (&mut input).take(MAX_LINE).read_until(b'\n', &mut line).await.map_err(|error| broken(&error))?;
        if read == 0 {
            return Ok(Exit::Done);
        }
        if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
            skip_line(&mut input).await?;
            show::line(&wrong_line(ErrorCode::TooLarge, "The line is longer than 16 MB. Shorten it."))?;
            continue;
        }
        match question::<Q>(&line) {
            Ok(question) => show::line(&answer(question).await)?,
            Err(why) => {
                let message = format!("The line cannot be read: {why}. Write it as {}.", Q::FORM);
                show::line(&wrong_line(ErrorCode::InvalidInput, &message))?;
            }
        }
    }
}

fn question<Q: Question>(line: &[u8]) -> Result<Q, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let value: serde_json::Value = serde_json::from_str(text).map_err(|_| "it is not JSON".to_owned())?;
    if !value.is_object() {
        return Err("it is not an object".to_owned());
    }
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Reads on to the end of a line without keeping it.
async fn skip_line(input: &mut BufReader<tokio::io::Stdin>) -> Result<(), EngineError> {
    let mut piece = Vec::new();
    loop {
        piece.clear();
        let read =
            input.take(MAX_PIECE).read_until(b'\n', &mut piece).await.map_err(|error| broken(&error))?;
        if read == 0 || piece.ends_with(b"\n") {
            return Ok(());
        }
    }
}

fn wrong_line(code: ErrorCode, message: &str) -> serde_json::Value {
    json!({ "error": { "code": code, "message": message } })
}

fn here() -> Result<PathBuf, EngineError> {
    std::env::current_dir().map_err(|error| {
        EngineError::new(
            ErrorCode::FolderMissing,
            format!("The current folder cannot be used: {}. Go to another one.", EngineError::reason(&error)),
        )
    })
}

fn broken(error: &std::io::Error) -> EngineError {
    EngineError::new(
        ErrorCode::Internal,
        format!("Standard input broke off: {}.", EngineError::reason(error)),
    )
}

/// What is known about a code, or the whole page.
pub(crate) fn trouble(code: Option<&str>, json: bool) -> Result<Exit, Stop> {
    let text = match code {
        None => TROUBLESHOOTING,
        Some(code) => about_code(code).ok_or_else(|| {
            let message =
                format!("There is no error with the code “{code}”. Without a code all of them are shown.");
            EngineError::new(ErrorCode::InvalidInput, message)
        })?,
    };
    if json {
        show::line(&json!({ "code": code, "text": text }))?;
    } else {
        show::text_as_is(&format!("{}\n", text.trim_end()))?;
    }
    Ok(Exit::Done)
}
