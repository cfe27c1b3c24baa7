//! Fills the short templates of the tables: `{}` stands for a value in words; `{1}`, `{all}`, `{last}` for words of the command.

use std::path::{Path, PathBuf};

use super::Scene;
use super::kinds;
use super::sort::Sorted;
use crate::knowledge::Kind;
use crate::risk::{Arg, Text};

/// What `says` tells of a value. `None` when the value is not of its kind.
pub(super) fn filled(says: &str, kind: &Kind, value: Option<&Arg>) -> Option<String> {
    let Some(arg) = value else {
        return Some(says.replace("{}", "nothing"));
    };
    let (words, note) = match &arg.text {
        Text::Known { text, .. } => (kinds::in_words(kind, text)?, None),
        Text::Glob { pattern, .. } if matches!(kind, Kind::Path | Kind::OutPath | Kind::RemotePath) => {
            (format!("all that fit {}", kinds::shortened(pattern)), Some("every name that fits this pattern"))
        }
        Text::Glob { pattern, .. } => (kinds::in_words(kind, pattern)?, None),
        Text::Unknown { .. } => ("what is put in when it runs".to_owned(), Some("put in when it runs")),
    };
    Some(match (says.contains("{}"), note) {
        (true, _) if words == "1" => singular(says).replace("{}", &words),
        (true, _) => says.replace("{}", &words),
        (false, Some(note)) => format!("{says}: {note}"),
        (false, None) => says.to_owned(),
    })
}

/// `[…]` holds only where there is a value; where there is none, `{}` goes with the blank before it.
pub(super) fn with_value(says: &str, given: bool) -> String {
    let Some((before, rest)) = says.split_once('[') else {
        return if given { says.to_owned() } else { says.replace(": {}", "").replace(" {}", "") };
    };
    let Some((optional, behind)) = rest.split_once(']') else { return says.to_owned() };
    if given { format!("{before}{optional}{behind}") } else { format!("{before}{behind}") }
}

/// `1 line`, not `1 lines`.
fn singular(says: &str) -> String {
    let Some((before, behind)) = says.split_once("{} ") else { return says.to_owned() };
    let end = behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len());
    let (noun, rest) = behind.split_at(end);
    match noun.strip_suffix('s').filter(|one| !one.ends_with('s') && one.len() > 2) {
        Some(one) => format!("{before}{{}} {one}{rest}"),
        None => says.to_owned(),
    }
}

/// A command made from the words of another: `{1}` and `{2}` its words, `{all}` all of them, `{rest}` all but the last, `{last}`,
/// `{landed}` where the first lands when it is moved to the last, `{-o}` the value of an option, `{names}` all without their versions,
/// `{program}` the program, `{parent}` it with all but the last sub-command and with the options that say where. `None` when
/// one is not there.
pub(super) fn command(template: &str, scene: &Scene<'_>, sorted: &Sorted<'_>) -> Option<String> {
    let mut made = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, behind) = behind.split_once('}')?;
        made.push_str(before);
        // `HEAD@{1}` is git's own.
        if before.ends_with('@') {
            made.push_str(&format!("{{{name}}}"));
        } else {
            made.push_str(&word(name, scene, sorted)?);
        }
        rest = behind;
    }
    made.push_str(rest);
    Some(made)
}

fn word(name: &str, scene: &Scene<'_>, sorted: &Sorted<'_>) -> Option<String> {
    let words = &sorted.operands;
    let all = |words: &[&Arg]| {
        let told: Vec<String> = words.iter().map(|arg| written(scene, arg)).collect();
        (!told.is_empty()).then(|| told.join(" "))
    };
    match name {
        "all" => all(words),
        "rest" => all(words.split_last().map(|(_, rest)| rest).filter(|rest| !rest.is_empty())?),
        "last" => words.last().map(|arg| written(scene, arg)),
        "landed" => landed(scene, words),
        "names" => names(words),
        "program" => sorted.program.map(|program| written(scene, program)),
        "parent" => parent(scene, sorted),
        name if name.starts_with('-') => {
            let of = |given: &&super::sort::Given| {
                given.name == name
                    || given.found.opt.is_some_and(|opt| opt.names.iter().any(|own| own == name))
            };
            let value = sorted.flags.iter().find(of)?.value.as_ref()?;
            value.known().map(quoted)
        }
        number => {
            let index: usize = number.parse().ok()?;
            words.get(index.checked_sub(1)?).map(|arg| written(scene, arg))
        }
    }
}

/// As it stands in the command, so that quotes and variables stay.
fn written(scene: &Scene<'_>, arg: &Arg) -> String {
    let raw = scene.source.slice(arg.span);
    match arg.known() {
        // Of `{a,b}` each is a word of its own at the same place.
        Some(text) if raw.contains('{') || raw.contains('=') => quoted(text),
        _ if raw.is_empty() => quoted(arg.sure()),
        _ => raw.to_owned(),
    }
}

/// `git -C sub remote` of `git -C sub remote add`.
fn parent(scene: &Scene<'_>, sorted: &Sorted<'_>) -> Option<String> {
    let subs = sorted.subs.split_last().map(|(_, before)| before).unwrap_or_default();
    let scopes = sorted.flags.iter().filter(|given| given.found.opt.is_some_and(|opt| opt.scope));
    let scopes = scopes.map(|given| scene.source.slice(given.span).to_owned());
    let words = [sorted.program?].into_iter().chain(subs.iter().copied()).map(|arg| written(scene, arg));
    let mut all: Vec<String> = words.collect();
    all.splice(1..1, scopes);
    Some(all.join(" "))
}

/// Packages without their versions. `None` where one is a file or an address, whose name is not known.
fn names(words: &[&Arg]) -> Option<String> {
    let name = |text: &str| {
        let elsewhere = text.contains("://") || text.starts_with(['.', '/', '~']) || text.contains('[');
        if elsewhere || text.ends_with(".deb") || text.ends_with(".rpm") {
            return None;
        }
        let end = text.find(['=', '<', '>', '!']).unwrap_or(text.len());
        let name = text.get(..end)?.trim_end_matches('~');
        let at = name.get(1..).and_then(|rest| rest.find('@')).map_or(name.len(), |at| at + 1);
        name.get(..at).map(quoted)
    };
    let all: Option<Vec<String>> = words.iter().map(|arg| name(arg.known()?)).collect();
    all.filter(|all| !all.is_empty()).map(|all| all.join(" "))
}

/// Where the only thing that is moved lands: in the folder that the last word names, or under that name.
fn landed(scene: &Scene<'_>, words: &[&Arg]) -> Option<String> {
    let [from, to] = words else { return None };
    let (from, target) = (from.known()?, to.known()?);
    let place = match target.strip_prefix("~/") {
        Some(rest) => scene.workspace.home.join(rest),
        None => scene.workspace.cwd.join(target),
    };
    if !target.ends_with('/') && !scene.workspace.paths.is_dir(&place) {
        return Some(written(scene, to));
    }
    let name = Path::new(from).file_name()?.to_str()?;
    let landed = PathBuf::from(target).join(name);
    let told = landed.to_str()?;
    let told = told.strip_prefix("./").unwrap_or(told);
    Some(if target.starts_with('~') { told.to_owned() } else { quoted(told) })
}

/// In quotes where the shell would read it as more than a word.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
