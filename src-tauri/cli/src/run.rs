//! Running a plan: events out, questions put to whoever sits at the terminal, or answered by the policy file.

use std::path::Path;

use planwright_engine::engine::{Attendance, Engine, data_folder};
use planwright_engine::journal::Journal;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Command, EngineError, ErrorCode, Event, EventRecord, Mode, OnFailure, PauseReason, PlanState,
    ServiceState, SessionId, SessionState, StepState, StuckReason,
};

use crate::args::{ManualArg, ModelArgs, ModelBackend, Resume, Run};
use crate::exit::{Exit, Stop};
use crate::follow::{self, Follow, Printer, Signals};
use crate::lines::Lines;
use crate::screen::Screen;
use crate::terminal::Terminal;
use crate::{agent, choices, inputs, record, show, talk, words};

pub(crate) async fn run(call: Run, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let asks = asks(call.policy.as_deref(), call.manual, json);
    let engine = record::engine(attendance(call.policy.as_deref(), call.manual, asks)?, model).await?;
    let on_failure = call.on_failure.map(OnFailure::from);
    let state = record::import_into(&engine, &call.file, call.cwd.as_deref(), on_failure).await?;
    let state = choices::choose(&engine, state, &call.ways).await?;
    inputs::give(&engine, &state, &call.inputs, json).await?;
    let start = Command::Start { mode: call.mode.map(Mode::from) };
    let told = if json { Told::Json(Before::Events) } else { Told::People { asked: asks } };
    lead(&engine, state.id, vec![start], told).await
}

pub(crate) async fn resume(call: Resume, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let asks = asks(call.policy.as_deref(), call.manual, json);
    let told = if json { Told::Json(Before::Plan) } else { Told::People { asked: asks } };
    let id = record::find(&Journal::open_read_only(&data_folder())?, &call.session).await?;
    let kept = Journal::open_read_only(&data_folder())?.load(id).await?.value;
    if agent::is_about_goal(&kept) {
        let engine = record::engine(agent::attendance(call.policy.as_deref(), json)?, model).await?;
        let updates = engine.subscribe();
        let state = engine.open_session(id).await?;
        let stronger = matches!(call.model_backend, Some(ModelBackend::Stronger));
        return agent::resume(&engine, &state, updates, stronger, json).await;
    }
    let engine = record::engine(attendance(call.policy.as_deref(), call.manual, asks)?, model).await?;
    let state = engine.open_session(id).await?;
    inputs::give(&engine, &state, &call.inputs, json).await?;
    let mode = call.mode.map(Mode::from);
    let interrupted = state
        .plan
        .iter()
        .flat_map(|plan| &plan.steps)
        .find(|step| matches!(step.state, StepState::Interrupted { .. }));
    let Some(step) = interrupted else {
        return lead(&engine, id, vec![Command::Resume { mode }], told).await;
    };
    // Running it again is a decision; with nobody to make it, only the policy can.
    let policy = policy(call.policy.as_deref())?;
    let may = if asks {
        tell_of_ended_services(&state);
        let title = words::one_line(&step.title);
        show::prompt(&format!("\"{title}\" was running when the program ended. Run it again? y(es), n(o): "));
        Terminal::open().says_yes().await?
    } else {
        step.assessment.as_ref().is_some_and(|assessment| policy.reaches(assessment.risk))
    };
    if !may {
        if !asks {
            if !json {
                tell_of_ended_services(&state);
            }
            let message = format!(
                "\"{}\" was running when the program ended, and nobody is here to decide whether it may run \
                 again. A policy whose `approve` covers it lets it, or decide at a terminal or in the window.",
                step.title
            );
            show::error(&EngineError::new(ErrorCode::NotNow, message), json);
        }
        return Ok(Exit::NotApproved);
    }
    let mut commands = Vec::new();
    commands.extend(mode.map(|mode| Command::SetMode { mode }));
    commands.push(Command::Retry { step_id: step.id.clone() });
    lead(&engine, id, commands, told).await
}

/// Whoever decides about an interrupted step has to know what it can no longer lean on.
fn tell_of_ended_services(state: &SessionState) {
    for service in &state.services {
        if let ServiceState::Ended { end, .. } = &service.state {
            let title = words::one_line(&service.title);
            show::notice(&format!("service  \"{title}\" {}", words::service_end(end)));
        }
    }
}

/// Whom a run is told.
#[derive(Clone, Copy)]
enum Told {
    Json(Before),
    /// `asked`: somebody at the terminal answers the questions.
    People {
        asked: bool,
    },
}

/// What of the session's record is told besides what happens now.
#[derive(Clone, Copy)]
enum Before {
    /// All of it: the session is this run's own.
    Events,
    /// None; the plan stands in the first line.
    Plan,
}

/// Submits the commands that start the run and follows it to its end.
async fn lead(engine: &Engine, id: SessionId, commands: Vec<Command>, told: Told) -> Result<Exit, Stop> {
    // Made first, so that no signal finds the program without an answer once something runs.
    let mut signals = Signals::watch()?;
    let state = engine.open_session(id).await?;
    let past = engine.events(id, 0).await?;
    let mut updates = engine.subscribe();
    for command in commands {
        engine.submit(id, command).await?;
    }
    let mut printer = match told {
        Told::Json(Before::Events) => Printer::Json(Box::new(Lines::from_the_start())),
        Told::Json(Before::Plan) => Printer::Json(Box::new(Lines::after(&state))),
        Told::People { asked } => Printer::People(Box::new(Screen::new().attended(asked))),
    };
    let begun = match (&mut printer, told) {
        (Printer::Json(lines), Told::Json(before)) => begin_json(lines, &state, &past, before),
        (Printer::People(screen), _) => screen.begin(&state).map_err(|error| Stop::unprinted(&error)),
        _ => Ok(()),
    };
    match begun {
        Ok(()) => {}
        Err(Stop::ReaderGone) => {
            follow::cancel(engine, id).await;
            printer = Printer::Nobody;
        }
        Err(fault @ Stop::Fault(_)) => return Err(fault),
    }
    let mut terminal = matches!(told, Told::People { asked: true }).then(Terminal::open);
    let mut follow =
        Follow { engine, id, updates: &mut updates, printer: &mut printer, signals: &mut signals };
    let exit = follow.plan(terminal.as_mut()).await?;
    follow.end_with(terminal.as_mut()).await?;
    if let Told::People { asked } = told {
        let plan = engine.open_session(id).await?.plan;
        let by_hand = plan.is_some_and(|plan| {
            matches!(plan.state, PlanState::Paused { reason: PauseReason::Manual { .. } })
        });
        let text = if by_hand { Some(when_done(id)) } else { last_words(exit, id, asked) };
        text.iter().for_each(|text| show::notice(text));
    }
    Ok(exit)
}

fn begin_json(
    lines: &mut Lines,
    state: &SessionState,
    past: &[EventRecord],
    before: Before,
) -> Result<(), Stop> {
    let mut first = record::session_line(state);
    match before {
        Before::Events => {
            show::line(&first)?;
            past.iter().try_for_each(|record| lines.event(record))
        }
        Before::Plan => {
            first["plan"] = serde_json::json!(state.plan);
            show::line(&first)
        }
    }
}

fn when_done(id: SessionId) -> String {
    format!(
        "When you have done it: planwright-cli resume {id}\nOr without it: planwright-cli resume {id} --manual skip"
    )
}

/// What a person may do next. `asked`: they were there to say yes.
pub(crate) fn last_words(exit: Exit, id: SessionId, asked: bool) -> Option<String> {
    let words = match exit {
        Exit::Done | Exit::BadInput | Exit::NoModel => return None,
        Exit::Failed => "The whole record:",
        Exit::NotApproved if asked => "Take it up again with `resume`. The whole record:",
        Exit::NotApproved => {
            "That step needs a yes, and nobody is here to give it. Use `resume` with a policy that covers it (--policy \
             FILE), or go on in the window. The whole record:"
        }
        Exit::OutOfBudget => "The recovery budget is used up. The whole record:",
        Exit::Cancelled => "Every process is gone. Take it up again with `resume`. The whole record:",
    };
    Some(format!("{words} planwright-cli report {id}"))
}

/// Whether a run ended because a budget was used up, known from the event before its end.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    is_out: bool,
}

impl Budget {
    /// Whether the event ends the run, and how.
    pub(crate) fn end(&mut self, event: &Event) -> Option<Exit> {
        match event {
            Event::AgentStuck { reason, .. } => {
                self.is_out = is_budget(reason);
                None
            }
            Event::PlanCompleted { .. } => Some(Exit::Done),
            Event::PlanFailed { .. } if self.is_out => Some(Exit::OutOfBudget),
            Event::PlanFailed { .. } => Some(Exit::Failed),
            Event::PlanCancelled { .. } | Event::PlanRejected { .. } => Some(Exit::Cancelled),
            Event::PlanPaused { reason } => Some(match reason {
                PauseReason::Declined { .. } | PauseReason::Manual { .. } => Exit::NotApproved,
                PauseReason::User
                | PauseReason::Interrupted
                | PauseReason::NotKept { .. }
                | PauseReason::NoRoom { .. }
                | PauseReason::StepFailed { .. } => Exit::Failed,
            }),
            _ => None,
        }
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

/// Whether somebody sits at the terminal and is asked: nothing answers in their place.
fn asks(policy: Option<&Path>, manual: Option<ManualArg>, json: bool) -> bool {
    policy.is_none() && manual.is_none() && talk::is_attended(json)
}

fn attendance(path: Option<&Path>, manual: Option<ManualArg>, asks: bool) -> Result<Attendance, EngineError> {
    if asks {
        return Ok(Attendance::AtTerminal);
    }
    let policy = policy(path)?;
    Ok(Attendance::Nobody(match manual {
        Some(manual) => policy.with_manual(manual.into()),
        None => policy,
    }))
}

pub(crate) fn policy(path: Option<&Path>) -> Result<PolicyFile, EngineError> {
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
