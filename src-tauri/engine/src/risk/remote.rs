//! Git, and programs that fetch or send files.

use std::path::Path;

use planwright_shell::Span;

use super::args::Parsed;
use super::judge::Judge;
use super::words::Arg;
use crate::protocol::Risk;

/// Settings of git that run nothing and weaken nothing.
const HARMLESS_SETTINGS: [&str; 14] = [
    "user.name",
    "user.email",
    "init.defaultbranch",
    "core.quotepath",
    "core.autocrlf",
    "core.filemode",
    "core.bare",
    "commit.gpgsign",
    "tag.gpgsign",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "merge.conflictstyle",
    "fetch.prune",
];

fn harmless_setting(key: &str) -> bool {
    let key = key.to_lowercase();
    HARMLESS_SETTINGS.contains(&key.as_str()) || key.starts_with("color.") || key.starts_with("advice.")
}

pub(super) fn git(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    for given in parsed
        .flags
        .iter()
        .filter(|given| given.first)
        .filter(|given| given.flag.names.iter().any(|name| name == "-c"))
    {
        let key = given.value.as_ref().and_then(Arg::known).and_then(|text| text.split('=').next());
        if !key.is_some_and(harmless_setting) {
            j.found.add(Risk::Dangerous, "a setting that can make git run other programs", given.span);
        }
    }
    let known: Vec<Option<&str>> = parsed.words.iter().map(|arg| arg.known()).collect();
    match parsed.subs.first().and_then(|sub| sub.known()) {
        Some("checkout") => checkout(j, parsed, span),
        Some("push") => {
            for arg in
                parsed.words.iter().filter(|arg| arg.known().is_some_and(|text| text.starts_with(['+', ':'])))
            {
                j.found.add(Risk::Dangerous, "overwrites or deletes a branch at the other end", arg.span);
            }
        }
        Some("clone") => {
            let Some(source) = parsed.words.first() else { return };
            let name = known.first().copied().flatten().unwrap_or_default();
            if name.contains("::") {
                j.found.add(Risk::Dangerous, "an address that can run a program", source.span);
            }
            if is_local(name) {
                j.found.effects.uses_network = false;
            }
            if parsed.words.len() == 1 && !name.is_empty() {
                j.write(&source.with(clone_folder(name)));
            }
        }
        Some("init") if parsed.words.is_empty() => {
            if let Some(folder) = j.joined(Path::new(".git")).first() {
                j.found.touch(folder);
            }
        }
        Some("clean") => {
            for folder in j.joined(Path::new("")).iter().take(1).filter(|_| !parsed.has("-n")) {
                j.found.touch(folder);
            }
        }
        Some(_) | None => {}
    }
}

fn checkout(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    if parsed.has("-b") || parsed.has("-B") {
        return;
    }
    let is_path = |arg: &&Arg| {
        let text = arg.known().unwrap_or(".");
        text == "." || j.joined(Path::new(text)).iter().any(|path| j.workspace.paths.exists(path))
    };
    if parsed.ended || parsed.words.len() > 1 || parsed.words.iter().copied().any(|arg| is_path(&arg)) {
        j.found.add(Risk::Dangerous, "throws away changes that are not committed", span);
    }
}

pub(super) fn git_config(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let sets = parsed.words.len() > 1 || parsed.has("--unset") || parsed.has("--add");
    if let Some(key) = parsed.words.first().filter(|_| sets)
        && !key.known().is_some_and(harmless_setting)
    {
        j.found.add(Risk::Dangerous, "a setting that can make git run other programs", key.span);
    }
}

/// A folder on this machine, not an address.
pub(crate) fn is_local(address: &str) -> bool {
    !address.is_empty()
        && (address.starts_with(['/', '.', '~'])
            || address.starts_with("file://")
            || !address.contains(':') && !address.contains("://"))
}

/// The folder that `git clone` makes when none is named.
pub(crate) fn clone_folder(address: &str) -> String {
    let name = address.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(address);
    name.strip_suffix(".git").unwrap_or(name).to_owned()
}

pub(super) fn fetch(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    let names_itself = parsed.has("--remote-name") || parsed.entry.flags.get("--output-document").is_some();
    if names_itself && !parsed.has("--output-document") && !parsed.has("--directory-prefix") {
        for url in &parsed.words {
            let name = url.known().map(|text| text.split(['?', '#']).next().unwrap_or(text));
            let file = name.and_then(|text| text.rsplit('/').next()).filter(|file| !file.is_empty());
            if let Some(file) = file {
                j.write(&url.with(file.to_owned()));
            }
        }
    }
    if parsed.words.iter().any(|url| url.is_unknown()) {
        j.found.add(Risk::Caution, "which address it asks is only known when it runs", span);
    }
}

pub(super) fn rsync(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for arg in &parsed.words {
        let far = arg.known().is_none_or(|text| text.contains(':') && !text.starts_with(['/', '.']));
        if far {
            j.found.effects.uses_network = true;
            j.found.add(Risk::Dangerous, "sends or fetches files between machines", arg.span);
        }
    }
}
