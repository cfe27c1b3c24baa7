use std::collections::BTreeMap;

use serde_json::Value;

use super::frames::Frame;
use super::{Flow, is_error, json, kept};
use crate::model::{ModelError, ModelEvent, StopReason, Usage};

/// The Messages stream. Blocks may come interleaved; each belongs to its index.
#[derive(Debug, Default)]
pub(super) struct Stream {
    blocks: BTreeMap<u64, Block>,
    calls: u32,
    usage: Usage,
    ending: bool,
}

#[derive(Debug)]
enum Block {
    Text,
    Reasoning,
    /// `given` is the input of the block's start, which counts when no piece follows.
    Call {
        index: u32,
        given: Option<String>,
    },
    /// Tools that the server runs itself with their results, and whatever comes later.
    Foreign,
}

impl Stream {
    pub(super) fn is_ending(&self) -> bool {
        self.ending
    }

    pub(super) fn frame(&mut self, frame: &Frame, out: &mut Vec<ModelEvent>) -> Result<Flow, ModelError> {
        if frame.event == "ping" {
            return Ok(Flow::More);
        }
        let data = match json::read(&frame.data) {
            Ok(data) => data,
            // Some gateways report their trouble in plain words.
            Err(_) if frame.event == "error" => {
                return Err(ModelError::reported(None, &Value::String(frame.data.clone()), None));
            }
            Err(_) if !is_known(&frame.event) => return Ok(Flow::More),
            Err(error) => return Err(ModelError::malformed(format!("an event is broken JSON ({error})."))),
        };
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(&frame.event);
        match kind {
            "message_start" => {
                self.count(data.pointer("/message/usage"), out);
                // A message that code of its own server goes on with begins with whole blocks.
                let begun = data.pointer("/message/content").and_then(Value::as_array);
                self.whole_blocks(begun.map(Vec::as_slice).unwrap_or_default(), out);
                Ok(Flow::More)
            }
            "content_block_start" => {
                self.start(index_of(&data)?, &data["content_block"], out);
                Ok(Flow::More)
            }
            "content_block_delta" => {
                self.delta(index_of(&data)?, &data["delta"], out)?;
                Ok(Flow::More)
            }
            "content_block_stop" => {
                if let Some(block) = self.blocks.remove(&index_of(&data)?) {
                    end(block, out);
                }
                Ok(Flow::More)
            }
            "message_delta" => {
                self.count(data.get("usage"), out);
                if let Some(delta) = data.get("delta").filter(|delta| delta["stop_reason"].is_string()) {
                    self.end_open_blocks(out);
                    self.ending = true;
                    stop(delta, out);
                }
                Ok(Flow::More)
            }
            "message_stop" => {
                self.end_open_blocks(out);
                Ok(Flow::Over)
            }
            "error" => Err(ModelError::reported(None, &data, None)),
            _ if is_error(&data) => Err(ModelError::reported(None, &data, None)),
            "ping" => Ok(Flow::More),
            _ => Ok(Flow::Odd(data)),
        }
    }

    /// Without `message_stop` the answer is not whole, whatever came before.
    pub(super) fn cut_off(&mut self) -> Result<(), ModelError> {
        Err(ModelError::EndedEarly)
    }

    pub(super) fn whole(&mut self, message: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let content = message
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| ModelError::malformed("it is JSON, but no message."))?;
        self.whole_blocks(content, out);
        self.count(message.get("usage"), out);
        stop(message, out);
        Ok(())
    }

    fn whole_blocks(&mut self, blocks: &[Value], out: &mut Vec<ModelEvent>) {
        for (index, block) in (0..).zip(blocks) {
            self.start(index, block, out);
        }
        self.end_open_blocks(out);
    }

    fn start(&mut self, index: u64, block: &Value, out: &mut Vec<ModelEvent>) {
        let field = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let opened = match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                push_text(field("text"), out);
                Block::Text
            }
            Some("thinking") => {
                push_reasoning(field("thinking"), out);
                push_signature(field("signature"), out);
                Block::Reasoning
            }
            Some("redacted_thinking") => {
                out.push(ModelEvent::RedactedReasoning { data: field("data") });
                Block::Foreign
            }
            Some("tool_use") => {
                let call = self.calls;
                self.calls += 1;
                let given = block
                    .get("input")
                    .filter(|input| !input.is_null() && input.as_object().is_none_or(|map| !map.is_empty()))
                    .map(Value::to_string);
                out.push(ModelEvent::ToolCallStart { index: call, id: field("id"), name: field("name") });
                let fields = kept::beside(block, &["type", "id", "name", "input", "cache_control"]);
                if !fields.is_empty() {
                    out.push(ModelEvent::ToolCallExtra { index: call, fields });
                }
                Block::Call { index: call, given }
            }
            Some(_) | None => Block::Foreign,
        };
        self.blocks.insert(index, opened);
    }

    fn delta(&mut self, at: u64, delta: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let field = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match delta.get("type").and_then(Value::as_str) {
            Some("text_delta") => push_text(field("text"), out),
            Some("thinking_delta") => push_reasoning(field("thinking"), out),
            Some("signature_delta") => push_signature(field("signature"), out),
            Some("input_json_delta") => match self.blocks.get_mut(&at) {
                Some(Block::Call { index, given }) => {
                    let json = field("partial_json");
                    if !json.is_empty() {
                        *given = None;
                        out.push(ModelEvent::ToolCallDelta { index: *index, json });
                    }
                }
                Some(Block::Foreign | Block::Text | Block::Reasoning) => {}
                None => {
                    return Err(ModelError::malformed("it goes on with a tool call that never began."));
                }
            },
            Some(_) | None => {}
        }
        Ok(())
    }

    fn end_open_blocks(&mut self, out: &mut Vec<ModelEvent>) {
        for block in std::mem::take(&mut self.blocks).into_values() {
            end(block, out);
        }
    }

    /// Counts are running totals: what a later event names replaces what an earlier one said.
    fn count(&mut self, usage: Option<&Value>, out: &mut Vec<ModelEvent>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let number = |name: &str| usage.get(name).and_then(Value::as_u64).map(super::answer::count);
        let set = |field: &mut u32, name: &str| *field = number(name).unwrap_or(*field);
        set(&mut self.usage.input_tokens, "input_tokens");
        set(&mut self.usage.output_tokens, "output_tokens");
        set(&mut self.usage.cache_read_tokens, "cache_read_input_tokens");
        set(&mut self.usage.cache_write_tokens, "cache_creation_input_tokens");
        out.push(ModelEvent::Usage { usage: self.usage });
    }
}

/// Why it ends; of a refusal also what the provider says about it.
fn stop(ended: &Value, out: &mut Vec<ModelEvent>) {
    let Some(reason) = ended.get("stop_reason").and_then(Value::as_str) else { return };
    if reason == "refusal" {
        let why = ended.pointer("/stop_details/explanation").and_then(Value::as_str).unwrap_or_default();
        out.push(ModelEvent::Withheld { why: why.to_owned() });
    }
    out.push(ModelEvent::Stop { reason: StopReason::read(reason) });
}

fn is_known(event: &str) -> bool {
    matches!(
        event,
        "message"
            | "message_start"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
            | "message_delta"
            | "message_stop"
    )
}

fn index_of(data: &Value) -> Result<u64, ModelError> {
    data.get("index")
        .and_then(Value::as_u64)
        .ok_or_else(|| ModelError::malformed("an event does not say which block it belongs to."))
}

fn end(block: Block, out: &mut Vec<ModelEvent>) {
    match block {
        Block::Call { index, given } => {
            out.extend(given.map(|json| ModelEvent::ToolCallDelta { index, json }));
            out.push(ModelEvent::ToolCallEnd { index });
        }
        Block::Text | Block::Reasoning | Block::Foreign => {}
    }
}

fn push_text(text: String, out: &mut Vec<ModelEvent>) {
    if !text.is_empty() {
        out.push(ModelEvent::Text { text });
    }
}

fn push_reasoning(text: String, out: &mut Vec<ModelEvent>) {
    if !text.is_empty() {
        out.push(ModelEvent::Reasoning { text });
    }
}

fn push_signature(signature: String, out: &mut Vec<ModelEvent>) {
    if !signature.is_empty() {
        out.push(ModelEvent::ReasoningSignature { signature });
    }
}
