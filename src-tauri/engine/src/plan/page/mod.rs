//! A page read as a careful person would: which of its blocks are the way, which are ways that exclude each other, and which are
//! for other systems, about something else, or nothing to run. Pure: a [`Document`] and a [`Machine`] in, a [`Reading`] out; runs
//! nothing, fetches nothing, and says of each block which words decided.

mod again;
mod cell;
mod choice;
mod content;
mod decide;
mod enter;
mod file;
mod inline;
mod inside;
mod likeness;
mod machine;
mod needed;
mod obtained;
mod outline;
mod packages;
#[cfg(test)]
mod page_tests;
mod pending;
mod phrase;
pub mod placeholder;
mod prompt;
mod purpose;
mod replaced;
mod shape;
mod synopsis;
mod told;
mod verdict;
mod words;

use std::collections::HashSet;
use std::ops::Range;

use planwright_page::{BlockKind, Document};

use crate::protocol::Readiness;
use cell::{Cell, Matter, cells, within_folder};
pub(in crate::plan) use likeness::command_words;
use verdict::Aside;

pub use choice::{Choice, Way};
pub use file::FileMode;
pub use machine::Machine;
pub use shape::{Typed, transcript_of as transcript};
pub use verdict::Role;

/// When the server is ready that a command starts; `None` where the command starts no known server.
pub fn served_on(command: &str) -> Option<Readiness> {
    words::words().served_on(command)
}

/// Whether a command's words are a call that gets packages.
pub(in crate::plan) fn installs(command: &[&str]) -> bool {
    words::words().installs(command)
}

/// A page with the role of each of its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// In the order of the page.
    pub units: Vec<Unit>,
    pub choices: Vec<Choice>,
    /// What the page tells its reader to replace by something of their own.
    pub replaced: Vec<String>,
}

/// Consecutive lines of a block with one role, or one thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Place of its block on the page.
    pub block: usize,
    pub section: usize,
    /// Bytes of the source.
    pub range: Range<usize>,
    pub role: Role,
    /// The words that decided; empty where nothing spoke against running it.
    pub why: String,
    pub act: Act,
    /// Headings and labels it stands under, outermost first.
    pub headings: Vec<String>,
    /// What the page says before it.
    pub prose: String,
    /// The sentence that leads to it.
    pub lead: String,
    pub expected: Option<String>,
    /// A comment of ours before it, which says what a page cannot show.
    pub comment: Option<String>,
    /// The ways that it is part of: the choice and the way.
    pub ways: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Commands as typed; `whole`: a script that is still to be split.
    Shell {
        typed: Vec<Typed>,
        whole: bool,
    },
    File {
        path: String,
        mode: FileMode,
        content: String,
    },
    Manual {
        instruction: String,
    },
    /// Shown, and nothing to do.
    Shown {
        text: String,
    },
}

impl Unit {
    pub fn is_taken(&self) -> bool {
        self.role.is_taken()
    }
}

/// Reads a page for a machine.
pub fn read(document: &Document, machine: &Machine) -> Reading {
    let spots = outline::outline(document);
    let mut cells = cells(document, &spots, machine);
    if cells.iter().any(Cell::is_step) {
        // A page that says of its blocks what they are leaves nothing to weigh.
        return units(&cells, Vec::new(), Vec::new());
    }
    let title = title_words(document);
    purpose::settle(document, &mut cells);
    purpose::set_uses_aside(document, &mut cells, machine);
    again::drop_said_again(&mut cells);
    purpose::set_later_aside(document, &mut cells);
    content::ask_for_empty(&mut cells);
    needed::keep(&mut cells, machine, &title);
    let mut choices = choice::choices(&cells, machine, &title, &sections_of_ways(document));
    take_ways(&mut cells, &choices, machine);
    let same = choice::choices_of_same(&cells, machine);
    take_ways(&mut cells, &same, machine);
    choices.extend(same);
    promote(&mut cells);
    // What is the way only because nothing else is may be one thing twice, too.
    let promoted = choice::choices_of_same(&cells, machine);
    take_ways(&mut cells, &promoted, machine);
    choices.extend(promoted);
    follow_files(&mut cells);
    again::drop_told_again(&mut cells);
    again::drop_variants(&mut cells);
    again::drop_repeated(&mut cells);
    again::drop_got_again(&mut cells);
    again::drop_cloned_again(&mut cells);
    again::drop_written_again(&mut cells);
    drop_unused_settings(&mut cells);
    place_files(&mut cells);
    units(&cells, choices, replaced::told_to_replace(document))
}

fn title_words(document: &Document) -> HashSet<String> {
    let title = document.title.clone().unwrap_or_default();
    title
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '.'))
        .filter(|word| word.chars().count() > 1)
        .map(str::to_lowercase)
        .collect()
}

/// Sections of which the page says that what follows are several ways.
fn sections_of_ways(document: &Document) -> HashSet<usize> {
    let says = |block: &planwright_page::Block| match &block.kind {
        BlockKind::Prose { text, .. } => words::words().lead("several", text).is_some(),
        _ => false,
    };
    document.blocks().filter(|(_, block)| says(block)).map(|(section, _)| section).collect()
}

/// What uses a file that is not written is left out with it.
fn follow_files(cells: &mut [Cell<'_>]) {
    let mut left: Vec<(usize, String, verdict::Verdict)> = Vec::new();
    for cell in cells.iter_mut() {
        match &cell.matter {
            Matter::File { path, .. } => {
                let written = cell.verdict.as_ref().is_none_or(|verdict| verdict.role == Role::File);
                left.retain(|(section, known, _)| known != path && *section == cell.section);
                if let (false, Some(verdict)) = (written, &cell.verdict) {
                    left.push((cell.section, path.clone(), verdict.clone()));
                }
            }
            Matter::Typed(typed) if cell.verdict.is_none() => {
                let starts = obtained::starts_composition(&typed.text);
                let found = left.iter().find(|(section, path, _)| {
                    *section == cell.section
                        && (typed.text.contains(path.as_str()) || starts && obtained::is_composition(path))
                });
                let verdict = found.map(|(_, _, verdict)| verdict.clone());
                cell.judge(verdict);
            }
            Matter::Typed(_) | Matter::Manual(_) | Matter::Shown(_) => {}
        }
    }
}

fn take_ways(cells: &mut [Cell<'_>], choices: &[Choice], machine: &Machine) {
    for choice in choices {
        // "You can also get it by X": where X is what is left, nothing is optional in it.
        let chosen = &choice.ways[choice.chosen];
        if chosen.unfit.is_none() && !chosen.cells.iter().any(|cell| cells[*cell].is_taken()) {
            for cell in &chosen.cells {
                let one = &mut cells[*cell];
                if verdict::of_scopes(&one.scopes, machine).is_none() {
                    one.unsay(|verdict| verdict.role == Role::Optional);
                }
            }
        }
        for (place, way) in choice.ways.iter().enumerate() {
            if place == choice.chosen {
                continue;
            }
            for cell in &way.cells {
                let why = match &way.unfit {
                    Some(unfit) => unfit.clone(),
                    None => format!(
                        "\u{201c}{}\u{201d} is taken instead: {}",
                        choice.ways[choice.chosen].name, choice.decided
                    ),
                };
                let verdict = verdict::Verdict { role: Role::Alternative, aside: None, why };
                let one = &mut cells[*cell];
                let stays = one
                    .verdict
                    .as_ref()
                    .is_some_and(|known| !(known.role.is_taken() || known.role == Role::Optional));
                if !stays {
                    one.judge(Some(verdict));
                }
            }
        }
    }
}

/// Where nothing is left as the way, what comes nearest to it is.
fn promote(cells: &mut [Cell<'_>]) {
    let is_taken = |cell: &Cell<'_>| {
        !cell.hinted
            && match &cell.verdict {
                None => true,
                Some(verdict) => matches!(verdict.role, Role::Run | Role::File),
            }
            && !matches!(cell.matter, Matter::Manual(_) | Matter::Shown(_))
    };
    if cells.iter().any(is_taken) {
        // A step of a list in which others are taken is a step.
        let list = |cell: &Cell<'_>| match cell.scopes.last().map(|scope| &scope.key) {
            Some(outline::Key::Item { list, ordered: true, .. }) => Some(*list),
            _ => None,
        };
        let lists: HashSet<u32> = cells.iter().filter(|cell| is_taken(cell)).filter_map(list).collect();
        let is_aside = |cell: &Cell<'_>| !list(cell).is_some_and(|list| lists.contains(&list));
        let hinted = cells.iter_mut().filter(|cell| cell.hinted && cell.verdict.is_none() && is_aside(cell));
        return hinted.for_each(|cell| {
            cell.judge(Some(verdict::Verdict {
                role: Role::Optional,
                aside: None,
                why: "it is named in a sentence".to_owned(),
            }));
        });
    }
    if cells.iter().any(|cell| cell.hinted && cell.verdict.is_none()) {
        return;
    }
    let grades: [fn(&verdict::Verdict) -> bool; 5] = [
        |verdict| verdict.role == Role::Optional,
        |verdict| verdict.aside == Some(Aside::Contributing),
        |verdict| verdict.aside == Some(Aside::Reference),
        |verdict| verdict.aside == Some(Aside::Upgrade),
        |verdict| verdict.aside == Some(Aside::Troubleshooting),
    ];
    for grade in grades {
        let mut any = false;
        for cell in cells.iter_mut() {
            if matches!(cell.matter, Matter::Shown(_)) {
                continue;
            }
            if cell.verdict.as_ref().is_some_and(grade) {
                cell.unsay(grade);
                any |=
                    cell.verdict.is_none() && matches!(cell.matter, Matter::Typed(_) | Matter::File { .. });
            }
        }
        if any {
            return;
        }
    }
}

/// A block of nothing but `NAME=value` whose names no command uses shows what stands in a file.
fn drop_unused_settings(cells: &mut [Cell<'_>]) {
    let is_setting = |line: &str| {
        let line = line.split(" #").next().unwrap_or_default().trim();
        line.is_empty() || likeness::is_assignment(line) && is_value_alone(line)
    };
    for place in 0..cells.len() {
        let text = cells[place].shell_text();
        if text.trim().is_empty() || !cells[place].is_step_of_way() || !text.lines().all(is_setting) {
            continue;
        }
        let names: Vec<&str> = text.lines().filter_map(|line| Some(line.trim().split_once('=')?.0)).collect();
        let spot = cells[place].spot;
        let mut block = cells.iter().filter(|cell| cell.spot == spot);
        let is_alone = block.all(|cell| cell.shell_text().lines().all(is_setting));
        let uses = |cell: &Cell<'_>, name: &str| {
            let text = cell.typed_text();
            text.contains(&format!("${name}")) || text.contains(&format!("${{{name}"))
        };
        let is_used = cells[place + 1..].iter().any(|cell| names.iter().any(|name| uses(cell, name)));
        if is_alone && !is_used {
            let why = "it sets what no command here uses".to_owned();
            cells[place].judge(Some(verdict::Verdict { role: Role::Optional, aside: None, why }));
        }
    }
}

/// `NAME=value`, `NAME="two words"`, `NAME=(a b)` with no command behind.
fn is_value_alone(line: &str) -> bool {
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    let is_quoted = ["\"\"", "''", "()"].iter().any(|pair| {
        let inside = value.strip_prefix(&pair[..1]).and_then(|rest| rest.strip_suffix(&pair[1..]));
        inside.is_some_and(|inside| !inside.contains(&pair[1..]))
    });
    !line.contains("$(") && (is_quoted || !value.contains(char::is_whitespace))
}

/// A file's path is relative to where the commands before it have gone.
fn place_files(cells: &mut [Cell<'_>]) {
    let mut folder: Option<String> = None;
    for cell in cells.iter_mut() {
        if !cell.is_taken() {
            continue;
        }
        match &mut cell.matter {
            Matter::Typed(typed) => {
                for line in typed.text.lines().flat_map(|line| line.split("&&")) {
                    if let ["cd", to] = command_words(line).as_slice() {
                        folder = to
                            .trim_end_matches('/')
                            .rsplit('/')
                            .next()
                            .filter(|name| *name != "..")
                            .map(str::to_owned);
                    }
                }
            }
            Matter::File { path, .. } => *path = within_folder(path, folder.as_deref()),
            Matter::Manual(_) | Matter::Shown(_) => {}
        }
    }
}

fn units(cells: &[Cell<'_>], choices: Vec<Choice>, replaced: Vec<String>) -> Reading {
    let mut units: Vec<Unit> = Vec::new();
    let mut previous: Option<&Cell<'_>> = None;
    let entered = enter::folders_to_enter(cells);
    let back = enter::ways_back(cells);
    let mut ways_of: Vec<Vec<(usize, usize)>> = vec![Vec::new(); cells.len()];
    for (choice, one) in choices.iter().enumerate() {
        for (way, each) in one.ways.iter().enumerate() {
            each.cells.iter().for_each(|cell| ways_of[*cell].push((choice, way)));
        }
    }
    for ((place, cell), ways) in cells.iter().enumerate().zip(ways_of) {
        let enters = entered.get(&place).map(|name| enter::entering(cell, name));
        let returns = back.get(&place).map(|command| enter::going_back(cell, command));
        let (role, why) = match &cell.verdict {
            Some(verdict) => (verdict.role, verdict.why.clone()),
            None => (default_role(cell), decided_by(cell)),
        };
        let joins = previous.is_some_and(|last| {
            last.spot == cell.spot
                && !cell.inline
                && !last.inline
                && last.verdict == cell.verdict
                && matches!((&last.matter, &cell.matter), (Matter::Typed(_), Matter::Typed(_)))
        });
        if joins
            && let Some(last) = units.last_mut().filter(|last| last.ways == ways)
            && let (Act::Shell { typed, .. }, Matter::Typed(one)) = (&mut last.act, &cell.matter)
        {
            typed.push(one.clone());
            typed.extend(enters);
            last.range.end = last.range.end.max(cell.range.end);
            previous = Some(cell);
            continue;
        }
        units.push(unit(cell, role, why, ways));
        if let Some(Act::Shell { typed, .. }) = units.last_mut().map(|unit| &mut unit.act) {
            typed.splice(0..0, returns);
            typed.extend(enters);
        }
        previous = Some(cell);
    }
    for unit in &mut units {
        if let Act::Shell { typed, .. } = &unit.act {
            unit.expected =
                typed.last().map(|last| last.shown.join("\n")).filter(|text| !text.trim().is_empty());
        }
    }
    Reading { units, choices, replaced }
}

fn default_role(cell: &Cell<'_>) -> Role {
    match &cell.matter {
        Matter::Typed(_) => Role::Run,
        Matter::File { .. } => Role::File,
        Matter::Manual(_) => Role::Manual,
        Matter::Shown(_) => Role::OtherLanguage,
    }
}

fn decided_by(cell: &Cell<'_>) -> String {
    match &cell.lead {
        Some(lead) if !lead.text.is_empty() => {
            format!(
                "\u{201c}{}\u{201d}",
                verdict::shortened(outline::sentences(&lead.text).last().copied().unwrap_or_default())
            )
        }
        _ => cell
            .scopes
            .last()
            .map(|scope| format!("\u{201c}{}\u{201d}", scope.text.trim()))
            .unwrap_or_default(),
    }
}

fn unit(cell: &Cell<'_>, role: Role, why: String, ways: Vec<(usize, usize)>) -> Unit {
    let act = match &cell.matter {
        Matter::Typed(typed) => Act::Shell { typed: vec![typed.clone()], whole: cell.whole },
        Matter::File { path, mode, content } => {
            Act::File { path: path.clone(), mode: *mode, content: content.clone() }
        }
        Matter::Manual(instruction) => Act::Manual { instruction: instruction.clone() },
        Matter::Shown(text) => Act::Shown { text: text.clone() },
    };
    Unit {
        block: cell.spot,
        section: cell.section,
        range: cell.range.clone(),
        role,
        why,
        act,
        headings: cell
            .scopes
            .iter()
            .filter(|scope| matches!(scope.key, outline::Key::Section(_) | outline::Key::Tab { .. }))
            .map(|scope| scope.text.clone())
            .collect(),
        prose: cell.prose.clone(),
        lead: cell.lead.as_ref().map(|lead| lead.text.clone()).unwrap_or_default(),
        expected: None,
        comment: cell.comment.map(str::to_owned),
        ways,
    }
}
