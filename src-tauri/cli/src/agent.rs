//! Towards a goal until it is reached, stuck, out of budget or stopped (`agent`), and on from where one was left.

use planwright_engine::engine::{Attendance, Engine, Updates};
use planwright_engine::goal::signal;
use planwright_engine::protocol::{
    Command, Event, GoalEnd, GoalPause, GoalRequest, SessionId, SessionState, Settings, Verify,
};

use crate::args::{Agent, ModelArgs, SchemaArg};
use crate::exit::{Exit, Stop};
use crate::follow::{Follow, Printer, Signals};
use crate::lines::Lines;
use crate::screen::Screen;
use crate::talk::{self, Talk};
use crate::terminal::Terminal;
use crate::{record, show, words};

pub(crate) async fn agent(call: Agent, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let mut talk = match &call.session {
        Some(session) => Talk::resume(session, call.policy.as_deref(), model, json).await?,
        None => Talk::begin(call.cwd.as_deref(), call.policy.as_deref(), model, json).await?,
    };
    let mut request = GoalRequest::new(call.goal);
    request.context = call.context;
    request.session_id = Some(talk.id);
    request.model_backend = Some(call.model_backend.into());
    request.verify = call.verify.map(|command| Verify::Command { command });
    if let Some(most) = call.max_iterations {
        request.max_iterations = most;
    }
    if call.max_tokens.is_some() {
        talk.engine.use_settings(Settings { token_cap: call.max_tokens, ..talk.engine.settings() });
    }
    talk.engine.submit(talk.id, Command::Pursue { request }).await?;
    let id = talk.id;
    let (mut follow, terminal) = talk.follow();
    to_its_end(&mut follow, terminal, id, json).await
}

/// In lines for people, in one with `--json`.
pub(crate) fn schema(of: SchemaArg, json: bool) -> Result<Exit, Stop> {
    let schema = match of {
        SchemaArg::Signal => signal::schema(),
    };
    if json {
        show::line(&schema)?;
    } else {
        show::text_as_is(&format!("{schema:#}\n"))?;
    }
    Ok(Exit::Done)
}

/// Whether a session that is resumed goes on with a goal.
pub(crate) fn is_about_goal(state: &SessionState) -> bool {
    let reached = |goal: &planwright_engine::protocol::GoalState| {
        matches!(goal.phase, planwright_engine::protocol::GoalPhase::Ended { end: GoalEnd::Complete { .. } })
    };
    state.goal.as_ref().is_some_and(|goal| !reached(goal)) && planwright_engine::journal::is_about_goal(state)
}

/// Goes on with a goal. `updates` were subscribed before the session was opened: what waited for the user goes on by itself
/// then.
pub(crate) async fn resume(
    engine: &Engine,
    state: &SessionState,
    mut updates: Updates,
    stronger: bool,
    json: bool,
) -> Result<Exit, Stop> {
    let mut signals = Signals::watch()?;
    let mut printer = if json {
        let mut first = record::session_line(state);
        first["goal"] = serde_json::json!(state.goal);
        show::line(&first)?;
        Printer::Json(Box::new(Lines::after(state)))
    } else {
        Printer::People(Box::new(Screen::new()))
    };
    if !state.goal.as_ref().is_some_and(|goal| goal.is_under_way()) {
        let again = if stronger { Command::Escalate } else { Command::Resume { mode: None } };
        engine.submit(state.id, again).await?;
    }
    let mut terminal = talk::is_attended(json).then(Terminal::open);
    let mut follow =
        Follow { engine, id: state.id, updates: &mut updates, printer: &mut printer, signals: &mut signals };
    to_its_end(&mut follow, terminal.as_mut(), state.id, json).await
}

/// Who answers when a goal is resumed: somebody at the terminal, unless a policy does.
pub(crate) fn attendance(policy: Option<&std::path::Path>, json: bool) -> Result<Attendance, Stop> {
    talk::attendance(policy, json).map(|(attendance, _)| attendance)
}

async fn to_its_end(
    follow: &mut Follow<'_>,
    terminal: Option<&mut Terminal>,
    id: SessionId,
    json: bool,
) -> Result<Exit, Stop> {
    let mut refused = false;
    let exit = follow
        .until(terminal, |event| match event {
            Event::ApprovalResolved { allowed_by: None, .. } => {
                refused = true;
                None
            }
            Event::GoalEnded { end, .. } => Some(exit_of(end, refused)),
            Event::GoalPaused { reason } => Some(exit_of_pause(reason)),
            _ => None,
        })
        .await?;
    follow.end_services().await?;
    if !json && let Some(offer) = follow.engine.escalation_estimate(id).await? {
        show::notice(&format!(
            "{} planwright-cli resume {id} --model-backend stronger",
            words::stronger(&offer)
        ));
    }
    if !json && exit != Exit::Done {
        let resume = if exit == Exit::Cancelled { " Take it up again with `resume`." } else { "" };
        show::notice(format!("{resume} The whole record: planwright-cli report {id}").trim_start());
    }
    Ok(exit)
}

/// A goal that was reached is reached, whatever was refused on the way.
fn exit_of(end: &GoalEnd, refused: bool) -> Exit {
    match end {
        GoalEnd::Complete { .. } => Exit::Done,
        GoalEnd::Stuck { .. } if refused => Exit::NotApproved,
        GoalEnd::Stuck { .. } => Exit::Failed,
        GoalEnd::OutOfBudget { .. } => Exit::OutOfBudget,
        GoalEnd::Cancelled => Exit::Cancelled,
    }
}

fn exit_of_pause(reason: &GoalPause) -> Exit {
    match reason {
        GoalPause::Declined { .. } | GoalPause::Unattended => Exit::NotApproved,
        GoalPause::ModelFailed { code, .. } => talk::exit_of_model(code),
        GoalPause::User | GoalPause::Interrupted | GoalPause::NoRoom { .. } => Exit::Failed,
    }
}
