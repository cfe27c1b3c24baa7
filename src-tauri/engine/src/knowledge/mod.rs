//! What is known of programs, as data: one table feeds the risk verdicts and the Teacher's explanations.
//! The data lives in `programs/*.toml`, is embedded (as JSON), and is parsed once when first needed. What only the Teacher says is in
//! `meanings/*.toml`, which no verdict reads. This module never judges a
//! command: it only says what a program, sub-command, flag or variable is.

mod entry;
mod kind;
mod meaning;
mod signs;
mod statuses;
#[cfg(test)]
mod tests;
mod verbs;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

pub(crate) use entry::{Deed, Entry, Flag, OtherFlags, Role, Rules, Takes, Variable, Wrapper};
pub(crate) use kind::Kind;
pub(crate) use meaning::{
    Meaning, Operand, Opt, Safer, Value, meanings, meanings_at, named_value, operand_of, safer_ways,
};
pub(crate) use signs::shows_harm;
pub(crate) use statuses::{Statuses, statuses};
pub(crate) use verbs::Verbs;

/// A table as the build made it of the TOML file.
macro_rules! table {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/programs/", $name, ".json"))
    };
}

/// One file per family of programs.
const FAMILIES: [(&str, &str); 29] = [
    ("archives", table!("archives")),
    ("builds", table!("builds")),
    ("builtins", table!("builtins")),
    ("containers", table!("containers")),
    ("coreutils", table!("coreutils")),
    ("disks", table!("disks")),
    ("editors", table!("editors")),
    ("find", table!("find")),
    ("git", table!("git")),
    ("interpreters", table!("interpreters")),
    ("handover", table!("handover")),
    ("instruments", table!("instruments")),
    ("toolchains", table!("toolchains")),
    ("links", table!("links")),
    ("network", table!("network")),
    ("packages", table!("packages")),
    ("processes", table!("processes")),
    ("system", table!("system")),
    ("text", table!("text")),
    ("clouds", table!("clouds")),
    ("databases", table!("databases")),
    ("desktop", table!("desktop")),
    ("devtools", table!("devtools")),
    ("readers", table!("readers")),
    ("machine", table!("machine")),
    ("macos", table!("macos")),
    ("servers", table!("servers")),
    ("shown", table!("shown")),
    ("wrappers", table!("wrappers")),
];
const VARIABLES: &str = table!("variables");

/// A family that does not parse is left out, which makes its programs unknown (`caution`); a test reads every one.
static PROGRAMS: LazyLock<HashMap<String, &'static Entry>> = LazyLock::new(|| {
    let mut programs = HashMap::new();
    for (_, text) in FAMILIES {
        let family: BTreeMap<String, Entry> = serde_json::from_str(text).unwrap_or_default();
        for (name, entry) in family {
            // The table lives as long as the program, so that whoever looks something up need not copy it.
            let entry: &'static Entry = Box::leak(Box::new(entry));
            for alias in &entry.aliases {
                programs.insert(alias.clone(), entry);
            }
            programs.insert(name, entry);
        }
    }
    programs
});

static VARIABLES_BY_NAME: LazyLock<HashMap<String, &'static Variable>> = LazyLock::new(|| {
    let variables: BTreeMap<String, Variable> = serde_json::from_str(VARIABLES).unwrap_or_default();
    let mut by_name = HashMap::new();
    for (name, variable) in variables {
        let variable: &'static Variable = Box::leak(Box::new(variable));
        for alias in &variable.aliases {
            by_name.insert(alias.clone(), variable);
        }
        by_name.insert(name, variable);
    }
    by_name
});

/// Programs of the administrator of which nothing else is known.
static ADMINISTRATION: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    include_str!("administration.txt").lines().filter(|line| !line.starts_with('#')).collect()
});

/// Whether the program of this name is kept for whoever administers the machine, while no table says what it does.
pub(crate) fn administers(name: &str) -> bool {
    ADMINISTRATION.contains(name)
}

/// Reads the tables now, so that the first command judged need not wait for it. Takes some milliseconds.
pub(crate) fn warm() {
    LazyLock::force(&PROGRAMS);
    LazyLock::force(&VARIABLES_BY_NAME);
}

/// The program of this name (`ls`, not `/bin/ls`).
pub(crate) fn program(name: &str) -> Option<&'static Entry> {
    PROGRAMS.get(name).copied().or_else(|| {
        // `python3.12`, `pip3.11`, `clang-17`: the same program with its version in the name.
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        if name == "docker-compose" || name == "podman-compose" {
            return PROGRAMS.get("docker").and_then(|docker| docker.sub_command("compose"));
        }
        (stem.len() < name.len() && ["python", "pip", "clang", "gcc", "g++", "lua"].contains(&stem))
            .then(|| PROGRAMS.get(stem).copied())
            .flatten()
            .or_else(|| PROGRAMS.get(tool_for_another_machine(name)?).copied())
    })
}

/// The names of all programs that take orders: that have sub-commands, or words that decide what they do
/// and are no files.
#[cfg(test)]
pub(crate) fn names_with_orders() -> Vec<&'static str> {
    let names = PROGRAMS.iter().filter(|(_, entry)| {
        !entry.sub.is_empty() || entry.verbs.is_some() && entry.role(0, 3) == Role::Text
    });
    let mut names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

/// `size` of `arm-none-eabi-size`: the same tool, for programs of another kind of machine.
fn tool_for_another_machine(name: &str) -> Option<&str> {
    const MACHINES: [&str; 16] = [
        "arm",
        "aarch64",
        "armv7l",
        "riscv32",
        "riscv64",
        "x86_64",
        "i686",
        "avr",
        "mips",
        "mipsel",
        "powerpc",
        "powerpc64le",
        "xtensa",
        "msp430",
        "m68k",
        "loongarch64",
    ];
    const TOOLS: [&str; 17] = [
        "size",
        "nm",
        "objdump",
        "readelf",
        "strings",
        "addr2line",
        "c++filt",
        "gcc",
        "g++",
        "cpp",
        "ld",
        "as",
        "ar",
        "ranlib",
        "objcopy",
        "strip",
        "gcov",
    ];
    let (machine, tool) = (name.split('-').next()?, name.rsplit('-').next()?);
    (name.contains('-') && MACHINES.contains(&machine) && TOOLS.contains(&tool)).then_some(tool)
}

/// A variable whose value changes what programs do; most have no entry.
pub(crate) fn variable(name: &str) -> Option<&'static Variable> {
    VARIABLES_BY_NAME.get(name).copied()
}
