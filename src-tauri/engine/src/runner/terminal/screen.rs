//! What a terminal shows: its output with the secrets hidden, and the screen that comes of it.

use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use super::Size;
use crate::protocol::TerminalScreen;
use crate::redact::{RedactedStream, Redactor};
use crate::runner::kept::Utf8Stream;

pub(super) struct Screen {
    redacted: RedactedStream,
    text: Utf8Stream,
    parser: vt100::Parser,
    /// Pieces that were published.
    pub(super) upto: u32,
    last: Instant,
}

impl Screen {
    pub(super) fn new(size: Size, redactor: &Redactor) -> Self {
        let (rows, cols) = nonzero(size);
        Self {
            redacted: redactor.stream(),
            text: Utf8Stream::default(),
            parser: vt100::Parser::new(rows, cols, 0),
            upto: 0,
            last: Instant::now(),
        }
    }

    /// Takes output; returns what is to be shown.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.last = Instant::now();
        let bytes = self.redacted.push(bytes);
        self.draw(&bytes)
    }

    /// What was held back as the possible beginning of a secret. One that is written in pieces with rests between them is
    /// seen here, as in any terminal; the record and the file, which nobody waits for, never let go of it.
    pub(super) fn let_out(&mut self) -> String {
        let bytes = self.redacted.finish();
        self.draw(&bytes)
    }

    fn draw(&mut self, bytes: &[u8]) -> String {
        let text = self.text.push(bytes);
        self.parser.process(text.as_bytes());
        text
    }

    pub(super) fn is_quiet_since(&self, time: Duration) -> bool {
        self.last.elapsed() >= time
    }

    pub(super) fn resize(&mut self, size: Size) {
        let (rows, cols) = nonzero(size);
        self.parser.set_size(rows, cols);
    }

    pub(super) fn whole(&self, running: bool) -> TerminalScreen {
        let screen = self.parser.screen();
        let (rows, cols) = screen.size();
        let alternate = if screen.alternate_screen() { "\x1b[?1049h" } else { "" };
        let text = format!("{alternate}{}", screen.state_formatted());
        TerminalScreen { rows: rows.get(), cols: cols.get(), text, upto: self.upto, running }
    }
}

pub(super) fn nonzero((rows, cols): Size) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(rows).unwrap_or(NonZeroU16::MIN), NonZeroU16::new(cols).unwrap_or(NonZeroU16::MIN))
}
