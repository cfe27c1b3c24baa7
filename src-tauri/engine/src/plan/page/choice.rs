//! Ways that exclude each other: which blocks are ways to the same end, and which way is taken. The machine decides, then what the
//! page recommends, then the order.

use std::collections::{HashMap, HashSet};

use super::cell::Cell;
use super::decide::decide;
use super::likeness::command_words;
use super::machine::Machine;
use super::obtained::same_thing;
use super::outline::{Key, is_label};
use super::packages::Getting;
use super::phrase;
use super::verdict::Role;
use super::words::{is_codename, name_words, words};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub name: String,
    pub ways: Vec<Way>,
    pub chosen: usize,
    /// What decided, for people.
    pub decided: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    pub name: String,
    /// Places among the cells.
    pub(super) cells: Vec<usize>,
    /// Why it cannot be taken here.
    pub unfit: Option<String>,
}

/// One of several things side by side that may be ways.
pub(super) struct Child {
    pub(super) name: String,
    pub(super) cells: Vec<usize>,
    labelled: bool,
    plain: bool,
    /// What the way is to, where its name says so: "Build the tool with X".
    object: Option<String>,
}

impl Child {
    pub(super) fn named(name: String, cells: Vec<usize>) -> Self {
        Self { name, cells, labelled: true, plain: false, object: None }
    }
}

/// Choices between what is still taken: the same thing got in different manners.
pub(super) fn choices_of_same(cells: &[Cell<'_>], machine: &Machine) -> Vec<Choice> {
    let groups = same_thing(cells).into_iter();
    groups.map(|group| decide(choice_name(cells, &group), group, cells, machine)).collect()
}

/// Finds the choices among the cells. `title`: words of the page's title.
/// `several`: sections of which the page says that it shows several ways.
pub(super) fn choices(
    cells: &[Cell<'_>],
    machine: &Machine,
    title: &HashSet<String>,
    several: &HashSet<usize>,
) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    for group in siblings(cells, title, several) {
        if group.len() < 2 || covered(&found, &group) {
            continue;
        }
        let name = choice_name(cells, &group);
        found.push(decide(name, group, cells, machine));
    }
    for group in said_to_be_alternatives(cells, &found) {
        if !covered(&found, &group) {
            let name = choice_name(cells, &group);
            found.push(decide(name, group, cells, machine));
        }
    }
    found
}

/// The same cells are ways of a choice already.
fn covered(found: &[Choice], group: &[Child]) -> bool {
    let same = |choice: &Choice| {
        let ways: Vec<usize> = group
            .iter()
            .filter_map(|child| {
                choice.ways.iter().position(|way| {
                    !child.cells.is_empty() && child.cells.iter().all(|cell| way.cells.contains(cell))
                })
            })
            .collect();
        let distinct: HashSet<usize> = ways.iter().copied().collect();
        distinct.len() >= 2
    };
    found.iter().any(same)
}

fn choice_name(cells: &[Cell<'_>], group: &[Child]) -> String {
    let first = group.iter().flat_map(|child| &child.cells).min().map(|place| &cells[*place]);
    let last = group.iter().flat_map(|child| &child.cells).max().map(|place| &cells[*place]);
    let (Some(first), Some(last)) = (first, last) else { return "Way".to_owned() };
    let common = first.scopes.iter().zip(&last.scopes).take_while(|(one, other)| one.key == other.key).last();
    let name = common
        .map(|(scope, _)| scope.text.trim().trim_end_matches(':').to_owned())
        .filter(|text| !text.is_empty());
    name.unwrap_or_else(|| "How to install".to_owned())
}

/// Things side by side under the same parent, of which at least two are ways.
fn siblings(cells: &[Cell<'_>], title: &HashSet<String>, several: &HashSet<usize>) -> Vec<Vec<Child>> {
    // Every parent with its children in order; a path of keys names a parent.
    let mut parents: Vec<Vec<(Key, Child)>> = Vec::new();
    let mut place_of: HashMap<Vec<Key>, usize> = HashMap::new();
    let mut child_of: HashMap<(usize, Key), usize> = HashMap::new();
    for (place, cell) in cells.iter().enumerate() {
        let mut path: Vec<Key> = Vec::new();
        let own_label = cell.lead.as_ref().filter(|lead| {
            labels(&lead.text, title) && !cell.scopes.iter().any(|scope| scope.key == Key::Label(lead.place))
        });
        let label = own_label.map(|lead| (lead.place, lead.text.as_str()));
        let above =
            || cell.lead.as_ref().and_then(|lead| lead.above.as_ref()).map(|(at, text)| (*at, text.as_str()));
        let label = label
            .or_else(|| above().filter(|(_, text)| labels(text, title)))
            .map(|(at, text)| (Key::Label(at), text.trim().trim_end_matches(':').to_owned()));
        let all = cell.scopes.iter().map(|scope| (scope.key.clone(), scope.text.clone()));
        let (outer, remark): (Vec<_>, Vec<_>) = all.partition(|(key, _)| !matches!(key, Key::Remark(..)));
        for (key, text) in outer.into_iter().chain(label).chain(remark) {
            let parent = *place_of.entry(path.clone()).or_insert_with(|| {
                parents.push(Vec::new());
                parents.len() - 1
            });
            let children = &mut parents[parent];
            let child = *child_of.entry((parent, key.clone())).or_insert_with(|| {
                let object =
                    object_of(&text).filter(|(_, rest)| is_way(rest, title)).map(|(object, _)| object);
                let is_said = matches!((path.last(), &key), (Some(Key::Section(at)), Key::Section(_)) if several.contains(at));
                let labelled =
                    matches!(key, Key::Tab { .. }) || is_said || object.is_some() || is_way(&text, title);
                let plain = matches!(key, Key::Section(_)) && words().plain.is_in(&text);
                let name = text.trim().trim_end_matches(':').to_owned();
                children.push((key.clone(), Child { name, cells: Vec::new(), labelled, plain, object }));
                children.len() - 1
            });
            children[child].1.cells.push(place);
            path.push(key);
        }
    }
    let mut groups = Vec::new();
    for children in parents {
        let mut children = children;
        label_said_ways(&mut children);
        for kind in 0..5 {
            let of_kind = children.iter().filter(|(key, _)| kind_of(key) == kind);
            match kind {
                0 => {
                    let mut tabs: Vec<u32> = of_kind
                        .clone()
                        .filter_map(
                            |(key, _)| if let Key::Tab { group, .. } = key { Some(*group) } else { None },
                        )
                        .collect();
                    tabs.dedup();
                    for wanted in tabs {
                        let group = of_kind
                            .clone()
                            .filter(|(key, _)| matches!(key, Key::Tab { group, .. } if *group == wanted));
                        groups.push(group.map(|(_, child)| copy(child)).collect());
                    }
                }
                _ => {
                    let live = |child: &Child| child.cells.iter().any(|place| counts(&cells[*place]));
                    let mut group: Vec<Child> = of_kind
                        .clone()
                        .filter(|(_, child)| child.labelled && live(child))
                        .map(|(_, child)| copy(child))
                        .collect();
                    // Ways to different things do not exclude each other.
                    let object = group.iter().find_map(|child| child.object.clone());
                    group.retain(|child| child.object.is_none() || child.object == object);
                    if kind == 1 {
                        group.extend(among_ways(
                            &of_kind.clone().map(|(_, child)| child).collect::<Vec<_>>(),
                            &live,
                        ));
                    }
                    if !group.is_empty() && kind == 1 {
                        // "Install" beside "Manual install"; what stands before "Alternative ways".
                        let other = of_kind
                            .clone()
                            .position(|(_, child)| words().lead("alternative", &child.name).is_some());
                        let first =
                            other.and_then(|at| at.checked_sub(1)).and_then(|at| of_kind.clone().nth(at));
                        let plain = || of_kind.clone().find(|(_, child)| child.plain);
                        if let Some((_, plain)) =
                            first.or_else(plain).filter(|(_, child)| !child.labelled && live(child))
                        {
                            group.insert(0, copy(plain));
                        }
                    }
                    group.sort_by_key(|child| child.cells.first().copied());
                    groups.push(group);
                }
            }
        }
    }
    groups
}

/// "With docker (recommended way)" makes ways of what stands beside it and begins alike.
fn label_said_ways(children: &mut [(Key, Child)]) {
    let begins = |name: &str| {
        let all = phrase::Words::of(name);
        all.get(0).filter(|word| words().by.contains(*word)).map(str::to_owned)
    };
    let is_said = |child: &Child| {
        words().lead("recommended", &child.name).is_some() && words().way_noun.is_in(&child.name)
    };
    let said = children.iter().find(|(key, child)| matches!(key, Key::Section(_)) && is_said(child));
    let Some(by) = said.and_then(|(_, child)| begins(&child.name)) else { return };
    for (_, child) in children.iter_mut().filter(|(key, _)| matches!(key, Key::Section(_))) {
        child.labelled |= begins(&child.name).as_ref() == Some(&by);
    }
}

/// Sections that stand among many ways, with a name and nothing else over them: "Webi" between "Docker" and "Homebrew".
fn among_ways(children: &[&Child], live: &dyn Fn(&Child) -> bool) -> Vec<Child> {
    const MANY: usize = 4;
    let places: Vec<usize> = (0..children.len()).filter(|place| children[*place].labelled).collect();
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Vec::new() };
    let between = &children[*first..=*last];
    if places.len() < MANY || places.len() * 2 < between.len() {
        return Vec::new();
    }
    let is_name = |text: &str| {
        let all = phrase::Words::of(text);
        let plain =
            (0..all.len()).filter_map(|place| all.get(place)).all(|word| !words().acts.contains(word));
        plain && (1..=2).contains(&text.split_whitespace().count()) && !words().main.is_in(text)
    };
    let others = between.iter().filter(|child| !child.labelled && is_name(&child.name) && live(child));
    others.map(|child| copy(child)).collect()
}

fn copy(child: &Child) -> Child {
    Child { name: child.name.clone(), cells: child.cells.clone(), object: child.object.clone(), ..*child }
}

pub(super) fn counts(cell: &Cell<'_>) -> bool {
    match &cell.verdict {
        None => true,
        Some(verdict) => {
            matches!(
                verdict.role,
                Role::Run | Role::File | Role::Manual | Role::OtherSystem | Role::Alternative
            ) || verdict.role == Role::Optional
        }
    }
}

fn kind_of(key: &Key) -> u8 {
    match key {
        Key::Tab { .. } => 0,
        Key::Section(_) | Key::Details(_) => 1,
        Key::Label(_) | Key::Admonition(..) => 2,
        Key::Item { .. } => 3,
        Key::Remark(..) => 4,
    }
}

/// A paragraph that can name what follows it.
fn labels(text: &str, title: &HashSet<String>) -> bool {
    let last = super::outline::sentences(text).last().map(|one| (*one).to_owned()).unwrap_or_default();
    let is_short = text.split_whitespace().count() <= 3 && !last.ends_with('.');
    (is_label(&last) || last.ends_with(':') || is_short) && is_way(&last, title)
}

/// "Install the tool with X", "Building tool from Y": what it is done to, and the rest that may name a way.
fn object_of(text: &str) -> Option<(String, &str)> {
    let all = phrase::Words::of(text);
    let table = words();
    let at =
        (1..all.len().min(5)).find(|place| all.get(*place).is_some_and(|word| table.by.contains(word)))?;
    let begins = all.get(0).is_some_and(|word| table.acts.contains(word));
    let object: Vec<&str> = (1..at)
        .filter_map(|place| all.get(place))
        .filter(|word| !matches!(*word, "the" | "a" | "an" | "your"))
        .collect();
    let names_none = object.iter().all(|word| !name_words().contains(*word) && !table.filler.contains(*word));
    let rest = &text[all.range(&(at..all.len())).start..];
    (begins && names_none && !object.is_empty()).then(|| (object.join(" "), rest))
}

/// Whether a heading or label names nothing but a way: "With pip", "Debian / Ubuntu", "Option 2".
pub(super) fn is_way(text: &str, title: &HashSet<String>) -> bool {
    let table = words();
    if table.numbered.is_in(text) {
        return true;
    }
    let named = !table.systems_in(text).is_empty() || !table.managers_in(text).is_empty();
    let development = table.lead("development", text).is_some();
    if !named && !development {
        return false;
    }
    let all = phrase::Words::of(text);
    let mut before: Option<&str> = None;
    let mut is_first_name = true;
    for place in 0..all.len() {
        let Some(word) = all.get(place) else { break };
        // "install" of "go install" names nothing.
        let is_name = !table.filler.contains(word)
            && word.split('/').all(|part| name_words().contains(part) || part.is_empty());
        if is_name && is_first_name {
            is_first_name = false;
            // "Install Docker" is a step, "Install with Docker" a way.
            // "Build manually" says how.
            if before.is_some_and(|word| table.acts.contains(word)) && !word.ends_with("ly") {
                return false;
            }
        }
        let is_number = word.chars().all(|letter| letter.is_ascii_digit() || ".+x".contains(letter));
        let fits = is_name
            || is_number
            || table.filler.contains(word)
            || title.contains(word)
            || word.len() == 1
            || word.split(['/', '-', '.']).all(|part| {
                part.is_empty()
                    || name_words().contains(part)
                    || table.filler.contains(part)
                    || title.contains(part)
            });
        if !fits && !is_codename(word) {
            return false;
        }
        before = Some(word);
    }
    true
}

/// Groups that "alternatively" or "or" joins to the one before, and the same package got by several managers of a family.
fn said_to_be_alternatives(cells: &[Cell<'_>], found: &[Choice]) -> Vec<Vec<Child>> {
    // Blocks behind the same words make one way.
    let mut runs: Vec<(usize, Vec<usize>)> = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        if !counts(cell) || cell.inline && cell.verdict.is_some() {
            continue;
        }
        let key = cell.run_key();
        match runs.last_mut() {
            Some((_, run)) if cells[run[0]].run_key() == key => run.push(place),
            _ => runs.push((place, vec![place])),
        }
    }
    let mut groups: Vec<Vec<Child>> = Vec::new();
    let mut open: Option<Vec<Child>> = None;
    for pair in 0..runs.len() {
        let run = &runs[pair].1;
        let joined = pair.checked_sub(1).map(|before| &runs[before].1).filter(|before| {
            is_near(&cells[*before.last().unwrap_or(&0)], &cells[run[0]])
                && (says_alternative(&cells[run[0]])
                    || same_package(cells, before, run)
                    || for_other_readers(&cells[before[0]], &cells[run[0]]))
                && !found.iter().any(|choice| {
                    let way_of = |cell| choice.ways.iter().position(|way| way.cells.contains(&cell));
                    matches!((way_of(run[0]), way_of(before[0])), (Some(one), Some(other)) if one != other)
                })
        });
        match joined {
            Some(before) => {
                let group = open.get_or_insert_with(|| vec![child_of(cells, before)]);
                group.push(child_of(cells, run));
            }
            None => groups.extend(open.take()),
        }
    }
    groups.extend(open.take());
    groups
}

fn child_of(cells: &[Cell<'_>], run: &[usize]) -> Child {
    let first = &cells[run[0]];
    let typed = command_words(first.typed_text());
    let manager = words().manager_of(&typed).map(|one| one.name.clone());
    let name = manager
        .unwrap_or_else(|| first.typed_text().lines().next().unwrap_or_default().chars().take(40).collect());
    Child::named(name, run.to_vec())
}

pub(super) fn is_near(before: &Cell<'_>, cell: &Cell<'_>) -> bool {
    let section = |cell: &Cell<'_>| {
        cell.scopes
            .iter()
            .rev()
            .find_map(|scope| if let Key::Section(at) = scope.key { Some(at) } else { None })
    };
    section(before) == section(cell) && cell.spot.saturating_sub(before.spot) <= 3
}

fn says_alternative(cell: &Cell<'_>) -> bool {
    let mut remarks = cell.scopes.iter().filter(|scope| matches!(scope.key, Key::Remark(..))).peekable();
    if remarks.peek().is_some() {
        return remarks.any(|remark| words().lead("alternative", &remark.text).is_some());
    }
    cell.lead.as_ref().is_some_and(|lead| {
        let all = super::outline::sentences(&lead.text);
        let said = |text: &&str| words().lead("alternative", text).is_some();
        !lead.carried && (all.last().is_some_and(said) || all.first().is_some_and(said))
    })
}

/// "If you use X", "If you use Y": one reader is one of them.
fn for_other_readers(before: &Cell<'_>, cell: &Cell<'_>) -> bool {
    let addresses = |cell: &Cell<'_>| {
        let lead = cell.lead.as_ref().filter(|lead| !lead.carried)?;
        let last = super::outline::sentences(&lead.text).last().copied()?.to_owned();
        words().lead("reader", &last).is_some().then_some(lead.place)
    };
    matches!((addresses(before), addresses(cell)), (Some(one), Some(other)) if one != other)
}

/// Both runs are one manager's call of the same family for the same package.
fn same_package(cells: &[Cell<'_>], before: &[usize], run: &[usize]) -> bool {
    let call = |run: &[usize]| match run {
        [only] => Getting::of(cells[*only].typed_text()),
        _ => None,
    };
    match (call(before), call(run)) {
        (Some(one), Some(other)) => {
            one.manager.name != other.manager.name
                && one.family().is_some_and(|family| Some(family) == other.family())
                && (one.packages == other.packages
                    || one.packages.iter().any(|package| other.packages.contains(package)))
        }
        _ => false,
    }
}
