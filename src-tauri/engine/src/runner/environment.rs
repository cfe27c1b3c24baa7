//! The environment that commands start from: the engine's own, without what would change what bash runs and with what
//! keeps programs from waiting on a prompt that nobody sees (DESIGN 4 and 7).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use super::handed_on;
use crate::protocol::ShellState;
use crate::redact::Redactor;

/// Nothing may wait: no pager, no editor, no question about credentials.
const NO_PROMPTS: [(&str, &str); 14] = [
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("APT_LISTCHANGES_FRONTEND", "none"),
    ("NEEDRESTART_MODE", "a"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("PIP_NO_INPUT", "1"),
    ("SSH_ASKPASS_REQUIRE", "force"),
];

/// What the window's terminal is.
const TERMINAL: [(&str, &str); 2] = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];

/// Who is called for a password; the worker, which asks the user (see `secret`).
const ASKPASS: [&str; 3] = ["SSH_ASKPASS", "GIT_ASKPASS", "SUDO_ASKPASS"];

/// What is said to this program alone, its key among it, and what the window sets for its own page (see the app's
/// `display`). A step may still set such a variable itself.
fn is_own(name: &[u8]) -> bool {
    name.starts_with(b"PLANWRIGHT_")
        || matches!(name, b"AUTONOMOUS_LOOP" | b"WEBKIT_DISABLE_COMPOSITING_MODE")
}

/// Whether a variable never reaches bash and is never carried: it would change what bash runs or how it reads text.
pub(super) fn is_forbidden(name: &str) -> bool {
    // `PS4` is expanded, and so may run commands, before each line under `set -x`.
    matches!(name, "ENV" | "SHELLOPTS" | "BASHOPTS" | "POSIXLY_CORRECT" | "PS4")
        // What a pattern found says nothing of what runs.
        || (name.starts_with("BASH_") && name != "BASH_REMATCH")
        || name.starts_with("LD_")
        // The same on macOS.
        || name.starts_with("DYLD_")
}

/// Variables that bash keeps by itself from the folder it is in and the shell it was started by, and the one that is another's
/// in each run.
pub(super) fn is_kept_by_bash(name: &str) -> bool {
    matches!(name, "_" | "SHLVL" | "PWD" | handed_on::VARIABLE)
}

/// Has the redactor learn the secrets of this program's whole environment, its own keys among them, which no command gets.
pub(super) fn tell_secrets(redactor: &Redactor) {
    let all: Vec<_> = std::env::vars_os().collect();
    redactor.know_environment(all.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())));
    // A key of this program's own is one, however it looks.
    let keys = all.iter().filter(|(name, _)| {
        is_own(name.as_encoded_bytes()) && name.as_encoded_bytes().ends_with(b"_API_KEY")
    });
    keys.filter_map(|(_, value)| value.to_str()).for_each(|key| redactor.know(key));
}

/// What every command starts from. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct BaseEnvironment(Arc<BTreeMap<OsString, OsString>>);

impl BaseEnvironment {
    /// The engine's own environment as it is now. `worker` is called for passwords.
    pub(crate) fn capture(worker: &Path) -> Self {
        let mut base = Self::from_variables(std::env::vars_os());
        Arc::make_mut(&mut base.0).extend(ASKPASS.iter().map(|name| (name.into(), worker.into())));
        base
    }

    /// The same for a command that the user sits at, at a terminal: nothing is kept from asking there, pagers and
    /// editors are the user's.
    pub(super) fn capture_for_terminal() -> Self {
        let mut base = Self::kept_of(std::env::vars_os());
        for name in ASKPASS {
            base.remove(OsStr::new(name));
        }
        base.extend(TERMINAL.map(|(name, value)| (name.into(), value.into())));
        Self(Arc::new(base))
    }

    pub(super) fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut base = Self::kept_of(variables);
        base.extend(NO_PROMPTS.iter().map(|(name, value)| (name.into(), value.into())));
        Self(Arc::new(base))
    }

    fn kept_of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> BTreeMap<OsString, OsString> {
        let mut base: BTreeMap<_, _> =
            variables.into_iter().filter(|(name, _)| !name.to_str().is_some_and(is_forbidden)).collect();
        // Also "BASH_FUNC_name%%" with bytes that are no text.
        base.retain(|name, _| {
            let name = name.as_encoded_bytes();
            !is_own(name)
                && !name.starts_with(b"BASH_")
                && !name.starts_with(b"LD_")
                && !name.starts_with(b"DYLD_")
        });
        base
    }

    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Names that bash takes over as variables.
    pub(super) fn variable_names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().filter_map(|name| name.to_str()).filter(|name| is_variable_name(name))
    }

    /// The environment of one command: this one, changed by what the steps before exported and unset.
    pub(crate) fn overlaid(&self, shell: &ShellState) -> BTreeMap<OsString, OsString> {
        let mut environment = BTreeMap::clone(&self.0);
        for (name, value) in &shell.environment {
            match value {
                _ if is_forbidden(name) => {}
                // Neither can be in an environment.
                _ if name.is_empty() || name.contains(['=', '\0']) => {}
                Some(value) if value.contains('\0') => {}
                Some(value) => {
                    environment.insert(name.into(), value.into());
                }
                None => {
                    environment.remove(OsStr::new(name));
                }
            }
        }
        // Bash keeps this path, also through links, when it leads to the folder it starts in.
        environment.insert("PWD".into(), shell.cwd.clone().into());
        environment
    }
}

pub(super) fn is_variable_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(variables: &[(&str, &str)]) -> BaseEnvironment {
        BaseEnvironment::from_variables(variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn what_changes_bash_is_left_out() {
        let names = [
            "BASH_ENV",
            "ENV",
            "SHELLOPTS",
            "BASHOPTS",
            "BASH_FUNC_ls%%",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "DYLD_INSERT_LIBRARIES",
            "POSIXLY_CORRECT",
            "PS4",
        ];
        for name in names {
            assert_eq!(base(&[(name, "x")]).get(name), None, "{name}");
            let mut shell = ShellState::default();
            shell.environment.insert(name.to_owned(), Some("x".to_owned()));
            assert_eq!(base(&[]).overlaid(&shell).get(OsStr::new(name)), None, "{name}");
        }
        assert_eq!(base(&[("BASHFUL", "x")]).get("BASHFUL"), Some(OsStr::new("x")));
    }

    #[test]
    fn nothing_that_is_said_to_this_program_reaches_a_command() {
        let own = [
            "PLANWRIGHT_API_KEY",
            "PLANWRIGHT_HOME",
            "PLANWRIGHT_LOG",
            "PLANWRIGHT_ASKPASS",
            "AUTONOMOUS_LOOP",
            "WEBKIT_DISABLE_COMPOSITING_MODE",
        ];
        for name in own {
            assert_eq!(base(&[(name, "x")]).get(name), None, "{name}");
        }
        // A step's own setting is carried like any other.
        let mut shell = ShellState::default();
        shell.environment.insert("PLANWRIGHT_HOME".to_owned(), Some("/x".to_owned()));
        let environment = base(&[]).overlaid(&shell);
        assert_eq!(environment.get(OsStr::new("PLANWRIGHT_HOME")), Some(&OsString::from("/x")));
    }

    #[test]
    fn nothing_prompts_unless_a_step_said_so() {
        let base = base(&[("PAGER", "less")]);
        assert_eq!(base.get("PAGER"), Some(OsStr::new("cat")));
        let mut shell = ShellState::default();
        shell.environment.insert("PAGER".to_owned(), Some("more".to_owned()));
        shell.environment.insert("EDITOR".to_owned(), None);
        let environment = base.overlaid(&shell);
        assert_eq!(environment.get(OsStr::new("PAGER")), Some(&OsString::from("more")));
        assert_eq!(environment.get(OsStr::new("EDITOR")), None);
    }
}
