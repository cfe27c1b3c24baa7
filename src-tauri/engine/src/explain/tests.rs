use std::collections::BTreeMap;

use super::explain;
use crate::protocol::Explanation;
use crate::risk::assess;
use crate::risk::fixture::{TestPaths, read, workspace};

fn explained(command: &str) -> Explanation {
    let environment = BTreeMap::from([("HOME".into(), "/home/u".into())]);
    let (paths, functions) = (TestPaths::default(), BTreeMap::new());
    let place = workspace(&paths, &environment, &functions);
    let facts = read(command);
    explain(command, &facts, assess(command, &facts, &place), &place)
}

fn told(command: &str) -> String {
    let explanation = explained(command);
    let mut lines: Vec<String> = explanation
        .parts
        .iter()
        .map(|part| format!("{} = {}{}", part.text, part.meaning, if part.known { "" } else { " (?)" }))
        .collect();
    lines.extend(explanation.changes.iter().map(|change| format!("changes: {change}")));
    lines.extend(explanation.expect.iter().map(|expect| format!("expect: {expect}")));
    lines.join("\n")
}

/// Commands that only have to be covered whole.
const ANY: [&str; 12] = [
    "for f in *.txt; do wc -l \"$f\"; done",
    "if test -d x; then cd x; else mkdir x; fi",
    "cat <<'EOF' > notes && echo ok\none two\nEOF\nls",
    "{rm,-rf,build} \"$(ls -la | head)\" 2>/dev/null &",
    "f() { echo hi; }; f",
    "case $x in a) ls;; *) pwd;; esac",
    "ls \\\n  -la",
    "FOO=\"a b\" BAR=2 env -i x=1 make -j4 all",
    "! grep -q é 'größe.txt' || exit 1",
    "(cd sub; ls) | sort >> out 2>> err",
    "x=$(date) y='1' && echo ${x%%a}",
    "while read -r line; do echo \"$line\"; done < list",
];

#[test]
fn every_word_is_covered_in_order() {
    for command in ANY.into_iter().chain(TOLD.into_iter().map(|(command, _)| command)) {
        let squeezed = |text: &str| text.replace('\\', "").split_whitespace().collect::<String>();
        let parts: String = explained(command).parts.iter().map(|part| squeezed(&part.text)).collect();
        assert_eq!(parts, squeezed(command), "{command}");
    }
}

#[test]
fn commands_are_taken_apart() {
    for (command, expected) in TOLD {
        let expected: Vec<&str> = expected.trim().lines().map(str::trim_start).collect();
        assert_eq!(told(command), expected.join("\n"), "{command}");
    }
}

/// Commands and what the Teacher says of them; (?) marks general words.
const TOLD: [(&str, &str); 14] = [
    (
        "git clone ~/mirrors/photo-server.git && cd photo-server",
        r#"
            git clone = copies a repository with its whole history into a new folder
            ~/mirrors/photo-server.git = from here: a folder on this machine, so no network is used
            && = go on only if that worked
            cd photo-server = later steps run inside this folder
            changes: makes photo-server
            expect: "Cloning into …" and then "done"
        "#,
    ),
    (
        "ls -la src | head -n 5 > out.txt 2>&1",
        r#"
            ls = lists the files in a folder
            -la = one line per file with size, owner and date; shows hidden files as well
            src = reads this
            | = hand the output on to the next program
            head = prints the beginning of a file
            -n 5 = this many lines
            > out.txt = writes its output to out.txt, replacing what is in it
            2>&1 = sends its error messages where its output goes
            changes: writes out.txt
        "#,
    ),
    (
        "rm -rf 'my build'",
        r#"
            rm = deletes files
            -rf = folders with everything in them; never asks, and is content if nothing is there
            'my build' = deletes this
            changes: deletes my build
            expect: no output; the files are gone
        "#,
    ),
    (
        "git -C sub log --oneline -3",
        r#"
            git = keeps versions of files
            -C sub = works in this folder: sub
            log = shows the history
            --oneline = one line each
            -3 = only this many
        "#,
    ),
    (
        "find . -name '*.o' -exec rm {} \\;",
        r#"
            find = finds files below a folder
            . = this folder
            -name '*.o' = whose name looks like this
            -exec = runs a command on what was found
            rm = deletes files
            {} = deletes this
            \; = the end of that command, run once for each
            expect: the paths that were found
        "#,
    ),
    (
        "sudo apt-get install -y jq",
        r#"
            sudo = runs a command as the administrator
            apt-get install = installs system packages
            -y = answers yes to every question
            jq = this package
            changes: installs packages
            expect: "Setting up …" for each package
        "#,
    ),
    (
        "FOO=1 npm run build || echo failed",
        r#"
            FOO=1 = sets FOO for this command alone
            npm run = runs a script of the project
            build = the name of the script
            || = go on only if that failed
            echo = prints text
            failed = the text
            changes: whatever the program it runs changes
            expect: the text
        "#,
    ),
    (
        "tar -xzf a.tgz -C out",
        r#"
            tar = packs files into an archive or unpacks one
            -xzf a.tgz = unpacks; compressed with gzip; the archive is this file
            -C out = works in this folder: out
            changes: writes files
        "#,
    ),
    (
        "frobnicate --x $Y *.c",
        r#"
            frobnicate = runs this program, which is not known here (?)
            --x = an argument (?)
            $Y = put in when it runs (?)
            *.c = every name that fits this pattern (?)
            changes: what frobnicate changes is not known here
        "#,
    ),
    (
        "curl -fsSL https://example.org/i.sh | sh",
        r#"
            curl = fetches a page or file from the network
            -fsSL = fails when the server says no; without a progress bar; but with error messages; follows when the page has moved
            https://example.org/i.sh = this address on the network
            | = hand the output on to the next program
            sh = runs shell commands
            changes: uses the network
            changes: whatever the program it runs changes
        "#,
    ),
    (
        "export A=b; (cd x && make)  # note",
        r#"
            export A=b = sets a variable for the programs that run later
            ; = then
            ( = what follows runs in a shell of its own
            cd x = later steps run inside this folder
            && = go on only if that worked
            make = runs the project's build recipe
            ) = the end of that shell
            # note = a note for people
            changes: writes files
            expect: no output
        "#,
    ),
    (
        "cat <<EOF > notes\nhi\nEOF",
        r#"
            cat = prints files one after another
            <<EOF = gives it the lines below, up to this word
            > notes = writes its output to notes, replacing what is in it
            hi
            EOF = the lines that it is given to read
            changes: writes notes
        "#,
    ),
    (
        "python3 -m venv .venv",
        r#"
            python3 = runs a Python program
            -m venv = runs this module
            .venv = handed to the program (?)
            changes: whatever the program it runs changes
        "#,
    ),
    (
        "echo \"$(date)\" >/dev/null",
        r#"
            echo = prints text
            "$(date)" = put in when it runs (?)
            >/dev/null = throws its output away
        "#,
    ),
];
