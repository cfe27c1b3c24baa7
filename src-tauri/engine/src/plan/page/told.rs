//! What sentences tell to do: commands in the middle of them, and what only a person can do.

use std::ops::Range;

use planwright_page::{Inline, InlineKind};

use super::cell::{Cell, Matter, cell};
use super::file::paths_in;
use super::inline::{Told, commands_in};
use super::likeness::Vocabulary;
use super::machine::Fit;
use super::outline::{Lead, Spot, in_steps, sentences};
use super::shape::Typed;
use super::verdict::{Role, Verdict, shortened, system};
use super::words::words;

/// First parts of paths that are the machine's.
const SYSTEM_FOLDERS: [&str; 12] =
    ["bin", "boot", "dev", "etc", "home", "lib", "mnt", "opt", "root", "srv", "usr", "var"];

/// Commands in sentences, and what only a person can do.
pub(super) fn told<'d>(
    cells: &mut Vec<Cell<'d>>,
    spot: &Spot<'d>,
    text: &str,
    inline: &[Inline],
    vocabulary: &Vocabulary<'_>,
) {
    let mut any = false;
    for Told { text: typed, range, sentence, plainly } in commands_in(text, inline, vocabulary) {
        let typed = Typed { text: typed, ..Typed::default() };
        let mut one = cell(spot, Matter::Typed(typed), range);
        one.lead = Some(Lead { text: sentence.clone(), place: spot.place, ..Lead::default() });
        one.inline = true;
        one.hinted = !plainly;
        // "On X run this. On Y, which this is, …": the sentence is not for here.
        let fit = |text: &str| system(text, vocabulary.machine, true);
        let is_named =
            sentences(text).iter().any(|other| fit(other).is_some_and(|(fit, _)| fit >= Fit::Exact));
        if let Some((Fit::Family, said)) = fit(&sentence).filter(|_| is_named) {
            let why = format!(
                "it is for {said}, and the page says something else for {}",
                vocabulary.machine.named()
            );
            one.judge(Some(Verdict { role: Role::OtherSystem, aside: None, why }));
        }
        one.prose = sentence;
        any |= plainly;
        cells.push(one);
    }
    if any {
        return;
    }
    if let Some((command, range)) = copied(text, inline) {
        let typed = Typed { text: command, ..Typed::default() };
        let mut one = cell(spot, Matter::Typed(typed), range);
        one.lead = Some(Lead { text: text.to_owned(), place: spot.place, ..Lead::default() });
        one.inline = true;
        one.prose = text.to_owned();
        return cells.push(one);
    }
    let in_step = in_steps(&spot.scopes);
    for sentence in sentences(text) {
        let found = ["login", "reboot"].iter().find_map(|kind| {
            words()
                .manual
                .get(*kind)
                .and_then(|phrases| phrases.find(sentence))
                .filter(|_| begins_with_order(sentence, in_step))
        });
        let edits = || {
            // What leads to a block is said of the block: its contents are written, or are part of what is to be done.
            if sentence.trim_end().ends_with(':') {
                return None;
            }
            let said = words().manual.get("edit").and_then(|phrases| phrases.find(sentence))?;
            let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
            let names_file = !paths_in(text, inline, start..start + sentence.len()).is_empty();
            let names_setting = inline
                .iter()
                .any(|one| one.at >= start && one.at < start + sentence.len() && is_setting(one.text.trim()));
            (names_file || names_setting).then_some(said)
        };
        let opens = || {
            let said = words().manual.get("browser").and_then(|phrases| phrases.find(sentence))?;
            in_step.then_some(said)
        };
        if let Some(said) = found.or_else(edits).or_else(opens) {
            let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
            let mut one = cell(
                spot,
                Matter::Manual(text.get(start..).unwrap_or(sentence).trim().to_owned()),
                spot.range.clone(),
            );
            one.lead = Some(Lead { text: sentence.to_owned(), place: spot.place, ..Lead::default() });
            one.judge(Some(Verdict {
                role: Role::Manual,
                aside: None,
                why: format!("\u{201c}{}\u{201d} ({said})", shortened(sentence)),
            }));
            one.inline = true;
            cells.push(one);
            return;
        }
    }
}

/// "Copy `a` to `b`": the command that does it.
fn copied(text: &str, inline: &[Inline]) -> Option<(String, Range<usize>)> {
    let mut codes = inline.iter().filter(|one| one.kind == InlineKind::Code);
    let (from, to) = (codes.next()?, codes.next()?);
    let between = text.get(from.at + from.text.len()..to.at)?.trim();
    let order = text.get(..from.at)?.trim().to_lowercase();
    let is_order = order == "copy" || order.ends_with(" copy") || order.ends_with("copy the file");
    let path = |one: &Inline| {
        let path = one.text.trim();
        let is_plain = path.chars().all(|sign| sign.is_ascii_alphanumeric() || "._-/~".contains(sign));
        // "/docker/x" of a repository is a path in it.
        let root = path.strip_prefix('/').and_then(|rest| rest.split('/').next());
        let is_of_system = root.is_some_and(|root| SYSTEM_FOLDERS.contains(&root));
        let named = if is_of_system { path } else { path.trim_start_matches('/') };
        (is_plain && named.contains(['.', '/'])).then(|| named.to_owned())
    };
    (is_order && matches!(between, "to" | "as" | "into")).then_some(())?;
    Some((format!("cp {} {}", path(from)?, path(to)?), from.range.start..to.range.end))
}

/// `DB_PASSWORD`.
fn is_setting(word: &str) -> bool {
    word.len() > 3
        && word.contains('_')
        && word.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
}

/// An order, not a remark about what happens.
fn begins_with_order(sentence: &str, in_step: bool) -> bool {
    let first = sentence
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .trim_matches(|letter: char| !letter.is_alphanumeric())
        .to_lowercase();
    let orders = matches!(
        first.as_str(),
        "log"
            | "logout"
            | "sign"
            | "reboot"
            | "restart"
            | "close"
            | "reopen"
            | "open"
            | "re-login"
            | "relogin"
            | "now"
            | "then"
            | "please"
            | "finally"
            | "next"
    );
    orders && (in_step || sentence.split_whitespace().count() <= 30)
}
