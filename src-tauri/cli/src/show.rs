//! What the headless program prints besides a run: JSON Lines, errors, lists and explanations. A reader that closes its
//! end (`| head`) is no fault and ends the program quietly.

use std::io::{self, Write as _};

use planwright_engine::protocol::{
    EngineError, ErrorCode, Explanation, MeaningSource, OutputChunk, SessionId, SessionStorage,
    SessionSummary, StepId, UndoOutlook, about_code,
};
use serde::Serialize;
use serde_json::json;

use crate::exit::Stop;
use crate::words;

/// One JSON object as a line.
pub(crate) fn line(value: &impl Serialize) -> Result<(), Stop> {
    let mut text = serde_json::to_string(value).map_err(|error| {
        EngineError::new(ErrorCode::Internal, format!("A line cannot be written: {error}."))
    })?;
    text.push('\n');
    text_as_is(&text)
}

pub(crate) fn text_as_is(text: &str) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Stop::unprinted(&error))
}

/// An error: on stdout as a line with `--json`, else on stderr.
pub(crate) fn error(error: &EngineError, json: bool) {
    if json {
        // When not even this can be written, the exit status still tells.
        drop(line(&json!({ "error": error })));
    } else {
        notice(&error.message);
        if let Some(more) = about(&error.code.name()) {
            notice(&more);
        }
    }
}

/// Where an error's code is explained.
pub(crate) fn about(code: &str) -> Option<String> {
    about_code(code).map(|_| format!("`planwright-cli trouble {code}` says more."))
}

/// Something for a person beside the output. Lost when stderr is closed.
pub(crate) fn notice(text: &str) {
    drop(writeln!(io::stderr(), "{text}"));
}

/// A question without its line's end. Lost when stdout is closed.
pub(crate) fn prompt(text: &str) {
    let mut out = io::stdout().lock();
    drop(write!(out, "{text}").and_then(|()| out.flush()));
}

pub(crate) fn output(
    session_id: SessionId,
    step_id: &StepId,
    attempt: u32,
    chunks: &[OutputChunk],
) -> Result<(), Stop> {
    line(&json!({
        "type": "step-output", "stepId": step_id, "attempt": attempt, "chunks": chunks, "sessionId": session_id,
    }))
}

/// A session's line in the list, with what it takes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionLine<'a> {
    #[serde(flatten)]
    session: &'a SessionSummary,
    record_kib: u32,
    output_kib: u32,
    kept_kib: u32,
}

pub(crate) fn session(kept: &SessionStorage) -> Result<(), Stop> {
    let SessionStorage { session, record_kib, output_kib, kept_kib, .. } = kept;
    line(&SessionLine { session, record_kib: *record_kib, output_kib: *output_kib, kept_kib: *kept_kib })
}

pub(crate) fn sessions(sessions: &[&SessionStorage]) -> Result<(), Stop> {
    let mut text = String::new();
    for kept in sessions {
        let session = &kept.session;
        let done = format!("{}/{}", session.steps_done, session.steps);
        text.push_str(&format!(
            "{}  {}  {:<15}  {done:>7}  {:>8}  {}\n",
            session.id,
            session.updated_at.0.strftime("%Y-%m-%d %H:%M"),
            words::status(session.status),
            words::size(kept.total_kib()),
            words::one_line(&session.title),
        ));
        if session.services > 0 {
            let services = if session.services == 1 { "service runs" } else { "services run" };
            text.push_str(&format!("{:38}{} {services}\n", "", session.services));
        }
        if let Some(damage) = &session.damage {
            text.push_str(&format!("{:38}{}\n", "", words::one_line(damage)));
        }
    }
    text_as_is(&text)
}

pub(crate) fn explanation(explanation: &Explanation) -> Result<(), Stop> {
    let mut text = String::new();
    let width = explanation.parts.iter().map(|part| part.text.chars().count()).max().unwrap_or(0).min(32);
    for part in &explanation.parts {
        let shown = words::one_line(&part.text);
        let meaning = match source_named(part.source) {
            Some(source) => format!("{} ({source})", part.meaning),
            None => part.meaning.clone(),
        };
        let mut meaning = words::wrap(&meaning, 60).into_iter();
        text.push_str(&format!("  {shown:<width$}  {}\n", meaning.next().unwrap_or_default()));
        meaning.for_each(|line| text.push_str(&format!("  {:<width$}  {line}\n", "")));
    }
    text.push('\n');
    let mut fact = |name: &str, said: &str| {
        for (nth, line) in words::wrap(&words::one_line(said), 80).iter().enumerate() {
            text.push_str(&format!("{:<9}{line}\n", if nth == 0 { name } else { "" }));
        }
    };
    for (name, sentences) in
        [("Flow", &explanation.flow), ("Reads", &explanation.reads), ("Changes", &explanation.changes)]
    {
        for (nth, sentence) in sentences.iter().enumerate() {
            fact(if nth == 0 { name } else { "" }, sentence);
        }
    }
    match &explanation.undo {
        UndoOutlook::NotNeeded => fact("Undo", "not needed: it changes nothing"),
        UndoOutlook::Kept => fact("Undo", "Planwright keeps what it changes, and can put it back"),
        UndoOutlook::ByHand { how } => fact("Undo", how),
        UndoOutlook::Partly { how } => fact("Undo", &format!("partly: {how}")),
        UndoOutlook::Cannot { why } => fact("Undo", &format!("cannot: {why}")),
    }
    for command in &explanation.undo_commands {
        fact("", command);
    }
    for way in &explanation.safer {
        match &way.command {
            Some(command) => fact("Safer", &format!("{command}   {}", way.why)),
            None => fact("Safer", &way.why),
        }
    }
    if let Some(expect) = &explanation.expect {
        fact("Expect", expect);
    }
    fact("Risk", words::risk(explanation.assessment.risk));
    for reason in &explanation.assessment.reasons {
        fact("", &format!("{}: {}", reason.fragment, reason.text));
    }
    fact("Source", &explanation.source);
    text_as_is(&text)
}

/// Where a meaning is from, when it is not from the tables.
fn source_named(source: MeaningSource) -> Option<&'static str> {
    match source {
        MeaningSource::ManPage => Some("from its man page"),
        MeaningSource::Completion => Some("from its completion file"),
        MeaningSource::Tables | MeaningSource::Nowhere => None,
    }
}
