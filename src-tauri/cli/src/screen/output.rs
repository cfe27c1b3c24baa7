//! What commands print, under a rule of its own: no sequence of theirs reaches the terminal, and a line that is written over,
//! as progress bars do, stays one line.

use std::io::{self, Write as _};

use anstream::adapter::StripStr;
use planwright_engine::protocol::{OutputChunk, StepId, Stream};

use super::Screen;

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
        let mut rest = text;
        while let Some(at) = rest.find(['\n', '\r']) {
            self.print(stream, &rest[..at], shown);
            // The bar of one stream takes the place of nothing that the other said.
            let is_its_own = self.at_line_start || self.line_of.is_none_or(|of| of == stream);
            if rest.as_bytes()[at] == b'\r' && is_its_own {
                self.returned = true;
            } else {
                self.end_line(shown);
            }
            rest = &rest[at + 1..];
        }
        self.print(stream, rest, shown);
    }

    /// A part of a line of output. After a carriage return it takes the place of what the line was: on a terminal it is
    /// drawn over it, elsewhere only what the line became is shown.
    fn print(&mut self, stream: Stream, part: &str, shown: &mut String) {
        let plain: String = self.strip.strip_next(part).collect();
        if plain.is_empty() {
            return;
        }
        let over = std::mem::take(&mut self.returned);
        self.line_of = Some(stream);
        if !self.redraws {
            if over {
                self.line.clear();
            }
            self.line.push_str(&plain);
            self.at_line_start = false;
            return;
        }
        if over && !self.at_line_start {
            shown.push_str("\r\x1b[K");
            self.at_line_start = true;
        }
        if self.at_line_start {
            shown.push_str(&self.rule);
        }
        shown.push_str(&plain);
        self.at_line_start = false;
    }

    fn end_line(&mut self, shown: &mut String) {
        self.returned = false;
        if self.at_line_start || !self.redraws {
            shown.push_str(&self.rule);
        }
        shown.push_str(&self.line);
        self.line.clear();
        self.line_of = None;
        shown.push('\n');
        self.at_line_start = true;
    }

    /// Whatever comes next begins a line.
    pub(super) fn fresh_line(&mut self) -> io::Result<()> {
        if !self.at_line_start {
            let mut shown = String::new();
            match self.line.is_empty() {
                true => shown.push('\n'),
                false => self.end_line(&mut shown),
            }
            write!(self.out, "{shown}")?;
            self.at_line_start = true;
        }
        self.returned = false;
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
