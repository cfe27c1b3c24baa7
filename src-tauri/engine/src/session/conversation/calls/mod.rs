//! The calls of one round (C2): judged, let through, run, and their results in the order of the calls. Neighbouring
//! calls that only read run side by side; whatever may ask or change something runs alone. Every call gets a result,
//! whatever becomes of the turn.

mod command;
mod correction;
mod files;
mod order;

use serde_json::Value;

use super::Words;
use super::turn::Talk;
use crate::approval::Permit;
use crate::brain::planning;
use crate::context;
use crate::journal::Durability;
use crate::policy;
use crate::protocol::{
    Action, AnswerPart, CallOutcome, EngineError, Event, PlanId, Proposer, Risk, Route, ShellState, StepId,
    Time, ToolResult,
};
use crate::session::Session;
use crate::tools::{self, Call};

/// Longest reason that a question quotes, in characters.
const REASON: usize = 400;

pub(in crate::session) use command::result_of_command;
pub(super) use correction::Correcting;

/// How a round of calls ended.
#[derive(Debug)]
pub(super) enum Round {
    Done,
    Stopped,
    /// The model asked the user something.
    Asked,
    /// A plan waits for the user.
    Proposed(PlanId),
}

/// One call as the model wrote it.
#[derive(Debug, Clone)]
pub(in crate::session) struct Asked {
    pub(in crate::session) id: StepId,
    pub(in crate::session) tool: String,
    pub(in crate::session) input: String,
}

/// What working off one call came to.
#[derive(Debug)]
pub(in crate::session) enum Worked {
    Result(Box<ToolResult>, Option<Box<ShellState>>),
    Stopped {
        ran: bool,
        instead: Option<String>,
    },
    /// The model asked the user something.
    AskedUser(Box<ToolResult>),
    Proposed(Box<ToolResult>, PlanId),
}

impl Session {
    pub(super) async fn work_off(
        &mut self,
        talk: &mut Talk,
        calls: Vec<AnswerPart>,
    ) -> Result<Round, EngineError> {
        let calls: Vec<Asked> = calls
            .into_iter()
            .filter_map(|part| match part {
                AnswerPart::Call { call_id, tool, input, .. } => Some(Asked { id: call_id, tool, input }),
                AnswerPart::Text { .. }
                | AnswerPart::Reasoning { .. }
                | AnswerPart::RedactedReasoning { .. }
                | AnswerPart::Kept { .. } => None,
            })
            .collect();
        // What it said last is nearest to what it wants.
        let said = self.transcript.closing_words().unwrap_or_default().trim();
        let reason = said.rsplit("\n\n").next().unwrap_or_default();
        let proposer = Proposer::Chat { model: talk.model.name(), reason: context::bounded(reason, REASON) };
        let calls = order::worked_off(calls);
        let mut round = Round::Done;
        let mut at = 0;
        while at < calls.len() {
            if self.control.interrupts() {
                return self.stop_at(&calls[at..], false).await;
            }
            let together = self.readers(&calls[at..]);
            if together > 1 {
                self.read_together(talk, &calls[at..at + together], &proposer).await?;
                at += together;
                continue;
            }
            let worked = if matches!(round, Round::Asked) && !order::only_looks(&calls[at]) {
                let words = "Not done: the user is asked something first. Make this call again when they have answered.";
                Worked::Result(calls[at].told(CallOutcome::Declined, words), None)
            } else {
                self.work(talk, &calls[at], &proposer).await?
            };
            if let Some(ended) = self.conclude(talk, &calls[at], worked).await? {
                round = ended;
            }
            at += 1;
        }
        Ok(if self.control.interrupts() { Round::Stopped } else { round })
    }

    /// Records what working off a call came to; tells when the round ends otherwise than done.
    async fn conclude(
        &mut self,
        talk: &mut Talk,
        call: &Asked,
        worked: Worked,
    ) -> Result<Option<Round>, EngineError> {
        match worked {
            Worked::Result(result, shell) => {
                self.finish_call(talk, call, *result, shell.map(|shell| *shell)).await?;
                Ok(None)
            }
            Worked::AskedUser(result) => {
                self.emit(vec![Event::CallFinished { result: *result, shell: None }]).await?;
                Ok(Some(Round::Asked))
            }
            Worked::Proposed(result, plan_id) => {
                self.emit(vec![Event::CallFinished { result: *result, shell: None }]).await?;
                Ok(Some(Round::Proposed(plan_id)))
            }
            Worked::Stopped { ran, instead } => {
                if let Some(text) = instead {
                    self.control.words = Some(Words { text, route: Route::Chat, replaces: None });
                }
                self.control.interrupt = true;
                self.stop_at(std::slice::from_ref(call), ran).await.map(Some)
            }
        }
    }

    /// Every call that is left gets its interrupt result, so that none ever dangles (C4).
    async fn stop_at(&mut self, left: &[Asked], first_ran: bool) -> Result<Round, EngineError> {
        if self.control.closing {
            // The next start says what was interrupted.
            return Ok(Round::Stopped);
        }
        let now = Time::now();
        let results = left.iter().enumerate().map(|(nth, call)| Event::CallFinished {
            result: ToolResult::interrupt(call.id.clone(), &call.tool, first_ran && nth == 0, now),
            shell: None,
        });
        self.emit(results.collect()).await?;
        Ok(Round::Stopped)
    }

    async fn work(&mut self, talk: &Talk, call: &Asked, proposer: &Proposer) -> Result<Worked, EngineError> {
        match tools::read(&call.tool, &call.input) {
            Err(error) => Ok(Worked::Result(call.error(error.to_string()), None)),
            Ok(Call::Shell { command, risk, warning, why: _ }) => {
                let warning = policy::claimed(risk, warning.as_deref(), &talk.model.name());
                self.run_command(call, command, warning, proposer).await
            }
            Ok(Call::File(file)) => self.run_tool(call, file, proposer).await,
            Ok(Call::AskUser { .. }) if self.is_unattended() => {
                let words =
                    "Nobody is here to answer. Decide by what you know, or end and say what you need.";
                Ok(Worked::Result(call.told(CallOutcome::Declined, words), None))
            }
            Ok(Call::AskUser { .. }) => {
                let words = "The question is shown to the user. Their next message is the answer.";
                Ok(Worked::AskedUser(call.success(words)))
            }
            Ok(Call::CreatePlan { input }) => self.create_plan(talk, call, input).await,
        }
    }

    async fn create_plan(&mut self, talk: &Talk, call: &Asked, input: Value) -> Result<Worked, EngineError> {
        let request = self.plan_request(talk.message_id, Route::Plan, talk.model.info().context_tokens).await;
        let model = talk.model.name();
        match planning::from_value(input, &model, &request) {
            Ok(plan) => {
                let plan_id = self.propose(plan).await?;
                let words = "The plan is shown to the user, who decides whether it runs. Wait for that.";
                Ok(Worked::Proposed(call.success(words), plan_id))
            }
            Err(error) => Ok(Worked::Result(call.error(error.to_string()), None)),
        }
    }

    pub(in crate::session) async fn call_started(
        &mut self,
        call: &Asked,
        action: &Action,
        permit: &Permit,
        risk: Risk,
    ) -> Result<(), EngineError> {
        let started = Event::CallStarted {
            call_id: call.id.clone(),
            action: action.clone(),
            cwd: self.state.shell.cwd.clone(),
            allowed_by: permit.allowed_by().clone(),
            terminal: permit.is_for_terminal(),
        };
        let durability = if risk > Risk::Caution { Durability::Synced } else { Durability::Normal };
        self.emit_with(vec![started], durability).await
    }
}

impl Asked {
    pub(in crate::session) fn success(&self, content: impl Into<String>) -> Box<ToolResult> {
        Box::new(ToolResult::success(self.id.clone(), &self.tool, content, Time::now()))
    }

    pub(in crate::session) fn error(&self, content: impl Into<String>) -> Box<ToolResult> {
        Box::new(ToolResult::error(self.id.clone(), &self.tool, content, Time::now()))
    }

    pub(in crate::session) fn told(
        &self,
        outcome: CallOutcome,
        content: impl Into<String>,
    ) -> Box<ToolResult> {
        Box::new(ToolResult::told(self.id.clone(), &self.tool, outcome, content, Time::now()))
    }
}
