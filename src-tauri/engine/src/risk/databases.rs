//! Databases: what the text that they are given does, and whether the database is one to try things out in.

use planwright_shell::Span;

use super::args::Parsed;
use super::judge::{How, Judge};
use super::place::Place;
use super::special::comes_in;
use super::words::Arg;
use super::{asked, code, scripts};
use crate::knowledge::{Role, Takes};
use crate::protocol::Risk;

/// Text for a database: among its arguments, or what comes in.
pub(super) fn sql(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: How<'_>) {
    let texts = code::texts(parsed);
    for text in &texts {
        match text.known() {
            Some(known) => {
                let risk = if asked::copies_itself(known) {
                    Risk::Caution
                } else if asked::only_asks(known) {
                    Risk::Safe
                } else if asked::opens(known) {
                    Risk::Dangerous
                } else if scripts::sql_adds(known) && is_for_trying(j, parsed) {
                    Risk::Caution
                } else {
                    scripts::sql(known)
                };
                j.found.add(risk, "changes or deletes what is in a database", text.span);
            }
            None => j.found.add(
                Risk::Dangerous,
                "what it asks of the database is only known when it runs",
                text.span,
            ),
        }
    }
    let of_file = parsed.flags.iter().filter(|given| given.flag.value == Takes::Value(Role::Script));
    for file in of_file.filter_map(|given| given.value.as_ref()) {
        if j.script_place(file) != Some(Place::Workspace) || super::tools::is_address(file) {
            j.found.add(Risk::Dangerous, "gives a database a text from outside the workspace", file.span);
        }
    }
    if texts.is_empty() {
        match comes_in(j, how) {
            Some(Some(text)) => {
                j.found.add(scripts::sql(&text), "changes or deletes what is in a database", span);
            }
            // A file of the project is the project's own matter, as any script of it.
            Some(None)
                if how.context.piped_from && j.own_files || comes_from_own_file(j, how) || j.fed_own_file =>
            {
                j.found.add(Risk::Caution, "changes what is in a database as a file says", span);
            }
            Some(None) => j.found.add(Risk::Dangerous, "gives a database whatever comes in", span),
            None => {}
        }
    }
}

/// Whether the database is on this machine and there to be tried out: a server that is named as this machine, a name that
/// says so, or a file of the workspace.
fn is_for_trying(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    const TRIES: [&str; 7] = ["dev", "test", "local", "demo", "sandbox", "sample", "staging"];
    if j.elevated {
        return false;
    }
    let value = |name: &str| parsed.value(name).map(|value| value.known().unwrap_or("?"));
    let host = value("--host");
    let near = |host: &str| matches!(host, "localhost" | "127.0.0.1" | "::1");
    let codes: Vec<Span> = code::texts(parsed).iter().map(|text| text.span).collect();
    let words: Vec<&&Arg> = parsed.words.iter().filter(|word| !codes.contains(&word.span)).collect();
    let names: Vec<&str> = words
        .iter()
        .map(|word| word.known().unwrap_or("?"))
        .chain(value("--dbname").or(value("--database")))
        .collect();
    let real = |name: &&str| {
        name.contains("prod")
            || name.contains("live")
            || name.contains("://")
            || name.contains('=')
            || *name == "?"
    };
    if names.iter().any(real) || !host.is_none_or(near) {
        return false;
    }
    let says = |name: &&str| name.split(['_', '-', '.', '/']).any(|part| TRIES.contains(&part));
    let file = parsed.entry.role(0, 2) == Role::Read
        && words.first().is_some_and(|file| j.script_place(file) == Some(Place::Workspace));
    host.is_some_and(near) || names.iter().any(says) || file
}

/// Whether what comes in is a file of the workspace that was not written just now.
pub(super) fn comes_from_own_file(j: &Judge<'_>, how: How<'_>) -> bool {
    if how.context.piped_from {
        return false;
    }
    let last = how.redirects.iter().rev().find(|redirect| redirect.fd.is_none_or(|fd| fd == 0));
    let Some(redirect) = last.filter(|redirect| redirect.kind == planwright_shell::RedirectKind::Read) else {
        return false;
    };
    let args = j.variables.expand(&redirect.target, j.workspace.environment);
    let wipes = |arg: &Arg| {
        let name = arg.known().unwrap_or_default().replace(['.', '/'], "-");
        super::words::asks_to_destroy(&[arg.with(name)]).is_some()
    };
    !args.iter().any(wipes)
        && args.iter().all(|arg| j.script_place(arg) == Some(Place::Workspace) && !j.is_fresh(arg))
}

/// A database that is only asked is only read.
pub(super) fn only_asks(parsed: &Parsed<'_, '_>) -> bool {
    let texts = code::texts(parsed);
    let from_file = parsed.flags.iter().any(|given| given.flag.value == Takes::Value(Role::Script));
    !texts.is_empty() && !from_file && texts.iter().all(|text| text.known().is_some_and(asked::only_asks))
}
