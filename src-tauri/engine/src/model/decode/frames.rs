use memchr::memchr2;
use serde_json::Value;
use sse_parse::SseParser;

use super::{LARGEST_ANSWER, json};
use crate::model::ModelError;

/// One server-sent event: its name ("message" when it has none) and its data.
pub(super) type Frame = sse_parse::Event;

/// Bytes → frames, or one whole body where a server does not stream. Which of the two is told by the first byte that
/// is neither blank nor part of a byte order mark.
#[derive(Debug, Default)]
pub(super) struct Frames {
    kind: Kind,
    /// The bytes from the start while `kind` is undecided; the body's bytes later.
    held: Vec<u8>,
    utf8: Utf8,
    frames: u64,
    /// The last byte was a carriage return: the next one tells whether the line's end has two parts.
    returned: bool,
}

#[derive(Debug, Default)]
enum Kind {
    #[default]
    Undecided,
    Stream {
        parser: Box<SseParser>,
        begins: u8,
    },
    Body,
}

impl Frames {
    /// How many of the bytes, at least one, to feed before asking for the next frame: no byte behind a frame's end is
    /// among them.
    pub(super) fn piece(&self, bytes: &[u8]) -> usize {
        if self.returned {
            return 1;
        }
        memchr2(b'\r', b'\n', bytes).map_or(bytes.len(), |end| end + 1)
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.utf8.check(bytes);
        self.returned = bytes.last() == Some(&b'\r');
        match &mut self.kind {
            Kind::Stream { parser, .. } => parser.feed(bytes),
            Kind::Body => self.held.extend_from_slice(bytes),
            Kind::Undecided => {
                self.held.extend_from_slice(bytes);
                let first = self
                    .held
                    .iter()
                    .find(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0xEF | 0xBB | 0xBF));
                match first {
                    None => {}
                    Some(b'{' | b'[' | b'<') => self.kind = Kind::Body,
                    Some(&begins) => {
                        let mut parser = Box::new(SseParser::new().max_buffer(LARGEST_ANSWER));
                        parser.feed(&std::mem::take(&mut self.held));
                        self.kind = Kind::Stream { parser, begins };
                    }
                }
            }
        }
    }

    /// The next whole frame.
    pub(super) fn next(&mut self) -> Result<Option<Frame>, ModelError> {
        match &mut self.kind {
            Kind::Stream { parser, .. } if parser.overflows() > 0 => Err(too_large()),
            Kind::Stream { parser, .. } => {
                let frame = parser.next_event();
                self.frames += u64::from(frame.is_some());
                Ok(frame)
            }
            Kind::Body if self.held.len() > LARGEST_ANSWER => Err(too_large()),
            Kind::Body | Kind::Undecided => Ok(None),
        }
    }

    /// The bytes have ended: the frame that lacks its blank line.
    pub(super) fn finish(&mut self) -> Option<Frame> {
        let Kind::Stream { parser, .. } = &mut self.kind else { return None };
        parser.feed(b"\n\n");
        let frame = parser.next_event();
        self.frames += u64::from(frame.is_some());
        frame
    }

    /// The whole body of a server that did not stream.
    pub(super) fn take_body(&mut self) -> Option<Result<Value, ModelError>> {
        if !matches!(self.kind, Kind::Body) {
            return None;
        }
        let text = String::from_utf8_lossy(&self.held);
        let text = text.trim_start_matches('\u{FEFF}').trim();
        if text.starts_with('<') {
            let message = "it is a web page, not a model's answer. Check the server's address.";
            return Some(Err(ModelError::malformed(message)));
        }
        Some(json::read(text).map_err(|error| {
            if error.is_eof() {
                ModelError::EndedEarly
            } else {
                ModelError::malformed(format!("it is broken JSON ({error})."))
            }
        }))
    }

    /// Refuses an answer in which there was no frame.
    pub(super) fn anything_at_all(&self) -> Result<(), ModelError> {
        if self.frames > 0 {
            return Ok(());
        }
        match &self.kind {
            // A comment, or the beginning of a field.
            Kind::Stream { begins: b':' | b'd' | b'e' | b'i' | b'r', .. } | Kind::Undecided => {
                Err(ModelError::EndedEarly)
            }
            Kind::Stream { .. } | Kind::Body => {
                Err(ModelError::malformed("it is not a stream of events. Check the server's address."))
            }
        }
    }

    /// What is wrong with an answer that could be read nevertheless. Nothing is lost by it: unreadable bytes stand as
    /// U+FFFD.
    pub(super) fn complaint(&self) -> Result<(), ModelError> {
        if self.utf8.broken {
            return Err(ModelError::malformed(
                "parts of it are not text (invalid UTF-8); they are shown as \u{FFFD}.",
            ));
        }
        Ok(())
    }
}

fn too_large() -> ModelError {
    ModelError::TooLarge { megabytes: LARGEST_ANSWER >> 20 }
}

/// Whether bytes that come in pieces are UTF-8. A character that the end cuts is not counted as broken.
#[derive(Debug, Default)]
struct Utf8 {
    /// The beginning of a character that the last piece ended in; three bytes at most.
    open: Vec<u8>,
    broken: bool,
}

impl Utf8 {
    fn check(&mut self, bytes: &[u8]) {
        if self.broken {
            return;
        }
        let mut bytes = bytes;
        let joined;
        if !self.open.is_empty() {
            self.open.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.open);
            bytes = &joined;
        }
        if let Err(error) = std::str::from_utf8(bytes) {
            match error.error_len() {
                Some(_) => self.broken = true,
                None => self.open = bytes[error.valid_up_to()..].to_vec(),
            }
        }
    }
}
