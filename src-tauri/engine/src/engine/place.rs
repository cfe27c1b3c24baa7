//! Where things are on this machine: the data folder, the worker, the user's home.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::protocol::{EngineError, ErrorCode, Settings};

/// `PLANWRIGHT_HOME`, or the platform's folder for application data.
pub fn data_folder() -> PathBuf {
    if let Some(home) = std::env::var_os("PLANWRIGHT_HOME").filter(|home| !home.is_empty()) {
        return PathBuf::from(home);
    }
    directories::ProjectDirs::from("", "", "planwright")
        .map_or_else(|| PathBuf::from(".planwright"), |dirs| dirs.data_local_dir().to_owned())
}

/// The worker stands beside the program that is running.
pub fn worker_beside_program() -> PathBuf {
    let name = format!("planwright-worker{}", std::env::consts::EXE_SUFFIX);
    std::env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(|folder| folder.join(&name)))
        .unwrap_or(name.into())
}

/// This program's environment; what is no text is kept as far as it is.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect()
}

pub(super) fn user_home(environment: &BTreeMap<String, String>) -> PathBuf {
    match environment.get("HOME").filter(|home| home.starts_with('/')) {
        Some(home) => PathBuf::from(home),
        None => {
            directories::BaseDirs::new().map_or_else(|| PathBuf::from("/"), |dirs| dirs.home_dir().to_owned())
        }
    }
}

pub(super) fn user_name(environment: &BTreeMap<String, String>) -> String {
    if rustix::process::geteuid().is_root() {
        return "root".to_owned();
    }
    ["USER", "LOGNAME"]
        .iter()
        .find_map(|name| environment.get(*name))
        .cloned()
        .unwrap_or_else(|| "you".to_owned())
}

/// The settings as this process's variables override them: `AUTONOMOUS_LOOP` (C7a).
pub(super) fn overridden(settings: Settings) -> Settings {
    let said = std::env::var("AUTONOMOUS_LOOP").ok();
    Settings {
        autonomous_loop: said.as_deref().and_then(switch).unwrap_or(settings.autonomous_loop),
        ..settings
    }
}

/// What a variable says that is on or off; `None` for anything else.
fn switch(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "1" | "true" | "on" | "yes" => Some(true),
        "0" | "false" | "off" | "no" => Some(false),
        _ => None,
    }
}

/// A folder to work in: absolute, links resolved.
pub(super) fn workspace(cwd: &str) -> Result<String, EngineError> {
    let path = Path::new(cwd);
    match path.canonicalize() {
        Ok(path) if path.is_dir() => Ok(path.display().to_string()),
        Ok(_) => Err(EngineError::new(
            ErrorCode::FolderMissing,
            format!("{cwd} is not a folder. Choose a folder."),
        )),
        Err(error) => Err(EngineError::new(
            ErrorCode::FolderMissing,
            format!(
                "The folder {cwd} cannot be used: {}. Choose another folder, or make it first.",
                EngineError::reason(&error)
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::switch;

    #[test]
    fn a_switch_is_on_off_or_not_said() {
        assert_eq!([switch("1"), switch(" True "), switch("on")], [Some(true); 3]);
        assert_eq!([switch("0"), switch("FALSE"), switch("off")], [Some(false); 3]);
        assert_eq!([switch(""), switch("perhaps")], [None; 2]);
    }
}
