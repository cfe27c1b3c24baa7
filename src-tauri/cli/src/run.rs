//! Running a plan with nobody at the screen: events out, questions answered by the policy file, signals obeyed.

use std::path::Path;

use planwright_engine::engine::{Engine, Updates, data_folder};
use planwright_engine::journal::Journal;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Command, EngineError, ErrorCode, Event, EventRecord, Mode, PauseReason, SessionId, StepState,
    StuckReason, Update,
};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{Resume, Run};
use crate::exit::Exit;
use crate::{record, show};

pub(crate) async fn run(call: Run, json: bool) -> Result<Exit, EngineError> {
    let engine = record::engine(policy(call.policy.as_deref())?).await?;
    if let Some(on_failure) = call.on_failure {
        // For this run alone: the setting stamps the plan at import and is put back.
        let before = engine.settings();
        let mut settings = before.clone();
        settings.on_failure = on_failure.into();
        engine.set_settings(settings).await?;
        let state = record::import_into(&engine, &call.file, call.cwd.as_deref()).await;
        engine.set_settings(before).await?;
        return lead(&engine, state?.id, Command::Start { mode: call.mode.map(Mode::from) }, json).await;
    }
    let state = record::import_into(&engine, &call.file, call.cwd.as_deref()).await?;
    lead(&engine, state.id, Command::Start { mode: call.mode.map(Mode::from) }, json).await
}

pub(crate) async fn resume(call: Resume, json: bool) -> Result<Exit, EngineError> {
    let policy = policy(call.policy.as_deref())?;
    let id = record::find(&Journal::open_read_only(&data_folder())?, &call.session).await?;
    let engine = record::engine(policy.clone()).await?;
    let state = engine.open_session(id).await?;
    let mode = call.mode.map(Mode::from);
    let interrupted = state
        .plan
        .iter()
        .flat_map(|plan| &plan.steps)
        .find(|step| matches!(step.state, StepState::Interrupted { .. }));
    let Some(step) = interrupted else {
        return lead(&engine, id, Command::Resume { mode }, json).await;
    };
    // Running it again is a decision; with nobody to make it, only the policy can.
    let reaches = step.assessment.as_ref().is_some_and(|assessment| policy.reaches(assessment.risk));
    if !reaches {
        let message = format!(
            "\"{}\" was running when the program ended, and nobody is here to decide whether it may run again. \
             A policy whose `approve` covers it lets it, or decide in the window.",
            step.title
        );
        show::error(&EngineError::new(ErrorCode::NotNow, message), json);
        return Ok(Exit::NotApproved);
    }
    if let Some(mode) = mode {
        engine.submit(id, Command::SetMode { mode }).await?;
    }
    let step_id = step.id.clone();
    lead(&engine, id, Command::Retry { step_id }, json).await
}

/// Submits the command that starts the run and follows it to its end.
async fn lead(engine: &Engine, id: SessionId, command: Command, json: bool) -> Result<Exit, EngineError> {
    let mut updates = engine.subscribe();
    let state = engine.open_session(id).await?;
    let mut screen = show::Screen::new(json, &state)?;
    for record in engine.events(id, 0).await? {
        if json {
            screen.event(&record)?;
        }
    }
    engine.submit(id, command).await?;
    let exit = follow(engine, id, &mut updates, &mut screen).await?;
    screen.end(exit, id);
    Ok(exit)
}

async fn follow(
    engine: &Engine,
    id: SessionId,
    updates: &mut Updates,
    screen: &mut show::Screen,
) -> Result<Exit, EngineError> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
    let mut out_of_budget = false;
    loop {
        let update = tokio::select! {
            update = updates.next() => update,
            _ = interrupt.recv() => { cancel(engine, id).await; continue; }
            _ = terminate.recv() => { cancel(engine, id).await; continue; }
        };
        match update {
            Some(Update::Event { record }) if record.session_id == id => {
                screen.event(&record)?;
                if let Event::AgentStuck { reason, .. } = &record.event {
                    out_of_budget = is_budget(reason);
                }
                if let Some(exit) = end(&record, out_of_budget) {
                    return Ok(exit);
                }
            }
            Some(Update::Output { session_id, step_id, attempt, chunks }) if session_id == id => {
                screen.output(&step_id, attempt, &chunks)?;
            }
            Some(Update::Problem { error, .. }) => return Err(error),
            Some(
                Update::Event { .. }
                | Update::Output { .. }
                | Update::Sessions { .. }
                | Update::Settings { .. }
                | Update::Grants { .. },
            ) => {}
            None => return Err(EngineError::new(ErrorCode::Internal, "The engine has ended.")),
        }
    }
}

async fn cancel(engine: &Engine, id: SessionId) {
    // Refused only when the run is over already, and then its end arrives as an event.
    drop(engine.submit(id, Command::Cancel).await);
}

/// Whether the event ends the run, and how.
fn end(record: &EventRecord, out_of_budget: bool) -> Option<Exit> {
    match &record.event {
        Event::PlanCompleted { .. } => Some(Exit::Done),
        Event::PlanFailed { .. } if out_of_budget => Some(Exit::OutOfBudget),
        Event::PlanFailed { .. } => Some(Exit::Failed),
        Event::PlanCancelled { .. } | Event::PlanRejected { .. } => Some(Exit::Cancelled),
        Event::PlanPaused { reason } => Some(match reason {
            PauseReason::Declined { .. } => Exit::NotApproved,
            PauseReason::User | PauseReason::Interrupted | PauseReason::StepFailed { .. } => Exit::Failed,
        }),
        _ => None,
    }
}

fn is_budget(reason: &StuckReason) -> bool {
    match reason {
        StuckReason::StepRetries { .. }
        | StuckReason::Corrections { .. }
        | StuckReason::AddedSteps { .. } => true,
        StuckReason::NoProgress | StuckReason::Aborted { .. } | StuckReason::Blocked { .. } => false,
    }
}

fn policy(path: Option<&Path>) -> Result<PolicyFile, EngineError> {
    let Some(path) = path else { return Ok(PolicyFile::default()) };
    let text = std::fs::read_to_string(path).map_err(|error| {
        EngineError::new(
            ErrorCode::FileUnreadable,
            format!("The policy {} cannot be read: {error}.", path.display()),
        )
    })?;
    PolicyFile::parse(&text)
        .map_err(|error| EngineError::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display())))
}

fn no_signals(error: std::io::Error) -> EngineError {
    EngineError::new(ErrorCode::Internal, format!("Signals cannot be watched: {error}."))
}
