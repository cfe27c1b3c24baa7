//! Output in bounded memory: the first and the last part of a stream as text, and the count of what lay between. Of a
//! line that was written over, as progress bars do, only what it became is kept.

use memchr::{memchr, memchr_iter, memchr2, memrchr};

use super::tail::Tail;

/// Bytes kept at each end of a stream. A hundred floods at once have to stay within what one may take; the file has it all.
const END_BYTES: usize = 32 * 1024;
/// Of a line, so many bytes may still be written over.
const LINE_BYTES: usize = 16 * 1024;

/// Bytes to text, also where a character is split between two chunks. What is not UTF-8 becomes U+FFFD.
#[derive(Debug, Default)]
pub(super) struct Utf8Stream {
    /// The start of a character whose rest has not come yet; at most three bytes.
    partial: Vec<u8>,
}

impl Utf8Stream {
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut begun = std::mem::take(&mut self.partial);
        let bytes = match begun.is_empty() {
            true => bytes,
            false => {
                begun.extend_from_slice(bytes);
                &begun
            }
        };
        let (whole, partial) = bytes.split_at(bytes.len() - incomplete_end(bytes));
        self.partial = partial.to_vec();
        String::from_utf8_lossy(whole).into_owned()
    }

    /// What was left incomplete at the end.
    pub(super) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.partial)).into_owned()
    }
}

/// How many bytes at the end may be the start of a character.
fn incomplete_end(bytes: &[u8]) -> usize {
    for length in 1..=bytes.len().min(3) {
        let tail = &bytes[bytes.len() - length..];
        if tail[0] & 0b1100_0000 == 0b1000_0000 {
            continue;
        }
        return match std::str::from_utf8(tail) {
            Err(error) if error.error_len().is_none() => length,
            Ok(_) | Err(_) => 0,
        };
    }
    0
}

/// Head and tail of a text whose lines may be written over after a carriage return.
#[derive(Debug, Clone, Default)]
pub(super) struct Folded {
    /// The line that has not ended.
    line: String,
    /// A carriage return came last: what comes next, if it is no line's end, stands in the line's place.
    returned: bool,
    kept: HeadAndTail,
}

impl Folded {
    pub(super) fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if !self.returned && memchr(b'\r', bytes).is_none() {
            // Nearly everything is like this, so it goes in one piece.
            let ended = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
            if ended > 0 {
                self.settle();
                self.kept.push(&text[..ended]);
            }
            self.add(&text[ended..]);
            return;
        }
        let mut rest = text;
        while let Some(at) = memchr2(b'\n', b'\r', rest.as_bytes()) {
            self.add(&rest[..at]);
            if rest.as_bytes()[at] == b'\r' {
                self.returned = true;
            } else {
                self.returned = false;
                self.settle();
                self.kept.push("\n");
            }
            rest = &rest[at + 1..];
        }
        self.add(rest);
    }

    fn add(&mut self, part: &str) {
        if part.is_empty() {
            return;
        }
        if std::mem::take(&mut self.returned) {
            self.line.clear();
        }
        let mut part = part;
        while self.line.len() + part.len() > LINE_BYTES {
            let (now, rest) = part.split_at(part.floor_char_boundary(LINE_BYTES - self.line.len()));
            self.line.push_str(now);
            self.settle();
            part = rest;
        }
        self.line.push_str(part);
    }

    fn settle(&mut self) {
        self.kept.push(&self.line);
        self.line.clear();
    }

    /// Lines that are not handed over, before what comes next.
    pub(super) fn leave_out(&mut self, lines: usize) {
        self.settle();
        self.kept.omitted_lines += lines;
        self.kept.omitted_any = true;
    }

    pub(super) fn finish(mut self) -> (String, u32) {
        self.settle();
        self.kept.finish()
    }
}

/// Head and tail of a text.
#[derive(Debug, Clone)]
struct HeadAndTail {
    head: String,
    /// May begin inside a character.
    tail: Tail,
    omitted_lines: usize,
    omitted_any: bool,
}

impl Default for HeadAndTail {
    fn default() -> Self {
        Self { head: String::new(), tail: Tail::new(END_BYTES), omitted_lines: 0, omitted_any: false }
    }
}

impl HeadAndTail {
    fn push(&mut self, text: &str) {
        let mut rest = text;
        if self.tail.is_empty() && self.head.len() < END_BYTES {
            let at = rest.floor_char_boundary(END_BYTES - self.head.len());
            let (head, after) = rest.split_at(at);
            let room = (self.head.len() + head.len()).next_power_of_two().min(END_BYTES);
            self.head.reserve_exact(room.saturating_sub(self.head.len()));
            self.head.push_str(head);
            rest = after;
        }
        let Self { tail, omitted_lines, omitted_any, .. } = self;
        tail.push(rest.as_bytes(), |gone| {
            *omitted_lines += memchr_iter(b'\n', gone).count();
            *omitted_any |= !gone.is_empty();
        });
    }

    /// The text, with a line in its place where something is left out, and the count of the lines left out.
    fn finish(self) -> (String, u32) {
        let omitted = u32::try_from(self.omitted_lines).unwrap_or(u32::MAX);
        let mark = match self.omitted_any {
            true => format!("\n[… {omitted} lines left out …]\n"),
            false => String::new(),
        };
        let (front, back) = self.tail.as_slices();
        // What is left of a character whose beginning fell out.
        let rest = front
            .iter()
            .chain(back)
            .take_while(|byte| self.omitted_any && **byte & 0b1100_0000 == 0b1000_0000);
        let rest = rest.count();
        let (front, back) = (&front[rest.min(front.len())..], &back[rest.saturating_sub(front.len())..]);
        let bytes = [self.head.as_bytes(), mark.as_bytes(), front, back].concat();
        let text = String::from_utf8(bytes);
        (text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()), omitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_split_gives_the_same_text() {
        let bytes = b"a\xc3\xa9\xff\xe2\x82\xac\xe2\x82z\xf0\x9f\x98\x80\xc3";
        let whole = String::from_utf8_lossy(bytes).into_owned();
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let mut stream = Utf8Stream::default();
                let mut text = stream.push(&bytes[..first]);
                text += &stream.push(&bytes[first..second]);
                text += &stream.push(&bytes[second..]);
                text += &stream.finish();
                assert_eq!(text, whole, "split at {first} and {second}");
            }
        }
    }

    #[test]
    fn short_output_is_kept_whole() {
        let mut kept = HeadAndTail::default();
        let text = "é\n".repeat(2 * END_BYTES / 3);
        for line in text.split_inclusive('\n') {
            kept.push(line);
        }
        assert_eq!(kept.finish(), (text, 0));
    }

    #[test]
    fn long_output_keeps_both_ends_and_counts_the_rest() {
        let mut kept = HeadAndTail::default();
        let lines = 1_000_000_u32;
        for number in 0..lines {
            kept.push(&format!("line {number}\n"));
        }
        let (text, omitted) = kept.finish();
        assert!(text.starts_with("line 0\nline 1\n") && text.ends_with("line 999998\nline 999999\n"));
        assert!(text.len() <= 2 * END_BYTES + 64);
        // Each line break was kept or counted; the line that tells of it has two of its own.
        assert_eq!(text.matches('\n').count() as u32 - 2 + omitted, lines);
    }

    fn folded(parts: &[&str]) -> String {
        let mut kept = Folded::default();
        parts.iter().for_each(|part| kept.push(part));
        kept.finish().0
    }

    #[test]
    fn a_line_that_was_written_over_is_kept_as_it_became() {
        for (text, shown) in [
            ("10%\r50%\r100%\nend", "100%\nend"),
            ("a\r\nb\r\r\nc\r", "a\nb\nc"),
            ("\r\r1\r2", "2"),
            ("é\r€\n", "€\n"),
            ("plain\n\nlines\n", "plain\n\nlines\n"),
        ] {
            assert_eq!(folded(&[text]), shown);
            let pieces: Vec<String> = text.chars().map(String::from).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(folded(&pieces), shown);
        }
    }

    #[test]
    fn a_progress_bar_takes_no_room() {
        let mut kept = Folded::default();
        kept.push("start\n");
        for percent in 0..100_000 {
            kept.push(&format!("\rat {percent}"));
        }
        kept.push("\nend\n");
        assert_eq!(kept.finish(), ("start\nat 99999\nend\n".to_owned(), 0));
    }

    #[test]
    fn a_line_without_end_keeps_both_its_ends() {
        let mut kept = Folded::default();
        let part = "0123456789".repeat(1000);
        for _ in 0..1000 {
            kept.push(&part);
        }
        let (text, omitted) = kept.finish();
        assert!(text.starts_with(&part) && text.ends_with(&part) && text.len() <= 2 * END_BYTES + 64);
        assert_eq!(omitted, 0);
    }
}
