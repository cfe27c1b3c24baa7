//! Which variables hold a password or key, told by their names and by how the values look.

/// Shortest value of a variable that is worth looking for elsewhere, in bytes.
const VALUE: usize = 8;
/// The same where the name leaves no doubt.
const SURE_VALUE: usize = 6;
/// Values that stand for "none" or that every example has: to hide these words everywhere would hide nothing.
const NO_SECRETS: [&str; 19] = [
    "ollama",
    "lm-studio",
    "lmstudio",
    "llama.cpp",
    "not-needed",
    "sk-no-key-required",
    "placeholder",
    "password",
    "passwd",
    "secret",
    "token",
    "default",
    "example",
    "changeme",
    "change-me",
    "disabled",
    "enabled",
    "postgres",
    "undefined",
];

/// Whether the value of a variable is to be hidden wherever it comes up. Stricter than [`looks_secret`], for a word that
/// is hidden by mistake is missing in everything that a command says.
pub(super) fn is_worth_hiding(name: &str, value: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let sure = SECRET_PARTS.iter().any(|part| upper.contains(part));
    let enough = if sure { SURE_VALUE } else { VALUE };
    let is_path = value.starts_with('/') || value.starts_with("~/");
    let is_word = !sure && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_number = value.len() < VALUE && value.bytes().all(|byte| byte.is_ascii_digit());
    looks_secret(name, value)
        && value.len() >= enough
        && !(is_path || is_word || is_number)
        && !is_none(value)
}

/// Whether the value stands for "none": what servers that want no key are given, and what every example has.
pub(super) fn is_none(value: &str) -> bool {
    NO_SECRETS.contains(&value.to_ascii_lowercase().as_str())
}

/// Whether the name leaves no doubt: it holds a secret, however short or common.
pub(super) fn is_sure(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_PARTS.iter().any(|part| upper.contains(part))
        || upper.ends_with("API_KEY")
        || upper.split('_').any(|word| matches!(word, "PASS" | "PWD"))
}

/// Whether a command that sets this variable to this value holds a secret there.
pub(super) fn is_set_to_secret(name: &str, value: &str) -> bool {
    if !is_sure(name) {
        return is_worth_hiding(name, value);
    }
    let upper = name.to_ascii_uppercase();
    let is_path = value.starts_with(['/', '~', '.']);
    let is_count =
        value.len() < VALUE && value.bytes().all(|byte| byte.is_ascii_digit()) && !upper.contains("PASS");
    let is_switch = matches!(value, "true" | "false" | "none" | "null" | "yes" | "no");
    // A line of a program, such as `token=self.next`.
    let is_code = !name.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'));
    looks_secret(name, value) && !(is_path || is_count || is_switch || is_code)
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
const SECRET_PARTS: [&str; 8] =
    ["PASSWORD", "PASSWD", "PASSPHRASE", "SSHPASS", "TOKEN", "SECRET", "APIKEY", "CREDENTIAL"];
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
pub(crate) fn looks_secret(name: &str, value: &str) -> bool {
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
    fn a_value_is_hidden_when_its_name_says_so_and_it_is_no_common_word() {
        for (name, value) in [
            ("DB_PASSWORD", "hunter2"),
            ("GH_TOKEN", "abcdefgh"),
            ("X_KEY", "a1b2c3d4"),
            ("API_KEY", "0123456789"),
        ] {
            assert!(is_worth_hiding(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("DB_PASSWORD", "password"),
            ("DB_PASSWORD", "short"),
            ("TOKEN_FILE", "/run/secrets/token"),
            ("TOKEN_SECONDS", "86400"),
            ("X_KEY", "gnome-keyring"),
            ("HOME", "/home/me"),
            ("EDITOR", "nano-editor-5"),
            ("SSH_AUTH_SOCK", "agent.1234567"),
        ] {
            assert!(!is_worth_hiding(name, value), "{name}={value}");
        }
    }
}
