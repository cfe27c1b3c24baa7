//! What a page is for: to get one thing and to start it once. What is about something else is set aside, what only shows how the
//! thing is used, and what comes behind the way.

use std::collections::{HashMap, HashSet};

use planwright_page::{BlockKind, Document};

use super::cell::{Cell, Matter};
use super::likeness::command_words;
use super::machine::Machine;
use super::obtained::Obtained;
use super::outline::Key;
use super::title_words;
use super::verdict::{self, Aside, Role, Verdict};
use super::words::words;

/// The title, where it names the whole page and not the first of several parts.
fn own_title(document: &Document) -> Option<&str> {
    let title = document.title.as_deref()?;
    let level = |heading: &planwright_page::Heading| heading.level;
    let headings = || document.sections.iter().filter_map(|section| section.heading.as_ref());
    let named = headings().find(|heading| heading.text == title);
    let is_part = named.is_some_and(|named| headings().filter(|one| level(one) <= level(named)).count() > 1);
    (!is_part).then_some(title)
}

/// How the page begins: "Tool is a …".
fn first_words(document: &Document) -> Vec<String> {
    let prose = document.blocks().find_map(|(_, block)| match &block.kind {
        BlockKind::Prose { text, .. } if text.split_whitespace().count() > 3 => Some(text),
        _ => None,
    });
    prose.into_iter().flat_map(|text| text.split_whitespace().take(3)).map(str::to_lowercase).collect()
}

/// What the page is about is no aside of it: a page on upgrading upgrades.
pub(super) fn settle(document: &Document, cells: &mut [Cell<'_>]) {
    let own = own_title(document).and_then(verdict::of_heading).and_then(|verdict| verdict.aside);
    let teaches = document.title.as_deref().is_some_and(|title| words().teaches.is_in(title));
    for cell in cells.iter_mut() {
        let gets_it = words()
            .manager_of(&command_words(cell.typed_text()))
            .is_some_and(|one| !one.verbs.is_empty() && one.name != "docker");
        cell.unsay(|verdict| {
            verdict.aside.is_some() && verdict.aside == own
                || verdict.aside == Some(Aside::Reference) && (teaches || gets_it)
        });
    }
}

/// On the page of a program itself its calls show how it is used: before it is installed, and outside of the page's way.
pub(super) fn set_uses_aside(document: &Document, cells: &mut [Cell<'_>], machine: &Machine) {
    set_demos_aside(cells, machine, &title_words(document));
    let teaches = document.title.as_deref().is_some_and(|title| words().teaches.is_in(title));
    let gets = |cell: &Cell<'_>, name: &str| {
        let typed = command_words(cell.typed_text());
        words().installs(&typed) && typed.contains(&name)
            || typed.iter().skip(1).any(|word| word.ends_with(&format!("/bin/{name}")))
    };
    let mut names = title_words(document);
    names.extend(first_words(document));
    // With the place from which on it is there.
    let own: Vec<(String, usize)> = names
        .into_iter()
        .filter(|name| !words().known.contains(name))
        .filter_map(|name| cells.iter().position(|cell| gets(cell, &name)).map(|place| (name, place)))
        .collect();
    if teaches || own.is_empty() {
        return;
    }
    for (place, cell) in
        cells.iter_mut().enumerate().filter(|(_, cell)| !cell.whole && cell.comment.is_none())
    {
        let Matter::Typed(typed) = &cell.matter else { continue };
        let program = command_words(&typed.text).first().map(|first| (*first).to_owned());
        let Some((_, got)) = own.iter().find(|(name, _)| Some(name) == program.as_ref()) else { continue };
        let section = cell.scopes.iter().rev().find(|scope| matches!(scope.key, Key::Section(_)));
        let in_way = section.is_none_or(|scope| words().main.is_in(&scope.text));
        if !in_way || place < *got {
            let why = "it shows how the program is used".to_owned();
            cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Reference), why }));
        }
    }
}

/// Deploying it, and what else comes behind the way, is offered where a section beside it has had the way.
pub(super) fn set_later_aside(document: &Document, cells: &mut [Cell<'_>]) {
    let said = |text: &str| words().heading("later", text).is_some();
    let title = document.title.as_deref().unwrap_or_default();
    if said(title) || words().teaches.is_in(title) {
        return;
    }
    let sections = |cell: &Cell<'_>| -> Vec<(usize, String)> {
        cell.scopes
            .iter()
            .filter_map(|scope| match scope.key {
                Key::Section(at) => Some((at, scope.text.clone())),
                _ => None,
            })
            .collect()
    };
    let mut ways: HashSet<Option<usize>> = HashSet::new();
    for cell in cells.iter_mut() {
        let within = sections(cell);
        let parent = |nth: usize| nth.checked_sub(1).map(|nth| within[nth].0);
        let later =
            within.iter().enumerate().find(|(nth, (_, text))| ways.contains(&parent(*nth)) && said(text));
        if let Some((_, (_, text))) = later {
            let why = format!("\u{201c}{}\u{201d} comes behind the way that the page has shown", text.trim());
            cell.judge(Some(Verdict { role: Role::Optional, aside: None, why }));
            continue;
        }
        let is_way = |text: &str| words().plain.is_in(text) || words().teaches.is_in(text);
        if cell.is_step_of_way() {
            ways.extend((0..within.len()).filter(|nth| is_way(&within[*nth].1)).map(parent));
        }
    }
}

/// Before a page gets anything, calls of a program that is not there show what it is like.
fn set_demos_aside(cells: &mut [Cell<'_>], machine: &Machine, title: &HashSet<String>) {
    let gets = |cell: &Cell<'_>| {
        Obtained::of(cell.shell_text()).is_some_and(|one| one.names.iter().any(|name| title.contains(name)))
    };
    if machine.programs.is_empty() {
        return;
    }
    let first = cells.iter().position(gets).unwrap_or_default();
    // Where each name is got for the first time.
    let mut got: HashMap<String, usize> = HashMap::new();
    for (place, cell) in cells.iter().enumerate() {
        let names = Obtained::of(cell.shell_text()).map(|one| one.names).unwrap_or_default();
        for name in names {
            got.entry(name).or_insert(place);
        }
    }
    for (place, cell) in cells.iter_mut().enumerate() {
        if cell.whole || cell.comment.is_some() {
            continue;
        }
        let Matter::Typed(typed) = &cell.matter else { continue };
        let Some(program) = command_words(&typed.text).first().map(|first| (*first).to_owned()) else {
            continue;
        };
        let is_name = program.starts_with(|first: char| first.is_ascii_lowercase())
            && program.chars().all(|sign| sign.is_ascii_alphanumeric() || "._-".contains(sign));
        let is_there = words().known.contains(&program) || machine.has(&program);
        let comes = place < first || got.get(&program).is_some_and(|at| place < *at);
        if comes && is_name && !is_there && machine.is_foreign(&program).is_none() {
            let why = format!("it shows how {program} is used, before the page has it");
            cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Reference), why }));
        }
    }
}
