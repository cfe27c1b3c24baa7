//! Commands that run a command: the inner one is judged like any other.

use planwright_shell::Span;

use super::args::{Parsed, parse};
use super::endless;
use super::judge::{CallContext, Judge, assigned};
use super::runs::Run;
use super::words::{Arg, Text};
use crate::knowledge::{Deed, Role, Rules, Takes, Wrapper};
use crate::protocol::Risk;

pub(super) fn judge(
    judge: &mut Judge<'_>,
    wrapper: Wrapper,
    parsed: &Parsed<'_, '_>,
    program: &Arg,
    how: CallContext<'_>,
) {
    let set = assigned(&parsed.words);
    let how = CallContext { assigned: how.assigned || !set.is_empty(), ..how };
    for (arg, name, value) in set {
        judge.assignment(&name, value.as_deref(), arg.span);
    }
    if parsed.flags.iter().any(|given| given.flag.only_names) {
        return;
    }
    if let Some(given) = parsed.flags.iter().find(|given| given.flag.shell) {
        judge.found.add(Risk::Dangerous, given.flag.says.clone(), given.span);
    }
    if judge.elevated && is_one_of(program, &["strace", "ltrace"]) && parsed.has("-p") {
        judge.found.add(
            Risk::Dangerous,
            "watches what a process of somebody else says and reads",
            program.span,
        );
    }
    let many = |value: &Arg| {
        value.known().and_then(|text| text.parse().ok()).is_some_and(|many: u64| many >= endless::UNBEARABLE)
    };
    let at_once = ["-P", "-j"].iter().find_map(|name| parsed.value(name)).filter(|value| many(value));
    if let Some(value) = at_once.filter(|_| is_one_of(program, &["xargs", "parallel"])) {
        judge.found.add(Risk::Dangerous, endless::TOO_MANY, value.span);
    }
    // `strace -o '|command'`: what it finds is handed to a shell.
    let told =
        parsed.value("--output").filter(|_| is_one_of(program, &["strace", "ltrace", "rr", "uftrace"]));
    if let Some(value) = told
        && let Some(text) = value.known().and_then(|text| text.strip_prefix(['|', '!']))
    {
        judge.shell_text(text, value.span);
    }
    let before = (judge.lost, judge.elevated, judge.elsewhere, judge.receives);
    judge.elevated |= parsed.entry.does(Deed::Privilege);
    // A folder of its own for the inner command: relative paths then lead elsewhere.
    judge.lost |= ["--chdir", "--chroot", "--root", "--wd"].iter().any(|name| parsed.has(name))
        || is_one_of(program, &["ssh", "chroot", "arch-chroot", "nsenter", "systemd-nspawn"]);
    if is_one_of(program, &["ssh", "mosh", "autossh"]) {
        judge.elsewhere = true;
        judge.receives = judge.own_files;
    }
    inner(judge, wrapper, parsed, program, how);
    (judge.lost, judge.elevated, judge.elsewhere, judge.receives) = before;
}

fn inner(
    judge: &mut Judge<'_>,
    wrapper: Wrapper,
    parsed: &Parsed<'_, '_>,
    program: &Arg,
    how: CallContext<'_>,
) {
    let words = parsed.inner.first().copied().unwrap_or_default();
    if let Some(text) = parsed.value("--split-string").filter(|_| is_one_of(program, &["env"])) {
        return split(judge, program, text, words, how);
    }
    let code = parsed.flags.iter().any(|given| given.flag.value == Takes::Value(Role::Code));
    // `flock lock -c TEXT`, `runuser user -c TEXT`
    let user = is_one_of(program, &["runuser"]) && !parsed.has("-u");
    let asks = |arg: &Arg| matches!(arg.known(), Some("-c" | "--command" | "--session-command"));
    let near = if user { words.len() } else { 1 };
    let text_after = words
        .iter()
        .take(near)
        .position(asks)
        .and_then(|at| words.get(at + 1))
        .filter(|_| parsed.entry.rules == Some(Rules::ShellText));
    if user && !code && text_after.is_none() {
        judge.found.add(Risk::Dangerous, "opens a shell as someone else", program.span);
    }
    if let Some(text) = text_after {
        match text.known() {
            Some(known) => judge.shell_text(known, text.span),
            None => judge.unread("runs text that is only known when it runs", text.span),
        }
        return;
    }
    if user {
        return;
    }
    if words.is_empty() {
        return nothing_named(judge, parsed, program, code);
    }
    // `su user -c TEXT` and `runuser user -c TEXT`: the word is the user.
    if code && parsed.entry.rules == Some(Rules::ShellText) {
        return;
    }
    // An option that is not known here may take the next word along, or the word that was left out was the program.
    let is_program =
        |name: &str| name.starts_with(char::is_alphabetic) && crate::knowledge::program(name).is_some();
    let skipped = parsed.words.iter().any(|word| word.known().is_some_and(is_program));
    if !parsed.doubtful.is_empty() || wrapper.skip > 0 && skipped && !wrapper.shell {
        for at in 1..words.len().min(4) {
            let rest = words.get(at..).unwrap_or_default();
            if rest.first().and_then(Arg::known).is_some_and(|name| crate::knowledge::program(name).is_some())
            {
                judge.run(rest, how);
            }
        }
        if skipped {
            let all: Vec<Arg> =
                parsed.words.iter().map(|word| (*word).clone()).chain(words.iter().cloned()).collect();
            judge.run(&all, how);
        }
    }
    if parsed.entry.rules == Some(Rules::Parallel) {
        parallel(judge, parsed, words, how);
    } else if wrapper.shell && !(is_one_of(program, &["watch"]) && parsed.has("--exec")) {
        joined(judge, parsed, words, program);
    } else if wrapper.open {
        let words = match takes_numbers(judge, parsed, how) {
            // Any of them is as good as the mark that stands for it.
            true => words.to_vec(),
            false => opened(judge, parsed, words),
        };
        judge.run(&words, how);
    } else {
        judge.run(words, how);
    }
}

fn is_one_of(program: &Arg, names: &[&str]) -> bool {
    program.known().and_then(|name| name.rsplit('/').next()).is_some_and(|name| names.contains(&name))
}

/// No command is named: some then open a shell, or take commands from what comes in.
fn nothing_named(judge: &mut Judge<'_>, parsed: &Parsed<'_, '_>, program: &Arg, code: bool) {
    const OPENS: [&str; 7] =
        ["unshare", "nsenter", "chroot", "arch-chroot", "runuser", "systemd-nspawn", "sg"];
    if is_one_of(program, &["parallel"]) {
        judge.unread("runs whatever comes in as commands", program.span);
    } else if is_one_of(program, &OPENS) && !code && !parsed.given.iter().any(|arg| shows_itself(arg)) {
        judge.found.add(Risk::Dangerous, "opens a shell with other rights", program.span);
    }
}

fn shows_itself(arg: &Arg) -> bool {
    matches!(arg.known(), Some("--help" | "-h" | "--version" | "-V"))
}

/// `env -S 'A=1 ls -l'`: the text is taken apart, then read as words of `env`.
fn split(judge: &mut Judge<'_>, program: &Arg, text: &Arg, rest: &[Arg], how: CallContext<'_>) {
    let plain = |c: char| c.is_ascii_alphanumeric() || " \t_./:,@%+-=~".contains(c);
    match text.known().filter(|known| known.chars().all(plain)) {
        Some(known) => {
            let own = known.split_whitespace().map(|word| text.with(word.to_owned()));
            let args: Vec<Arg> =
                std::iter::once(program.clone()).chain(own).chain(rest.iter().cloned()).collect();
            judge.run(&args, how);
        }
        None => judge.unread("runs text that could not be analysed", text.span),
    }
}

/// Words that are put together to a text, which a shell then reads.
fn joined(judge: &mut Judge<'_>, parsed: &Parsed<'_, '_>, words: &[Arg], program: &Arg) {
    let mut words = words;
    let own: Vec<Arg>;
    // `ssh host -p 22 ls`: options may follow the host.
    if is_one_of(program, &["ssh"]) && words.first().is_some_and(Arg::may_be_flag) {
        let again = parse(parsed.entry, words);
        let first = again.words.first().map(|word| (*word).clone());
        let rest = again.inner.first().copied().unwrap_or_default();
        own = first.into_iter().chain(rest.iter().cloned()).collect();
        words = &own;
    }
    if words.is_empty() {
        return;
    }
    judge.same_shell = is_one_of(program, &["eval"]);
    match words.iter().map(Arg::known).collect::<Option<Vec<&str>>>() {
        Some(words) if is_one_of(program, &["watch"]) => {
            judge.shell_text_as_it_is(&words.join(" "), program.span);
        }
        Some(words) => judge.shell_text(&words.join(" "), program.span),
        None if words.iter().all(|arg| sets_up_shell(judge.found.fragment(arg.span))) => {
            judge.found.add(
                Risk::Caution,
                "runs what a well-known program prints to set up the shell",
                program.span,
            );
            judge.runs.push(Run::unread());
            judge.variables.all_unknown = true;
        }
        None => judge.unread("runs text that could not be analysed", program.span),
    }
    judge.same_shell = false;
}

/// `eval "$(ssh-agent -s)"` and the like: programs made to print what a shell should run.
fn sets_up_shell(text: &str) -> bool {
    const PRINTERS: [&str; 21] = [
        "ssh-agent",
        "direnv",
        "pyenv",
        "rbenv",
        "nodenv",
        "brew",
        "starship",
        "zoxide",
        "fnm",
        "mise",
        "dircolors",
        "atuin",
        "goenv",
        "jenv",
        "keychain",
        "opam",
        "thefuck",
        "minikube",
        "docker-machine",
        "asdf",
        "/opt/homebrew/bin/brew",
    ];
    let inner = text.trim_matches('"').strip_prefix("$(").and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| {
        inner.split_whitespace().next().is_some_and(|name| PRINTERS.contains(&name))
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || " -_./".contains(c))
    })
}

/// `parallel rm ::: a b` and `parallel 'rm {}' ::: a`: the command ends where the inputs begin.
fn parallel(judge: &mut Judge<'_>, parsed: &Parsed<'_, '_>, inner: &[Arg], how: CallContext<'_>) {
    let end = inner
        .iter()
        .position(|arg| matches!(arg.known(), Some(":::" | "::::" | ":::+" | "::::+")))
        .unwrap_or(inner.len());
    let command = inner.get(..end).unwrap_or_default();
    let inputs = inner.get(end..).unwrap_or_default();
    let from_files = inputs.iter().any(|arg| matches!(arg.known(), Some("::::" | "::::+")));
    let values: Vec<Arg> = inputs
        .iter()
        .filter(|arg| !matches!(arg.known(), Some(":::" | ":::+")) && !from_files)
        .cloned()
        .collect();
    match command {
        [] => match values.as_slice() {
            [] => judge.unread(
                "runs whatever comes in as commands",
                inner.first().map_or(Span { start: 0, end: 0 }, |arg| arg.span),
            ),
            values => {
                for value in values {
                    match value.known() {
                        Some(text) => judge.shell_text(text, value.span),
                        None => judge.unread("runs whatever comes in as commands", value.span),
                    }
                }
            }
        },
        [first, ..] if first.known().is_some_and(|text| text.starts_with('{')) && !values.is_empty() => {
            judge.unread("which program runs is only known when it runs", first.span);
        }
        [one] if one.known().is_some_and(|text| !text.chars().all(names_program)) => {
            judge.shell_text(&one.known().unwrap_or_default().replace("{}", "$x"), one.span);
        }
        // What a shell is given is text of its own again.
        [first, ..]
            if is_one_of(first, &["sh", "bash", "dash", "zsh", "eval", "env", "sudo"])
                && !values.is_empty() =>
        {
            judge.unread("runs whatever comes in as commands", first.span);
        }
        [..] if values.is_empty() => {
            let words = opened(judge, parsed, command);
            judge.run(&words, how);
        }
        [..] => {
            let mark = command.iter().any(|arg| arg.known().is_some_and(|text| text.contains('{')));
            for value in &values {
                let words: Vec<Arg> = command
                    .iter()
                    .map(|arg| match arg.known() {
                        Some("{}") => value.clone(),
                        Some(text) if text.contains('{') => Arg {
                            text: Text::Unknown { prefix: String::new(), split: false },
                            span: arg.span,
                        },
                        Some(_) | None => arg.clone(),
                    })
                    .chain((!mark).then(|| value.clone()))
                    .collect();
                judge.run(&words, how);
            }
        }
    }
}

fn names_program(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./+".contains(c)
}

/// The words of an `xargs` command, with what comes in as a word that nobody knows.
fn opened(judge: &Judge<'_>, parsed: &Parsed<'_, '_>, inner: &[Arg]) -> Vec<Arg> {
    let mark = parsed.value("-I").or(parsed.value("-i")).and_then(Arg::known).unwrap_or("{}");
    let marks = |arg: &Arg| !mark.is_empty() && arg.known().is_some_and(|text| text.contains(mark));
    // `xargs -a <(git ls-files)`
    let own = parsed
        .value("-a")
        .is_some_and(|list| judge.lists_own(&judge.found.fragment(list.span).replacen("<(", "$(", 1)));
    let come_in = |span| match judge.piped.as_slice() {
        [] if own => vec![Arg { text: Text::Glob { pattern: "./*".to_owned(), tilde: false }, span }],
        [] => vec![Arg { text: Text::Unknown { prefix: String::new(), split: false }, span }],
        patterns => patterns.iter().map(|pattern| Arg { text: pattern.clone(), span }).collect(),
    };
    let filled = |arg: &Arg| {
        let text = arg.known().unwrap_or_default();
        let safe = text.starts_with(mark) && !text.contains("/..");
        come_in(arg.span)
            .into_iter()
            .map(|found| match found.text {
                Text::Glob { pattern, tilde } if safe => {
                    Arg { text: Text::Glob { pattern: text.replace(mark, &pattern), tilde }, span: arg.span }
                }
                _ => Arg { text: Text::Unknown { prefix: String::new(), split: false }, span: arg.span },
            })
            .collect::<Vec<_>>()
    };
    let mut words: Vec<Arg> =
        inner.iter().flat_map(|arg| if marks(arg) { filled(arg) } else { vec![arg.clone()] }).collect();
    if let Some(first) = inner.first().filter(|_| !inner.iter().any(marks)) {
        words.extend(come_in(first.span));
    }
    words
}

/// `seq 1 50 | xargs -I{} …`: numbers come in, and nothing else.
fn takes_numbers(judge: &Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    use planwright_shell::RedirectKind;
    let writes = |kind: RedirectKind| {
        matches!(kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::Duplicate)
    };
    let from_pipe = how.context.piped_from
        && how.redirects.iter().all(|redirect| writes(redirect.kind) && redirect.fd != 0);
    let tame = |given: &super::args::Given<'_>| {
        ["-I", "-P", "-n", "-t"].iter().any(|name| given.flag.names.iter().any(|own| own == name))
    };
    let first = judge.pipeline.first().is_some_and(|stage| counts(stage));
    let mark = parsed.value("-I").and_then(Arg::known) == Some("{}");
    // Numbers are processes to it.
    let ends = parsed
        .inner
        .iter()
        .copied()
        .flatten()
        .any(|arg| arg.known().is_none_or(|text| text.contains("kill")));
    from_pipe
        && !ends
        && mark
        && first
        && judge.pipeline.len() == 2
        && !judge.defines("seq")
        && parsed.flags.iter().all(tame)
        && parsed
            .given
            .iter()
            .all(|arg| arg.known().is_some_and(|text| !text.starts_with("-a") && !text.starts_with("--a")))
}

/// `seq 1 50`
fn counts(stage: &[String]) -> bool {
    let number = |word: &String| {
        !word.is_empty()
            && word.len() < 10
            && word.chars().all(|c| c.is_ascii_digit() || c == '-' || c == 'w')
    };
    stage
        .split_first()
        .is_some_and(|(name, rest)| name == "seq" && !rest.is_empty() && rest.iter().all(number))
}
