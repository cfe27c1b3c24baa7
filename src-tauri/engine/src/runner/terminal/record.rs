//! What is kept of a terminal's output as text, for the record and for models: the lines as they stood when they left the
//! screen, and the screen at the end. What was drawn on a whole screen of its own, as editors do, is only told of.

use vt100::capture::{BasicFormattedCaptureRange, BasicFormattedCaptureState, RowContents};

use super::Size;
use super::screen::nonzero;
use crate::runner::kept::Folded;

const FULL_SCREEN: &str = "[it drew on the whole screen]\n";

pub(in crate::runner) struct Record {
    parser: vt100::Parser<Scrolled>,
    size: Size,
    kept: Folded,
    full_screen: bool,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("size", &self.size).finish_non_exhaustive()
    }
}

/// Lines that have left the screen, with their colours.
#[derive(Default)]
struct Scrolled {
    text: String,
    state: BasicFormattedCaptureState,
}

impl vt100::Callbacks for Scrolled {
    fn on_scroll(&mut self, contents: RowContents<'_>, alternate_screen: bool) {
        if !alternate_screen {
            // Writing to a text cannot fail.
            let _ = contents.write_formatted_basic(&mut self.text, &mut self.state);
        }
    }
}

impl Record {
    pub(in crate::runner) fn new(size: Size) -> Self {
        let (rows, cols) = nonzero(size);
        let parser = vt100::Parser::new_with_callbacks(rows, cols, 0, Scrolled::default());
        Self { parser, size, kept: Folded::default(), full_screen: false }
    }

    pub(in crate::runner) fn push(&mut self, text: &str, size: Size) {
        if size != self.size {
            let (rows, cols) = nonzero(size);
            self.parser.set_size(rows, cols);
            self.size = size;
        }
        self.parser.process(text.as_bytes());
        self.full_screen |= self.parser.screen().alternate_screen();
        let scrolled = std::mem::take(&mut self.parser.callbacks_mut().text);
        self.kept.push(&scrolled);
    }

    /// The text, and how many of its lines were left out.
    pub(in crate::runner) fn finish(mut self) -> (String, u32) {
        let mut last = String::new();
        let (screen, scrolled) = self.parser.screen_and_callbacks_mut();
        let range = if screen.alternate_screen() {
            BasicFormattedCaptureRange::Visible
        } else {
            BasicFormattedCaptureRange::Full(&mut scrolled.state)
        };
        let _ = screen.write_contents_formatted_basic(&mut last, range);
        if self.full_screen {
            self.kept.push(FULL_SCREEN);
        }
        let last = trimmed(&last);
        self.kept.push(&last);
        self.kept.push("\x1b[m");
        let (text, omitted) = self.kept.finish();
        // Only where colours are open.
        let plain = text.strip_suffix("\x1b[m").filter(|text| !text.contains('\x1b')).map(str::to_owned);
        (plain.unwrap_or(text), omitted)
    }
}

/// Without the blank end of each line, and the blank lines at the end, of a screen.
fn trimmed(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().map(|line| line.trim_end_matches(' ')).collect();
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let text = lines[..end].join("\n");
    if text.is_empty() { text } else { text + "\n" }
}
