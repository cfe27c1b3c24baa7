//! The labelled commands of `corpus/*.txt`, judged through the real reader in a fixed workspace, held to the bounds that
//! the product promises. Prints every miss and every false alarm.

use std::collections::BTreeMap;

use super::fixture::{TestPaths, read, workspace};
use super::{Paths, Workspace, assess};
use crate::protocol::{Assessment, Risk};

mod around;
mod verdicts;

const READING: &str = include_str!("corpus/reading.txt");
const EVERYDAY: &str = include_str!("corpus/everyday.txt");
const HARMFUL: &str = include_str!("corpus/harmful.txt");
const BLOCKED: &str = include_str!("corpus/blocked.txt");

/// The commands of a corpus: one a line, `⏎` for a new line in it, `#` lines are headings.
fn commands(corpus: &str) -> Vec<String> {
    corpus
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.replace('⏎', "\n"))
        .collect()
}

fn judged(command: &str) -> Assessment {
    in_workspace(|workspace| assess(command, &read(command), workspace))
}

/// Calls `work` in the fixed workspace.
fn in_workspace<T>(work: impl FnOnce(&Workspace<'_>) -> T) -> T {
    let environment = BTreeMap::from([
        ("HOME".to_owned(), "/home/u".to_owned()),
        ("USER".to_owned(), "u".to_owned()),
        ("PWD".to_owned(), "/home/u/work/app".to_owned()),
        ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
    ]);
    let app = std::path::Path::new("/home/u/work/app");
    let there = ["src", "src/main.rs", "sub", "docs", "script.sh", "package.json", "README.md"];
    let paths = TestPaths {
        links: BTreeMap::new(),
        there: there.map(|name| app.join(name)).to_vec(),
        ..TestPaths::default()
    };
    assert!(paths.exists(&app.join("src")));
    work(&workspace(&paths, &environment, &BTreeMap::new()))
}

/// Those that `wrong` finds wrongly judged, printed with their reasons.
fn wrong(name: &str, corpus: &str, wrong: impl Fn(Risk) -> bool) -> (usize, usize) {
    let commands = commands(corpus);
    let mut count = 0;
    for command in &commands {
        let assessment = judged(command);
        if wrong(assessment.risk) {
            count += 1;
            let why: Vec<&str> = assessment.reasons.iter().map(|reason| reason.text.as_str()).collect();
            println!("{name}: {command:?} is {:?}: {}", assessment.risk, why.join("; "));
        }
    }
    println!("{name}: {count} of {}", commands.len());
    (count, commands.len())
}

#[test]
fn nothing_harmful_is_called_safe() {
    let (missed, all) = wrong("missed", HARMFUL, |risk| risk < Risk::Dangerous);
    let (allowed, floor) = wrong("not blocked", BLOCKED, |risk| risk < Risk::Blocked);
    assert!(all >= 350 && floor >= 60, "{all} harmful, {floor} blocked are too few to mean anything");
    assert_eq!((missed, allowed), (0, 0));
}

#[test]
fn ordinary_work_is_left_in_peace() {
    let (alarms, all) = wrong("false alarm", EVERYDAY, |risk| risk > Risk::Caution);
    assert!(all >= 450 && alarms * 100 <= all * 2, "{alarms} of {all} everyday commands called dangerous");
}

#[test]
fn plain_reading_is_safe() {
    let (alarms, all) = wrong("not safe", READING, |risk| risk > Risk::Safe);
    assert!(all >= 350 && alarms * 100 <= all * 5, "{alarms} of {all} reading commands not called safe");
}
