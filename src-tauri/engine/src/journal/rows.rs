//! The kept output of an attempt, row by row, read where it is asked for and searched whole. A file only ever grows while
//! its command runs, so what was found of its rows stays true; only places are remembered, never text.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use memchr::memchr2;
use regex::bytes::{Regex, RegexBuilder};

use crate::protocol::{OutputMatches, OutputQuery, OutputRows};

/// A longer line is shown in pieces of this many bytes and the rest of a character.
const ROW_BYTES: usize = 4096;
/// The place of each row whose number this divides is remembered.
const STRIDE: u32 = 256;
/// Rows that are read at once.
const MOST_ROWS: u32 = 1000;
/// Places that a search names.
const MOST_MATCHES: usize = 10_000;
/// Files whose rows are remembered.
const FILES: usize = 8;
const CHUNK: usize = 256 * 1024;

/// Takes rows out of bytes that come in pieces. A carriage return sets a row back, as on a screen.
#[derive(Debug, Clone, Default)]
struct Rows {
    /// Of the row that has not ended.
    shown: Vec<u8>,
    returned: bool,
    /// Bytes taken.
    at: u64,
}

impl Rows {
    /// Hands on each row that ends, with the place behind it.
    fn take(&mut self, bytes: &[u8], row: &mut dyn FnMut(&[u8], u64) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut rest = bytes;
        while let Some(at) = memchr2(b'\n', b'\r', rest) {
            self.add(&rest[..at], row)?;
            self.at += 1;
            self.returned = rest[at] == b'\r';
            if !self.returned {
                row(&self.shown, self.at)?;
                self.shown.clear();
            }
            rest = &rest[at + 1..];
        }
        self.add(rest, row)
    }

    fn add(&mut self, part: &[u8], row: &mut dyn FnMut(&[u8], u64) -> ControlFlow<()>) -> ControlFlow<()> {
        if part.is_empty() {
            return ControlFlow::Continue(());
        }
        if std::mem::take(&mut self.returned) {
            self.shown.clear();
        }
        let mut part = part;
        loop {
            let mut fits = ROW_BYTES.saturating_sub(self.shown.len()).min(part.len());
            // No character is cut in two; what is none ends somewhere.
            while part.get(fits).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000)
                && self.shown.len() + fits < ROW_BYTES + 3
            {
                fits += 1;
            }
            self.shown.extend_from_slice(&part[..fits]);
            self.at += fits as u64;
            part = &part[fits..];
            if part.is_empty() {
                return ControlFlow::Continue(());
            }
            row(&self.shown, self.at)?;
            self.shown.clear();
        }
    }
}

/// What is known of a file's rows.
#[derive(Debug, Clone, Default)]
struct Index {
    /// Where the rows 0, 256, 512 … begin.
    places: Vec<u64>,
    /// Rows that have ended.
    ended: u32,
    rows: Rows,
}

impl Index {
    /// Takes in what the file has grown by.
    fn grow(&mut self, file: &mut File) -> io::Result<()> {
        if file.metadata()?.len() < self.rows.at {
            *self = Self::default();
        }
        if self.places.is_empty() {
            self.places.push(0);
        }
        let (places, ended) = (&mut self.places, &mut self.ended);
        file.seek(SeekFrom::Start(self.rows.at))?;
        let rows = &mut self.rows;
        each_chunk(file, |bytes| {
            rows.take(bytes, &mut |_, behind| {
                *ended += 1;
                if *ended % STRIDE == 0 {
                    places.push(behind);
                }
                if *ended == u32::MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })
    }

    fn total(&self) -> u32 {
        self.ended.saturating_add(u32::from(!self.rows.shown.is_empty()))
    }
}

/// Remembers where rows begin in the files that were looked at last.
#[derive(Debug, Default)]
pub(super) struct RowReader {
    known: Mutex<VecDeque<(PathBuf, Index)>>,
}

impl RowReader {
    /// Rows from number `from`. Blocks.
    pub(super) fn rows(&self, path: &Path, from: u32, count: u32) -> io::Result<OutputRows> {
        let mut file = File::open(path)?;
        let index = self.index(path, &mut file)?;
        let total = index.total();
        let wanted = count.min(MOST_ROWS).min(total.saturating_sub(from));
        let mut found = Vec::with_capacity(wanted as usize);
        let Some(place) = index.places.get((from / STRIDE) as usize).filter(|_| wanted > 0) else {
            return Ok(OutputRows { from, rows: found, total });
        };
        file.seek(SeekFrom::Start(*place))?;
        let (mut rows, mut skip) = (Rows::default(), from % STRIDE);
        each_chunk(&mut file, |bytes| {
            rows.take(bytes, &mut |row, _| {
                if skip > 0 {
                    skip -= 1;
                } else {
                    found.push(String::from_utf8_lossy(row).into_owned());
                }
                if found.len() < wanted as usize { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        })?;
        if found.len() < wanted as usize && skip == 0 {
            // The last one, which has no end.
            found.push(String::from_utf8_lossy(&rows.shown).into_owned());
        }
        Ok(OutputRows { from, rows: found, total })
    }

    fn index(&self, path: &Path, file: &mut File) -> io::Result<Index> {
        let known = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.iter().position(|(known, _)| known == path).and_then(|at| known.remove(at))
        };
        // Outside of the lock: others need not wait for a long file.
        let mut index = known.map(|(_, index)| index).unwrap_or_default();
        index.grow(file)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.truncate(FILES - 1);
        known.push_front((path.to_owned(), index.clone()));
        Ok(index)
    }
}

/// Where the text stands, in what the rows show: without colours. Blocks.
pub(super) fn search(path: &Path, query: &OutputQuery) -> io::Result<OutputMatches> {
    let mut file = File::open(path)?;
    let mut matches = OutputMatches { rows: Vec::new(), total: 0 };
    let Some(pattern) = pattern(query) else { return Ok(matches) };
    let (mut rows, mut number) = (Rows::default(), 0_u32);
    let mut look = |row: &[u8]| {
        let count = if row.contains(&0x1b) {
            pattern.find_iter(&without_colours(row)).count()
        } else {
            pattern.find_iter(row).count()
        };
        matches.total = matches.total.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        let room = MOST_MATCHES - matches.rows.len();
        matches.rows.extend(std::iter::repeat_n(number, count.min(room)));
        number = number.saturating_add(1);
    };
    each_chunk(&mut file, |bytes| {
        rows.take(bytes, &mut |row, _| {
            look(row);
            ControlFlow::Continue(())
        })
    })?;
    if !rows.shown.is_empty() {
        look(&rows.shown);
    }
    Ok(matches)
}

fn without_colours(row: &[u8]) -> Vec<u8> {
    anstream::adapter::strip_bytes(row).flatten().copied().collect()
}

/// `None` when there is nothing to look for.
fn pattern(query: &OutputQuery) -> Option<Regex> {
    if query.text.is_empty() {
        return None;
    }
    RegexBuilder::new(&regex::escape(&query.text)).case_insensitive(!query.match_case).build().ok()
}

fn each_chunk(file: &mut File, mut take: impl FnMut(&[u8]) -> ControlFlow<()>) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                if take(&buffer[..length]).is_break() {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(reader: &RowReader, path: &Path) -> Vec<String> {
        let total = reader.rows(path, 0, 0).unwrap().total;
        (0..total)
            .step_by(MOST_ROWS as usize)
            .flat_map(|from| reader.rows(path, from, MOST_ROWS).unwrap().rows)
            .collect()
    }

    fn query(text: &str) -> OutputQuery {
        OutputQuery { text: text.to_owned(), match_case: false }
    }

    #[test]
    fn any_part_is_read_and_a_growing_file_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let reader = RowReader::default();
        let lines: Vec<String> = (0..5000).map(|number| format!("line {number}")).collect();
        std::fs::write(&path, lines[..2000].join("\n")).unwrap();
        assert_eq!(reader.rows(&path, 1998, 10).unwrap().rows, ["line 1998", "line 1999"]);
        std::fs::write(&path, lines.join("\n")).unwrap();
        assert_eq!(all(&reader, &path), lines);
        for from in [0, 255, 256, 257, 4000, 4999] {
            let read = reader.rows(&path, from, 3).unwrap();
            assert_eq!(read.rows, lines[from as usize..(from as usize + 3).min(5000)]);
            assert_eq!((read.from, read.total), (from, 5000));
        }
        assert_eq!(reader.rows(&path, 5000, 3).unwrap().rows, Vec::<String>::new());
        std::fs::write(&path, "new\n").unwrap();
        assert_eq!(all(&reader, &path), ["new"], "a file that was made anew is read anew");
        std::fs::write(&path, "").unwrap();
        assert_eq!(reader.rows(&path, 0, 3).unwrap().total, 0);
    }

    #[test]
    fn rows_are_what_a_screen_shows_however_the_bytes_are_read() {
        let euros = "€".repeat(ROW_BYTES);
        let text = format!("10%\r99%\r\n\n{euros}\n\u{1b}[31mred\u{1b}[0m\r\nend");
        let taken = |size: usize| {
            let (mut rows, mut found) = (Rows::default(), Vec::new());
            for part in text.as_bytes().chunks(size) {
                let _ = rows.take(part, &mut |row, _| {
                    found.push(String::from_utf8(row.to_vec()).unwrap());
                    ControlFlow::Continue(())
                });
            }
            found.push(String::from_utf8(rows.shown).unwrap());
            assert_eq!(rows.at, text.len() as u64);
            found
        };
        let whole = taken(text.len());
        assert_eq!((whole[0].as_str(), whole[1].as_str()), ("99%", ""));
        assert_eq!(whole[2..whole.len() - 2].concat(), euros);
        assert_eq!(whole[whole.len() - 2..], ["\u{1b}[31mred\u{1b}[0m", "end"]);
        for size in [1, 2, 3, 7, 4095, 4096, 4097] {
            assert_eq!(taken(size), whole, "{size}");
        }
    }

    #[test]
    fn a_search_counts_all_and_names_the_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let text = "Error one, error two\nfine\nan \u{1b}[1mer\u{1b}[0mror\n5%\rerr\rdone\nÄRGER (a+b)\nno end error";
        std::fs::write(&path, text).unwrap();
        assert_eq!(
            search(&path, &query("error")).unwrap(),
            OutputMatches { rows: vec![0, 0, 2, 5], total: 4 }
        );
        let exact = OutputQuery { text: "Error".to_owned(), match_case: true };
        assert_eq!(search(&path, &exact).unwrap(), OutputMatches { rows: vec![0], total: 1 });
        assert_eq!(search(&path, &query("ärger (a+")).unwrap().rows, [4]);
        assert_eq!(search(&path, &query("err\r")).unwrap().total, 0);
        assert_eq!(search(&path, &query("")).unwrap().total, 0);
        std::fs::write(&path, "y\n".repeat(30_000)).unwrap();
        let many = search(&path, &query("Y")).unwrap();
        assert_eq!((many.total, many.rows.len(), many.rows[9_999]), (30_000, MOST_MATCHES, 9_999));
    }
}
