//! Times and memory, as the benchmarks take and print them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Samples of one thing, sorted.
pub(crate) struct Times(Vec<Duration>);

impl From<Vec<Duration>> for Times {
    fn from(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }
}

impl Times {
    /// Milliseconds.
    pub(crate) fn median(&self) -> f64 {
        self.at(0.5)
    }

    /// Milliseconds.
    pub(crate) fn p99(&self) -> f64 {
        self.at(0.99)
    }

    fn at(&self, part: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let time = self.0.get((last as f64 * part).round() as usize).copied().unwrap_or_default();
        time.as_secs_f64() * 1000.0
    }

    pub(crate) fn row(&self, what: &str) {
        println!("{what:<52}{:>9.3} ms{:>12.3} ms", self.median(), self.p99());
    }
}

pub(crate) fn heading(load: &str) {
    println!("load of this machine: {load}");
    println!("{:<52}{:>12}{:>15}", "", "median", "p99");
}

/// The machine's load averages, as they are told.
pub(crate) fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}

pub(crate) fn verdict(what: &str, value: f64, budget: f64, unit: &str) {
    let word = if value <= budget { "held" } else { "exceeded" };
    println!("{what:<52}{value:>9.3} {unit:<3} budget {budget} {unit}: {word}");
}

/// Memory of a process and all below it, in MiB: what each holds alone and its share of the rest. 0 while processes come
/// and go, for what they share would be counted twice; so would a child that has not become its program yet.
pub(crate) fn memory_of_tree(root: u32) -> f64 {
    let tree = tree(root);
    let kib: u64 = tree.iter().map(|(pid, _)| share(*pid)).sum();
    let program = tree.first().map(|(_, program)| program);
    let becoming = tree.iter().skip(1).any(|(_, own)| Some(own) == program);
    if !becoming && tree == self::tree(root) { kib as f64 / 1024.0 } else { 0.0 }
}

/// Memory of one process, in MiB.
pub(crate) fn memory_of(pid: u32) -> f64 {
    share(pid) as f64 / 1024.0
}

/// A process and all below it, each with the program that it is.
fn tree(root: u32) -> Vec<(u32, Option<PathBuf>)> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some((pid, parent)) = pid.and_then(|pid| Some((pid, parent_of(&entry.path())?))) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        found.push((pid, std::fs::read_link(format!("/proc/{pid}/exe")).ok()));
        waiting.extend(children.remove(&pid).unwrap_or_default());
    }
    found
}

fn parent_of(process: &Path) -> Option<u32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    stat.get(stat.rfind(')')? + 1..)?.split_whitespace().nth(1)?.parse().ok()
}

/// KiB; 0 for one that is gone.
fn share(pid: u32) -> u64 {
    let memory = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = memory.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
