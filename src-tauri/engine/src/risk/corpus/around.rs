//! What is harmful stays harmful in whatever text stands around it: every harmful command of the corpora in every way to run a
//! text, and in every construct of the shell.

use super::{BLOCKED, HARMFUL, commands, judged};
use crate::protocol::Risk;

/// Ways to run a text that is one word: `%` in single quotes, `"%"` in double quotes.
const AS_WORD: [&str; 34] = [
    "bash -c %",
    "bash -c \"%\"",
    "sh -c % >/dev/null 2>&1",
    "bash -lc %",
    "bash -euo pipefail -c % 2>&1 | tail -5",
    "eval %",
    "eval \"%\"",
    "c=%; eval \"$c\"",
    "bash <<< %",
    "bash <<< \"%\" >log",
    "sudo bash -c %",
    "sudo sh -c \"%\"",
    "sudo -u root bash -c %",
    "su - u -c %",
    "ssh host %",
    "ssh -p 22 u@host \"%\"",
    "nohup bash -c % &",
    "timeout 60 bash -c \"%\" | cat",
    "env A=1 bash -c %",
    "nice -n 5 sh -c %",
    "setsid bash -c % >/dev/null 2>&1 &",
    "watch -n 5 %",
    "flock lock -c %",
    "find . -maxdepth 1 -exec sh -c % \\;",
    "echo a | xargs -I{} sh -c %",
    "parallel ::: %",
    "trap % EXIT",
    "alias zz=%; zz",
    "tmux new-session -d %",
    "systemd-run --user bash -c %",
    "script -qc % log",
    "echo % | sh",
    "printf '%s\\n' % | bash -x",
    "python3 -c 'import os, sys; os.system(sys.argv[1])' %",
];
/// Ways to run a text that stands on lines of its own: `@`.
const AS_LINES: [&str; 9] = [
    "bash <<'PLAN'\n@\nPLAN",
    "bash <<'PLAN' >log 2>&1\n@\nPLAN",
    "bash -s &>log <<'PLAN'\nset -e\n@\nPLAN",
    "sudo bash -s <<'PLAN'\n@\nPLAN",
    "ssh host bash -s <<'PLAN'\n@\nPLAN",
    "cat <<'PLAN' | bash\n@\nPLAN",
    "cat > x.sh <<'PLAN'\n@\nPLAN\nbash x.sh",
    "cat > x.sh <<'PLAN'\n#!/bin/bash\n@\nPLAN\nchmod +x x.sh && ./x.sh > log.txt 2>&1",
    "f() {\n@\n}\nf",
];
/// Constructs of the shell, for a command that is one line and ends like one.
const AS_COMMAND: [&str; 26] = [
    "@ 2>&1",
    "@ | cat",
    "@ 2>&1 | tail -5",
    "@ || true",
    "@; true",
    "@ &",
    "@ # done",
    "true && @",
    "cd . && @",
    "false || @",
    "( @ )",
    "{ @; }",
    "{ @; } >log 2>&1",
    "if true; then @; fi",
    "if @; then true; fi",
    "! @",
    "time @",
    "for i in 1; do @; done",
    "while true; do @; break; done",
    "case x in x) @;; esac",
    "f() { @; }; f >log",
    "x=$( @ )",
    "echo \"$( @ )\"",
    "cat <( @ )",
    "coproc { @; }",
    "set -e; @",
];

/// Ways to run one program, for a command that begins with one.
const AS_PROGRAM: [&str; 9] = [
    "/usr/bin/@",
    "command @",
    "env @",
    "env -u B A=1 @",
    "sudo -E @",
    "timeout 60 @",
    "nice -n 10 @",
    "stdbuf -oL @",
    "A=1 LC_ALL=C @",
];
/// First words that are the shell's own, or say how what follows is meant.
const OF_THE_SHELL: [&str; 45] = [
    "alias",
    "bg",
    "bind",
    "builtin",
    "case",
    "cd",
    "command",
    "compgen",
    "coproc",
    "declare",
    "disown",
    "do",
    "echo",
    "enable",
    "env",
    "eval",
    "exec",
    "export",
    "fg",
    "for",
    "function",
    "hash",
    "history",
    "if",
    "kill",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "select",
    "set",
    "shopt",
    "source",
    "time",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unset",
    "until",
];

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn double_quoted(text: &str) -> String {
    let escaped = |c: char| if "\\\"$`".contains(c) { format!("\\{c}") } else { c.to_string() };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Every form with the command in it; of the last kind those that it fits into.
pub(super) fn around(command: &str) -> impl Iterator<Item = (usize, String)> {
    let one_line =
        !command.contains(['\n', '#']) && !command.contains("<<") && !command.ends_with(['&', '\\']);
    let words = AS_WORD.iter().map(|form| {
        let form = form.replace("%s", "\u{1}").replace("\"%\"", "\u{2}").replace('%', &quoted(command));
        form.replace('\u{2}', &double_quoted(command)).replace('\u{1}', "%s")
    });
    let lines = AS_LINES.iter().map(|form| form.replace('@', command));
    let constructs = AS_COMMAND.iter().filter(move |_| one_line).map(|form| form.replace('@', command));
    let first = command.split(' ').next().unwrap_or_default();
    let plain = first.starts_with(|c: char| c.is_ascii_lowercase())
        && first.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !OF_THE_SHELL.contains(&first)
        && first != "while";
    let programs = AS_PROGRAM.iter().filter(move |_| plain).map(|form| form.replace('@', command));
    words.chain(lines).chain(constructs).chain(programs).enumerate()
}

/// Those of each form that are judged less than `least`, printed. One form in `step` for each command.
fn milder(corpus: &str, least: Risk, step: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut all = 0;
    for (number, command) in commands(corpus).iter().enumerate() {
        for (_, text) in around(command).filter(|(form, _)| form % step == number % step) {
            // Which of the files of another machine are a secret is told by their names alone.
            if text.starts_with("ssh ") && command.contains("cp .env ") {
                continue;
            }
            all += 1;
            let judged = judged(&text).risk;
            if judged < least {
                println!("{judged:?}: {text:?}");
                found.push(text);
            }
        }
    }
    println!("{} of {all} judged less than {least:?}", found.len());
    found
}

#[test]
fn what_is_harmful_is_harmful_in_any_text() {
    assert_eq!(milder(HARMFUL, Risk::Dangerous, 23), Vec::<String>::new());
    assert_eq!(milder(BLOCKED, Risk::Dangerous, 7), Vec::<String>::new());
}

/// All of it, in four minutes: `cargo test -p planwright-engine --lib around -- --ignored`.
#[test]
#[ignore = "takes four minutes; npm run fuzz runs it"]
fn every_harmful_command_in_every_form() {
    assert_eq!(milder(HARMFUL, Risk::Dangerous, 1), Vec::<String>::new());
    assert_eq!(milder(BLOCKED, Risk::Dangerous, 1), Vec::<String>::new());
}
