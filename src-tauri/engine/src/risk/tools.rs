//! Editors, terminals and other tools whose words decide what they do.

use planwright_shell::Span;

use super::args::Parsed;
use super::code;
use super::judge::{CallContext, Judge};
use super::place::{Place, place};
use super::special::comes_in;
use super::targets::Target;
use super::words::Arg;
use crate::knowledge::{Deed, Role, Takes};
use crate::protocol::Risk;

/// Questions to another machine: harmless unless what is asked is put together from something here.
pub(super) fn asks(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    j.found.effects.uses_network = true;
    if parsed.words.iter().any(|word| word.is_unknown()) {
        j.found.add(Risk::Dangerous, "what it sends to another machine is only known when it runs", span);
    }
}

/// `telnet` and `nmap`: a look at a port, unless a program is at either end.
pub(super) fn connection(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: CallContext<'_>) {
    // What was kept of earlier connections is only read.
    let kept = parsed.entry.flags.get("--read-file").is_some() && parsed.has("-r");
    let fed = !kept && (how.context.piped_from || how.context.piped_into || comes_in(j, how).is_some());
    if fed || parsed.words.iter().any(|word| word.is_unknown()) {
        j.found.add(Risk::Dangerous, "sends to another machine, or hands on what that says", span);
    }
}

/// Keys that are made over keys that are there, or without anybody being asked.
pub(super) fn key_files(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    let Some(file) = parsed.value("-f") else { return };
    let makes = parsed.has("-N") || parsed.has("-t");
    let answered = how.context.piped_from || comes_in(j, how).is_some();
    let there = match j.target(file) {
        Target::At(paths) => paths.iter().any(|path| j.workspace.paths.exists(path)),
        Target::Inside { .. } | Target::Unknown => true,
    };
    let shows =
        ["-l", "-B", "-F"].iter().any(|name| parsed.given.iter().any(|arg| arg.known() == Some(name)));
    let system = matches!(j.target(file), Target::At(paths)
        if paths.iter().any(|path| place(path, &j.anchors) == Place::System));
    if system
        && !shows
        && !parsed.given.iter().any(|arg| arg.known().is_some_and(|text| text.starts_with("-l")))
    {
        j.found.add(Risk::Dangerous, "changes keys of the machine", file.span);
    }
    if makes && (there || answered) {
        j.found.add(Risk::Dangerous, "may replace a key that is there", file.span);
    }
}

/// `openssl s_client`: a look at a certificate, unless something of this machine is sent along.
pub(super) fn handshake(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span, how: CallContext<'_>) {
    if parsed.words.first().and_then(|word| word.known()) != Some("s_client") {
        return;
    }
    j.found.effects.uses_network = true;
    let told = matches!(j.before_in_pipeline.as_deref(), Some("echo" | "printf" | "true" | ":"));
    let nothing = how.redirects.iter().any(|redirect| redirect.target.raw == "/dev/null");
    let fed = if how.context.piped_from { !told } else { comes_in(j, how).is_some() && !nothing };
    let shows = parsed.given.iter().all(|arg| arg.known() != Some("-quiet"));
    if fed || how.context.piped_into && !shows {
        j.found.add(Risk::Dangerous, "sends to another machine, or hands on what that says", span);
    }
}

/// Editors and pagers whose own commands can run programs.
pub(super) fn editor(
    j: &mut Judge<'_>,
    parsed: &Parsed<'_, '_>,
    name: &str,
    span: Span,
    how: CallContext<'_>,
) {
    let runs = |text: &str| {
        [
            "!", "system", "shell", "python", "py3", "lua", "call ", "source", "exec", "delete", "process",
            "write", " w ",
        ]
        .iter()
        .any(|word| text.contains(word))
            || super::embedded::risk(name, text) == Risk::Dangerous
    };
    let started =
        parsed.words.iter().copied().filter(|word| word.known().is_some_and(|text| text.starts_with('+')));
    // What plug-ins are kept fresh with, and ways out.
    const CARES: [&str; 15] = [
        "qa!",
        "q!",
        "qall!",
        "wq!",
        "wqa!",
        "x!",
        "+Lazy! sync",
        "+Lazy! update",
        "+Lazy! install",
        "+Lazy! restore",
        "+PlugInstall",
        "+PlugUpdate",
        "+qall!",
        "+qa!",
        "+q!",
    ];
    for text in code::texts(parsed).into_iter().chain(started) {
        if text.known().is_some_and(|text| CARES.contains(&text)) {
            continue;
        }
        if text.known().is_none_or(runs) {
            j.found.add(Risk::Dangerous, "its own commands may run programs or change files", text.span);
        }
    }
    // `gdb --args ./build/app --once`: the program behind is run.
    if let Some(at) = parsed.all.iter().position(|arg| matches!(arg.known(), Some("--args" | "-args"))) {
        j.run(parsed.all.get(at + 1..).unwrap_or_default(), how);
    }
    if name == "ed" {
        match comes_in(j, how) {
            Some(Some(text)) => super::ed::script(j, &text, span),
            Some(None) => {
                j.found.add(Risk::Dangerous, "its own commands may run programs or change files", span);
            }
            None => {}
        }
        return;
    }
    let typed =
        matches!(name, "vim" | "vi" | "nvim") && parsed.words.iter().all(|word| word.known() != Some("-"));
    if typed && !parsed.words.is_empty() && comes_in(j, how) == Some(None) {
        j.found.add(Risk::Dangerous, "its own commands may run programs or change files", span);
    }
    let scripted =
        matches!(name, "ex") || parsed.given.iter().any(|arg| matches!(arg.known(), Some("-es" | "-s")));
    if let (true, Some(text)) = (scripted, comes_in(j, how))
        && text.as_deref().is_none_or(runs)
    {
        j.found.add(Risk::Dangerous, "its own commands may run programs or change files", span);
    }
}

/// Text for a shell among the flags (`su -c`, `flock -c`), or as the words after the first (`ssh host …`).
pub(super) fn shell_text(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, name: &str, how: CallContext<'_>) {
    if name == "su" && !parsed.has("-c") {
        let span =
            parsed.words.first().or(parsed.given.first()).map_or(Span { start: 0, end: 0 }, |arg| arg.span);
        j.found.add(Risk::Dangerous, "opens a shell as someone else", span);
    }
    if name == "su"
        && how.context.piped_from
        && let Some(word) = parsed.words.first().or(parsed.given.first())
    {
        j.found.add(Risk::Dangerous, "hands somebody a password that a person would type", word.span);
    }
    for given in &parsed.flags {
        if given.flag.value != Takes::Value(Role::Code) {
            continue;
        }
        match given.value.as_ref().map(|value| (value.known(), value.span)) {
            Some((Some(text), at)) => {
                let before = j.elevated;
                j.elevated |= parsed.entry.does(Deed::Privilege);
                j.shell_text(text, at);
                j.elevated = before;
            }
            Some((None, at)) => j.unread("runs text that is only known when it runs", at),
            None => {}
        }
    }
    if matches!(name, "tmux" | "byobu") {
        terminal(j, parsed, how);
    }
    if name == "expect" {
        answers(j, parsed);
    }
    if matches!(name, "hyperfine" | "concurrently") {
        for word in &parsed.words {
            match word.known() {
                Some(text) => j.shell_text(text, word.span),
                None => j.unread("runs text that is only known when it runs", word.span),
            }
        }
    }
}

/// `expect -c 'spawn passwd; …'`: what a program asks a person is answered by nobody.
fn answers(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    const ASKERS: [&str; 9] = ["passwd", "su", "sudo", "chsh", "ssh", "scp", "sftp", "doas", "ssh-keygen"];
    for given in &parsed.flags {
        let Some(text) = given.value.as_ref().and_then(Arg::known) else { continue };
        let mut words = text
            .split(|c: char| c.is_whitespace() || ";{}\"".contains(c))
            .skip_while(|word| *word != "spawn");
        let spawned = words.by_ref().skip(1).find(|word| !word.is_empty() && !word.starts_with('-'));
        if spawned.is_some_and(|program| ASKERS.contains(&program.rsplit('/').next().unwrap_or(program))) {
            j.found.add(
                Risk::Dangerous,
                "answers what a program asks about passwords or other machines",
                given.span,
            );
        }
    }
}

/// `tmux new-session -d 'npm run dev'`: a single text is a shell's; several words are not followed.
fn terminal(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    const OPENS: [&str; 6] = ["new-session", "new", "new-window", "neww", "split-window", "splitw"];
    let several = parsed.all.iter().any(|arg| arg.known() == Some(";"));
    if let Some(first) = parsed.all.first().filter(|_| several) {
        // `tmux new -d 'a' \; split-window 'b'`: as if each were given alone.
        for part in parsed.all.split(|arg| arg.known() == Some(";")).filter(|part| !part.is_empty()) {
            let whole: Vec<Arg> =
                std::iter::once(first.with("tmux".to_owned())).chain(part.iter().cloned()).collect();
            j.run(&whole, how);
        }
        return;
    }
    let Some((verb, texts)) = parsed.words.split_first() else { return };
    if !verb.known().is_some_and(|verb| OPENS.contains(&verb)) {
        return;
    }
    for given in parsed.flags.iter().filter(|given| given.flag.names.iter().any(|name| name == "-e")) {
        let Some((name, value)) =
            given.value.as_ref().and_then(Arg::known).and_then(|text| text.split_once('='))
        else {
            continue;
        };
        j.assignment(name, Some(value), given.span);
    }
    // Behind the first word every option is the command's own, whatever it is taken for here.
    let own = texts
        .first()
        .is_some_and(|text| parsed.given.iter().any(|arg| parsed.number_of(arg) >= parsed.number_of(text)));
    match texts {
        [] => {}
        [text] if own => j.unread("runs a command that could not be followed", text.span),
        [text] => match text.known().filter(|known| !known.ends_with(';')) {
            Some(known) => j.shell_text(known, text.span),
            None => j.unread("runs text that is only known when it runs", text.span),
        },
        [first, ..] => j.unread("runs a command that could not be followed", first.span),
    }
}

/// `alias name='text'`.
pub(super) fn alias(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    for word in &parsed.words {
        match word.known().map(|text| text.split_once('=')) {
            Some(Some((name, text))) => {
                if matches!(name, "sudo" | "su" | "doas" | "ssh" | "cd" | "passwd") {
                    j.found.add(
                        Risk::Dangerous,
                        "puts something else behind a name that is trusted",
                        word.span,
                    );
                }
                j.shell_text(text, word.span);
                if j.command.contains("expand_aliases") && harms_a_folder(j, text, word.span) {
                    j.unread("gives a name another meaning for what follows", word.span);
                }
            }
            Some(None) => {}
            None => {
                j.found.add(Risk::Dangerous, "what the name stands for is only known when it runs", word.span)
            }
        }
    }
}

/// Whether `text`, with a folder behind it, does harm: what stands behind an alias is added to it.
fn harms_a_folder(j: &mut Judge<'_>, text: &str, span: Span) -> bool {
    let Some(commands) = super::plain::read(&format!("{text} ~"), span) else { return false };
    j.tried_text(&commands) >= Risk::Dangerous
}

/// `set +o history`, `sysctl name=value`.
pub(super) fn set(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, name: &str) {
    for word in &parsed.words {
        let text = word.known().unwrap_or_default();
        if name == "sysctl" && (text.contains('=') || word.is_unknown()) {
            j.found.add(Risk::Dangerous, "changes a setting of the kernel", word.span);
        }
        // Which names a pattern fits; nothing hidden comes in, and the text is read no other way.
        let tame = ["globstar", "nullglob", "failglob", "checkwinsize", "nocaseglob"];
        let sets = parsed.has("-s") || parsed.has("-u") || !parsed.doubtful.is_empty();
        if name == "shopt" && sets && !tame.contains(&text) {
            j.found.add(Risk::Caution, "changes how the shell behaves", word.span);
        }
        if name == "set" && text == "history" {
            j.found.add(Risk::Dangerous, "hides what is run from the list of past commands", word.span);
        }
    }
    // Days and more are kept; what empties the log hides what happened.
    if let Some(kept) = parsed.value("--vacuum-time") {
        let long = ["d", "day", "days", "w", "week", "weeks", "month", "months", "y", "year", "years"];
        let unit = kept.known().map(|text| text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '));
        if !unit.is_some_and(|unit| long.contains(&unit)) {
            j.found.add(Risk::Dangerous, "deletes nearly all of the log", kept.span);
        }
    }
    if let Some(kept) = parsed.value("--vacuum-size") {
        let enough = kept.known().is_some_and(|text| {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let (number, unit) = text.split_at(end);
            let number = number.parse::<u64>().unwrap_or(0);
            match unit {
                "M" | "MB" => number >= 50,
                "G" | "GB" | "T" => number >= 1,
                _ => false,
            }
        });
        if !enough {
            j.found.add(Risk::Dangerous, "deletes nearly all of the log", kept.span);
        }
    }
    for value in parsed.flags.iter().filter_map(|given| given.value.as_ref()) {
        if name == "set" && value.known() == Some("history") {
            j.found.add(Risk::Dangerous, "changes whether past commands are kept", value.span);
        }
    }
}

/// `test -v 'a[$(…)]'` runs what stands in the brackets.
pub(super) fn subscripts(j: &mut Judge<'_>, words: &[&Arg]) {
    for word in words {
        let hides = |text: &str| text.contains('[') && (text.contains("$(") || text.contains('`'));
        if word.known().is_some_and(hides) {
            j.found.add(Risk::Dangerous, "can run what stands in the brackets", word.span);
        }
    }
}
