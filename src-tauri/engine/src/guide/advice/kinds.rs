//! A name of some kind that a program does not know, and says so: `Unknown encoder 'x264'`, `pipfail: invalid option name`. What
//! a program has of a kind stands in the vocabulary.

use std::sync::LazyLock;

use planwright_shell::Span;
use regex::Regex;

use super::super::case::{Case, Run};
use super::said::Line;
use super::{Offer, checks, pattern, vocabulary};

static COMPLAINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)unknown|no such|invalid|unsupported|unrecogni[sz]ed|not (?:a|found|known|valid)\b|does not exist",
    )
});

pub(super) fn offers(case: &Case<'_>, said: &[Line]) -> Vec<Offer> {
    let Some(complaint) = COMPLAINT.as_ref() else { return Vec::new() };
    let mut complaints = said.iter().filter(|line| complaint.is_match(&line.text));
    complaints
        .find_map(|line| case.runs().find_map(|run| offer(case, &run, &line.text)))
        .into_iter()
        .collect()
}

fn offer(case: &Case<'_>, run: &Run<'_>, line: &str) -> Option<Offer> {
    let program = run.program();
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !"_+-".contains(c)))
        .collect();
    let of_kind = |kind: &'static str| {
        words.iter().any(|word| word.eq_ignore_ascii_case(kind)).then_some(())?;
        words.iter().find_map(|name| {
            let near = vocabulary::of_kind(program, kind, name)?;
            let place = sole_place(run, name).filter(|_| checks::may_stand_for(program, name, near))?;
            Some((kind, *name, near, place))
        })
    };
    let (kind, name, near, place) = vocabulary::kinds(program).find_map(of_kind)?;
    let command = case.splice(&[(place, near)])?;
    let reason = format!("{program} has no {kind} {name}; of those that it has, {near} is meant.");
    Some(Offer::changed(command, reason, 0.86))
}

/// Where `name` stands in the command, alone or as a part of a word (`scale=2,corp=3`). `None` where it stands twice.
fn sole_place(run: &Run<'_>, name: &str) -> Option<Span> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut places = run.args().iter().flat_map(|word| {
        word.raw.match_indices(name).filter_map(move |(at, _)| {
            let (before, after) = (&word.raw[..at], &word.raw[at + name.len()..]);
            let alone = !before.ends_with(is_part) && !after.starts_with(is_part);
            let start = word.span.start + before.chars().count() as u32;
            alone.then(|| Span { start, end: start + name.chars().count() as u32 })
        })
    });
    places.next().filter(|_| places.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_can_be_read() {
        assert!(COMPLAINT.is_some());
    }
}
