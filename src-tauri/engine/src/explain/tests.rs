use std::collections::BTreeMap;

use super::explain_with;
use crate::manual::DiskManuals;
use crate::protocol::Explanation;
use crate::risk::assess;
use crate::risk::fixture::{TestPaths, read, workspace};

pub(super) fn explained(command: &str) -> Explanation {
    let environment = BTreeMap::from([("HOME".into(), "/home/u".into())]);
    let (paths, functions) = (TestPaths::default(), BTreeMap::new());
    let place = workspace(&paths, &environment, &functions);
    let facts = read(command);
    let manuals = DiskManuals::of(Vec::new(), Vec::new());
    explain_with(command, &facts, assess(command, &facts, &place), &place, &manuals)
}

fn told(command: &str) -> String {
    let explanation = explained(command);
    let mut lines: Vec<String> = explanation
        .parts
        .iter()
        .map(|part| format!("{} = {}{}", part.text, part.meaning, if part.known { "" } else { " (?)" }))
        .collect();
    lines.extend(explanation.flow.iter().map(|flow| format!("flow: {flow}")));
    lines.extend(explanation.reads.iter().map(|read| format!("reads: {read}")));
    lines.extend(explanation.changes.iter().map(|change| format!("changes: {change}")));
    lines.extend(explanation.expect.iter().map(|expect| format!("expect: {expect}")));
    lines.extend(explanation.undo_commands.iter().map(|command| format!("undo: {command}")));
    lines.extend(explanation.safer.iter().map(|way| match &way.command {
        Some(command) => format!("safer: {} ({})", command, way.why),
        None => format!("safer: {}", way.why),
    }));
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
const TOLD: [(&str, &str); 32] = [
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
            src = lists this
            | = hand the output on to the next program
            head = prints the beginning of a file
            -n 5 = the first 5 lines
            > out.txt = writes its output to out.txt, replacing what is in it
            2>&1 = sends its error messages where its output goes
            flow: `ls -la src`: lists the files in a folder
            flow: `head -n 5 > out.txt 2>&1` takes the output of `ls -la src` and prints the beginning of a file
            reads: looks at src
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
            safer: gio trash 'my build' (what goes to the trash can be brought back; rm -ri asks about each)
        "#,
    ),
    (
        "git -C sub log --oneline -3",
        r#"
            git = keeps versions of files
            -C sub = works in this folder: sub
            log = shows the history
            --oneline = one line each
            -3 = only 3 commits
        "#,
    ),
    (
        "find . -name '*.o' -exec rm {} \\;",
        r#"
            find = finds files below a folder
            . = looks below this
            -name '*.o' = whose name ends with ".o"
            -exec = runs a command on what was found
            rm = deletes files
            {} = deletes this
            \; = the end of that command, run once for each
            reads: looks at .
            changes: deletes {}
            expect: the paths that were found
        "#,
    ),
    (
        "sudo apt-get install -y jq",
        r#"
            sudo = runs a command as the administrator
            apt-get install = installs system packages
            -y = answers yes to every question
            jq = the package jq
            changes: installs packages
            expect: "Setting up …" for each package
            undo: sudo apt-get remove jq
        "#,
    ),
    (
        "FOO=1 npm run build || echo failed",
        r#"
            FOO=1 = sets FOO for this command alone
            npm run = runs a script of the project
            build = the script build
            || = go on only if that failed
            echo = prints text
            failed = the text: failed
            changes: whatever the program it runs changes
            expect: the text
        "#,
    ),
    (
        "tar -xzf a.tgz -C out",
        r#"
            tar = packs files into an archive or unpacks one
            -xzf a.tgz = unpacks; compressed with gzip; the archive is a.tgz
            -C out = in the folder out
            changes: writes files
        "#,
    ),
    (
        "frobnicate --x $Y *.c",
        r#"
            frobnicate = runs this program, which is not known here (?)
            --x = not known here (?)
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
            flow: `curl -fsSL https://example.org/i.sh`: fetches a page or file from the network
            flow: `sh` takes the output of `curl -fsSL https://example.org/i.sh` and runs shell commands
            changes: uses the network
            changes: whatever the program it runs changes
            safer: curl -fsSLo install.sh https://example.org/i.sh (save it, read it, and run it only then)
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
            -m = runs a module
            venv = makes a place for packages of one project
            .venv = in the folder .venv
            changes: whatever the program it runs changes
        "#,
    ),
    (
        "echo \"$(date)\" >/dev/null",
        r#"
            echo = prints text
            "$(date)" = the text: what is put in when it runs
            >/dev/null = throws its output away
        "#,
    ),
    (
        "chmod 640 secrets.env",
        r#"
            chmod = changes who may read, write and run a file
            640 = the owner reads and writes, the group reads, others nothing
            secrets.env = changes the permissions of this
            changes: writes files
            expect: no output
        "#,
    ),
    (
        "docker run -d --name web -p 8080:80 nginx",
        r#"
            docker run = makes a container from an image and starts it
            -d = in the background
            --name web = names it web
            -p 8080:80 = port 8080 of this machine leads to port 80 of the container
            nginx = the image nginx
            changes: whatever the program it runs changes
            undo: docker rm -f web
        "#,
    ),
    (
        "ffmpeg -i in.mov -c:v libx264 -crf 23 out.mp4",
        r#"
            ffmpeg = turns films and sound into other forms
            -i in.mov = reads in.mov
            -c:v libx264 = the picture: as H.264
            -crf 23 = quality 23: lower is better and larger
            out.mp4 = writes out.mp4
            changes: writes files
        "#,
    ),
    (
        "git push --force origin main",
        r#"
            git push = sends commits to another repository
            --force = replaces the history at the other end
            origin = the repository origin
            main = sends main
            changes: uses the network
            safer: git push --force-with-lease origin main (it stops if somebody else pushed meanwhile)
        "#,
    ),
    (
        "mv draft.md 'final version.md'",
        r#"
            mv = moves or renames files
            draft.md = moves this
            'final version.md' = to here, or gives it this name
            changes: moves files to final version.md
            expect: no output
            undo: mv 'final version.md' draft.md
        "#,
    ),
    (
        "sudo apt install -y jq=1.6",
        r#"
            sudo = runs a command as the administrator
            apt install = installs system packages
            -y = answers yes to every question
            jq=1.6 = the package jq, version 1.6
            changes: installs packages
            expect: "Setting up …" for each package
            undo: sudo apt remove jq
        "#,
    ),
    (
        "systemctl --user enable --now app",
        r#"
            systemctl = starts, stops and shows services
            --user = your own, not the machine's
            enable = starts services at each start of the machine
            --now = and at once
            app = the service app
            changes: changes the machine itself
            undo: systemctl --user disable --now app
        "#,
    ),
    (
        "kill -9 1234",
        r#"
            kill = sends a signal to processes; without more, the request to end
            -9 = KILL: ends at once; the program cannot tidy up
            1234 = the process with the number 1234
            changes: changes the machine itself
            safer: kill 1234 (first ask it to end (TERM), so that it can tidy up)
        "#,
    ),
    (
        "ssh -L 8080:localhost:80 ada@host 'cd x && ls'",
        r#"
            ssh = opens a shell on another machine, or runs a command there
            -L 8080:localhost:80 = port 8080 of this machine leads to port 80 of the other machine
            ada@host = to the machine host, as the user ada
            'cd x && ls' = runs there: cd x && ls
            changes: what cd x && ls changes is not known here
        "#,
    ),
    (
        "sed -i.bak 's/a/b/g' notes.txt",
        r#"
            sed = edits text line by line
            -i.bak = changes the files themselves, and keeps the old ones with the ending .bak
            's/a/b/g' = puts "b" in the place of every "a" in each line
            notes.txt = in this
            changes: changes the files themselves
            expect: the edited text
        "#,
    ),
    (
        "ps aux | grep nginx | awk '{print $2}'",
        r#"
            ps = lists processes
            aux = of everyone, also without a terminal, with what they use
            | = hand the output on to the next program
            grep = shows the lines that fit a pattern
            nginx = lines with "nginx"
            | = hand the output on to the next program
            awk = picks and changes columns of text with a small program
            '{print $2}' = prints the second field of each line
            flow: `ps aux`: lists processes
            flow: `grep nginx` takes the output of `ps aux` and shows the lines that fit a pattern
            flow: `awk '{print $2}'` takes the output of `grep nginx` and picks and changes columns of text with a small program
        "#,
    ),
    (
        "for f in *.txt; do echo \"$f\"; done",
        r#"
            for = once for each of these
            f = the name of each
            in = these
            *.txt = one after another, as f
            ; = then
            do = do this
            echo = prints text
            "$f" = the text: what is put in when it runs
            ; = then
            done = the end of the loop
            expect: the text
        "#,
    ),
    (
        "git -C sub commit -m 'half done'",
        r#"
            git = keeps versions of files
            -C sub = works in this folder: sub
            commit = keeps the noted changes as a new version
            -m 'half done' = with the message: half done
            changes: adds a commit to the current branch
            expect: the branch, a short number and the message
            undo: git -C sub reset --soft HEAD~1
        "#,
    ),
    (
        "find . -name '*.tmp' -mtime +7 -delete",
        r#"
            find = finds files below a folder
            . = looks below this
            -name '*.tmp' = whose name ends with ".tmp"
            -mtime +7 = whose content changed more than 7 days ago
            -delete = deletes them
            reads: looks at .
            changes: deletes what it finds
            expect: the paths that were found
            safer: first let it show what it would delete: the same with -print in the place of -delete
        "#,
    ),
    (
        "echo '0 3 * * 1-5 /opt/backup.sh' | crontab -",
        r#"
            echo = prints text
            '0 3 * * 1-5 /opt/backup.sh' = the text: a line for cron: at 03:00 on Mondays to Fridays, runs /opt/backup.sh
            | = hand the output on to the next program
            crontab = keeps commands that run at set times
            - = takes them from what comes in, in place of all that were there
            flow: `echo '0 3 * * 1-5 /opt/backup.sh'`: prints text
            flow: `crontab -` takes the output of `echo '0 3 * * 1-5 /opt/backup.sh'` and keeps commands that run at set times
            changes: changes the machine itself
        "#,
    ),
    (
        "ufw allow 22/tcp",
        r#"
            ufw allow = lets others in
            22/tcp = opens port 22 (SSH) for TCP
            changes: lets others in
        "#,
    ),
    (
        "mkdir a && cd a && git init -b main",
        r#"
            mkdir = makes a folder
            a = makes this folder
            && = go on only if that worked
            cd a = later steps run inside this folder
            && = go on only if that worked
            git init = makes a repository in a folder
            -b main = whose first branch is named main
            changes: makes a
            changes: makes a .git folder
            expect: "Initialized empty Git repository"
        "#,
    ),
    (
        "tar xzf a.tgz --strip-components=1",
        r#"
            tar = packs files into an archive or unpacks one
            xzf a.tgz = unpacks; compressed with gzip; the archive is a.tgz
            --strip-components=1 = leaves out the first 1 folder of the names
            changes: writes files
        "#,
    ),
];
