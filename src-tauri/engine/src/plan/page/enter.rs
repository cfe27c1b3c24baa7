//! Which folder a page is in where it forgets to say so: what was cloned is gone into, before a command that uses the files of its
//! folder; and a page that begins anew, in another terminal or another part, begins where its first part began.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::cell::{Cell, Matter};
use super::likeness::command_words;
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
    moving(format!("cd {name}"), lines_of(cell).end)
}

/// Going back, right before a command.
pub(super) fn going_back(cell: &Cell<'_>, command: &str) -> Typed {
    moving(command.to_owned(), lines_of(cell).start)
}

fn moving(text: String, at: usize) -> Typed {
    Typed { text, lines: at..at, ..Typed::default() }
}

fn lines_of(cell: &Cell<'_>) -> Range<usize> {
    match &cell.matter {
        Matter::Typed(typed) => typed.lines.clone(),
        Matter::File { .. } | Matter::Manual(_) | Matter::Shown(_) => 0..0,
    }
}

/// Places of commands before which the page is back where it began, with the command that goes there.
///
/// "In another terminal: `cd frontend`", behind a `cd backend`: no terminal that is opened anew stands in `backend`, and neither does
/// who reads the part about the frontend.
pub(super) fn ways_back(cells: &[Cell<'_>]) -> HashMap<usize, String> {
    let mut found = HashMap::new();
    let mut entered: Vec<Entered<'_>> = Vec::new();
    let mut made: HashSet<String> = HashSet::new();
    let mut before: Option<usize> = None;
    for (place, cell) in cells.iter().enumerate() {
        let Matter::Typed(typed) = &cell.matter else { continue };
        if !cell.is_taken() || cell.whole || cell.comment.is_some() {
            continue;
        }
        let begins = before.replace(cell.spot) != Some(cell.spot);
        made.extend(made_by(&typed.text));
        let ["cd", to] = command_words(&typed.text)[..] else { continue };
        if to.starts_with(['/', '~', '$', '-', '"', '\'']) {
            entered.clear();
            continue;
        }
        let to = to.trim_start_matches("./").trim_end_matches('/');
        let first = to.split('/').next().unwrap_or_default();
        if let Some(last) = entered.last().filter(|_| begins && first != "..") {
            let is_new_terminal =
                cell.lead.as_ref().is_some_and(|lead| words().lead("terminal", &lead.text).is_some());
            let is_other_part =
                last.section != cell.section && last.begins && !last.is_made && !made.contains(first);
            // Who names the folder again goes there from where it lies.
            let own = entered.iter().position(|one| one.name == first);
            let start = entered.iter().take_while(|one| one.is_made).count();
            let level = own.unwrap_or(start);
            if (is_new_terminal || is_other_part) && level < entered.len() {
                found.insert(place, format!("cd {}", vec![".."; entered.len() - level].join("/")));
                entered.truncate(level);
            }
        }
        for name in to.split('/') {
            match name {
                ".." => drop(entered.pop()),
                name => entered.push(Entered {
                    name,
                    section: cell.section,
                    begins,
                    is_made: made.contains(name),
                }),
            }
        }
    }
    found
}

/// A folder that the page has gone into.
struct Entered<'c> {
    name: &'c str,
    section: usize,
    /// With the first command of a block.
    begins: bool,
    /// The page itself has made it, or cloned it.
    is_made: bool,
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
