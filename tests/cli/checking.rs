//! `check` and `mend`: what a reader of a page would stumble over, and the page as its run was mended.

use std::fs;

use crate::Desk;

#[test]
fn a_page_is_checked_and_nothing_is_run() {
    let desk = Desk::new();
    let page = desk.write(
        "page.md",
        "# Build\n\nRun:\n\n```sh\ntouch made\nno-such-program --build\n```\n\nThen:\n\n```sh\nif true; then\n```\n\n\
         Then:\n\n```sh\nsudo rm -rf /usr/local\ncp a <your-folder>\n```\n",
    );
    let check = desk.call(&["check", page.to_str().unwrap()]);
    assert_eq!(check.code, Some(1), "{}", check.all());
    let lines: Vec<&str> = check.stdout.lines().collect();
    let line = |number: u32, words: &str| {
        let start = format!("{}:{number}: ", page.display());
        lines.iter().any(|line| line.starts_with(&start) && line.contains(words))
    };
    assert!(line(7, "no-such-program is not installed"), "{}", check.all());
    assert!(line(13, "cannot be read"), "{}", check.all());
    assert!(line(19, "Dangerous: "), "{}", check.all());
    assert!(line(20, "<your-folder> is left to the reader"), "{}", check.all());
    assert!(!desk.work().join("made").exists());
    assert_eq!(desk.call(&["sessions"]).stdout.matches("Build").count(), 0, "no session is made");
    let found = desk.call(&["check", page.to_str().unwrap(), "--json"]).json();
    assert_eq!(found.len(), lines.len());
    assert_eq!(found[0]["kind"], "missing-program");
}

#[test]
fn a_page_that_runs_as_it_stands_is_told_to() {
    let desk = Desk::new();
    let page = desk.write("page.md", "# Say\n\n```sh\necho one\n```\n");
    let check = desk.call(&["check", page.to_str().unwrap()]);
    assert_eq!((check.code, check.stdout.as_str()), (Some(0), "Nothing to stumble over (steps: 1).\n"));
    let missing = desk.call(&["check", "no-such-page.md"]);
    assert_eq!(missing.code, Some(2), "{}", missing.all());
}

#[test]
fn a_page_is_mended_as_its_run_was() {
    let desk = Desk::new();
    let text = "# Folder\n\nMake it:\n\n```console\n$ mkdri made\n$ touch made/one\n```\n";
    let page = desk.write("page.md", text);
    let run = desk.call(&["run", page.to_str().unwrap(), "--mode", "agentic"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    let patch = desk.call(&["mend", "last"]);
    assert_eq!(patch.code, Some(0), "{}", patch.all());
    assert!(patch.stdout.contains("-$ mkdri made\n+$ mkdir made\n"), "{}", patch.all());
    assert_eq!(fs::read_to_string(&page).unwrap(), text, "it is shown and not written");
    let mended = desk.call(&["mend", "last", "--write"]);
    assert_eq!(fs::read_to_string(&page).unwrap(), text.replace("mkdri", "mkdir"), "{}", mended.all());
    let step = mended.stderr.split("--step ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    let undone = desk.call(&["undo", "last", "--step", step]);
    assert_eq!(undone.code, Some(0), "{}", undone.all());
    assert_eq!(fs::read_to_string(&page).unwrap(), text);
}
