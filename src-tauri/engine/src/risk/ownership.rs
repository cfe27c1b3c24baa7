//! Who may read, change and run a file: `chmod`, `chown`.

use std::path::PathBuf;

use super::args::Parsed;
use super::floor::Floor;
use super::judge::Judge;
use super::place::{Place, is_foundation, place};
use super::targets::Target;
use super::words::Arg;
use crate::knowledge::Rules;
use crate::protocol::Risk;

/// Folders below which the files of a web site or of programs of one's own usually lie.
const SERVED: [&str; 5] = ["/var/www", "/srv", "/opt", "/usr/share/nginx", "/usr/local/src"];
/// Accounts that web servers run as.
const SERVERS: [&str; 6] = ["www-data", "nginx", "apache", "http", "httpd", "caddy"];

/// `usermod -aG docker me`: daily for one's own account; for another it lets somebody in.
pub(super) fn groups(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let Some((user, groups)) = parsed.words.split_last() else { return };
    let strong = |text: &str| {
        text.split(',').any(|group| matches!(group, "docker" | "lxd" | "incus" | "libvirt" | "podman"))
    };
    let gives = groups.iter().any(|arg| arg.known().is_some_and(strong));
    if gives && user.known() != Some(j.workspace.user.as_str()) {
        j.found.add(Risk::Dangerous, "lets someone else run programs with all rights", user.span);
    }
}

/// Whether `chown` or `chmod` only sets up a folder that a web server or oneself works in, below where such folders lie.
pub(super) fn sets_up_served(j: &Judge<'_>, parsed: &Parsed<'_, '_>, arg: &Arg) -> bool {
    let Some(first) = parsed.words.first().and_then(|first| first.known()) else { return false };
    let who =
        |name: &str| name.is_empty() || name == j.workspace.user || SERVERS.contains(&name) || name == "root";
    let mut names = first.split([':', '.']);
    let fits = if parsed.entry.summary.contains("owner") {
        names.clone().count() <= 2 && names.all(who)
    } else {
        !opens(first) && !borrows(first)
    };
    // A folder that this very text has made has nobody's files in it.
    let made = |path: &PathBuf| j.made.contains(path);
    if !opens(first)
        && !borrows(first)
        && matches!(j.target(arg), Target::At(paths) if paths.iter().all(made))
    {
        return true;
    }
    let served = |path: &PathBuf| SERVED.iter().any(|top| path.starts_with(top) && path.as_os_str() != *top);
    fits && matches!(j.target(arg), Target::At(paths) if paths.iter().all(served))
}

/// A mode that lets everybody write, or nobody do anything.
fn opens(mode: &str) -> bool {
    mode.ends_with("777")
        || mode.ends_with("666")
        || mode.ends_with("000")
        || ["a+w", "o+w", "+w", "a+rwx", "o+rwx", "ugo+rwx", "a=rwx"].contains(&mode)
}

/// A mode that lends the owner's rights to whoever runs the file.
fn borrows(mode: &str) -> bool {
    mode.contains('s') && !mode.contains(':') && mode.contains(['+', '='])
        || mode.len() == 4 && mode.starts_with(['2', '4', '6', '7'])
}

pub(super) fn ownership(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let recursive = parsed.has("-R");
    let served =
        parsed.words.len() > 1 && parsed.words.iter().skip(1).all(|arg| sets_up_served(j, parsed, arg));
    j.found.effects.changes_tree_ownership |= recursive;
    let mode = parsed.words.first().and_then(|arg| arg.known()).unwrap_or_default();
    if recursive
        && opens(mode)
        && let Some(first) = parsed.words.first()
    {
        j.found.add(Risk::Dangerous, "opens or closes a whole folder to everyone", first.span);
    }
    let owner = mode.split(':').next().unwrap_or_default();
    if parsed.entry.summary.contains("owner")
        && !owner.is_empty()
        && owner != j.workspace.user
        && !served
        && let Some(first) = parsed.words.first().filter(|first| first.known().is_some())
    {
        j.found.add(Risk::Dangerous, "gives files to someone else", first.span);
    }
    if borrows(mode)
        && let Some(first) = parsed.words.first()
    {
        j.found.add(Risk::Dangerous, "lets whoever runs the file act as its owner", first.span);
    }
    for arg in parsed.words.iter().skip(1).filter(|_| recursive && !served) {
        let paths = match j.target(arg) {
            Target::At(paths) | Target::Inside { folders: paths, .. } => paths,
            Target::Unknown => continue,
        };
        for path in paths {
            if is_foundation(&path, &j.anchors) {
                j.found.block(Floor::OpenedFoundation, arg.span);
            } else if place(&path, &j.anchors) != Place::Workspace {
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
