//! Prompts: which lines of a block somebody typed, where, and as whom. Tells a shell's prompt from that of another interpreter;
//! never decides what a command does.

use std::sync::LazyLock;

use regex::Regex;

/// A prompt at the beginning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) sign: Sign,
    /// `user@host`, where the prompt shows it.
    pub(super) host: Option<String>,
    /// Bytes of the line up to the command.
    pub(super) length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// `$`, `user@host:~$`, `(venv) $`, `%` behind a place.
    User,
    /// `#` behind a place.
    Root,
    /// `#` with nothing before it: a comment, or a bare prompt of the superuser.
    Hash,
    /// `%` with nothing before it: zsh, or output.
    Percent,
    /// `>` with nothing before it: any prompt, a continuation, or output.
    Angle,
    /// `C:\>`, `PS C:\>`.
    Windows,
    /// Of an interpreter that is no shell: `>>>`, `mysql>`, `In [1]:`.
    Other,
}

// The patterns are constants, and tests read transcripts with them.
#[allow(clippy::expect_used)]
static SHELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?<env>\([\w .:-]{1,40}\) ?)?(?:(?<place>\[?[\w.-]+@[\w.-]+[^$#%>❯]{0,80}?)|(?<folder>(?:~|/)[\w./~-]{0,60} ?)|(?<name>(?:bash|sh|zsh|root|user|host|server|client|local|dev)(?:-[\d.]+)? ?))?(?<sign>[$#%❯➜])(?:[ \t]+|$)",
    )
    .expect("the pattern is well formed")
});
#[allow(clippy::expect_used)]
static WINDOWS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\([\w.-]+\) ?)?(?:PS )?[A-Za-z]:[\\/][^>\n]{0,120}> ?|^PS[^>\n]{0,60}> ?")
        .expect("the pattern is well formed")
});
#[allow(clippy::expect_used)]
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:>>>|\.\.\.|In \[\d+\]:|Out\[\d+\]:|irb(?:\([^)]*\))?[:\d]*[>*]|pry[^>]*>|(?:mysql|MariaDB[^>]*|sqlite|mongo|test|redis|ghci|Prelude|julia|scala|jshell|iex(?:\(\d+\))?|node|php|lua|erl|cqlsh[:\w]*|influx|ksql|clickhouse|\w+ :\)|nix-repl|gdb|lldb|\(gdb\)|\(lldb\)|\(Pdb\)|\(pdb\)|ipdb|sage|gap|maxima|sftp|ftp|\d+\])> ?|\(Pdb\) |\(gdb\) |\w+=[#>] |(?:\d{1,3}\.){3}\d{1,3}:\d+> )",
    )
    .expect("the pattern is well formed")
});

pub(super) fn prompt(line: &str) -> Option<Prompt> {
    if let Some(found) = OTHER.find(line) {
        return Some(Prompt { sign: Sign::Other, host: None, length: found.end() });
    }
    if let Some(found) = WINDOWS.find(line) {
        return Some(Prompt { sign: Sign::Windows, host: None, length: found.end() });
    }
    if let Some(found) = SHELL.captures(line) {
        let placed = ["env", "place", "folder", "name"].iter().any(|part| found.name(part).is_some());
        let sign = match (&found["sign"], placed) {
            ("#", true) => Sign::Root,
            ("#", false) => Sign::Hash,
            ("%", false) => Sign::Percent,
            _ => Sign::User,
        };
        let host = found.name("place").and_then(|place| host_of(place.as_str()));
        return Some(Prompt { sign, host, length: found[0].len() });
    }
    // `$sudo make`: the space is forgotten. A variable is no program and has no words of its own behind it.
    if let Some(rest) = line.strip_prefix('$') {
        let (first, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        let is_program = first.len() > 1 && super::words::words().known.contains(first);
        let is_typed = is_program
            && !behind.trim_start().is_empty()
            && !behind.trim_start().starts_with(['=', '+', '|', '>', '<', '&']);
        return is_typed.then_some(Prompt { sign: Sign::User, host: None, length: 1 });
    }
    let rest = line.strip_prefix('>')?;
    (rest.is_empty() || rest.starts_with(' ')).then_some(Prompt {
        sign: Sign::Angle,
        host: None,
        length: line.len().min(2),
    })
}

/// `user@host` of `[user@host dir`, `user@host:~ `.
fn host_of(place: &str) -> Option<String> {
    let name: String = place
        .trim_start_matches('[')
        .chars()
        .take_while(|letter| letter.is_ascii_alphanumeric() || "@._-".contains(*letter))
        .collect();
    name.contains('@').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_shells_and_of_others() {
        for (line, sign, command) in [
            ("$ ls", Sign::User, "ls"),
            ("user@host:~$ ls -l", Sign::User, "ls -l"),
            ("pi@raspberrypi:~/x $ ls", Sign::User, "ls"),
            ("(venv) $ ls", Sign::User, "ls"),
            ("(venv) ~$ ls", Sign::User, "ls"),
            ("[root@host ~]# ls", Sign::Root, "ls"),
            ("root# ls", Sign::Root, "ls"),
            ("# ls", Sign::Hash, "ls"),
            ("% ls", Sign::Percent, "ls"),
            ("❯ ls", Sign::User, "ls"),
            ("~/src $ ls", Sign::User, "ls"),
            ("bash-5.2$ ls", Sign::User, "ls"),
            ("> ls", Sign::Angle, "ls"),
            (r"C:\Users\Name> dir", Sign::Windows, "dir"),
            ("PS C:\\> dir", Sign::Windows, "dir"),
            (">>> import x", Sign::Other, "import x"),
            ("mysql> SELECT 1;", Sign::Other, "SELECT 1;"),
            ("In [1]: x", Sign::Other, "x"),
            ("postgres=# SELECT 1;", Sign::Other, "SELECT 1;"),
        ] {
            let found = prompt(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((found.sign, line[found.length..].trim_start()), (sign, command), "{line}");
        }
        for line in ["ls", "$HOME/bin/x", "#!/bin/sh", "a > b", "<b>", "100% done", ">=1.2"] {
            assert_eq!(prompt(line), None, "{line}");
        }
    }

    #[test]
    fn the_host_of_a_prompt() {
        let host = |line: &str| prompt(line).and_then(|found| found.host);
        assert_eq!(host("pi@raspberrypi:~/x $ ls").as_deref(), Some("pi@raspberrypi"));
        assert_eq!(host("[me@box dir]$ ls").as_deref(), Some("me@box"));
        assert_eq!(host("$ ls"), None);
    }
}
