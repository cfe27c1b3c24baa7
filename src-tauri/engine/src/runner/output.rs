//! The way of a command's output through the engine. Secrets are hidden first, in each stream for itself, so that
//! nothing behind knows them: not the file, the result that is journalled and sent to models, nor the live view. It is
//! bounded in memory and never waits for who looks on.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::RunRequest;
use super::file::OutputFile;
use super::kept::{Folded, Utf8Stream};
use super::terminal::{Record, Terminal};
use super::wire::Piece;
use crate::protocol::{OutputChunk, Stream};
use crate::redact::{RedactedStream, Redactor};

#[derive(Debug)]
pub(super) struct Output {
    file: Option<OutputFile>,
    stdout: Way,
    stderr: Way,
    merged: Folded,
    terminal: Option<OfTerminal>,
    live: mpsc::Sender<Vec<OutputChunk>>,
    /// Bytes so far, as they are in the file.
    bytes: u64,
    last_at: u32,
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
}

/// What is kept in memory of an output that has ended.
pub(super) struct Kept {
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Both in order.
    pub(super) merged: String,
    pub(super) omitted_lines: u32,
    pub(super) bytes: u64,
}

impl Output {
    pub(super) fn new(
        request: &RunRequest,
        redactor: &Redactor,
        live: mpsc::Sender<Vec<OutputChunk>>,
    ) -> Self {
        let file = request.output_file.as_ref().and_then(|path| {
            OutputFile::create(path, request.output_cap)
                .inspect_err(
                    |error| tracing::warn!(%error, path = %path.display(), "no file for a step's output"),
                )
                .ok()
        });
        let way =
            || Way { redacted: redactor.stream(), text: Utf8Stream::default(), kept: Folded::default() };
        let terminal = request.terminal.as_ref().map(|terminal| OfTerminal {
            terminal: Arc::clone(terminal),
            record: Record::new(terminal.size()),
        });
        Self {
            file,
            stdout: way(),
            stderr: way(),
            merged: Folded::default(),
            terminal,
            live,
            bytes: 0,
            last_at: 0,
        }
    }

    pub(super) fn take(&mut self, pieces: &[Piece]) {
        let mut chunks = Vec::with_capacity(pieces.len());
        for piece in pieces {
            self.last_at = piece.at_millis;
            if let Some(OfTerminal { terminal, .. }) = &self.terminal {
                terminal.show(&piece.bytes);
            }
            let bytes = self.way(piece.stream).redacted.push(&piece.bytes);
            chunks.extend(self.pass_on(piece.stream, &bytes));
        }
        self.show(chunks);
    }

    /// What was held back: the beginnings of what might have been secrets or characters.
    pub(super) fn finish(&mut self) {
        let mut chunks = Vec::new();
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
        self.way(stream).kept.push(&text);
        self.merged.push(&text);
        let bytes = saturated(self.bytes) - from_byte;
        (!text.is_empty() || bytes > 0).then_some(OutputChunk {
            stream,
            text,
            at_millis: self.last_at,
            from_byte,
            bytes,
        })
    }

    /// A full or closed channel loses this batch of the live view, never of the outcome; the places of the batches
    /// around it tell.
    fn show(&self, chunks: Vec<OutputChunk>) {
        if !chunks.is_empty() {
            let _ = self.live.try_send(chunks);
        }
    }

    fn way(&mut self, stream: Stream) -> &mut Way {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    pub(super) fn into_kept(self) -> Kept {
        if let Some(OfTerminal { record, .. }) = self.terminal {
            let (merged, omitted_lines) = record.finish();
            let (stdout, stderr) = (merged.clone(), String::new());
            return Kept { stdout, stderr, merged, omitted_lines, bytes: self.bytes };
        }
        let (merged, omitted_lines) = self.merged.finish();
        Kept {
            stdout: self.stdout.kept.finish().0,
            stderr: self.stderr.kept.finish().0,
            merged,
            omitted_lines,
            bytes: self.bytes,
        }
    }
}

fn saturated(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
