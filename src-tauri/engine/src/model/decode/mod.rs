//! Bytes of a model's answer → [`ModelEvent`]s, for both dialects. Pure: no clock, no network. The same events come
//! out however the bytes are split; used live and for recorded streams alike.

mod answer;
mod anthropic;
mod frames;
mod json;
mod kept;
mod openai;
mod thoughts;

pub use answer::{Answer, Decoded, DecodedCall, ReportedError, ToolCall};

pub(crate) use json::arguments as read_arguments;
pub(super) use json::read as read_json;

use frames::{Frame, Frames};
use serde_json::Value;
use thoughts::Thoughts;

use super::{ModelError, ModelEvent};

/// The wire language of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Anthropic,
    OpenAi,
}

/// Largest answer that is kept, in bytes of text, reasoning and arguments; also the largest single frame.
pub const LARGEST_ANSWER: usize = 16 << 20;

/// A streaming decoder. Feed bytes, then [`finish`](Decoder::finish). After an error, or after the answer's own end,
/// the rest is ignored.
#[derive(Debug)]
pub struct Decoder {
    frames: Frames,
    state: State,
    thoughts: Thoughts,
    /// Bytes of content so far.
    size: usize,
    /// A frame that means nothing here, while nothing was said: it may be a report of trouble in a form nobody knows.
    odd: Option<Value>,
    said: bool,
    over: bool,
}

#[derive(Debug)]
enum State {
    Anthropic(anthropic::Stream),
    OpenAi(openai::Stream),
}

/// Whether more of the answer is to come.
#[derive(Debug, Clone, PartialEq)]
enum Flow {
    More,
    /// This frame means nothing in this dialect.
    Odd(Value),
    Over,
}

impl Decoder {
    pub fn new(dialect: Dialect) -> Self {
        let state = match dialect {
            Dialect::Anthropic => State::Anthropic(anthropic::Stream::default()),
            Dialect::OpenAi => State::OpenAi(openai::Stream::default()),
        };
        Self {
            frames: Frames::default(),
            state,
            thoughts: Thoughts::default(),
            size: 0,
            odd: None,
            said: false,
            over: false,
        }
    }

    /// Whether the answer has said its last word; nothing after it is read.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether the reason for the end is known already, so that only counts can follow.
    pub fn is_ending(&self) -> bool {
        match &self.state {
            State::Anthropic(stream) => stream.is_ending(),
            State::OpenAi(stream) => stream.is_ending(),
        }
    }

    /// Decodes the next bytes; what they complete is appended to `out`, also when an error ends the answer.
    ///
    /// # Errors
    /// What the stream reports, or why it cannot be read. Nothing after it is decoded.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let mut rest = bytes;
        // Nothing behind the answer's own end is looked at, however much of it came along.
        while !self.over && !rest.is_empty() {
            let (piece, later) = rest.split_at(self.frames.piece(rest));
            self.frames.feed(piece);
            self.frames(out).inspect_err(|_| {
                self.over = true;
                self.abandon(out);
            })?;
            rest = later;
        }
        Ok(())
    }

    /// The bytes have ended. The last frame counts also without its blank line.
    ///
    /// # Errors
    /// `EndedEarly` when the answer was not over, `Malformed` when it was none.
    pub fn finish(mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if !self.over {
            let ended = self.rest(out).inspect_err(|_| self.abandon(out));
            self.thoughts.end(false, out);
            // What nobody understood says more than that something is missing.
            ended.map_err(|error| match (&error, self.odd.take()) {
                (ModelError::EndedEarly, Some(odd)) if !self.said => ModelError::reported(None, &odd, None),
                _ => error,
            })?;
        }
        if let Some(odd) = self.odd.take().filter(|_| !self.said) {
            return Err(ModelError::reported(None, &odd, None));
        }
        self.frames.complaint()
    }

    fn frames(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        while !self.over {
            let Some(frame) = self.frames.next()? else { break };
            self.frame(&frame, out)?;
        }
        Ok(())
    }

    fn rest(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(body) = self.frames.take_body() {
            return self.whole(&body?, out);
        }
        if let Some(frame) = self.frames.finish() {
            match self.frame(&frame, out) {
                // A frame that was cut in the middle is no broken frame: the stream ended early.
                Ok(()) | Err(ModelError::Malformed { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.frames.anything_at_all()?;
        if self.over {
            return Ok(());
        }
        let mut events = Vec::new();
        let ended = match &mut self.state {
            State::Anthropic(stream) => stream.cut_off(),
            State::OpenAi(stream) => stream.cut_off(&mut events),
        };
        self.take(events, out)?;
        ended
    }

    fn frame(&mut self, frame: &Frame, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if frame.data.trim().is_empty() {
            // A keep-alive.
            return Ok(());
        }
        let mut events = Vec::new();
        let flow = match &mut self.state {
            State::Anthropic(stream) => stream.frame(frame, &mut events),
            State::OpenAi(stream) => stream.frame(frame, &mut events),
        };
        self.take(events, out)?;
        match flow? {
            Flow::More => {}
            Flow::Odd(frame) => {
                self.odd.get_or_insert(frame);
            }
            Flow::Over => {
                self.thoughts.end(false, out);
                self.over = true;
            }
        }
        Ok(())
    }

    fn take(&mut self, events: Vec<ModelEvent>, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let measured = self.measure(&events);
        match self.state {
            State::Anthropic(_) => out.extend(events),
            State::OpenAi(_) => self.thoughts.sort(events, out),
        }
        measured
    }

    /// After an error: what was held back comes out too, so that nothing is lost.
    fn abandon(&mut self, out: &mut Vec<ModelEvent>) {
        self.thoughts.end(true, out);
        match &mut self.state {
            // Holds nothing back.
            State::Anthropic(_) => {}
            State::OpenAi(stream) => stream.announce_all(out),
        }
    }

    /// A server that answers with one JSON document instead of a stream.
    fn whole(&mut self, body: &Value, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if is_error(body) {
            return Err(ModelError::reported(None, body, None));
        }
        self.over = true;
        let mut events = Vec::new();
        let read = match &mut self.state {
            State::Anthropic(stream) => stream.whole(body, &mut events),
            State::OpenAi(stream) => stream.whole(body, &mut events),
        };
        self.take(events, out)?;
        read
    }

    fn measure(&mut self, events: &[ModelEvent]) -> Result<(), ModelError> {
        for event in events {
            self.said |= !matches!(event, ModelEvent::Usage { .. });
            self.size += match event {
                ModelEvent::Text { text } | ModelEvent::Reasoning { text } | ModelEvent::Refusal { text } => {
                    text.len()
                }
                ModelEvent::ReasoningSignature { signature: text }
                | ModelEvent::RedactedReasoning { data: text } => text.len(),
                ModelEvent::ToolCallStart { id, name, .. } => id.len() + name.len(),
                ModelEvent::ToolCallDelta { json, .. } => json.len(),
                // Counted by the stream while it held them back.
                ModelEvent::ToolCallExtra { .. } | ModelEvent::Kept { .. } => 0,
                ModelEvent::Withheld { why } => why.len(),
                ModelEvent::ThoughtSoFar
                | ModelEvent::ToolCallEnd { .. }
                | ModelEvent::Usage { .. }
                | ModelEvent::Stop { .. }
                | ModelEvent::Retrying { .. } => 0,
            };
        }
        if self.size > LARGEST_ANSWER {
            Err(ModelError::TooLarge { megabytes: LARGEST_ANSWER >> 20 })
        } else {
            Ok(())
        }
    }
}

/// Whether a JSON document is a report of an error in any of the forms in use.
fn is_error(body: &Value) -> bool {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let named = |name: &str| body.get(name).and_then(Value::as_str) == Some("error");
    body.get("error").is_some_and(|error| !error.is_null())
        || named("type")
        || named("object")
        || body.get("detail").is_some_and(|_| body.get("choices").is_none() && body.get("type").is_none())
}

/// Decodes a whole recorded stream.
#[derive(Debug)]
pub struct Recording {
    decoder: Decoder,
    answer: Answer,
    events: Vec<ModelEvent>,
    error: Option<ModelError>,
}

impl Recording {
    pub fn new(dialect: Dialect) -> Self {
        Self { decoder: Decoder::new(dialect), answer: Answer::default(), events: Vec::new(), error: None }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.error = self.decoder.feed(bytes, &mut self.events).err();
            self.answer.extend(self.events.drain(..));
        }
    }

    pub fn finish(mut self) -> Decoded {
        if self.error.is_none() {
            self.error = self.decoder.finish(&mut self.events).err();
            self.answer.extend(self.events.drain(..));
        }
        self.answer.decoded(self.error)
    }
}
