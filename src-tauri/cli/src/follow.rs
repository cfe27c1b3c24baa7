//! Following a session while it works: events and output out as they come, signals obeyed, questions put to whoever
//! sits at the terminal.

use planwright_engine::engine::{Engine, Updates};
use planwright_engine::protocol::{
    AnswerDelta, Command, EngineError, ErrorCode, Event, EventRecord, InstructionsUse, OutputChunk,
    SecretRequest, ServiceId, SessionId, StepId, Time, Update,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Stop;
use crate::lines::Lines;
use crate::screen::Screen;
use crate::terminal::{Release, Terminal};
use crate::{masked, show};

/// Where a run is told: as JSON Lines, to a person, or, once the reader has gone, nowhere.
pub(crate) enum Printer {
    Json(Box<Lines>),
    People(Box<Screen>),
    Nobody,
}

impl Printer {
    fn event(&mut self, record: &EventRecord) -> Result<(), Stop> {
        match self {
            Self::Json(lines) => lines.event(record),
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
            Self::Json(_) => show::output(id, step, attempt, chunks),
            Self::People(screen) => screen.output(step, chunks).map_err(|error| Stop::unprinted(&error)),
            Self::Nobody => Ok(()),
        }
    }

    /// An answer as it comes is for people; in JSON the event holds it whole.
    fn answer(&mut self, deltas: &[AnswerDelta]) -> Result<(), Stop> {
        match self {
            Self::People(screen) => screen.answer(deltas).map_err(|error| Stop::unprinted(&error)),
            Self::Json(_) | Self::Nobody => Ok(()),
        }
    }
}

pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(crate) fn watch() -> Result<Self, EngineError> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(no_signals)?,
            terminate: signal(SignalKind::terminate()).map_err(no_signals)?,
        })
    }

    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// A session that is followed.
pub(crate) struct Follow<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) id: SessionId,
    pub(crate) updates: &'a mut Updates,
    pub(crate) printer: &'a mut Printer,
    pub(crate) signals: &'a mut Signals,
}

impl Follow<'_> {
    /// Tells what happens until `end` makes something of an event. `terminal`: somebody who answers questions.
    pub(crate) async fn until<T>(
        &mut self,
        mut terminal: Option<&mut Terminal>,
        mut end: impl FnMut(&Event) -> Option<T>,
    ) -> Result<T, Stop> {
        loop {
            let update = tokio::select! {
                update = self.updates.next() => update,
                () = self.signals.next() => { cancel(self.engine, self.id).await; continue; }
            };
            let Some(update) = update else {
                return Err(EngineError::new(ErrorCode::Internal, "The engine has ended.").into());
            };
            match self.tell(&update) {
                Ok(()) => {}
                // What nobody watches any more is not left to itself.
                Err(Stop::ReaderGone) => {
                    *self.printer = Printer::Nobody;
                    cancel(self.engine, self.id).await;
                }
                Err(fault @ Stop::Fault(_)) => return Err(fault),
            }
            let Update::Event { record } = &update else { continue };
            if record.session_id != self.id {
                continue;
            }
            if let (Event::ApprovalNeeded { approval }, Some(terminal)) =
                (&record.event, terminal.as_deref_mut())
            {
                // What a rule has refused is recorded as a question with its answer.
                let open = self.engine.open_session(self.id).await?.approvals;
                if open.iter().all(|open| open.id != approval.id) {
                    continue;
                }
                let answer = tokio::select! {
                    answer = terminal.answer(approval) => answer?,
                    () = self.signals.next() => { cancel(self.engine, self.id).await; continue; }
                };
                // Refused only when the question is settled already.
                drop(self.engine.submit(self.id, Command::Answer { approval_id: approval.id, answer }).await);
            }
            if let (Event::StepAwaitingRun { step_id }, Some(terminal)) =
                (&record.event, terminal.as_deref_mut())
            {
                let plan = self.engine.open_session(self.id).await?.plan;
                let by_hand =
                    plan.iter().filter_map(|plan| plan.step(step_id)).any(|step| step.action.is_manual());
                let answer = tokio::select! {
                    answer = terminal.releases(by_hand) => answer?,
                    () = self.signals.next() => { cancel(self.engine, self.id).await; continue; }
                };
                let step_id = step_id.clone();
                let command = match answer {
                    Release::Yes => Command::RunStep { step_id },
                    Release::Skip => Command::Skip { step_id, with_dependents: false },
                    Release::NotNow => Command::Pause,
                };
                // Refused only when it waits no longer.
                drop(self.engine.submit(self.id, command).await);
            }
            if let (Event::InstructionsFound { found }, Some(terminal)) =
                (&record.event, terminal.as_deref_mut())
            {
                for one in found.iter().filter(|one| one.reading == InstructionsUse::Asked) {
                    show::prompt(&format!(
                        "     Read the instructions in {} to the model? y(es), n(o): ",
                        one.folder
                    ));
                    let read = tokio::select! {
                        yes = terminal.says_yes() => yes?,
                        () = self.signals.next() => { cancel(self.engine, self.id).await; break; }
                    };
                    let (folder, digest) = (one.folder.clone(), one.digest.clone());
                    // Refused only when they have changed, and then they are asked about anew.
                    drop(
                        self.engine
                            .submit(self.id, Command::AnswerInstructions { folder, digest, read })
                            .await,
                    );
                }
            }
            if let (Event::GoalQuestionAsked { question }, Some(terminal)) =
                (&record.event, terminal.as_deref_mut())
            {
                show::prompt("     ");
                let line = tokio::select! {
                    line = terminal.line() => line?,
                    () = self.signals.next() => { cancel(self.engine, self.id).await; continue; }
                };
                // Without an answer the question stays open over a pause.
                let command = match line.filter(|line| !line.trim().is_empty()) {
                    Some(text) => Command::AnswerQuestion { question_id: question.id, text },
                    None => Command::Pause,
                };
                drop(self.engine.submit(self.id, command).await);
            }
            if let Event::SecretNeeded { request } = &record.event {
                tokio::select! {
                    () = answer_secret(self.engine, self.id, request) => {}
                    () = self.signals.next() => { cancel(self.engine, self.id).await; continue; }
                }
            }
            if let Some(ended) = end(&record.event) {
                return Ok(ended);
            }
        }
    }

    /// The session ends with this program, and its services with it. Tells of each.
    pub(crate) async fn end_services(&mut self) -> Result<(), Stop> {
        let state = self.engine.open_session(self.id).await?;
        let mut running: Vec<ServiceId> =
            state.services.iter().filter(|service| service.is_running()).map(|service| service.id).collect();
        for service_id in running.clone() {
            // Refused only when it is over already, and then its end arrives as an event.
            drop(self.engine.submit(self.id, Command::StopService { service_id }).await);
        }
        if running.is_empty() {
            return Ok(());
        }
        self.until(None, |event| {
            if let Event::ServiceEnded { service_id, .. } = event {
                running.retain(|one| one != service_id);
            }
            running.is_empty().then_some(())
        })
        .await
    }

    fn tell(&mut self, update: &Update) -> Result<(), Stop> {
        match update {
            Update::Event { record } if record.session_id == self.id => self.printer.event(record),
            Update::Output { session_id, step_id, attempt, chunks } if *session_id == self.id => {
                self.printer.output(self.id, step_id, *attempt, chunks)
            }
            Update::Answer { session_id, deltas, .. } if *session_id == self.id => {
                self.printer.answer(deltas)
            }
            Update::Problem { error, .. } => Err(Stop::Fault(error.clone())),
            Update::Event { .. }
            | Update::Output { .. }
            | Update::Terminal { .. }
            | Update::Answer { .. }
            | Update::Models { .. }
            | Update::Sessions { .. }
            | Update::Settings { .. }
            | Update::Grants { .. }
            | Update::Forecast { .. } => Ok(()),
        }
    }
}

/// Has a password typed at the terminal; where there is none the engine has declined already.
async fn answer_secret(engine: &Engine, id: SessionId, request: &SecretRequest) {
    if request.expires_at <= Time::now() || !masked::is_possible() {
        return;
    }
    let answer = masked::ask(request).await.unwrap_or_else(|error| {
        show::notice(&format!("The terminal could not be read: {error}. The question was declined."));
        None
    });
    if let Err(error) = engine.answer_secret(id, request.id, answer) {
        show::notice(&error.message);
    }
}

pub(crate) async fn cancel(engine: &Engine, id: SessionId) {
    // Refused only when the run is over already, and then its end arrives as an event.
    drop(engine.submit(id, Command::Cancel).await);
}

fn no_signals(error: std::io::Error) -> EngineError {
    EngineError::new(ErrorCode::Internal, format!("Signals cannot be watched: {error}."))
}
