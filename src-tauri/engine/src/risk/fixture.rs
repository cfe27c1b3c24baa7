//! A place for tests: a file system made of words, a workspace in it, and the real reader.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planwright_shell::Facts;

use super::{Paths, Workspace};

/// A file system made of words; `links` are the symbolic ones.
#[derive(Debug, Default)]
pub(crate) struct TestPaths {
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    pub(crate) there: Vec<PathBuf>,
    pub(crate) devices: Vec<PathBuf>,
    /// Folders of the user's own outside the workspace.
    pub(crate) own: Vec<PathBuf>,
}

impl Paths for TestPaths {
    fn resolve(&self, path: &Path) -> PathBuf {
        let mut whole = super::place::clean(path);
        for (link, target) in &self.links {
            if let Ok(rest) = whole.strip_prefix(link) {
                whole = target.join(rest);
            }
        }
        whole
    }
    fn is_dir(&self, path: &Path) -> bool {
        self.exists(path)
    }
    fn exists(&self, path: &Path) -> bool {
        self.there.iter().any(|there| there == path)
    }
    fn is_own_folder(&self, path: &Path) -> bool {
        self.own.iter().any(|own| own == path)
    }
    fn system_devices(&self) -> Vec<PathBuf> {
        self.devices.clone()
    }
}

pub(crate) fn workspace<'a>(
    paths: &'a TestPaths,
    environment: &'a BTreeMap<String, String>,
    functions: &'a BTreeMap<String, Facts>,
) -> Workspace<'a> {
    Workspace {
        root: "/home/u/work/app".into(),
        cwd: "/home/u/work/app".into(),
        home: "/home/u".into(),
        user: "u".into(),
        environment,
        functions,
        paths,
    }
}

pub(crate) fn read(text: &str) -> Facts {
    planwright_shell::read(text, planwright_shell::MAX_TEXT)
}
