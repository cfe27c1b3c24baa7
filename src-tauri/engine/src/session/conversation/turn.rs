//! The loop of a turn (C1): ask, work off the calls, ask again, until the model is done, the bounds are reached or the
//! user says stop. Everything a turn does is an event, so the next message can go on from wherever it ended.

use std::collections::HashMap;
use std::sync::Arc;

use super::asking::{self, Answered, Stage};
use super::calls::Round;
use super::{Words, caps};
use crate::brain::planning;
use crate::context::{self, Fit, Fitting, Surroundings};
use crate::model::{Meter, ModelError, ModelProvider, ModelRequest, StopReason, ToolSpec, server_of};
use crate::protocol::{
    AnswerPart, ChatEntry, EngineError, Event, MessageId, Purpose, Route, SynthesisRule, TurnEnd, Update,
};
use crate::session::Session;
use crate::tools::{self, Call};

/// Longest answer of one round, in tokens.
const ANSWER_TOKENS: u32 = 8192;
/// Longest summary, in characters.
const SUMMARY: usize = 6000;
/// Times that a model may ask for the same thing after a no.
const SAME_REFUSALS: u32 = 3;

/// The turn that is led.
#[derive(Debug)]
pub(super) struct Talk {
    pub(super) message_id: MessageId,
    pub(super) model: Arc<dyn ModelProvider>,
    pub(super) round: u32,
    /// The last answer announced work without a call, and was told to go on: not twice in a row.
    continued: bool,
    /// How often an edit of each file failed.
    failed_edits: HashMap<String, u32>,
    /// The call whose failure it was last sent back with, until it is settled.
    pub(super) correcting: Option<super::calls::Correcting>,
    /// It was said that the request has no more corrections.
    pub(super) corrections_are_up: bool,
    pub(super) refusals: Refusals,
    system: String,
    tools: Vec<ToolSpec>,
}

impl Talk {
    /// Counts one more failed edit of a file.
    pub(super) fn failed_edit(&mut self, path: &str) -> u32 {
        let failed = self.failed_edits.entry(path.to_owned()).or_default();
        *failed += 1;
        *failed
    }
}

/// What was asked for and refused, with how often.
#[derive(Debug, Default)]
pub(super) struct Refusals(HashMap<(String, String), u32>);

impl Refusals {
    /// The same is what would do the same, whatever reason is given for it.
    pub(super) fn note(&mut self, tool: &str, input: &str) {
        let wish = match tools::read(tool, input) {
            Ok(Call::Shell { command, .. }) => command.split_whitespace().collect::<Vec<_>>().join(" "),
            Ok(Call::File(file)) => file.paths().collect::<Vec<_>>().join(" "),
            Ok(Call::AskUser { .. } | Call::CreatePlan { .. }) | Err(_) => input.to_owned(),
        };
        *self.0.entry((tool.to_owned(), wish)).or_default() += 1;
    }

    /// The call that was refused too often.
    fn in_vain(&self) -> Option<String> {
        let mut refused = self.0.iter().filter(|(_, times)| **times >= SAME_REFUSALS);
        refused.next().map(|((tool, input), _)| format!("{tool} {}", context::bounded(input, 200)))
    }
}

impl Session {
    /// Leads the turn that the state has under way, and those of the words that come meanwhile.
    pub(in crate::session) async fn turns(&mut self) -> Result<(), EngineError> {
        loop {
            self.turn().await?;
            if self.control.closing {
                return Ok(());
            }
            self.control.renew();
            let Some(Words { text, route, replaces }) = self.control.words.take() else { return Ok(()) };
            match Box::pin(self.say(text, route, replaces)).await {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                // The words came while the turn went on; whoever wrote them hears of it here.
                Err(error) => {
                    let session_id = Some(self.state.id);
                    self.shared.hub.publish(Update::Problem { session_id, error });
                    return Ok(());
                }
            }
        }
    }

    async fn turn(&mut self) -> Result<(), EngineError> {
        let Some(message_id) = self.state.conversation.turn.as_ref().map(|turn| turn.message_id) else {
            return Ok(());
        };
        let Some(model) = self.shared.models.main() else {
            let message = "No model is set up to answer.".to_owned();
            return self.end_turn(message_id, TurnEnd::Failed { code: "no-key".to_owned(), message }).await;
        };
        if !self.find_instructions().await? {
            if self.control.closing {
                return Ok(());
            }
            return self.end_turn(message_id, TurnEnd::Interrupted).await;
        }
        let end = match self.route_of(message_id) {
            Some((route @ (Route::Plan | Route::Solve | Route::Do), detected)) => {
                match self.plan_for(message_id, route, Arc::clone(&model)).await? {
                    // What was taken for a plan by its words alone may still be talked about.
                    Err(TurnEnd::Failed { code, .. }) if detected && code == TurnEnd::UNUSABLE_PLAN => {
                        self.talk(message_id, model).await?
                    }
                    Ok(end) | Err(end) => end,
                }
            }
            Some((Route::Auto | Route::Chat, _)) | None => self.talk(message_id, model).await?,
        };
        if self.control.closing {
            // The next start finds the turn as it stands, and says that it was interrupted.
            return Ok(());
        }
        self.end_turn(message_id, end).await
    }

    fn route_of(&self, message: MessageId) -> Option<(Route, bool)> {
        self.state.conversation.entries.iter().rev().find_map(|entry| match entry {
            ChatEntry::User { message_id, route, detection, .. } if *message_id == message => {
                Some((*route, detection.is_some()))
            }
            _ => None,
        })
    }

    async fn talk(
        &mut self,
        message_id: MessageId,
        model: Arc<dyn ModelProvider>,
    ) -> Result<TurnEnd, EngineError> {
        let settings = self.shared.settings();
        let room = model.info().context_tokens;
        let mut talk = Talk {
            message_id,
            model,
            round: 0,
            continued: false,
            failed_edits: HashMap::new(),
            correcting: None,
            corrections_are_up: false,
            refusals: Refusals::default(),
            system: context::system(&self.surroundings(room)),
            tools: tools::specs(&planning::tool_schema()),
        };
        let end = loop {
            if self.control.interrupts() {
                break TurnEnd::Interrupted;
            }
            if self.is_out_of_room().await {
                let (code, message) = ("disk-full".to_owned(), self.no_room_in_words());
                break TurnEnd::Failed { code, message };
            }
            if caps::is_reached(&self.state.usage, &settings) {
                break TurnEnd::CapReached;
            }
            if talk.round >= settings.max_rounds {
                break TurnEnd::Rounds { allowed: settings.max_rounds };
            }
            talk.round += 1;
            let answered = self.ask(&mut talk).await?;
            if let Some(end) = self.take(&mut talk, answered).await? {
                break end;
            }
        };
        self.settle_correction(&mut talk).await?;
        Ok(end)
    }

    /// Asks the model, first making what it has no room for fit.
    async fn ask(&mut self, talk: &mut Talk) -> Result<Answered, EngineError> {
        let (model, mut stop) = (Arc::clone(&talk.model), self.control.stop.subscribe());
        self.attend(Box::pin(async move {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stopped| *stopped) => {}
                () = model.prepare() => {}
            }
        }))
        .await?;
        let mut fitting = Fitting::new(talk.model.info().context_tokens, ANSWER_TOKENS);
        loop {
            self.transcript.hold_results_to(fitting.longest_result());
            let request = self.request(talk);
            let max_tokens = match fitting.next(&self.transcript, &request) {
                Fit::Send { max_tokens } => max_tokens,
                Fit::Cut => continue,
                Fit::TooMuch(what) => return Ok(failed(ModelError::NoRoom { what })),
                Fit::Condense(shortening) => {
                    self.summarise(talk, shortening, fitting.longest_question()).await?;
                    if self.control.interrupts() {
                        return Ok(failed(ModelError::Cancelled));
                    }
                    if caps::is_reached(&self.state.usage, &self.shared.settings()) {
                        return Ok(failed(ModelError::OverCap));
                    }
                    continue;
                }
            };
            let request = ModelRequest { max_tokens, ..request };
            let said = self.transcript.said().len();
            let meter = Meter::new(Purpose::Conversation, talk.model.as_ref(), self.notes.clone());
            let stage = Stage {
                shared: Arc::clone(&self.shared),
                session_id: self.state.id,
                message_id: talk.message_id,
                round: talk.round,
            };
            let (model, cancel) = (Arc::clone(&talk.model), self.control.stop.subscribe());
            let answered = self
                .attend(Box::pin(
                    async move { asking::ask(model.as_ref(), request, meter, stage, cancel).await },
                ))
                .await?;
            if let (Some(tokens), true) = (answered.input_tokens, said == self.transcript.said().len()) {
                self.transcript.counted(tokens);
            }
            match answered.error {
                // Its own count of the room was wrong, or nobody knew it.
                Some(ModelError::ContextOverflow { .. }) if fitting.is_refused() => {}
                _ => return Ok(answered),
            }
        }
    }

    fn request(&self, talk: &Talk) -> ModelRequest {
        let plan = self.state.plan.as_ref().map(context::plan_now);
        ModelRequest {
            system: talk.system.clone(),
            messages: self.transcript.messages(&talk.model.info(), plan.as_deref()),
            tools: talk.tools.clone(),
            max_tokens: ANSWER_TOKENS,
            schema: None,
        }
    }

    /// Puts a summary in the place of the oldest part; a plain one where the model gives none.
    async fn summarise(
        &mut self,
        talk: &Talk,
        shortening: context::Shortening,
        longest: usize,
    ) -> Result<(), EngineError> {
        let question = context::summary_question(&self.transcript, shortening, longest);
        let meter = Meter::new(Purpose::Summary, talk.model.as_ref(), self.notes.clone());
        let model = Arc::clone(&talk.model);
        let asked = self
            .attend_unless_stopped(Box::pin(async move {
                let heard = |event: &crate::model::ModelEvent| meter.hear(event);
                model.call_raw(context::SUMMARY_SYSTEM, &[question], None, &heard).await
            }))
            .await?;
        let summary = match asked {
            Some(Ok(summary)) => context::bounded(summary.trim(), SUMMARY.min(longest / 4)),
            Some(Err(error)) => {
                tracing::warn!(code = error.code(), "no summary: {error}");
                context::plain_summary(&self.transcript, shortening)
            }
            None => return Ok(()),
        };
        self.emit(vec![Event::ContextSummarized { messages: shortening.messages, summary }]).await
    }

    /// Records the answer and works off its calls. `Some`: the turn is over.
    async fn take(&mut self, talk: &mut Talk, answered: Answered) -> Result<Option<TurnEnd>, EngineError> {
        let Answered { mut parts, stop, refusal, error, .. } = answered;
        let cut = match &stop {
            Some(StopReason::MaxTokens) => Some(TurnEnd::MaxTokens),
            Some(StopReason::ContentFiltered | StopReason::GuardrailIntervened) => Some(TurnEnd::Filtered),
            Some(
                StopReason::EndTurn
                | StopReason::ToolUse
                | StopReason::StopSequence
                | StopReason::PauseTurn
                | StopReason::Other(_),
            )
            | None => None,
        };
        // Calls of an answer that was cut off, or never came to its end, do not run, so nobody hears of them.
        if cut.is_some() || error.is_some() || self.control.interrupts() {
            parts.retain(|part| !matches!(part, AnswerPart::Call { .. } | AnswerPart::Kept { .. }));
        }
        let text: String = parts.iter().filter_map(words_of).collect();
        let calls: Vec<AnswerPart> =
            parts.iter().filter(|part| matches!(part, AnswerPart::Call { .. })).cloned().collect();
        if !parts.is_empty() {
            let answer = Event::AssistantMessage {
                message_id: talk.message_id,
                round: talk.round,
                model: talk.model.name(),
                server: Some(server_of(&talk.model.info())),
                parts,
                stop_reason: stop.as_ref().map(|stop| stop.as_str().to_owned()),
            };
            self.emit(vec![answer]).await?;
        }
        match error {
            Some(ModelError::Cancelled) => return Ok(Some(TurnEnd::Interrupted)),
            Some(ModelError::Refused { message }) => return Ok(Some(TurnEnd::Refused { why: message })),
            Some(ModelError::OverCap) => return Ok(Some(TurnEnd::CapReached)),
            Some(error) => {
                let (code, message) = (error.code().to_owned(), error.to_string());
                return Ok(Some(TurnEnd::Failed { code, message }));
            }
            None => {}
        }
        if self.control.interrupts() {
            return Ok(Some(TurnEnd::Interrupted));
        }
        if let Some(why) = refusal.filter(|_| calls.is_empty()) {
            return Ok(Some(TurnEnd::Refused { why }));
        }
        if cut.is_some() {
            return Ok(cut);
        }
        // Once tools have run, to close without a word is an end like any other.
        let silent = text.trim().is_empty() && self.transcript.turn_results().is_empty();
        if calls.is_empty() && silent && stop != Some(StopReason::PauseTurn) {
            let error = ModelError::Empty;
            let (code, message) = (error.code().to_owned(), error.to_string());
            return Ok(Some(TurnEnd::Failed { code, message }));
        }
        if calls.is_empty() {
            return Ok(self.without_calls(talk, stop.as_ref(), &text));
        }
        talk.continued = false;
        let round = self.work_off(talk, calls).await?;
        if let (Round::Done, Some(call)) = (&round, talk.refusals.in_vain()) {
            let message =
                format!("The model asked again and again for what was refused, so it was stopped: {call}");
            return Ok(Some(TurnEnd::Failed { code: TurnEnd::REFUSED_AGAIN.to_owned(), message }));
        }
        match round {
            Round::Stopped => Ok(Some(TurnEnd::Interrupted)),
            Round::Asked => Ok(Some(TurnEnd::Asked)),
            Round::Proposed(plan_id) => Ok(Some(TurnEnd::PlanProposed { plan_id })),
            Round::Done if !self.shared.settings().autonomous_loop => Ok(Some(TurnEnd::RoundDone)),
            Round::Done => Ok(None),
        }
    }

    fn without_calls(&self, talk: &mut Talk, stop: Option<&StopReason>, text: &str) -> Option<TurnEnd> {
        match stop {
            // The provider paused a long turn of its own; asking again goes on with it.
            Some(StopReason::PauseTurn) => None,
            Some(
                StopReason::EndTurn
                | StopReason::ToolUse
                | StopReason::StopSequence
                | StopReason::MaxTokens
                | StopReason::ContentFiltered
                | StopReason::GuardrailIntervened,
            ) => Some(TurnEnd::Done),
            Some(StopReason::Other(_)) | None => {
                if talk.continued || !context::announces_more(text) {
                    return Some(TurnEnd::Done);
                }
                talk.continued = true;
                None
            }
        }
    }

    async fn end_turn(&mut self, message_id: MessageId, end: TurnEnd) -> Result<(), EngineError> {
        let results = self.transcript.turn_results();
        let synthesis = match self.shared.settings().synthesis {
            SynthesisRule::Words if self.transcript.closing_words().is_some() => None,
            SynthesisRule::Words | SynthesisRule::Account => context::synthesis(results),
            SynthesisRule::ByTool => context::synthesis_by_tool(results),
        };
        let synthesis_id = message_id.synthesis_id();
        self.emit(vec![Event::TurnEnded { message_id, end, synthesis, synthesis_id }]).await
    }

    pub(in crate::session) fn surroundings(&self, room: Option<u32>) -> Surroundings {
        Surroundings {
            instructions: self.instructions_in_words(room),
            root: self.state.cwd.clone(),
            user: self.shared.classifier.user().to_owned(),
            system: self.shared.system.clone(),
            attended: !self.is_unattended(),
        }
    }
}

fn failed(error: ModelError) -> Answered {
    Answered { error: Some(error), ..Answered::default() }
}

fn words_of(part: &AnswerPart) -> Option<&str> {
    match part {
        AnswerPart::Text { text } => Some(text),
        AnswerPart::Reasoning { .. }
        | AnswerPart::RedactedReasoning { .. }
        | AnswerPart::Kept { .. }
        | AnswerPart::Call { .. } => None,
    }
}
