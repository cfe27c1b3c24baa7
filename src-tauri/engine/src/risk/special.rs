//! Programs that data alone cannot describe.

use std::path::{Path, PathBuf};

use planwright_shell::{RedirectKind, SimpleCommand, Span};

use super::args::Parsed;
use super::floor;
use super::judge::{CallContext, Judge};
use super::place::{Place, place};
use super::targets::Target;
use super::words::{Arg, Text};
use super::{
    awk, code, containers, databases, delete, find, git, noted, ownership, packages, recipes, remote,
    remote_copy, scripts, tools,
};
use crate::knowledge::{self, Role, Rules};
use crate::protocol::Risk;

pub(super) fn judge(
    j: &mut Judge<'_>,
    rules: Rules,
    name: &str,
    parsed: &Parsed<'_, '_>,
    span: Span,
    how: CallContext<'_>,
) {
    match rules {
        Rules::Rm => delete::remove(j, parsed, parsed.has("-r")),
        Rules::Ownership => ownership::ownership(j, parsed),
        Rules::Dd => dd(j, parsed),
        Rules::Disk => floor::disk(j, parsed),
        Rules::Mount => floor::mount(j, name, parsed, span),
        Rules::Far => remote_copy::judge(j, name, parsed, span, how),
        Rules::Bucket => remote_copy::bucket(j, parsed),
        Rules::Cluster => remote_copy::cluster(j, name, parsed, how),
        Rules::Find => find::find(j, parsed, how),
        Rules::Each => find::each(j, parsed, how),
        Rules::Sed => sed(j, parsed, span),
        Rules::Awk => awk(j, parsed, span),
        Rules::Tar => tar(j, parsed),
        Rules::Git => git::git(j, parsed, span),
        Rules::GitConfig => git::git_config(j, parsed),
        Rules::Shell => code::shell(j, parsed, span, how),
        Rules::Python => code::python(j, name, parsed, span, how),
        Rules::Script => code::script(j, name, parsed, span, how),
        Rules::Source => code::source(j, parsed, span, how),
        Rules::Trap => code::trap(j, parsed),
        Rules::Cd => cd(j, parsed, how),
        Rules::Export => export(j, parsed, how),
        Rules::Names => names(j, parsed, name),
        Rules::Upload => remote::fetch(j, parsed, span, how),
        Rules::Kill => kill(j, parsed),
        Rules::Editor => tools::editor(j, parsed, name, span, how),
        Rules::Sql => databases::sql(j, parsed, span, how),
        Rules::Store => databases::store(j, parsed, name, span, how),
        Rules::Container => containers::container(j, parsed, how),
        Rules::Asks => tools::asks(j, parsed, span),
        Rules::Connection => tools::connection(j, parsed, span, how),
        Rules::ShellText => tools::shell_text(j, parsed, name, how),
        Rules::Alias => tools::alias(j, parsed),
        // What it runs is judged as what a wrapper runs.
        Rules::Parallel => {}
        Rules::Packages => packages::packages(j, parsed, name, how),
        Rules::KeyFiles => tools::key_files(j, parsed, how),
        Rules::Handshake => tools::handshake(j, parsed, span, how),
        Rules::Set => tools::set(j, parsed, name),
        Rules::Test => tools::subscripts(j, &parsed.words),
        Rules::Make => recipes::make(j, parsed),
        Rules::Move => delete::moves(j, parsed),
        Rules::Groups => ownership::groups(j, parsed),
        Rules::Named => kill_by_name(j, parsed),
    }
}

fn dd(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let noise = parsed.words.iter().any(|arg| {
        arg.known()
            .and_then(|text| text.strip_prefix("if="))
            .is_some_and(|from| ["/dev/zero", "/dev/urandom", "/dev/random"].contains(&from))
    });
    let overwrites = |j: &Judge<'_>, path: &PathBuf| match place(path, &j.anchors) {
        Place::Workspace | Place::Temporary | Place::Nowhere => false,
        Place::Home | Place::Mounted => {
            // A new file that is only filled loses nothing.
            j.workspace.paths.exists(path)
                || parsed.words.iter().any(|arg| arg.known().is_some_and(|text| text.contains("notrunc")))
        }
        Place::Guarded
        | Place::Hidden
        | Place::OtherHome
        | Place::System
        | Place::Disk
        | Place::Spare
        | Place::Device
        | Place::Connection
        | Place::Outside => true,
    };
    for arg in &parsed.words {
        match arg.known().and_then(|text| text.split_once('=')) {
            Some(("of", file)) => {
                let file = arg.with(file.to_owned());
                j.write(&file);
                if noise
                    && !matches!(j.target(&file), Target::At(paths) if paths.iter().all(|path| !overwrites(j, path)))
                {
                    j.found.add(Risk::Dangerous, "writes over a file that is not the workspace's", arg.span);
                }
            }
            Some(("if", file)) => j.read(&arg.with(file.to_owned())),
            Some(_) => {}
            None => j.found.add(Risk::Dangerous, "what it copies is only known when it runs", arg.span),
        }
    }
}

/// What a loop puts into the word at `span`, where that is no pattern.
fn each_text<'p>(parsed: &'p Parsed<'_, '_>, span: Span) -> Option<Vec<&'p str>> {
    let exact = |arg: &'p Arg| match &arg.text {
        Text::Glob { pattern, tilde: false } if !pattern.contains(['*', '?', '[']) => Some(pattern.as_str()),
        Text::Known { .. } | Text::Glob { .. } | Text::Unknown { .. } => None,
    };
    parsed.all.iter().filter(|arg| arg.span == span).map(exact).collect()
}

fn sed(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    if parsed.has("-i") && !parsed.has("--follow-symlinks") {
        for word in parsed.words.iter().filter(|word| j.is_link(word)).copied().collect::<Vec<_>>() {
            let why =
                "puts a file of its own in the place of the link; what the link leads to stays as it is";
            j.found.add(Risk::Caution, why, word.span);
        }
    }
    for script in code::texts(parsed) {
        let counted = with_numbers(j.found.fragment(script.span));
        match script.known().or(counted.as_deref()) {
            Some(text) => {
                let risk = if parsed.has("--sandbox") { Risk::Safe } else { scripts::sed(text) };
                j.found.add(risk, "its editing script may write files or run commands", script.span);
                if parsed.has("-i") && alarms_in_some(parsed, text) {
                    let why = "puts something alarming into a file that runs later";
                    j.found.add(Risk::Dangerous, why, script.span);
                }
                if parsed.has("-i")
                    && matches!(text.replace(' ', "").as_str(), "d" | "1,$d" | "0,$d" | "$!d;d")
                {
                    j.found.add(Risk::Dangerous, "empties the files", script.span);
                }
            }
            // The names of a loop's files are put in.
            None if let Some(texts) = each_text(parsed, script.span) => {
                let risk = texts.iter().map(|text| scripts::sed(text)).max().unwrap_or(Risk::Dangerous);
                j.found.add(risk, "its editing script may write files or run commands", script.span);
            }
            None if matches!(script.text, Text::Glob { .. }) => {
                j.found.add(Risk::Caution, "names of files are put into its editing script", script.span);
            }
            None => j.found.add(Risk::Dangerous, "its editing script is only known when it runs", span),
        }
    }
}

/// Whether what an editing script puts in alarms in one of the files. Of many files a few are looked at by name, and the rest
/// as what alarms soonest.
fn alarms_in_some(parsed: &Parsed<'_, '_>, text: &str) -> bool {
    const FEW: usize = 8;
    let names = parsed.words.iter().take(FEW).filter_map(|file| file.known());
    let others: &[&str] =
        if parsed.words.len() > FEW { &["run.sh", ".github/workflows/run.yml", "agents.md"] } else { &[] };
    names.chain(others.iter().copied()).any(|name| super::alarms::alarm(name, text).is_some())
}

/// `"$((n-5)),$((n+5))p"` with some number for each sum: nothing else can come of one. `None` where there is more to it.
fn with_numbers(script: &str) -> Option<String> {
    let sum = |c: char| c.is_ascii_alphanumeric() || " _+-*/%#$".contains(c);
    let mut rest = script.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    while let Some((before, behind)) = rest.split_once("$((") {
        let (inner, behind) = behind.split_once("))")?;
        if !inner.chars().all(sum) {
            return None;
        }
        text += before;
        text.push('1');
        rest = behind;
    }
    text += rest;
    let plain = !text.contains(['$', '`', '\\', '"']);
    (plain && text.len() < script.len()).then_some(text)
}

fn awk(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    for program in code::texts(parsed) {
        let does = program.known().map(awk::does);
        match does {
            Some(awk::Does::Writes(files)) => {
                files.into_iter().for_each(|file| j.write(&program.with(file)));
            }
            Some(does) => {
                j.found.add(does.risk(), "its program may write files or run commands", program.span);
            }
            None => j.found.add(Risk::Dangerous, "its program is only known when it runs", span),
        }
    }
    // `gawk -i inplace`
    let in_place = parsed.value("-i").and_then(Arg::known) == Some("inplace")
        || parsed.given.iter().any(|arg| matches!(arg.known(), Some("--include=inplace" | "-iinplace")));
    if in_place {
        for (_, file) in parsed.words.iter().enumerate().filter(|(at, _)| parsed.role(*at) == Role::Read) {
            j.write(file);
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
        // `tar cf *.log backup.tar`: the first of the files is taken for the archive.
        if parsed.has("-c") && matches!(archive.text, Text::Glob { .. }) {
            j.found.add(Risk::Dangerous, "writes the archive over the first file that fits", archive.span);
        }
    }
}

fn cd(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    let target = match parsed.words.first() {
        None => Some(j.workspace.home.clone()),
        // `CDPATH=… cd x`
        Some(_) if how.assigned => None,
        // A plain name may be looked for there first.
        Some(arg)
            if !j.variables.never_set("CDPATH", j.workspace.environment)
                && !arg.known().is_some_and(|text| text.starts_with(['.', '/', '~'])) =>
        {
            None
        }
        // "-" goes back, and every folder so far stays possible anyway.
        Some(arg) if arg.known() == Some("-") => return,
        Some(arg) => match j.target(j.made_just_now(arg).as_ref().unwrap_or(arg)) {
            Target::At(paths) => paths.into_iter().next(),
            Target::Inside { .. } | Target::Unknown => None,
        },
    };
    j.enter(target, how);
}

impl Judge<'_> {
    pub(super) fn note_last_made(&mut self, command: &SimpleCommand, args: &[Arg]) {
        let alone = !command.context.piped_from && !command.context.piped_into && !command.context.background;
        if let [program, .., last] = args
            && program.known() == Some("mkdir")
            && alone
            && !self.defines("mkdir")
        {
            self.last_made = Some((command.span.end, last.clone()));
        }
    }

    /// `mkdir -p a/b && cd $_`: the last word of the command before, which has succeeded.
    fn made_just_now(&self, arg: &Arg) -> Option<Arg> {
        let (end, made) = self.last_made.as_ref().filter(|(end, _)| *end <= arg.span.start)?;
        let between = self.found.fragment(Span { start: *end, end: arg.span.end });
        // Of a text that goes on for long the first words are enough to tell.
        let words: Vec<&str> = between.split_whitespace().take(4).collect();
        matches!(words.as_slice(), ["&&", "cd", "$_" | "\"$_\""]).then(|| made.clone())
    }
}

fn export(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
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
    let fragment = j.found.fragment(arg.span);
    // In `trap 'kill $(jobs -p)' EXIT` the whole text stands for the word.
    let inner = fragment.trim_matches(['"', '\'']).strip_prefix("kill ").unwrap_or(fragment);
    let text = inner.trim_start_matches('"').replacen('`', "$(", 1);
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
    if super::shows::only_asks_for(j, parsed) {
        return;
    }
    for arg in &parsed.words {
        match arg.known() {
            Some("1" | "0") => j.found.add(Risk::Dangerous, "ends what everything else depends on", arg.span),
            Some(_) => {}
            None if noted::prints_every_process(j.found.fragment(arg.span)) => {
                j.found.add(Risk::Dangerous, "ends every process", arg.span);
            }
            None if !j.found.fragment(arg.span).contains('$') && noted::is_every_process(j) => {
                j.found.add(Risk::Dangerous, "ends every process", arg.span);
            }
            None if j.is_started_here(j.found.fragment(arg.span)) => {
                j.found.add(Risk::Caution, "ends what was started here", arg.span);
            }
            None if names_vital(j.found.fragment(arg.span)) => {
                j.found.add(Risk::Dangerous, "ends or stops what the machine needs", arg.span);
            }
            None if names_process(j, arg) => {
                // Those of everybody, then.
                let risk = if j.elevated { Risk::Dangerous } else { Risk::Caution };
                j.found.add(risk, "which process it ends is looked up when it runs", arg.span);
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

/// `$(pgrep 'sshd|dbus')`: what `pkill` would ask about by that name.
fn names_vital(fragment: &str) -> bool {
    let Some(verbs) = knowledge::program("pkill").and_then(|pkill| pkill.verbs.as_ref()) else { return true };
    let looked_up = ["pgrep", "pidof"].iter().find_map(|program| fragment.split_once(program));
    looked_up.is_some_and(|(_, names)| {
        let mut names = names.split(|c: char| !(c.is_alphanumeric() || "-_".contains(c)));
        names.any(|name| {
            name.len() > 2
                && !name.starts_with('-')
                && verbs.risk(&[name], &[], false, &[]) == Some(Risk::Dangerous)
        })
    })
}

/// `pkill -f .*`: a pattern with hardly a letter in it means every program.
fn kill_by_name(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for word in parsed.words.iter().filter(|word| {
        word.known().is_some_and(|text| {
            let open = text.contains(['*', '?', '|', '[', '^', '$']) || text.contains(".+");
            open && text.chars().filter(|c| c.is_alphanumeric()).count() < 4
        })
    }) {
        j.found.add(Risk::Dangerous, "ends whatever its pattern fits", word.span);
    }
}

/// What comes in, and whether it is known text: a here-document or here-string without expansions, also by way of `cat`,
/// or a file that this text wrote.
pub(super) fn comes_in(j: &Judge<'_>, how: CallContext<'_>) -> Option<Option<String>> {
    let last = how.redirects.iter().rev().find(|redirect| redirect.fd == 0);
    match last.map(|redirect| (redirect.kind, &redirect.target.value)) {
        Some((
            RedirectKind::HereDocument | RedirectKind::HereString,
            planwright_shell::Value::Known { text, .. },
        )) => Some(Some(text.clone())),
        Some((RedirectKind::Read, planwright_shell::Value::Known { text, .. })) if text == "/dev/null" => {
            None
        }
        Some((RedirectKind::Read, _)) => {
            let files = last.map(|redirect| j.variables.expand(&redirect.target, j.workspace.environment));
            let file = files.as_deref().and_then(<[Arg]>::first);
            Some(file.and_then(|file| j.settled_text(file, how)))
        }
        Some((RedirectKind::HereDocument | RedirectKind::HereString | RedirectKind::ReadWrite, _))
        // `bash <&"${COPROC[0]}"`
        | Some((RedirectKind::Duplicate, planwright_shell::Value::Unknown { .. })) => Some(None),
        // `exec 3<<<'…'; bash <&3`: whatever was opened there before.
        Some((RedirectKind::Duplicate, planwright_shell::Value::Known { text, .. }))
            if text.chars().all(|c| c.is_ascii_digit()) && !matches!(text.as_str(), "0" | "1" | "2") =>
        {
            Some(None)
        }
        Some(_) | None if how.context.piped_from => Some(j.handed_on.clone()),
        Some(_) | None => j.fed.then_some(None),
    }
}
