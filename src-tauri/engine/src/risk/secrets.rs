//! Names that tell what must not be shown: files that usually hold passwords or keys.

use std::path::Path;

use crate::protocol::Risk;

/// Whether a file usually holds passwords or keys.
pub(crate) fn is_secret(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.ends_with(".pub")
        || name == "known_hosts"
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
        "/.password-store/",
        "/.local/share/keyrings/",
        "/.config/gcloud/",
        "/run/secrets/",
    ];
    let whole = format!("{}/", path.to_string_lossy());
    let files = [
        ".netrc",
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
        ".dockercfg",
        ".my.cnf",
        ".pgpass",
        ".git-credentials",
        ".npmrc",
        ".pypirc",
        ".env",
        "id_rsa",
        "id_ed25519",
        "id_ecdsa",
        "shadow",
        "gshadow",
        "sudoers",
        "credentials",
        "environ",
        "master.key",
        "credentials.toml",
        "credentials.json",
        ".vault-token",
        "Login Data",
        "logins.json",
        "key4.db",
        "cookies.sqlite",
        "wallet.dat",
    ];
    folders.iter().any(|folder| whole.contains(folder))
        || files.contains(&name.as_str())
        || name.starts_with(".env.")
        || name.ends_with(".pem")
        || name.ends_with(".key")
        || name.ends_with(".kdbx")
}

/// How bad it is that a command reads there; `None` is nothing to speak of.
pub(crate) fn reading(path: &Path) -> Option<Risk> {
    const KEEPERS: [&str; 3] = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers"];
    /// The stores of browsers, and the token that a cluster gives a container: nobody looks into them by hand.
    const STORES: [&str; 5] = ["Login Data", "logins.json", "key4.db", "cookies.sqlite", "wallet.dat"];
    is_secret(path).then(|| {
        let keeper = KEEPERS.iter().any(|file| path == Path::new(file))
            || STORES.iter().any(|name| path.file_name().is_some_and(|file| file == *name))
            || path.to_string_lossy().contains("/run/secrets/kubernetes.io/");
        if keeper { Risk::Dangerous } else { Risk::Caution }
    })
}
