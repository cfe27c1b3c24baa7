//! How a file changes, for people: a unified difference, bounded in size and in the time it takes.

use std::fmt::Write as _;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::protocol::FileDiff;

const MAX_LINES: usize = 400;
const MAX_BYTES: usize = 64 * 1024;
/// After this the difference is still right, but not the shortest one.
const PATIENCE: Duration = Duration::from_millis(200);
/// Lines around a change.
const AROUND: usize = 3;

/// The difference from `before` (`None`: the file is new) to `after`.
pub(crate) fn diff(path: &str, before: Option<&str>, after: &str) -> FileDiff {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before.unwrap_or_default(), after);
    let (mut added, mut removed) = (0u32, 0u32);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => added = added.saturating_add(1),
            ChangeTag::Delete => removed = removed.saturating_add(1),
            ChangeTag::Equal => {}
        }
    }
    let whole = diff.unified_diff().context_radius(AROUND).to_string();
    FileDiff { path: path.to_owned(), created: before.is_none(), unified: bounded(&whole), added, removed }
}

/// The first lines, and how many follow.
fn bounded(whole: &str) -> String {
    let mut kept = String::new();
    let mut lines = whole.split_inclusive('\n');
    for line in lines.by_ref().take(MAX_LINES) {
        if kept.len() + line.len() > MAX_BYTES {
            let rest = whole[kept.len()..].lines().count();
            return with_rest(kept, rest);
        }
        kept.push_str(line);
    }
    match lines.count() {
        0 => kept,
        rest => with_rest(kept, rest),
    }
}

fn with_rest(mut kept: String, rest: usize) -> String {
    // Writing to a text cannot fail.
    let _ = writeln!(kept, "\\ Lines of this difference that are left out: {rest}");
    kept
}
