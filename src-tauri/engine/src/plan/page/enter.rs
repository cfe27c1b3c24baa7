//! What was cloned is gone into where the page forgets to say so: only before a command that uses the files of its folder.

use std::collections::HashMap;

use super::cell::{Cell, Matter};
use super::needed::{made_by, uses};
use super::shape::Typed;
use super::words::words;

/// Places of commands behind which a folder is to be gone into, with the folder.
pub(super) fn folders_to_enter(cells: &[Cell<'_>]) -> HashMap<usize, String> {
    let mut found = HashMap::new();
    let mut cloned: Option<(usize, String)> = None;
    let mut clones = 0;
    for (place, cell) in cells.iter().enumerate() {
        let Matter::Typed(typed) = &cell.matter else { continue };
        if !cell.is_taken() || cell.whole || cell.comment.is_some() {
            continue;
        }
        let text = typed.text.trim();
        if text.contains("git clone") {
            clones += 1;
            cloned = folder_of(text).map(|name| (place, name));
            continue;
        }
        let Some((at, name)) = &cloned else { continue };
        let goes = text
            .split(['\n', ';', '&', '('])
            .any(|part| matches!(part.split_whitespace().next(), Some("cd" | "pushd" | "git")));
        if goes || uses(text, name) {
            cloned = None;
        } else if words().is_in_source(text) {
            found.insert(*at, name.clone());
            cloned = None;
        }
    }
    // Of several it is not known which one is meant.
    if clones > 1 { HashMap::new() } else { found }
}

/// Going into a folder, right behind the command that made it.
pub(super) fn entering(cell: &Cell<'_>, name: &str) -> Typed {
    let at = match &cell.matter {
        Matter::Typed(typed) => typed.lines.end,
        Matter::File { .. } | Matter::Manual(_) | Matter::Shown(_) => 0,
    };
    Typed { text: format!("cd {name}"), lines: at..at, ..Typed::default() }
}

/// The folder that a command clones into, where it does nothing else and the folder is one of its own.
fn folder_of(text: &str) -> Option<String> {
    if text.contains(['\n', ';', '&', '|']) {
        return None;
    }
    let made = made_by(text);
    let [name] = made.as_slice() else { return None };
    let is_plain = name.chars().all(|sign| sign.is_alphanumeric() || "._-".contains(sign));
    (is_plain && !name.starts_with('.')).then(|| name.clone())
}
