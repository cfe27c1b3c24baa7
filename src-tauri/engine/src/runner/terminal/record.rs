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
        // Sequence by sequence: an editor may come and go within one piece.
        let ends = text.match_indices('\x1b').map(|(at, _)| at).chain([text.len()]);
        let mut start = 0;
        for end in ends {
            self.parser.process(&text.as_bytes()[start..end]);
            self.full_screen |= self.parser.screen().alternate_screen();
            start = end;
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::redact::Redactor;

    fn recorded(text: &str) -> String {
        let mut record = Record::new((24, 80));
        record.push(text, (24, 80));
        record.finish().0
    }

    #[test]
    fn lines_come_as_they_stood_and_editors_are_only_told_of() {
        assert_eq!(recorded("one\r\ntwo\x08\x08\x08TWO\r\n"), "one\nTWO\n");
        let many: String = (0..100).map(|n| format!("{n}\r\n")).collect();
        assert_eq!(recorded(&many), (0..100).map(|n| format!("{n}\n")).collect::<String>());
        let editor = "before\r\n\x1b[?1049h\x1b[2J\x1b[5;5Hdraft\x1b[?1049lafter\r\n";
        assert_eq!(recorded(editor), "[it drew on the whole screen]\nbefore\nafter\n");
        assert_eq!(recorded("\x1b[?1049h\x1b[Hkilled here"), "[it drew on the whole screen]\nkilled here\n");
    }

    const SECRET: &str = "tok-0123456789abcdef";

    fn sequence() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(SECRET.to_owned()),
            "[a-z ]{0,12}",
            (0..108u32).prop_map(|colour| format!("\x1b[{colour}m")),
            (1..30u32, 1..100u32).prop_map(|(row, col)| format!("\x1b[{row};{col}H")),
            prop::sample::select(vec![
                "\x1b[2J",
                "\x1b[K",
                "\x1b[?1049h",
                "\x1b[?1049l",
                "\r\n",
                "\x1b]0;title\x07"
            ])
            .prop_map(str::to_owned),
        ]
    }

    fn sequences(text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = text.split('\x1b').skip(1).collect();
        for part in &mut found {
            *part = part.find(|end: char| end.is_ascii_alphabetic()).map_or(*part, |end| &part[..=end]);
        }
        found
    }

    proptest! {
        #[test]
        fn hidden_secrets_leave_every_sequence_whole(
            parts in prop::collection::vec(sequence(), 0..40),
            cut in 1..40usize,
        ) {
            let redactor = Redactor::default();
            redactor.know(SECRET);
            let text = parts.concat();
            let mut stream = redactor.stream();
            let mut out: Vec<u8> = text.as_bytes().chunks(cut).flat_map(|chunk| stream.push(chunk)).collect();
            out.extend(stream.finish());
            let out = String::from_utf8(out).unwrap();
            prop_assert!(!out.contains(SECRET));
            prop_assert_eq!(sequences(&out), sequences(&text));
        }

        #[test]
        fn no_output_and_no_size_is_too_odd(
            parts in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..60), 1..40u16, 1..60u16), 0..20),
            tail in prop::collection::vec(sequence(), 0..20),
        ) {
            let mut record = Record::new((24, 80));
            let redactor = Redactor::default();
            let mut screen = super::super::screen::Screen::new((24, 80), &redactor);
            for (bytes, rows, cols) in &parts {
                record.push(&String::from_utf8_lossy(bytes), (*rows, *cols));
                screen.resize((*rows, *cols));
                screen.push(bytes);
                for part in &tail {
                    record.push(part, (*rows, *cols));
                    screen.push(part.as_bytes());
                }
                screen.whole(true);
            }
            record.finish();
        }
    }
}
