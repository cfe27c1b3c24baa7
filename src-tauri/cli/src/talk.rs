//! Requests in words: one command (`do`), a conversation with tools (`chat`), a plan (`plan`).

use std::io::IsTerminal as _;
use std::path::Path;

use planwright_engine::engine::{Attendance, Engine, Updates, data_folder};
use planwright_engine::journal::Journal;
use planwright_engine::plan::confirmation_text;
use planwright_engine::plan::detect::should_create_plan;
use planwright_engine::protocol::{
    Command, Event, Mode, Plan, Route, SessionId, SessionState, Settings, TurnEnd,
};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use crate::args::{Chat, Do, MakePlan, ModelArgs};
use crate::exit::{Exit, Stop};
use crate::follow::{Follow, Printer, Signals};
use crate::lines::Lines;
use crate::run::{last_words, policy};
use crate::screen::Screen;
use crate::terminal::{self, Terminal};
use crate::{record, show};

/// Longest message, in bytes: one byte more is read, and the engine says that it is too much.
const LONGEST: u64 = 256 * 1024;

/// A session in words: the engine, and who is told.
pub(crate) struct Talk {
    pub(crate) engine: Engine,
    pub(crate) id: SessionId,
    updates: Updates,
    printer: Printer,
    signals: Signals,
    /// Somebody who types.
    terminal: Option<Terminal>,
    /// Whether they are asked, and no policy file answers in their place.
    asks: bool,
    json: bool,
}

/// How a turn ended, with what a script wants to know of it.
struct Turn {
    end: TurnEnd,
    /// Something needed a yes that nobody gave.
    refused: bool,
}

pub(crate) async fn one_command(call: Do, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let mut talk = Talk::begin(call.cwd.as_deref(), call.policy.as_deref(), model, json).await?;
    let turn = talk.say(call.request, Route::Do).await?;
    match turn.end {
        TurnEnd::PlanProposed { .. } => talk.confirm_and_run(None).await,
        end => Ok(exit_of(&end, turn.refused)),
    }
}

pub(crate) async fn plan(call: MakePlan, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let mut talk = Talk::begin(call.cwd.as_deref(), None, model, json).await?;
    let turn = talk.say(call.request, Route::Plan).await?;
    let TurnEnd::PlanProposed { .. } = turn.end else { return Ok(exit_of(&turn.end, turn.refused)) };
    if talk.asks {
        return talk.confirm_and_run(call.mode.map(Mode::from)).await;
    }
    let plan = talk.plan().await?;
    if json {
        show::line(&plan)?;
    } else {
        show::text_as_is(&confirmation_text(&plan))?;
        show::text_as_is("\n")?;
    }
    show::notice(&format!("Run it with: planwright-cli resume {}", talk.id));
    Ok(Exit::Done)
}

pub(crate) async fn chat(call: Chat, model: &ModelArgs, json: bool) -> Result<Exit, Stop> {
    let mut talk = match &call.session {
        Some(session) => Talk::resume(session, call.policy.as_deref(), model, json).await?,
        None => Talk::begin(call.cwd.as_deref(), call.policy.as_deref(), model, json).await?,
    };
    if let Some(max_rounds) = call.max_rounds {
        talk.engine.use_settings(Settings { max_rounds, ..talk.engine.settings() });
    }
    match call.message {
        Some(message) => talk.turn_and_plan(message).await,
        None if std::io::stdin().is_terminal() => talk.line_by_line().await,
        None => {
            let mut message = String::new();
            let read = tokio::io::stdin().take(LONGEST + 1).read_to_string(&mut message).await;
            read.map_err(|error| record::unread_input(&error))?;
            talk.turn_and_plan(message).await
        }
    }
}

impl Talk {
    pub(crate) async fn begin(
        cwd: Option<&Path>,
        policy_file: Option<&Path>,
        model: &ModelArgs,
        json: bool,
    ) -> Result<Self, Stop> {
        let (attendance, asks) = attendance(policy_file, json)?;
        let engine = record::engine(attendance, model).await?;
        let cwd = cwd.unwrap_or(Path::new(".")).display().to_string();
        let state = engine.create_session(None, Some(cwd)).await?;
        Self::with(engine, &state, asks, json)
    }

    pub(crate) async fn resume(
        session: &str,
        policy_file: Option<&Path>,
        model: &ModelArgs,
        json: bool,
    ) -> Result<Self, Stop> {
        let id = record::find(&Journal::open_read_only(&data_folder())?, session).await?;
        let (attendance, asks) = attendance(policy_file, json)?;
        let engine = record::engine(attendance, model).await?;
        let state = engine.open_session(id).await?;
        Self::with(engine, &state, asks, json)
    }

    fn with(engine: Engine, state: &SessionState, asks: bool, json: bool) -> Result<Self, Stop> {
        // Made first, so that no signal finds the program without an answer once something runs.
        let signals = Signals::watch()?;
        let updates = engine.subscribe();
        let printer = if json {
            show::line(&record::session_line(state))?;
            Printer::Json(Box::new(Lines::after(state)))
        } else {
            Printer::People(Box::new(Screen::new().attended(asks)))
        };
        let terminal = is_attended(json).then(Terminal::open);
        Ok(Self { engine, id: state.id, updates, printer, signals, terminal, asks, json })
    }

    /// One turn, from the words to its end.
    async fn say(&mut self, text: String, route: Route) -> Result<Turn, Stop> {
        if self.json {
            // What the words alone would have led to, whatever was asked for.
            show::line(&json!({ "type": "detection", "detection": should_create_plan(&text) }))?;
        }
        self.engine.submit(self.id, Command::Say { text, route, replaces: None }).await?;
        let mut refused = false;
        let (mut follow, terminal) = self.follow();
        follow
            .until(terminal, |event| match event {
                Event::ApprovalResolved { allowed_by: None, .. } => {
                    refused = true;
                    None
                }
                Event::TurnEnded { end, .. } => Some(end.clone()),
                _ => None,
            })
            .await
            .map(|end| Turn { end, refused })
    }

    pub(crate) fn follow(&mut self) -> (Follow<'_>, Option<&mut Terminal>) {
        let follow = Follow {
            engine: &self.engine,
            id: self.id,
            updates: &mut self.updates,
            printer: &mut self.printer,
            signals: &mut self.signals,
        };
        (follow, self.terminal.as_mut().filter(|_| self.asks))
    }

    /// A turn of a conversation, and the plan that it may have come to.
    async fn turn_and_plan(&mut self, message: String) -> Result<Exit, Stop> {
        let turn = self.say(message, Route::Chat).await?;
        match turn.end {
            TurnEnd::PlanProposed { .. } if self.asks => self.confirm_and_run(None).await,
            TurnEnd::PlanProposed { .. } => {
                show::notice(&format!("Run the plan with: planwright-cli resume {}", self.id));
                Ok(exit_of(&turn.end, turn.refused))
            }
            end => Ok(exit_of(&end, turn.refused)),
        }
    }

    /// A message a line, until the input ends. Ctrl-C stops what is worked on; where nothing is, it ends the program.
    async fn line_by_line(&mut self) -> Result<Exit, Stop> {
        loop {
            show::prompt("> ");
            let Some(terminal) = &mut self.terminal else { return Ok(Exit::Done) };
            let line = tokio::select! {
                line = terminal.line() => line?,
                () = self.signals.next() => return Ok(Exit::Done),
            };
            let Some(line) = line else { return Ok(Exit::Done) };
            if line.trim().is_empty() {
                continue;
            }
            // What cannot be said now is told, and the conversation goes on.
            match self.turn_and_plan(line).await {
                Ok(_) => {}
                Err(Stop::Fault(error)) => show::error(&error, self.json),
                Err(gone @ Stop::ReaderGone) => return Err(gone),
            }
        }
    }

    async fn plan(&self) -> Result<Plan, Stop> {
        let state = self.engine.open_session(self.id).await?;
        Ok(record::plan_of(&state)?.clone())
    }

    /// Shows the card, asks where somebody is, and runs the plan. With nobody to ask, its steps face the policy.
    async fn confirm_and_run(&mut self, mode: Option<Mode>) -> Result<Exit, Stop> {
        let plan = self.plan().await?;
        if let Some(terminal) = self.terminal.as_mut().filter(|_| self.asks) {
            show::text_as_is(&confirmation_text(&plan))?;
            if !terminal.says_yes().await? {
                self.engine.submit(self.id, Command::Cancel).await?;
                return Ok(Exit::NotApproved);
            }
        }
        self.engine.submit(self.id, Command::Start { mode }).await?;
        let (mut follow, terminal) = self.follow();
        let exit = follow.plan(terminal).await?;
        if !self.json
            && let Some(text) = last_words(exit, self.id, self.asks)
        {
            show::notice(&text);
        }
        Ok(exit)
    }
}

pub(crate) fn is_attended(json: bool) -> bool {
    !json && terminal::is_one()
}

/// Who answers, and whether it is somebody at the terminal.
pub(crate) fn attendance(policy_file: Option<&Path>, json: bool) -> Result<(Attendance, bool), Stop> {
    let policy = policy(policy_file)?;
    let asks = policy_file.is_none() && is_attended(json);
    Ok((if asks { Attendance::AtTerminal } else { Attendance::Nobody(policy) }, asks))
}

fn exit_of(end: &TurnEnd, refused: bool) -> Exit {
    match end {
        TurnEnd::Done | TurnEnd::PlanProposed { .. } | TurnEnd::Asked | TurnEnd::RoundDone if refused => {
            Exit::NotApproved
        }
        TurnEnd::Done | TurnEnd::PlanProposed { .. } | TurnEnd::Asked | TurnEnd::RoundDone => Exit::Done,
        TurnEnd::Rounds { .. } | TurnEnd::CapReached => Exit::OutOfBudget,
        TurnEnd::MaxTokens | TurnEnd::Filtered | TurnEnd::Refused { .. } => Exit::Failed,
        TurnEnd::Failed { code, .. } if code == "refused-again" => Exit::NotApproved,
        TurnEnd::Interrupted => Exit::Cancelled,
        TurnEnd::Failed { code, .. } => exit_of_model(code),
    }
}

/// By the code of a model's error: whether there is a model that can be used.
pub(crate) fn exit_of_model(code: &str) -> Exit {
    match code {
        "no-key" | "rejected-key" | "unknown-model" | "out-of-credit" | "network" | "settings" => {
            Exit::NoModel
        }
        _ => Exit::Failed,
    }
}
