//! One question to the model and its answer as it comes: shown while it streams, put together for the record.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::model::{Meter, ModelError, ModelEvent, ModelProvider, ModelRequest, StopReason};
use crate::protocol::{AnswerDelta, AnswerPart, MessageId, SessionId, StepId, Update};
use crate::session::Shared;

/// Pieces of an answer are shown together, a frame's worth at a time.
const FRAME: Duration = Duration::from_millis(16);

/// What came of one question.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// Calls that did not come whole are left out.
    pub(super) parts: Vec<AnswerPart>,
    pub(super) stop: Option<StopReason>,
    /// The model or its provider would not answer; their words, as far as there are any.
    pub(super) refusal: Option<String>,
    /// Input tokens as the provider counted them.
    pub(super) input_tokens: Option<u32>,
    pub(super) error: Option<ModelError>,
}

/// Where the pieces of an answer are shown.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) shared: Arc<Shared>,
    pub(super) session_id: SessionId,
    pub(super) message_id: MessageId,
    pub(super) round: u32,
}

/// Asks, and shows the answer while it comes. Ends at once when `cancel` becomes true.
pub(super) async fn ask(
    model: &dyn ModelProvider,
    request: ModelRequest,
    meter: Meter,
    stage: Stage,
    cancel: watch::Receiver<bool>,
) -> Answered {
    let mut stream = model.stream(request, cancel);
    let mut parts = Parts::default();
    let mut shown = Showing { stage, deltas: Vec::new(), since: None };
    let mut answered = Answered::default();
    loop {
        let event = tokio::select! {
            biased;
            event = stream.next() => event,
            () = shown.due() => { shown.send(); continue; }
        };
        let Some(event) = event else { break };
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                answered.error = Some(error);
                break;
            }
        };
        meter.hear(&event);
        match &event {
            // Servers that do not count say nought.
            ModelEvent::Usage { usage } => {
                answered.input_tokens = Some(usage.input_tokens).filter(|tokens| *tokens > 0);
            }
            ModelEvent::Stop { reason } => answered.stop = Some(reason.clone()),
            ModelEvent::Retrying { .. } => {
                // What came of the answer before it does not count, whatever was shown.
                parts = Parts::default();
                answered = Answered::default();
                shown.add(AnswerDelta::Restart);
            }
            ModelEvent::Text { text } | ModelEvent::Refusal { text } => {
                if matches!(event, ModelEvent::Refusal { .. }) {
                    answered.refusal.get_or_insert_default().push_str(text);
                }
                shown.add(AnswerDelta::Text { text: text.clone() });
            }
            ModelEvent::Reasoning { text } => shown.add(AnswerDelta::Reasoning { text: text.clone() }),
            ModelEvent::ToolCallStart { name, .. } => shown.add(AnswerDelta::Call { tool: name.clone() }),
            ModelEvent::Withheld { why } => answered.refusal = Some(why.clone()),
            // What was shown stays until the whole answer takes its place.
            ModelEvent::ThoughtSoFar
            | ModelEvent::ReasoningSignature { .. }
            | ModelEvent::RedactedReasoning { .. }
            | ModelEvent::ToolCallDelta { .. }
            | ModelEvent::ToolCallExtra { .. }
            | ModelEvent::Kept { .. }
            | ModelEvent::ToolCallEnd { .. } => {}
        }
        parts.add(event);
    }
    shown.send();
    answered.parts = parts.whole();
    answered
}

/// Pieces not shown yet.
#[derive(Debug)]
struct Showing {
    stage: Stage,
    deltas: Vec<AnswerDelta>,
    /// When the first of them came.
    since: Option<Instant>,
}

impl Showing {
    fn add(&mut self, delta: AnswerDelta) {
        self.since.get_or_insert_with(Instant::now);
        match (self.deltas.last_mut(), delta) {
            (Some(AnswerDelta::Text { text }), AnswerDelta::Text { text: more })
            | (Some(AnswerDelta::Reasoning { text }), AnswerDelta::Reasoning { text: more }) => {
                text.push_str(&more);
            }
            (_, delta) => self.deltas.push(delta),
        }
        if self.since.is_some_and(|since| since.elapsed() >= FRAME) {
            self.send();
        }
    }

    async fn due(&self) {
        match self.since {
            Some(since) => tokio::time::sleep_until(since + FRAME).await,
            None => std::future::pending().await,
        }
    }

    fn send(&mut self) {
        self.since = None;
        if self.deltas.is_empty() {
            return;
        }
        let deltas = std::mem::take(&mut self.deltas);
        let Stage { shared, session_id, message_id, round } = &self.stage;
        shared.hub.publish(Update::Answer {
            session_id: *session_id,
            message_id: *message_id,
            round: *round,
            deltas,
        });
    }
}

/// An answer's parts in the order in which they began.
#[derive(Debug, Default)]
struct Parts {
    parts: Vec<AnswerPart>,
    /// Where each call stands, and whether it came whole.
    calls: BTreeMap<u32, (usize, bool)>,
}

impl Parts {
    fn add(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text { text } | ModelEvent::Refusal { text } => match self.parts.last_mut() {
                Some(AnswerPart::Text { text: before }) => before.push_str(&text),
                _ => self.parts.push(AnswerPart::Text { text }),
            },
            ModelEvent::Reasoning { text } => match self.parts.last_mut() {
                // A signature ends a piece of reasoning.
                Some(AnswerPart::Reasoning { text: before, signature: None }) => before.push_str(&text),
                _ => self.parts.push(AnswerPart::Reasoning { text, signature: None }),
            },
            ModelEvent::ThoughtSoFar => {
                for part in &mut self.parts {
                    if let AnswerPart::Text { text } = part {
                        *part = AnswerPart::Reasoning { text: std::mem::take(text), signature: None };
                    }
                }
            }
            ModelEvent::ReasoningSignature { signature } => match self.parts.last_mut() {
                Some(AnswerPart::Reasoning { signature: proof @ None, .. }) => *proof = Some(signature),
                _ => {
                    self.parts.push(AnswerPart::Reasoning { text: String::new(), signature: Some(signature) })
                }
            },
            ModelEvent::RedactedReasoning { data } => self.parts.push(AnswerPart::RedactedReasoning { data }),
            ModelEvent::ToolCallStart { index, id, name } => {
                let at = self.parts.len();
                self.calls.insert(index, (at, false));
                let (call_id, input) = (StepId::new(), String::new());
                self.parts.push(AnswerPart::Call {
                    call_id,
                    provider_id: id,
                    tool: name,
                    input,
                    extra: None,
                });
            }
            ModelEvent::ToolCallExtra { index, fields } => {
                if let Some((at, _)) = self.calls.get(&index)
                    && let Some(AnswerPart::Call { extra, .. }) = self.parts.get_mut(*at)
                {
                    *extra = Some(Value::Object(fields).to_string());
                }
            }
            ModelEvent::Kept { fields } => {
                self.parts.push(AnswerPart::Kept { fields: Value::Object(fields).to_string() });
            }
            ModelEvent::ToolCallDelta { index, json } => {
                if let Some((at, _)) = self.calls.get(&index)
                    && let Some(AnswerPart::Call { input, .. }) = self.parts.get_mut(*at)
                {
                    input.push_str(&json);
                }
            }
            ModelEvent::ToolCallEnd { index } => {
                if let Some((_, whole)) = self.calls.get_mut(&index) {
                    *whole = true;
                }
            }
            ModelEvent::Usage { .. }
            | ModelEvent::Withheld { .. }
            | ModelEvent::Stop { .. }
            | ModelEvent::Retrying { .. } => {}
        }
    }

    /// The parts without the calls that broke off. A call whose provider gave it no name of its own, or one that
    /// another call of the answer has, gets one: a result must find its call.
    fn whole(self) -> Vec<AnswerPart> {
        let broken: Vec<usize> = self.calls.values().filter(|(_, whole)| !whole).map(|(at, _)| *at).collect();
        let mut seen: Vec<String> = Vec::new();
        let mut parts = Vec::with_capacity(self.parts.len());
        for (at, mut part) in self.parts.into_iter().enumerate() {
            if broken.contains(&at) {
                continue;
            }
            if let AnswerPart::Call { call_id, provider_id, .. } = &mut part {
                if provider_id.is_empty() || seen.contains(provider_id) {
                    *provider_id = format!("call_{}", call_id.0.replace('-', ""));
                }
                seen.push(provider_id.clone());
            }
            parts.push(part);
        }
        parts
    }
}
