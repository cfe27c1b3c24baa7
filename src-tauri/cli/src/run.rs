//! Running a plan with nobody at the screen: events out, questions answered by the policy file, signals obeyed.

use std::path::Path;

use planwright_engine::engine::{Engine, Updates, data_folder};
use planwright_engine::journal::Journal;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Command, EngineError, ErrorCode, Event, EventRecord, Mode, OnFailure, OutputChunk, PauseReason,
    SessionId, SessionState, StepId, StepState, StuckReason, Update,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::args::{ModeArg, Resume, Run};
use crate::exit::{Exit, Stop};
use crate::screen::Screen;
use crate::{record, show};

pub(crate) async fn run(call: Run, json: bool) -> Result<Exit, Stop> {
    let engine = record::engine(policy(call.policy.as_deref())?).await?;
    let on_failure = call.on_failure.map(OnFailure::from);
    let state = record::import_into(&engine, &call.file, call.cwd.as_deref(), on_failure).await?;
    start(&engine, state.id, call.mode, json).await
}

async fn start(engine: &Engine, id: SessionId, mode: Option<ModeArg>, json: bool) -> Result<Exit, Stop> {
    let start = Command::Start { mode: mode.map(Mode::from) };
    lead(engine, id, vec![start], Before::Events, json).await
}

pub(crate) async fn resume(call: Resume, json: bool) -> Result<Exit, Stop> {
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
        return lead(&engine, id, vec![Command::Resume { mode }], Before::Plan, json).await;
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
    let mut commands = Vec::new();
    commands.extend(mode.map(|mode| Command::SetMode { mode }));
    commands.push(Command::Retry { step_id: step.id.clone() });
    lead(&engine, id, commands, Before::Plan, json).await
}

/// Where a run is told: as JSON Lines, to a person, or, once the reader has gone, nowhere.
enum Printer {
    Json,
    People(Box<Screen>),
    Nobody,
}

impl Printer {
    fn event(&mut self, record: &EventRecord) -> Result<(), Stop> {
        match self {
            Self::Json => show::event(record),
            Self::People(screen) => screen.event(record).map_err(|error| Stop::unprinted(&error)),
            Self::Nobody => Ok(()),
        }
    }

    fn output(
        &mut self,
        id: SessionId,
        step: &StepId,
        attempt: u32,
        chunks: &[OutputChunk],
    ) -> Result<(), Stop> {
        match self {
            Self::Json => show::output(id, step, attempt, chunks),
            Self::People(screen) => screen.output(chunks).map_err(|error| Stop::unprinted(&error)),
            Self::Nobody => Ok(()),
        }
    }
}

/// What of the session's record is told besides what happens now.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// All of it: the session is this run's own.
    Events,
    /// None; the plan stands in the first line.
    Plan,
}

/// Submits the command that starts the run and follows it to its end.
async fn lead(
    engine: &Engine,
    id: SessionId,
    commands: Vec<Command>,
    before: Before,
    json: bool,
) -> Result<Exit, Stop> {
    // Made first, so that no signal finds the program without an answer once something runs.
    let signals = Signals::watch()?;
    let state = engine.open_session(id).await?;
    let past = engine.events(id, 0).await?;
    let mut updates = engine.subscribe();
    for command in commands {
        engine.submit(id, command).await?;
    }
    let mut printer = if json { Printer::Json } else { Printer::People(Box::new(Screen::new())) };
    let begun = match &mut printer {
        Printer::Json => begin_json(&state, &past, before),
        Printer::People(screen) => screen.begin(&state).map_err(|error| Stop::unprinted(&error)),
        Printer::Nobody => Ok(()),
    };
    let gone = matches!(begun, Err(Stop::ReaderGone));
    let exit = if gone {
        cancel(engine, id).await;
        follow(engine, id, &mut updates, &mut Printer::Nobody, signals).await?
    } else {
        begun?;
        follow(engine, id, &mut updates, &mut printer, signals).await?
    };
    if !json && let Some(text) = last_words(exit, id) {
        show::notice(&text);
    }
    Ok(exit)
}

fn begin_json(state: &SessionState, past: &[EventRecord], before: Before) -> Result<(), Stop> {
    let mut first = record::session_line(state);
    match before {
        Before::Events => {
            show::line(&first)?;
            past.iter().try_for_each(show::event)
        }
        Before::Plan => {
            first["plan"] = serde_json::json!(state.plan);
            show::line(&first)
        }
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn watch() -> Result<Self, EngineError> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(no_signals)?,
            terminate: signal(SignalKind::terminate()).map_err(no_signals)?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

async fn follow(
    engine: &Engine,
    id: SessionId,
    updates: &mut Updates,
    printer: &mut Printer,
    mut signals: Signals,
) -> Result<Exit, Stop> {
    let mut out_of_budget = false;
    loop {
        let update = tokio::select! {
            update = updates.next() => update,
            () = signals.next() => { cancel(engine, id).await; continue; }
        };
        let printed = match &update {
            Some(Update::Event { record }) if record.session_id == id => printer.event(record),
            Some(Update::Output { session_id, step_id, attempt, chunks }) if *session_id == id => {
                printer.output(id, step_id, *attempt, chunks)
            }
            Some(Update::Problem { error, .. }) => return Err(Stop::Fault(error.clone())),
            Some(
                Update::Event { .. }
                | Update::Output { .. }
                | Update::Answer { .. }
                | Update::Models { .. }
                | Update::Sessions { .. }
                | Update::Settings { .. }
                | Update::Grants { .. },
            ) => Ok(()),
            None => return Err(EngineError::new(ErrorCode::Internal, "The engine has ended.").into()),
        };
        match printed {
            Ok(()) => {}
            // A run that nobody watches any more is not left to itself.
            Err(Stop::ReaderGone) => {
                *printer = Printer::Nobody;
                cancel(engine, id).await;
            }
            Err(fault @ Stop::Fault(_)) => return Err(fault),
        }
        if let Some(Update::Event { record }) = &update
            && record.session_id == id
        {
            if let Event::AgentStuck { reason, .. } = &record.event {
                out_of_budget = is_budget(reason);
            }
            if let Some(exit) = end(record, out_of_budget) {
                return Ok(exit);
            }
        }
    }
}

/// What a person may do next.
fn last_words(exit: Exit, id: SessionId) -> Option<String> {
    let words = match exit {
        Exit::Done | Exit::BadInput | Exit::NoModel => return None,
        Exit::Failed => "The whole record:",
        Exit::NotApproved => {
            "That step needs a yes, and nobody is here to give it. Use `resume` with a policy that covers it (--policy \
             FILE), or go on in the window. The whole record:"
        }
        Exit::OutOfBudget => "The recovery budget is used up. The whole record:",
        Exit::Cancelled => "Every process is gone. Take it up again with `resume`. The whole record:",
    };
    Some(format!("{words} planwright-cli report {id}"))
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
            format!("The policy {} cannot be read: {}.", path.display(), EngineError::reason(&error)),
        )
    })?;
    PolicyFile::parse(&text)
        .map_err(|error| EngineError::new(ErrorCode::InvalidInput, format!("{}: {error}.", path.display())))
}

fn no_signals(error: std::io::Error) -> EngineError {
    EngineError::new(ErrorCode::Internal, format!("Signals cannot be watched: {error}."))
}
