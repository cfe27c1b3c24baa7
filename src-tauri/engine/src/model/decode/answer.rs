use serde::Serialize;
use serde_json::{Map, Value};

use super::json;
use crate::model::{ModelError, ModelEvent, StopReason, Usage};

/// A model's answer, put together from its events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    pub reasoning: String,
    /// In the order of their indexes, which is the order of the provider.
    pub tool_calls: Vec<ToolCall>,
    pub stop_reason: Option<StopReason>,
    pub usage: Option<Usage>,
    /// Why there is no proper answer: the model's words, which stand in `text` too, or those of its provider.
    pub refusal: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// JSON text as it came; empty means no arguments.
    pub arguments: String,
    /// Whether the call came whole. Only then may it run.
    pub whole: bool,
    /// What the server wrote beside; it goes back to it with the call.
    pub extra: Map<String, Value>,
}

impl ToolCall {
    /// The arguments as a value; a call without any has an empty object.
    ///
    /// # Errors
    /// `MalformedToolArguments`.
    pub fn parsed(&self) -> Result<Value, ModelError> {
        if self.arguments.trim().is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        json::arguments(&self.arguments).map_err(|error| ModelError::MalformedToolArguments {
            tool: self.name.clone(),
            message: error.to_string(),
        })
    }
}

impl Answer {
    pub fn add(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text { text } => self.text.push_str(&text),
            ModelEvent::Reasoning { text } => self.reasoning.push_str(&text),
            ModelEvent::ThoughtSoFar => self.reasoning.push_str(&std::mem::take(&mut self.text)),
            ModelEvent::Refusal { text } => {
                self.text.push_str(&text);
                self.refusal.get_or_insert_default().push_str(&text);
            }
            ModelEvent::ToolCallStart { index, id, name } => {
                // A call whose name comes late is announced after the ones behind it.
                let call = self.call(index);
                (call.id, call.name) = (id, name);
            }
            ModelEvent::ToolCallDelta { index, json } => {
                self.call(index).arguments.push_str(&json);
            }
            ModelEvent::ToolCallExtra { index, fields } => self.call(index).extra = fields,
            ModelEvent::ToolCallEnd { index } => {
                self.call(index).whole = true;
            }
            ModelEvent::Withheld { why } => self.refusal = Some(why),
            // It is asked for anew: what came of the attempt before does not count.
            ModelEvent::Retrying { .. } => *self = Self::default(),
            ModelEvent::Usage { usage } => self.usage = Some(usage),
            ModelEvent::Stop { reason } => self.stop_reason = Some(reason),
            ModelEvent::ReasoningSignature { .. }
            | ModelEvent::RedactedReasoning { .. }
            | ModelEvent::Kept { .. } => {}
        }
    }

    fn call(&mut self, index: u32) -> &mut ToolCall {
        let at = index as usize;
        if self.tool_calls.len() <= at {
            self.tool_calls.resize(at + 1, ToolCall::default());
        }
        &mut self.tool_calls[at]
    }

    /// What `planwright-cli decode` prints. Arguments that are no JSON stand as they came, and are the error unless
    /// there is a graver one.
    pub fn decoded(self, error: Option<ModelError>) -> Decoded {
        let mut error = error;
        let mut calls = Vec::with_capacity(self.tool_calls.len());
        for call in self.tool_calls {
            let arguments = match call.parsed() {
                Ok(value) => value,
                Err(broken) => {
                    error.get_or_insert(broken);
                    Value::String(call.arguments)
                }
            };
            calls.push(DecodedCall { id: call.id, name: call.name, arguments });
        }
        Decoded {
            text: self.text,
            reasoning: self.reasoning,
            tool_calls: calls,
            stop_reason: self.stop_reason,
            refusal: self.refusal,
            usage: self.usage,
            error: error.map(|error| ReportedError { code: error.code(), message: error.to_string() }),
        }
    }
}

impl Extend<ModelEvent> for Answer {
    fn extend<T: IntoIterator<Item = ModelEvent>>(&mut self, events: T) {
        for event in events {
            self.add(event);
        }
    }
}

/// A decoded stream as JSON (SPEC section 11).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decoded {
    pub text: String,
    pub reasoning: String,
    pub tool_calls: Vec<DecodedCall>,
    pub stop_reason: Option<StopReason>,
    /// Only of an answer that is a refusal, or was withheld for a reason that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    pub usage: Option<Usage>,
    pub error: Option<ReportedError>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecodedCall {
    pub id: String,
    pub name: String,
    /// The parsed value; the text as it came when it is no JSON.
    pub arguments: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedError {
    pub code: &'static str,
    /// Plain words, with what to do.
    pub message: String,
}

/// A count from the wire, which is 64 bits wide there.
pub(super) fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
