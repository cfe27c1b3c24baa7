//! What is known of programs and options that take secrets for their values, as data.

/// Which part of a value is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// What stands behind the first of these bytes, as in `user:password`.
    After(u8),
    /// What stands between the last of the one and of the other before it, as in `user:password@host`.
    Between(u8, u8),
}

/// An option with a secret for its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sign {
    pub(super) option: &'static str,
    /// The value may stand in the same word.
    pub(super) near: bool,
    /// The value may be the next word.
    pub(super) apart: bool,
    pub(super) part: Part,
}

const fn whole(option: &'static str) -> Sign {
    Sign { option, near: true, apart: true, part: Part::Whole }
}

const fn near(option: &'static str) -> Sign {
    Sign { option, near: true, apart: false, part: Part::Whole }
}

const fn apart(option: &'static str) -> Sign {
    Sign { option, near: false, apart: true, part: Part::Whole }
}

const fn after(option: &'static str, sign: u8) -> Sign {
    Sign { option, near: true, apart: true, part: Part::After(sign) }
}

const fn proxy(option: &'static str) -> Sign {
    Sign { option, near: true, apart: true, part: Part::Between(b':', b'@') }
}

const fn login(option: &'static str) -> Sign {
    after(option, b':')
}

/// Programs of which the same is true.
pub(super) struct Programs {
    pub(super) names: &'static [&'static str],
    /// Only where this word came before; empty: always.
    pub(super) behind: &'static str,
    pub(super) signs: &'static [Sign],
    /// Its words may hold headers and fields with names, such as `password=…`.
    pub(super) fields: bool,
}

pub(super) const PROGRAMS: &[Programs] = &[
    Programs {
        names: &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlcheck",
            "mysqlshow",
            "mysqlsh",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
            "mariadb-import",
            "mycli",
        ],
        behind: "",
        signs: &[near("-p")],
        fields: false,
    },
    Programs { names: &["sshpass", "useradd", "usermod"], behind: "", signs: &[whole("-p")], fields: false },
    Programs { names: &["gh"], behind: "secret", signs: &[whole("--body"), whole("-b")], fields: false },
    Programs {
        names: &[
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongoimport",
            "mongoexport",
            "cqlsh",
            "ncftp",
            "ncftpget",
            "ncftpput",
            "twine",
            "rdesktop",
            "evil-winrm",
            "nxc",
        ],
        behind: "",
        signs: &[whole("-p")],
        fields: false,
    },
    Programs {
        names: &["docker", "podman", "nerdctl", "buildah", "helm", "oras", "crane", "az", "oc"],
        behind: "login",
        signs: &[whole("-p")],
        fields: false,
    },
    Programs {
        names: &["skopeo", "podman", "buildah"],
        behind: "",
        signs: &[login("--creds"), login("--src-creds"), login("--dest-creds")],
        fields: false,
    },
    Programs {
        names: &["curl"],
        behind: "",
        signs: &[
            login("-u"),
            login("--user"),
            login("-U"),
            login("--proxy-user"),
            login("-E"),
            login("--cert"),
            login("--proxy-cert"),
            proxy("-x"),
            proxy("--proxy"),
            proxy("--preproxy"),
            whole("--oauth2-bearer"),
            after("-b", b'='),
            after("--cookie", b'='),
        ],
        fields: true,
    },
    Programs {
        names: &["wget", "aria2c", "psql", "pg_dump", "pg_restore", "mount", "mount.cifs", "kubectl", "helm"],
        behind: "",
        signs: &[],
        fields: true,
    },
    Programs {
        names: &["http", "https", "xh", "xhs"],
        behind: "",
        signs: &[login("-a"), login("--auth")],
        fields: true,
    },
    Programs { names: &["redis-cli", "valkey-cli"], behind: "", signs: &[whole("-a")], fields: false },
    Programs {
        names: &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami", "ldappasswd"],
        behind: "",
        signs: &[whole("-w")],
        fields: false,
    },
    Programs {
        names: &["smbclient", "rpcclient", "smbget", "net", "smbcacls", "winexe", "pth-winexe"],
        behind: "",
        signs: &[after("-U", b'%'), after("--user", b'%')],
        fields: false,
    },
    Programs {
        names: &[
            "sqlcmd",
            "bcp",
            "zip",
            "unzip",
            "ipmitool",
            "zipcloak",
            "mosquitto_pub",
            "mosquitto_sub",
            "mosquitto_rr",
        ],
        behind: "",
        signs: &[whole("-P")],
        fields: false,
    },
    Programs {
        names: &["7z", "7za", "7zr", "7zz", "rar", "unrar"],
        behind: "",
        signs: &[near("-p"), near("-hp")],
        fields: false,
    },
    Programs {
        names: &["openssl"],
        behind: "",
        signs: &[login("-passin"), login("-passout"), login("-pass"), apart("-k"), apart("-K")],
        fields: false,
    },
    Programs {
        names: &["snmpget", "snmpwalk", "snmpset"],
        behind: "",
        signs: &[whole("-A"), whole("-X"), whole("-c")],
        fields: false,
    },
    Programs {
        names: &["xfreerdp", "xfreerdp3", "wlfreerdp"],
        behind: "",
        signs: &[near("/p:")],
        fields: false,
    },
    Programs {
        names: &["aws"],
        behind: "set",
        signs: &[apart("aws_secret_access_key"), apart("aws_session_token")],
        fields: false,
    },
    Programs { names: &["ssh-keygen"], behind: "", signs: &[whole("-N"), whole("-P")], fields: false },
    // In `lftp -e 'open -u name,password …'` it is a command of its own.
    Programs { names: &["lftp", "open"], behind: "", signs: &[after("-u", b',')], fields: false },
    Programs { names: &["etcdctl"], behind: "", signs: &[login("--user")], fields: false },
    Programs { names: &["dotnet", "nuget"], behind: "push", signs: &[whole("-k")], fields: false },
    Programs { names: &["kubectl"], behind: "secret", signs: &[after("--from-literal", b'=')], fields: true },
    Programs {
        names: &["nmcli"],
        behind: "",
        signs: &[apart("password"), apart("wifi-sec.psk"), apart("802-11-wireless-security.psk")],
        fields: false,
    },
    Programs {
        names: &["rclone"],
        behind: "",
        signs: &[apart("obscure"), apart("pass"), apart("secret_access_key"), apart("client_secret")],
        fields: true,
    },
    Programs {
        names: &["npm", "pnpm", "yarn"],
        behind: "set",
        signs: &[apart("_authToken"), apart("_password"), apart("_auth")],
        fields: false,
    },
    Programs { names: &["cargo"], behind: "", signs: &[apart("login")], fields: false },
    Programs {
        names: &["ngrok"],
        behind: "",
        signs: &[apart("authtoken"), apart("add-authtoken")],
        fields: false,
    },
    Programs {
        names: &["pdftk"],
        behind: "",
        signs: &[apart("user_pw"), apart("owner_pw"), apart("input_pw")],
        fields: false,
    },
    Programs { names: &["vault", "bw"], behind: "", signs: &[apart("login"), apart("unlock")], fields: true },
];

/// Programs of which a word is a secret by its place alone: which one, the options and the program left out, and only
/// where another word came before. The first that fits counts.
pub(super) const OPERANDS: &[(&str, &str, usize)] = &[
    ("htpasswd", "-n", 2),
    ("htpasswd", "-b", 3),
    ("wpa_passphrase", "", 2),
    ("openssl", "passwd", 2),
    ("net", "user", 3),
    ("mc", "alias", 6),
    ("mcli", "alias", 6),
];
/// Programs that start the command behind their own options.
pub(super) const STARTERS: &[&str] = &["sshpass"];

/// Options of one letter to which programs attach a password or key.
pub(super) const ATTACHED: &[char] = &['p', 'P', 'w', 'k', 'K', 't', 'T'];
/// Options whose value is a login, whatever the program. Not `--user`, which is also a user and a group.
pub(super) const LOGIN_OPTIONS: &[&str] =
    &["auth", "basic-auth", "http-auth", "proxy-auth", "creds", "credentials", "userpass"];
/// How an option ends whose value is a secret, whatever the program; `_` counts as `-`.
pub(super) const OPTIONS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "token",
    "secret",
    "api-key",
    "apikey",
    "secret-key",
    "access-key",
    "auth-key",
    "authkey",
    "psk",
    "pw",
    "authtoken",
    "bearer",
    "storepass",
    "keypass",
    "pass",
    "pwd",
];
/// What an option begins with that only speaks of such a value.
pub(super) const ONLY_SPEAKS: &[&str] = &[
    "no", "ask", "prompt", "without", "disable", "enable", "require", "show", "generate", "reset", "allow",
    "use", "with", "skip", "change", "is", "has",
];
/// What follows the name of an option in a sentence.
pub(super) const PROSE: &[&str] = &[
    "is", "to", "the", "option", "options", "flag", "or", "and", "with", "for", "in", "on", "as", "from",
    "if", "when", "that", "was", "not", "must", "can", "may", "are", "has", "of", "a", "an", "argument",
    "instead", "here", "value", "via", "through", "by",
];
/// Programs whose words set variables.
pub(super) const SETTERS: &[&str] =
    &["export", "env", "declare", "typeset", "local", "readonly", "sudo", "set", "setx"];
/// Options behind which a variable is set.
pub(super) const SET_OPTIONS: &[&str] =
    &["-e", "--env", "--build-arg", "--set", "--set-string", "--set-env-vars", "--from-literal"];
/// No word that counts is longer, in bytes.
pub(super) const WORD: usize = 16 * 1024;
