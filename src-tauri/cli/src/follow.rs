//! Following a session while it works: events and output out as they come, signals obeyed, questions put to whoever
//! sits at the terminal.

use planwright_engine::engine::{Engine, Updates};
use planwright_engine::protocol::{
    AnswerDelta, Command, EngineError, ErrorCode, Event, EventRecord, InstructionsUse, OutputChunk,
    SecretRequest, ServiceId, SessionId, StepId, Time, Update,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{Exit, Stop};
use crate::lines::Lines;
use crate::relay::Relay;
use crate::run::Budget;
use crate::screen::Screen;
use crate::terminal::{Release, Terminal};
use crate::{masked, show, tty};

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
    /// Tells what happens until `end` makes something of an event. `terminal`: somebody who answers questions, and to whose
    /// keyboard a program may be given.
    pub(crate) async fn until<T>(
        &mut self,
        mut terminal: Option<&mut Terminal>,
        mut end: impl FnMut(&Event) -> Option<T>,
    ) -> Result<T, Stop> {
        let mut relay: Option<Relay> = None;
        loop {
            let update = tokio::select! {
                update = self.updates.next() => update,
                () = self.signals.next() => { cancel(self.engine, self.id).await; continue; }
                error = keys_of(&mut relay, self.engine) => {
                    relay = None;
                    show::notice(&format!("The terminal could not be read: {error}."));
                    cancel(self.engine, self.id).await;
                    continue;
                }
            };
            let Some(update) = update else {
                return Err(EngineError::new(ErrorCode::Internal, "The engine has ended.").into());
            };
            if let (Update::Terminal { step_id, after, upto, text, .. }, Some(relay)) = (&update, &mut relay)
            {
                relay.show(self.engine, step_id, (*after, *upto), text);
            }
            let Update::Event { record } = &update else {
                self.tell_or_stop(&update).await?;
                continue;
            };
            let event = &record.event;
            let is_own = record.session_id == self.id;
            if is_own && relay.as_ref().is_some_and(|relay| relay.ends_with(event)) {
                relay = None;
            }
            self.tell_or_stop(&update).await?;
            if !is_own {
                continue;
            }
            if let Some(terminal) = terminal.as_deref_mut() {
                self.put(event, terminal).await?;
                if let Some(begun) = Relay::of(self.id, event) {
                    relay = self.begun(begun).await;
                }
            }
            if let Event::SecretNeeded { request } = event {
                let (engine, id) = (self.engine, self.id);
                self.unless_stopped(answer_secret(engine, id, request)).await;
            }
            if let Some(ended) = end(event) {
                return Ok(ended);
            }
        }
    }

    /// Follows a run to its end.
    pub(crate) async fn plan(&mut self, terminal: Option<&mut Terminal>) -> Result<Exit, Stop> {
        let attended = terminal.is_some();
        let mut budget = Budget::default();
        self.until(terminal, |event| match event {
            // There is no card for a decision here; the window has one.
            Event::AgentStuck { .. } if attended => {
                budget.end(event);
                Some(Exit::Failed)
            }
            _ => budget.end(event),
        })
        .await
    }

    /// What nobody watches any more is not left to itself.
    async fn tell_or_stop(&mut self, update: &Update) -> Result<(), Stop> {
        match self.tell(update) {
            Err(Stop::ReaderGone) => {
                *self.printer = Printer::Nobody;
                cancel(self.engine, self.id).await;
                Ok(())
            }
            told => told,
        }
    }

    /// Waits for somebody's answer; `None` when they stop the run instead.
    async fn unless_stopped<T>(&mut self, answer: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            answer = answer => Some(answer),
            () = self.signals.next() => { cancel(self.engine, self.id).await; None }
        }
    }

    /// A program that needs this terminal and cannot have it is not waited for.
    async fn begun(&self, relay: std::io::Result<Relay>) -> Option<Relay> {
        match relay {
            Ok(relay) => {
                relay.fit(self.engine).await;
                Some(relay)
            }
            Err(error) => {
                show::notice(&format!("The terminal could not be taken: {error}."));
                cancel(self.engine, self.id).await;
                None
            }
        }
    }

    /// Puts an event that is a question to whoever sits at the terminal. A command that gives the answer is refused only
    /// when the question is settled already.
    async fn put(&mut self, event: &Event, terminal: &mut Terminal) -> Result<(), Stop> {
        let command = match event {
            Event::ApprovalNeeded { approval } => {
                // What a rule has refused is recorded as a question with its answer.
                let open = self.engine.open_session(self.id).await?.approvals;
                if open.iter().all(|open| open.id != approval.id) {
                    return Ok(());
                }
                let Some(answer) = self.unless_stopped(terminal.answer(approval)).await else {
                    return Ok(());
                };
                Command::Answer { approval_id: approval.id, answer: answer? }
            }
            Event::StepAwaitingRun { step_id } => {
                let plan = self.engine.open_session(self.id).await?.plan;
                let by_hand =
                    plan.iter().filter_map(|plan| plan.step(step_id)).any(|step| step.action.is_manual());
                let Some(answer) = self.unless_stopped(terminal.releases(by_hand)).await else {
                    return Ok(());
                };
                let step_id = step_id.clone();
                match answer? {
                    Release::Yes => Command::RunStep { step_id },
                    Release::Skip => Command::Skip { step_id, with_dependents: false },
                    Release::NotNow => Command::Pause,
                }
            }
            Event::InstructionsFound { found } => {
                for one in found.iter().filter(|one| one.reading == InstructionsUse::Asked) {
                    show::prompt(&format!(
                        "     Read the instructions in {} to the model? y(es), n(o): ",
                        one.folder
                    ));
                    let Some(read) = self.unless_stopped(terminal.says_yes()).await else { return Ok(()) };
                    let (folder, digest, read) = (one.folder.clone(), one.digest.clone(), read?);
                    // Refused only when they have changed, and then they are asked about anew.
                    drop(
                        self.engine
                            .submit(self.id, Command::AnswerInstructions { folder, digest, read })
                            .await,
                    );
                }
                return Ok(());
            }
            Event::GoalQuestionAsked { question } => {
                show::prompt("     ");
                let Some(line) = self.unless_stopped(terminal.line()).await else { return Ok(()) };
                // Without an answer the question stays open over a pause.
                match line?.filter(|line| !line.trim().is_empty()) {
                    Some(text) => Command::AnswerQuestion { question_id: question.id, text },
                    None => Command::Pause,
                }
            }
            _ => return Ok(()),
        };
        drop(self.engine.submit(self.id, command).await);
        Ok(())
    }

    /// What still runs after a run ends with this program; somebody at the terminal says when.
    pub(crate) async fn end_with(&mut self, terminal: Option<&mut Terminal>) -> Result<(), Stop> {
        let state = self.engine.open_session(self.id).await?;
        let services = state.services.iter().filter(|service| service.is_running());
        let running: Vec<String> = services
            .map(|service| service.title.clone())
            .chain(state.jobs.iter().map(|job| crate::words::one_line(&job.command)))
            .collect();
        if let Some(terminal) = terminal.filter(|_| !running.is_empty()) {
            show::prompt(&format!("     Still running: {}. Press Enter to end it: ", running.join(", ")));
            self.unless_stopped(terminal.line()).await.transpose()?;
        }
        self.end_services().await
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

/// What is wrong with the keyboard of a program that has one; else nothing, for ever.
async fn keys_of(relay: &mut Option<Relay>, engine: &Engine) -> std::io::Error {
    match relay {
        Some(relay) => relay.hand_on(engine).await,
        None => std::future::pending().await,
    }
}

/// Has a password typed at the terminal; where there is none the engine has declined already.
async fn answer_secret(engine: &Engine, id: SessionId, request: &SecretRequest) {
    if request.expires_at <= Time::now() || !tty::is_there() {
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
