//! What the page's way cannot do without, whatever one word of a heading or a sentence says of it: what makes a folder or a file
//! that a later step uses, what gets the page's own subject, what ends a build that has begun.

use std::collections::HashSet;

use super::cell::{Cell, Matter};
use super::likeness::command_words;
use super::machine::Machine;
use super::obtained::Obtained;
use super::verdict::{self, Aside, Role, Verdict};
use super::words::words;

/// Takes back what speaks too weakly against a command that the rest needs. `title`: words of the page's title.
pub(super) fn keep(cells: &mut [Cell<'_>], machine: &Machine, title: &HashSet<String>) {
    keep_what_is_used(cells);
    keep_the_subject(cells, machine, title);
    keep_what_enters(cells);
}

fn is_weak(verdict: &Verdict) -> bool {
    match verdict.role {
        Role::Optional => true,
        Role::Aside => matches!(verdict.aside, Some(Aside::Reference | Aside::Contributing)),
        _ => false,
    }
}

/// From behind, for what is kept may need something itself.
fn keep_what_is_used(cells: &mut [Cell<'_>]) {
    let made: Vec<Vec<String>> = cells.iter().map(|cell| made_by(cell.shell_text())).collect();
    for place in (0..cells.len()).rev() {
        let is_left = cells[place].verdict.as_ref().is_some_and(is_weak) && !cells[place].inline;
        if !is_left || made[place].is_empty() {
            continue;
        }
        let is_needed = made[place].iter().any(|name| {
            let user = (place + 1..cells.len()).find(|at| {
                cells[*at].is_step_of_way()
                    && cells[*at].spot != cells[place].spot
                    && uses(cells[*at].typed_text(), name)
            });
            user.is_some_and(|user| {
                let makes = |at: usize| at != place && cells[at].is_step_of_way() && made[at].contains(name);
                let writes =
                    |at: usize| matches!(&cells[at].matter, Matter::File { path, .. } if path == name);
                !(0..=user).any(|at| makes(at) || writes(at))
            })
        });
        if is_needed {
            let (spot, section) = (cells[place].spot, cells[place].section);
            let within = |cell: &Cell<'_>| {
                let Matter::File { path, .. } = &cell.matter else { return false };
                cell.section == section
                    && made[place].iter().any(|folder| path.starts_with(&format!("{folder}/")))
            };
            let goes_along = |cell: &&mut Cell<'_>| cell.spot == spot || within(cell);
            cells.iter_mut().filter(goes_along).for_each(|cell| cell.unsay(is_weak));
        }
    }
}

/// The block that goes into what was cloned goes on with it.
fn keep_what_enters(cells: &mut [Cell<'_>]) {
    let mut cloned: Vec<String> = Vec::new();
    let mut entered: Vec<usize> = Vec::new();
    for cell in cells.iter() {
        let text = cell.shell_text();
        if text.contains("git clone") && cell.is_step_of_way() {
            cloned.extend(made_by(text));
        }
        let ["cd", to] = command_words(text)[..] else { continue };
        let to = to.trim_end_matches('/').trim_start_matches("./");
        let Some(at) = cloned.iter().position(|name| name == to) else { continue };
        cloned.remove(at);
        if !cell.inline && cell.verdict.as_ref().is_some_and(is_weak) {
            entered.push(cell.spot);
        }
    }
    cells.iter_mut().filter(|cell| entered.contains(&cell.spot)).for_each(|cell| cell.unsay(is_weak));
}

/// A condition in a sentence does not take away what the page is about, nor the end of what was begun.
fn keep_the_subject(cells: &mut [Cell<'_>], machine: &Machine, title: &HashSet<String>) {
    let mut got: HashSet<String> = HashSet::new();
    let mut built: HashSet<String> = HashSet::new();
    let names = |cell: &Cell<'_>| Obtained::of(cell.shell_text()).map(|one| one.names).unwrap_or_default();
    let taken = cells.iter().filter(|cell| cell.is_step_of_way());
    got.extend(taken.flat_map(names));
    for cell in cells.iter_mut() {
        let typed: Vec<String> = command_words(cell.shell_text()).into_iter().map(str::to_owned).collect();
        let Some(program) = typed.first().filter(|program| words().builds.contains(*program)) else {
            let is_subject = names(cell).iter().any(|name| title.contains(name));
            let is_left = cell.verdict.as_ref().is_some_and(|verdict| verdict.role == Role::Optional);
            let is_said = is_left && verdict::of_scopes(&cell.scopes, machine).is_none() && !cell.inline;
            if is_subject && is_said && names(cell).is_disjoint(&got) {
                cell.unsay(|verdict| verdict.role == Role::Optional);
                got.extend(names(cell));
            }
            continue;
        };
        if cell.verdict.is_none() {
            built.insert(program.clone());
        } else if built.contains(program)
            && typed.iter().any(|word| word.trim_start_matches('-') == "install")
            && verdict::of_scopes(&cell.scopes, machine).is_none()
        {
            cell.unsay(|verdict| verdict.role == Role::Optional);
        }
    }
}

/// Folders and files that a command makes, as it names them.
pub(super) fn made_by(command: &str) -> Vec<String> {
    let mut made = Vec::new();
    for part in command.lines().flat_map(|line| line.split(['|', ';', '&'])) {
        let typed = command_words(part);
        let Some((program, rest)) = typed.split_first() else { continue };
        let operands: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
        match *program {
            "mkdir" | "touch" | "tee" => made.extend(operands.iter().map(|name| (*name).to_owned())),
            "cp" | "mv" | "ln" if operands.len() > 1 => {
                made.extend(operands.last().map(|name| (*name).to_owned()))
            }
            "git" if rest.first() == Some(&"clone") => {
                let last = operands.last().copied().unwrap_or_default();
                let name = last.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                made.push(if last.contains("://") {
                    name.trim_end_matches(".git").to_owned()
                } else {
                    last.to_owned()
                });
            }
            "python" | "python3" if rest.get(1) == Some(&"venv") => {
                made.extend(rest.last().map(|name| (*name).to_owned()))
            }
            _ => {}
        }
        let all: Vec<&str> = part.split_whitespace().collect();
        for pair in all.windows(2) {
            if matches!(pair[0], ">" | ">>" | "-O" | "-o" | "--output" | "-out") {
                made.push(pair[1].to_owned());
            }
        }
    }
    let clean = |name: String| {
        name.trim_matches(['"', '\'']).trim_start_matches("./").trim_end_matches('/').to_owned()
    };
    let made = made.into_iter().map(clean);
    made.filter(|name| name.len() > 1 && !name.contains(['$', '<', '*', '{']) && !name.starts_with("/dev/"))
        .collect()
}

/// Whether a command changes something, so that it is not there only to be looked at.
pub(super) fn makes_something(command: &str) -> bool {
    let typed = command_words(command);
    let verbs = typed.iter().take(3).any(|word| words().makes.contains(*word));
    let builds = typed.first().is_some_and(|program| words().builds.contains(*program));
    !made_by(command).is_empty() || verbs || builds || words().installs(&typed)
}

pub(super) fn uses(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        before.is_none_or(|sign| sign.is_whitespace() || "/=\"':,(".contains(sign))
            && behind.is_none_or(|sign| sign.is_whitespace() || "/\"':;,)&|".contains(sign))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_makes() {
        for (command, made) in [
            ("mkdir -p site/src/", &["site/src"][..]),
            ("git clone https://host/a/tool.git && cd tool", &["tool"]),
            ("git clone https://host/a/tool.git ./kit", &["kit"]),
            ("echo a > \"notes.txt\"", &["notes.txt"]),
            ("wget https://host/x -O x.conf", &["x.conf"]),
            ("ls -l > /dev/null", &[]),
        ] {
            assert_eq!(made_by(command), made, "{command}");
        }
        assert!(makes_something("bundle init") && !makes_something("ls -l"));
        assert!(uses("build: ./site/src/", "site/src") && !uses("website/srcs", "site/src"));
    }
}
