//! The near word among those that a program lists when it does not know one, or that are known of it.

use std::sync::LazyLock;

use regex::Regex;

use super::super::case::{Case, Run, text};
use super::super::near::{nearest, sole_with_one_more};
use super::super::template::quote;
use super::said::{Line, Place, names, places};
use super::words::quoted;
use super::{Offer, checks, pattern, vocabulary};
use crate::knowledge::{self, Entry};

/// A line that says that a word is not known.
static WRONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:unknown|ambiguous|not an option|invalid|unrecogni[sz]ed|unsupported|undefined|illegal|unexpected|\bbad\b|not (?:a |an )?(?:valid|known|recogni[sz]ed|understood|found|supported|defined|available|allowed|registered)",
        r"|no such (?:command|option|sub-?command|target|task|script|argument|flag|format|preset|profile|recipe|goal|environment|configuration|job|group|stage|session|rule)|n't (?:exist|recogni[sz]ed?|wasn't)|does not exist|is(?:n't| not) (?:a|an|one|in|part)\b|(?:can ?not|can't|could ?n[o']t|unable to) (?:find|locate|recogni[sz]e|create|understand|invoke)|n't have an?\b",
        r"|has no (?:command|target|task|option|script)|no [a-z -]{0,20}(?:named|called)|don't know how|not found|must be one of|should be one of|choose from|expected one of|subcommand wasn't specified|found argument)",
    ))
});

/// Words after which a program lists what it knows.
static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:\b(?:available|valid|possible|supported|allowed|known|accepted|existing|defined|legal|recogni[sz]ed|permitted|registered|all|main|core|common|other|management|basic|additional|useful)[a-z -]{0,30}(?: are| is| include)?(?: one of)?\s*:",
        r"|\b(?:valid|possible|supported|allowed|available) (?:[a-z]+ )?(?:are|is|include)\b",
        r"|\bchoose from|\b(?:must|should|has to|needs to|can) be (?:one of|either|any of)(?: the following)?|\bexpected (?:one of|either)|\bone of(?: the following)?:",
        r"|^\s*\*?\s*(?:[a-z-]+ )?(?:commands?|sub-?commands?|tasks?|targets?|scripts?|formats?|generators?|options?|choices?|values?|types?|goals?|recipes?|profiles?|environments?|verbs?|flags?)(?: are| include)?\s*:?\s*$)",
    ))
});

/// Where a near word is from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Message,
    Tables,
    Manual,
}

pub(super) fn offers(case: &Case<'_>, said: &[Line]) -> Vec<Offer> {
    let complained = complained_about(case, said).or_else(|| unlisted_in_usage(case, said));
    let Some((run, place)) = complained else { return Vec::new() };
    let listed = listed(case, said, &run, &place);
    let near = |words: &mut dyn Iterator<Item = &str>| near_in(&place.text, words);
    let near = near(&mut listed.iter().map(String::as_str))
        .map(|near| (near, Source::Message))
        .or_else(|| {
            let other = levels(&run, &place)
                .iter()
                .find_map(|path| vocabulary::by_other_name(&path.join(" "), &place.text));
            let known = other.map(str::to_owned).or_else(|| near(&mut known(&run, &place).into_iter()));
            Some((known?, Source::Tables))
        })
        .or_else(|| {
            let words = in_manual(case, &run, &place);
            Some((near(&mut words.iter().map(String::as_str))?, Source::Manual))
        });
    let Some((near, source)) = near else { return Vec::new() };
    if !checks::may_stand_for(run.program(), &place.text, &near) {
        return Vec::new();
    }
    let Some(command) = case.splice(&[(place.span, &quote(&near))]) else { return Vec::new() };
    let (program, typed) = (run.program(), &place.text);
    let (of, confidence) = match source {
        Source::Message => ("what it lists", 0.88),
        Source::Tables => ("what it does know", 0.82),
        Source::Manual => ("what its manual names", 0.82),
    };
    let reason = format!("{program} does not know {typed}; of {of}, {near} is the one near to it.");
    vec![Offer::changed(command, reason, confidence)]
}

/// The place of the command that the message says is not known.
fn complained_about<'a>(case: &'a Case<'_>, said: &[Line]) -> Option<(Run<'a>, Place)> {
    let wrong = WRONG.as_ref()?;
    let all = places(case);
    for (index, line) in said.iter().enumerate().filter(|(_, line)| wrong.is_match(&line.text)) {
        // Two letters are near to everything, but where the message quotes just them or lists what there is.
        let quotes = quoted(&line.text);
        let lists = line.text.contains("choose from");
        let is_ambiguous = line.text.contains("ambiguous");
        let named = |run: &Run<'_>, place: &Place| {
            let is_quoted = quotes.contains(&place.text);
            // What several options begin with is mended only where it is nearly one of them.
            let least = if is_ambiguous {
                6
            } else if lists || is_quoted {
                2
            } else {
                3
            };
            place.index > 0
                && place.text.chars().count() >= least
                && !place.text.contains('/')
                && names_alone(&line.text, run, place)
        };
        // `hots=localhost`: what stands before the sign is the name.
        let is_value_of_named = |run: &Run<'_>, place: &Place| {
            all.iter().any(|(other, option)| {
                std::ptr::eq(other.command, run.command)
                    && option.index == place.index
                    && option.text.starts_with('-')
                    && !option.text.contains('=')
                    && *option.text != place.text
                    && named(other, option)
            })
        };
        let mut hit = all.iter().filter(|(run, place)| named(run, place) && !is_value_of_named(run, place));
        if let Some(first) = hit.next() {
            // `unknown command "lst" for "gh pr"`: the last word named of one run is the wrong one.
            let mut in_same_run = hit.filter(|(run, _)| std::ptr::eq(run.command, first.0.command));
            let (run, place) = in_same_run.next_back().unwrap_or(first);
            return Some((*run, place.clone()));
        }
        // argparse of some programs names only the kind of the word: then it is the first word that is none of those listed.
        if line.text.contains("Invalid choice") && !said[index..].is_empty() {
            let listed = tokens_below(&said[index + 1..]);
            let unlisted = |(_, place): &&(Run<'_>, Place)| {
                place.index > 0 && !place.text.starts_with('-') && !listed.contains(&place.text)
            };
            if let Some((run, place)) = all.iter().find(|found| {
                unlisted(found) && nearest(&found.1.text, listed.iter().map(String::as_str)).is_some()
            }) {
                return Some((*run, place.clone()));
            }
        }
    }
    None
}

/// Some programs only print how they are used: then the wrong word is the one that is near to a word of that, and is
/// itself none of them.
fn unlisted_in_usage<'a>(case: &'a Case<'_>, said: &[Line]) -> Option<(Run<'a>, Place)> {
    let mut first = said.iter().filter(|line| !line.text.is_empty()).take(3);
    let usage = |line: &&Line| line.text.to_ascii_lowercase().starts_with("usage:");
    // A complaint may stand above it.
    let is_usage = first
        .next()
        .is_some_and(|line| usage(&line) || is_misuse(&line.text) && first.any(|line| usage(&line)));
    if !is_usage || case.failure.exit_code == Some(0) {
        return None;
    }
    let all = places(case);
    let mut wrong = all.into_iter().filter(|(run, place)| {
        // Only words of some length: everything is near to a short one.
        let length = place.text.chars().count();
        if place.index == 0 || length < 3 || names(&case.everything, &place.text) {
            return false;
        }
        let mut pool = listed(case, said, run, place);
        if length == 3 {
            pool.retain(|word| word.len() == 4 && !place.text.starts_with('-'));
            return near_in(&place.text, pool.iter().map(String::as_str)).is_some();
        }
        near_in(&place.text, pool.iter().map(String::as_str).chain(known(run, place)))
            .or_else(|| near_in(&place.text, in_manual(case, run, place).iter().map(String::as_str)))
            .is_some()
    });
    wrong.next().filter(|_| wrong.next().is_none())
}

/// A program that was used wrongly and does not say which word is at fault.
fn is_misuse(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    [
        "invalid syntax",
        "syntax error",
        "bad usage",
        "unrecognized arguments",
        "invalid argument",
        "wrong number",
    ]
    .iter()
    .any(|cue| line.contains(cue))
}

/// `git-foo` and `swift-biuld`: many programs run a sub-command as a program of that name.
fn names_alone(line: &str, run: &Run<'_>, place: &Place) -> bool {
    names(line, &place.text) || place.index == 1 && names(line, &format!("{}-{}", run.program(), place.text))
}

fn near_in<'a>(typed: &str, pool: impl Iterator<Item = &'a str>) -> Option<String> {
    let dashes: String = typed.chars().take_while(|c| *c == '-').collect();
    let bare = &typed[dashes.len()..];
    // `--output-file` is not `--output`: an option that loses a whole word of its name is another one.
    let shorter = |word: &&str| {
        let rest = typed.strip_prefix(word.trim_start_matches('-')).or_else(|| typed.strip_prefix(*word));
        !(typed.starts_with('-') && rest.is_some_and(|rest| rest.starts_with('-')))
    };
    let whole: Vec<&str> = pool.filter(shorter).collect();
    // `--name` where the program knows `-name`, and `-oneline` where it knows `--oneline`.
    let other = whole.iter().find(|word| word.starts_with('-') && word.trim_start_matches('-') == bare);
    if let Some(other) = other.filter(|_| bare.len() > 2 && !dashes.is_empty() && !whole.contains(&typed)) {
        return Some((*other).to_owned());
    }
    let pool: Vec<&str> = whole
        .iter()
        .copied()
        .filter(|word| word.starts_with('-') != dashes.is_empty() || !dashes.is_empty())
        .map(|word| word.trim_start_matches('-'))
        .filter(|word| !word.is_empty())
        .collect();
    // Known after all: something else is wrong.
    if pool.contains(&bare) {
        return None;
    }
    let near = match bare.len() {
        2 => sole_with_one_more(bare, pool)?,
        _ if dashes.is_empty() => nearest(bare, pool)?,
        _ => nearest(bare, pool.iter().copied()).or_else(|| near_beginning(bare, &pool))?,
    };
    let as_typed = format!("{dashes}{near}");
    let own = whole.iter().find(|word| word.starts_with('-') && word.trim_start_matches('-') == near);
    Some(match own {
        Some(own) if !whole.contains(&as_typed.as_str()) => (*own).to_owned(),
        _ => as_typed,
    })
}

/// `--numric` for `--numeric-sort`: options are known by their beginning alone, and a slip in that is one of theirs.
fn near_beginning<'a>(typed: &str, pool: &[&'a str]) -> Option<&'a str> {
    if typed.len() < 5 {
        return None;
    }
    let of = |word: &'a str| word.match_indices('-').map(move |(at, _)| &word[..at]);
    let begins = nearest(typed, pool.iter().flat_map(|word| of(word)))?;
    if begins.matches('-').count() != typed.matches('-').count() {
        return None;
    }
    let mut words = pool.iter().filter(|word| of(word).any(|beginning| beginning == begins));
    words.next().filter(|first| words.all(|word| word == *first)).copied()
}

/// Every word that the message lists as known.
fn listed(case: &Case<'_>, said: &[Line], run: &Run<'_>, place: &Place) -> Vec<String> {
    let Some(list) = LIST.as_ref() else { return Vec::new() };
    let mut words = Vec::new();
    for (index, line) in said.iter().enumerate() {
        if let Some(hit) = list.find(&line.text) {
            let rest = line.text[hit.end()..].trim_matches(|c: char| ":. ".contains(c));
            let on_line = tokens(rest);
            if on_line.is_empty() {
                words.extend(tokens_below(&said[index + 1..]));
            } else {
                words.extend(on_line);
            }
        }
        words.extend(in_usage(&line.text, run, place));
        words.extend(choices(&line.text));
    }
    if place.text.starts_with('-') {
        words.extend(options(&case.everything));
    }
    words.retain(|word| *word != place.text);
    words
}

/// `{setup,compile,test}` and `(init | list | set)`: what a usage text gives to choose from.
fn choices(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find(['{', '(']) {
        let close = if rest[open..].starts_with('{') { '}' } else { ')' };
        let inside = &rest[open + 1..];
        let Some(end) = inside.find(close) else { break };
        let sign = if close == '}' && !inside[..end].contains('|') { ',' } else { '|' };
        let items: Vec<&str> = inside[..end].split(sign).map(str::trim).collect();
        let is_word = |item: &&str| {
            item.starts_with(|c: char| c.is_ascii_lowercase())
                && item.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c))
        };
        if items.len() > 2 && items.iter().all(is_word) {
            words.extend(items.into_iter().map(str::to_owned));
        }
        rest = &inside[end + 1..];
    }
    words
}

/// `add` of `usage: git remote add <name>`, for a run of `git remote …`.
fn in_usage(line: &str, run: &Run<'_>, place: &Place) -> Option<String> {
    let line = line.trim_start();
    let usage = line
        .strip_prefix("usage:")
        .or_else(|| line.strip_prefix("Usage:"))
        .or_else(|| line.strip_prefix("or:"));
    let usage = usage.map(str::trim_start).or_else(|| line.starts_with(run.program()).then_some(line))?;
    let mut words = usage.split_whitespace();
    if words.next()? != run.program() {
        return None;
    }
    let before = run.args().iter().take(place.index - 1).filter_map(text);
    for word in before.filter(|word| !word.starts_with('-')) {
        if words.next()? != word {
            return None;
        }
    }
    let next = words.find(|word| !word.starts_with('[') && !word.ends_with(']') && *word != "|")?;
    next.chars().all(|c| c.is_ascii_lowercase() || c == '-').then(|| next.to_owned())
}

/// Words of a list on one line.
fn tokens(rest: &str) -> Vec<String> {
    let quoted = quoted(rest);
    if !quoted.is_empty() {
        return quoted;
    }
    let clean = |word: &str| {
        word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '+')))
            .trim_end_matches('.')
            .to_owned()
    };
    rest.split(|c: char| c.is_whitespace() || ",|;{}()[]".contains(c))
        .map(clean)
        .filter(|word| !word.is_empty())
        .collect()
}

/// First words of the lines below, with columns and bullets looked through; ends at the second gap.
fn tokens_below(below: &[Line]) -> Vec<String> {
    let mut words = Vec::new();
    for line in below
        .iter()
        .skip_while(|line| line.text.is_empty())
        .take_while(|line| !line.text.is_empty())
        .take(400)
    {
        for column in line.text.split(['|', ',']) {
            let column = column.trim().trim_start_matches(['*', '•', '>']).trim_start();
            let column = column.strip_prefix("- ").unwrap_or(column);
            let word = column.split_whitespace().next().unwrap_or_default();
            let word = word.trim_matches(|c: char| matches!(c, '\'' | '"' | '`' | ':' | ';' | '(' | ')'));
            if !word.is_empty() {
                words.push(word.to_owned());
            }
        }
    }
    words
}

/// Long options anywhere in a usage text, `--[no-]name` as `--name`.
fn options(said: &str) -> Vec<String> {
    let split = said.split(|c: char| c.is_whitespace() || ",;()<>|'\"`{}".contains(c));
    let options = split.filter_map(|piece| {
        let start = piece.find("--")?;
        let option = piece[start..].replacen("--[no-]", "--", 1);
        let end = option.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(option.len());
        (end > 3).then(|| option[..end].to_owned())
    });
    options.collect()
}

/// The program with the sub-commands before `place`, level by level: a sub-command stands right behind its own path, an
/// option may belong to any level above it.
fn levels<'a>(run: &Run<'a>, place: &Place) -> Vec<Vec<&'a str>> {
    let program = run.program();
    let before = run.args().iter().take(place.index - 1).filter_map(text);
    let words = before.filter(|word| !word.starts_with('-'));
    // `python3 -m pip` is pip.
    let is_module = program.starts_with("python") && run.args().first().and_then(text) == Some("-m");
    let path: Vec<&str> = std::iter::once(program).chain(words).skip(usize::from(is_module)).collect();
    let own = if place.text.starts_with('-') { 1 } else { path.len() };
    (own..=path.len()).map(|length| path[..length].to_vec()).collect()
}

/// Sub-commands or long options that are known of the program.
fn known(run: &Run<'_>, place: &Place) -> Vec<&'static str> {
    let mut words = known_to_risk(run, place);
    let option = place.text.starts_with('-');
    words.extend(
        levels(run, place)
            .iter()
            .flat_map(|path| vocabulary::words(&path.join(" ")).iter().copied())
            .filter(|word| word.starts_with('-') == option),
    );
    words
}

/// Sub-commands or long options that the machine's own manual names: the programs that are here say it best.
fn in_manual(case: &Case<'_>, run: &Run<'_>, place: &Place) -> Vec<String> {
    // What is run by its path may be anybody's, whatever its name is.
    if run.head().raw.contains('/') {
        return Vec::new();
    }
    let option = place.text.starts_with('-');
    let pages = levels(run, place).into_iter().map(|path| path.join("-"));
    pages.flat_map(|page| case.machine.manual(&page)).filter(|word| word.starts_with('-') == option).collect()
}

/// As [`known`], of what is known of the program for judging its risk.
fn known_to_risk(run: &Run<'_>, place: &Place) -> Vec<&'static str> {
    let Some(mut entry) = knowledge::program(run.program()) else { return Vec::new() };
    let before = run.args().iter().take(place.index - 1).filter_map(text);
    let mut flags: Vec<&'static str> = Vec::new();
    for word in before.filter(|word| !word.starts_with('-')) {
        match entry.sub_command(word) {
            Some(sub) => {
                flags.extend(flag_names(entry));
                entry = sub;
            }
            None if place.text.starts_with('-') => {}
            None => return Vec::new(),
        }
    }
    if place.text.starts_with("--") {
        flags.extend(flag_names(entry));
        return flags;
    }
    if place.text.starts_with('-') {
        return Vec::new();
    }
    entry
        .sub
        .iter()
        .flat_map(|(name, sub)| std::iter::once(name.as_str()).chain(sub.aliases.iter().map(String::as_str)))
        .collect()
}

fn flag_names(entry: &'static Entry) -> impl Iterator<Item = &'static str> {
    entry
        .flags
        .list
        .iter()
        .flat_map(|flag| flag.names.iter().map(String::as_str))
        .filter(|name| name.starts_with("--"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_usage_text_gives_to_choose_from_is_read() {
        assert_eq!(choices("usage: x (init | list | set) [-q]"), ["init", "list", "set"]);
        assert_eq!(choices("  {a,b-c,d}"), ["a", "b-c", "d"]);
        assert_eq!(choices("f(x, y) {NAME,OTHER,THIRD} (see | the manual)"), Vec::<String>::new());
    }

    #[test]
    fn an_option_is_near_by_its_beginning_too() {
        let near = |typed: &str, pool: &[&str]| near_in(typed, pool.iter().copied());
        assert_eq!(near("--numric", &["--numeric-sort", "--reverse"]).as_deref(), Some("--numeric-sort"));
        assert_eq!(near("--output-x", &["--output-watch-events"]), None);
        assert_eq!(near("--excudle", &["--exclude-dir", "--exclude-from"]), None);
        assert_eq!(near("--headr", &["-header", "-list"]).as_deref(), Some("-header"));
        assert_eq!(near("-headr", &["-header", "-list"]).as_deref(), Some("-header"));
    }

    #[test]
    fn the_patterns_can_be_read() {
        assert!(WRONG.is_some() && LIST.is_some());
    }
}
