use planwright_shell::{MAX_TEXT, read};

use super::*;

fn need_of(command: &str) -> Option<KeyboardNeed> {
    need(command, &read(command, MAX_TEXT), &|_| false)
}

#[test]
fn the_table_can_be_read() {
    let table: BTreeMap<String, Entry> = serde_json::from_str(TABLE).unwrap();
    assert_eq!(table.len(), ENTRIES.len());
    for (name, entry) in &table {
        assert!(!entry.wants.ends_with('.') && entry.instead.contains([' ']), "{name}");
    }
}

#[test]
fn what_cannot_work_without_a_keyboard_is_not_started() {
    let commands = [
        "vim notes.txt",
        "sudo nano /etc/hosts",
        "sudo -e /etc/hosts",
        "env TERM=xterm vi x",
        "cd app && vim main.c",
        "top",
        "htop -u ada",
        "python3",
        "python3 -i",
        "node",
        "bash",
        "bash -l",
        "sudo -i",
        "sudo -s",
        "sudo su -",
        "su - postgres",
        "mysql -u root -p shop",
        "sudo -u postgres psql",
        "sqlite3 app.db",
        "ssh ada@example.org",
        "ssh -i key -p 2222 example.org",
        "ssh -L 8080:localhost:80 example.org",
        "sftp example.org",
        "gdb ./a.out",
        "crontab -e",
        "sudo visudo",
        "sudo systemctl edit nginx",
        "git commit",
        "git commit -a",
        "git commit --amend",
        "git rebase -i HEAD~3",
        "docker run --rm -it ubuntu bash",
        "docker exec -ti web sh",
        "sudo fdisk /dev/sdb",
        "passwd ada",
        "timeout 5 top",
        "tmux attach",
        "read -p 'Your name? ' name",
        "read -rp 'Go on? ' a; echo \"[$a]\"",
        "bash -c 'read -rp \"Go on? \" a; echo \"[$a]\"'",
        "sudo sh -c 'echo ok; read x'",
        "ls | wc -l; read -r answer",
        "while read -r line; do echo $line; done",
    ];
    for command in commands {
        let effect = need_of(command).map(|need| need.effect);
        assert_eq!(effect, Some(KeyboardEffect::NotStarted), "{command}");
    }
}

#[test]
fn what_works_by_itself_is_left_alone() {
    let commands = [
        "vim --version",
        "vim -es -c 'wq' x",
        "vim +PlugInstall +qall",
        "vim x </dev/null",
        "command -v vim",
        "echo vim",
        "git config core.editor vim",
        "top -b -n 1",
        "top -bn1",
        "less README.md",
        "man ls",
        "python3 app.py",
        "python3 -c 'print(1)'",
        "python3 -m venv .venv",
        "python3 < app.py",
        "python3 <<'E'\nprint(1)\nE",
        "echo 'print(1)' | python3",
        "node -e 1",
        "node $script",
        "bash install.sh",
        "curl -fsSL https://example.org | bash",
        "bash -c 'ls'",
        "sudo ls",
        "sudo -i ls",
        "sudo -u postgres psql -c 'select 1'",
        "su - postgres -c 'psql -l'",
        "mysql -u root shop < dump.sql",
        "mysql -u root -e 'select 1'",
        "sqlite3 app.db 'select 1'",
        "ssh example.org uptime",
        "ssh -i key example.org 'systemctl restart x'",
        "ssh -T git@github.com",
        "ssh -fN -L 1:a:2 example.org",
        "for h in a b; do ssh $h uptime; done",
        "while read h; do ssh $h; done < hosts",
        "crontab -l",
        "git commit -m 'x'",
        "git commit -am x",
        "git commit --amend --no-edit",
        "GIT_EDITOR=true git commit",
        "GIT_SEQUENCE_EDITOR=: git rebase -i --autosquash main",
        "git rebase main",
        "git rebase --continue",
        "git add -A",
        "docker run --rm ubuntu tar -tzf x.tgz",
        "docker run -dit ubuntu",
        "docker run -i ubuntu cat",
        "fdisk -l",
        "passwd -S ada",
        "tmux new-session -d -s x",
        "screen -dmS x ./run",
        "rm -rf build",
        "f() { vim x; }",
        "$EDITOR x",
    ];
    for command in commands {
        assert_eq!(need_of(command), None, "{command}");
    }
    let set = |name: &str| name == "GIT_EDITOR";
    assert_eq!(need("git commit", &read("git commit", MAX_TEXT), &set), None);
}

#[test]
fn what_asks_before_each_thing_runs() {
    for command in [
        "rm -i a",
        "rm -ri d",
        "sudo rm -i a",
        "mv -i a b",
        "cp -ai a b",
        "git add -p",
        "git add -i",
        "git stash -p",
        "git clean -i",
        "git commit -p -m x",
    ] {
        let effect = need_of(command).map(|need| need.effect);
        assert_eq!(effect, Some(KeyboardEffect::AnswersNo), "{command}");
    }
    assert_eq!(need_of("yes | rm -i a"), None);
    assert_eq!(need_of("git commit -i a -m x"), None);
}

#[test]
fn a_question_without_an_answer_shows_in_the_output() {
    let need = need_of("cd d; rm -i a b").unwrap();
    assert_eq!((need.fragment.as_str(), need.wants.as_str()), ("rm -i a b", "asks before each file"));
    let said = unanswered(Some(&need), "rm: remove regular file 'a'? rm: remove regular file 'b'? ").unwrap();
    assert!(said.starts_with("It asked \"rm: remove regular file 'a'?\" and nobody was there"), "{said}");
    assert!(said.ends_with("Leave out -i once you have looked at what it names."), "{said}");
    let patch = need_of("git add -p").unwrap();
    assert!(
        unanswered(
            Some(&patch),
            "diff --git a/x b/x\n@@ -1 +1 @@\n(1/1) Stage this hunk [y,n,q,a,d,e,?]? \n"
        )
        .is_some()
    );
    assert_eq!(unanswered(Some(&patch), "No changes.\n"), None);
    assert_eq!(unanswered(Some(&need), "rm: cannot remove 'a': No such file or directory\n"), None);
}

#[test]
fn a_line_that_comes_from_somewhere_needs_nobody() {
    for command in [
        "read -r a <<< b",
        "echo b | read a",
        "bash -c 'read -r a' < file",
        "echo y | bash -c 'read -r a; echo $a'",
        "{ read -r a; read -r b; } < file",
        "while read -r line; do echo $line; done < file",
        "ls | while read -r line; do echo $line; done",
        "read -t 1 a",
        "read -u 3 a",
        "ask() { read -r a; }",
    ] {
        assert_eq!(need_of(command), None, "{command}");
    }
}

#[test]
fn a_sign_in_quotes_feeds_nothing() {
    assert!(need_of("read -r a; echo \"<$a>\"").is_some());
    assert!(need_of("read -r a; echo '<'; echo \\<").is_some());
    assert_eq!(need_of("{ echo \"it's\"; read -r a; } < file"), None);
}

#[test]
fn a_question_that_is_the_last_thing_said_was_not_answered() {
    let asked = [
        "Go on? ",
        "a\nInstall? [y/N]",
        "Really (yes/no)",
        "Sure? [Y/n]: ",
        "Go on [y/N]? got\n",
        "1) a\n2) b\n#? \n",
        "Proceed? [y/N] Aborted.\n",
    ];
    for output in asked {
        assert!(unanswered(None, output).is_some(), "{output}");
    }
    for output in ["", "Go on?\n", "Go on? [y/N] yes\ndone\n", "How are you?", "a: "] {
        assert_eq!(unanswered(None, output), None, "{output}");
    }
}

#[test]
fn a_failure_at_the_end_of_the_input_is_a_question_without_an_answer() {
    let reason = asked_in_vain("a\nName: ", "EOFError: EOF when reading a line\n").unwrap();
    assert!(reason.starts_with("It asked \"Name:\" and ended without an answer"), "{reason}");
    let need = seen_to_ask("python3 ask.py", &reason).unwrap();
    assert_eq!((need.fragment.as_str(), need.wants.as_str()), ("python3 ask.py", "asks \"Name:\""));
    assert_eq!(asked_in_vain("a\n", "EOFError: EOF when reading a line\n"), None);
    assert_eq!(asked_in_vain("Name: ", "No such file\n"), None);
    assert_eq!(seen_to_ask("python3 ask.py", "It ended with status 1."), None);
}

#[test]
fn a_script_that_reads_its_input_wants_a_keyboard() {
    let need_in = |command: &str, text: &str| {
        let scripts = scripts(command, &read(command, MAX_TEXT));
        let [script] = scripts.as_slice() else { panic!("{command}: {scripts:?}") };
        let facts = script.is_shell(text).then(|| read(text, MAX_TEXT));
        need_of_script(script, text, facts.as_ref())
    };
    let asks = "#!/bin/bash\nread -rp 'Name: ' name\necho \"hello $name\"\n";
    let need = need_in("cd x; bash ask.sh", asks).unwrap();
    assert_eq!((need.fragment.as_str(), need.effect), ("bash ask.sh", KeyboardEffect::NotStarted));
    assert!(need_in("./ask.sh --fast", asks).is_some());
    assert!(need_in("sudo /opt/x/ask", "#!/usr/bin/env -S bash\nread a\n").is_some());
    for text in [
        "#!/bin/sh\nif [ -t 0 ]; then read a; fi\n",
        "#!/bin/sh\nask() { read a; }\n",
        "#!/bin/sh\nread a < file\n",
        "#!/bin/sh\nwhile read -r line; do echo $line; done < list\n",
        "echo no\n",
    ] {
        assert_eq!(need_in("./ask.sh", text), None, "{text}");
    }
    let perl = need_in("perl ask.pl", "print 'Your name? ';\nmy $name = <STDIN>;\n").unwrap();
    assert_eq!(perl.effect, KeyboardEffect::AnswersNo);
    assert!(unanswered(Some(&perl), "Your name? Hello\n").is_some());
    assert_eq!(unanswered(Some(&perl), "Hello\n"), None);
    assert_eq!(need_in("perl ask.pl", "# <STDIN> is not read\nprint 1;\n"), None);
    for command in ["bash -c 'read a'", "echo y | ./ask.sh", "bash ask.sh < answers", "ls -l", "bash -s"] {
        assert_eq!(scripts(command, &read(command, MAX_TEXT)), [], "{command}");
    }
}
