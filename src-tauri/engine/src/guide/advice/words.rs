//! One word for another, as the program itself proposes: "did you mean", "the most similar command is", "use … instead".

use std::sync::LazyLock;

use planwright_shell::Span;
use regex::Regex;

use super::super::case::{Case, Run, text};
use super::super::near::{differ_in_numbers_only, nearest};
use super::super::template::quote;
use super::said::{Line, Place, names, places};
use super::{Offer, checks, pattern};
use crate::knowledge;

/// Whether a proposed word can have been meant by a typed one.
type Fits = fn(&str, &str) -> bool;

/// Words after which a program names what it takes for meant.
static MEANT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:\b(?:did|do) you (?:perhaps |maybe |really |possibly )?(?:mean|intend)(?: to (?:say|type|use|run|call|write))?",
        r"|\bdid you want",
        r"|\b(?:maybe|perhaps|possibly|probably) you (?:meant|mean|wanted|want)(?: to (?:use|run))?",
        r"|\byou (?:might|may|probably|could|perhaps|possibly) (?:have )?(?:meant|mean|want(?:ed)?)",
        r"|\bsimilar(?:ly)?(?: named)?(?: [a-z-]+)?(?: names?)?(?: (?:is|are|exists?|include|found))?",
        r"|\bcandidates (?:are|include)",
        r"|\b(?:closest|nearest|best|possible) match(?:es)?(?: is| are)?)",
        r#"(?: (?:this|one of these|one of|any of these|either|the following|the|options?|commands?|choices|perhaps))*(?: to ['"`][^'"`\n]+['"`] (?:is|are))?\s*[?:]?"#,
    ))
});

/// Words between which a program names what has taken the place of something. The group is the new one.
static INSTEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const NEW: &str = r#"(?:the )?(?:new |option |command |flag )?([`'"][^`'"\n]{1,80}[`'"]|--?[a-zA-Z][a-zA-Z0-9=-]*|[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*){0,3}?)"#;
    let kinds = [
        format!(
            r"\b(?:use|try|run|specify|prefer|pass|with) {NEW}(?: (?:option|command|flag|argument|switch|sub-?command))?,? instead"
        ),
        format!(r"\binstead(?:,|, please| please| you (?:can|should))? (?:use|try|run) {NEW}(?:[.,;!)]|$)"),
        format!(
            r"\b(?:replaced|superseded) (?:by|with) {NEW}(?:[.,;:!)]|$| (?:option|command|flag|in|since|and|which))"
        ),
        format!(r"\b(?:renamed|changed|moved) (?:to|as|into) {NEW}(?:[.,;!)]|$| (?:in|since|and))"),
        format!(r"\bin favou?r of {NEW}(?:[.,;!)]|$| (?:option|command|flag|in|since|and))"),
        format!(
            r"\b(?:deprecated|obsolete|removed|no longer [a-z]+|not supported)[^\n]{{0,60}}?\b(?:use|try) {NEW}(?:[.,;!)]|$| (?:option|command|flag|instead))"
        ),
        format!(r"\bis now(?: called| known as)? {NEW}(?:[.,;!)]|$)"),
    ];
    pattern(&format!("(?i)(?:{})", kinds.join("|")))
});

pub(super) fn offers(case: &Case<'_>, said: &[Line]) -> Vec<Offer> {
    let mut offers = meant(case, said, plausible);
    if offers.is_empty() {
        offers.extend(instead(case, said));
    }
    offers
}

/// Of what is said to be meant, only what the hand got wrong.
pub(super) fn slips(case: &Case<'_>, said: &[Line]) -> Vec<Offer> {
    meant(case, said, |typed, near| {
        nearest(typed.trim_start_matches('-'), [near.trim_start_matches('-')]).is_some()
    })
}

fn meant(case: &Case<'_>, said: &[Line], fits: Fits) -> Vec<Offer> {
    let Some(cue) = MEANT.as_ref() else { return Vec::new() };
    let mut found: Vec<(usize, Offer)> = Vec::new();
    for (index, line) in said.iter().enumerate() {
        let Some(hit) = cue.find(&line.text) else { continue };
        let before = said[index.saturating_sub(5)..index].iter().map(|line| line.text.as_str());
        let mut around: String = before.collect::<Vec<_>>().join("\n");
        around.push('\n');
        around.push_str(&line.text[..hit.start()]);
        // `unknown flag x (a similar one is y)` names the wrong word before, `is y similar to x` after.
        around.push_str(&line.text[hit.end()..]);
        for candidate in candidates(&line.text[hit.end()..], &said[index + 1..], line.indent) {
            if let Some((distance, swap)) = swap(case, &around, &candidate, fits)
                && !found.iter().any(|(_, other)| other.command == swap.command)
            {
                found.push((distance, swap));
            }
        }
    }
    // The nearest first; among equals the program's own order.
    found.sort_by_key(|(distance, _)| *distance);
    let tie = found.len() > 1 && found[0].0 == found[1].0;
    let mut offers: Vec<Offer> = found.into_iter().map(|(_, offer)| offer).collect();
    if let Some(first) = offers.first_mut().filter(|_| tie) {
        first.confidence = 0.6;
    }
    offers
}

/// What is named after a cue: on the rest of its line, or else on the lines below it.
fn candidates(rest: &str, below: &[Line], indent: usize) -> Vec<String> {
    let rest = rest.trim().trim_matches(|c: char| ":?(),.".contains(c)).trim();
    if !rest.is_empty() {
        let quoted = quoted(rest);
        return if quoted.is_empty() { listed(rest) } else { quoted };
    }
    let mut found = Vec::new();
    let lines = below.iter().skip_while(|line| line.text.is_empty());
    for line in lines.take_while(|line| !line.text.is_empty()).take(12) {
        if !found.is_empty() && line.indent < indent {
            break;
        }
        let quoted = quoted(&line.text);
        if let Some(first) = quoted.into_iter().next() {
            found.push(first);
            continue;
        }
        let plain = line.text.trim_start_matches(['*', '-', '•', '>']).trim_start();
        let plain = if line.text.starts_with("--") { &line.text } else { plain };
        let end = [" # ", "  ", "\t", " - ", " – ", ": "].iter().filter_map(|sign| plain.find(sign)).min();
        let word = plain[..end.unwrap_or(plain.len())].trim_end_matches(['?', '.', ',', ')', ':']);
        if !word.is_empty() && word.split_whitespace().count() <= 5 {
            found.push(word.to_owned());
        }
    }
    found
}

/// `'a', 'b'` → a, b. A quote inside a word (`doesn't`) opens nothing.
pub(super) fn quoted(text: &str) -> Vec<String> {
    quoted_at(text).into_iter().map(|(_, inside)| inside).collect()
}

/// As [`quoted`], with the place of each opening quote.
pub(super) fn quoted_at(text: &str) -> Vec<(usize, String)> {
    let is_quote = |c: char| matches!(c, '\'' | '"' | '`');
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find(is_quote).map(|at| from + at) {
        let glued = text[..open].chars().next_back().is_some_and(char::is_alphanumeric);
        let inside = open + 1;
        // A command in one kind of quotes may have the others in it.
        let same = |c: char| text[open..].starts_with(c) || text[open..].starts_with('`') && c == '\'';
        match (!glued).then(|| text[inside..].find(same)).flatten() {
            Some(length) if length > 0 => {
                found.push((open, text[inside..inside + length].trim().to_owned()));
                from = inside + length + 1;
            }
            _ => from = inside,
        }
    }
    found
}

/// `a, b or c?` → a, b, c. Prose is left alone but for the options in it.
fn listed(rest: &str) -> Vec<String> {
    let sentence = rest.split(['?', ')']).next().unwrap_or(rest).trim();
    let items: Vec<&str> = sentence
        .split([',', ';'])
        .flat_map(|piece| piece.split(" or "))
        .map(|item| item.trim().trim_end_matches('.').trim_start_matches("or "))
        .filter(|item| !item.is_empty())
        .collect();
    if items.iter().all(|item| item.split_whitespace().count() <= 4) {
        return items.into_iter().map(str::to_owned).collect();
    }
    let options = rest.split_whitespace().filter(|word| word.starts_with('-') && word.len() > 1);
    options.map(|word| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned()).collect()
}

/// The command with the word that `around` complains about replaced by `candidate`, and how far apart they are.
fn swap(case: &Case<'_>, around: &str, candidate: &str, fits: Fits) -> Option<(usize, Offer)> {
    let words: Vec<&str> = candidate.split_whitespace().collect();
    match words.as_slice() {
        [] => None,
        [word] => swap_word(case, around, word, fits),
        several => swap_phrase(case, around, several, fits),
    }
}

fn swap_word(case: &Case<'_>, around: &str, candidate: &str, fits: Fits) -> Option<(usize, Offer)> {
    let all = places(case);
    // `-Wa,` and `--name=` want more behind them, which nobody has said.
    if candidate.ends_with([',', '=']) {
        return None;
    }
    let fitting = all.iter().filter(|(run, place)| {
        let part_of_option = candidate.contains('=') && !place.text.contains('=');
        place.text != candidate
            && !part_of_option
            && !is_known(run, &place.text)
            && names(around, &place.text)
            && fits(&place.text, candidate)
    });
    let Some((run, place)) = fitting.min_by_key(|(_, place)| distance(&place.text, candidate)) else {
        return swap_within(case, around, candidate, fits);
    };
    // `Unrecognized option "colr"`: the program names options without their dashes.
    let dashes: String = place.text.chars().take_while(|c| *c == '-').collect();
    let near = if candidate.starts_with('-') || dashes.is_empty() {
        candidate.to_owned()
    } else {
        format!("{dashes}{candidate}")
    };
    if place.index == 0 && !runs_here(case, &near) {
        return None;
    }
    let offer = replacing(case, run, place, place.span, &near)?;
    Some((distance(&place.text, candidate), offer))
}

/// The same for a name inside of an argument, as in `psql -c "select nmae from users"`: where it stands once and nowhere else.
fn swap_within(case: &Case<'_>, around: &str, candidate: &str, fits: Fits) -> Option<(usize, Offer)> {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
    // `users.name`, where the name alone was written.
    let near = candidate.rsplit('.').next().filter(|near| near.chars().all(is_part))?;
    let mut found: Vec<(Run<'_>, Span, String)> = Vec::new();
    for run in case.runs() {
        for word in run.args().iter().filter(|word| word.raw.contains(|sign| !is_part(sign) && sign != '-')) {
            let tokens =
                word.raw.split(|sign| !is_part(sign)).filter(|token| token.len() > 2 && *token != near);
            for token in tokens.filter(|token| names(around, token) && fits(token, near)) {
                let at = token.as_ptr() as usize - word.raw.as_ptr() as usize;
                let start = word.span.start + u32::try_from(at).unwrap_or(u32::MAX);
                let end = start + u32::try_from(token.len()).unwrap_or_default();
                found.push((run, Span { start, end }, token.to_owned()));
            }
        }
    }
    let [(run, span, typed)] = found.as_slice() else { return None };
    let place = Place { text: typed.clone(), span: *span, index: 1 };
    if !checks::keeps_direction(typed, near) {
        return None;
    }
    Some((distance(typed, near), changed(case, run, &place, near, near)?))
}

/// `npm run test` for `npm run tset`: the words up to the wrong one are replaced, those behind it stay.
fn swap_phrase(case: &Case<'_>, around: &str, phrase: &[&str], fits: Fits) -> Option<(usize, Offer)> {
    for run in case.runs() {
        let new = match phrase.split_first() {
            Some((program, rest)) if *program == run.program() => rest,
            _ => phrase,
        };
        let args = run.args();
        let wrong = args.iter().enumerate().filter_map(|(at, word)| {
            let typed = text(word)?;
            let near = new.iter().filter(|new| **new != typed && fits(typed, new));
            let near = near.min_by_key(|near| distance(typed, near))?;
            let wrong = !new.contains(&typed) && !is_known(&run, typed) && names(around, typed);
            wrong.then_some((at, typed, *near))
        });
        let Some((at, typed, near)) = wrong.min_by_key(|(_, typed, near)| distance(typed, near)) else {
            continue;
        };
        // What stands before the wrong word has to be in the phrase too: dropping `run` means something else.
        if !args[..at].iter().all(|word| text(word).is_some_and(|word| new.contains(&word))) {
            continue;
        }
        let span = Span { start: args[0].span.start, end: args[at].span.end };
        let place = Place { text: typed.to_owned(), span, index: at + 1 };
        if !checks::keeps_direction(typed, near) {
            continue;
        }
        // A phrase that goes on behind the wrong word as the command does is the whole command, not its beginning.
        let behind: Vec<&str> = args[at + 1..].iter().filter_map(text).collect();
        let shared = (1..=behind.len().min(new.len())).rev().find(|many| new.ends_with(&behind[..*many]));
        let new = &new[..new.len() - shared.unwrap_or(0)];
        let words: Vec<String> = new.iter().map(|word| quote(word)).collect();
        let offer = changed(case, &run, &place, &words.join(" "), &phrase.join(" "))?;
        return Some((distance(typed, near), offer));
    }
    None
}

fn instead(case: &Case<'_>, said: &[Line]) -> Vec<Offer> {
    let Some(cue) = INSTEAD.as_ref() else { return Vec::new() };
    for (index, line) in said.iter().enumerate() {
        // Sentences run over two lines.
        let next = said.get(index + 1).map_or("", |next| next.text.as_str());
        let sentence = format!("{} {next}", line.text);
        let Some(groups) = cue.captures(&sentence) else { continue };
        let Some(new) = groups.iter().skip(1).flatten().next() else { continue };
        let new = new.as_str().trim_matches(['`', '\'', '"']).trim().to_owned();
        let start = index.saturating_sub(2);
        let around = said[start..=index].iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        let found = in_place_of(case, &format!("{around} {next}"), &new);
        if let Some(offer) = found {
            return vec![offer];
        }
    }
    Vec::new()
}

fn in_place_of(case: &Case<'_>, around: &str, new: &str) -> Option<Offer> {
    if checks::has_gap(new) {
        return None;
    }
    let words: Vec<&str> = new.split_whitespace().collect();
    let all = places(case);
    let named = |place: &Place| names(around, &place.text) && !words.contains(&place.text.as_str());
    let option = words.first()?.starts_with('-');
    let (run, place) = if let Some((run, _)) =
        all.iter().find(|(run, place)| place.index == 0 && words.len() > 1 && run.program() == words[0])
    {
        // `docker scout` for `docker scan`: the sub-command goes.
        let sub = all.iter().find(|(other, place)| {
            place.index > 0
                && std::ptr::eq(other.command, run.command)
                && !place.text.starts_with('-')
                && named(place)
        })?;
        let direct = run.args().first().and_then(text) == Some(&sub.1.text);
        return direct.then(|| replacing(case, run, &sub.1, sub.1.span, &words[1..].join(" "))).flatten();
    } else if option {
        let mut options = all.iter().filter(|(_, place)| place.text.starts_with('-') && named(place));
        options.next().filter(|_| options.next().is_none())?
    } else {
        let mut others = all.iter().filter(|(_, place)| !place.text.starts_with('-') && named(place));
        let first = others.next()?;
        let sole = others.next().is_none();
        let replaces_program = first.1.index == 0 && runs_here(case, words[0]);
        let replaces_sub = first.1.index == 1 && words.len() == 1 && sole;
        (replaces_program || replaces_sub).then_some(first)?
    };
    let mut offer = replacing(case, run, place, place.span, new)?;
    offer.confidence = 0.85;
    offer.reason = format!("The program says that {} has taken the place of {}.", new, place.text);
    Some(offer)
}

fn replacing(case: &Case<'_>, run: &Run<'_>, place: &Place, span: Span, near: &str) -> Option<Offer> {
    if !checks::keeps_direction(&place.text, near) {
        return None;
    }
    let words: Vec<String> = near.split_whitespace().map(quote).collect();
    changed(case, run, &Place { span, ..place.clone() }, &words.join(" "), near)
}

fn changed(case: &Case<'_>, run: &Run<'_>, place: &Place, new: &str, near: &str) -> Option<Offer> {
    let asked: Vec<&str> = run.command.words.iter().filter_map(text).collect();
    let mut proposed = vec![run.program()];
    proposed.extend(near.split_whitespace());
    if checks::is_more_forceful(&asked, &proposed) {
        return None;
    }
    let command = case.splice(&[(place.span, new)])?;
    let reason =
        format!("{} does not know {}, and says itself that {near} is near to it.", run.program(), place.text);
    Some(Offer::changed(command, reason, 0.92))
}

/// Whether the program has a sub-command of this name: then something else is wrong than its letters.
fn is_known(run: &Run<'_>, typed: &str) -> bool {
    knowledge::program(run.program()).is_some_and(|entry| entry.sub_command(typed).is_some())
}

/// Whether the shell would find `name`.
fn runs_here(case: &Case<'_>, name: &str) -> bool {
    name.split_whitespace()
        .next()
        .is_some_and(|name| case.has_program(name) || super::super::repair::is_builtin(name))
}

pub(super) fn distance(typed: &str, near: &str) -> usize {
    let bare = |word: &str| word.trim_start_matches('-').to_lowercase();
    strsim::osa_distance(&bare(typed), &bare(near))
}

/// Whether `near` can have been meant by `typed`: programs also propose what only shares a few letters.
fn plausible(typed: &str, near: &str) -> bool {
    let typed_bare = typed.trim_start_matches('-').to_lowercase();
    let near_bare = near.trim_start_matches('-').to_lowercase();
    let (length, longest) =
        (typed_bare.chars().count(), typed_bare.chars().count().max(near_bare.chars().count()));
    if length < 2 || differ_in_numbers_only(&typed_bare, &near_bare) {
        // `-amend` for `--amend` differs in its dashes alone.
        return typed_bare == near_bare && typed != near;
    }
    // `--output-file` is not `--output`: an option that loses a whole word of its name is another one.
    let lost = typed_bare.strip_prefix(&near_bare).filter(|_| typed.starts_with('-'));
    if lost.is_some_and(|rest| rest.starts_with(['-', '_'])) {
        return false;
    }
    // `feature` is there as `origin/feature`.
    if near_bare.strip_suffix(&typed_bare).is_some_and(|front| front.ends_with('/')) {
        return true;
    }
    let distance = strsim::osa_distance(&typed_bare, &near_bare);
    let grown = length >= 3
        && (near_bare.starts_with(&typed_bare) || typed_bare.starts_with(&near_bare) && near_bare.len() >= 3);
    distance <= (longest / 3).max(1) || grown || strsim::jaro_winkler(&typed_bare, &near_bare) >= 0.87
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_can_be_read() {
        assert!(MEANT.is_some() && INSTEAD.is_some());
    }

    #[test]
    fn quotes_of_every_program_are_read_and_apostrophes_are_not() {
        assert_eq!(quoted("'a', \"b\" or `c'"), ["a", "b", "c"]);
        assert_eq!(quoted("doesn't know 'x'"), ["x"]);
        assert_eq!(listed("one, two or three?)"), ["one", "two", "three"]);
        assert_eq!(listed("to pass the new --fast option to the tool"), ["--fast"]);
    }
}
