//! Where an action would run, and how its environment is told to people: what differs from the session's first command,
//! with what looks like a password or key left out.

use crate::plan::card;
use crate::protocol::{EnvironmentChange, EnvironmentValue, ShellState};
use crate::redact::looks_secret;

/// Longest value that a question shows, in characters.
const VALUE: usize = 400;

/// Where an action would run.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// A command in exactly this shell: folder, variables, functions, umask.
    Shell(&'a ShellState),
    /// A folder alone: for a tool, which has no shell, and for a step's check, whose shell its step has yet to leave.
    Folder(&'a str),
}

impl<'a> Place<'a> {
    pub fn cwd(self) -> &'a str {
        match self {
            Self::Shell(shell) => &shell.cwd,
            Self::Folder(cwd) => cwd,
        }
    }

    pub(super) fn shell(self) -> Option<&'a ShellState> {
        match self {
            Self::Shell(shell) => Some(shell),
            Self::Folder(_) => None,
        }
    }

    /// What earlier steps changed in the environment, for people.
    pub(super) fn changes(self) -> Vec<EnvironmentChange> {
        let Self::Shell(shell) = self else { return Vec::new() };
        let exported = shell.environment.iter().map(|(name, value)| match value {
            Some(value) => set(name, value),
            None => change(name, EnvironmentValue::Unset),
        });
        // `declare -- NAME="value"`
        let own = shell.variables.iter().map(|(name, statement)| {
            set(name, statement.split_once('=').map_or(statement.as_str(), |(_, value)| value))
        });
        let functions = shell.functions.keys().map(|name| change(name, EnvironmentValue::Function));
        let umask = (!shell.umask.is_empty()).then(|| set("umask", &shell.umask));
        let lists = [
            ("options", &shell.options),
            ("$@", &shell.arguments),
            ("dirs", &shell.folders),
            ("traps", &shell.traps),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let lists = lists.map(|(name, list)| set(name, &list.join(" ")));
        exported.chain(own).chain(functions).chain(umask).chain(lists).collect()
    }
}

fn change(name: &str, now: EnvironmentValue) -> EnvironmentChange {
    EnvironmentChange { name: card::harmless(name), now }
}

fn set(name: &str, value: &str) -> EnvironmentChange {
    if looks_secret(name, value) {
        return change(name, EnvironmentValue::Hidden);
    }
    let shown = match value.char_indices().nth(VALUE) {
        Some((end, _)) => format!("{}…", card::harmless(&value[..end])),
        None => card::harmless(value),
    };
    change(name, EnvironmentValue::Set { value: shown })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steps_left_is_told_in_a_fixed_order() {
        let shell = ShellState {
            cwd: "/work".into(),
            environment: [("B".into(), None), ("A".into(), Some("one\u{1b}[2J".into()))].into(),
            variables: [("x".into(), "declare -i x=\"3\"".into())].into(),
            functions: [("deploy".into(), "deploy () { rm -rf x; }".into())].into(),
            umask: "077".into(),
            options: vec!["errexit".into(), "nullglob".into()],
            ..ShellState::default()
        };
        let told: Vec<(String, EnvironmentValue)> =
            Place::Shell(&shell).changes().into_iter().map(|change| (change.name, change.now)).collect();
        let set = |value: &str| EnvironmentValue::Set { value: value.into() };
        let wanted = [
            ("A", set("one\\x1b[2J")),
            ("B", EnvironmentValue::Unset),
            ("x", set("\"3\"")),
            ("deploy", EnvironmentValue::Function),
            ("umask", set("077")),
            ("options", set("errexit nullglob")),
        ];
        assert_eq!(told, wanted.map(|(name, now)| (name.to_owned(), now)));
        assert_eq!(Place::Folder("/work").changes(), []);
        assert_eq!(Place::Shell(&ShellState::default()).changes(), []);
    }

    #[test]
    fn what_looks_secret_is_not_repeated() {
        let secret = [
            ("GITHUB_TOKEN", "x"),
            ("aws_secret_access_key", "x"),
            ("PGPASSWORD", "x"),
            ("accessToken", "x"),
            ("DB_PASS", "x"),
            ("MYSQL_PWD", "x"),
            ("HTTP_AUTH", "x"),
            ("SENTRY_DSN", "x"),
            ("X", "ghp_0123456789abcdef0123456789abcdef0123"),
            ("X", "sk-proj-0123456789abcdef"),
            ("X", "-----BEGIN OPENSSH PRIVATE KEY-----"),
            ("X", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
            ("DATABASE_URL", "postgres://me:hunter2@db.example/one"),
            ("HEADER", "\"Bearer AKIAABCDEFGHIJKLMNOP\""),
        ];
        for (name, value) in secret {
            assert_eq!(set(name, value).now, EnvironmentValue::Hidden, "{name}={value}");
        }
        let plain = [
            ("PATH", "/usr/bin"),
            ("KEYBOARD", "us"),
            ("OLDPWD", "/home/me"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("AUTHOR", "me"),
            ("MONKEY", "1"),
            ("URL", "https://db.example:5432/one@two:three"),
            ("BYPASS", "1"),
            ("SECRET", ""),
        ];
        for (name, value) in plain {
            assert_eq!(set(name, value).now, EnvironmentValue::Set { value: value.into() }, "{name}={value}");
        }
    }
}
