//! Commands that cannot leave their shell other than it was: a program and its words. What their shell would write down
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

impl RunRequest {
    /// Whether the command, when it ends by itself, leaves the shell state that it started from.
    pub(super) fn leaves_shell_unchanged(&self) -> bool {
        leaves_shell_unchanged(self.action.command(), &self.shell)
    }
}

fn leaves_shell_unchanged(command: &str, before: &ShellState) -> bool {
    shell::bare_program(command).is_some_and(|program| {
        !BUILTINS.contains(&program.as_str()) && !before.functions.contains_key(&program)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unchanged(command: &str) -> bool {
        leaves_shell_unchanged(command, &ShellState::default())
    }

    #[test]
    fn programs_with_their_words() {
        for command in
            ["true", "ls -la", "./configure --prefix=/usr", "git commit -m 'cd /tmp; x=1'", "echo cd"]
        {
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
            "ls && umask 077",
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
    fn a_function_of_the_steps_before_hides_a_program() {
        let mut before = ShellState::default();
        before.functions.insert("ls".to_owned(), "ls () { cd /tmp; }".to_owned());
        assert!(!leaves_shell_unchanged("ls -l", &before));
        assert!(leaves_shell_unchanged("cat x", &before));
    }

    #[test]
    fn whatever_this_machines_bash_has_built_in_is_known() {
        let asked = std::process::Command::new("bash").args(["-c", "compgen -b"]).output().unwrap();
        let listed = String::from_utf8(asked.stdout).unwrap();
        let known: Vec<&str> = listed.lines().filter(|name| unchanged(name)).collect();
        assert_eq!(known, ["echo", "false", "pwd", "true"]);
    }
}
