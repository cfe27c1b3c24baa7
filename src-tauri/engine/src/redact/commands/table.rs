//! What is known of programs and options that take secrets for their values, as data.

/// Which part of a value is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// What stands behind the first of these bytes, as in `user:password`.
    After(u8),
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
    Programs {
        names: &["sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "mongoimport", "mongoexport"],
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
        names: &["smbclient", "rpcclient", "smbget", "net", "smbcacls"],
        behind: "",
        signs: &[after("-U", b'%'), after("--user", b'%')],
        fields: false,
    },
    Programs {
        names: &["sqlcmd", "bcp", "zip", "unzip", "ipmitool", "zipcloak"],
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
    Programs { names: &["vault", "bw"], behind: "", signs: &[apart("login"), apart("unlock")], fields: true },
];

/// How an option ends whose value is a secret, whatever the program.
pub(super) const OPTIONS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "token",
    "secret",
    "api-key",
    "apikey",
    "api_key",
    "secret-key",
    "access-key",
    "client-secret",
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
    "instead", "here", "value",
];
/// Programs whose words set variables.
pub(super) const SETTERS: &[&str] =
    &["export", "env", "declare", "typeset", "local", "readonly", "sudo", "set", "setx"];
/// Options behind which a variable is set.
pub(super) const SET_OPTIONS: &[&str] =
    &["-e", "--env", "--build-arg", "--set", "--set-string", "--set-env-vars", "--from-literal"];
/// No word that counts is longer, in bytes.
pub(super) const WORD: usize = 16 * 1024;
