//! Blocks of commands, whole scripts and pages of several blocks leave behind as steps what bash leaves of them as a script.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Desk;

/// Where a step is another thing than a line of a script, and why.
const DIFFERENT: [(&str, &str); 1] =
    [("bashrc", "a start-up file is read as at a terminal, where its guard lets the rest be read")];

#[test]
fn blocks_leave_as_steps_what_bash_leaves_of_them() {
    assert_eq!(differing("blocks.txt", 0..usize::MAX), DIFFERENT.map(|(name, _)| name));
}

/// The scripts in parts, so that they run side by side.
#[test]
fn scripts_leave_as_steps_what_bash_leaves_of_them() {
    assert_eq!(differing("scripts.txt", 0..35), [""; 0]);
}

#[test]
fn scripts_leave_as_steps_what_bash_leaves_of_them_too() {
    assert_eq!(differing("scripts.txt", 35..usize::MAX), [""; 0]);
}

#[test]
fn pages_of_several_blocks_leave_what_bash_leaves_of_them() {
    assert_eq!(differing("pages.txt", 0..usize::MAX), [""; 0]);
}

/// Those that leave something else, told with what they leave.
fn differing(file: &str, which: Range<usize>) -> Vec<String> {
    let text = fs::read_to_string(format!("{}/cli/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let all = text.split("### ").skip(1).map(|one| one.trim_end().split_once('\n').unwrap());
    let all: Vec<(&str, &str)> = all.skip(which.start).take(which.end - which.start).collect();
    let mut differ = Vec::new();
    for (name, script) in &all {
        let (scripted, (stepped, said)) = match file {
            "scripts.txt" => (by_bash(script), as_steps("script.sh", script)),
            _ => (by_bash(&script.replace("@@@\n", "")), as_steps("page.md", &page(script))),
        };
        if scripted != stepped {
            differ.push((*name).to_owned());
            if !DIFFERENT.iter().any(|(known, _)| known == name) {
                println!("{name}: bash left {scripted:?}\nthe steps {stepped:?}\n{said}");
            }
        }
    }
    println!("{} of {} of {file} leave what bash leaves", all.len() - differ.len(), all.len());
    differ
}

fn page(blocks: &str) -> String {
    let fences =
        blocks.split("@@@\n").map(|block| format!("Run this:\n\n```sh\n{}\n```\n\n", block.trim_end()));
    format!("# Blocks\n\n{}", fences.collect::<String>())
}

/// What managers of versions have on their pages: a line for the start-up file, a shell started anew, and the new command.
#[test]
fn a_page_that_starts_the_shell_anew_goes_on_with_what_its_start_up_file_says() {
    let tool =
        "mkdir -p ~/.tool\nprintf '#!/bin/sh\\necho tool \"$@\"\\n' > ~/.tool/tool\nchmod +x ~/.tool/tool\n";
    let guarded =
        "case $- in *i*) ;; *) return;; esac\nexport PATH=\"$HOME/.tool:$PATH\"\nkeeps() { echo kept; }";
    for (file, anew) in [
        (".bashrc", "exec \"$SHELL\""),
        (".bashrc", "source ~/.bashrc"),
        (".bashrc", ". \"$HOME/.bashrc\""),
        (".profile", "exec \"$SHELL\" -l"),
        (".profile", "source ~/.profile"),
    ] {
        let blocks = [
            tool,
            &format!("cat >> ~/{file} <<'E'\n{guarded}\nE\n"),
            anew,
            "tool install 3 > out\nkeeps >> out\n",
        ];
        let (left, said) = as_steps("page.md", &page(&blocks.join("\n@@@\n")));
        assert_eq!(left.get("out").map(String::as_str), Some("tool install 3\nkept\n"), "{anew}: {said}");
    }
}

fn by_bash(script: &str) -> BTreeMap<String, String> {
    let desk = Desk::new();
    let file = desk.data().with_file_name("script.sh");
    fs::write(&file, format!("{script}\n")).unwrap();
    let mut bash = Command::new("bash");
    bash.arg(&file).current_dir(desk.work()).env("HOME", desk.data().parent().unwrap());
    bash.stdin(Stdio::null()).output().unwrap();
    left_in(&desk.work())
}

fn as_steps(name: &str, text: &str) -> (BTreeMap<String, String>, String) {
    let desk = Desk::new();
    let file = desk.data().with_file_name(name);
    fs::write(&file, format!("{text}\n")).unwrap();
    let policy = desk.data().with_file_name("policy.toml");
    fs::write(&policy, "approve = \"dangerous\"\n").unwrap();
    let policy = policy.to_str().unwrap();
    let run = desk.call(&["run", file.to_str().unwrap(), "--policy", policy, "--mode", "planner"]);
    (left_in(&desk.work()), run.all())
}

/// Every file below `folder` with what is in it, the folder's own name left out.
fn left_in(folder: &Path) -> BTreeMap<String, String> {
    let own = folder.canonicalize().unwrap();
    let mut left = BTreeMap::new();
    let mut open = vec![own.clone()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&own).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                left.insert(name, "(folder)".to_owned());
                open.push(path);
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
                left.insert(name, text.replace(own.to_str().unwrap(), "(here)"));
            }
        }
    }
    left
}
