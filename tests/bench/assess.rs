//! What judging a command costs (SPEC section 12: at most 100 µs in the median): every line of the classifier's corpus
//! through the warm worker and the judge, and the judge alone.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use planwright_engine::risk::{DiskPaths, Workspace, assess};
use planwright_engine::shell::ShellReader;

use crate::Failure;
use crate::measure::{Times, heading, load, memory_of_tree, verdict};

const CORPUS: [&str; 4] = [
    include_str!("../../src-tauri/engine/src/risk/corpus/everyday.txt"),
    include_str!("../../src-tauri/engine/src/risk/corpus/reading.txt"),
    include_str!("../../src-tauri/engine/src/risk/corpus/harmful.txt"),
    include_str!("../../src-tauri/engine/src/risk/corpus/blocked.txt"),
];
const ROUNDS: usize = 5;

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn measure() -> Result<(), Failure> {
    let lines: Vec<String> = CORPUS
        .iter()
        .flat_map(|corpus| corpus.lines())
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.replace('⏎', "\n"))
        .collect();
    let folder = tempfile::tempdir()?;
    let (environment, functions) = (BTreeMap::from([("HOME".into(), "/home/u".into())]), BTreeMap::new());
    let workspace = Workspace {
        root: folder.path().into(),
        cwd: folder.path().into(),
        home: "/home/u".into(),
        user: "u".into(),
        environment: &environment,
        functions: &functions,
        paths: &DiskPaths,
    };
    let reader = ShellReader::new(planwright_tests::worker());
    heading(&load());
    let (mut both, mut reads, mut judgements) = (Vec::new(), Vec::new(), Vec::<Duration>::new());
    // The first round is the start of the worker and the warming of every cache.
    for round in 0..=ROUNDS {
        for line in &lines {
            let start = Instant::now();
            let facts = reader.read(line).await;
            let read = start.elapsed();
            let assessment = assess(line, &facts, &workspace);
            let all = start.elapsed();
            std::hint::black_box(assessment);
            if round > 0 {
                both.push(all);
                reads.push(read);
                judgements.push(all - read);
            }
        }
    }
    let both = Times::from(both);
    both.row("a command read and judged");
    Times::from(reads).row("  read, by the worker where need be");
    Times::from(judgements).row("  judged");
    println!();
    verdict("judging a command", both.median() * 1000.0, 100.0, "µs");
    println!(
        "{:<52}{:>9.1} MiB",
        "memory of this process and the worker",
        memory_of_tree(std::process::id())
    );
    println!("{} commands, {ROUNDS} times; load of this machine at the end: {}", lines.len(), load());
    Ok(())
}
