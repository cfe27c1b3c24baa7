//! Which of several ways is taken: what the machine is and has decides, then what the page recommends, then the order.

use super::cell::{Cell, Matter};
use super::choice::{Child, Choice, Way, counts};
use super::likeness::command_words;
use super::machine::{Fit, Machine};
use super::obtained::is_composition;
use super::verdict::{self, Role};
use super::words::words;

/// Which way is taken, and what decided.
pub(super) fn decide(name: String, group: Vec<Child>, cells: &[Cell<'_>], machine: &Machine) -> Choice {
    let judged: Vec<Judged> =
        group.iter().enumerate().map(|(order, child)| Judged::of(child, order, cells, machine)).collect();
    let chosen = (0..judged.len()).max_by_key(|place| judged[*place].rank()).unwrap_or(0);
    let best = &judged[chosen];
    let others: Vec<&Judged> =
        judged.iter().enumerate().filter(|(place, _)| *place != chosen).map(|(_, one)| one).collect();
    let decided = if others.iter().all(|one| one.unfit.is_some())
        || others.iter().any(|one| one.fit < best.fit && one.unfit.is_none()) && best.fit > Fit::Family
    {
        format!("this is {}", machine.named())
    } else if others.iter().all(|one| one.available < best.available) {
        match &best.program {
            Some(program) if machine.has(program) => format!("{program} is on this machine"),
            _ => "the others need what this machine lacks".to_owned(),
        }
    } else if best.recommended {
        "the page recommends it".to_owned()
    } else {
        "it is the first that the page shows".to_owned()
    };
    let ways = group
        .into_iter()
        .zip(&judged)
        .map(|(child, judged)| Way { name: child.name, cells: child.cells, unfit: judged.unfit.clone() })
        .collect();
    Choice { name, ways, chosen, decided }
}

struct Judged {
    unfit: Option<String>,
    development: bool,
    discouraged: bool,
    fit: Fit,
    available: u8,
    /// It uses an archive that nothing of the page gets.
    lacks: bool,
    recommended: bool,
    program: Option<String>,
    order: usize,
}

impl Judged {
    fn of(child: &Child, order: usize, cells: &[Cell<'_>], machine: &Machine) -> Self {
        let named = verdict::system(&child.name, machine, false);
        let live: Vec<&Cell<'_>> =
            child.cells.iter().map(|place| &cells[*place]).filter(|cell| counts(cell)).collect();
        let foreign = live
            .iter()
            .all(|cell| cell.verdict.as_ref().is_some_and(|verdict| verdict.role == Role::OtherSystem));
        let fit = named.as_ref().map_or(Fit::Family, |(fit, _)| *fit);
        let unfit = if fit == Fit::Not {
            named.map(|(_, said)| format!("it is for {said}"))
        } else if foreign {
            live.iter()
                .find_map(|cell| cell.verdict.as_ref())
                .map(|verdict| verdict.why.clone())
                .or_else(|| Some("it has no command for this machine".to_owned()))
        } else {
            None
        };
        let said = |cell: &Cell<'_>| cell.lead.as_ref().map(|lead| lead.text.clone()).unwrap_or_default();
        let text = format!("{} {}", child.name, live.first().map(|cell| said(cell)).unwrap_or_default());
        let mut available = 2;
        let mut program = None;
        for cell in &live {
            // What says which containers run together is of use to one program alone.
            let text = match &cell.matter {
                Matter::File { path, .. } if is_composition(path) => "docker compose up",
                _ => cell.typed_text(),
            };
            for line in text.lines() {
                let typed = command_words(line);
                let Some(manager) = words().manager_of(&typed) else { continue };
                let name = typed.first().copied().unwrap_or_default();
                let here = machine.has(name)
                    || native(manager.name.as_str(), machine)
                    || matches!(name, "python" | "python3") && manager.obtainable;
                let level = if here { 2 } else { u8::from(manager.obtainable) };
                if level < available || program.is_none() {
                    program = Some(name.to_owned());
                }
                available = available.min(level);
            }
        }
        Self {
            unfit,
            development: words().lead("development", &child.name).is_some()
                || live.iter().all(|cell| is_development(cell)),
            discouraged: words().lead("discouraged", &text).is_some(),
            fit,
            available,
            lacks: child.cells.iter().any(|place| lacks_file(cells, *place)),
            recommended: words().lead("recommended", &text).is_some()
                && words().lead("discouraged", &text).is_none(),
            program,
            order,
        }
    }

    fn rank(&self) -> (bool, bool, bool, bool, bool, u8, Fit, bool, std::cmp::Reverse<usize>) {
        let usable = self.unfit.is_none();
        // What the machine lacks is no way; between having it and getting it the page's word goes first.
        (
            usable,
            // What is written for this very version is meant for here, whatever is said in it.
            self.fit == Fit::ExactVersion,
            !self.development,
            !self.discouraged,
            !self.lacks,
            self.available,
            self.fit,
            self.recommended,
            std::cmp::Reverse(self.order),
        )
    }
}

/// Whether a command takes an archive from the folder that no command before it has named.
fn lacks_file(cells: &[Cell<'_>], place: usize) -> bool {
    const ARCHIVES: [&str; 8] = [".jar", ".war", ".deb", ".rpm", ".tar.gz", ".tgz", ".tar.xz", ".zip"];
    let text = cells[place].shell_text();
    // Ruby's own list of what a project needs: a page for everyone has none.
    if matches!(text.trim(), "bundle" | "bundle install") {
        let has_list = |cell: &Cell<'_>| {
            cell.is_taken() && cell.typed_text().contains("bundle init")
                || cell.shell_text().contains("git clone")
                || matches!(&cell.matter, Matter::File { path, .. } if path.ends_with("Gemfile"))
        };
        return !cells[..place].iter().any(has_list);
    }
    if !counts(&cells[place]) || text.contains("://") || text.contains('*') {
        return false;
    }
    let named = text.split_whitespace().find(|word| ARCHIVES.iter().any(|end| word.ends_with(end)));
    let Some(name) = named.and_then(|word| word.rsplit('/').next()) else { return false };
    // Another command that takes it from there gets it no more than this one.
    let takes = |text: &str| {
        text.split_whitespace()
            .any(|word| matches!(word, "apt" | "apt-get" | "dpkg" | "dnf" | "rpm" | "tar" | "unzip"))
    };
    let gets = |cell: &Cell<'_>| {
        let text = cell.shell_text();
        text.contains("://") || text.contains(name) && !takes(text)
    };
    !cells[..place].iter().any(gets)
}

fn native(manager: &str, machine: &Machine) -> bool {
    manager == "apt" && (machine.id == "debian" || machine.like.iter().any(|like| like == "debian"))
}

fn is_development(cell: &Cell<'_>) -> bool {
    let text = cell.typed_text();
    text.contains(" --pre ")
        || cell.scopes.iter().any(|scope| words().lead("development", &scope.text).is_some())
}
