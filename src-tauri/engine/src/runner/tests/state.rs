//! What one step leaves to the next (E9).

use crate::protocol::{ExitStatus, ShellState};

use super::{at, here, run, run_in};

/// Runs commands one after another as steps; returns the state after the last and each one's stdout.
async fn steps(mut shell: ShellState, commands: &[&str]) -> (ShellState, Vec<String>) {
    let mut outputs = Vec::new();
    for command in commands {
        let outcome = run_in(command, &shell).await;
        assert!(outcome.exit_status.code().is_some(), "{command}: {outcome:?}");
        shell = outcome.shell.unwrap_or(shell);
        outputs.push(format!("{}{}", outcome.stdout, outcome.stderr));
    }
    (shell, outputs)
}

#[tokio::test]
async fn a_plain_command_leaves_the_state_as_it_was() {
    let before = ShellState { cwd: "/tmp".to_owned(), ..ShellState::default() };
    let outcome = run_in("true", &before).await;
    assert_eq!(outcome.shell, Some(before));
}

#[tokio::test]
async fn a_command_that_writes_no_state_down_has_the_state_and_ends_as_any_other() {
    let set = "cd /; export E=1; x=plain; umask 027; f() { sh -c \"exit $1\"; }";
    let (before, _) = steps(here(), &[set]).await;
    for (bare, asked) in [
        ("f 3", "f 3;"),
        ("sh -c 'exit 4'", "sh -c 'exit 4';"),
        ("sh -c 'kill -9 $$'", "sh -c 'kill -9 $$';"),
        ("sh -c 'umask; pwd; echo \"$E ${x-none}\"'", "sh -c 'umask; pwd; echo \"$E ${x-none}\"';"),
        ("no-such-program trap exit", "no-such-program trap exit;"),
        ("false", "false;"),
    ] {
        let (bare, asked) = (run_in(bare, &before).await, run_in(asked, &before).await);
        assert_eq!(bare.exit_status, asked.exit_status);
        assert_eq!(bare.stdout, asked.stdout);
        assert_eq!(bare.shell, asked.shell);
        assert_eq!(bare.shell.as_ref(), Some(&before));
    }
}

#[tokio::test]
async fn no_program_is_a_child_of_the_worker() {
    let parent = run("sh -c 'cat /proc/$PPID/comm'").await;
    assert_eq!(parent.stdout.as_str(), "bash\n");
}

#[tokio::test]
async fn folder_variables_functions_and_umask_carry() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("a b/c")).unwrap();
    let (state, outputs) = steps(
        at(folder.path()),
        &[
            "cd 'a b'; cd c",
            "export GREETING='hello there' EMPTY=; local_one=plain; readonly fixed=1; list=(x 'y z'); declare -A map=([k]=v)",
            "greet() { cat <<E\n}\n$GREETING, $1\nE\n}; umask 027",
            "pwd; greet you; echo \"$local_one $fixed ${list[1]} ${map[k]} [${EMPTY-unset}]\"; umask; env | grep -c local_one",
            "cd - >/dev/null; pwd",
            "unset GREETING HOME; unset -f greet; unset local_one",
            "echo \"${GREETING-gone} ${HOME-gone} ${local_one-gone}\"; type greet",
        ],
    )
    .await;
    let root = folder.path().display();
    assert_eq!(outputs[3], format!("{root}/a b/c\n}}\nhello there, you\nplain 1 y z v []\n0027\n0\n"));
    assert_eq!(outputs[4], format!("{root}/a b\n"));
    assert!(
        outputs[6].starts_with("gone gone gone\n") && outputs[6].contains("greet: not found"),
        "{outputs:?}"
    );
    assert_eq!(state.environment.get("HOME"), Some(&None));
    assert_eq!(state.umask, "027");
}

#[tokio::test]
async fn any_value_carries_exactly() {
    let set = r#"export A=$'line\nbreak \'single\' "double" $HOME `x` \\ back\ttab \001\033[0m'; export U='äöü 漢字 😀'; b="$A$U"; X='a
b="c'"#;
    let show = r#"printf '%s|%s|%s|%s' "$A" "$U" "$b" "$X" | od -An -tx1"#;
    let (_, outputs) = steps(here(), &[set, show, "true", show]).await;
    let (_, direct) = steps(here(), &[&format!("{set}\n{show}")]).await;
    assert_eq!(outputs[1], direct[0]);
    assert_eq!(outputs[3], direct[0]);
}

#[tokio::test]
async fn the_state_is_kept_however_the_command_ends() {
    for command in [
        "export A=1; exit 3",
        "set -e; export A=1; false; export A=2",
        "export A=1; false",
        "set -eux; export A=1; cd $NONE",
    ] {
        let outcome = run_in(command, &here()).await;
        assert_ne!(outcome.exit_status, ExitStatus::Code { code: 0 });
        let state = outcome.shell.unwrap_or_default();
        assert_eq!(state.environment.get("A"), Some(&Some("1".to_owned())), "{command}");
    }
}

#[tokio::test]
async fn an_exit_trap_of_the_users_works_and_the_state_carries() {
    let outcome = run_in("trap 'echo bye $?' EXIT; export A=1; (exit 4)", &here()).await;
    assert_eq!((outcome.exit_status.code(), outcome.stdout.as_str()), (Some(4), "bye 4\n"));
    assert_eq!(outcome.shell.unwrap().environment.get("A"), Some(&Some("1".to_owned())));
    let outcome = run_in("trap 'echo bye' EXIT; exit 5", &here()).await;
    assert_eq!((outcome.exit_status.code(), outcome.stdout.as_str()), (Some(5), "bye\n"));
}

#[tokio::test]
async fn a_program_that_replaces_the_shell_leaves_no_state() {
    let outcome = run_in("export A=1; exec echo done", &here()).await;
    assert_eq!((outcome.exit_status.code(), outcome.stdout.as_str()), (Some(0), "done\n"));
    assert_eq!(outcome.shell, None);
}

#[tokio::test]
async fn a_syntax_error_changes_nothing() {
    let before = ShellState { cwd: "/tmp".to_owned(), ..ShellState::default() };
    let outcome = run_in("echo a\nif then", &before).await;
    assert_eq!(outcome.exit_status.code(), Some(2));
    assert!(outcome.stderr.contains("line 2: syntax error"), "{}", outcome.stderr);
    assert_eq!(outcome.shell, Some(before));
}

#[tokio::test]
async fn what_changes_bash_never_carries() {
    let set = "export BASH_ENV=/tmp/evil ENV=/tmp/evil LD_PRELOAD= LD_LIBRARY_PATH=/x POSIXLY_CORRECT=1; ls() { echo evil; }; export -f ls; PS4='$(echo evil)'";
    let (state, outputs) =
        steps(here(), &[set, "env | grep -E '^(BASH_|ENV=|LD_|POSIX)'; echo \"[$PS4]\""]).await;
    assert_eq!(outputs[1], "[+ ]\n");
    let names: Vec<_> = state.environment.keys().chain(state.variables.keys()).collect();
    assert!(names.is_empty(), "{names:?}");
}

#[tokio::test]
async fn a_deleted_folder_is_left_for_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let (state, _) = steps(at(folder.path()), &["mkdir gone; cd gone; rmdir ../gone"]).await;
    assert_eq!(state.cwd, folder.path().to_string_lossy());
}

#[tokio::test]
async fn local_variables_of_a_function_that_exits_do_not_carry() {
    let (state, _) =
        steps(here(), &["x=global; y=kept; export E=1", "f() { local x=local E=2; exit 0; }; f"]).await;
    assert_eq!(state.variables.get("x").map(String::as_str), Some("declare -- x=\"global\""));
    assert_eq!(state.variables.get("y").map(String::as_str), Some("declare -- y=\"kept\""));
    assert_eq!(state.environment.get("E"), Some(&Some("1".to_owned())));
}

#[tokio::test]
async fn a_python_environment_is_used_by_later_steps() {
    let folder = tempfile::tempdir().unwrap();
    let (state, outputs) = steps(
        at(folder.path()),
        &[
            "python3 -m venv .venv",
            "source .venv/bin/activate",
            "which python; pip --version; python -c 'import sys; print(sys.prefix)'",
            "deactivate",
            "echo \"${VIRTUAL_ENV-none}\"; declare -F deactivate || echo no function",
        ],
    )
    .await;
    let venv = folder.path().join(".venv");
    let lines: Vec<_> = outputs[2].lines().collect();
    assert_eq!(lines[0], venv.join("bin/python").to_string_lossy(), "{outputs:?}");
    assert!(lines[1].contains(&*venv.to_string_lossy()), "{outputs:?}");
    assert_eq!(lines[2], venv.to_string_lossy());
    assert_eq!(outputs[4], "none\nno function\n");
    assert!(!state.environment.contains_key("PATH"), "{:?}", state.environment.get("PATH"));
}

#[tokio::test]
async fn options_positional_parameters_and_the_stack_of_folders_carry() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("a b/c")).unwrap();
    let (state, outputs) = steps(
        at(folder.path()),
        &[
            "set -o noclobber; set -u -o pipefail; shopt -s nullglob dotglob; set -- one 'two  words' '' \"it's\"",
            "pushd 'a b' >/dev/null; pushd c >/dev/null",
            "echo $#; printf '<%s>' \"$@\"; echo *.none; set -o | grep -c 'on$' >/dev/null; echo \"${-//[^Cu]/}\"",
            "echo x > f; echo y > f; cat f",
            "popd >/dev/null; pwd; popd >/dev/null; pwd",
            "shift 2; trap 'echo bye' EXIT",
            "f() { exit 0; }; f with words",
            "set +C +u; shopt -u nullglob dotglob; echo $# \"$2\"; set --",
            "echo $#",
        ],
    )
    .await;
    let root = folder.path().display();
    assert_eq!(outputs[2], "4\n<one><two  words><><it's>\nuC\n");
    assert!(
        outputs[3].contains("cannot overwrite existing file") && outputs[3].starts_with("x\n"),
        "{}",
        outputs[3]
    );
    assert_eq!(outputs[4], format!("{root}/a b\n{root}\n"));
    assert_eq!(outputs[7], "2 it's\n");
    assert_eq!(outputs[8], "0\n");
    assert_eq!((state.options, state.folders), (vec!["pipefail".to_owned()], vec![]));
}

#[tokio::test]
async fn options_that_end_or_trace_a_shell_do_so_only_to_what_the_user_runs() {
    let (state, outputs) = steps(here(), &["set -ex", "true; false; echo not here", "echo here"]).await;
    assert_eq!(outputs[1], "+ true\n+ false\n");
    assert_eq!(outputs[2], "here\n+ echo here\n");
    assert_eq!(state.options, ["errexit", "xtrace"]);
}

/// Aliases would change how a text is read that was judged as another; that extended globs are on is how it was read.
#[tokio::test]
async fn extended_globs_carry_and_aliases_do_not() {
    let (state, outputs) = steps(
        here(),
        &["shopt -s extglob expand_aliases; alias ls='echo evil'", "ls /dev/null; shopt extglob"],
    )
    .await;
    assert!(outputs[1].starts_with("/dev/null\n") && outputs[1].contains("on"), "{outputs:?}");
    assert_eq!(state.options, ["extglob"]);
    assert_eq!(state.aliases.get("ls").map(String::as_str), Some("echo evil"), "told, but not in force");
}

/// A command about aliases finds them, and only such a one.
#[tokio::test]
async fn aliases_are_listed_named_and_taken_away() {
    let (state, outputs) = steps(
        here(),
        &[
            "alias ll='ls -l' it=\"it's\"",
            "cd /",
            "alias ll; alias it",
            "shopt -s expand_aliases\nalias pwd='echo evil'\nalias\npwd",
            "unalias ll pwd; alias | wc -l",
        ],
    )
    .await;
    assert_eq!(outputs[2], "alias ll='ls -l'\nalias it='it'\\''s'\n");
    assert!(!outputs[3].contains("alias ll"), "none that were not judged with it: {}", outputs[3]);
    assert_eq!(outputs[4], "1\n");
    assert_eq!(state.aliases.into_iter().collect::<Vec<_>>(), [("it".to_owned(), "it's".to_owned())]);
}

/// What a variable without a value is, the place of `getopts`, and what a pattern found.
#[tokio::test]
async fn attributes_places_and_findings_carry() {
    let (_, outputs) = steps(
        here(),
        &[
            "declare -A map; declare -i sum; declare -u loud; declare list; set -- -a -b value rest",
            "map[x y]=1; sum=2+3; loud=word; getopts ab: letter",
            "[[ name=value =~ (.*)=(.*) ]]",
            "echo \"${map[x y]} ${#map[@]} $sum $loud ${list-none} $letter $OPTIND ${BASH_REMATCH[2]}\"",
            "getopts ab: letter; shift $((OPTIND - 1)); echo \"$letter $OPTARG $1\"",
        ],
    )
    .await;
    assert_eq!(outputs[3], "1 1 5 WORD none a 2 value\n");
    assert_eq!(outputs[4], "b value rest\n");
}

/// Many start-up files end at once where nobody sits at the shell.
#[tokio::test]
async fn a_start_up_file_is_read_as_where_a_person_sits() {
    let home = tempfile::tempdir().unwrap();
    let file =
        "case $- in *i*) ;; *) return;; esac\n[ -z \"$PS1\" ] && return\nexport FOUND=1\necho read >&2\n";
    std::fs::write(home.path().join(".bashrc"), file).unwrap();
    let mut shell = at(home.path());
    shell.environment.insert("HOME".to_owned(), Some(home.path().display().to_string()));
    let plain = run_in("cat ~/.bashrc > copy; . ./copy; echo \"${FOUND-not}\"", &shell).await;
    assert_eq!(plain.stdout.as_str(), "not\n");
    let outcome = run_in("source ~/.bashrc && echo done", &shell).await;
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("done\n", "read\n"));
    let after = outcome.shell.unwrap();
    assert_eq!(after.environment.get("FOUND"), Some(&Some("1".to_owned())));
    let later = run_in("echo \"$FOUND $-\"; shopt -q expand_aliases || echo plain", &after).await;
    assert_eq!(later.stdout.as_str(), "1 hBc\nplain\n");
}
