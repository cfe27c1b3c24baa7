//! A block of commands leaves behind as steps what bash leaves of it as a script.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Desk;

/// Where a step is another thing than a line of a script, and why.
const DIFFERENT: [(&str, &str); 2] = [
    ("exportf", "an exported function reaches no other shell: it would change what a judged command means"),
    ("andor", "where what has to go well first does not, the step failed; only a test is asked and not told"),
];

#[test]
fn blocks_leave_as_steps_what_bash_leaves_of_them() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/cli/blocks.txt")).unwrap();
    let blocks: Vec<(&str, &str)> =
        text.split("### ").skip(1).map(|one| one.trim_end().split_once('\n').unwrap()).collect();
    let mut differ = Vec::new();
    for (name, block) in &blocks {
        let (scripted, (stepped, said)) = (by_bash(block), by_steps(block));
        if scripted != stepped {
            differ.push(*name);
            if !DIFFERENT.iter().any(|(known, _)| known == name) {
                println!("{name}: bash left {scripted:?}\nthe steps {stepped:?}\n{said}");
            }
        }
    }
    println!("{} of {} blocks leave what bash leaves", blocks.len() - differ.len(), blocks.len());
    assert_eq!(differ, DIFFERENT.map(|(name, _)| name));
}

fn by_bash(block: &str) -> BTreeMap<String, String> {
    let desk = Desk::new();
    let mut bash = Command::new("bash");
    bash.args(["-c", block]).current_dir(desk.work()).stdin(Stdio::null()).output().unwrap();
    left_in(&desk.work())
}

fn by_steps(block: &str) -> (BTreeMap<String, String>, String) {
    let desk = Desk::new();
    let page = desk.data().with_file_name("page.md");
    fs::write(&page, format!("# Block\n\nRun this:\n\n```sh\n{block}\n```\n")).unwrap();
    let policy = desk.data().with_file_name("policy.toml");
    fs::write(&policy, "approve = \"dangerous\"\n").unwrap();
    let run = desk.call(&[
        "run",
        page.to_str().unwrap(),
        "--policy",
        policy.to_str().unwrap(),
        "--mode",
        "planner",
    ]);
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
