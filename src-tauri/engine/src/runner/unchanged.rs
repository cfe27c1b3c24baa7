//! Commands that cannot leave their shell other than it was: programs and their words. What their shell would write down
//! at its end is known before, and writing it costs it as much as half of its start.

use super::RunRequest;
use crate::protocol::ShellState;
use crate::shell;

/// What bash does by itself (5.2) and what may change its folder, variables, functions or umask, or run what does.
const BUILTINS: [&str; 57] = [
    ".",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
    // Of other versions and systems.
    "fltexpr",
    "strmatch",
];

/// Of those, what runs nothing that its words name.
const QUIET: [&str; 6] = ["cd", "exit", "export", "popd", "pushd", "umask"];

/// What is known of a command's shell before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Foreseen {
    /// The command, when it ends by itself, leaves the shell state that it started from.
    pub(super) unchanged: bool,
    /// The shell may itself call `sudo` by name.
    pub(super) may_call_sudo: bool,
    /// It reads a file that bash reads at its start where a person sits at it.
    pub(super) reads_start_up: bool,
}

impl RunRequest {
    pub(super) fn foreseen(&self) -> Foreseen {
        foreseen(self.action.command(), &self.shell)
    }
}

/// Of a command in a shell in this state. What is built in and does as a program would (`echo`, `false`, `pwd`, `true`)
/// counts as one.
fn foreseen(command: &str, before: &ShellState) -> Foreseen {
    let reads_start_up = reads_start_up(command);
    let Some(programs) = shell::bare_programs(command) else {
        return Foreseen { unchanged: false, may_call_sudo: true, reads_start_up };
    };
    let is_function = |name: &String| before.functions.contains_key(name);
    let is_quiet = |name: &String| !is_builtin(name) || QUIET.contains(&name.as_str());
    Foreseen {
        unchanged: !programs.iter().any(|name| is_builtin(name) || is_function(name)),
        may_call_sudo: programs.iter().any(|name| name == "sudo" || !is_quiet(name) || is_function(name)),
        reads_start_up,
    }
}

/// What bash does itself and may change its shell, or run what does.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Many such files begin with a guard on `$-`, so the shell that reads one has to count as one that somebody sits at.
fn reads_start_up(command: &str) -> bool {
    const FILES: [&str; 4] = [".bashrc", ".bash_profile", ".bash_login", ".profile"];
    if command.trim().contains('\n') {
        return false;
    }
    let words: Vec<&str> =
        command.split([' ', '\t', ';', '&', '|']).filter(|word| !word.is_empty()).collect();
    let file = |word: &str| {
        let name = word.trim_matches(['"', '\'']);
        ["~/", "$HOME/", "${HOME}/", "\"$HOME\"/"]
            .iter()
            .any(|home| name.strip_prefix(home).is_some_and(|name| FILES.contains(&name)))
    };
    words
        .windows(2)
        .any(|pair| matches!(pair[0], "." | "source") && (file(pair[1]) || pair[1] == "\"$file\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::tests::request;

    fn unchanged(command: &str) -> bool {
        foreseen(command, &ShellState::default()).unchanged
    }

    #[test]
    fn programs_with_their_words() {
        for command in [
            "true",
            "ls -la",
            "./configure --prefix=/usr",
            "git commit -m 'cd /tmp; x=1'",
            "echo cd",
            "bash -c 'cd /tmp'",
            "env A=1 ls",
            "dd if=a of=b",
        ] {
            assert!(unchanged(command), "{command}");
        }
    }

    #[test]
    fn several_of_them() {
        for command in [
            "apt-get update && apt-get install -y curl",
            "make || true",
            "ls; ls",
            "ls;",
            "mkdir a\nls a\n",
            "cat x | sort -u | wc -l",
            "curl -fsSL https://example.org/x 2>/dev/null | tee log > /dev/null 2>&1",
            "sort < in >> out",
            "make &> log && ls",
        ] {
            assert!(unchanged(command), "{command}");
        }
    }

    #[test]
    fn anything_more_is_asked_of_the_shell() {
        for command in [
            "cd /tmp",
            ". venv/bin/activate",
            "source venv/bin/activate",
            "export A=1",
            "A=1",
            "A=1 ls",
            "printf -v A x",
            "test -v 'a[i=1]'",
            "command cd /tmp",
            "ls; cd /tmp",
            "ls\ncd /tmp",
            "ls && umask 077",
            "ls && A=1",
            "ls || exit",
            "ls > a; exec > b",
            "ls {fd}> a",
            "ls &",
            "ls | while read A; do B=1; done",
            "ls < <(cd a)",
            "cat <<< a",
            "cat << a\nls\na",
            "echo ${A:=1}",
            "echo $((A = 1))",
            "\\cd /tmp",
            "'cd' /tmp",
            "c'd' /tmp",
            "time cd /tmp",
            "ls() { cd /tmp; }",
            "",
        ] {
            assert!(!unchanged(command), "{command}");
        }
    }

    #[test]
    fn who_may_call_sudo() {
        let may = |command| request(command, &ShellState::default()).foreseen().may_call_sudo;
        for command in [
            "sudo ls",
            "s'ud'o ls",
            "command sudo ls",
            "eval sudo ls",
            "exec sudo ls",
            "trap 'sudo ls' EXIT",
            "test -v 'a[$(sudo ls)]'",
            ". ./script",
            "ls; sudo ls",
            "echo a | sudo tee b",
            "$x ls",
        ] {
            assert!(may(command), "{command}");
        }
        // These call it themselves, and find it by the path; or they call nothing.
        for command in [
            "env sudo ls",
            "xargs sudo ls",
            "/usr/bin/sudo ls",
            "apt update",
            "ls | xargs sudo ls",
            "cd sudo",
            "cd a && ls",
            "export sudo=sudo",
        ] {
            assert!(!may(command), "{command}");
        }
    }

    #[test]
    fn a_function_of_the_steps_before_hides_a_program() {
        let mut before = ShellState::default();
        before.functions.insert("ls".to_owned(), "ls () { cd /tmp; }".to_owned());
        for (command, known) in [("ls -l", false), ("cat x | ls", false), ("cat x", true)] {
            let expected = Foreseen { unchanged: known, may_call_sudo: !known, reads_start_up: false };
            assert_eq!(foreseen(command, &before), expected, "{command}");
        }
    }

    #[test]
    fn whatever_this_machines_bash_has_built_in_is_known() {
        let asked = std::process::Command::new("bash").args(["-c", "compgen -b"]).output().unwrap();
        let listed = String::from_utf8(asked.stdout).unwrap();
        let known: Vec<&str> = listed.lines().filter(|name| unchanged(name)).collect();
        assert_eq!(known, ["echo", "false", "pwd", "true"]);
    }
}
