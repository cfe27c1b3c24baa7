use serde_json::{Map, Value};

use super::frames::Frame;
use super::{Flow, LARGEST_ANSWER, is_error, json, kept};
use crate::model::{ModelError, ModelEvent, StopReason, Usage};

/// The Chat Completions stream, as OpenAI, Moonshot and the many compatible servers write it. Of several choices the
/// first counts.
#[derive(Debug, Default)]
pub(super) struct Stream {
    calls: Vec<Call>,
    reason: Option<StopReason>,
    /// What the server's reasoning came in; it goes back with the calls.
    kept: Map<String, Value>,
    /// Bytes that are held back to the answer's end.
    held: usize,
    /// Words or reasoning have come piece by piece.
    said: bool,
}

/// How servers name what they think, and their proofs of it.
const THOUGHTS: [&str; 4] = ["reason", "think", "thought", "extra_content"];
/// Texts of reasoning that people may read. A server that sends more than one sends the same.
const REASONING: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_text", "thinking"];

/// How servers end an answer that they could not finish.
const ENDS_IN_ERROR: [&str; 3] = ["error", "MALFORMED_FUNCTION_CALL", "malformed_function_call"];
/// Arguments that some servers begin every call with, before the real ones.
const NOTHING_YET: &str = "{}";

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
    extra: Map<String, Value>,
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
        if data.get("choices").is_none() && data.get("usage").is_none() && data.get("object").is_none() {
            return Ok(Flow::Odd(data));
        }
        self.chunk(&data, "delta", out)?;
        if self.held > LARGEST_ANSWER {
            return Err(ModelError::TooLarge { megabytes: LARGEST_ANSWER >> 20 });
        }
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
        self.chunk(body, "message", out)?;
        self.end(out);
        Ok(())
    }

    fn chunk(&mut self, data: &Value, part: &str, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let choices = data.get("choices").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for choice in choices {
            if choice.get("index").and_then(Value::as_u64).unwrap_or(0) != 0 {
                continue;
            }
            if is_error(choice) {
                return Err(ModelError::reported(None, choice, None));
            }
            // Some servers put a whole message into a stream, in the place of its pieces or behind them.
            match (choice.get(part), choice.get("message")) {
                (Some(delta), _) if delta.is_object() => self.delta(delta, true, out),
                (_, Some(message)) => self.delta(message, !self.said, out),
                (_, None) => {}
            }
            // The older completions without roles.
            if let Some(text) = choice.get("text").and_then(Value::as_str).filter(|text| !text.is_empty()) {
                out.push(ModelEvent::Text { text: text.to_owned() });
            }
            if let Some(reason) =
                choice.get("finish_reason").and_then(Value::as_str).filter(|text| !text.is_empty())
            {
                if ENDS_IN_ERROR.contains(&reason) {
                    let words = format!("The server broke its answer off (finish_reason {reason:?}).");
                    return Err(ModelError::reported(None, &Value::String(words), None));
                }
                self.reason = Some(StopReason::read(reason));
            }
            // Moonshot counts inside the choice.
            count(choice.get("usage"), out);
        }
        count(data.get("usage"), out);
        Ok(())
    }

    /// `words`: whether its words are new.
    fn delta(&mut self, delta: &Value, words: bool, out: &mut Vec<ModelEvent>) {
        if words {
            let before = out.len();
            self.words(delta, out);
            self.said |= out.len() > before;
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let index = call.get("index").and_then(Value::as_u64);
            self.call(index, call.get("id"), call, out);
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            self.call(Some(0), None, function, out);
        }
    }

    fn words(&mut self, delta: &Value, out: &mut Vec<ModelEvent>) {
        let field = |name: &str| {
            delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let thought = |name: &&String| THOUGHTS.iter().any(|part| name.contains(part));
        let mut names = delta.as_object().into_iter().flat_map(Map::keys);
        if names.any(|name| thought(&name)) {
            let mut piece = kept::beside(delta, &[]);
            piece.retain(|name, _| thought(&name));
            self.held += kept::bytes(&piece);
            kept::add(&mut self.kept, &piece);
        }
        let reasoning = REASONING.iter().find_map(|name| field(name)).or_else(|| details(delta));
        out.extend(reasoning.map(|text| ModelEvent::Reasoning { text }));
        match delta.get("content") {
            Some(Value::Array(parts)) => parts.iter().for_each(|part| content_part(part, out)),
            _ => out.extend(field("content").map(|text| ModelEvent::Text { text })),
        }
        out.extend(field("refusal").map(|text| ModelEvent::Refusal { text }));
    }

    fn call(&mut self, index: Option<u64>, id: Option<&Value>, piece: &Value, out: &mut Vec<ModelEvent>) {
        let function = piece.get("function").unwrap_or(piece);
        let id = id.and_then(Value::as_str).unwrap_or_default();
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            // Some servers send the arguments as an object, and then whole.
            Some(value) => value.to_string(),
        };
        let at = self.find(index, id, name, &arguments);
        let Some(call) = self.calls.get_mut(at) else { return };
        let mut extra = kept::beside(piece, &["index", "id", "type", "function", "name", "arguments"]);
        let within = piece.get("function").map(|function| kept::beside(function, &["name", "arguments"]));
        if let Some(within) = within.filter(|within| !within.is_empty()) {
            extra.insert("function".to_owned(), Value::Object(within));
        }
        self.held += kept::bytes(&extra);
        kept::add(&mut call.extra, &extra);
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        // A name may come in pieces, or whole with every piece of the arguments.
        if call.name.is_empty() || (call.arguments.is_empty() && call.name != name) {
            call.name.push_str(name);
        }
        if call.arguments.trim() == NOTHING_YET && arguments.trim_start().starts_with('{') {
            call.arguments = arguments;
        } else if !repeats(&call.arguments, &arguments) {
            call.arguments.push_str(&arguments);
        }
        if !call.id.is_empty() && !call.name.is_empty() && !call.arguments.is_empty() {
            call.announce(at, false, out);
        }
    }

    /// Which call a piece belongs to: by its index, else by its id, else the last one. A new id under an index that
    /// is taken, or without one, begins a new call.
    fn find(&mut self, index: Option<u64>, id: &str, name: &str, arguments: &str) -> usize {
        let found = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|call| call.id == id),
        };
        let begins = |call: &Call| {
            let other_id = !id.is_empty() && !call.id.is_empty() && call.id != id;
            // Without an id of its own, a name after whole arguments can only be the next call's.
            let again = call.name == name && repeats(&call.arguments, arguments);
            let unnamed = id.is_empty() || (index.is_none() && call.id == id && !arguments.trim().is_empty());
            let is_whole = call.arguments.trim() != NOTHING_YET && json::read(&call.arguments).is_ok();
            let next = unnamed && !name.is_empty() && !again && is_whole;
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
                    extra: Map::new(),
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
            call.announce(at, true, out);
        }
    }

    fn end(&mut self, out: &mut Vec<ModelEvent>) {
        self.announce_all(out);
        if !self.calls.is_empty() && !self.kept.is_empty() {
            out.push(ModelEvent::Kept { fields: std::mem::take(&mut self.kept) });
        }
        for (at, call) in self.calls.iter_mut().enumerate() {
            let index = super::answer::count(at as u64);
            let fields = std::mem::take(&mut call.extra);
            out.extend((!fields.is_empty()).then_some(ModelEvent::ToolCallExtra { index, fields }));
            out.push(ModelEvent::ToolCallEnd { index });
        }
        let reason = match self.reason.take() {
            // Several servers say "stop" with their tool calls.
            Some(StopReason::EndTurn) if !self.calls.is_empty() => Some(StopReason::ToolUse),
            reason => reason,
        };
        out.extend(reason.map(|reason| ModelEvent::Stop { reason }));
    }
}

impl Call {
    /// `last`: no more of it comes.
    fn announce(&mut self, at: usize, last: bool, out: &mut Vec<ModelEvent>) {
        let index = super::answer::count(at as u64);
        if !self.announced {
            self.announced = true;
            out.push(ModelEvent::ToolCallStart { index, id: self.id.clone(), name: self.name.clone() });
        }
        if !last && self.arguments.trim() == NOTHING_YET {
            return;
        }
        if let Some(json) = self.arguments.get(self.sent..).filter(|json| !json.is_empty()) {
            out.push(ModelEvent::ToolCallDelta { index, json: json.to_owned() });
            self.sent = self.arguments.len();
        }
    }
}

/// Whether a piece says once more all that the arguments are already, as some servers do at the end.
fn repeats(arguments: &str, piece: &str) -> bool {
    let whole = |text: &str| json::read(text).ok().filter(Value::is_object);
    !arguments.is_empty()
        && piece.len() > 1
        && piece.ends_with('}')
        && whole(piece).is_some_and(|piece| whole(arguments) == Some(piece))
}

/// Reasoning that comes in entries only.
fn details(delta: &Value) -> Option<String> {
    let entries = delta.get("reasoning_details").and_then(Value::as_array)?;
    let text = |entry: &Value| {
        let text = entry.get("text").or_else(|| entry.get("summary")).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    Some(entries.iter().filter_map(text).collect::<String>()).filter(|text| !text.is_empty())
}

/// Mistral's form of content, with the reasoning among it.
fn content_part(part: &Value, out: &mut Vec<ModelEvent>) {
    let text = |part: &Value| part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let thinking = part.get("thinking").and_then(Value::as_array).into_iter().flatten();
    out.extend(thinking.map(text).filter(|text| !text.is_empty()).map(|text| ModelEvent::Reasoning { text }));
    out.extend(Some(text(part)).filter(|text| !text.is_empty()).map(|text| ModelEvent::Text { text }));
    let refusal = part.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty());
    out.extend(refusal.map(|text| ModelEvent::Refusal { text: text.to_owned() }));
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
