//! The way of a command's output through the engine. Secrets are hidden first, in each stream for itself, so that
//! nothing behind knows them: not the file, the result that is journalled and sent to models, nor the live view. It is
//! bounded in memory, and what looks on takes it at once.

use std::sync::Arc;

use super::beyond::Beyond;
use super::file::OutputFile;
use super::kept::{Folded, Utf8Stream};
use super::late::LateOutput;
use super::terminal::{Record, Terminal};
use super::wire::Piece;
use super::{Live, RunRequest};
use crate::protocol::{OutputChunk, Stream, Text};
use crate::redact::{RedactedStream, Redactor};

pub(super) struct Output {
    redactor: Redactor,
    file: Option<OutputFile>,
    stdout: Way,
    stderr: Way,
    /// Both in order. `None` while only one of them has said anything: then it is the same.
    merged: Option<Folded>,
    terminal: Option<OfTerminal>,
    /// Nobody has to see all of it: past what the file takes only its end counts.
    may_skip: bool,
    beyond: Option<Beyond>,
    live: Live,
    /// Bytes so far, as they are in the file.
    bytes: u64,
    last_at: u32,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Output({} bytes)", self.bytes)
    }
}

/// Where a terminal's output goes instead of to the live stream and to head and tail.
#[derive(Debug)]
struct OfTerminal {
    terminal: Arc<Terminal>,
    record: Record,
}

/// One stream's way from bytes to text.
#[derive(Debug)]
struct Way {
    redacted: RedactedStream,
    text: Utf8Stream,
    kept: Folded,
    has_spoken: bool,
}

/// What is kept in memory of an output that has ended.
pub(super) struct Kept {
    pub(super) stdout: Text,
    pub(super) stderr: Text,
    /// Both in order.
    pub(super) merged: Text,
    pub(super) omitted_lines: u32,
    pub(super) bytes: u64,
}

impl Output {
    pub(super) fn new(request: &RunRequest, redactor: &Redactor, live: Live) -> Self {
        let file = request.output_file.as_ref().and_then(|path| {
            OutputFile::create(path, request.output_cap)
                .inspect_err(
                    |error| tracing::warn!(%error, path = %path.display(), "no file for a step's output"),
                )
                .ok()
        });
        let way = || Way {
            redacted: redactor.stream(),
            text: Utf8Stream::default(),
            kept: Folded::default(),
            has_spoken: false,
        };
        let terminal = request.terminal.as_ref().map(|terminal| OfTerminal {
            terminal: Arc::clone(terminal),
            record: Record::new(terminal.size()),
        });
        let may_skip = request.one_pipe && terminal.is_none();
        let (stdout, stderr) = (way(), way());
        Self {
            redactor: redactor.clone(),
            file,
            stdout,
            stderr,
            merged: None,
            terminal,
            may_skip,
            beyond: None,
            live,
            bytes: 0,
            last_at: 0,
        }
    }

    pub(super) fn take<'a>(&mut self, pieces: impl ExactSizeIterator<Item = Piece<'a>>) {
        let mut chunks = Vec::with_capacity(pieces.len());
        for piece in pieces {
            self.last_at = piece.at_millis;
            if let Some(OfTerminal { terminal, .. }) = &self.terminal {
                terminal.show(piece.bytes);
            }
            if self.may_skip && self.file.as_ref().is_some_and(OutputFile::is_full) {
                self.beyond.get_or_insert_default().push(piece.bytes);
                continue;
            }
            // What the other stream said stands before this.
            let other = piece.stream.other();
            let before = self.way(other).redacted.let_go();
            if !before.is_empty() {
                chunks.extend(self.pass_on(other, &before));
            }
            let bytes = self.way(piece.stream).redacted.push(piece.bytes);
            chunks.extend(self.pass_on(piece.stream, &bytes));
        }
        self.show(chunks);
    }

    /// What was held back: the beginnings of what might have been secrets or characters.
    pub(super) fn finish(&mut self) {
        let mut chunks = Vec::new();
        chunks.extend(self.end_of_flood());
        for stream in [Stream::Stdout, Stream::Stderr] {
            let bytes = self.way(stream).redacted.finish();
            chunks.extend(self.pass_on(stream, &bytes));
            let text = self.way(stream).text.finish();
            chunks.extend(self.keep(stream, text, 0));
        }
        self.show(chunks);
        if let Some(Err(error)) = self.file.take().map(OutputFile::finish) {
            tracing::warn!(%error, "the end of a step's output could not be written");
        }
    }

    /// What was held back before the middle that is left out, and what came last.
    fn end_of_flood(&mut self) -> Vec<OutputChunk> {
        let Some(beyond) = self.beyond.take() else { return Vec::new() };
        let held = self.stdout.redacted.finish();
        let mut chunks: Vec<OutputChunk> = self.pass_on(Stream::Stdout, &held).into_iter().collect();
        let redacted = &mut self.stdout.redacted;
        let (end, left_out) = beyond.finish(|bytes| {
            let mut shown = redacted.push(bytes);
            shown.append(&mut redacted.finish());
            shown
        });
        if left_out.bytes > 0 {
            self.bytes += left_out.bytes;
            self.stdout.kept.leave_out(left_out.lines);
            if let Some(file) = &mut self.file {
                file.leave_out(left_out.bytes);
            }
        }
        chunks.extend(self.pass_on(Stream::Stdout, &end));
        chunks
    }

    fn pass_on(&mut self, stream: Stream, bytes: &[u8]) -> Option<OutputChunk> {
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.write(bytes)) {
            tracing::warn!(%error, "a step's output could not be written whole");
            self.file = None;
        }
        let text = self.way(stream).text.push(bytes);
        self.keep(stream, text, bytes.len())
    }

    fn keep(&mut self, stream: Stream, text: String, length: usize) -> Option<OutputChunk> {
        let from_byte = saturated(self.bytes);
        self.bytes += length as u64;
        if let Some(OfTerminal { terminal, record }) = &mut self.terminal {
            record.push(&text, terminal.size());
            return None;
        }
        self.remember(stream, &text);
        let bytes = saturated(self.bytes) - from_byte;
        (!text.is_empty() || bytes > 0).then_some(OutputChunk {
            stream,
            text,
            at_millis: self.last_at,
            from_byte,
            bytes,
        })
    }

    fn remember(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        let (way, other) = match stream {
            Stream::Stdout => (&mut self.stdout, &self.stderr),
            Stream::Stderr => (&mut self.stderr, &self.stdout),
        };
        if self.merged.is_none() && other.has_spoken {
            self.merged = Some(other.kept.clone());
        }
        if let Some(merged) = &mut self.merged {
            merged.push(text);
        }
        way.kept.push(text);
        way.has_spoken = true;
    }

    fn show(&mut self, chunks: Vec<OutputChunk>) {
        if !chunks.is_empty() {
            (self.live)(chunks);
        }
    }

    fn way(&mut self, stream: Stream) -> &mut Way {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    /// For what its command's jobs write from here on; this one shows nothing any more.
    pub(super) fn late(&mut self, request: &RunRequest) -> LateOutput {
        let live = std::mem::replace(&mut self.live, Box::new(|_| ()));
        LateOutput::new(request, &self.redactor, live, self.bytes)
    }

    pub(super) fn into_kept(self) -> Kept {
        let Self { stdout, stderr, merged, terminal, bytes, .. } = self;
        if let Some(OfTerminal { record, .. }) = terminal {
            let (merged, omitted_lines) = record.finish();
            let merged = Text::from(merged);
            return Kept { stdout: merged.clone(), stderr: Text::default(), merged, omitted_lines, bytes };
        }
        let only_stderr = stderr.has_spoken;
        let (stdout, stdout_omitted) = text(stdout.kept);
        let (stderr, stderr_omitted) = text(stderr.kept);
        let (merged, omitted_lines) = match merged {
            Some(merged) => text(merged),
            None if only_stderr => (stderr.clone(), stderr_omitted),
            None => (stdout.clone(), stdout_omitted),
        };
        Kept { stdout, stderr, merged, omitted_lines, bytes }
    }
}

fn text(kept: Folded) -> (Text, u32) {
    let (text, omitted_lines) = kept.finish();
    (text.into(), omitted_lines)
}

fn saturated(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
