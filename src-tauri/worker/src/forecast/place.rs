//! Which folders a command is tried out in. Only paths are looked at.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Parts of the system, which nothing is tried out in: an overlay would make it look as if anyone could write there.
const SYSTEM: [&str; 13] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr",
    "/snap",
];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Folders that get an overlay, none inside another, without links in their paths.
    pub(super) folders: Vec<PathBuf>,
    pub(super) notes: Vec<String>,
}

/// The folders for a session's folder and a home; the error is in words for people.
pub(super) fn find(workspace: &str, home: &str) -> Result<Place, String> {
    let mounts = std::fs::read("/proc/self/mountinfo")
        .map_err(|error| format!("The file systems of this machine could not be listed: {error}."))?;
    let workspace = Path::new(workspace)
        .canonicalize()
        .map_err(|error| format!("The session's folder could not be opened: {error}."))?;
    choose(&workspace, Path::new(home).canonicalize().ok().as_deref(), &mount_points(&mounts))
}

fn choose(workspace: &Path, home: Option<&Path>, mounts: &[PathBuf]) -> Result<Place, String> {
    let has_mounts = |folder: &Path| mounts.iter().any(|mount| mount != folder && mount.starts_with(folder));
    if is_system(workspace) {
        let shown = workspace.display();
        return Err(format!("The session's folder {shown} is a part of the system, which is not tried out."));
    }
    if has_mounts(workspace) {
        return Err("Another file system is mounted inside the session's folder, which cannot be tried out."
            .to_owned());
    }
    let mut notes = Vec::new();
    let mut folders = vec![workspace.to_owned()];
    let home = home.filter(|home| !is_system(home));
    if let Some(home) = home {
        if has_mounts(home) {
            notes.push(
                "Another file system is mounted inside your home folder, so only the session's folder was tried out."
                    .to_owned(),
            );
        } else {
            folders.push(home.to_owned());
        }
    }
    let temporary = Path::new("/tmp");
    if !has_mounts(temporary) && !temporary.is_symlink() {
        folders.push(temporary.to_owned());
    }
    folders.sort();
    folders.dedup();
    let all = folders.clone();
    folders.retain(|folder| !all.iter().any(|other| other != folder && folder.starts_with(other)));
    Ok(Place { folders, notes })
}

fn is_system(folder: &Path) -> bool {
    folder == Path::new("/") || SYSTEM.iter().any(|system| folder.starts_with(system))
}

/// The fifth field of each line of `mountinfo`, its octal escapes undone.
fn mount_points(text: &[u8]) -> Vec<PathBuf> {
    let fifth = |line: &[u8]| line.split(|byte| *byte == b' ').nth(4).map(unescaped);
    text.split(|byte| *byte == b'\n').filter_map(fifth).collect()
}

fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal = (*first == b'\\')
            .then(|| after.get(..3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match octal {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(workspace: &str, home: &str, mounts: &[&str]) -> Result<Vec<String>, String> {
        let mounts: Vec<PathBuf> = mounts.iter().map(PathBuf::from).collect();
        let place = choose(Path::new(workspace), Some(Path::new(home)), &mounts)?;
        Ok(place.folders.iter().map(|folder| folder.display().to_string()).collect())
    }

    #[test]
    fn one_overlay_covers_what_is_inside() {
        assert_eq!(folders("/home/a/work", "/home/a", &["/"]).unwrap(), ["/home/a", "/tmp"]);
        assert_eq!(folders("/tmp/work", "/home/a", &["/", "/tmp"]).unwrap(), ["/home/a", "/tmp"]);
        assert_eq!(folders("/srv/www", "/home/a", &["/"]).unwrap(), ["/home/a", "/srv/www", "/tmp"]);
        assert_eq!(folders("/home", "/home/a", &["/"]).unwrap(), ["/home", "/tmp"]);
        assert_eq!(folders("/home/ab", "/home/a", &["/"]).unwrap(), ["/home/a", "/home/ab", "/tmp"]);
        assert_eq!(folders("/srv", "/", &["/"]).unwrap(), ["/srv", "/tmp"]);
    }

    #[test]
    fn a_mount_inside_is_not_covered() {
        assert_eq!(folders("/home/a/work", "/home/a", &["/home/a/cloud"]).unwrap(), ["/home/a/work", "/tmp"]);
        assert!(folders("/home/a", "/home/a", &["/home/a/cloud"]).is_err());
        assert_eq!(folders("/tmp/work", "/home/a", &["/tmp/other"]).unwrap(), ["/home/a", "/tmp/work"]);
    }

    #[test]
    fn the_system_is_not_tried_out() {
        for workspace in ["/", "/etc", "/usr/local/src", "/run/user/1000"] {
            assert!(folders(workspace, "/home/a", &[]).is_err(), "{workspace}");
        }
    }

    #[test]
    fn mount_points_are_read_with_their_escapes() {
        let text = b"22 1 0:20 / / rw - ext4 d rw\n23 22 0:21 / /a\\040b\\134 rw - tmpfs t rw\n";
        assert_eq!(mount_points(text), [PathBuf::from("/"), PathBuf::from("/a b\\")]);
    }
}
