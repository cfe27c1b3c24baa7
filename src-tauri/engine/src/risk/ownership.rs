//! Who may read, change and run a file: `chmod`, `chown`.

use super::args::Parsed;
use super::floor::Floor;
use super::judge::Judge;
use super::place::{Place, is_foundation, place};
use super::targets::Target;
use crate::knowledge::Rules;
use crate::protocol::Risk;

pub(super) fn ownership(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let recursive = parsed.has("-R");
    j.found.effects.changes_tree_ownership |= recursive;
    let mode = parsed.words.first().and_then(|arg| arg.known()).unwrap_or_default();
    let opens = mode.ends_with("777")
        || mode.ends_with("666")
        || mode.ends_with("000")
        || ["a+w", "o+w", "+w", "a+rwx", "o+rwx", "ugo+rwx", "a=rwx"].contains(&mode);
    if recursive
        && opens
        && let Some(first) = parsed.words.first()
    {
        j.found.add(Risk::Dangerous, "opens or closes a whole folder to everyone", first.span);
    }
    let owner = mode.split(':').next().unwrap_or_default();
    if parsed.entry.summary.contains("owner")
        && !owner.is_empty()
        && owner != j.workspace.user
        && let Some(first) = parsed.words.first().filter(|first| first.known().is_some())
    {
        j.found.add(Risk::Dangerous, "gives files to someone else", first.span);
    }
    let borrows = mode.contains('s') && !mode.contains(':') && mode.contains(['+', '='])
        || mode.len() == 4 && mode.starts_with(['2', '4', '6', '7']);
    if borrows && let Some(first) = parsed.words.first() {
        j.found.add(Risk::Dangerous, "lets whoever runs the file act as its owner", first.span);
    }
    for arg in parsed.words.iter().skip(1).filter(|_| recursive) {
        let paths = match j.target(arg) {
            Target::At(paths) | Target::Inside { folders: paths, .. } => paths,
            Target::Unknown => continue,
        };
        for path in paths {
            if is_foundation(&path, &j.known) {
                j.found.block(Floor::OpenedFoundation, arg.span);
            } else if place(&path, &j.known) != Place::Workspace {
                j.found.add(Risk::Dangerous, "changes a whole folder outside the workspace", arg.span);
            }
        }
    }
}

/// A mode that only takes rights away from others, as keys need it.
pub(super) fn closes_to_others(parsed: &Parsed<'_, '_>) -> bool {
    const CLOSES: [&str; 16] = [
        "600",
        "400",
        "700",
        "500",
        "0600",
        "0400",
        "0700",
        "0500",
        "go-rwx",
        "og-rwx",
        "go=",
        "go-w",
        "o-rwx",
        "u=rw,go=",
        "u=rwx,go=",
        "o-w",
    ];
    let mode = parsed.words.first().and_then(|arg| arg.known());
    parsed.entry.rules == Some(Rules::Ownership)
        && !parsed.has("-R")
        && mode.is_some_and(|mode| CLOSES.contains(&mode))
}
