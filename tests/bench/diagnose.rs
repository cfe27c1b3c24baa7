//! What reading a failure costs with no model: every case of the field guide's fixtures on a machine on paper, where nothing is looked
//! up, and on this machine, where the guide looks at files and names; and what explaining a command costs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use planwright_engine::explain::explain;
use planwright_engine::guide::{Failure, Machine, SketchedMachine, ThisMachine, diagnose};
use planwright_engine::risk::{DiskPaths, Workspace, assess};

use crate::measure::{Times, heading, load, verdict};

const CASES: &str = include_str!("../../src-tauri/engine/src/guide/fixtures/kinds.txt");
const ROUNDS: usize = 3;
/// Milliseconds.
const UNSEEN: f64 = 1.0;
const SEEN: f64 = 20.0;

pub(crate) fn measure() -> Result<(), crate::Failure> {
    let folder = tempfile::tempdir()?;
    let failures: Vec<Failure> = CASES
        .split("\n## ")
        .skip(1)
        .filter_map(|case| {
            let mut lines = case.lines().skip_while(|line| !line.starts_with("$ "));
            let command = lines.next()?.strip_prefix("$ ")?.to_owned();
            let said: Vec<&str> = lines.take_while(|line| !line.starts_with("=> ")).collect();
            let status = said.last().and_then(|line| line.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
            Some(Failure {
                command,
                exit_code: Some(status.unwrap_or(1)),
                stdout: String::new(),
                stderr: said.join("\n"),
                cwd: Some(folder.path().into()),
            })
        })
        .collect();
    let paper = SketchedMachine { folders: vec![folder.path().into()], ..SketchedMachine::default() };
    let path = std::env::var("PATH").unwrap_or_default();
    heading(&load());
    let paper = times(&failures, &paper);
    paper.row("a failure read, nothing looked up");
    let here = times(&failures, &ThisMachine::new(path));
    here.row("  on this machine");
    let mut explained: Vec<Duration> = Vec::new();
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let workspace = Workspace {
        root: folder.path().into(),
        cwd: folder.path().into(),
        home: "/home/u".into(),
        user: "u".into(),
        environment: &environment,
        functions: &functions,
        paths: &DiskPaths,
    };
    for failure in &failures {
        let facts = planwright_shell::read(&failure.command, 64 * 1024);
        let assessment = assess(&failure.command, &facts, &workspace);
        let start = Instant::now();
        std::hint::black_box(explain(&failure.command, &facts, assessment, &workspace));
        explained.push(start.elapsed());
    }
    Times::from(explained).row("its command explained");
    println!();
    verdict("a failure read, nothing looked up", paper.median(), UNSEEN, "ms");
    verdict("a failure read on this machine", here.median(), SEEN, "ms");
    println!("{} failures, {ROUNDS} times; load of this machine at the end: {}", failures.len(), load());
    Ok(())
}

/// The first round reads the tables, and is left out.
fn times(failures: &[Failure], machine: &dyn Machine) -> Times {
    let mut times = Vec::new();
    for round in 0..=ROUNDS {
        for failure in failures {
            let facts = planwright_shell::read(&failure.command, 64 * 1024);
            let start = Instant::now();
            std::hint::black_box(diagnose(failure, &facts, machine));
            if round > 0 {
                times.push(start.elapsed());
            }
        }
    }
    Times::from(times)
}
