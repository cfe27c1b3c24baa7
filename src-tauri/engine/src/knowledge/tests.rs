use std::collections::BTreeMap;

use super::entry::{Entry, Role, Variable};
use super::{FAMILIES, VARIABLES, administers, program};
use crate::protocol::Risk;

fn families() -> Vec<(&'static str, BTreeMap<String, Entry>)> {
    FAMILIES
        .iter()
        .map(|(name, text)| {
            (*name, serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}")))
        })
        .collect()
}

fn check_words(place: &str, text: &str) {
    assert!(!text.trim().is_empty(), "{place}: empty words");
    assert_eq!(text.trim(), text, "{place}: blanks around the words");
    assert!(!text.ends_with('.'), "{place}: full stop at the end of \"{text}\"");
}

fn check(place: &str, entry: &Entry) {
    check_words(place, &entry.summary);
    for text in [&entry.undo, &entry.no_undo, &entry.changes, &entry.expect].into_iter().flatten() {
        check_words(place, text);
    }
    assert!(entry.undo.is_none() || entry.no_undo.is_none(), "{place}: both undo and no-undo");
    assert!(entry.undo.is_none() || entry.undo.as_ref().is_some_and(|undo| !undo.is_empty()), "{place}");
    if entry.risk == Risk::Safe {
        let writes =
            entry.args.iter().chain(&entry.last).any(|role| matches!(role, Role::Delete | Role::Move));
        assert!(!writes, "{place}: safe, but deletes or moves");
        assert!(!entry.does(super::Deed::Writes), "{place}: safe, but writes");
        assert!(!entry.does(super::Deed::Network), "{place}: safe, but uses the network");
    }
    for flag in &entry.flags.list {
        check_words(&format!("{place} {}", flag.names.join(" ")), &flag.says);
        if let (Some(risk), Some(calms)) = (flag.risk, flag.calms) {
            panic!("{place}: a flag both raises to {risk:?} and calms to {calms:?}");
        }
    }
    let mut names: Vec<&String> =
        entry.sub.iter().flat_map(|(name, sub)| [name].into_iter().chain(&sub.aliases)).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "{place}: a sub-command has two entries");
    for (name, sub) in &entry.sub {
        check(&format!("{place} {name}"), sub);
    }
}

#[test]
fn every_entry_is_well_formed() {
    for (family, entries) in families() {
        assert!(!entries.is_empty(), "{family} is empty");
        for (name, entry) in &entries {
            check(&format!("{family}: {name}"), entry);
        }
    }
}

#[test]
fn programs_for_the_administrator_are_those_that_no_table_has() {
    let names: Vec<&str> =
        include_str!("administration.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert!(names.len() > 3_000 && names.is_sorted(), "{} names, in order", names.len());
    let known: Vec<&&str> = names.iter().filter(|name| program(name).is_some()).collect();
    assert_eq!(known, Vec::<&&str>::new());
    assert!(administers("partclone.dd") && !administers("ls") && !administers("#"));
}

#[test]
fn no_program_has_two_entries() {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (family, entries) in families() {
        for (name, entry) in entries {
            for name in entry.aliases.into_iter().chain([name]) {
                if let Some(other) = seen.insert(name.clone(), family) {
                    panic!("{name} is in {other} and in {family}");
                }
            }
        }
    }
    assert!(seen.len() >= 250, "only {} names", seen.len());
}

#[test]
fn variables_are_well_formed() {
    let variables: BTreeMap<String, Variable> = serde_json::from_str(VARIABLES).unwrap();
    for (name, variable) in variables {
        check_words(&name, &variable.says);
        assert_ne!(variable.risk, Risk::Safe, "{name} needs no entry");
    }
}

#[test]
fn a_version_in_the_name_is_the_same_program() {
    assert!(super::program("python3.12").is_some());
    assert!(super::program("pip3.11").is_some());
    assert!(super::program("rm2").is_none());
}
