//! What headings, labels and sentences say of the block that they lead to: for another system, only on some condition, about
//! something other than the page's way. Each verdict carries the words that decided.

use std::collections::HashSet;

use super::machine::{Fit, Machine};
use super::outline::{Key, Lead, Scope, in_steps, is_label, sentences};
use super::words::{Mention, words};

/// What a block is for; exactly one a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Run,
    File,
    Manual,
    Alternative,
    Optional,
    /// What the page shows besides its way: uninstalling, upgrading, trouble, contributing, use.
    Aside,
    OtherSystem,
    Output,
    OtherLanguage,
    Unreadable,
}

impl Role {
    /// Whether what has it is to be done.
    pub fn is_taken(self) -> bool {
        matches!(self, Self::Run | Self::File | Self::Manual)
    }
}

/// Of an aside: what about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Aside {
    Reference,
    Contributing,
    Upgrade,
    Troubleshooting,
    Uninstall,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) role: Role,
    pub(super) aside: Option<Aside>,
    pub(super) why: String,
}

impl Verdict {
    fn new(role: Role, why: String) -> Self {
        Self { role, aside: None, why }
    }

    fn aside(aside: Aside, why: String) -> Self {
        Self { role: Role::Aside, aside: Some(aside), why }
    }
}

const HEADINGS: [(&str, Role, Option<Aside>); 7] = [
    ("uninstall", Role::Aside, Some(Aside::Uninstall)),
    ("troubleshooting", Role::Aside, Some(Aside::Troubleshooting)),
    ("upgrade", Role::Aside, Some(Aside::Upgrade)),
    ("optional", Role::Optional, None),
    ("contributing", Role::Aside, Some(Aside::Contributing)),
    ("testing", Role::Optional, None),
    ("reference", Role::Aside, Some(Aside::Reference)),
];

/// What kind of thing a heading says that its section is about; none for the page's way itself.
pub(super) fn of_heading(text: &str) -> Option<Verdict> {
    let words = words();
    if words.heading("not-aside", text).is_some() {
        return None;
    }
    let is_main = words.main.is_in(text);
    let is_recommended =
        words.lead("recommended", text).is_some() && words.lead("discouraged", text).is_none();
    for (kind, role, aside) in HEADINGS {
        let Some(found) = words.heading(kind, text) else { continue };
        let weak = matches!(aside, Some(Aside::Reference)) || kind == "testing";
        // "Using Docker" is a way.
        if weak && (is_main || super::choice::is_way(text, &HashSet::new())) {
            continue;
        }
        if is_recommended && role == Role::Optional {
            continue;
        }
        let why = format!("its heading says \u{201c}{}\u{201d} ({found})", text.trim());
        return Some(Verdict { role, aside, why });
    }
    None
}

/// The best that `text` says of this machine, with the words; none where it names no system. `strict`: only where it
/// is said that what follows is for that system.
pub(super) fn system(text: &str, machine: &Machine, strict: bool) -> Option<(Fit, String)> {
    let mentions: Vec<Mention> =
        words().systems_in(text).into_iter().filter(|one| !strict || is_addressed(text, one)).collect();
    let best = mentions.iter().map(|one| one.fit(machine)).max()?;
    let rest = mentions.iter().any(|one| one.fit(machine) == Fit::Rest);
    let (fit, shown) =
        if best >= Fit::OtherVersion && rest && strict && mentions.len() > 1 && !names_both(text) {
            // "On Debian it is so already. On other systems, run:"
            (Fit::Not, mentions.iter().find(|one| one.fit(machine) == Fit::Rest))
        } else {
            (best, mentions.iter().find(|one| one.fit(machine) == best))
        };
    Some((fit, shown.map(|one| one.text.clone()).unwrap_or_default()))
}

fn names_both(text: &str) -> bool {
    sentences(text).iter().any(|one| words().systems_in(one).len() > 1)
}

/// "On X", "for X", "X users", "if you use X", "X:".
fn is_addressed(text: &str, mention: &Mention) -> bool {
    let all = super::phrase::Words::of(text);
    let before: Vec<&str> =
        (mention.words.start.saturating_sub(4)..mention.words.start).filter_map(|at| all.get(at)).collect();
    let behind = all.get(mention.words.end).unwrap_or_default();
    let is_of_users = before.windows(2).any(|pair| matches!(pair, ["users" | "user", "of"]));
    let led = before.iter().any(|word| {
        matches!(
            *word,
            "on" | "for"
                | "in"
                | "under"
                | "using"
                | "use"
                | "running"
                | "run"
                | "with"
                | "to"
                | "have"
                | "or"
                | "and"
                | "from"
        )
    });
    let sentence =
        sentences(text).into_iter().find(|one| one.contains(mention.text.as_str())).unwrap_or(text);
    led || is_of_users
        || matches!(
            behind,
            "users" | "user" | "only" | "systems" | "machines" | "hosts" | "distributions" | "specific"
        )
        || before.is_empty()
        || is_label(sentence)
        || sentence.split_whitespace().count() <= 4
}

/// What the things say that a block stands in, from the outermost in.
pub(super) fn of_scopes(scopes: &[Scope], machine: &Machine) -> Option<Verdict> {
    let mut found: Option<Verdict> = None;
    for scope in scopes {
        let (strict, heading) = match &scope.key {
            Key::Section(_) | Key::Tab { .. } | Key::Details(_) => (false, true),
            Key::Label(_) => (false, true),
            Key::Remark(..) | Key::Item { .. } => (true, false),
            Key::Admonition(..) => (true, false),
        };
        if let Some((Fit::Not, said)) = system(&scope.text, machine, strict) {
            let why = format!(
                "it is for {said} (\u{201c}{}\u{201d}), and this is {}",
                scope.text.trim(),
                machine.named()
            );
            return Some(Verdict::new(Role::OtherSystem, why));
        }
        if let Some((said, wanted)) = other_processor(&scope.text, machine, !heading) {
            let why = format!("it is for {said} ({wanted}), and this machine is {}", machine.arch);
            return Some(Verdict::new(Role::OtherSystem, why));
        }
        let here = match &scope.key {
            Key::Section(_) | Key::Details(_) | Key::Label(_) => of_heading(&scope.text),
            Key::Tab { .. } => {
                of_heading(&scope.text).filter(|verdict| verdict.aside == Some(Aside::Uninstall))
            }
            Key::Remark(..) => of_sentence(&scope.text, machine),
            Key::Item { .. } => None,
            // What a numbered step shows in a box of its own is the step's.
            Key::Admonition(kind, _) if kind.trim().eq_ignore_ascii_case("example") && in_steps(scopes) => {
                None
            }
            Key::Admonition(kind, _) => {
                Some(Verdict::new(Role::Optional, format!("it stands in a {} beside the way", kind.trim())))
            }
        };
        // The most telling counts: an aside in an option stays an aside.
        if let Some(here) = here
            && found.as_ref().is_none_or(|known| {
                known.role < here.role || known.role == here.role && known.aside < here.aside
            })
        {
            found = Some(here);
        }
    }
    found
}

fn other_processor(text: &str, machine: &Machine, strict: bool) -> Option<(String, String)> {
    if machine.arch.is_empty() || strict && !is_label(text) {
        return None;
    }
    let named = words().processors_in(text);
    let fits = named
        .iter()
        .any(|(_, one)| one.is.iter().any(|is| machine.arch == *is || machine.arch.starts_with(is.as_str())));
    (!named.is_empty() && !fits).then(|| (named[0].0.clone(), text.trim().to_owned()))
}

/// What the paragraph before a block says of it.
pub(super) fn of_lead(lead: &Lead, machine: &Machine) -> Option<Verdict> {
    let text = without_remarks(&lead.text);
    // "Note: …" as a paragraph of its own stands beside the way and leads to nothing.
    if is_note(&text) {
        return None;
    }
    let all = sentences(&text);
    let last = *all.last()?;
    let first = all[0];
    if let Some((Fit::Not, said)) = system(last, machine, true).or_else(|| system(&text, machine, true)) {
        let why = format!(
            "\u{201c}{}\u{201d} is said for {said}, and this is {}",
            shortened(last),
            machine.named()
        );
        return Some(Verdict::new(Role::OtherSystem, why));
    }
    // "On ARM more is needed:"
    let begins = last.trim_start_matches(['*', '_', ' ']).to_lowercase();
    if (begins.starts_with("on ") || begins.starts_with("for "))
        && let Some((said, _)) = other_processor(last, machine, false)
    {
        let why = format!(
            "it is for {said} (\u{201c}{}\u{201d}), and this machine is {}",
            shortened(last),
            machine.arch
        );
        return Some(Verdict::new(Role::OtherSystem, why));
    }
    of_sentence(last, machine).or_else(|| {
        // A condition at the beginning of the paragraph holds to its end.
        let opens = words().lead("opening", first).is_some() && !std::ptr::eq(first, last);
        let turns = last.to_lowercase().starts_with("otherwise");
        (opens && !turns).then(|| of_sentence(first, machine)).flatten()
    })
}

fn is_note(text: &str) -> bool {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_mark = |word: &str| matches!(word.to_lowercase().as_str(), "note" | "tip" | "hint");
    first.ends_with(':') && is_mark(first.trim_end_matches(':')) && !text.ends_with(':')
}

/// Without what a whole remark in brackets says of something else; a short one belongs to the sentence.
fn without_remarks(text: &str) -> std::borrow::Cow<'_, str> {
    const SHORT: usize = 4;
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('(') {
        let Some(end) = closing(behind) else { break };
        let inside = &behind[..end];
        // A sentence of its own in brackets is one all the same.
        let is_within = !before.trim().is_empty() && !before.trim_end().ends_with(['.', ':', '!', '?']);
        let is_remark = is_within
            && inside.split_whitespace().count() > SHORT
            && bracketed_condition(&format!("({inside})")).is_none()
            && words().lead("optional", inside).is_none();
        kept.push_str(before);
        if !is_remark {
            kept.extend(["(", inside, ")"]);
        }
        rest = &behind[end + 1..];
    }
    match kept.is_empty() {
        true => text.into(),
        false => (kept + rest).into(),
    }
}

/// Where the bracket ends that was opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, sign)| {
        open += match sign {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (open == 0).then_some(at)
    })
}

fn of_sentence(text: &str, machine: &Machine) -> Option<Verdict> {
    let words = words();
    let said = |kind: &str| words.lead(kind, text);
    let quote = |found: &str| format!("\u{201c}{}\u{201d} ({found})", shortened(text));
    let is_for_here = system(text, machine, true).is_some_and(|(fit, _)| fit > Fit::Rest);
    // "Remove any version of before, then unpack": the sentence goes on with the way.
    let goes_on = said("then").is_some();
    if let Some(found) = said("uninstall").filter(|_| !goes_on) {
        return Some(Verdict::aside(Aside::Uninstall, quote(found)));
    }
    if let Some(found) = said("error") {
        return Some(Verdict::aside(Aside::Troubleshooting, quote(found)));
    }
    if words.heading("not-aside", text).is_none()
        && let Some(found) = said("upgrade")
    {
        return Some(Verdict::aside(Aside::Upgrade, quote(found)));
    }
    // "For development, testing and production": for everyone.
    if let Some(found) = said("contributing").filter(|_| !text.to_lowercase().contains("production")) {
        return Some(Verdict::aside(Aside::Contributing, quote(found)));
    }
    if let Some(found) = said("development") {
        return Some(Verdict::new(Role::Optional, quote(found)));
    }
    if let Some(found) = said("elsewhere") {
        return Some(Verdict::new(Role::OtherSystem, format!("it is for another machine: {}", quote(found))));
    }
    if let Some(verdict) = missing_program(text, machine) {
        return verdict;
    }
    match (said("recommended"), said("discouraged")) {
        (Some(_), None) => return None,
        (None, Some(found)) => return Some(Verdict::new(Role::Optional, quote(found))),
        (None, None) | (Some(_), Some(_)) => {}
    }
    if is_for_here || said("satisfied").is_some() {
        return None;
    }
    if let Some(found) = said("optional")
        .or_else(|| said("look"))
        .or_else(|| said("condition").filter(|_| !only_describes(text)))
        .or_else(|| bracketed_condition(text))
    {
        return Some(Verdict::new(Role::Optional, quote(found)));
    }
    None
}

/// "If X is there, it will be used": what happens then, and nothing to do for whom it is so.
fn only_describes(text: &str) -> bool {
    let text = text.trim();
    if text.ends_with([':', '：']) {
        return false;
    }
    let Some((_, clause)) = text.split_once(',') else { return false };
    let all: Vec<String> = clause.split_whitespace().take(5).map(str::to_lowercase).collect();
    let begins = all.first().is_some_and(|word| words().subjects.contains(word.as_str()));
    begins || all.iter().skip(1).any(|word| words().states.contains(word.as_str()))
}

/// "To see what it holds": said of what only looks, and of nothing that makes something.
pub(super) fn only_looks(text: &str) -> bool {
    let last = sentences(text).last().copied().unwrap_or_default();
    let said = |kind: &str| words().lead(kind, last).is_some();
    said("look")
        && !["optional", "condition", "uninstall", "error", "upgrade", "contributing"]
            .iter()
            .any(|kind| said(kind))
}

/// "If you don't have X", "if X is not installed": the machine knows.
fn missing_program(text: &str, machine: &Machine) -> Option<Option<Verdict>> {
    let lower = text.to_lowercase().replace('’', "'");
    let rest = [
        "if you don't have ",
        "if you do not have ",
        "if you haven't installed ",
        "if you have not installed ",
        "if you don't already have ",
        "if you do not already have ",
    ]
    .iter()
    .find_map(|start| lower.split_once(start).map(|(_, rest)| rest.to_owned()))?;
    let named = rest
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '.'))
        .map(|word| word.trim_end_matches('.'))
        .take(3)
        .find(|word| words().known.contains(*word))?;
    if machine.has(named) {
        let why = format!("\u{201c}{}\u{201d}: {named} is on this machine", shortened(text));
        return Some(Some(Verdict::new(Role::Optional, why)));
    }
    Some(None)
}

fn bracketed_condition(text: &str) -> Option<&str> {
    let open = text.find('(')?;
    let inside = &text[open + 1..text[open..].find(')')? + open];
    // "(or X, if you have Y)" is said of another form.
    if inside.trim_start().to_lowercase().starts_with("or ") {
        return None;
    }
    words().lead("condition", inside).or_else(|| inside.to_lowercase().contains(" if ").then_some(inside))
}

pub(super) fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(90) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text,
    }
}
