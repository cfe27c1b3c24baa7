//! Where an action would run, and how its environment is told to people: what differs from the session's first command,
//! with what looks like a password or key left out.

use crate::plan::card;
use crate::protocol::{EnvironmentChange, EnvironmentValue, ShellState};

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
        exported.chain(own).chain(functions).chain(umask).collect()
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

/// Words of a name, between underscores, that stand for something to be kept secret.
const SECRET_WORDS: [&str; 17] = [
    "TOKEN",
    "TOKENS",
    "KEY",
    "KEYS",
    "APIKEY",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "COOKIE",
    "DSN",
];
/// Parts of names written as one word: `PGPASSWORD`, `GITHUBTOKEN`, `accessToken`.
const SECRET_PARTS: [&str; 6] = ["PASSWORD", "PASSWD", "TOKEN", "SECRET", "APIKEY", "CREDENTIAL"];
/// How keys that services give out begin.
const SECRET_BEGINNINGS: [&str; 19] = [
    "sk-",
    "sk_",
    "pk_live",
    "rk_live",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xox",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
];
/// Folders that a name with such a word usually holds; the sockets of agents are no secrets.
const PLAIN_NAMES: [&str; 4] = ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "GPG_KEY_ID"];

/// Whether a variable usually holds a password or key. In doubt it does: then its value is only not shown.
fn looks_secret(name: &str, value: &str) -> bool {
    if PLAIN_NAMES.contains(&name) || value.trim_matches(['"', '\'']).is_empty() {
        return false;
    }
    let upper = name.to_ascii_uppercase();
    upper.split('_').any(|word| SECRET_WORDS.contains(&word))
        || SECRET_PARTS.iter().any(|part| upper.contains(part))
        || is_key(value.trim_matches(['"', '\'', '(', ')']))
}

fn is_key(value: &str) -> bool {
    value.contains("-----BEGIN")
        || value.contains("PRIVATE KEY")
        || value.split_whitespace().any(|word| {
            let word = word.trim_start_matches("Bearer=");
            SECRET_BEGINNINGS.iter().any(|start| word.starts_with(start) && word.len() >= start.len() + 12)
                || is_web_token(word)
        })
        || has_login(value)
}

/// Three parts of base64, the first of which is a JSON object.
fn is_web_token(word: &str) -> bool {
    word.starts_with("eyJ") && word.split('.').count() == 3
}

/// `scheme://name:password@host`
fn has_login(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let host = rest.split(['/', ' ', '?']).next().unwrap_or_default();
        host.rsplit_once('@')
            .is_some_and(|(login, _)| login.split_once(':').is_some_and(|(_, password)| !password.is_empty()))
    })
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
