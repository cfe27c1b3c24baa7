//! Names that tell what must not be shown: files that usually hold passwords or keys.

use std::path::Path;

use crate::protocol::Risk;

/// Whether a file usually holds passwords or keys.
pub(crate) fn is_secret(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.ends_with(".pub")
        || matches!(name.as_str(), "known_hosts" | "authorized_keys")
        || name.ends_with(".example")
        || name.ends_with(".sample")
    {
        return false;
    }
    // A certificate is there to be shown; the key to it has a name of its own.
    let shown =
        ["cert.pem", "chain.pem", "cacert.pem", "ca.pem", "ca-bundle.pem", "public.pem", "pubkey.pem"];
    if shown.iter().any(|end| name.ends_with(end)) && !name.contains("priv") && !name.contains("key-") {
        return false;
    }
    let folders = [
        "/.ssh/",
        "/.gnupg/",
        "/.aws/",
        "/.kube/",
        "/.config/gh/",
        "/.docker/",
        "/.azure/",
        "/.config/gcloud/",
        "/run/secrets/",
    ];
    let whole = format!("{}/", path.to_string_lossy());
    let files = [
        "secrets.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.toml",
        "client_secret.json",
        "service-account.json",
        "service_account.json",
        "serviceAccountKey.json",
        "kubeconfig",
        ".htpasswd",
        ".npmrc",
        ".env",
        "shadow",
        "gshadow",
        "sudoers",
        "credentials",
        "environ",
        "master.key",
        "credentials.toml",
        "credentials.json",
    ];
    is_key(path)
        || folders.iter().any(|folder| whole.contains(folder))
        || files.contains(&name.as_str())
        || name.starts_with(".env.")
        || name.ends_with(".pem")
        || name.ends_with(".key")
        || name.ends_with(".kdbx")
}

/// What the name of a variable says that holds a password or key.
const SIGNS: [&str; 8] =
    ["SECRET", "TOKEN", "PASSW", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY"];

/// Whether `text` puts in what a variable holds whose name says that it is a password or key, for a text that is shown
/// here. Those of the text itself are written in small letters.
pub(super) fn shows_secret_variable(text: &str) -> bool {
    // `${TOKEN:+set}`
    variables(text)
        .any(|(name, then)| !then.starts_with(":+") && !then.starts_with('+') && is_secret_name(name))
}

/// The same for a text that is told to others: a name that may be one is enough.
pub(super) fn tells_secret_variable(text: &str) -> bool {
    variables(text).any(|(name, _)| may_be_secret_name(name))
}

/// The names of the variables that are put into `text`, each with what follows it.
fn variables(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('$').skip(1).map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.split_at(end)
    })
}

/// `GITHUB_TOKEN`, as a variable of the environment is called.
pub(super) fn is_secret_name(name: &str) -> bool {
    const TELL_NOTHING: [&str; 7] = ["_ID", "_FILE", "_PATH", "_NAME", "_URL", "_TTL", "_COUNT"];
    SIGNS.iter().any(|sign| name.contains(sign))
        && !name.contains(|c: char| c.is_ascii_lowercase())
        && !TELL_NOTHING.iter().any(|end| name.ends_with(end))
}

/// `token`, `db_password_file`, `PRIVATE`
pub(super) fn may_be_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.contains("PRIVATE") || SIGNS.iter().any(|sign| name.contains(sign))
}

/// How bad it is that a command shows what stands there; `None` is nothing to speak of. What is shown is on the screen, in
/// the record of the run, and in what a model is told.
pub(crate) fn reading(path: &Path) -> Option<Risk> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // Those of what everybody uses are nobody's daily bread.
    let live = name.starts_with(".env.prod");
    is_secret(path).then(|| if live || is_key(path) { Risk::Dangerous } else { Risk::Caution })
}

/// Whether what stands there lets whoever has it be you, or the machine, elsewhere. `.env` and the like of a project are
/// looked into every day and are not among them.
pub(super) fn is_key(path: &Path) -> bool {
    const FOLDERS: [&str; 16] = [
        "/etc/NetworkManager/system-connections/",
        "/etc/wireguard/",
        "/etc/wpa_supplicant/",
        "/etc/ipsec.d/private/",
        "/var/db/dslocal/",
        "/.password-store/",
        "/.local/share/keyrings/",
        "/Library/Keychains/",
        "/private-keys-v1.d/",
        "/etc/ssl/private/",
        "/etc/pki/tls/private/",
        "/run/secrets/kubernetes.io/",
        "/.aws/sso/cache/",
        "/.aws/cli/cache/",
        "/.config/op/",
        "/sops/age/",
    ];
    const FILES: [&str; 44] = [
        "opasswd",
        "smbpasswd",
        "ipsec.secrets",
        "chap-secrets",
        "Local State",
        "id_rsa",
        "id_dsa",
        "id_ed25519",
        "id_ecdsa",
        ".netrc",
        ".pgpass",
        ".git-credentials",
        ".pypirc",
        ".vault-token",
        ".my.cnf",
        ".dockercfg",
        ".s3cfg",
        ".boto",
        "rclone.conf",
        "credentials.tfrc.json",
        "application_default_credentials.json",
        "credentials.db",
        "access_tokens.db",
        "msal_token_cache.json",
        "accessTokens.json",
        "secring.gpg",
        "Login Data",
        "Cookies",
        "Web Data",
        "logins.json",
        "key4.db",
        "key3.db",
        "cookies.sqlite",
        "wallet.dat",
        "shadow-",
        "gshadow-",
        "master.passwd",
        "krb5.keytab",
        "ssh_host_rsa_key",
        "ssh_host_ed25519_key",
        "ssh_host_ecdsa_key",
        ".mylogin.cnf",
        "hosts.yml",
        "settings-security.xml",
    ];
    /// In these folders nothing else is a secret.
    const SHOWN: [&str; 8] = [
        "config",
        "known_hosts",
        "known_hosts.old",
        "authorized_keys",
        "allowed_signers",
        "environment",
        "rc",
        "gpg.conf",
    ];
    const WHOLE: [&str; 8] = [
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/sudoers",
        "/.aws/credentials",
        "/.kube/config",
        "/.docker/config.json",
        "/.cargo/credentials.toml",
        "/.gem/credentials",
    ];
    let text = path.to_string_lossy();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let own = text.contains("/.ssh/") && !SHOWN.contains(&name.as_str()) && !name.ends_with(".pub");
    let named = FILES.contains(&name.as_str()) && (name != "hosts.yml" || text.contains("/.config/gh/"));
    let others = name == "environ" && text.starts_with("/proc/") && !text.starts_with("/proc/self/");
    // What the machine proves with who it is.
    let machine = name.starts_with("privkey") && text.starts_with("/etc/");
    own || named
        || others
        || machine
        || FOLDERS.iter().any(|folder| text.contains(folder))
        || WHOLE.iter().any(|end| text.ends_with(end))
}

/// Whether code names a file of keys, in however many pieces the folder before it is put together.
pub(super) fn named_in(code: &str) -> bool {
    const NAMED: [&str; 14] = [
        ".aws/credentials",
        ".ssh/id_",
        ".gnupg/",
        ".netrc",
        ".kube/config",
        ".docker/config.json",
        ".config/gh/hosts",
        ".vault-token",
        ".git-credentials",
        ".password-store",
        ".pgpass",
        "settings-security.xml",
        "sops/age/keys",
        "/etc/shadow",
    ];
    NAMED.iter().any(|name| code.contains(name))
}
