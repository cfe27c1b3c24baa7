//! Sees to it that what this program keeps is its user's alone, whatever was in the data folder before. It changes modes
//! and nothing else, and only of what this program makes there; a folder that is more than the data folder stays as it is.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Folders of the data folder that are wholly this program's.
const FOLDERS: [&str; 6] = ["output", "checkpoints", "trash", "damaged", "reports", "scratch"];
/// How its files are called that lie in the data folder itself.
const FILES: [&str; 2] = ["journal.", "window."];
/// What is not looked into: the users' own files with their own modes, and what has never been made otherwise. The folder
/// is closed, so nothing in it can be reached.
const CLOSED: [&str; 2] = ["trash", "objects"];
const STICKY: u32 = 0o1000;

/// Closes everything to everybody else. What cannot be changed is said in the log.
pub(super) fn mend(home: &Path) {
    if is_data_folder(home) {
        close(home);
    }
    let Ok(entries) = fs::read_dir(home) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if FILES.iter().any(|ours| name.starts_with(ours)) {
            close(&entry.path());
        } else if name == "scratch" {
            // Where people try examples: the files in it are theirs.
            close(&entry.path());
        } else if FOLDERS.contains(&name.as_ref()) {
            close_below(&entry.path(), name == "checkpoints");
        }
    }
}

/// Not a folder that others use too, or that was named by mistake.
fn is_data_folder(home: &Path) -> bool {
    let is_home = std::env::var_os("HOME").is_some_and(|user| Path::new(&user) == home);
    home.parent().is_some() && !is_home && home.metadata().is_ok_and(|folder| folder.mode() & STICKY == 0)
}

fn close_below(folder: &Path, has_users_files: bool) {
    if !close(folder) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        if is_folder && !(has_users_files && CLOSED.iter().any(|closed| name == *closed)) {
            close_below(&entry.path(), has_users_files);
        } else {
            close(&entry.path());
        }
    }
}

/// Whether it is a folder. What its user may do stays, so a folder that was made read-only does. Links stay as they are, and so does what belongs to somebody else.
fn close(path: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    let (is_folder, mode) = (found.is_dir(), found.mode() & 0o7777);
    if !(is_folder || found.is_file()) {
        return false;
    }
    if mode & 0o077 != 0
        && let Err(error) = fs::set_permissions(path, Permissions::from_mode(mode & 0o700))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("{} can be read by others: {error}", path.display());
    }
    is_folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_of_ours_is_closed_and_nothing_else_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("data");
        for (path, mode) in [
            ("output/a", 0o755),
            ("checkpoints/s/objects", 0o755),
            ("checkpoints/s/trash/u", 0o755),
            ("scratch/x", 0o755),
            ("own", 0o755),
        ] {
            fs::create_dir_all(home.join(path)).unwrap();
            fs::set_permissions(home.join(path), Permissions::from_mode(mode)).unwrap();
        }
        let files = [
            "journal.sqlite3",
            "journal.sqlite3-wal",
            "window.lock",
            "output/a/s1.1",
            "checkpoints/s/manifest.json",
            "checkpoints/s/trash/u/theirs",
            "scratch/x/theirs",
            "policy.toml",
            "own/file",
        ];
        for file in files {
            fs::write(home.join(file), "x").unwrap();
            fs::set_permissions(home.join(file), Permissions::from_mode(0o644)).unwrap();
        }
        std::os::unix::fs::symlink(home.join("own/file"), home.join("output/link")).unwrap();
        fs::set_permissions(&home, Permissions::from_mode(0o755)).unwrap();
        mend(&home);
        let mode = |path: &str| home.join(path).metadata().unwrap().mode() & 0o777;
        for closed in [
            "",
            "output",
            "output/a",
            "checkpoints",
            "checkpoints/s/objects",
            "checkpoints/s/trash",
            "scratch",
        ] {
            assert_eq!(mode(closed), 0o700, "{closed}");
        }
        assert_eq!(files.map(mode), [0o600, 0o600, 0o600, 0o600, 0o600, 0o644, 0o644, 0o644, 0o644]);
        assert_eq!((mode("own"), mode("scratch/x")), (0o755, 0o755));
        // A folder that everybody may write to is nobody's data folder.
        fs::set_permissions(&home, Permissions::from_mode(0o1777)).unwrap();
        mend(&home);
        assert_eq!(mode(""), 0o777);
    }
}
