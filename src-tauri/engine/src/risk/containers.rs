//! Containers: what they reach of this machine, and what runs in them.

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use super::place::{Place, place};
use super::secrets::is_secret;
use super::targets::Target;
use super::words::Arg;
use crate::knowledge::Rules;
use crate::protocol::Risk;

/// What a container may reach of this machine.
pub(super) fn container(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    if parsed.subs.last().is_some_and(|sub| sub.known() == Some("cp")) {
        copies(j, parsed);
    }
    let names = ["-v", "--mount"];
    let mut mounted = false;
    for given in &parsed.flags {
        if !names.iter().any(|name| given.flag.names.iter().any(|own| own == name)) {
            continue;
        }
        let Some(value) = &given.value else { continue };
        mounted = true;
        let here = ["$(pwd):", "\"$(pwd)\":", "\"$(pwd):", "`pwd`:", "$(pwd)/", "\"$(pwd)/", "`pwd`/"];
        let fragment = j.found.fragment(value.span);
        if here.iter().any(|start| fragment.starts_with(start)) && !fragment.contains("..") {
            j.found.add(Risk::Caution, "the container can change the folder it is started in", given.span);
            continue;
        }
        let Some(source) = value.known().map(mount_source) else {
            j.found.add(
                Risk::Dangerous,
                "which folder the container can reach is only known when it runs",
                given.span,
            );
            continue;
        };
        // A plain name is a volume of the keeper of containers, no folder.
        if !source.contains('/') && !source.starts_with(['.', '~']) {
            continue;
        }
        let source = Arg {
            text: super::Text::Known { text: source.to_owned(), tilde: source.starts_with('~') },
            span: value.span,
        };
        if let Target::At(paths) = j.target(&source) {
            for path in paths {
                let place = place(&path, &j.anchors);
                let (risk, text) = match place {
                    Place::Workspace => (Risk::Caution, "the container can change the workspace"),
                    Place::Temporary => (Risk::Caution, "the container can change temporary files"),
                    Place::Home if path != j.anchors.home && !is_secret(&path) => {
                        (Risk::Caution, "the container can change a folder outside the workspace")
                    }
                    Place::Home
                    | Place::Hidden
                    | Place::Guarded
                    | Place::Nowhere
                    | Place::System
                    | Place::OtherHome
                    | Place::Mounted
                    | Place::Spare
                    | Place::Disk
                    | Place::Device
                    | Place::Connection
                    | Place::Outside => {
                        (Risk::Dangerous, "the container can reach files that matter outside it")
                    }
                };
                j.found.add(risk, text, given.span);
            }
        }
    }
    let inner: Vec<Arg> = parsed.words.iter().skip(1).map(|arg| (*arg).clone()).collect();
    let client = inner.first().and_then(Arg::known).and_then(crate::knowledge::program);
    let exec = parsed.subs.last().is_some_and(|sub| sub.known() == Some("exec"));
    // A container that runs already holds data of its own, and so does a database anywhere.
    if exec || client.is_some_and(|entry| entry.rules == Some(Rules::Sql) || entry.verbs.is_some()) {
        inside(j, &inner, how);
    }
    if let Some(image) = parsed.words.first() {
        j.notorious(image);
    }
    let destroys = ["rm", "shred", "dd", "mkfs", "chown", "chmod", "find", "mv"];
    let inner = parsed.words.iter().skip(1).filter_map(|arg| arg.known());
    let said: Vec<&str> =
        inner.flat_map(|text| text.split(|c: char| c.is_whitespace() || ";&|".contains(c))).collect();
    if mounted
        && said.iter().any(|word| destroys.contains(word))
        && let Some(image) = parsed.words.first()
    {
        j.found.add(
            Risk::Dangerous,
            "deletes or changes files from inside a container that reaches yours",
            image.span,
        );
    }
}

/// `docker cp FROM TO`: a colon stands for a place in a container.
fn copies(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    if let Some(source) = parsed.words.first()
        && let Target::At(paths) = j.target(source)
        && paths.iter().any(|path| is_secret(path))
    {
        j.found.add(Risk::Dangerous, "copies or moves a password or key", source.span);
    }
    if let [_, target] = parsed.words.as_slice()
        && !j.found.fragment(target.span).contains(':')
    {
        j.write(target);
    }
}

/// `docker exec web ls /app`: a program that only looks, at files that are not even those of this machine.
pub(super) fn only_looks_inside(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    let exec = parsed.subs.last().is_some_and(|sub| sub.known() == Some("exec"));
    let inner: Vec<Arg> = parsed.words.iter().skip(1).map(|arg| (*arg).clone()).collect();
    let named = parsed.words.first().is_some_and(|container| container.known().is_some());
    let tame = |flag: &str| ["-i", "-t", "-w", "-u"].contains(&flag);
    let plain = parsed.doubtful.is_empty()
        && parsed.flags.iter().all(|given| given.flag.names.iter().any(|name| tame(name)));
    if !exec || !named || !plain || inner.is_empty() || how.context.piped_from {
        return false;
    }
    let runs = j.runs.len();
    let before = (std::mem::replace(&mut j.lost, true), std::mem::replace(&mut j.elsewhere, true));
    let risk = j.tried(&inner, how);
    (j.lost, j.elsewhere) = before;
    j.runs.truncate(runs);
    risk == Risk::Safe
}

/// A command that runs in a container, whose folders are not those of this machine.
pub(super) fn inside(j: &mut Judge<'_>, inner: &[Arg], how: CallContext<'_>) {
    // What comes in is read here, not there.
    let own = super::databases::comes_from_own_file(j, how);
    let fed = std::mem::replace(&mut j.fed_own_file, own);
    let before = (std::mem::replace(&mut j.lost, true), std::mem::replace(&mut j.elsewhere, true));
    j.run(inner, how);
    (j.lost, j.elsewhere) = before;
    j.fed_own_file = fed;
}

fn mount_source(text: &str) -> &str {
    if text.contains("source=") || text.contains("src=") || text.contains("target=") {
        let source =
            text.split(',').find_map(|part| part.strip_prefix("source=").or(part.strip_prefix("src=")));
        return source.unwrap_or_default();
    }
    text.split(':').next().unwrap_or(text)
}
