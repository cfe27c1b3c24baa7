//! What the headless program prints: for people, or as JSON Lines.

use std::io::{self, Write as _};

use planwright_engine::protocol::{
    EngineError, ErrorCode, Event, EventRecord, Explanation, OutputChunk, Plan, Risk, SessionId,
    SessionState, SessionStatus, SessionSummary, StepId, UndoOutlook,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::record::session_line;

/// One JSON object as a line.
pub(crate) fn line(value: &impl Serialize) -> Result<(), EngineError> {
    let text = serde_json::to_string(value).map_err(|error| {
        EngineError::new(ErrorCode::Internal, format!("A line cannot be written: {error}."))
    })?;
    put(&text)
}

fn put(text: &str) -> Result<(), EngineError> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|error| {
        EngineError::new(ErrorCode::Internal, format!("The output cannot be written: {error}."))
    })
}

/// An error: on stdout as a line with `--json`, else on stderr.
pub(crate) fn error(error: &EngineError, json: bool) {
    if json {
        // When not even this can be written, the exit status still tells.
        drop(line(&json!({ "error": error })));
    } else {
        eprintln!("{}", error.message);
    }
}

/// A run as it is printed while it goes.
#[derive(Debug)]
pub(crate) struct Screen {
    json: bool,
    plan: Option<Plan>,
    /// Whether the last output ended its line.
    at_line_start: bool,
}

impl Screen {
    pub(crate) fn new(json: bool, state: &SessionState) -> Result<Self, EngineError> {
        let screen = Self { json, plan: state.plan.clone(), at_line_start: true };
        if json {
            line(&session_line(state))?;
        } else if let Some(plan) = &screen.plan {
            put(&format!("{} ({} steps) in {}", plan.title, plan.steps.len(), state.cwd))?;
        }
        Ok(screen)
    }

    /// One event. As JSON: the event with its number, time and session beside its own fields.
    pub(crate) fn event(&mut self, record: &EventRecord) -> Result<(), EngineError> {
        if self.json {
            return line(&flat(record)?);
        }
        if let Event::PlanRevised { plan, .. } = &record.event {
            self.plan = Some(plan.clone());
        }
        let Some(text) = self.words(&record.event) else { return Ok(()) };
        self.fresh_line()?;
        put(&text)
    }

    pub(crate) fn output(
        &mut self,
        step_id: &StepId,
        attempt: u32,
        chunks: &[OutputChunk],
    ) -> Result<(), EngineError> {
        if self.json {
            return line(
                &json!({ "type": "step-output", "stepId": step_id, "attempt": attempt, "chunks": chunks }),
            );
        }
        let mut out = io::stdout().lock();
        for chunk in chunks {
            let written = out.write_all(chunk.text.as_bytes()).and_then(|()| out.flush());
            written.map_err(|error| {
                EngineError::new(ErrorCode::Internal, format!("The output cannot be written: {error}."))
            })?;
            self.at_line_start = chunk.text.ends_with('\n');
        }
        Ok(())
    }

    pub(crate) fn end(&mut self, exit: Exit, id: SessionId) {
        if self.json {
            return;
        }
        let words = match exit {
            Exit::Done => return,
            Exit::Failed => "Look at the report",
            Exit::BadInput => return,
            Exit::NotApproved => {
                "An approval is needed and nobody is here to give it. A policy file can (--policy), or resume in the window"
            }
            Exit::OutOfBudget => "The recovery budget is used up. Look at the report",
            Exit::NoModel => "No usable model",
            Exit::Cancelled => "Cancelled; every process is gone",
        };
        eprintln!("{words}: planwright-cli report {id}");
    }

    fn fresh_line(&mut self) -> Result<(), EngineError> {
        if !self.at_line_start {
            put("")?;
            self.at_line_start = true;
        }
        Ok(())
    }

    fn title(&self, id: &StepId) -> String {
        match self.plan.as_ref().and_then(|plan| plan.step(id)) {
            Some(step) => format!("{}. {}", step.index + 1, step.title),
            None => format!("step {id}"),
        }
    }

    /// What a person needs to read of an event; `None` where another one says it better.
    fn words(&self, event: &Event) -> Option<String> {
        Some(match event {
            Event::StepStarted { step_id, attempt, command, .. } => {
                let again = if *attempt == 0 { String::new() } else { format!(" (attempt {})", attempt + 1) };
                let command = command.replace('\n', "\n    ");
                format!("\n{}{again}\n  $ {command}", self.title(step_id))
            }
            Event::StepCompleted { result, .. } => {
                let millis = result.ended_at.millis_since(result.started_at);
                format!("  done in {}.{} s", millis / 1000, millis % 1000 / 100)
            }
            Event::StepFailed { reason, .. } => format!("  failed: {reason}"),
            Event::StepSkipped { step_id, reason } => {
                format!("\n{}\n  skipped: {reason}", self.title(step_id))
            }
            Event::StepCancelled { .. } => "  cancelled".to_owned(),
            Event::StepAwaitingRun { step_id } => {
                format!("\n{}\n  Teacher waits for Run, and nobody is here to press it.", self.title(step_id))
            }
            Event::ApprovalNeeded { approval } => {
                format!("  asks: {} ({})", approval.warning_message, risk(approval.assessment.risk))
            }
            Event::ApprovalResolved { allowed_by, .. } => match allowed_by {
                Some(_) => "  allowed by the policy".to_owned(),
                None => "  not allowed".to_owned(),
            },
            Event::AgentThinking { asking, .. } => format!("  asking the {asking} …"),
            Event::CorrectionAttempt { correction, .. } => {
                format!("  {}: {}", correction.source, correction.reasoning)
            }
            Event::CorrectionFailed { reason, .. } => format!("  {reason}"),
            Event::RetryAttempt { wait_seconds, .. } if *wait_seconds > 0 => {
                format!("  waiting {wait_seconds} s before trying again")
            }
            Event::PlanRevised { plan, .. } => format!("  plan revised: r{}", plan.revision),
            Event::BudgetWarning { corrections, allowed } => {
                format!("  {corrections} of {allowed} corrections are used")
            }
            Event::AgentError { message, .. } => format!("  {message}"),
            Event::PlanCompleted { steps, repairs, skipped } => {
                let skipped = if *skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
                format!("\nDone: {steps} steps, {repairs} of them repairs{skipped}.")
            }
            Event::PlanFailed { reason } => format!("\nFailed. {reason}"),
            Event::PlanCancelled { .. } => "\nCancelled.".to_owned(),
            Event::SessionCreated { .. }
            | Event::SessionRenamed { .. }
            | Event::PlanGenerated { .. }
            | Event::PlanConfirmed { .. }
            | Event::PlanRejected { .. }
            | Event::PlanStarted { .. }
            | Event::ModeChanged { .. }
            | Event::StepInterrupted { .. }
            | Event::StepReset { .. }
            | Event::RetryAttempt { .. }
            | Event::AgentStuck { .. }
            | Event::CorrectionSuccess { .. }
            | Event::GuidanceGiven { .. }
            | Event::BudgetRaised
            | Event::PlanPaused { .. }
            | Event::PlanResumed { .. } => return None,
        })
    }
}

fn flat(record: &EventRecord) -> Result<Value, EngineError> {
    let wrong = |error: serde_json::Error| EngineError::new(ErrorCode::Internal, format!("{error}."));
    let mut value = serde_json::to_value(&record.event).map_err(wrong)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("sessionId".to_owned(), json!(record.session_id));
        fields.insert("seq".to_owned(), json!(record.seq));
        fields.insert("at".to_owned(), json!(record.at));
    }
    Ok(value)
}

fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Safe => "safe",
        Risk::Caution => "caution",
        Risk::Dangerous => "dangerous",
        Risk::Blocked => "blocked",
    }
}

pub(crate) fn session(session: &SessionSummary) {
    let status = match session.status {
        SessionStatus::Empty => "empty",
        SessionStatus::Draft => "draft",
        SessionStatus::Ready => "ready",
        SessionStatus::Running => "running",
        SessionStatus::WaitingForYou => "waiting for you",
        SessionStatus::Paused => "paused",
        SessionStatus::Completed => "done",
        SessionStatus::Failed => "failed",
        SessionStatus::Cancelled => "cancelled",
        SessionStatus::Damaged => "damaged",
    };
    println!("{}  {status:<15}  {}/{}  {}", session.id, session.steps_done, session.steps, session.title);
}

pub(crate) fn explanation(explanation: &Explanation) {
    let width = explanation.parts.iter().map(|part| part.text.chars().count()).max().unwrap_or(0).min(32);
    for part in &explanation.parts {
        println!("  {:<width$}  {}", part.text, part.meaning);
    }
    println!();
    for change in &explanation.changes {
        println!("Changes  {change}");
    }
    match &explanation.undo {
        UndoOutlook::NotNeeded => println!("Undo     not needed: it changes nothing"),
        UndoOutlook::ByHand { how } => println!("Undo     {how}"),
        UndoOutlook::Partly { how } => println!("Undo     partly: {how}"),
        UndoOutlook::Cannot { why } => println!("Undo     cannot: {why}"),
    }
    if let Some(expect) = &explanation.expect {
        println!("Expect   {expect}");
    }
    println!("Risk     {}", risk(explanation.assessment.risk));
    for reason in &explanation.assessment.reasons {
        println!("         {}: {}", reason.fragment, reason.text);
    }
    println!("Source   {}", explanation.source);
}
