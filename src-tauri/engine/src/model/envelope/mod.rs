//! Drives a model that has no usable tool calls of its own: the tools stand in the system text, and each answer is held to
//! a JSON object of what to say and what to call. Outside it looks like any other model. It parses strictly, asks once
//! more where an answer cannot be used, and never makes up a call.

mod prompt;
mod reply;
mod say;

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::sync::watch;

use super::{
    ModelError, ModelEvent, ModelMessage, ModelProvider, ModelRequest, ModelStream, StopReason, Usage,
};
use crate::protocol::{ModelInfo, ToolSupport};
use reply::{Call, Reply};
use say::Say;

/// A model behind the envelope. Requests without tools go through unchanged.
#[derive(Debug, Clone)]
pub struct Envelope {
    model: Arc<dyn ModelProvider>,
}

impl Envelope {
    pub fn new(model: Arc<dyn ModelProvider>) -> Self {
        Self { model }
    }
}

#[async_trait::async_trait]
impl ModelProvider for Envelope {
    fn name(&self) -> String {
        self.model.name()
    }

    fn info(&self) -> ModelInfo {
        ModelInfo { tools: ToolSupport::Envelope, ..self.model.info() }
    }

    fn stream(&self, request: ModelRequest, cancel: watch::Receiver<bool>) -> ModelStream {
        if request.tools.is_empty() {
            return self.model.stream(request, cancel);
        }
        let driven = Driven::new(Arc::clone(&self.model), prompt::enveloped(request), cancel);
        futures_util::stream::unfold(driven, async |mut driven| {
            let event = driven.next().await?;
            Some((event, driven))
        })
        .boxed()
    }

    async fn call_raw(
        &self,
        system: &str,
        messages: &[String],
        schema: Option<&Value>,
        heard: &(dyn for<'e> Fn(&'e ModelEvent) + Send + Sync),
    ) -> Result<String, ModelError> {
        self.model.call_raw(system, messages, schema, heard).await
    }
}

/// One question under way.
struct Driven {
    model: Arc<dyn ModelProvider>,
    request: ModelRequest,
    cancel: watch::Receiver<bool>,
    answer: ModelStream,
    /// The answer's JSON so far.
    raw: String,
    say: Say,
    /// What was said already, in this answer or the one before it.
    said: bool,
    /// Why the answer under way ended.
    stop: Option<StopReason>,
    /// The server has tool calls or a refusal of its own after all: nothing of this answer is an envelope.
    foreign: bool,
    mended: bool,
    /// Of the answer before this one, and of this one.
    spent: Usage,
    usage: Usage,
    ready: VecDeque<Result<ModelEvent, ModelError>>,
    over: bool,
}

impl Driven {
    fn new(model: Arc<dyn ModelProvider>, request: ModelRequest, cancel: watch::Receiver<bool>) -> Self {
        let answer = model.stream(request.clone(), cancel.clone());
        Self {
            model,
            request,
            cancel,
            answer,
            raw: String::new(),
            say: Say::default(),
            said: false,
            stop: None,
            foreign: false,
            mended: false,
            spent: Usage::default(),
            usage: Usage::default(),
            ready: VecDeque::new(),
            over: false,
        }
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            match self.answer.next().await {
                Some(Ok(event)) => self.hear(event),
                Some(Err(error)) => {
                    self.over = true;
                    return Some(Err(error));
                }
                None => self.conclude(),
            }
        }
    }

    fn hear(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text { text } => {
                self.raw.push_str(&text);
                // A second answer is said only when it is whole: the first may have said the same.
                if !self.mended {
                    let text = self.say.more(&self.raw);
                    self.speak(text);
                }
            }
            ModelEvent::Usage { usage } => {
                self.usage = usage;
                self.give(ModelEvent::Usage { usage: sum(self.spent, usage) });
            }
            ModelEvent::Stop { reason } => self.stop = Some(reason),
            ModelEvent::ToolCallStart { .. }
            | ModelEvent::ToolCallDelta { .. }
            | ModelEvent::ToolCallEnd { .. }
            | ModelEvent::ToolCallExtra { .. }
            | ModelEvent::Kept { .. }
            | ModelEvent::Refusal { .. } => {
                self.foreign = true;
                self.give(event);
            }
            ModelEvent::ThoughtSoFar => {
                self.raw.clear();
                self.say = Say::default();
                self.give(event);
            }
            ModelEvent::Reasoning { .. }
            | ModelEvent::ReasoningSignature { .. }
            | ModelEvent::RedactedReasoning { .. }
            | ModelEvent::Withheld { .. } => self.give(event),
            ModelEvent::Retrying { .. } => {
                // What was said of the answer that broke off is taken back by whoever hears this.
                self.raw.clear();
                (self.say, self.said, self.stop, self.foreign) = (Say::default(), false, None, false);
                self.give(event);
            }
        }
    }

    /// The answer is there as far as it came.
    fn conclude(&mut self) {
        if self.foreign {
            return self.end(None);
        }
        match Reply::read(&self.raw) {
            Ok(reply) => self.deliver(reply),
            // Cut at its limit, or withheld: asking again would end the same way.
            Err(_) if matches!(self.stop, Some(StopReason::MaxTokens | StopReason::ContentFiltered)) => {
                self.end(None);
            }
            Err(error) if !self.mended => self.mend(&error),
            // A model that only ever talks, talks.
            Err(_) if !self.said && is_prose(&self.raw) => {
                let text = std::mem::take(&mut self.raw);
                self.speak(text);
                self.end(Some(StopReason::EndTurn));
            }
            Err(error) => {
                self.over = true;
                let message = format!(
                    "it is not in the form that was asked for ({error}), and neither was the one before it. A larger model may do better."
                );
                self.ready.push_back(Err(ModelError::Malformed { message }));
            }
        }
    }

    fn deliver(&mut self, reply: Reply) {
        let rest = if self.mended {
            Some(reply.say.as_str()).filter(|_| !self.said)
        } else {
            self.say.rest(&reply.say)
        };
        let rest = rest.unwrap_or_default().to_owned();
        self.speak(rest);
        let reason = if reply.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
        for (index, Call { name, arguments }) in (0..).zip(reply.calls) {
            // Never the same in a conversation, however many answers it has.
            let id = format!("call_{}", uuid::Uuid::now_v7().simple());
            self.give(ModelEvent::ToolCallStart { index, id, name });
            self.give(ModelEvent::ToolCallDelta { index, json: Value::Object(arguments).to_string() });
            self.give(ModelEvent::ToolCallEnd { index });
        }
        self.end(Some(reason));
    }

    fn mend(&mut self, error: &str) {
        self.mended = true;
        let raw = std::mem::take(&mut self.raw);
        let shown = if raw.trim().is_empty() { "(nothing)".to_owned() } else { raw };
        self.request.messages.push(ModelMessage::assistant(shown));
        self.request.messages.push(ModelMessage::user(prompt::complaint(error)));
        self.spent = sum(self.spent, std::mem::take(&mut self.usage));
        self.stop = None;
        self.answer = self.model.stream(self.request.clone(), self.cancel.clone());
    }

    fn speak(&mut self, text: String) {
        if !text.is_empty() {
            self.said = true;
            self.give(ModelEvent::Text { text });
        }
    }

    fn give(&mut self, event: ModelEvent) {
        self.ready.push_back(Ok(event));
    }

    /// `reason`: `None` is the server's own.
    fn end(&mut self, reason: Option<StopReason>) {
        self.over = true;
        if let Some(reason) = reason.or_else(|| self.stop.take()) {
            self.give(ModelEvent::Stop { reason });
        }
    }
}

fn is_prose(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('{')
}

fn sum(one: Usage, other: Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens.saturating_add(other.input_tokens),
        output_tokens: one.output_tokens.saturating_add(other.output_tokens),
        cache_read_tokens: one.cache_read_tokens.saturating_add(other.cache_read_tokens),
        cache_write_tokens: one.cache_write_tokens.saturating_add(other.cache_write_tokens),
        reasoning_tokens: one.reasoning_tokens.saturating_add(other.reasoning_tokens),
    }
}
