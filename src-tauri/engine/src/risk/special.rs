//! Programs that data alone cannot describe.

use std::path::Path;

use planwright_shell::{RedirectKind, Span};

use super::args::Parsed;
use super::floor::{self, Floor};
use super::judge::{How, Judge};
use super::place::{Place, is_build_product, is_foundation, is_secret, place};
use super::targets::Target;
use super::words::{Arg, Text};
use super::{code, far, remote, scripts, tools};
use crate::knowledge::Rules;
use crate::protocol::Risk;

pub(super) fn judge(
    j: &mut Judge<'_>,
    rules: Rules,
    name: &str,
    parsed: &Parsed<'_, '_>,
    span: Span,
    how: How<'_>,
) {
    match rules {
        Rules::Rm => remove(j, parsed, parsed.has("-r")),
        Rules::Ownership => ownership(j, parsed),
        Rules::Dd => dd(j, parsed),
        Rules::Disk => floor::disk(j, parsed),
        Rules::Mount => floor::mount(j, name, parsed, span),
        Rules::Far => far::judge(j, name, parsed, span, how),
        Rules::Bucket => far::bucket(j, parsed),
        Rules::Cluster => far::cluster(j, name, parsed, how),
        Rules::Find => find(j, parsed, how),
        Rules::Sed => sed(j, parsed, span),
        Rules::Awk => awk(j, parsed, span),
        Rules::Tar => tar(j, parsed),
        Rules::Git => remote::git(j, parsed, span),
        Rules::GitConfig => remote::git_config(j, parsed),
        Rules::Shell => code::shell(j, parsed, span, how),
        Rules::Python => code::python(j, parsed, span, how),
        Rules::Script => code::script(j, parsed, span, how),
        Rules::Source => code::source(j, parsed, span),
        Rules::Trap => code::trap(j, parsed),
        Rules::Cd => cd(j, parsed, how),
        Rules::Export => export(j, parsed, how),
        Rules::Names => names(j, parsed, name),
        Rules::Upload => remote::fetch(j, parsed, span, how),
        Rules::Kill => kill(j, parsed),
        Rules::Editor => tools::editor(j, parsed, name, span, how),
        Rules::Sql => tools::sql(j, parsed, span, how),
        Rules::Container => tools::container(j, parsed, how),
        Rules::Asks => tools::asks(j, parsed, span),
        Rules::Connection => tools::connection(j, parsed, span, how),
        Rules::ShellText => tools::shell_text(j, parsed, name),
        Rules::Alias => tools::alias(j, parsed),
        // What it runs is judged as what a wrapper runs.
        Rules::Parallel => {}
        Rules::Packages => tools::packages(j, parsed, name, how),
        Rules::KeyFiles => tools::key_files(j, parsed, how),
        Rules::Handshake => tools::handshake(j, parsed, span, how),
        Rules::Set => tools::set(j, parsed, name),
        Rules::Test => tools::subscripts(j, &parsed.words),
        Rules::Make => tools::make(j, parsed),
        Rules::Move => moves(j, parsed),
        Rules::Shows => {
            for word in &parsed.words {
                if word.known().is_none_or(|text| text.starts_with("set-")) {
                    j.found.add(Risk::Dangerous, "changes a setting of the machine", word.span);
                }
            }
        }
    }
}

/// Deleting: by where it is and how much goes.
pub(super) fn remove(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, recursive: bool) {
    for arg in &parsed.words {
        delete(j, arg, recursive);
    }
}

fn delete(j: &mut Judge<'_>, arg: &Arg, recursive: bool) {
    let (paths, inside, everything) = match j.target(arg) {
        Target::At(paths) => {
            // A link itself goes, not what it points to: its own folder counts as well.
            let own = arg
                .known()
                .filter(|_| !recursive)
                .map(Path::new)
                .map(|path| j.joined(path))
                .unwrap_or_default();
            let own = own
                .iter()
                .filter_map(|path| Some(j.workspace.paths.resolve(path.parent()?).join(path.file_name()?)));
            let linked: Vec<_> = own.collect();
            (paths.into_iter().chain(linked).collect::<Vec<_>>(), false, false)
        }
        Target::Inside { folders, everything } => (folders, true, everything),
        Target::Unknown => {
            j.found.effects.writes_outside = true;
            j.found.add(Risk::Dangerous, "what it deletes is only known when it runs", arg.span);
            return;
        }
    };
    let root = j.known.root.clone();
    let downloads = j.known.home.join("Downloads");
    // `*.egg-info`
    let product =
        inside && matches!(&arg.text, Text::Glob { pattern, .. } if is_build_product(Path::new(pattern)));
    for path in &paths {
        let foundation = is_foundation(path, &j.known);
        let place = place(path, &j.known);
        if foundation && recursive && (!inside || everything) {
            j.found.block(Floor::Foundation, arg.span);
        }
        let (risk, text) = if foundation && !(inside && place == Place::Temporary) {
            (Risk::Dangerous, "deletes in a folder that the machine or you cannot do without")
        } else if (everything || !inside) && root.starts_with(path) {
            (Risk::Dangerous, "deletes the workspace with everything in it")
        } else {
            match place {
                Place::Workspace if recursive && (in_build_product(path, &root) || product) => {
                    (Risk::Caution, "deletes a folder that a build makes again")
                }
                Place::Workspace | Place::Temporary
                    if !inside && j.made.iter().any(|made| path.starts_with(made)) =>
                {
                    (Risk::Caution, "deletes a folder that was only just made here")
                }
                Place::Workspace | Place::Temporary if recursive => {
                    (Risk::Dangerous, "deletes a folder and everything in it")
                }
                Place::Workspace | Place::Temporary if everything => {
                    (Risk::Dangerous, "deletes every file of a folder")
                }
                Place::Workspace | Place::Temporary => (Risk::Caution, "deletes a file"),
                Place::Home
                    if !recursive && !everything && path.starts_with(&downloads) && !is_secret(path) =>
                {
                    (Risk::Caution, "deletes a file that was downloaded")
                }
                Place::Disk => {
                    j.found.block(Floor::Disk, arg.span);
                    (Risk::Dangerous, "deletes a disk's entry")
                }
                Place::Guarded => (Risk::Dangerous, "deletes part of the repository's own store"),
                Place::Nowhere
                | Place::Home
                | Place::Hidden
                | Place::System
                | Place::Spare
                | Place::Device
                | Place::Connection
                | Place::Outside => (Risk::Dangerous, "deletes outside the workspace"),
                Place::OtherHome => (Risk::Dangerous, "deletes what belongs to someone else"),
                Place::Mounted => {
                    (Risk::Dangerous, "deletes on another disk, a removable medium or over the network")
                }
            }
        };
        j.found.add(risk, text, arg.span);
        j.found.effects.writes_outside |= place.is_outside();
        j.found.touch(path);
    }
}

/// A folder that a build makes again, or something in one.
fn in_build_product(path: &Path, root: &Path) -> bool {
    path.ancestors().take_while(|folder| folder.starts_with(root) && *folder != root).any(is_build_product)
}

/// What is moved away is gone from where it was; onto a device it is gone altogether.
fn moves(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let named = parsed.value("-t").is_some();
    let sources = parsed.words.len().saturating_sub(usize::from(!named));
    for arg in parsed.words.iter().take(sources) {
        let (paths, everything) = match j.target(arg) {
            Target::At(paths) => (paths, true),
            Target::Inside { folders, everything } => (folders, everything),
            Target::Unknown => continue,
        };
        for path in paths.iter().filter(|path| everything && is_foundation(path, &j.known)) {
            if place(path, &j.known) != Place::Temporary {
                j.found.block(Floor::MovedFoundation, arg.span);
            }
        }
    }
    if let Some(last) =
        parsed.words.last().filter(|last| last.known().is_some_and(|text| text.starts_with("/dev/")))
    {
        j.found.add(Risk::Dangerous, "loses what is moved there", last.span);
    }
}

fn ownership(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let recursive = parsed.has("-R");
    j.found.effects.changes_tree_ownership |= recursive;
    let mode = parsed.words.first().and_then(|arg| arg.known()).unwrap_or_default();
    let opens = mode.ends_with("777")
        || mode.ends_with("666")
        || mode.ends_with("000")
        || ["a+w", "o+w", "+w", "a+rwx", "o+rwx", "ugo+rwx", "a=rwx"].contains(&mode);
    if recursive
        && opens
        && let Some(first) = parsed.words.first()
    {
        j.found.add(Risk::Dangerous, "opens or closes a whole folder to everyone", first.span);
    }
    let owner = mode.split(':').next().unwrap_or_default();
    if parsed.entry.summary.contains("owner")
        && !owner.is_empty()
        && owner != j.workspace.user
        && let Some(first) = parsed.words.first().filter(|first| first.known().is_some())
    {
        j.found.add(Risk::Dangerous, "gives files to someone else", first.span);
    }
    let borrows = mode.contains('s') && !mode.contains(':') && mode.contains(['+', '='])
        || mode.len() == 4 && mode.starts_with(['2', '4', '6', '7']);
    if borrows && let Some(first) = parsed.words.first() {
        j.found.add(Risk::Dangerous, "lets whoever runs the file act as its owner", first.span);
    }
    for arg in parsed.words.iter().skip(1).filter(|_| recursive) {
        let paths = match j.target(arg) {
            Target::At(paths) | Target::Inside { folders: paths, .. } => paths,
            Target::Unknown => continue,
        };
        for path in paths {
            if is_foundation(&path, &j.known) {
                j.found.block(Floor::OpenedFoundation, arg.span);
            } else if place(&path, &j.known) != Place::Workspace {
                j.found.add(Risk::Dangerous, "changes a whole folder outside the workspace", arg.span);
            }
        }
    }
}

/// A mode that only takes rights away from others, as keys need it.
pub(super) fn closes_to_others(parsed: &Parsed<'_, '_>) -> bool {
    const CLOSES: [&str; 16] = [
        "600",
        "400",
        "700",
        "500",
        "0600",
        "0400",
        "0700",
        "0500",
        "go-rwx",
        "og-rwx",
        "go=",
        "go-w",
        "o-rwx",
        "u=rw,go=",
        "u=rwx,go=",
        "o-w",
    ];
    let mode = parsed.words.first().and_then(|arg| arg.known());
    parsed.entry.rules == Some(Rules::Ownership)
        && !parsed.has("-R")
        && mode.is_some_and(|mode| CLOSES.contains(&mode))
}

fn dd(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for arg in &parsed.words {
        match arg.known().and_then(|text| text.split_once('=')) {
            Some(("of", file)) => j.write(&arg.with(file.to_owned())),
            Some(("if", file)) => j.read(&arg.with(file.to_owned())),
            Some(_) => {}
            None => j.found.add(Risk::Dangerous, "what it copies is only known when it runs", arg.span),
        }
    }
}

fn find(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: How<'_>) {
    // What was found stands for everything below the folders that are searched, by the names that are asked for.
    if !parsed.inner.is_empty() {
        let names = ["-name", "-iname", "-path", "-ipath"].iter().filter_map(|name| parsed.value(name));
        for name in names {
            let text = name.known().unwrap_or_default().trim_start_matches('*').replace('*', "x");
            j.read(&name.with(format!("/{}", text.trim_start_matches('/').trim_start_matches("."))));
            j.read(&name.with(format!("/x{text}")));
        }
    }
    let starts: Vec<&str> = parsed.words.iter().filter_map(|arg| arg.known()).collect();
    let unknown = parsed.words.len() != starts.len();
    for inner in &parsed.inner {
        let mut args: Vec<Arg> = Vec::new();
        for arg in *inner {
            if !arg.known().is_some_and(|text| text.contains("{}")) {
                args.push(arg.clone());
            } else if unknown || arg.known() != Some("{}") {
                args.push(Arg {
                    text: Text::Unknown { prefix: String::new(), split: false },
                    span: arg.span,
                });
            } else {
                let folders = if starts.is_empty() { vec!["."] } else { starts.clone() };
                args.extend(folders.iter().map(|start| Arg {
                    text: Text::Glob { pattern: format!("{start}/*"), tilde: start.starts_with('~') },
                    span: arg.span,
                }));
            }
        }
        if args.is_empty() {
            let span = parsed.flags.first().map_or(Span { start: 0, end: 0 }, |given| given.span);
            j.unread("which program runs is not known", span);
        }
        let encrypts = ["openssl", "gpg", "age", "ccrypt", "ccencrypt", "7z", "mcrypt"];
        if let Some(program) =
            args.first().filter(|arg| arg.known().is_some_and(|name| encrypts.contains(&name)))
        {
            j.found.add(Risk::Dangerous, "encrypts whatever it finds", program.span);
        }
        j.run(&args, how);
    }
    if parsed.has("-delete") {
        remove(j, parsed, true);
    }
}

fn sed(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    for script in code::texts(parsed) {
        match script.known() {
            Some(text) => {
                let risk = if parsed.has("--sandbox") { Risk::Safe } else { scripts::sed(text) };
                j.found.add(risk, "its editing script may write files or run commands", script.span);
            }
            None => j.found.add(Risk::Dangerous, "its editing script is only known when it runs", span),
        }
    }
}

fn awk(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    for program in code::texts(parsed) {
        match program.known() {
            Some(text) => {
                let risk = scripts::awk(text);
                let runs = text.contains("system")
                    || text.contains("getline")
                    || text.contains('@')
                    || text.contains('|');
                match scripts::awk_files(text).filter(|_| risk > Risk::Safe && !runs) {
                    Some(files) => files.iter().for_each(|file| j.write(&program.with((*file).to_owned()))),
                    None => j.found.add(risk, "its program may write files or run commands", program.span),
                }
            }
            None => j.found.add(Risk::Dangerous, "its program is only known when it runs", span),
        }
    }
}

fn tar(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let archive = parsed.value("-f").cloned();
    if parsed.has("-O") {
        return;
    }
    if parsed.has("-x") && parsed.value("-C").is_none() {
        for folder in j.joined(Path::new("")) {
            let span = parsed.flags.first().map_or(Span { start: 0, end: 0 }, |given| given.span);
            j.write_at(&j.workspace.paths.resolve(&folder), span);
        }
    } else if (parsed.has("-c") || parsed.has("-r") || parsed.has("-u"))
        && let Some(archive) = archive.filter(|archive| archive.known() != Some("-"))
    {
        j.write(&archive);
    }
}

fn cd(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: How<'_>) {
    let target = match parsed.words.first() {
        None => Some(j.workspace.home.clone()),
        // "-" goes back, and every folder so far stays possible anyway.
        Some(arg) if arg.known() == Some("-") => return,
        Some(arg) => match j.target(arg) {
            Target::At(paths) => paths.into_iter().next(),
            Target::Inside { .. } | Target::Unknown => None,
        },
    };
    j.enter(target, how);
}

fn export(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: How<'_>) {
    if parsed
        .doubtful
        .iter()
        .any(|arg| arg.known().is_some_and(|text| text.contains('n') && !text.starts_with("--")))
    {
        j.variables.all_unknown = true;
    }
    for arg in &parsed.words {
        match &arg.text {
            Text::Known { text, .. } => {
                let (name, value) =
                    text.split_once('=').map_or((text.as_str(), None), |(name, value)| (name, Some(value)));
                j.assignment(name, value, arg.span);
                if value.is_some() || how.context.in_function {
                    j.variables.set(
                        name.trim_end_matches('+'),
                        value.filter(|_| !name.ends_with('+')).map(str::to_owned),
                    );
                }
            }
            Text::Glob { pattern: text, .. } | Text::Unknown { prefix: text, .. } => {
                match text.split_once('=') {
                    Some((name, _)) => {
                        j.assignment(name, None, arg.span);
                        j.variables.forget(name);
                    }
                    None => {
                        j.found.add(
                            Risk::Dangerous,
                            "which variable it sets is only known when it runs",
                            arg.span,
                        );
                        j.variables.all_unknown = true;
                    }
                }
            }
        }
    }
}

/// Variables that get a value which cannot be known from here.
fn names(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, name: &str) {
    if name == "printf" {
        if let Some(variable) = parsed.value("-v") {
            match variable.known() {
                Some(name) => {
                    j.assignment(name, None, variable.span);
                    j.variables.forget(name);
                }
                None => j.variables.all_unknown = true,
            }
        }
        return;
    }
    tools::subscripts(j, &parsed.words);
    for arg in &parsed.words {
        match arg.known() {
            Some(text) => {
                j.assignment(text, None, arg.span);
                j.variables.forget(text.split('=').next().unwrap_or(text));
            }
            None => j.variables.all_unknown = true,
        }
    }
}

/// Looked up by name or port, or kept from a start: `$(pgrep x)`, `$PID`, or what `lsof -t` hands to `xargs`.
fn names_process(j: &Judge<'_>, arg: &Arg) -> bool {
    const LOOKUPS: [&str; 9] = [
        "$(pgrep ",
        "$(pidof ",
        "$!",
        "$(cat ",
        "$(lsof ",
        "$(fuser ",
        "$(ps ",
        "$(systemctl show",
        "$(jobs -p",
    ];
    let text = j.found.fragment(arg.span).trim_start_matches('"').replacen('`', "$(", 1);
    let named = text.strip_prefix("$").is_some_and(|name| {
        let name = name.trim_matches(['{', '}', '"']).to_lowercase();
        name.ends_with("pid") && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    let from_list = ["lsof", "pgrep", "pidof", "fuser", "awk", "jobs", "cut"];
    named
        || LOOKUPS.iter().any(|start| text.starts_with(start))
        || !text.starts_with('$')
            && j.before_in_pipeline.as_deref().is_some_and(|before| from_list.contains(&before))
}

fn kill(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for arg in &parsed.words {
        match arg.known() {
            Some("1" | "0") => j.found.add(Risk::Dangerous, "ends what everything else depends on", arg.span),
            Some(_) => {}
            None if names_process(j, arg) => {
                j.found.add(Risk::Caution, "which process it ends is looked up when it runs", arg.span);
            }
            None => {
                j.found.add(Risk::Dangerous, "which process it ends is only known when it runs", arg.span)
            }
        }
    }
    let group =
        |text: &str| text.strip_prefix('-').is_some_and(|rest| rest.parse::<u32>().is_ok_and(|id| id > 64));
    for arg in parsed.words.iter().chain(&parsed.given).filter(|arg| arg.known().is_some_and(group)) {
        j.found.add(Risk::Dangerous, "ends a whole group of processes", arg.span);
    }
    for arg in &parsed.doubtful {
        if parsed.ended || arg.known() == Some("-1") {
            j.found.add(Risk::Dangerous, "may end every process of yours", arg.span);
        }
    }
}

/// Whether what comes in is known text: a here-document or here-string without expansions.
pub(super) fn comes_in(j: &Judge<'_>, how: How<'_>) -> Option<Option<String>> {
    let last = how.redirects.iter().rev().find(|redirect| redirect.fd.is_none_or(|fd| fd == 0));
    match last.map(|redirect| (redirect.kind, &redirect.target.value)) {
        Some((
            RedirectKind::HereDocument | RedirectKind::HereString,
            planwright_shell::Value::Known { text, .. },
        )) => Some(Some(text.clone())),
        Some((RedirectKind::Read, planwright_shell::Value::Known { text, .. })) if text == "/dev/null" => {
            None
        }
        Some((
            RedirectKind::HereDocument
            | RedirectKind::HereString
            | RedirectKind::Read
            | RedirectKind::ReadWrite,
            _,
        )) => Some(None),
        Some(_) | None => (how.context.piped_from || j.fed).then_some(None),
    }
}
