//! The machine as the guide may see it: names, small texts, programs. It opens files for reading only.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Machine, Rights};
use crate::manual::DiskManuals;

/// Longest text of a file that a rule gets to see, in bytes.
const MAX_READ: u64 = 64 * 1024;
/// Longest catalogue of messages that is read, in bytes.
const MAX_CATALOGUE: u64 = 2 * 1024 * 1024;
/// Most names of one folder that a rule gets to see; a fuller folder is too full to guess in.
const MAX_NAMES: usize = 5_000;

/// The real machine, with the `PATH` of the failed step.
#[derive(Debug, Clone)]
pub struct ThisMachine {
    path: String,
}

impl ThisMachine {
    /// `path`: the value of `PATH` that the command ran with.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }
}

impl Machine for ThisMachine {
    fn exists(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Option<String> {
        // A pipe or a device could block or never end: only regular files are opened. `/proc` counts as regular.
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_READ).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list(&self, path: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MAX_NAMES).collect();
        names.sort();
        names
    }

    fn programs(&self) -> Vec<String> {
        let folders = self.path.split(':').filter(|folder| folder.starts_with('/'));
        let mut names: Vec<String> = folders.flat_map(|folder| self.list(Path::new(folder))).collect();
        names.sort();
        names.dedup();
        names
    }

    fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    fn catalogue(&self, path: &Path) -> Option<Vec<u8>> {
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_CATALOGUE).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn manual(&self, name: &str) -> Vec<String> {
        DiskManuals::new(None).words(name)
    }

    fn rights(&self, path: &Path) -> Option<Rights> {
        use rustix::fs::{Access, access};
        use std::os::unix::fs::MetadataExt;

        let owner = path.metadata().ok()?.uid();
        let may = |what| access(path, what).is_ok();
        Some(Rights {
            mine: owner == rustix::process::geteuid().as_raw(),
            root: owner == 0,
            read: may(Access::READ_OK),
            write: may(Access::WRITE_OK),
            enter: may(Access::EXEC_OK),
        })
    }

    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir()
    }
}

/// A machine on paper, for tests and for failures recorded elsewhere.
#[derive(Debug, Clone, Default)]
pub struct SketchedMachine {
    /// Files with their text. Folders above them are implied.
    pub files: BTreeMap<PathBuf, String>,
    pub folders: Vec<PathBuf>,
    pub programs: Vec<String>,
    pub root: bool,
    /// Catalogues of messages, by their path.
    pub catalogues: BTreeMap<PathBuf, Vec<u8>>,
    /// What the page of a name in the manual lists.
    pub manual: BTreeMap<String, Vec<String>>,
    /// Where they are not the user's own with every right.
    pub rights: BTreeMap<PathBuf, Rights>,
    pub home: Option<PathBuf>,
}

impl Machine for SketchedMachine {
    fn exists(&self, path: &Path) -> bool {
        self.files.contains_key(path) || self.is_dir(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| folder.starts_with(path))
            || self.files.keys().any(|file| file != path && file.starts_with(path))
    }

    fn read(&self, path: &Path) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn list(&self, path: &Path) -> Vec<String> {
        let paths = self.files.keys().chain(&self.folders).chain(self.catalogues.keys());
        let inside = paths.filter_map(|entry| entry.strip_prefix(path).ok());
        let first = inside.filter_map(|rest| rest.components().next());
        let mut names: Vec<String> =
            first.map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn programs(&self) -> Vec<String> {
        self.programs.clone()
    }

    fn is_root(&self) -> bool {
        self.root
    }

    fn catalogue(&self, path: &Path) -> Option<Vec<u8>> {
        self.catalogues.get(path).cloned()
    }

    fn manual(&self, name: &str) -> Vec<String> {
        self.manual.get(name).cloned().unwrap_or_default()
    }

    fn rights(&self, path: &Path) -> Option<Rights> {
        let usual = Rights { mine: true, root: false, read: true, write: true, enter: true };
        self.exists(path).then(|| self.rights.get(path).copied().unwrap_or(usual))
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_reads_the_disk_and_the_path_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tool");
        std::fs::write(&file, "x".repeat(100_000)).unwrap();
        let machine = ThisMachine::new(format!("{}:relative:/nowhere", folder.path().display()));
        assert_eq!(machine.programs(), ["tool"]);
        assert_eq!(machine.list(folder.path()), ["tool"]);
        assert!(machine.exists(&file) && !machine.is_dir(&file) && machine.is_dir(folder.path()));
        assert_eq!(machine.read(&file).map(|text| text.len()), Some(64 * 1024));
        assert_eq!(machine.read(folder.path()), None);
        assert_eq!(machine.read(Path::new("/dev/zero")), None);
    }
}
