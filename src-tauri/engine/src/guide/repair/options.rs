//! A word that a program does not know, where it says itself which one was meant.

use super::super::case::{Case, one, text};
use super::super::template::{Findings, quote};

/// `typed` and `near` come from the program itself. The word is replaced where it stands alone or before a `=`.
pub(super) fn suggested_word(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let (typed, near) = (found.get("typed")?.to_owned(), found.get("near")?.to_owned());
    if typed == near || near.starts_with("--force") || near.starts_with("--delete") {
        return None;
    }
    // Programs also propose what only shares a few letters.
    let far = strsim::osa_distance(&typed, &near) > (typed.len().max(near.len()) / 3).max(1);
    if far && !near.starts_with(&typed) {
        return None;
    }
    let command = case.replace_word(&typed, &quote(&near)).or_else(|| {
        let word = one(case
            .runs()
            .flat_map(|run| run.args())
            .filter(|arg| text(arg).is_some_and(|arg| arg.starts_with(&format!("{typed}=")))))?;
        let value = text(word)?.strip_prefix(typed.as_str())?;
        case.splice(&[(word.span, &quote(&format!("{near}{value}")))])
    })?;
    found.set("command", command);
    Some(())
}

/// `typed`, `near` and `command`: a long option that was given one dash, where the program has it with two.
pub(super) fn long_option(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let mut hits = Vec::new();
    for run in case.runs() {
        let program = run.program();
        for word in run.args() {
            let Some(name) = word.raw.split('=').next().and_then(|raw| raw.strip_prefix('-')) else {
                continue;
            };
            let is_name = name.len() > 3
                && !name.starts_with('-')
                && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let long = format!("--{name}");
            let is_known = || {
                super::super::advice::knows_option(program, &long)
                    || case.machine.manual(program).contains(&long)
            };
            if is_name && is_known() {
                hits.push((word.span, format!("-{}", word.raw), format!("-{name}"), long));
            }
        }
    }
    let (span, new, typed, near) = one(hits)?;
    found.set("command", case.splice(&[(span, &new)])?);
    found.set("typed", typed);
    found.set("near", near);
    Some(())
}
