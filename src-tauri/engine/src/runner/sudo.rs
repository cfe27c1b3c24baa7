//! How a command's shell comes to call sudo through its helper: without a terminal sudo asks only with `-A`, or where there
//! is a display. The name is given another place to be found, which is no function, alias or variable that a command would
//! see or leave behind; scripts and whoever names sudo by its path are not reached. The worker then calls the real one.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::Path;

use super::state::quoted;
use crate::protocol::ShellState;

/// Bash text for a command's shell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SudoText {
    /// Says nothing and cannot fail.
    pub(super) first: String,
    /// For the end of what restores the shell's state.
    pub(super) restored: String,
}

impl SudoText {
    /// Without a sudo there stays none: `command -v sudo` must not find the helper. Bash takes several times as long to find
    /// that out as it is found out here, so it does so only where its `PATH` is not that of the environment.
    pub(super) fn new(worker: &Path, environment: &BTreeMap<OsString, OsString>, shell: &ShellState) -> Self {
        let hash = format!("builtin hash -p {} sudo\n", quoted(&worker.to_string_lossy()));
        match environment.get(OsStr::new("PATH")) {
            Some(path) if !shell.variables.contains_key("PATH") => {
                let found = is_on(path, Path::new(&shell.cwd));
                Self { first: if found { hash } else { String::new() }, ..Self::default() }
            }
            Some(_) | None => Self { restored: format!("builtin type -P sudo && {hash}"), ..Self::default() },
        }
    }
}

/// Whether a `PATH` leads to a sudo from a folder.
fn is_on(path: &OsStr, cwd: &Path) -> bool {
    std::env::split_paths(path)
        .any(|folder| cwd.join(folder).join("sudo").metadata().is_ok_and(|file| is_program(&file)))
}

fn is_program(file: &Metadata) -> bool {
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 == 0 {
        return false;
    }
    file.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const HASH: &str = "builtin hash -p '/it'\\''s/worker' sudo\n";

    fn text(path: Option<&str>, shell: &ShellState) -> SudoText {
        let environment = path.map(|path| ("PATH".into(), path.into())).into_iter().collect();
        SudoText::new(Path::new("/it's/worker"), &environment, shell)
    }

    #[test]
    fn the_helper_is_called_only_where_there_is_a_sudo() {
        let folder = tempfile::tempdir().unwrap();
        let shell = ShellState { cwd: folder.path().display().to_string(), ..ShellState::default() };
        let bin = folder.path().join("bin");
        let both = format!("/nowhere:{}", bin.display());
        let hashed = SudoText { first: HASH.into(), restored: String::new() };

        assert_eq!(text(Some(&both), &shell), SudoText::default());
        std::fs::create_dir_all(bin.join("sudo")).unwrap();
        assert_eq!(text(Some(&both), &shell), SudoText::default(), "a folder of that name");
        std::fs::remove_dir(bin.join("sudo")).unwrap();
        std::fs::write(bin.join("sudo"), "").unwrap();
        assert_eq!(text(Some(&both), &shell), SudoText::default(), "a file that is no program");
        std::fs::set_permissions(bin.join("sudo"), std::fs::Permissions::from_mode(0o755)).unwrap();
        for path in [both.as_str(), "bin", "/nowhere:./bin"] {
            assert_eq!(text(Some(path), &shell), hashed, "{path}");
        }
        assert_eq!(text(Some("/nowhere"), &shell), SudoText::default());
        // An empty part is the folder itself.
        let inside = ShellState { cwd: bin.display().to_string(), ..ShellState::default() };
        assert_eq!(text(Some("/nowhere:"), &inside), hashed);
    }

    #[test]
    fn bash_looks_itself_where_its_path_is_another() {
        let asked = SudoText { first: String::new(), restored: format!("builtin type -P sudo && {HASH}") };
        assert_eq!(text(None, &ShellState::default()), asked);
        let mut shell = ShellState::default();
        shell.variables.insert("PATH".into(), "declare -- PATH=\"/opt/bin\"".into());
        assert_eq!(text(Some("/usr/bin"), &shell), asked);
    }
}
