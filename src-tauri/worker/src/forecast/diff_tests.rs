use std::os::unix::fs::{PermissionsExt, symlink};

use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat, setxattr};

use super::*;

/// A layer over a folder, both made by a test.
struct Folders(tempfile::TempDir);

impl Folders {
    fn new() -> Self {
        let folders = Self(tempfile::tempdir().unwrap());
        fs::create_dir(folders.lower("")).unwrap();
        fs::create_dir(folders.upper("")).unwrap();
        folders
    }

    fn lower(&self, name: &str) -> PathBuf {
        self.0.path().join("lower").join(name)
    }

    fn upper(&self, name: &str) -> PathBuf {
        self.0.path().join("upper").join(name)
    }

    fn whiteout(&self, name: &str) {
        mknodat(CWD, self.upper(name), FileType::CharacterDevice, Mode::empty(), 0).unwrap();
    }

    fn look(&self) -> (Vec<String>, u32, Vec<String>) {
        let mut seen = Seen::default();
        let layer = Layer { upper: self.upper(""), lower: self.lower(""), shown: "/w".into() };
        look(&layer, &mut seen).unwrap();
        let notes = seen.notes.clone();
        let (found, more) = seen.into_shallowest();
        let line = |found: &Found| {
            let kind = if found.folder { "folder" } else { "file" };
            format!("{:?} {kind} {} {}", found.change, found.path, found.inside)
        };
        (found.iter().map(line).collect(), more, notes)
    }

    fn found(&self) -> Vec<String> {
        self.look().0
    }
}

#[test]
fn an_untouched_layer_changes_nothing() {
    let folders = Folders::new();
    fs::write(folders.lower("a"), "a").unwrap();
    assert_eq!(folders.look(), (vec![], 0, vec![]));
}

#[test]
fn a_copy_that_is_the_same_is_no_change() {
    let folders = Folders::new();
    for path in [folders.lower("a"), folders.upper("a")] {
        fs::write(path, "same").unwrap();
    }
    for folder in [folders.lower("d"), folders.upper("d")] {
        fs::create_dir(&folder).unwrap();
        symlink("x", folder.join("l")).unwrap();
    }
    assert_eq!(folders.found(), Vec::<String>::new());
    fs::write(folders.upper("a"), "sama").unwrap();
    fs::remove_file(folders.upper("d/l")).unwrap();
    symlink("y", folders.upper("d/l")).unwrap();
    assert_eq!(folders.found(), ["Changed file /w/a 0", "Changed file /w/d/l 0"]);
}

#[test]
fn a_mode_is_a_change() {
    let folders = Folders::new();
    for (path, mode) in [(folders.lower("a"), 0o644), (folders.upper("a"), 0o600)] {
        fs::write(&path, "same").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    assert_eq!(folders.found(), ["Changed file /w/a 0"]);
}

#[test]
fn a_deleted_folder_stands_for_what_is_in_it() {
    let folders = Folders::new();
    fs::create_dir_all(folders.lower("d/e")).unwrap();
    for name in ["d/1", "d/e/2", "d/e/3"] {
        fs::write(folders.lower(name), "").unwrap();
    }
    folders.whiteout("d");
    // Of a file that came and went.
    folders.whiteout("never");
    assert_eq!(folders.found(), ["Deleted folder /w/d 3"]);
}

#[test]
fn a_folder_that_was_made_anew_is_compared() {
    let folders = Folders::new();
    fs::create_dir_all(folders.lower("d/gone")).unwrap();
    for name in ["d/gone/1", "d/kept", "d/lost"] {
        fs::write(folders.lower(name), "x").unwrap();
    }
    fs::create_dir(folders.upper("d")).unwrap();
    setxattr(folders.upper("d"), OPAQUE, b"y", XattrFlags::empty()).unwrap();
    fs::write(folders.upper("d/kept"), "x").unwrap();
    fs::write(folders.upper("d/new"), "x").unwrap();
    let expected = ["Deleted folder /w/d/gone 1", "Deleted file /w/d/lost 0", "Created file /w/d/new 0"];
    assert_eq!(folders.found(), expected);
}

#[test]
fn what_became_of_another_kind_is_deleted_and_created() {
    let folders = Folders::new();
    fs::create_dir(folders.lower("d")).unwrap();
    fs::write(folders.lower("d/1"), "x").unwrap();
    fs::write(folders.lower("f"), "x").unwrap();
    fs::write(folders.upper("d"), "x").unwrap();
    fs::create_dir(folders.upper("f")).unwrap();
    fs::write(folders.upper("f/2"), "x").unwrap();
    let expected = [
        "Deleted folder /w/d 1",
        "Created file /w/d 0",
        "Deleted file /w/f 0",
        "Created folder /w/f 0",
        "Created file /w/f/2 0",
    ];
    assert_eq!(folders.found(), expected);
}

#[test]
fn the_list_is_bounded_and_the_rest_counted() {
    let folders = Folders::new();
    fs::create_dir(folders.upper("deep")).unwrap();
    for number in 0..LISTED {
        fs::write(folders.upper(&format!("deep/{number}")), "").unwrap();
    }
    fs::write(folders.upper("z"), "").unwrap();
    let (found, more, _) = folders.look();
    assert_eq!((found.len(), more), (LISTED, 2));
    assert_eq!(found[..2], ["Created folder /w/deep 0", "Created file /w/z 0"]);
}
