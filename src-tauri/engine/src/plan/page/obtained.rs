//! What a command gets, by name and in any manner: a package, a repository, an image, an archive, an installer's script. Two parts
//! of a page that get the same thing in different manners are ways that exclude each other, whatever their headings say.

use std::collections::HashSet;

use super::cell::{Cell, Matter};
use super::choice::{Child, is_near};
use super::likeness::command_words;
use super::outline::{Key, Scope};
use super::packages::Getting;
use super::verdict::shortened;
use super::words::words;

/// What one command gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Obtained {
    pub(super) names: HashSet<String>,
    /// By what it is got: two commands of one manner go together.
    pub(super) manner: String,
    /// What only one running thing can have: ports of this machine, a container's name.
    pub(super) holds: HashSet<String>,
}

impl Obtained {
    /// It came with what was got before.
    fn is_unpacked(&self) -> bool {
        matches!(self.manner.as_str(), "tar" | "unzip")
    }

    /// `None` where the command gets nothing that has a name.
    pub(super) fn of(command: &str) -> Option<Self> {
        let joined = command.replace("\\\n", " ");
        let is_run = |line: &str| {
            let behind =
                line.split('|').skip(1).map(|part| command_words(part).first().copied().unwrap_or(""));
            behind.into_iter().any(|program| matches!(program, "sh" | "bash" | "zsh" | "dash"))
        };
        joined
            .lines()
            .find_map(|line| line.split(['|', ';', '&']).find_map(|part| of_part(part, is_run(line))))
    }
}

/// `is_run`: what it fetches goes to a shell.
fn of_part(part: &str, is_run: bool) -> Option<Obtained> {
    let typed = command_words(part);
    let (program, rest) = typed.split_first()?;
    let obtained = |names: Vec<String>, manner: &str| {
        let names: HashSet<String> = names.into_iter().filter(|name| is_telling(name)).collect();
        (!names.is_empty()).then(|| Obtained { names, manner: manner.to_owned(), holds: HashSet::new() })
    };
    match (*program, rest) {
        ("git", ["clone", rest @ ..]) => {
            let address = rest.iter().find(|word| is_address(word))?;
            obtained(vec![last_part(address)], "git")
        }
        // What is unpacked is not what is downloaded: the one needs the other.
        ("unzip", rest) => {
            let file = rest.iter().find(|word| word.ends_with(".zip"))?;
            obtained(vec![format!("unpacked-{}", stem(file))], "unzip")
        }
        ("tar", rest) => {
            let file = rest.iter().find(|word| word.contains(".t"))?;
            obtained(vec![format!("unpacked-{}", stem(file))], "tar")
        }
        ("java", ["-jar", file, ..]) if !file.contains(['/', '*']) => {
            obtained(vec![normal(file.rsplit_once('.').map_or(file, |(stem, _)| stem))], "java")
        }
        ("docker" | "podman" | "nerdctl", ["run" | "pull", rest @ ..]) => container(rest),
        ("go", ["install" | "get", rest @ ..]) => {
            let path = rest.iter().find(|word| word.contains('/'))?;
            let path = path.split('@').next()?.trim_end_matches("/...");
            obtained(path.split('/').skip(1).map(normal).collect(), "go")
        }
        ("curl" | "wget", rest) => {
            let address = rest.iter().find(|word| is_address(word))?;
            // What only looks at an address gets nothing.
            let keeps = is_run || *program == "wget" || rest.iter().any(|word| is_kept(word));
            if !keeps || address.contains("localhost") || address.contains("127.0.0.1") || is_key(address) {
                return None;
            }
            obtained(names_of_download(address), "download")
        }
        _ => {
            let getting = Getting::of(part)?;
            let first = getting.manager.programs.first()?;
            let manner = if getting.manager.verbs.is_empty() { return None } else { first };
            // A file or a folder is got by what came before.
            let named = getting.packages.into_iter().filter_map(|name| match name.contains("://") {
                true => Some(last_part(&name)),
                false => (!name.contains('/') && !name.starts_with('.')).then(|| normal(&name)),
            });
            obtained(named.collect(), manner)
        }
    }
}

/// Options of curl by which something is written down, or followed to where it is.
fn is_kept(word: &str) -> bool {
    word.starts_with("--output")
        || word.starts_with("--remote")
        || word.starts_with("--location")
        || word
            .strip_prefix('-')
            .is_some_and(|letters| !letters.starts_with('-') && letters.contains(['o', 'O', 'L', 'f']))
}

/// What a package is checked by is not the package.
fn is_key(address: &str) -> bool {
    let address = address.trim_matches(['"', '\'']).to_lowercase();
    let name = address.rsplit('/').next().unwrap_or_default();
    [".gpg", ".asc", ".key", ".pub", ".sig", ".sha256", ".sha512"].iter().any(|end| name.ends_with(end))
        || name.ends_with("key") && name.contains(['-', '_']) && !name.contains('.')
}

fn is_address(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    word.contains("://") || word.starts_with("git@")
}

/// The image of `docker run` or `pull`, which is the first operand, with what the container holds of the machine.
fn container(arguments: &[&str]) -> Option<Obtained> {
    let mut holds = HashSet::new();
    let mut rest = arguments.iter();
    let image = loop {
        let word = *rest.next()?;
        let Some(option) = word.strip_prefix('-') else { break word };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None if words().container_switches.contains(word) => (option, None),
            None => (option, Some(*rest.next()?)),
        };
        match (name, value) {
            ("p" | "-publish", Some(mapped)) => {
                let mapped: Vec<&str> = mapped.trim_matches(['"', '\'']).split(':').collect();
                if let [.., host, _] = mapped.as_slice() {
                    holds.insert(format!("port {host}"));
                }
            }
            ("-name", Some(name)) => drop(holds.insert(format!("container {name}"))),
            _ => {}
        }
    };
    let name = last_part(image.split(['@', '$']).next()?).split(':').next()?.to_owned();
    is_telling(&name).then(|| Obtained { names: HashSet::from([name]), manner: "image".to_owned(), holds })
}

/// The image of `docker run`.
fn operand<'w>(arguments: &[&'w str]) -> Option<&'w str> {
    let mut rest = arguments.iter();
    loop {
        let word = *rest.next()?;
        if !word.starts_with('-') {
            return Some(word);
        }
        if !word.contains('=') && !words().container_switches.contains(word) {
            rest.next();
        }
    }
}

fn last_part(path: &str) -> String {
    normal(path.trim_matches(['"', '\'']).trim_end_matches('/').rsplit('/').next().unwrap_or_default())
}

/// `tool-1.2.tar.gz` and `tool-1.2.zip` hold the same.
fn stem(archive: &str) -> String {
    let name = last_part(archive);
    let end = name.find(".tar").or_else(|| name.rfind('.')).unwrap_or(name.len());
    name[..end].to_owned()
}

fn normal(name: &str) -> String {
    let name = name.trim_matches(['"', '\'']).to_lowercase().replace('_', "-");
    let name = name.trim_end_matches(".git");
    name.to_owned()
}

/// Where a download is from and what it is called: `https://get.tool.dev`, `…/owner/tool/releases/download/v1/tool-1.2.tar.gz`.
fn names_of_download(address: &str) -> Vec<String> {
    let address = address.trim_matches(['"', '\'']);
    let path = address.split("://").nth(1).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut parts = path.split('/');
    let host = parts.next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let own_host = labels.iter().take(labels.len().saturating_sub(1)).map(|label| normal(label));
    let named = parts.map(|part| {
        let end = part.find(['-', '_', '.']).filter(|at| {
            part[at + 1..].starts_with(|sign: char| sign.is_ascii_digit() || sign == '$' || sign == 'v')
                || part[*at..].starts_with("_linux")
                || part[*at..].starts_with("-linux")
        });
        normal(&part[..end.unwrap_or(part.len())])
    });
    // `gettool.com` is where the tool is got.
    let got = labels.iter().rev().skip(1).find_map(|label| label.strip_prefix("get")).map(normal);
    own_host.chain(named).chain(got).collect()
}

/// Words of addresses that name nothing.
fn is_telling(name: &str) -> bool {
    name.len() > 1
        && !words().no_names.contains(name)
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && !name.contains(['$', '{', '<'])
}

/// Of what is still taken: parts of the page that get the same thing in different manners.
pub(super) fn same_thing(cells: &[Cell<'_>]) -> Vec<Vec<Child>> {
    let got: Vec<(usize, Obtained)> = cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.is_step_of_way() && !cell.whole && cell.comment.is_none())
        .filter_map(|(place, cell)| match &cell.matter {
            Matter::Typed(typed) => {
                Obtained::of(&typed.text).or_else(|| composed(cells, place)).map(|one| (place, one))
            }
            Matter::File { path, content, .. } if is_composition(path) => {
                of_images(content.lines().filter_map(|line| line.trim().strip_prefix("image:")))
                    .map(|one| (place, one))
            }
            _ => None,
        })
        .collect();
    let mut groups: Vec<(HashSet<String>, Vec<usize>)> = Vec::new();
    for (place, one) in &got {
        let same = groups.iter_mut().find(|(names, places)| {
            let other = |at: &usize| got.iter().find(|(place, _)| place == at).map(|(_, other)| other);
            let differs = |at: &usize| other(at).is_some_and(|other| other.manner != one.manner);
            // The second could not start beside the first.
            let collides = |at: &usize| other(at).is_some_and(|other| !other.holds.is_disjoint(&one.holds));
            (!names.is_disjoint(&one.names) && places.iter().all(|at| differs(at) || collides(at))
                || places.iter().all(collides))
                && !places.iter().any(|at| goes_on(cells, *at, *place))
        });
        match same {
            Some((names, places)) => {
                let both: HashSet<String> = names.intersection(&one.names).cloned().collect();
                if !both.is_empty() {
                    *names = both;
                }
                places.push(*place);
            }
            None => groups.push((one.names.clone(), vec![*place])),
        }
    }
    groups
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .filter_map(|(_, places)| ways(cells, &places))
        .collect()
}

/// Contents that say which containers run together.
pub(super) fn is_composition(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".yml").or_else(|| name.strip_suffix(".yaml"));
    matches!(stem, Some("compose" | "docker-compose"))
}

/// Whether a command starts what such a file of the folder says, all of it.
pub(super) fn starts_composition(text: &str) -> bool {
    let rest = match command_words(text)[..] {
        ["docker" | "podman", "compose", "up", ref rest @ ..] => rest.to_vec(),
        ["docker-compose" | "podman-compose", "up", ref rest @ ..] => rest.to_vec(),
        _ => return false,
    };
    rest.iter().all(|word| word.starts_with('-'))
}

/// Images of somebody's own: `owner/name`, and no database's.
fn of_images<'i>(images: impl Iterator<Item = &'i str>) -> Option<Obtained> {
    let own = images.map(|image| image.trim().trim_matches(['"', '\''])).filter(|image| image.contains('/'));
    let names =
        own.filter_map(|image| Some(last_part(image.split('@').next()?).split(':').next()?.to_owned()));
    let names: HashSet<String> = names.filter(|name| is_telling(name)).collect();
    (!names.is_empty()).then(|| Obtained { names, manner: "compose".to_owned(), holds: HashSet::new() })
}

/// What is started together beside a container of the same part of the page is that container, once more.
fn composed(cells: &[Cell<'_>], place: usize) -> Option<Obtained> {
    const NEAR: usize = 40;
    if !starts_composition(cells[place].shell_text()) {
        return None;
    }
    let outermost = |cell: &Cell<'_>| structure(cell).next().map(|scope| scope.key.clone());
    let near = &cells[place.saturating_sub(NEAR)..(place + NEAR).min(cells.len())];
    let beside =
        || near.iter().filter(|cell| outermost(cell) == outermost(&cells[place]) && cell.is_step_of_way());
    if beside().any(|cell| {
        matches!(&cell.matter, Matter::File { path, .. } if is_composition(path))
            || command_words(cell.shell_text()).get(1) == Some(&"build")
    }) {
        return None;
    }
    let images = beside().filter_map(|cell| {
        let joined = cell.shell_text().replace("\\\n", " ");
        match command_words(&joined)[..] {
            ["docker" | "podman", "run", ref rest @ ..] => Some(operand(rest)?.to_owned()),
            _ => None,
        }
    });
    let images: Vec<String> = images.collect();
    of_images(images.iter().map(String::as_str))
}

/// Both stand in one block or behind one another as steps: the second goes on with the first.
fn goes_on(cells: &[Cell<'_>], before: usize, place: usize) -> bool {
    let (one, other) = (&cells[before], &cells[place]);
    let is_said = |cell: &Cell<'_>| {
        cell.scopes.iter().any(|scope| {
            matches!(scope.key, Key::Remark(..)) && words().lead("alternative", &scope.text).is_some()
        })
    };
    let in_steps = |cell: &Cell<'_>| match cell.scopes.last().map(|scope| &scope.key) {
        Some(Key::Item { list, ordered: true, .. }) => Some(*list),
        _ => None,
    };
    one.spot == other.spot && !is_said(other) || in_steps(one).is_some() && in_steps(one) == in_steps(other)
}

/// Each way from where it gets the thing: the whole part of the page that begins with that, else what stands behind the same words.
fn ways(cells: &[Cell<'_>], places: &[usize]) -> Option<Vec<Child>> {
    let depth = (0..).take_while(|depth| {
        let key = |place: &usize| structure(&cells[*place]).nth(*depth).map(|scope| scope.key.clone());
        let first = places.first().and_then(key);
        first.is_some() && places.iter().all(|place| key(place) == first)
    });
    let depth = depth.count();
    let path =
        |cell: &Cell<'_>| structure(cell).take(depth + 1).map(|scope| scope.key.clone()).collect::<Vec<_>>();
    let paths: Vec<Vec<Key>> = places.iter().map(|place| path(&cells[*place])).collect();
    let children = places.iter().zip(&paths).map(|(place, own)| {
        let stands_apart = own.len() > depth && paths.iter().filter(|other| *other == own).count() == 1;
        let part: Vec<usize> = (0..cells.len()).filter(|at| path(&cells[*at]) == *own).collect();
        // A part that does other things first is no way of its own.
        let begins = part.iter().find(|at| cells[**at].is_step_of_way()) == Some(place);
        let scope = structure(&cells[*place]).nth(depth);
        let (name, part) = match scope {
            Some(scope) if stands_apart && begins => (scope.text.clone(), part),
            _ => (
                shortened(cells[*place].typed_text().lines().next().unwrap_or_default()),
                run(cells, *place, places),
            ),
        };
        Child::named(name.trim().trim_end_matches(':').to_owned(), part)
    });
    let children: Vec<Child> = children.collect();
    // One way may not hold the other.
    let holds = |child: &Child| places.iter().filter(|place| child.cells.contains(place)).count() > 1;
    (!children.iter().any(holds)).then_some(children)
}

fn structure<'c>(cell: &'c Cell<'_>) -> impl Iterator<Item = &'c Scope> {
    cell.scopes.iter().filter(|scope| !matches!(scope.key, Key::Remark(..)))
}

/// What stands behind the same words as the command at `start`, from it on, and before it in its block.
fn run(cells: &[Cell<'_>], start: usize, places: &[usize]) -> Vec<usize> {
    let first = &cells[start];
    let remark = |cell: &Cell<'_>| {
        cell.scopes
            .iter()
            .rev()
            .find(|scope| matches!(scope.key, Key::Remark(..)))
            .map(|scope| scope.key.clone())
    };
    let goes_on = |at: &usize| {
        let cell = &cells[*at];
        *at == start
            || !places.contains(at)
                && is_near(first, cell)
                && cell.inline == first.inline
                && cell.lead.as_ref().map(|lead| lead.place) == first.lead.as_ref().map(|lead| lead.place)
                && remark(cell) == remark(first)
    };
    // What gets something else is no part of this way.
    let names = |cell: &Cell<'_>| {
        Obtained::of(cell.shell_text()).filter(|one| !one.is_unpacked()).map(|one| one.names)
    };
    let own = names(first).unwrap_or_default();
    let is_of_way =
        |at: &usize| *at == start || names(&cells[*at]).is_none_or(|names| !names.is_disjoint(&own));
    // What its block does before it, as for the version's number, is its own.
    let before = (0..start).rev().take_while(|at| cells[*at].spot == first.spot && goes_on(at)).last();
    (before.unwrap_or(start)..cells.len()).take_while(goes_on).filter(is_of_way).collect()
}
