//! Small languages inside arguments: what a `sed`, `awk` or `python -c` text may do. When in doubt it is the worst.

use crate::protocol::Risk;

/// What a `sed` script does beyond printing.
pub(crate) fn sed(script: &str) -> Risk {
    if fetches_and_runs(script) {
        return Risk::Dangerous;
    }
    let mut rest = script.chars().peekable();
    loop {
        while rest.next_if(|c| c.is_whitespace() || ";{}".contains(*c)).is_some() {}
        // Addresses: 3  $  1,5  /text/  \%text%  0~2  +4  and ! after them.
        loop {
            match rest.peek() {
                Some(c) if c.is_ascii_digit() || "$,~+! ".contains(*c) => {
                    rest.next();
                }
                Some('/') => {
                    rest.next();
                    if !skip_to(&mut rest, '/') {
                        return Risk::Dangerous;
                    }
                    while rest.next_if(|c| "IM".contains(*c)).is_some() {}
                }
                Some('\\') => {
                    rest.next();
                    let Some(delimiter) = rest.next() else { return Risk::Dangerous };
                    if !skip_to(&mut rest, delimiter) {
                        return Risk::Dangerous;
                    }
                }
                Some(_) | None => break,
            }
        }
        let Some(command) = rest.next() else { return Risk::Safe };
        match command {
            's' | 'y' => {
                let Some(delimiter) = rest.next() else { return Risk::Dangerous };
                if !skip_to(&mut rest, delimiter) || !skip_to(&mut rest, delimiter) {
                    return Risk::Dangerous;
                }
                while let Some(flag) = rest.next_if(|c| c.is_alphanumeric()) {
                    if !flag.is_ascii_digit() && !"gpiIM".contains(flag) {
                        return Risk::Dangerous;
                    }
                }
            }
            'd' | 'D' | 'p' | 'P' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'z' | 'q' | 'Q' | 'l' => {
                while rest.next_if(char::is_ascii_digit).is_some() {}
            }
            ':' | 'b' | 't' | 'T' => while rest.next_if(|c| !";\n}".contains(*c)).is_some() {},
            'a' | 'i' | 'c' | '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            '{' | '}' => {}
            _ => return Risk::Dangerous,
        }
        match rest.peek() {
            None => return Risk::Safe,
            Some(c) if c.is_whitespace() || ";{}".contains(*c) => {}
            Some(_) => return Risk::Dangerous,
        }
    }
}

fn skip_to(rest: &mut impl Iterator<Item = char>, delimiter: char) -> bool {
    while let Some(c) = rest.next() {
        if c == '\\' {
            rest.next();
        } else if c == delimiter {
            return true;
        }
    }
    false
}

/// What an `awk` program does beyond printing.
pub(crate) fn awk(program: &str) -> Risk {
    let runs = ["system", "getline", "@load", "@include", "@namespace"];
    if runs.iter().any(|word| program.contains(word)) || program.replace("||", "").contains('|') {
        return Risk::Dangerous;
    }
    let writes = program.match_indices('>').any(|(at, _)| {
        let before = program.get(..at).unwrap_or_default();
        before.rsplit(['{', ';', '\n']).next().is_some_and(|statement| statement.contains("print"))
    });
    if writes { Risk::Dangerous } else { Risk::Safe }
}

/// Whether a text has a command in it that runs what it fetches: written somewhere, it is run later.
pub(crate) fn fetches_and_runs(text: &str) -> bool {
    let fetches = text.contains("curl ") || text.contains("wget ");
    let shell = |rest: &str| {
        let name = rest.trim_start().trim_start_matches("sudo ");
        ["sh", "bash", "zsh", "dash", "python", "node", "perl"].iter().any(|own| {
            name.strip_prefix(own)
                .is_some_and(|end| !end.starts_with(|c: char| c.is_alphanumeric() && c != '3'))
        })
    };
    fetches
        && (text.split('|').skip(1).any(shell) || text.contains("sh -c \"$(curl") || text.contains("<(curl"))
}

/// What code of a general language may do; never better than `caution`.
pub(crate) fn code(text: &str) -> Risk {
    /// Acts, or hides what it does.
    const ACTS: [&str; 69] = [
        "passthru",
        "proc_open",
        "pcntl_",
        "file_put_contents",
        "fsockopen",
        "curl_",
        "dofile",
        "loadstring",
        "remove_tree",
        "system",
        "subprocess",
        "popen",
        "spawn",
        "exec",
        "eval",
        "rmtree",
        "remove",
        "unlink",
        "rmdir",
        "rename",
        "shutil",
        "socket",
        "chmod",
        "chown",
        "kill",
        "fork",
        "__import__",
        "importlib",
        "getattr",
        "base64",
        "pickle",
        "ctypes",
        "child_process",
        "`",
        "qx",
        "rm_",
        "fileutils",
        ".delete",
        "rmsync",
        "symlink",
        "truncate",
        "mkfifo",
        "ptrace",
        "mmap",
        "marshal",
        "compile(",
        "globals",
        "\\x",
        "fromcharcode",
        "decode(",
        "chr(",
        "signal",
        "pty",
        "shell script",
        "invoke-expression",
        "iex ",
        "downloadstring",
        "start-process",
        "format-volume",
        "clear-disk",
        // Of clients of databases, of clouds and of mail.
        "flushall",
        "flushdb",
        "dropdatabase",
        "drop_database",
        "terminate_",
        "delete_",
        "destroy",
        "sendmail",
        "send_message",
    ];
    const READS: [&str; 8] =
        ["open(", "environ", "getenv", "process.env", "readfile", ".read(", ".read_", "readlines"];
    const NETWORK: [&str; 8] =
        ["urllib", "request", "http", "fetch", "ftplib", "smtplib", "websocket", "net."];
    const WRITES: [&str; 5] = ["writefile", "appendfile", ".write_text", ".write_bytes", "createwrite"];
    /// Modes of a file that is opened.
    const MODES: [&str; 9] = ["'w", "\"w", "'a", "\"a", "'r+", "\"r+", "'x", "\"x", "mode="];
    let text =
        text.to_lowercase().replace("re.compile(", "re.pattern(").replace("json_decode(", "json_read(");
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // Modules by name: those of the project or that only look are no worse than running the project.
    let loads = text.match_indices("require(").any(|(at, _)| {
        let name = text.get(at + 8..).unwrap_or_default().trim_start_matches(['\'', '"']);
        let name = name.split(['\'', '"']).next().unwrap_or_default();
        !name.starts_with("./") && !is_tame_module(name)
    });
    if has(&ACTS)
        || fetches_and_runs(&text)
        || has(&WRITES)
        || text.contains("open") && has(&MODES)
        || loads
        || has(&NETWORK) && (has(&READS) || text.contains("post") || text.contains("put"))
    {
        Risk::Dangerous
    } else {
        Risk::Caution
    }
}

/// Whether a module of Node does not reach beyond the program by itself: those that come with it, by name, and packages
/// that the project has installed, whose code runs in it anyway.
fn is_tame_module(name: &str) -> bool {
    const TAME: [&str; 11] = [
        "os",
        "path",
        "path/posix",
        "util",
        "assert",
        "fs",
        "url",
        "events",
        "buffer",
        "string_decoder",
        "querystring",
    ];
    const REACHING: [&str; 36] = [
        "child_process",
        "net",
        "tls",
        "dgram",
        "dns",
        "http",
        "https",
        "http2",
        "vm",
        "worker_threads",
        "cluster",
        "inspector",
        "repl",
        "module",
        "process",
        "v8",
        "wasi",
        "rimraf",
        "del",
        "trash",
        "shelljs",
        "zx",
        "fs-extra",
        "axios",
        "got",
        "request",
        "needle",
        "ssh2",
        "node-fetch",
        "undici",
        "superagent",
        "node-pty",
        "ws",
        "phin",
        "sudo-prompt",
        "crypto",
    ];
    let bare = name.strip_prefix("node:");
    let word = bare.unwrap_or(name);
    let package = !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "@-_/.".contains(c))
        && !word.starts_with(['/', '.'])
        && !word.contains("..");
    TAME.contains(&word) || bare.is_none() && package && !REACHING.contains(&word)
}

/// Whether every statement only adds to a database, or changes rows that it names: nobody's loss in one that is there to
/// be tried out.
pub(crate) fn sql_adds(text: &str) -> bool {
    sql_changes(text, false)
}

/// The same where rows that are named may go as well, or all of a table: in a database that is there for nothing else.
pub(crate) fn sql_clears(text: &str) -> bool {
    sql_changes(text, true)
}

fn sql_changes(text: &str, clears: bool) -> bool {
    let doubtful = text.contains(['\\', '`', '$', '#']) || text.contains("--") || text.contains("/*");
    if doubtful || text.matches('\'').count() % 2 == 1 {
        return false;
    }
    // What stands between single quotes is no statement.
    let bare = text.split('\'').step_by(2).collect::<Vec<&str>>().join("''").to_lowercase();
    bare.split(';').map(str::trim).filter(|statement| !statement.is_empty()).all(|statement| {
        let words: Vec<&str> = statement
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let harms = |allowed: &[&str]| {
            const HARMS: [&str; 15] = [
                "drop",
                "delete",
                "truncate",
                "grant",
                "revoke",
                "copy",
                "program",
                "execute",
                "call",
                "outfile",
                "load_file",
                "infile",
                "rename",
                "owner",
                "attach",
            ];
            words.iter().any(|word| HARMS.contains(word) && !allowed.contains(word))
                || statement.contains("pg_")
        };
        match words.as_slice() {
            ["insert", "into", ..] => !harms(&[]),
            ["alter", "table", rest @ ..] => {
                let cascades: &[&str] = if clears { &["delete"] } else { &[] };
                rest.contains(&"add") && !rest.contains(&"alter") && !harms(cascades)
            }
            ["delete", "from", _, "where", _, ..] if clears => !harms(&["delete"]),
            ["truncate", _, ..] if clears => !harms(&["truncate"]),
            ["vacuum", rest @ ..] if clears => !rest.contains(&"into") && !harms(&[]),
            ["update", rest @ ..] => {
                let condition = statement.split_once(" where ").map(|(_, condition)| condition.trim());
                let names = condition.is_some_and(|condition| {
                    condition.starts_with(char::is_alphabetic)
                        && !condition.starts_with("true")
                        && !condition.contains(" or ")
                });
                rest.contains(&"set") && names && !harms(&[])
            }
            ["begin" | "commit"] => true,
            _ => sql(statement) < Risk::Dangerous,
        }
    })
}

/// What text for a database does, in SQL, in the shell of a document store, or in `sqlite3`'s own commands.
pub(crate) fn sql(text: &str) -> Risk {
    const HARMFUL: [&str; 33] = [
        "drop",
        "delete",
        "truncate",
        "alter",
        "grant",
        "revoke",
        "update",
        "replace",
        "copy",
        "program",
        "execute",
        "do",
        "call",
        "shutdown",
        "vacuum",
        "attach",
        "into",
        "outfile",
        "load_file",
        "infile",
        "pg_read_file",
        "lo_import",
        "lo_export",
        "dropdatabase",
        "deletemany",
        "deleteone",
        "remove",
        "updatemany",
        "renamecollection",
        "dblink",
        "xp_cmdshell",
        "pg_terminate_backend",
        "createuser",
    ];
    const MAKES: [&str; 9] =
        ["insert", "create", "insertone", "insertmany", "pragma", "begin", "commit", "set", "reindex"];
    const ASKS: [&str; 17] = [
        "select", "show", "describe", "desc", "explain", "with", "use", "values", "find", "db", "count",
        "help", "table", "status", "list", "print", "eval",
    ];
    let text = text.to_lowercase();
    let mut risk = Risk::Safe;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--")) {
        if let Some(own) = line.strip_prefix(['.', '\\']) {
            let word = own.split(|c: char| !c.is_ascii_alphanumeric() && c != '!').next().unwrap_or_default();
            let looks = [
                "tables",
                "schema",
                "mode",
                "headers",
                "header",
                "databases",
                "indexes",
                "indices",
                "d",
                "dt",
                "l",
                "list",
                "du",
                "dn",
                "df",
                "di",
                "dv",
                "conninfo",
                "x",
                "timing",
                "q",
                "quit",
                "exit",
                "help",
                "show",
                "dump",
                "dx",
                "z",
                "sf",
                "sv",
                "width",
                "separator",
                "stats",
            ];
            risk = risk.max(if looks.contains(&word) && !own.contains(['!', '|', '>']) {
                Risk::Safe
            } else {
                Risk::Dangerous
            });
            continue;
        }
        // `EXPLAIN DELETE` tells how it would be done; with `ANALYZE` it is done.
        let tells = (line.starts_with("explain ") || line.starts_with("describe "))
            && !line.contains("analy")
            && !line.trim_end_matches(';').contains(';');
        if tells {
            continue;
        }
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        let insert = words.contains(&"insert");
        if words.iter().any(|word| {
            HARMFUL.contains(word) && !(insert && *word == "into") && !(insert && *word == "replace")
        }) {
            return Risk::Dangerous;
        }
        risk = risk.max(match words.first() {
            Some(first) if MAKES.contains(first) || words.iter().any(|word| MAKES.contains(word)) => {
                Risk::Caution
            }
            Some(first) if ASKS.contains(first) => Risk::Safe,
            Some(_) => Risk::Caution,
            None => Risk::Safe,
        });
    }
    risk
}

/// Where an `awk` program writes, if all of it is known: the names between quotes after `>`.
pub(crate) fn awk_files(program: &str) -> Option<Vec<&str>> {
    let mut files = Vec::new();
    for (at, _) in program.match_indices('>') {
        let rest = program.get(at + 1..)?.trim_start_matches('>').trim_start();
        let before = program.get(..at)?;
        if !before.rsplit(['{', ';', '\n']).next()?.contains("print") || rest.starts_with('=') {
            continue;
        }
        files.push(rest.strip_prefix('"')?.split_once('"')?.0);
    }
    Some(files)
}
