//! What the file system said once while one text is judged: it names the same few files again and again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{Paths, Workspace};

/// No more paths are kept; a text that names more of them has them looked up anew.
const MOST: usize = 4096;

#[derive(Debug)]
struct Remembered<'p> {
    paths: &'p dyn Paths,
    resolved: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl Paths for Remembered<'_> {
    fn resolve(&self, path: &Path) -> PathBuf {
        let mut resolved = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = resolved.get(path) {
            return known.clone();
        }
        let found = self.paths.resolve(path);
        if resolved.len() < MOST {
            resolved.insert(path.to_owned(), found.clone());
        }
        found
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.paths.is_dir(path)
    }

    fn exists(&self, path: &Path) -> bool {
        self.paths.exists(path)
    }

    fn is_own_folder(&self, path: &Path) -> bool {
        self.paths.is_own_folder(path)
    }

    fn system_devices(&self) -> Vec<PathBuf> {
        self.paths.system_devices()
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.paths.text(path)
    }
}

/// Does `work` with a workspace that asks the file system only once where a path leads.
pub(super) fn asking_once<T>(workspace: &Workspace<'_>, work: impl FnOnce(&Workspace<'_>) -> T) -> T {
    let paths = Remembered { paths: workspace.paths, resolved: Mutex::default() };
    work(&Workspace { paths: &paths, ..workspace.clone() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Debug, Default)]
    struct Counted(AtomicUsize);

    impl Paths for Counted {
        fn resolve(&self, path: &Path) -> PathBuf {
            self.0.fetch_add(1, Ordering::Relaxed);
            path.join("real")
        }
        fn is_dir(&self, _: &Path) -> bool {
            false
        }
        fn exists(&self, _: &Path) -> bool {
            true
        }
        fn system_devices(&self) -> Vec<PathBuf> {
            Vec::new()
        }
    }

    #[test]
    fn a_path_is_asked_for_once() {
        let (counted, none, functions) = (Counted::default(), BTreeMap::new(), BTreeMap::new());
        let workspace = Workspace {
            root: "/w".into(),
            cwd: "/w".into(),
            home: "/h".into(),
            user: "u".into(),
            environment: &none,
            functions: &functions,
            paths: &counted,
        };
        let found = asking_once(&workspace, |workspace| {
            let ask = |path: &str| workspace.paths.resolve(Path::new(path));
            [ask("a"), ask("b"), ask("a")]
        });
        assert_eq!(found, ["a/real", "b/real", "a/real"].map(PathBuf::from));
        assert_eq!(counted.0.load(Ordering::Relaxed), 2);
    }
}
