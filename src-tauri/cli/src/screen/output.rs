//! What commands print, under a rule of its own: no sequence of theirs reaches the terminal, and a line that is written over,
//! as progress bars do, stays one line.

use std::io::{self, Write as _};

use anstream::adapter::StripStr;
use planwright_engine::protocol::{OutputChunk, StepId, Stream};

use super::Screen;

/// Most lines that are drawn over.
const MOST_LINES: usize = 100;
/// Longest line that is drawn again whole, in bytes.
const LONGEST_LINE: usize = 16 * 1024;

/// Lines that a command draws over again and again.
#[derive(Debug)]
pub(super) struct Block {
    lines: Vec<String>,
    row: usize,
    height: usize,
}

impl Block {
    fn line(&mut self) -> &mut String {
        if self.lines.len() <= self.row {
            self.lines.resize(self.row + 1, String::new());
        }
        &mut self.lines[self.row]
    }
}

/// What moves the place where a command writes.
#[derive(Debug, Clone, Copy)]
enum Move {
    End,
    /// To the line's start; also where the line is emptied.
    Start,
    Back,
    Up(usize),
}

enum Found {
    /// With its length in bytes.
    Move(Move, usize),
    Other,
    /// A sequence that has not come to its end.
    Begun,
}

impl Move {
    /// Of a text that begins with a sign.
    fn of(text: &str) -> Found {
        let plain = match text.as_bytes()[0] {
            b'\n' => Some(Self::End),
            b'\r' => Some(Self::Start),
            b'\x08' => Some(Self::Back),
            _ => None,
        };
        if let Some(moved) = plain {
            return Found::Move(moved, 1);
        }
        let Some(sequence) = text[1..].strip_prefix('[') else {
            return if text.len() == 1 { Found::Begun } else { Found::Other };
        };
        let length = sequence.find(|c: char| !c.is_ascii_digit());
        let Some(length) = length.filter(|length| *length < 4) else {
            return if length.is_none() && sequence.len() < 4 { Found::Begun } else { Found::Other };
        };
        let number: usize = sequence[..length].parse().unwrap_or(0);
        let moved = match (sequence.as_bytes()[length], number) {
            (b'A' | b'F', lines) => Self::Up(lines.max(1)),
            (b'G', 0 | 1) | (b'K', 1 | 2) => Self::Start,
            _ => return Found::Other,
        };
        Found::Move(moved, length + 3)
    }
}

impl Screen {
    pub(crate) fn output(&mut self, step: &StepId, chunks: &[OutputChunk]) -> io::Result<()> {
        // Several are worked side by side: what they print would stand in each other's lines.
        if self.branches.contains_key(step) {
            return Ok(());
        }
        // Written in one piece: a command may print faster than line by line can be shown.
        let mut shown = String::new();
        for chunk in chunks {
            self.take(chunk.stream, &chunk.text, &mut shown);
        }
        // Past the colour filter, for no colour is left in it but the rule's.
        let mut out = io::stdout().lock();
        out.write_all(shown.as_bytes())?;
        out.flush()
    }

    fn take(&mut self, stream: Stream, text: &str, shown: &mut String) {
        let text = std::mem::take(&mut self.begun) + text;
        let (mut from, mut at) = (0, 0);
        while let Some(sign) = text[at..].find(['\n', '\r', '\u{8}', '\u{1b}']) {
            let place = at + sign;
            match Move::of(&text[place..]) {
                Found::Move(moved, length) => {
                    self.print(stream, &text[from..place], shown);
                    self.go(moved, stream, shown);
                    (from, at) = (place + length, place + length);
                }
                // Colours and the like: the filter takes them out.
                Found::Other => at = place + 1,
                Found::Begun => {
                    self.print(stream, &text[from..place], shown);
                    self.begun = text[place..].to_owned();
                    return;
                }
            }
        }
        self.print(stream, &text[from..], shown);
    }

    fn go(&mut self, moved: Move, stream: Stream, shown: &mut String) {
        // The bar of one stream takes the place of nothing that the other said.
        let is_its_own = self.at_line_start || self.line_of.is_none_or(|of| of == stream);
        match moved {
            Move::Start if is_its_own => self.returned = true,
            Move::Back if is_its_own => self.back += 1,
            Move::Up(lines) if self.block.is_some() || lines <= MOST_LINES => self.up(lines, shown),
            Move::Start | Move::Back | Move::Up(_) | Move::End => self.end_line(shown),
        }
    }

    /// What is drawn over lines above is held until it stays: the lines as they were at first are shown already.
    fn up(&mut self, lines: usize, shown: &mut String) {
        self.returned = true;
        match &mut self.block {
            Some(block) => block.row = block.row.saturating_sub(lines),
            None => {
                let mut height = lines;
                if !self.at_line_start {
                    height += 1;
                    self.end_line(shown);
                    self.returned = true;
                }
                self.block = Some(Block { lines: vec![String::new(); height], row: 0, height });
            }
        }
    }

    /// A part of a line of output. After a carriage return it takes the place of what the line was: on a terminal it is
    /// drawn over it, elsewhere only what the line became is shown.
    fn print(&mut self, stream: Stream, part: &str, shown: &mut String) {
        let plain: String = self.strip.strip_next(part).collect();
        if plain.is_empty() {
            return;
        }
        let (over, back) = (std::mem::take(&mut self.returned), std::mem::take(&mut self.back));
        self.line_of = Some(stream);
        let line = match &mut self.block {
            Some(block) => block.line(),
            None => &mut self.line,
        };
        if over {
            line.clear();
        }
        for _ in 0..back {
            line.pop();
        }
        line.push_str(&plain);
        if self.block.is_some() {
            return;
        }
        let begins = std::mem::take(&mut self.at_line_start);
        match self.redraws {
            true if begins => shown.extend([self.rule.as_str(), &plain]),
            true if over || back > 0 => shown.extend(["\r\x1b[K", &self.rule, &self.line]),
            true => shown.push_str(&plain),
            false => return,
        }
        // On a terminal it is kept only to be drawn again.
        if self.line.len() > LONGEST_LINE {
            self.line.clear();
        }
    }

    fn end_line(&mut self, shown: &mut String) {
        (self.returned, self.back) = (false, 0);
        if let Some(block) = &mut self.block {
            block.row += 1;
            // A line behind those that are drawn over: they stay as they are.
            if block.row > block.height {
                self.settle(shown);
            }
            self.returned = self.block.is_some();
            return;
        }
        if self.at_line_start || !self.redraws {
            shown.push_str(&self.rule);
        }
        if !self.redraws {
            shown.push_str(&self.line);
        }
        self.line.clear();
        self.line_of = None;
        shown.push('\n');
        self.at_line_start = true;
    }

    /// Shows what was drawn over lines above.
    fn settle(&mut self, shown: &mut String) {
        let Some(block) = self.block.take() else { return };
        for line in block.lines.iter().filter(|line| !line.is_empty()) {
            shown.extend([self.rule.as_str(), line, "\n"]);
        }
        (self.line_of, self.at_line_start) = (None, true);
    }

    /// Whatever comes next begins a line.
    pub(super) fn fresh_line(&mut self) -> io::Result<()> {
        let mut shown = String::new();
        self.settle(&mut shown);
        if !self.at_line_start {
            match self.line.is_empty() {
                true => shown.push('\n'),
                false => self.end_line(&mut shown),
            }
            self.at_line_start = true;
        }
        write!(self.out, "{shown}")?;
        (self.returned, self.back) = (false, 0);
        self.begun.clear();
        // A sequence that a command left open ends with its output.
        self.strip = StripStr::new();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(redraws: bool, parts: &[&str]) -> String {
        let mut screen = Screen::new();
        (screen.redraws, screen.rule) = (redraws, "| ".to_owned());
        let mut shown = String::new();
        parts.iter().for_each(|part| screen.take(Stream::Stdout, part, &mut shown));
        shown
    }

    #[test]
    fn a_progress_bar_is_one_line() {
        let bar: String = (0..2000).map(|done| format!("\r{done} of 2000")).collect();
        let parts = ["get\n", bar.as_str(), "\r2000 of 2000", "\r", "\n", "done\r\n"];
        assert_eq!(shown(false, &parts), "| get\n| 2000 of 2000\n| done\n");
        let drawn = shown(true, &parts);
        assert_eq!(drawn.matches('\n').count(), 3, "{drawn:?}");
        assert!(drawn.starts_with("| get\n| 0 of 2000\r\u{1b}[K| 1 of 2000"), "{drawn:?}");
        assert!(drawn.ends_with("\r\u{1b}[K| 2000 of 2000\n| done\n"), "{drawn:?}");
    }

    #[test]
    fn a_bar_that_is_drawn_by_sequences_or_back_spaces_is_one_line() {
        let erased: String = (0..300).map(|done| format!("\x1b[2K\x1b[1G{done} of 300")).collect();
        assert_eq!(shown(false, &[&erased, "\n"]), "| 299 of 300\n");
        // Cut anywhere.
        let cut: Vec<String> = erased.chars().map(String::from).collect();
        let cut: Vec<&str> = cut.iter().map(String::as_str).collect();
        assert_eq!(shown(false, &[&*cut, &["\n"]].concat()), "| 299 of 300\n");
        let spinner: String = (0..300).map(|turn| format!("\u{8}{}", ["|", "/", "-"][turn % 3])).collect();
        assert_eq!(shown(false, &["wait |", &spinner, "\u{8} \u{8}\n"]), "| wait  \n");
        let drawn = shown(true, &["wait |", &spinner, "\u{8}done\n"]);
        assert_eq!(drawn.matches('\n').count(), 1, "{drawn:?}");
        assert!(drawn.ends_with("\r\u{1b}[K| wait done\n"), "{drawn:?}");
    }

    #[test]
    fn lines_that_are_drawn_over_from_above_are_shown_as_they_are_at_last() {
        let frames: String = (1..=300).map(|n| format!("\x1b[2A\x1b[2Ka {n}\n\x1b[2Kb {n}\n")).collect();
        for redraws in [false, true] {
            let all = shown(redraws, &["a 0\nb 0\n", &frames, "and on\n", "last\n"]);
            assert_eq!(all, "| a 0\n| b 0\n| a 300\n| b 300\n| and on\n| last\n");
        }
    }

    #[test]
    fn the_bar_of_one_stream_hides_nothing_of_the_other() {
        for redraws in [true, false] {
            let mut screen = Screen::new();
            (screen.redraws, screen.rule) = (redraws, "| ".to_owned());
            let mut shown = String::new();
            screen.take(Stream::Stderr, "  0 of 8\r", &mut shown);
            screen.take(Stream::Stdout, "It works", &mut shown);
            screen.take(Stream::Stderr, "\r100 of 8\n", &mut shown);
            assert!(shown.ends_with("It works\n| 100 of 8\n"), "{shown:?}");
        }
    }

    #[test]
    fn lines_are_shown_as_they_are_and_nothing_of_theirs_steers_the_terminal() {
        for redraws in [true, false] {
            assert_eq!(shown(redraws, &["a\n\n\u{1b}[2J\u{1b}[31mb", "c\u{1b}[0m\n"]), "| a\n| \n| bc\n");
        }
    }
}
