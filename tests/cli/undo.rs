//! Taking a run back from a terminal, and being killed while doing so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::{Desk, of_type};

/// Every file below a folder, with its content.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_preview_changes_nothing_and_an_undo_says_what_it_left_alone() {
    let desk = Desk::new();
    desk.write("a", "old\n");
    desk.page(&["echo new > a; echo made > b", "echo made > c"]);
    assert_eq!(desk.call(&["run", "page.md"]).code, Some(0));
    desk.write("b", "mine\n");
    let dry = desk.call(&["undo", "last", "--dry-run", "--json"]);
    assert_eq!(dry.code, Some(0), "{}", dry.all());
    assert_eq!(dry.json()[0]["files"].as_array().unwrap().len(), 3, "{}", dry.all());
    assert_eq!(std::fs::read_to_string(desk.work().join("a")).unwrap(), "new\n");
    let undone = desk.call(&["undo", "last", "--json"]);
    assert_eq!(undone.code, Some(1), "something was left alone: {}", undone.all());
    let lines = undone.json();
    assert_eq!(of_type(&lines, "undone")[0]["undo"]["skipped"].as_array().unwrap().len(), 1);
    let read = |name: &str| std::fs::read_to_string(desk.work().join(name)).ok();
    assert_eq!(
        (read("a").as_deref(), read("b").as_deref(), read("c")),
        (Some("old\n"), Some("mine\n"), None)
    );
}

#[test]
fn an_undo_tells_where_what_it_replaced_went_and_can_be_taken_back() {
    let desk = Desk::new();
    desk.write("a", "old\n");
    desk.page(&["echo new > a; echo made > b"]);
    assert_eq!(desk.call(&["undo", "last"]).code, Some(2), "there is no session");
    assert_eq!(desk.call(&["run", "page.md"]).code, Some(0));
    desk.write("b", "mine\n");
    let early = desk.call(&["undo", "last", "--redo"]);
    assert!(early.code != Some(0) && early.all().contains("no undo in this session"), "{}", early.all());
    let undone = desk.call(&["undo", "last", "--overwrite"]);
    assert_eq!(undone.code, Some(0), "{}", undone.all());
    assert!(
        !undone.all().contains("left alone") && undone.all().contains("all the same: It has changed"),
        "{}",
        undone.all()
    );
    let told = undone.all().lines().find_map(|line| line.split(" is in ").nth(1).map(str::to_owned)).unwrap();
    let kept: Vec<Vec<u8>> = files(Path::new(&told)).into_values().collect();
    assert!(kept.contains(&b"new\n".to_vec()) && kept.contains(&b"mine\n".to_vec()), "{kept:?} in {told}");
    let read = |name: &str| std::fs::read_to_string(desk.work().join(name)).ok();
    assert_eq!((read("a").as_deref(), read("b")), (Some("old\n"), None));
    let redone = desk.call(&["undo", "last", "--redo"]);
    assert_eq!(redone.code, Some(0), "{}", redone.all());
    assert_eq!((read("a").as_deref(), read("b").as_deref()), (Some("new\n"), Some("mine\n")));
}

/// Killed at many moments of an undo, nothing of the user's is lost, and what was made is in the folder or in the trash.
/// Done again, it comes to its end.
#[test]
fn killed_in_the_middle_of_an_undo_nothing_is_lost_and_it_can_be_done_again() {
    const FILES: usize = 400;
    let desk = Desk::new();
    desk.page(&["cp -r new made && cp new/* old/"]);
    for folder in ["old", "new"] {
        std::fs::create_dir(desk.work().join(folder)).unwrap();
        for number in 1..=FILES {
            desk.write(&format!("{folder}/{number}"), format!("{folder} {number}\n"));
        }
    }
    desk.write("mine", "mine\n");
    let before = files(&desk.work());
    assert_eq!(desk.call(&["run", "page.md"]).code, Some(0));
    let after = files(&desk.work());
    assert_eq!(after.len(), before.len() + FILES);

    // How long an undisturbed one takes, from the preview on; taken back again.
    let whole = Instant::now();
    assert_eq!(desk.call(&["undo", "last", "--dry-run"]).code, Some(0));
    let start = whole.elapsed();
    let (mut killed, mut wait, mut cut) = (0, start / 2, 0);
    while killed < 60 {
        let mut child = desk.command(&["undo", "last"]).spawn().unwrap();
        let begun = Instant::now();
        while begun.elapsed() < wait && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(500));
        }
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        // By the time that this machine takes now, which other work may stretch.
        wait += start / 16;

        let now = files(&desk.work());
        let changed = now.iter().filter(|(path, content)| after.get(*path) != Some(content)).count()
            + after.keys().filter(|path| !now.contains_key(*path)).count();
        cut += usize::from(changed > 0);
        assert_eq!(now.get(Path::new("mine")), before.get(Path::new("mine")));
        let stored = files(&desk.data());
        let has = |content: &[u8]| stored.values().any(|kept| kept == content);
        for (path, content) in &after {
            let there = now.get(path) == Some(content);
            assert!(there || has(content), "what the step left in {path:?} is lost");
        }
        for (path, content) in before.iter().filter(|(path, _)| path.starts_with("old")) {
            assert!(now.get(path) == Some(content) || has(content), "what was in {path:?} is lost");
        }
        if cut >= 8 {
            break;
        }
    }
    println!("killed {killed} times, {cut} of them in the middle of it");
    assert!(cut > 0, "no kill came in the middle of an undo ({killed} kills from {start:?} on)");
    let again = desk.call(&["undo", "last", "--json"]);
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert_eq!(files(&desk.work()), before);
}
