//! Lines that are code as they stand: without the indentation that all of them share.

use std::ops::Range;

use crate::document::{Code, CodeStyle};
use crate::lines::Line;

/// A block of these lines without blank ones around it; None where nothing is left.
pub(crate) fn code(
    lines: &[Line<'_>],
    style: CodeStyle,
    language: Option<&str>,
) -> Option<(Code, Range<usize>)> {
    let first = lines.iter().position(|line| !line.is_blank())?;
    let last = lines.iter().rposition(|line| !line.is_blank())?;
    let lines = &lines[first..=last];
    let shared = lines.iter().filter(|line| !line.is_blank()).map(Line::indent).min().unwrap_or(0);
    let mut code = Code::new(style);
    code.language =
        language.map(str::trim).filter(|language| !language.is_empty()).map(str::to_ascii_lowercase);
    for (index, line) in lines.iter().enumerate() {
        let line = line.dedented(shared);
        if index > 0 {
            code.text.push('\n');
        }
        code.text.push_str(line.text);
        code.lines.push(line.range());
    }
    let range = code.lines.first().map_or(0, |line| line.start)..code.lines.last().map_or(0, |line| line.end);
    Some((code, range))
}
