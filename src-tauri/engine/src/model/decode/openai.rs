use serde_json::Value;

use super::frames::Frame;
use super::{Flow, is_error, json};
use crate::model::{ModelError, ModelEvent, StopReason, Usage};

/// The Chat Completions stream, as OpenAI, Moonshot and the many compatible servers write it. Of several choices the
/// first counts.
#[derive(Debug, Default)]
pub(super) struct Stream {
    calls: Vec<Call>,
    reason: Option<StopReason>,
}

/// A call under construction. It is announced when its id and name are known, or at the end with an id made up.
#[derive(Debug)]
struct Call {
    /// The server's `index`; some leave it out.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Bytes of the arguments that are handed on already.
    sent: usize,
    announced: bool,
}

impl Stream {
    pub(super) fn is_ending(&self) -> bool {
        self.reason.is_some()
    }

    pub(super) fn frame(&mut self, frame: &Frame, out: &mut Vec<ModelEvent>) -> Result<Flow, ModelError> {
        if frame.data.trim() == "[DONE]" {
            self.end(out);
            return Ok(Flow::Over);
        }
        let data = match json::read(&frame.data) {
            Ok(data) => data,
            Err(_) if frame.event == "error" => {
                return Err(ModelError::reported(None, &Value::String(frame.data.clone()), None));
            }
            Err(_) if frame.event != "message" => return Ok(Flow::More),
            Err(error) => return Err(ModelError::malformed(format!("an event is broken JSON ({error})."))),
        };
        if frame.event == "error" || is_error(&data) {
            return Err(ModelError::reported(None, &data, None));
        }
        self.chunk(&data, "delta", out);
        Ok(Flow::More)
    }

    /// Many servers leave `[DONE]` out: an answer whose end is known is whole without it.
    pub(super) fn cut_off(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.reason.is_none() {
            return Err(ModelError::EndedEarly);
        }
        self.end(out);
        Ok(())
    }

    pub(super) fn whole(&mut self, body: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if body.pointer("/choices/0/message").is_none() {
            return Err(ModelError::malformed("it is JSON, but no completion."));
        }
        self.chunk(body, "message", out);
        self.end(out);
        Ok(())
    }

    fn chunk(&mut self, data: &Value, part: &str, out: &mut Vec<ModelEvent>) {
        let choices = data.get("choices").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for choice in choices {
            if choice.get("index").and_then(Value::as_u64).unwrap_or(0) != 0 {
                continue;
            }
            // Some servers put a whole message into a stream.
            if let Some(delta) = choice.get(part).or_else(|| choice.get("message")) {
                self.delta(delta, out);
            }
            // The older completions without roles.
            if let Some(text) = choice.get("text").and_then(Value::as_str).filter(|text| !text.is_empty()) {
                out.push(ModelEvent::Text { text: text.to_owned() });
            }
            if let Some(reason) =
                choice.get("finish_reason").and_then(Value::as_str).filter(|text| !text.is_empty())
            {
                self.reason = Some(StopReason::read(reason));
            }
            // Moonshot counts inside the choice.
            count(choice.get("usage"), out);
        }
        count(data.get("usage"), out);
    }

    fn delta(&mut self, delta: &Value, out: &mut Vec<ModelEvent>) {
        let field = |name: &str| {
            delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        // Two names for the same thing; a server that sends both sends it twice.
        if let Some(text) = field("reasoning_content").or_else(|| field("reasoning")) {
            out.push(ModelEvent::Reasoning { text });
        }
        match delta.get("content") {
            Some(Value::Array(parts)) => parts.iter().for_each(|part| content_part(part, out)),
            _ => out.extend(field("content").map(|text| ModelEvent::Text { text })),
        }
        out.extend(field("refusal").map(|text| ModelEvent::Refusal { text }));
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let index = call.get("index").and_then(Value::as_u64);
            self.call(index, call.get("id"), call.get("function").unwrap_or(call), out);
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            self.call(Some(0), None, function, out);
        }
    }

    fn call(&mut self, index: Option<u64>, id: Option<&Value>, function: &Value, out: &mut Vec<ModelEvent>) {
        let id = id.and_then(Value::as_str).unwrap_or_default();
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            // Some servers send the arguments as an object, and then whole.
            Some(value) => value.to_string(),
        };
        let at = self.find(index, id, name);
        let Some(call) = self.calls.get_mut(at) else { return };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        // A name may come in pieces, or whole with every piece of the arguments.
        if call.name.is_empty() || (call.arguments.is_empty() && call.name != name) {
            call.name.push_str(name);
        }
        call.arguments.push_str(&arguments);
        if !call.id.is_empty() && !call.name.is_empty() && !call.arguments.is_empty() {
            call.announce(at, out);
        }
    }

    /// Which call a piece belongs to: by its index, else by its id, else the last one. A new id under an index that
    /// is taken, or without one, begins a new call.
    fn find(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let found = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|call| call.id == id),
        };
        let begins = |call: &Call| {
            let other_id = !id.is_empty() && !call.id.is_empty() && call.id != id;
            // Without an id, a name after whole arguments can only be the next call's.
            let next = id.is_empty() && !name.is_empty() && json::read(&call.arguments).is_ok();
            (other_id && !name.is_empty()) || next
        };
        match found {
            Some(at) if !self.calls.get(at).is_some_and(begins) => at,
            Some(_) | None => {
                self.calls.push(Call {
                    index,
                    id: String::new(),
                    name: String::new(),
                    arguments: String::new(),
                    sent: 0,
                    announced: false,
                });
                self.calls.len() - 1
            }
        }
    }

    pub(super) fn announce_all(&mut self, out: &mut Vec<ModelEvent>) {
        for (at, call) in self.calls.iter_mut().enumerate() {
            if call.id.is_empty() {
                call.id = format!("call_{at}");
            }
            call.announce(at, out);
        }
    }

    fn end(&mut self, out: &mut Vec<ModelEvent>) {
        self.announce_all(out);
        out.extend(
            (0..self.calls.len())
                .map(|at| ModelEvent::ToolCallEnd { index: super::answer::count(at as u64) }),
        );
        let reason = match self.reason.take() {
            // Several servers say "stop" with their tool calls.
            Some(StopReason::EndTurn) if !self.calls.is_empty() => Some(StopReason::ToolUse),
            reason => reason,
        };
        out.extend(reason.map(|reason| ModelEvent::Stop { reason }));
    }
}

impl Call {
    fn announce(&mut self, at: usize, out: &mut Vec<ModelEvent>) {
        let index = super::answer::count(at as u64);
        if !self.announced {
            self.announced = true;
            out.push(ModelEvent::ToolCallStart { index, id: self.id.clone(), name: self.name.clone() });
        }
        if let Some(json) = self.arguments.get(self.sent..).filter(|json| !json.is_empty()) {
            out.push(ModelEvent::ToolCallDelta { index, json: json.to_owned() });
            self.sent = self.arguments.len();
        }
    }
}

/// Mistral's form of content, with the reasoning among it.
fn content_part(part: &Value, out: &mut Vec<ModelEvent>) {
    let text = |part: &Value| part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let thinking = part.get("thinking").and_then(Value::as_array).into_iter().flatten();
    out.extend(thinking.map(text).filter(|text| !text.is_empty()).map(|text| ModelEvent::Reasoning { text }));
    out.extend(Some(text(part)).filter(|text| !text.is_empty()).map(|text| ModelEvent::Text { text }));
}

fn count(usage: Option<&Value>, out: &mut Vec<ModelEvent>) {
    let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
    let number = |path: &str| usage.pointer(path).and_then(Value::as_u64).map_or(0, super::answer::count);
    // Moonshot and DeepSeek name the cached part in their own ways.
    let cached = ["/prompt_tokens_details/cached_tokens", "/cached_tokens", "/prompt_cache_hit_tokens"];
    out.push(ModelEvent::Usage {
        usage: Usage {
            input_tokens: number("/prompt_tokens"),
            output_tokens: number("/completion_tokens"),
            cache_read_tokens: cached.iter().map(|path| number(path)).max().unwrap_or(0),
            cache_write_tokens: 0,
            reasoning_tokens: number("/completion_tokens_details/reasoning_tokens"),
        },
    });
}
