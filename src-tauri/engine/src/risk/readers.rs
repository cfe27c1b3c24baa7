//! Code that is read word by word (`computes`), where it runs: what it may read and load from there, and what the files
//! that it changes mean.

use std::path::{Path, PathBuf};

use planwright_shell::Span;

use super::args::{Given, Parsed};
use super::code::texts;
use super::computes::{self, Act, Language};
use super::judge::{How, Judge};
use super::place::{Place, place};
use super::secrets::is_secret;
use super::special::comes_in;
use super::words::{Arg, Text};
use crate::knowledge::{Role, Takes};

/// Whether all the code in the command only works something out and prints it. What stays out of sight, as a file that is
/// run as well or a variable that is set for it, is for others to judge.
pub(super) fn only_computes(j: &Judge<'_>, parsed: &Parsed<'_, '_>, name: &str, how: How<'_>) -> bool {
    if Language::of(name) == Some(Language::Perl) {
        return !how.assigned && super::lines::only_computes(j, parsed);
    }
    let codes = texts(parsed);
    // `python3 - <<'EOF'`
    let comes = match parsed.words.as_slice() {
        [] => comes_in(j, how).flatten(),
        [dash] if dash.known() == Some("-") => comes_in(j, how).flatten(),
        [_, ..] => None,
    };
    let comes = comes.filter(|_| {
        codes.is_empty() && matches!(Language::of(name), Some(Language::Python | Language::JavaScript))
    });
    let given = comes.is_some() || !codes.is_empty();
    let Some(language) = Language::of(name).filter(|_| given && !j.elevated && !how.assigned) else {
        return false;
    };
    let (shadowed, readable) = (|module: &str| shadowed(j, module), |name: &str| readable(j, name));
    let around = computes::Around { shadowed: &shadowed, readable: &readable };
    let mut rest = parsed.inner.iter().copied().flatten().chain(parsed.words.iter().copied());
    // Run before anything else, from the folder at hand.
    let is_settled = |name: &&str| {
        j.command.contains(name)
            || j.joined(Path::new(name)).iter().any(|path| j.workspace.paths.exists(path))
    };
    let settings: &[&str] = match language {
        Language::R => &[".Rprofile", ".Renviron", ".RData"],
        Language::Octave => &[".octaverc"],
        Language::Python
        | Language::JavaScript
        | Language::Perl
        | Language::Ruby
        | Language::Php
        | Language::Lua
        | Language::Julia
        | Language::Elixir => &[],
    };
    if !settings.is_empty() && (j.lost || settings.iter().any(is_settled)) {
        return false;
    }
    parsed.flags.iter().all(|given| tame(language, given))
        && parsed.doubtful.is_empty()
        && rest.all(|arg| match language {
            Language::Python => true,
            // The files whose lines it is given.
            Language::Ruby => arg.known().is_some_and(&readable),
            Language::JavaScript
            | Language::Perl
            | Language::Php
            | Language::Lua
            | Language::R
            | Language::Octave
            | Language::Julia
            | Language::Elixir => false,
        })
        && codes
            .iter()
            .map(|code| code.known())
            .chain(comes.as_deref().map(Some))
            .all(|text| text.is_some_and(|text| computes::only_computes(language, text, &around)))
}

/// An option that changes nothing about what the text does.
fn tame(language: Language, given: &Given<'_>) -> bool {
    // `-n` and `-p` of Perl run the text for each line of files that it opens in ways of its own.
    let named = |name: &str| given.flag.names.iter().any(|own| own == name);
    let loads = given.value.as_ref().and_then(Arg::known);
    given.flag.value == Takes::Value(Role::Code)
        || language == Language::Ruby
            && (["-n", "-p", "-a"].iter().any(|name| named(name))
                || named("-r")
                    && matches!(loads, Some("json" | "yaml" | "csv" | "set" | "date" | "time" | "pp")))
        || ["-u", "-B", "-I", "-E", "-s", "-q", "-w", "-l", "--startup-file"].iter().any(|name| named(name))
}

/// Whether another module of this name lies where Python looks first, or this text may put one there.
fn shadowed(j: &Judge<'_>, module: &str) -> bool {
    let file = format!("{module}.py");
    j.lost
        || j.command.contains(&file)
        || j.joined(Path::new("")).iter().any(|folder| {
            let there = |name: &str| j.workspace.paths.exists(&folder.join(name));
            there(&file) || there(module)
        })
}

/// Whether code may read the file of this name and still only look.
fn readable(j: &Judge<'_>, name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@".contains(c);
    let relative = !name.is_empty() && !name.starts_with('/') && !name.contains("..");
    let own = |path: PathBuf| {
        let path = j.workspace.paths.resolve(&path);
        place(&path, &j.known) == Place::Workspace && !is_secret(&path)
    };
    let here = !j.lost && !j.elsewhere;
    here && relative && name.chars().all(plain) && j.joined(Path::new(name)).into_iter().all(own)
}

/// What code does to files, when every word of it is known.
pub(super) fn known_acts(
    j: &Judge<'_>,
    program: &str,
    text: &str,
    parsed: &Parsed<'_, '_>,
    how: How<'_>,
) -> Option<Vec<Act>> {
    let language = Language::of(program)?;
    let here = !j.elevated && !j.elsewhere && !j.lost && !how.assigned && parsed.doubtful.is_empty();
    let calm = here
        && parsed.flags.iter().all(|given| tame(language, given))
        && !super::scripts::fetches_and_runs(text)
        && super::alarms::alarm("", text).is_none();
    calm.then_some(())?;
    let (shadowed, readable) = (|module: &str| shadowed(j, module), |name: &str| readable(j, name));
    let around = computes::Around { shadowed: &shadowed, readable: &readable };
    let acts = computes::acts(language, text, &around)?;
    let named = |act: &Act| match act {
        Act::Write(name) => super::alarms::alarm(name, text).is_none(),
        Act::Read(_) | Act::Run(_) => true,
    };
    acts.iter().all(named).then_some(acts)
}

/// One thing that code does, judged as a command that does it.
pub(super) fn does(j: &mut Judge<'_>, act: Act, span: Span, how: How<'_>) {
    let arg = |text: String, pattern: bool| Arg {
        text: if pattern {
            Text::Glob { pattern: text, tilde: false }
        } else {
            Text::Known { text, tilde: false }
        },
        span,
    };
    let star = |name: &str| name.contains('*');
    match act {
        Act::Read(name) => j.read(&arg(name.clone(), star(&name))),
        Act::Write(name) => {
            let file = arg(name.clone(), star(&name));
            j.write(&file);
            j.note_written(&file);
        }
        Act::Run(words) => {
            let args: Vec<Arg> = words.into_iter().map(|word| arg(word.text, word.pattern)).collect();
            j.run(&args, how);
        }
    }
}
