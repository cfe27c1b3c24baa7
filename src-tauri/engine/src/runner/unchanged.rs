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

/// What is known of a command's shell before it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foreseen {
    /// The command, when it ends by itself, leaves the shell state that it started from.
    pub(super) unchanged: bool,
    /// The shell may itself call `sudo` by name.
    pub(super) may_call_sudo: bool,
}

impl RunRequest {
    pub(super) fn foreseen(&self) -> Foreseen {
        let program = only_program(self.action.command(), &self.shell);
        Foreseen {
            unchanged: program.is_some(),
            may_call_sudo: program.is_none_or(|program| program == "sudo"),
        }
    }
}

/// The one program that a shell in this state starts for a command, where it does nothing else for it. What is built in
/// and does as a program would (`echo`, `false`, `pwd`, `true`) counts as one.
fn only_program(command: &str, before: &ShellState) -> Option<String> {
    let program = shell::bare_program(command)?;
    let is_program = !BUILTINS.contains(&program.as_str()) && !before.functions.contains_key(&program);
    is_program.then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::tests::request;

    fn unchanged(command: &str) -> bool {
        only_program(command, &ShellState::default()).is_some()
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
    fn who_may_call_sudo() {
        let may = |command| request(command, &ShellState::default()).foreseen().may_call_sudo;
        for command in [
            "sudo ls",
            "s'ud'o ls",
            "command sudo ls",
            "eval sudo ls",
            "exec sudo ls",
            "ls; sudo ls",
            "$x ls",
        ] {
            assert!(may(command), "{command}");
        }
        // These call it themselves, and find it by the path.
        for command in ["env sudo ls", "xargs sudo ls", "/usr/bin/sudo ls", "apt update"] {
            assert!(!may(command), "{command}");
        }
    }

    #[test]
    fn a_function_of_the_steps_before_hides_a_program() {
        let mut before = ShellState::default();
        before.functions.insert("ls".to_owned(), "ls () { cd /tmp; }".to_owned());
        assert_eq!(only_program("ls -l", &before), None);
        assert_eq!(only_program("cat x", &before).as_deref(), Some("cat"));
    }

    #[test]
    fn whatever_this_machines_bash_has_built_in_is_known() {
        let asked = std::process::Command::new("bash").args(["-c", "compgen -b"]).output().unwrap();
        let listed = String::from_utf8(asked.stdout).unwrap();
        let known: Vec<&str> = listed.lines().filter(|name| unchanged(name)).collect();
        assert_eq!(known, ["echo", "false", "pwd", "true"]);
    }
}
