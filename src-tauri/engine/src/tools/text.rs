//! Text as it stands in a file, and exact changes of it. Pure. Nothing is guessed: what does not match exactly is
//! refused.

use super::{FileEdit, ToolFailure, near};

/// Largest file that is changed, before and after, in bytes.
pub(super) const MAX_BYTES: usize = 5 * 1024 * 1024;

const BOM: char = '\u{feff}';

/// The text of a file's bytes.
pub(super) fn text_of<'a>(bytes: &'a [u8], shown: &str) -> Result<&'a str, ToolFailure> {
    if bytes.contains(&0) {
        return Err(ToolFailure::Binary { path: shown.to_owned() });
    }
    std::str::from_utf8(bytes).map_err(|_| ToolFailure::NotUtf8 { path: shown.to_owned() })
}

/// Makes one edit. A file whose every line ends in CR LF keeps it so: the lines of `old` and `new` are taken to end as
/// the file's do. A byte order mark at the start stays where it is.
///
/// `number`: which edit of the call this is, from 1, for the message.
pub(super) fn apply(text: &str, edit: &FileEdit, number: usize, shown: &str) -> Result<String, ToolFailure> {
    let (mark, body) = match text.strip_prefix(BOM) {
        Some(body) => (&text[..BOM.len_utf8()], body),
        None => ("", text),
    };
    let (old, new) = if ends_in_crlf(body) {
        (with_crlf(&edit.old), with_crlf(&edit.new))
    } else {
        (edit.old.clone(), edit.new.clone())
    };
    let missing =
        || ToolFailure::NoMatch { path: shown.to_owned(), edit: number, near: near::miss(body, &old) };
    if old.is_empty() {
        return Err(missing());
    }
    let first = body.find(&old).ok_or_else(missing)?;
    if !edit.replace_all && occurs_after(body, &old, first) {
        return Err(ToolFailure::Ambiguous { path: shown.to_owned(), edit: number });
    }
    let times = if edit.replace_all { body.matches(&old).count() } else { 1 };
    let bytes = text.len().saturating_sub(times * old.len()).saturating_add(times.saturating_mul(new.len()));
    if bytes > MAX_BYTES {
        return Err(too_large(shown, bytes));
    }
    let changed = if edit.replace_all {
        body.replace(&old, &new)
    } else {
        let (before, after) = (&body[..first], &body[first + old.len()..]);
        [before, &new, after].concat()
    };
    Ok([mark, &changed].concat())
}

pub(super) fn too_large(shown: &str, bytes: usize) -> ToolFailure {
    ToolFailure::TooLarge { path: shown.to_owned(), bytes: bytes as u64, limit: MAX_BYTES as u64 }
}

/// Whether `old` occurs again, also where it overlaps the first time: either place could be meant.
fn occurs_after(text: &str, old: &str, first: usize) -> bool {
    let step = old.chars().next().map_or(1, char::len_utf8);
    text[first + step..].contains(old)
}

fn ends_in_crlf(text: &str) -> bool {
    let mut before = None;
    let mut any = false;
    for byte in text.bytes() {
        if byte == b'\n' {
            if before != Some(b'\r') {
                return false;
            }
            any = true;
        }
        before = Some(byte);
    }
    any
}

fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}
