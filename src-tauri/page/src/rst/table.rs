//! Tables of reStructuredText: simple ones by their columns, grids by their lines.

use crate::document::Cell;
use crate::inlines::Rendered;
use crate::lines::Line;
use crate::spans;

/// The rows of a table that begins here, and where it ends.
pub(super) fn read(lines: &[Line<'_>], at: usize) -> Option<(Vec<Vec<Cell>>, usize)> {
    let first = lines[at].trimmed();
    if first.starts_with("+-") && first.ends_with('+') {
        return grid(lines, at);
    }
    let columns = first.split_whitespace().count();
    let border =
        |text: &str| text.len() >= 3 && text.starts_with("==") && text.chars().all(|c| c == '=' || c == ' ');
    if columns < 2 || !border(first) {
        return None;
    }
    simple(lines, at, border)
}

fn simple(lines: &[Line<'_>], at: usize, border: impl Fn(&str) -> bool) -> Option<(Vec<Vec<Cell>>, usize)> {
    let mut starts = Vec::new();
    let mut before = ' ';
    for (index, c) in lines[at].text.char_indices() {
        if c == '=' && before == ' ' {
            starts.push(index);
        }
        before = c;
    }
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        if border(line.trimmed()) {
            let ends = lines.get(index + 1).is_none_or(Line::is_blank);
            if ends {
                return Some((rows, index + 1));
            }
            continue;
        }
        if line.is_blank() || line.trimmed().chars().all(|c| c == '-' || c == ' ') {
            continue;
        }
        let cells: Vec<Cell> = starts
            .iter()
            .enumerate()
            .map(|(column, start)| {
                let end = starts.get(column + 1).copied().unwrap_or(line.text.len()).min(line.text.len());
                cell(line, *start, end)
            })
            .collect();
        match rows.last_mut() {
            // A row goes on where its first column is empty.
            Some(row) if cells.first().is_some_and(|cell| cell.text.is_empty()) => join(row, cells),
            _ => rows.push(cells),
        }
    }
    None
}

fn grid(lines: &[Line<'_>], at: usize) -> Option<(Vec<Vec<Cell>>, usize)> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut open = false;
    let mut end = at;
    for (index, line) in lines.iter().enumerate().skip(at) {
        let text = line.trimmed();
        if text.starts_with('+') {
            open = false;
        } else if text.starts_with('|') {
            let bars: Vec<usize> = line.text.match_indices('|').map(|(bar, _)| bar).collect();
            let cells: Vec<Cell> = bars.windows(2).map(|pair| cell(line, pair[0] + 1, pair[1])).collect();
            match rows.last_mut() {
                Some(row) if open => join(row, cells),
                _ => rows.push(cells),
            }
            open = true;
        } else {
            break;
        }
        end = index + 1;
    }
    (!rows.is_empty()).then_some((rows, end))
}

fn cell(line: &Line<'_>, start: usize, end: usize) -> Cell {
    let text = line.text.get(start..end.max(start)).or_else(|| line.text.get(start..)).unwrap_or_default();
    let start = if text.is_empty() { line.end() } else { line.start + start };
    let (rendered, range) = spans::paragraph(&[Line { text, start }], &super::inline::NOTATION);
    let Rendered { text, inline } = rendered.trimmed();
    Cell { text, inline, range }
}

fn join(row: &mut [Cell], more: Vec<Cell>) {
    for (cell, mut next) in row.iter_mut().zip(more) {
        if next.text.is_empty() {
            continue;
        }
        if !cell.text.is_empty() {
            cell.text.push('\n');
        }
        let base = cell.text.len();
        cell.text.push_str(&next.text);
        for one in &mut next.inline {
            one.at += base;
        }
        cell.inline.append(&mut next.inline);
        cell.range.end = cell.range.end.max(next.range.end);
    }
}
