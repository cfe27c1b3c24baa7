//! Databases: what the text that they are given does, and whether the database is one to try things out in.

use planwright_shell::{Context, Span};

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use super::place::Place;
use super::remote_copy::names_live;
use super::special::comes_in;
use super::words::{Arg, Text};
use super::{code, scripts, sql};
use crate::knowledge::{Role, Takes};
use crate::protocol::Risk;

/// Texts that one command gives to a database and that are looked at. For each of them all the words of the command are.
const MOST_TEXTS: usize = 64;

/// Text for a database: among its arguments, or what comes in.
pub(super) fn sql(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: CallContext<'_>) {
    let texts = code::texts(parsed);
    if texts.len() > MOST_TEXTS {
        j.found.add(Risk::Dangerous, "asks more of a database at once than can be looked at", span);
        return;
    }
    // `sqlite3 FILE`: one that some program of yours keeps is not for trying things out in.
    let others = parsed
        .words
        .first()
        .filter(|word| parsed.role(0) == Role::Read && word.known().is_some_and(|text| text.contains('/')))
        .is_some_and(|word| !matches!(j.script_place(word), Some(Place::Workspace | Place::Temporary)));
    for text in &texts {
        match text.known() {
            Some(known) => {
                let risk = text_risk(j, parsed, known, how);
                let risk = if others && risk > Risk::Safe { Risk::Dangerous } else { risk };
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
        if j.script_place(file) != Some(Place::Workspace) || super::packages::is_address(file) {
            j.found.add(Risk::Dangerous, "gives a database a text from outside the workspace", file.span);
        }
    }
    if texts.is_empty() {
        match comes_in(j, how) {
            Some(Some(text)) => {
                let risk = text_risk(j, parsed, &text, how);
                j.found.add(risk, "changes or deletes what is in a database", span);
            }
            // A file of the project is the project's own matter, as any script of it.
            Some(None)
                if how.context.piped_from && j.own_files || comes_from_own_file(j, how) || j.fed_own_file =>
            {
                names_live(j, parsed);
                j.found.add(Risk::Caution, "changes what is in a database as a file says", span);
            }
            Some(None) => j.found.add(Risk::Dangerous, "gives a database whatever comes in", span),
            None => {}
        }
    }
}

/// `echo FLUSHALL | redis-cli`: each line that comes in is judged as if it stood behind the program's name.
pub(super) fn store(
    j: &mut Judge<'_>,
    parsed: &Parsed<'_, '_>,
    name: &str,
    span: Span,
    how: CallContext<'_>,
) {
    if !parsed.words.is_empty() || parsed.reports() {
        return;
    }
    match comes_in(j, how) {
        Some(Some(text)) if text.lines().count() <= MOST_TEXTS => {
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let words = std::iter::once(name).chain(line.split_whitespace());
                let words: Vec<Arg> = words
                    .map(|word| Arg { text: Text::Known { text: word.to_owned(), tilde: false }, span })
                    .collect();
                let context = Context { piped_from: false, ..how.context };
                j.run(&words, CallContext { redirects: &[], context, ..how });
            }
        }
        Some(None) if how.context.piped_from && j.own_files || comes_from_own_file(j, how) => {
            j.found.add(Risk::Caution, "changes what is in a database as a file says", span);
        }
        Some(_) => j.found.add(Risk::Dangerous, "gives a database whatever comes in", span),
        None => {}
    }
}

fn text_risk(j: &Judge<'_>, parsed: &Parsed<'_, '_>, text: &str, how: CallContext<'_>) -> Risk {
    let (copies, rest): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| copies_a_file(line.trim()) || takes_in_a_file(line.trim()));
    if !copies.is_empty() {
        let rest = rest.join("\n");
        let other = if rest.trim().is_empty() { Risk::Safe } else { text_risk(j, parsed, &rest, how) };
        return other.max(Risk::Caution);
    }
    let of_file = parsed.entry.role(0, 2) == Role::Read;
    let copied = sql::copies_out(text).filter(|_| of_file && !j.elevated).map(|name| {
        let file = Arg {
            text: Text::Known { text: name.to_owned(), tilde: false },
            span: Span { start: 0, end: 0 },
        };
        j.script_place(&file) == Some(Place::Workspace)
    });
    if sql::copies_itself(text) || copied == Some(true) {
        Risk::Caution
    } else if asks_only(text) {
        Risk::Safe
    } else if sql::opens(text)
        || ["require(", "process.", "child_process"].iter().any(|way| text.contains(way))
    {
        Risk::Dangerous
    } else if scripts::sql_adds(text) && is_for_trying(j, parsed)
        || (scripts::sql_clears(text) || documents_change(text)) && is_for_development(j, parsed, how)
    {
        Risk::Caution
    } else {
        scripts::sql(text)
    }
}

/// `.import --csv data/items.csv items`. What stands behind a `|` would be run.
fn takes_in_a_file(line: &str) -> bool {
    line.strip_prefix(".import ").is_some_and(|rest| {
        rest.chars().all(|c| c.is_ascii_alphanumeric() || " _-./".contains(c))
            && !rest.contains("..")
            && !rest.split(' ').any(|word| word.starts_with('/'))
    })
}

/// `\copy (SELECT …) TO 'a.csv' CSV`: between a table and a file of the folder at hand, by the client itself.
fn copies_a_file(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("\\copy ") else { return false };
    let (Some(start), Some(end)) = (rest.find('\''), rest.rfind('\'')) else { return false };
    let file = rest.get(start + 1..end).unwrap_or_default();
    let before = rest.get(..start).unwrap_or_default().to_lowercase();
    let query = before.trim_end().strip_suffix(" to").or(before.trim_end().strip_suffix(" from"));
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let named = |what: &str| {
        what.trim().chars().all(|c| c.is_ascii_alphanumeric() || "_,.() ".contains(c))
            && !what.trim_start().starts_with('(')
    };
    let asked = |what: &str| {
        what.trim().strip_prefix('(').and_then(|what| what.strip_suffix(')')).is_some_and(sql::only_asks)
    };
    !file.is_empty()
        && file.chars().all(plain)
        && !file.starts_with(['/', '.'])
        && !file.contains("..")
        && query.is_some_and(|what| named(what) || asked(what))
}

/// Questions, perhaps with commands of the program's own that only say how answers look.
fn asks_only(text: &str) -> bool {
    const LOOKS: [&str; 12] = [
        "mode",
        "headers",
        "header",
        "width",
        "separator",
        "timer",
        "nullvalue",
        "tables",
        "schema",
        "indexes",
        "quit",
        "exit",
    ];
    let looks = |line: &str| {
        line.strip_prefix('.').is_some_and(|own| {
            let word = own.split_whitespace().next().unwrap_or_default();
            LOOKS.contains(&word) && own.chars().all(|c| c.is_ascii_alphanumeric() || " _-,".contains(c))
        })
    };
    let rest: Vec<&str> = text.lines().filter(|line| !looks(line.trim())).collect();
    let asks = rest.iter().any(|line| !line.trim().is_empty());
    let dotted = rest.len() < text.lines().count();
    // A line of its own must not stand in the middle of a statement's text.
    if dotted && text.contains(['"', '`']) {
        return false;
    }
    if asks { sql::only_asks(&rest.join("\n")) } else { dotted }
}

/// `db.carts.deleteMany({test: true})`: documents that a condition names are changed or go.
fn documents_change(text: &str) -> bool {
    const METHODS: [&str; 12] = [
        "deleteMany",
        "deleteOne",
        "updateMany",
        "updateOne",
        "insertOne",
        "insertMany",
        "countDocuments",
        "find",
        "findOne",
        "createIndex",
        "estimatedDocumentCount",
        "replaceOne",
    ];
    let statement = |one: &str| {
        let call = one.strip_prefix("db.").and_then(|rest| rest.split_once('.'));
        let Some((name, rest)) = call else { return false };
        let Some((method, given)) = rest.split_once('(') else { return false };
        let given = given.strip_suffix(')').unwrap_or("(");
        let bare = given.replace([' ', '{', '}'], "");
        let plain = |c: char| c.is_alphanumeric() || " _-.,:{}[]'\"$".contains(c);
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && METHODS.contains(&method)
            && given.chars().all(plain)
            && !given.contains("$where")
            && !given.contains("$function")
            && (!(method.starts_with("delete") || method.starts_with("update")) || !bare.is_empty())
    };
    let mut statements = text.split([';', '\n']).map(str::trim).filter(|one| !one.is_empty()).peekable();
    statements.peek().is_some() && statements.all(statement)
}

/// Whether the database is on this machine and its name says that it is there for development or tests.
fn is_for_development(j: &Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    const SAYS: [&str; 5] = ["dev", "test", "tests", "testing", "development"];
    const ELSEWHERE: [&str; 5] = ["PGHOST", "PGSERVICE", "PGDATABASE", "MYSQL_HOST", "DATABASE_URL"];
    let set = |name: &&str| !j.variables.never_set(name, j.workspace.environment);
    if j.elevated || j.elsewhere || how.assigned || ELSEWHERE.iter().any(set) {
        return false;
    }
    let near = |host: &str| {
        matches!(host.split(':').next().unwrap_or(host), "localhost" | "127.0.0.1" | "[") || host == "::1"
    };
    let codes: Vec<Span> = code::texts(parsed).iter().map(|text| text.span).collect();
    let words = parsed.words.iter().filter(|word| !codes.contains(&word.span)).map(|word| word.known());
    let given = ["--dbname", "--database"].iter().filter_map(|name| parsed.value(name)).map(Arg::known);
    let host = parsed.value("--host").map(|host| host.known().unwrap_or("?"));
    let says = |name: &str| {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let parts: Vec<&str> = name.split(['_', '-', '.', '/']).collect();
        plain
            && parts.iter().any(|part| SAYS.contains(part))
            && !parts.iter().any(|part| part.starts_with("prod") || part.starts_with("live"))
    };
    let here = |name: &str| match name.split_once("://") {
        Some((_, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            near(host.rsplit('@').next().unwrap_or(host)) && says(path)
        }
        None => says(name),
    };
    let file = |name: &str| {
        parsed.entry.role(0, 2) != Role::Read
            || parsed.words.first().is_some_and(|file| {
                file.known() == Some(name) && j.script_place(file) == Some(Place::Workspace)
            })
    };
    let mut names = words.chain(given).peekable();
    names.peek().is_some()
        && host.is_none_or(near)
        && names.all(|name| name.is_some_and(|name| here(name) && file(name)))
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
pub(super) fn comes_from_own_file(j: &Judge<'_>, how: CallContext<'_>) -> bool {
    if how.context.piped_from {
        return false;
    }
    let last = how.redirects.iter().rev().find(|redirect| redirect.fd == 0);
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
pub(super) fn only_asks(j: &Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    let texts = code::texts(parsed);
    let from_file = parsed.flags.iter().any(|given| given.flag.value == Takes::Value(Role::Script));
    if texts.is_empty() && !from_file {
        // Behind a backslash stand the program's own commands.
        return comes_in(j, how).flatten().is_some_and(|text| !text.contains('\\') && asks_only(&text));
    }
    !texts.is_empty() && !from_file && texts.iter().all(|text| text.known().is_some_and(sql::only_asks))
}
