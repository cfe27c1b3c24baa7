//! The text of a file with the numbers of its lines, in bounded pieces.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::prepare::Target;
use super::{ToolFailure, reach, text};

/// Most that the model is told at once, in bytes.
const MAX_TOLD: usize = 64 * 1024;
/// Most of one line, in bytes.
const MAX_LINE: usize = 2000;
/// How long lines are skipped at most: a file can be endless.
const PATIENCE: Duration = Duration::from_secs(10);

/// Lines from `offset` (from 1) on, `limit` at most and as many as may be told.
pub(super) fn read(
    target: &Target,
    offset: u32,
    limit: Option<u32>,
    cancel: &AtomicBool,
) -> Result<String, ToolFailure> {
    let failed = |error: io::Error| ToolFailure::from_io(&error, &target.shown);
    let (file, _) = reach::file(&target.path).map_err(failed)?;
    let mut lines =
        Lines { from: BufReader::with_capacity(64 * 1024, file), until: Instant::now() + PATIENCE };
    let last = limit.map_or(u32::MAX, |limit| offset.saturating_add(limit.saturating_sub(1)));
    let mut told = String::new();
    let mut number = 0u32;
    loop {
        let next = number.saturating_add(1);
        if next > last {
            if lines.more().map_err(failed)? {
                told.push_str(&format!("[More lines follow. Go on with offset {next}.]\n"));
            }
            return Ok(told);
        }
        let keep = if next < offset { 0 } else { MAX_LINE };
        let line = lines.next(keep, cancel).map_err(failed)?;
        if cancel.load(Ordering::Relaxed) {
            return Err(ToolFailure::Cancelled);
        }
        let Some(line) = line else { break };
        number = next;
        if line.binary {
            return Err(ToolFailure::Binary { path: target.shown.clone() });
        }
        if number < offset {
            continue;
        }
        let shown = line.shown(&target.shown, number == 1)?;
        if told.len() + shown.len() + 12 > MAX_TOLD {
            told.push_str(&format!("[More lines follow. Go on with offset {number}.]\n"));
            return Ok(told);
        }
        told.push_str(&format!("{number}\t{shown}\n"));
    }
    match (number, told.is_empty()) {
        (0, _) if offset == 1 => Ok("[The file is empty.]\n".to_owned()),
        (_, true) => Err(ToolFailure::PastEnd { path: target.shown.clone(), offset, lines: number }),
        (_, false) => Ok(told),
    }
}

struct Line {
    /// Its beginning.
    bytes: Vec<u8>,
    /// All of it, without the line's end.
    length: usize,
    binary: bool,
}

impl Line {
    fn shown(&self, path: &str, first: bool) -> Result<String, ToolFailure> {
        let cut = self.length.saturating_sub(self.bytes.len());
        let whole = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            // The cut went through a letter.
            Err(error) if cut > 0 && error.error_len().is_none() => {
                text::text_of(&self.bytes[..error.valid_up_to()], path)?
            }
            Err(_) => return Err(ToolFailure::NotUtf8 { path: path.to_owned() }),
        };
        let text = if first { whole.strip_prefix('\u{feff}').unwrap_or(whole) } else { whole };
        let text = text.strip_suffix('\r').unwrap_or(text);
        Ok(if cut > 0 {
            format!("{text} [cut: this line has {} bytes]", self.length)
        } else {
            text.to_owned()
        })
    }
}

struct Lines {
    from: BufReader<File>,
    until: Instant,
}

impl Lines {
    fn more(&mut self) -> io::Result<bool> {
        Ok(!self.from.fill_buf()?.is_empty())
    }

    /// The next line, of which at most `keep` bytes are held; `None` at the end.
    fn next(&mut self, keep: usize, cancel: &AtomicBool) -> io::Result<Option<Line>> {
        let mut line = Line { bytes: Vec::new(), length: 0, binary: false };
        let mut any = false;
        loop {
            let buffer = self.from.fill_buf()?;
            if buffer.is_empty() || cancel.load(Ordering::Relaxed) {
                return Ok(any.then_some(line));
            }
            if Instant::now() > self.until {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "it takes too long to read so far into it",
                ));
            }
            any = true;
            let end = memchr::memchr(b'\n', buffer);
            let piece = &buffer[..end.unwrap_or(buffer.len())];
            line.binary |= memchr::memchr(0, piece).is_some();
            line.length += piece.len();
            let room = keep.saturating_sub(line.bytes.len()).min(piece.len());
            line.bytes.extend_from_slice(&piece[..room]);
            let used = piece.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() || line.binary {
                return Ok(Some(line));
            }
        }
    }
}
