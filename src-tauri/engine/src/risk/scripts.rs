//! Small languages inside arguments: what a `sed` script or a text for a database may do. When in doubt it is the worst.

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
            '{' => continue,
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

/// The statements of a text, without comments. A client's own commands have lines of their own; a question may go over
/// several.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--"));
    // Behind what only says how answers look.
    let first = lines.clone().find(|line| !line.starts_with(['.', '\\'])).unwrap_or_default();
    let goes_on = ["select ", "with ", "explain "].iter().any(|start| first.starts_with(start));
    // Where something else than a text may hold a quote, none is taken to hold anything together.
    let plain = !["--", "/*", "#", "\\", "\"", "`"].iter().any(|sign| text.contains(sign));
    let mut parts: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let own = line.starts_with(['.', '\\']);
        for (at, part) in line.split(';').enumerate() {
            // A semicolon between quotes ends nothing; nor does a new line where a question goes on.
            let within = plain && parts.last().is_some_and(|last| last.matches('\'').count() % 2 == 1);
            match parts.last_mut().filter(|_| if at > 0 { within } else { open && goes_on && !own }) {
                Some(last) => {
                    last.push(if at > 0 { ';' } else { ' ' });
                    last.push_str(part);
                }
                None => parts.push(part.trim().to_owned()),
            }
        }
        open = !own && !line.ends_with(';');
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// What text for a database does, in SQL, in the shell of a document store, or in `sqlite3`'s own commands.
pub(crate) fn sql(text: &str) -> Risk {
    const HARMFUL: [&str; 46] = [
        "writefile",
        "load_extension",
        "findoneanddelete",
        "findoneandupdate",
        "findoneandreplace",
        "bulkwrite",
        "replaceone",
        "updateone",
        "dropindex",
        "dropindexes",
        "mapreduce",
        "findandmodify",
        "dropuser",
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
    // A command of the program's own may stand behind a statement: `select 1 \! id`, `\g |sh`.
    let own = |(at, _): (usize, &str)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        rest.starts_with('!')
            || matches!(word, "g" | "gx" | "w" | "o" | "out")
                && rest.trim_start_matches(word).trim_start().starts_with('|')
            || matches!(word, "gexec" | "copy" | "i" | "ir" | "include" | "e" | "edit" | "setenv" | "system")
    };
    if text.match_indices('\\').any(own) || ["$out", "$merge"].iter().any(|stage| text.contains(stage)) {
        return Risk::Dangerous;
    }
    /// Words of clients that run a program or a file, or send what they show to one.
    const OWN: [&str; 12] =
        ["system", "source", "host", "shell", "tee", "pager", "spool", "exec", "edit", "dfs", "load", "run"];
    let mut risk = Risk::Safe;
    for line in statements(&text) {
        let line = line.as_str();
        let first = line.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        if OWN.contains(&first) || line.starts_with(['!', '@']) {
            return Risk::Dangerous;
        }
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
        let tells =
            (line.starts_with("explain ") || line.starts_with("describe ")) && !line.contains("analy");
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
