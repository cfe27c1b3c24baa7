//! Programs that run code: shells, interpreters, `eval`, `source`. Their code is never `safe`.

use std::path::PathBuf;

use planwright_shell::Span;

use super::args::{Given, Parsed};
use super::embedded::{self, language};
use super::judge::{CallContext, Judge, SURVEYED};
use super::place::{Place, Trust, is_foundation, place};
use super::special::comes_in;
use super::targets::Target;
use super::words::{Arg, Text};
use crate::knowledge::{Role, Takes};
use crate::protocol::Risk;

/// The code among flags' values and words (`-e SCRIPT`, or the first word when there is none).
pub(super) fn texts<'p>(parsed: &'p Parsed<'_, '_>) -> Vec<&'p Arg> {
    let of_flags = parsed.flags.iter().filter(|given| given.flag.value == Takes::Value(Role::Code));
    let mut texts: Vec<&Arg> = of_flags.filter_map(|given| given.value.as_ref()).collect();
    texts.extend(
        parsed.words.iter().enumerate().filter(|(at, _)| parsed.role(*at) == Role::Code).map(|(_, arg)| *arg),
    );
    texts
}

/// `bash -c 'wc -l src/*.rs'`: all that runs is in plain sight and only looks.
pub(super) fn only_looks(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    let plain = parsed.has("-c")
        && parsed.doubtful.is_empty()
        && parsed.flags.iter().all(|given| {
            given.flag.names.iter().any(|name| ["-c", "-e", "-u", "-x", "-l"].contains(&name.as_str()))
        })
        && !j.elevated
        && !how.assigned
        && !j.trying;
    let Some(text) = parsed.words.first().and_then(|arg| arg.known()).filter(|_| plain) else { return false };
    let span = parsed.words.first().map_or(Span { start: 0, end: 0 }, |arg| arg.span);
    let own = j.found.set_aside();
    j.found.told_to_model = own.told_to_model;
    let runs = j.runs.len();
    let before = (j.folders.clone(), j.lost, j.variables.clone(), j.pipeline.clone(), j.found_outside);
    j.trying = true;
    j.given = names_given(parsed);
    j.shell_text_as_it_is(text, span);
    j.given.clear();
    j.trying = false;
    j.runs.truncate(runs);
    (j.folders, j.lost, j.variables, j.pipeline, j.found_outside) = before;
    std::mem::replace(&mut j.found, own).here == Risk::Safe
}

/// What stands behind the text and its name, where that can only be names of files: `sh -c TEXT _ {}`.
fn names_given(parsed: &Parsed<'_, '_>) -> Vec<(String, Vec<String>)> {
    // The text and its name are words by themselves.
    let rest = parsed.inner.first().copied().unwrap_or_default();
    let pattern = |arg: &Arg| match &arg.text {
        Text::Glob { pattern, tilde: false } => Some(pattern.clone()),
        Text::Known { .. } | Text::Glob { .. } | Text::Unknown { .. } => None,
    };
    let Some(names) =
        rest.iter().map(pattern).collect::<Option<Vec<String>>>().filter(|names| !names.is_empty())
    else {
        return Vec::new();
    };
    ["1", "@", "*"].iter().map(|name| ((*name).to_owned(), names.clone())).collect()
}

pub(super) fn shell(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: CallContext<'_>) {
    if parsed.has("-c") {
        match parsed.words.first().map(|arg| (arg.known(), arg.span)) {
            Some((Some(text), at)) => {
                let looks = std::mem::take(&mut j.looks);
                j.given = names_given(parsed);
                if looks {
                    j.shell_text_as_it_is(text, at);
                } else {
                    j.shell_text(text, at);
                }
                j.given.clear();
            }
            Some((None, at)) => j.unread("runs text that is only known when it runs", at),
            None => {}
        }
    } else if let Some(script) =
        parsed.words.first().filter(|arg| !parsed.has("-s") && arg.known() != Some("-"))
    {
        if parsed.given.first().and_then(|arg| arg.known()) == Some("-n") && only_checks_here(j, parsed, how)
        {
            j.read(script);
        } else if !runs_written(j, parsed, script, how) {
            file(j, script);
        }
    } else {
        match comes_in(j, how) {
            Some(Some(text)) => j.shell_text(&text, span),
            // Elsewhere it is the way there that takes the network.
            Some(None) if j.found.effects.uses_network && !j.elsewhere => {
                j.unread("runs what was just fetched from the network", span);
            }
            Some(None) => j.unread("runs whatever comes in as commands", span),
            None if j.elevated && !only_shows(parsed) => {
                j.found.add(Risk::Dangerous, "opens a shell as someone else", span);
            }
            None => {}
        }
    }
}

/// `bash -n script.sh`: reads a script and runs nothing of it.
pub(super) fn only_checks(j: &Judge<'_>, parsed: &Parsed<'_, '_>, name: &str, how: CallContext<'_>) -> bool {
    matches!(name, "bash" | "sh" | "dash") && only_checks_here(j, parsed, how)
}

fn only_checks_here(j: &Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    let [flag, script, ..] = parsed.all else { return false };
    let plain = script.known().is_some_and(|text| !text.starts_with(['-', '+']))
        || matches!(&script.text, Text::Glob { pattern, .. } if !pattern.starts_with(['-', '+', '[', '*', '?']));
    flag.known() == Some("-n") && plain && !how.assigned && !j.elsewhere
}

/// `bash -e script.sh` where the script stands in this very text.
fn runs_written(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, script: &Arg, how: CallContext<'_>) -> bool {
    let tame =
        |given: &Given<'_>| given.flag.names.iter().any(|name| ["-e", "-u", "-x"].contains(&name.as_str()));
    parsed.doubtful.is_empty() && parsed.flags.iter().all(tame) && j.runs_written(script, true, how)
}

/// `bash --version`
fn only_shows(parsed: &Parsed<'_, '_>) -> bool {
    parsed.given.iter().any(|arg| matches!(arg.known(), Some("--version" | "--help")))
}

pub(super) fn python(
    j: &mut Judge<'_>,
    name: &str,
    parsed: &Parsed<'_, '_>,
    span: Span,
    how: CallContext<'_>,
) {
    if let Some(module) = parsed.value("-m") {
        let rest = parsed.inner.first().copied().unwrap_or_default();
        match module.known() {
            Some("venv" | "virtualenv") => {
                rest.iter()
                    .filter(|arg| !arg.known().is_some_and(|text| text.starts_with('-')))
                    .for_each(|arg| j.write(arg));
            }
            Some("pip" | "pytest" | "twine" | "poetry" | "pipx" | "uv" | "flask" | "black") => {
                let program = [module.clone()];
                let args: Vec<Arg> = program.into_iter().chain(rest.iter().cloned()).collect();
                j.run(&args, how);
            }
            Some("http.server" | "SimpleHTTPServer") => serves(j, rest, module),
            Some("timeit" | "pdb" | "trace" | "profile" | "cProfile" | "code" | "doctest") => {
                for arg in rest {
                    if arg.known().is_none_or(|text| embedded::risk("python", text) >= Risk::Dangerous) {
                        j.found.add(Risk::Dangerous, "runs code that stands in the command", arg.span);
                    }
                }
            }
            Some(_) => {}
            None => j.found.add(Risk::Dangerous, "which module runs is only known when it runs", module.span),
        }
        return;
    }
    script(j, name, parsed, span, how);
}

/// `python -m http.server`: everyone who reaches this machine can read the folder.
fn serves(j: &mut Judge<'_>, rest: &[Arg], module: &Arg) {
    j.found.effects.uses_network = true;
    let given = |arg: &Arg| matches!(arg.known(), Some("-d" | "--directory"));
    let named = rest.iter().skip_while(|arg| !given(arg)).nth(1).cloned();
    let joined = rest
        .iter()
        .find_map(|arg| arg.known()?.strip_prefix("--directory=").map(|folder| arg.with(folder.to_owned())));
    lets_read(j, &named.or(joined).unwrap_or_else(|| module.with(".".to_owned())));
}

/// Everyone who reaches this machine can read `folder`.
pub(super) fn lets_read(j: &mut Judge<'_>, folder: &Arg) {
    let own = |path: &PathBuf| {
        !is_foundation(path, &j.anchors)
            && matches!(
                place(path, &j.anchors),
                Place::Workspace | Place::Home | Place::Temporary | Place::Mounted
            )
    };
    if !matches!(j.target(folder), Target::At(paths) if paths.iter().all(own)) {
        j.found.add(
            Risk::Dangerous,
            "lets others read a folder that holds more than the workspace",
            folder.span,
        );
    }
}

pub(super) fn script(
    j: &mut Judge<'_>,
    name: &str,
    parsed: &Parsed<'_, '_>,
    span: Span,
    how: CallContext<'_>,
) {
    if super::shows::renames_text(name, parsed) {
        return;
    }
    if language(name) == Some("perl") {
        divides_by_code(j, parsed);
    }
    // `php -l`: reads files and runs nothing of them, unless one of them is an option.
    let checks = matches!(parsed.all.first().and_then(Arg::known), Some("-l" | "--syntax-check"));
    if name == "php" && checks && !how.assigned && !parsed.all.iter().skip(1).any(Arg::may_be_flag) {
        parsed.words.iter().for_each(|file| j.read(file));
        return;
    }
    let codes: Vec<&Arg> = texts(parsed);
    for text in &codes {
        match text.known() {
            Some(known) => {
                embedded::judge(j, name, known, text.span);
            }
            None => j.found.add(Risk::Dangerous, "runs code that is only known when it runs", text.span),
        }
    }
    // A file that is run before or behind the text, or a library.
    let loads = ["auto_prepend_file", "auto_append_file", "extension", "zend_extension", "allow_url_include"];
    for given in
        parsed.flags.iter().filter(|given| name == "php" && given.flag.names.iter().any(|own| own == "-d"))
    {
        let value = given.value.as_ref().and_then(Arg::known);
        if value.is_none_or(|value| loads.iter().any(|start| value.starts_with(start))) {
            j.found.add(Risk::Dangerous, "a setting that makes it run other files", given.span);
        }
    }
    let in_place =
        parsed.has("-i") && parsed.entry.flags.get("-i").is_some_and(|flag| flag.value != Takes::Nothing);
    // What else is given to code are the files that it works on.
    let words = parsed.words.iter().enumerate().filter(|(at, _)| parsed.role(*at) != Role::Code);
    let files = words.map(|(_, arg)| *arg).chain(parsed.inner.iter().copied().flatten());
    if in_place {
        files.for_each(|file| j.write(file));
    } else if !codes.is_empty() {
        files.for_each(|file| j.read(file));
    }
    if !codes.is_empty() {
        return;
    }
    // `node --check a.js`: reads a file and runs nothing of it.
    let checks = matches!(parsed.all, [flag, _] if matches!(flag.known(), Some("--check" | "-c")))
        && matches!(language(name), Some("node" | "nodejs"))
        && !how.assigned;
    match parsed.words.first().filter(|arg| arg.known() != Some("-")) {
        Some(path) if checks => j.read(path),
        Some(_) if super::shows::only_shows(j, name, parsed, how) => {}
        Some(path) => {
            match authored(j, path).filter(|_| language(name).is_some()) {
                Some(text) => embedded::judge(j, name, &text, path.span),
                None => file(j, path),
            }
            task(j, path, parsed, how);
        }
        None => match comes_in(j, how) {
            Some(Some(text)) => embedded::judge(j, name, &text, span),
            Some(None) => j.found.add(Risk::Dangerous, "runs whatever comes in as code", span),
            None => {}
        },
    }
}

/// `perl -F/:/`: Perl puts what divides its lines into the program as it stands, when it begins with a slash or a quote.
fn divides_by_code(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let plain = |pattern: &str| {
        let inner = match pattern.strip_prefix('/') {
            Some(rest) => rest.strip_suffix('/'),
            None => Some(pattern),
        };
        inner.is_some_and(|inner| !inner.contains(['/', '\'', '"', '(', ')', '{', '}', '$', '@', '`', '\0']))
    };
    for given in parsed.flags.iter().filter(|given| given.flag.names.iter().any(|name| name == "-F")) {
        if !given.value.as_ref().and_then(Arg::known).is_some_and(plain) {
            j.found.add(
                Risk::Dangerous,
                "what divides its lines may run as a part of the program",
                given.span,
            );
        }
    }
}

/// What stands in the file at `path`, when this very text wrote all of it and fetched nothing.
fn authored(j: &Judge<'_>, path: &Arg) -> Option<String> {
    let Target::At(paths) = j.target(path) else { return None };
    let found: Option<Vec<&String>> = paths
        .iter()
        .map(|path| {
            j.authored.iter().find(|(own, _)| own == path && j.settled.contains(own)).map(|(_, text)| text)
        })
        .collect();
    let text = found?.first().map(|text| (*text).clone())?;
    (!j.fetched && !j.elevated).then_some(text)
}

/// `manage.py flush`, `artisan migrate:fresh`: the scripts of well-known frameworks are known by their tasks.
fn task(j: &mut Judge<'_>, path: &Arg, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    let name = path.known().and_then(|text| text.rsplit('/').next());
    if matches!(name, Some("manage.py" | "artisan" | "occ" | "rails" | "rake" | "console" | "wp-cli.phar")) {
        let program = [path.with("rails".to_owned())];
        let rest = parsed.inner.first().copied().unwrap_or_default();
        let args: Vec<Arg> = program.into_iter().chain(rest.iter().cloned()).collect();
        j.run(&args, how);
    }
}

pub(super) fn source(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: CallContext<'_>) {
    match parsed.words.first().filter(|path| path.known() != Some("-")) {
        Some(path) if j.runs_written(path, true, how) => {}
        Some(path) => file(j, path),
        None if comes_in(j, how).is_some() => j.unread("runs whatever comes in as commands", span),
        None => j.found.add(Risk::Caution, "runs a file that is not named", span),
    }
    j.variables.all_unknown = true;
}

/// A file whose content runs.
pub(super) fn file(j: &mut Judge<'_>, arg: &Arg) {
    j.notorious(arg);
    // Several of the workspace, none of which this text writes.
    let several = matches!(j.target(arg), Target::Inside { folders, .. }
    if folders.iter().all(|folder| {
        place(folder, &j.anchors) == Place::Workspace && !j.written.iter().any(|path| path.starts_with(folder))
    }));
    let (risk, text) = match j.trust(arg) {
        None if several => (Risk::Caution, "runs files of the workspace"),
        Some(Trust::Own) => (Risk::Caution, "runs a file of the workspace"),
        Some(Trust::Known) => (Risk::Caution, "runs a file outside the workspace"),
        Some(Trust::Stranger) => (Risk::Dangerous, "runs a file from outside the workspace"),
        None => (Risk::Dangerous, "runs what is only known when it runs"),
    };
    let risk = if j.elevated { Risk::Dangerous } else { risk };
    j.found.add(risk, text, arg.span);
    if j.is_fresh(arg) {
        j.found.add(Risk::Dangerous, "runs a file that was only just written or fetched", arg.span);
    }
}

/// A file that an option names, which runs, or says what runs: `node -r ./setup.js`, `ninja -f build.ninja`. A bare name is
/// that of a module.
pub(super) fn runs_first(j: &mut Judge<'_>, arg: &Arg) {
    let module = arg.known().is_some_and(|text| {
        !text.starts_with(['.', '/', '~', '$']) && !text.contains("://") && !text.contains("/../")
    });
    if module && !j.is_fresh(arg) {
        return;
    }
    if arg.known().is_some_and(|text| text.contains("://")) {
        j.found.add(Risk::Dangerous, "takes what it runs from an address", arg.span);
        return;
    }
    file(j, arg);
}

pub(super) fn trap(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    match parsed.words.first().map(|arg| (arg.known(), arg.span)) {
        None | Some((Some("" | "-"), _)) => {}
        Some((Some(text), at)) => {
            j.same_shell = true;
            let known = j.variables.clone();
            // What a variable holds when the trap runs, it may be given later.
            j.variables.all_unknown |= j.command.len() > SURVEYED;
            let later: String = j.found.after(at.end).chars().take(SURVEYED).collect();
            given_later(text, &later).into_iter().for_each(|name| j.variables.forget(name));
            j.shell_text(text, at);
            // What only tidies up gives no variable another value.
            if only_tidies(text) {
                j.variables = known;
            }
        }
        Some((None, at)) => j.unread("runs text that is only known when it runs", at),
    }
}

/// The variables in `text` whose name stands in `later` as more than a question for their value.
fn given_later<'t>(text: &'t str, later: &str) -> Vec<&'t str> {
    let names = text.split('$').skip(1).take(16).filter_map(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.get(..end).filter(|name| !name.is_empty())
    });
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '{' | '-' | '/' | '.');
    names
        .filter(|name| {
            later.match_indices(name).any(|(at, found)| {
                let before = later.get(..at).and_then(|before| before.chars().next_back());
                let after = later.get(at + found.len()..).and_then(|after| after.chars().next());
                !before.is_some_and(inside)
                    && !after.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.'))
            })
        })
        .collect()
}

/// Whether a trap's text is made of clean-up alone: plain calls of few programs, none of which can change a variable.
fn only_tidies(text: &str) -> bool {
    const TIDIES: [&str; 12] =
        ["rm", "rmdir", "kill", "pkill", "wait", "echo", "printf", "true", ":", "exit", "docker", "podman"];
    let plain = |c: char| c.is_ascii_alphanumeric() || " \t\n\"'$_-./;&|>{}()@:%".contains(c);
    text.chars().all(plain)
        && !["$((", "${", "-v"].iter().any(|sign| text.contains(sign))
        && text
            .split([';', '\n', '&', '|', '('])
            .map(str::trim)
            .filter(|part| !part.is_empty() && !part.starts_with('>') && *part != "1")
            .all(|part| {
                part.split_whitespace()
                    .next()
                    .is_some_and(|name| TIDIES.contains(&name) || matches!(name, "jobs" | "cat" | "dev"))
            })
}
