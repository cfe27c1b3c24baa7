//! Pages in a few lines, read for a machine of Debian: what is run of them.

mod aside;
mod typed;
mod ways;

use super::*;

fn machine() -> Machine {
    let programs = ["bash", "apt", "apt-get", "curl", "wget", "git", "make", "python3", "pip"];
    Machine {
        kernel: "linux".into(),
        arch: "x86_64".into(),
        user: "me".into(),
        programs: programs.map(str::to_owned).into(),
        ..Machine::default()
    }
    .with_os_release("ID=debian\nVERSION_ID=12\nVERSION_CODENAME=bookworm\nPRETTY_NAME=\"Debian 12\"\n")
}

fn reading(page: &str) -> Reading {
    read(&Document::read_text(page, "page.md"), &machine())
}

/// What is run, a command a line; files by their paths.
fn taken(page: &str) -> Vec<String> {
    taken_of(reading(page))
}

fn taken_of(reading: Reading) -> Vec<String> {
    let units = reading.units.into_iter().filter(Unit::is_taken);
    units
        .flat_map(|unit| match unit.act {
            Act::Shell { typed, .. } => typed.into_iter().map(|one| one.text).collect(),
            Act::File { path, mode, .. } => vec![format!("{mode:?} {path}")],
            Act::Manual { .. } | Act::Shown { .. } => Vec::new(),
        })
        .collect()
}

fn code(lines: &str) -> String {
    format!("```sh\n{lines}\n```\n\n")
}
