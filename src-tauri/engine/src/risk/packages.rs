//! Package managers: where what they install comes from, and the programs that they run or fetch to run.

mod known_tools;
mod near_names;
mod publishers;

use std::path::Path;

use planwright_shell::Span;

use super::args::{FETCHERS, Parsed, is_dashed};
use super::judge::{CallContext, Judge};
use super::place::{Place, place};
use super::targets::Target;
use super::words::Arg;
use crate::protocol::Risk;

/// What everybody means by these names; fetched where it is missing, it is the same.
const TOOLS: [&str; 6] = ["eslint", "prettier", "tsc", "stylelint", "biome", "depcheck"];

/// `npx --no-install prettier --check src`: a tool of the project, which is judged by itself.
pub(super) fn runs_what_is_here(parsed: &Parsed<'_, '_>, name: &str) -> bool {
    let first =
        parsed.all.iter().map(Arg::known).take_while(|text| text.is_some_and(|text| text.starts_with('-')));
    let program = parsed.words.first().and_then(|word| word.known());
    let known = |name: &str| {
        crate::knowledge::program(name).is_some_and(|entry| entry.wraps.is_none() && entry.rules.is_none())
    };
    // `npx -p other eslint` is another's.
    let mut first = first.flatten().peekable();
    let alone = first.peek().is_none();
    let mut fetches_none = || first.any(|text| matches!(text, "--no-install" | "--no"));
    let means_one = |name: &str| TOOLS.contains(&name) && alone;
    FETCHERS.contains(&name) && program.is_some_and(|name| known(name) && (means_one(name) || fetches_none()))
}

/// `npx eslint --version`: a tool that is known is only asked for its version.
pub(super) fn shows_version_of_known(parsed: &Parsed<'_, '_>, name: &str) -> bool {
    let known = |word: &&Arg| word.known().and_then(crate::knowledge::program).is_some();
    let fetches_nothing = |arg: &&Arg| matches!(arg.known(), Some("--no-install" | "--no" | "--offline"));
    let asks = |arg: &&Arg| matches!(arg.known(), Some("--version" | "--help"));
    FETCHERS.contains(&name)
        && parsed.words.len() == 1
        && parsed.words.iter().all(known)
        && parsed.given.iter().filter(|arg| !fetches_nothing(arg)).count() == 1
        && parsed.given.iter().filter(|arg| !fetches_nothing(arg)).all(asks)
}

pub(super) fn is_address(arg: &Arg) -> bool {
    arg.known().is_some_and(|text| text.starts_with("http://") || text.starts_with("https://"))
}

/// Packages that come from an address instead of the registry.
pub(super) fn packages(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, name: &str, how: CallContext<'_>) {
    super::tools::shell_text(j, parsed, "", how);
    let shows = parsed.flags.iter().any(|given| given.flag.calms == Some(Risk::Safe));
    if shows || parsed.reports() {
        return;
    }
    for given in &parsed.flags {
        let named = |part: &str| given.flag.names.iter().any(|name| name.contains(part));
        let registry = named("index") || named("registry");
        let Some(value) = &given.value else { continue };
        let repository = named("--git") || value.known().is_some_and(|text| text.contains("git+"));
        if repository && !is_index(value) {
            from_repository(j, value);
            continue;
        }
        if (registry || is_address(value)) && !value.known().is_some_and(is_known_registry) {
            j.found.add(Risk::Dangerous, "takes what it installs from another registry", value.span);
        }
    }
    // `deno info https://…` only shows what stands there.
    if name == "deno" && matches!(parsed.words.first().and_then(|word| word.known()), Some("info" | "doc")) {
        return;
    }
    for word in &parsed.words {
        if word.known().is_some_and(near_names::is_near) {
            j.found.add(Risk::Dangerous, "its name is almost that of a package that many use", word.span);
        }
        let text = word.known().unwrap_or_default();
        let here = ["http://localhost", "http://127.0.0.1"].iter().any(|start| text.starts_with(start));
        if text.contains("git+") || text.starts_with("git@") || text.starts_with("ssh://") {
            from_repository(j, word);
        } else if let Some(path) = short_address(j, parsed, name, text) {
            from_forge(j, word, path);
        } else if is_address(word) && !here || text.starts_with("git+http://") || text.starts_with("git://") {
            j.found.add(Risk::Dangerous, "takes what it runs or installs from an address", word.span);
        }
        let pattern = match &word.text {
            super::Text::Known { text, .. } | super::Text::Glob { pattern: text, .. } => text,
            super::Text::Unknown { prefix, .. } => prefix,
        };
        // `rpm -qpl a.rpm`
        let asks = matches!(name, "rpm" | "dpkg" | "dpkg-deb")
            && parsed.given.iter().any(|arg| {
                arg.known().is_some_and(|text| {
                    text.starts_with("-q")
                        || matches!(text, "--query" | "-I" | "-c" | "--info" | "--contents")
                })
            });
        if asks {
            continue;
        }
        if pattern.ends_with(".deb") || pattern.ends_with(".rpm") {
            // What a person keeps among the own files was fetched by them; in the folder for everyone it may be anybody's.
            let own =
                |path: &std::path::PathBuf| matches!(place(path, &j.anchors), Place::Workspace | Place::Home);
            let kept = match j.target(word) {
                Target::At(paths) | Target::Inside { folders: paths, .. } => paths.iter().all(own),
                Target::Unknown => false,
            };
            let risk = if kept && !j.is_fresh(word) { Risk::Caution } else { Risk::Dangerous };
            j.found.add(risk, "installs a package file that nobody vouches for", word.span);
        }
    }
    carried(j, parsed, name, how);
    let sub = parsed.subs.first().and_then(|sub| sub.known());
    let installs = matches!(name, "npm" | "pnpm" | "yarn" | "bun")
        && (parsed.subs.is_empty()
            && matches!(
                parsed.words.first().and_then(|word| word.known()),
                None | Some("install" | "i" | "ci" | "add" | "rebuild")
            )
            || matches!(sub, Some("install" | "i" | "ci" | "add" | "rebuild")))
        && !parsed.given.iter().any(|arg| arg.known() == Some("--ignore-scripts"));
    if installs && j.installs_own_script() {
        let span =
            parsed.subs.first().or(parsed.words.first()).map_or(Span { start: 0, end: 0 }, |arg| arg.span);
        j.found.add(Risk::Dangerous, "installs with a script that was only just written", span);
    }
    develops(j, parsed, name, how);
    if parsed.subs.last().is_some_and(|sub| sub.known() == Some("run"))
        && let Some(word) =
            parsed.words.first().filter(|word| word.known().is_some_and(|text| text.contains('@')))
    {
        j.found.add(Risk::Dangerous, "fetches a program and runs it", word.span);
    }
}

/// An address of an index is no repository, whatever its path.
fn is_index(value: &Arg) -> bool {
    value.known().is_some_and(is_known_registry)
}

/// `git+https://host/owner/name`: what a known owner keeps at a forge of the whole world is what others see as well, and
/// what one needs a key for is one's own; anything else may be anybody's, and installing runs it.
fn from_repository(j: &mut Judge<'_>, arg: &Arg) {
    const FORGES: [&str; 8] = [
        "github.com",
        "gitlab.com",
        "bitbucket.org",
        "codeberg.org",
        "git.sr.ht",
        "sr.ht",
        "gitlab.gnome.org",
        "invent.kde.org",
    ];
    let text = arg.known().unwrap_or_default();
    let address = text.split_once("git+").map_or(text, |(_, address)| address);
    let (with_key, place) = match address.split_once("://") {
        Some(("https", place)) => (false, place),
        Some(("ssh", place)) => (true, place),
        None if address.starts_with("git@") => (true, address),
        Some(_) | None => (false, ""),
    };
    let at = place.find(['/', '?', '#']).unwrap_or(place.len());
    let (host, path) = place.split_at_checked(at).unwrap_or((place, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next().unwrap_or(host);
    if !FORGES.contains(&host) {
        j.found.add(Risk::Dangerous, "takes what it runs or installs from an address", arg.span);
    } else if with_key {
        j.found.add(Risk::Caution, "takes what it installs from a repository", arg.span);
    } else {
        from_forge(j, arg, path);
    }
}

fn from_forge(j: &mut Judge<'_>, arg: &Arg, path: &str) {
    if publishers::is_known(path) {
        j.found.add(Risk::Caution, "takes what it installs from a repository", arg.span);
    } else {
        j.found.add(Risk::Dangerous, "installs from a repository that may be anybody's", arg.span);
    }
}

/// `npm install owner/name`, `github:owner/name`: the owner and the name.
fn short_address<'t>(
    j: &Judge<'_>,
    parsed: &Parsed<'_, '_>,
    program: &str,
    text: &'t str,
) -> Option<&'t str> {
    let adds = parsed.subs.iter().any(|sub| matches!(sub.known(), Some("install" | "i" | "add")));
    if !adds || !matches!(program, "npm" | "pnpm" | "yarn" | "bun") {
        return None;
    }
    let forge = ["github:", "gitlab:", "bitbucket:"].iter().find_map(|forge| text.strip_prefix(forge));
    let name = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let pair = text.split_once('/').is_some_and(|(owner, rest)| {
        let rest = rest.split('#').next().unwrap_or(rest);
        !owner.is_empty() && !owner.starts_with('.') && name(owner) && name(rest)
    });
    let here = || j.joined(Path::new(text)).iter().any(|path| j.workspace.paths.exists(path));
    forge.or_else(|| (pair && !here()).then_some(text))
}

/// `nix develop -c CMD`: what runs in the shell that the project describes.
fn develops(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, name: &str, how: CallContext<'_>) {
    let opens = matches!(parsed.words.first().and_then(|word| word.known()), Some("develop" | "shell"));
    let at = parsed.all.iter().position(|arg| matches!(arg.known(), Some("-c" | "--command")));
    if let Some(at) = at.filter(|_| name == "nix" && opens) {
        match parsed.all.get(at + 1..) {
            Some(command @ [_, ..]) => j.run(command, how),
            Some([]) | None => j.unread("which program runs is not known", Span { start: 0, end: 0 }),
        }
    }
}

/// Whether an address is that of a registry that the whole world uses.
fn is_known_registry(address: &str) -> bool {
    const HOSTS: [&str; 12] = [
        "pypi.org",
        "test.pypi.org",
        "download.pytorch.org",
        "pypi.nvidia.com",
        "registry.npmjs.org",
        "registry.yarnpkg.com",
        "npm.pkg.github.com",
        "rubygems.org",
        "repo.packagist.org",
        "conda.anaconda.org",
        "index.crates.io",
        "data.pyg.org",
    ];
    let host = address.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    host.is_some_and(|host| HOSTS.contains(&host))
}

/// `poetry run rm x`, `bundle exec rake`, `npx prettier`: the program in the words is judged as well.
fn carried(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, name: &str, how: CallContext<'_>) {
    let sub = parsed.subs.last().and_then(|sub| sub.known());
    let fetches = FETCHERS.contains(&name) || matches!(sub, Some("exec" | "x" | "dlx"));
    let runs = parsed.subs.is_empty()
        && matches!(parsed.words.first().and_then(|word| word.known()), Some("run" | "exec"));
    if !fetches && !runs {
        return;
    }
    let mut words: Vec<&Arg> =
        parsed.words.iter().skip(usize::from(runs)).chain(&parsed.given).copied().collect();
    words.sort_by_key(|arg| parsed.number_of(arg));
    let words: Vec<Arg> = words.into_iter().cloned().collect();
    let from = words.iter().position(|arg| !is_dashed(arg)).unwrap_or(words.len());
    let command = words.get(from..).unwrap_or_default();
    let program = command.first().and_then(Arg::known);
    let given =
        |names: &[&str]| parsed.given.iter().any(|arg| arg.known().is_some_and(|text| names.contains(&text)));
    // `npx name` alone is most often a tool of the project.
    let runs_fetched = runs && name == "pipx";
    let sure = name != "npx" && !matches!(sub, Some("exec" | "x"))
        || given(&["-y", "--yes"])
        || program.is_some_and(|name| name.get(1..).is_some_and(|rest| rest.contains('@')));
    if let (true, Some(word), Some(program)) = ((fetches || runs_fetched) && sure, command.first(), program)
        && !given(&["--no-install", "--no", "--offline", "-p", "--package", "--from"])
        && !program.starts_with(['.', '/'])
        && !program.contains("://")
        && !known_tools::is_known(program)
    {
        j.found.add(Risk::Dangerous, "fetches a program that few know, and runs it", word.span);
    }
    // What is fetched has a name of its own; a known name is most likely the known program.
    if program.is_some_and(|name| runs || crate::knowledge::program(name).is_some()) {
        j.run(command, how);
    }
}
