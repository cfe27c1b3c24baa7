//! A name that nothing of its kind has, and the near one of those that this machine has. Which kinds there are, what programs say of
//! them and where the machine lists them is a table: `names.toml`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;

use super::super::advice;
use super::super::case::Case;
use super::super::near::nearest;
use super::super::rule::Pattern;
use super::super::template::Findings;
use super::packages;

const TABLE: &str = include_str!("../names.toml");

/// Most folders that are looked into below one place.
const MAX_FOLDERS: usize = 400;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Vec<Kind>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    kind: String,
    says: Pattern,
    #[serde(default)]
    unless: Option<Pattern>,
    #[serde(default)]
    asked: Option<Pattern>,
    #[serde(default)]
    folders: Vec<String>,
    /// Levels below a folder whose names count with those above them.
    #[serde(default = "one_level")]
    depth: usize,
    #[serde(default)]
    endings: Vec<String>,
    /// A name without this is none.
    #[serde(default)]
    begins: Option<String>,
    #[serde(default)]
    files: Vec<Names>,
    #[serde(default)]
    words: Vec<String>,
    /// The programs of `PATH` count too.
    #[serde(default)]
    programs: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    path: String,
    names: Pattern,
}

fn one_level() -> usize {
    1
}

fn kinds() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| {
        // The table is part of the program and a test reads it: a fault is never seen.
        toml::from_str::<Table>(TABLE)
            .inspect_err(|error| tracing::error!(%error, "the table of names cannot be read"))
            .map(|table| table.kind)
            .unwrap_or_default()
    })
}

/// `kind`, `typed`, `near` and `command`: the near name of that kind.
pub(super) fn near_here(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    // What takes something away is never guessed.
    let takes_away = |run: super::super::case::Run<'_>| {
        std::iter::once(run.program())
            .chain(run.args().iter().filter_map(super::super::case::text))
            .any(advice::takes_away)
    };
    if case.runs().any(takes_away) {
        return None;
    }
    kinds().iter().find_map(|kind| near_of(kind, case, found))
}

fn near_of(kind: &Kind, case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let mut said = Findings::default();
    said.take(kind.says.regex()?, case.everything.as_bytes())?;
    if let Some(unless) = &kind.unless
        && unless.regex()?.is_match(case.everything.as_bytes())
    {
        return None;
    }
    if let Some(asked) = &kind.asked {
        said.take(asked.regex()?, case.failure.command.as_bytes())?;
    }
    let typed = said.get("name")?.to_owned();
    // A package of other people's is not misspelt because one of everybody's is near.
    if kind.kind.starts_with("module") && packages::of_module(&typed).is_some() {
        return None;
    }
    let names = names(kind, case, &said);
    if names.contains(&typed) {
        return None;
    }
    let near = nearest(&typed, names.iter().map(String::as_str))?.to_owned();
    found.set("command", replaced(&case.failure.command, &typed, &near)?);
    found.set("near", near);
    found.set("kind", kind.kind.as_str());
    found.set("typed", typed);
    Some(())
}

/// The command with the name replaced: where it stands once, or everywhere in a piece of code, which uses what it brings in.
fn replaced(asked: &str, typed: &str, near: &str) -> Option<String> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_whole = |(at, name): &(usize, &str)| {
        let (before, after) = (&asked[..*at], &asked[at + name.len()..]);
        // `-lpgn`, `-Dprefx=…`: the letter of an option stands before its value.
        let glued = ["-l", "-D"]
            .iter()
            .any(|letter| before.strip_suffix(letter).is_some_and(|rest| rest.ends_with(' ')));
        (glued || !before.ends_with(part)) && !after.starts_with(part)
    };
    let places: Vec<usize> = asked.match_indices(typed).filter(is_whole).map(|(at, _)| at).collect();
    let is_code = asked.contains(['\'', '"']) && typed.chars().all(|c| c.is_alphanumeric() || c == '_');
    if places.is_empty() || places.len() > 1 && !is_code {
        return None;
    }
    let mut new = asked.to_owned();
    for at in places.into_iter().rev() {
        new.replace_range(at..at + typed.len(), near);
    }
    Some(new)
}

/// Every name of the kind.
fn names(kind: &Kind, case: &Case<'_>, said: &Findings) -> Vec<String> {
    let mut names = Vec::new();
    if kind.programs {
        names.extend(case.programs().iter().cloned());
    }
    let places = |path: &String| said.sentence(path).map_or_else(Vec::new, |path| places(case, &path));
    for folder in kind.folders.iter().flat_map(places) {
        let mut room = MAX_FOLDERS;
        below(case, &folder, "", kind.depth, &mut room, &mut names);
    }
    for file in &kind.files {
        let Some(pattern) = file.names.regex() else { continue };
        for text in places(&file.path).iter().filter_map(|path| case.machine.read(path)) {
            let groups = pattern.captures_iter(text.as_bytes());
            let found = groups.filter_map(|groups| groups.get(1));
            names.extend(found.map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned()));
        }
    }
    for ending in &kind.endings {
        for name in &mut names {
            if let Some(bare) = name.strip_suffix(ending.as_str()).filter(|bare| !bare.is_empty()) {
                *name = bare.to_owned();
            }
        }
    }
    if let Some(begin) = &kind.begins {
        names =
            names.iter().filter_map(|name| name.strip_prefix(begin.as_str())).map(str::to_owned).collect();
    }
    names.extend(kind.words.iter().cloned());
    names.sort();
    names.dedup();
    names
}

fn below(
    case: &Case<'_>,
    folder: &Path,
    before: &str,
    depth: usize,
    room: &mut usize,
    names: &mut Vec<String>,
) {
    if *room == 0 {
        return;
    }
    *room -= 1;
    for name in case.machine.list(folder) {
        let place = folder.join(&name);
        let whole = format!("{before}{name}");
        if depth > 1 && case.machine.is_dir(&place) {
            below(case, &place, &format!("{whole}/"), depth - 1, room, names);
        }
        names.push(whole);
    }
}

/// The places that a path of the table stands for.
fn places(case: &Case<'_>, path: &str) -> Vec<PathBuf> {
    let whole = match path.strip_prefix("~/") {
        Some(rest) => case.machine.home().map(|home| home.join(rest)),
        None => case.on_disk(path).or_else(|| path.starts_with('/').then(|| PathBuf::from(path))),
    };
    let Some(whole) = whole else { return Vec::new() };
    let (Some(folder), Some(name)) = (whole.parent(), whole.file_name().and_then(|name| name.to_str()))
    else {
        return vec![whole];
    };
    match name.split_once('*') {
        None => vec![whole],
        Some((begin, end)) => {
            let fits = |name: &String| name.starts_with(begin) && name.ends_with(end);
            case.machine.list(folder).into_iter().filter(fits).map(|name| folder.join(name)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_replaced_where_it_is_whole() {
        let new = |asked: &str, typed: &str, near: &str| replaced(asked, typed, near);
        assert_eq!(new("curl https://a.org/x", "a.org", "b.org").as_deref(), Some("curl https://b.org/x"));
        assert_eq!(new("py -c 'import ab; ab.x'", "ab", "cd").as_deref(), Some("py -c 'import cd; cd.x'"));
        assert_eq!(new("ssh box box", "box", "fox"), None);
        assert_eq!(new("gcc -lab", "ab", "cd").as_deref(), Some("gcc -lcd"));
        assert_eq!(new("gcc abx", "ab", "cd"), None);
    }

    #[test]
    fn every_kind_can_be_read_and_has_a_place() {
        let table: Table = toml::from_str(TABLE).unwrap();
        for kind in &table.kind {
            let patterns = [Some(&kind.says), kind.unless.as_ref(), kind.asked.as_ref()];
            let names = kind.files.iter().map(|file| &file.names);
            assert!(
                patterns.into_iter().flatten().chain(names).all(|it| it.regex().is_some()),
                "{}",
                kind.kind
            );
            let places =
                kind.folders.len() + kind.files.len() + kind.words.len() + usize::from(kind.programs);
            assert!(places > 0, "{}", kind.kind);
        }
    }
}
