//! What jobs write after their command's end: it stays that command's. Secrets are hidden in it as in all output; it goes to
//! the live view, and to the end of the file that holds the output.

use std::fs::File;
use std::io::Write;

use super::kept::Utf8Stream;
use super::{Live, RunRequest};
use crate::protocol::{OutputChunk, Stream};
use crate::redact::{RedactedStream, Redactor};

/// Bytes of it that the file takes.
const CAP: u64 = 1024 * 1024;
const CUT: &[u8] = b"\n[\xe2\x80\xa6 what came later is left out]\n";

pub(super) struct LateOutput {
    file: Option<File>,
    room: u64,
    stdout: (RedactedStream, Utf8Stream),
    stderr: (RedactedStream, Utf8Stream),
    live: Live,
    /// Of the command's output so far.
    bytes: u64,
}

impl std::fmt::Debug for LateOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LateOutput({} bytes)", self.bytes)
    }
}

impl LateOutput {
    /// `bytes`: what the command had written at its end.
    pub(super) fn new(request: &RunRequest, redactor: &Redactor, live: Live, bytes: u64) -> Self {
        let file = request.output_file.as_ref().and_then(|path| File::options().append(true).open(path).ok());
        let way = || (redactor.stream(), Utf8Stream::default());
        Self { file, room: CAP, stdout: way(), stderr: way(), live, bytes }
    }

    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let shown = self.way(stream).0.push(bytes);
        self.pass_on(stream, &shown);
        // Nobody knows when more comes; a line that is whole is not held back.
        if bytes.ends_with(b"\n") {
            let shown = self.way(stream).0.let_go();
            self.pass_on(stream, &shown);
        }
    }

    fn pass_on(&mut self, stream: Stream, bytes: &[u8]) {
        let fits = usize::try_from(self.room).map_or(bytes.len(), |room| room.min(bytes.len()));
        let written = self.file.as_mut().map(|file| {
            file.write_all(&bytes[..fits])?;
            if fits < bytes.len() { file.write_all(CUT) } else { Ok(()) }
        });
        if let Some(Err(error)) = &written {
            tracing::warn!(%error, "what a job writes could not be kept");
        }
        self.room -= fits as u64;
        if fits < bytes.len() || matches!(written, Some(Err(_))) {
            self.file = None;
        }
        let text = self.way(stream).1.push(bytes);
        let from_byte = u32::try_from(self.bytes).unwrap_or(u32::MAX);
        self.bytes += bytes.len() as u64;
        if !text.is_empty() {
            let bytes = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            (self.live)(vec![OutputChunk { stream, text, at_millis: 0, from_byte, bytes }]);
        }
    }

    fn way(&mut self, stream: Stream) -> &mut (RedactedStream, Utf8Stream) {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}
