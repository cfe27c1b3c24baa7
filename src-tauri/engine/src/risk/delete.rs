//! Deleting, and moving away: judged by where it is and how much goes.

use std::path::Path;

use super::args::Parsed;
use super::beyond::is_beside;
use super::floor::Floor;
use super::judge::{Judge, SURVEYED};
use super::leftovers::{is_build_product, is_leftover};
use super::place::{Place, is_foundation, place};
use super::targets::Target;
use super::words::{Arg, Text};
use crate::protocol::Risk;

/// Deleting: by where it is and how much goes.
pub(super) fn remove(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, recursive: bool) {
    for arg in &parsed.words {
        remove_one(j, arg, recursive);
    }
}

pub(super) fn remove_one(j: &mut Judge<'_>, arg: &Arg, recursive: bool) {
    if j.elsewhere && !j.elevated && arg.known().is_some_and(is_product_there) {
        j.found.add(Risk::Caution, "deletes a folder that a build makes again", arg.span);
        return;
    }
    let (paths, inside, everything) = match j.target(arg) {
        Target::At(paths) => {
            // A link itself goes, not what it points to: its own folder counts as well.
            let own = arg
                .known()
                .filter(|_| !recursive)
                .map(Path::new)
                .map(|path| j.joined(path))
                .unwrap_or_default();
            let own = own
                .iter()
                .filter_map(|path| Some(j.workspace.paths.resolve(path.parent()?).join(path.file_name()?)));
            let linked: Vec<_> = own.collect();
            (paths.into_iter().chain(linked).collect::<Vec<_>>(), false, false)
        }
        // Names that are read from a list are any number of files.
        Target::Inside { folders, everything } => {
            let read = j.variables.is_read(j.found.fragment(arg.span));
            (folders, true, everything || read)
        }
        Target::Unknown => {
            j.found.effects.writes_outside = true;
            j.found.add(Risk::Dangerous, "what it deletes is only known when it runs", arg.span);
            return;
        }
    };
    let root = j.anchors.root.clone();
    // `*.egg-info`
    let product = inside
        && matches!(&arg.text, Text::Glob { pattern, .. }
            if is_leftover(pattern.rsplit('/').next().unwrap_or_default()));
    let lies_in = |path: &Path| if inside { path.join("x") } else { path.to_owned() };
    for path in &paths {
        let foundation = is_foundation(path, &j.anchors);
        let place = place(path, &j.anchors);
        if foundation && recursive && (!inside || everything) {
            j.found.block(Floor::Foundation, arg.span);
        }
        let (risk, text) = if foundation && !(inside && place == Place::Temporary) {
            (Risk::Dangerous, "deletes in a folder that the machine or you cannot do without")
        } else if (everything || !inside) && root.starts_with(path) {
            (Risk::Dangerous, "deletes the workspace with everything in it")
        } else {
            match place {
                Place::Workspace if product || recursive && in_build_product(path, &root) => {
                    (Risk::Caution, "deletes a folder that a build makes again")
                }
                Place::Workspace | Place::Temporary if !inside && j.is_in_made(path) => {
                    (Risk::Caution, "deletes a folder that was only just made here")
                }
                Place::Temporary if is_beside(&lies_in(path), &root) && !j.is_in_made(path) => {
                    (Risk::Dangerous, "deletes outside the workspace")
                }
                Place::Temporary if is_own_temporary(j, path) => {
                    (Risk::Caution, "deletes a folder of your own among the temporary files")
                }
                Place::Workspace | Place::Temporary if recursive => {
                    (Risk::Dangerous, "deletes a folder and everything in it")
                }
                Place::Workspace | Place::Temporary if everything => {
                    (Risk::Dangerous, "deletes every file of a folder")
                }
                Place::Workspace | Place::Temporary => (Risk::Caution, "deletes a file"),
                Place::Disk => {
                    j.found.block(Floor::Disk, arg.span);
                    (Risk::Dangerous, "deletes a disk's entry")
                }
                Place::Guarded => (Risk::Dangerous, "deletes part of the repository's own store"),
                Place::Nowhere
                | Place::Home
                | Place::Hidden
                | Place::System
                | Place::Spare
                | Place::Device
                | Place::Connection
                | Place::Outside => (Risk::Dangerous, "deletes outside the workspace"),
                Place::OtherHome => (Risk::Dangerous, "deletes what belongs to someone else"),
                Place::Mounted => {
                    (Risk::Dangerous, "deletes on another disk, a removable medium or over the network")
                }
            }
        };
        j.found.add(risk, text, arg.span);
        j.found.effects.writes_outside |= place.is_outside();
        j.found.touch(path);
    }
}

/// A folder with a name below those for temporary files that belongs to the user, into which this text brings nothing from
/// elsewhere: what is in it is kept before it goes.
pub(super) fn is_own_temporary(j: &Judge<'_>, path: &Path) -> bool {
    const BRINGS: [&str; 8] = ["mv", "rename", "mount", "ln", "link", "rsync", "sshfs", "bindfs"];
    let below = ["/tmp", "/var/tmp"].iter().any(|top| path.starts_with(top) && path != Path::new(top));
    let here = !j.elevated && !j.elsewhere && !j.lost && j.workspace.functions.is_empty();
    let brings = || j.command.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| BRINGS.contains(&word));
    below && here && j.workspace.paths.is_own_folder(path) && j.command.len() <= SURVEYED && !brings()
}

/// The same in the folder of a program in a container, or on another machine: what tests and caches leave, not what is served.
fn is_product_there(text: &str) -> bool {
    const LEFT: [&str; 10] = [
        "coverage",
        ".coverage",
        ".nyc_output",
        ".pytest_cache",
        ".mypy_cache",
        "__pycache__",
        ".cache",
        "test-results",
        "htmlcov",
        ".turbo",
    ];
    let path = text.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let inside =
        ["/app/", "/usr/src/app/", "/workspace/", "/code/", "/src/"].iter().any(|top| path.starts_with(top));
    inside
        && !path.contains("..")
        && path.chars().all(plain)
        && path.rsplit('/').next().is_some_and(|name| LEFT.contains(&name))
}

/// A folder that a build makes again, or something in one.
pub(super) fn in_build_product(path: &Path, root: &Path) -> bool {
    path.ancestors().take_while(|folder| folder.starts_with(root) && *folder != root).any(is_build_product)
}

/// What is moved away is gone from where it was; onto a device it is gone altogether.
pub(super) fn moves(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let named = parsed.value("-t").is_some();
    let sources = parsed.words.len().saturating_sub(usize::from(!named));
    for arg in parsed.words.iter().take(sources) {
        let (paths, everything) = match j.target(arg) {
            Target::At(paths) => (paths, true),
            Target::Inside { folders, everything } => (folders, everything),
            Target::Unknown => continue,
        };
        for path in paths.iter().filter(|path| everything && is_foundation(path, &j.anchors)) {
            if place(path, &j.anchors) != Place::Temporary {
                j.found.block(Floor::MovedFoundation, arg.span);
            }
        }
    }
    // `for f in *.jpg; do mv "$f" photo.jpg; done`: each goes over the one before.
    if let [source, last] = parsed.words.as_slice()
        && matches!(source.text, Text::Glob { .. })
        && j.found.fragment(source.span).contains('$')
        && last.known().is_some_and(|text| {
            text.rsplit('/')
                .next()
                .is_some_and(|name| name.len() > 1 && name.get(1..).is_some_and(|rest| rest.contains('.')))
        })
        && matches!(j.target(last), Target::At(paths) if paths.iter().all(|path| !j.workspace.paths.is_dir(path)))
    {
        j.found.add(Risk::Dangerous, "puts many files in the place of one", last.span);
    }
    if let Some(last) =
        parsed.words.last().filter(|last| last.known().is_some_and(|text| text.starts_with("/dev/")))
    {
        j.found.add(Risk::Dangerous, "loses what is moved there", last.span);
    }
}
