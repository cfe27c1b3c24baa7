//! Commands that run a command: the inner one is judged like any other.

use super::args::Parsed;
use super::judge::{How, Judge, assigned};
use super::runs::Run;
use super::words::{Arg, Text};
use crate::knowledge::{Rules, Wrapper};
use crate::protocol::Risk;

pub(super) fn judge(
    judge: &mut Judge<'_>,
    wrapper: Wrapper,
    parsed: &Parsed<'_, '_>,
    program: &Arg,
    how: How<'_>,
) {
    let set = assigned(&parsed.words);
    let how = How { assigned: how.assigned || !set.is_empty(), ..how };
    for (arg, name) in set {
        let value = arg.known().and_then(|text| text.split_once('=')).map(|(_, value)| value);
        judge.assignment(&name, value, arg.span);
    }
    if parsed.flags.iter().any(|given| given.flag.only_names) {
        return;
    }
    if let Some(given) = parsed.flags.iter().find(|given| given.flag.shell) {
        judge.found.add(Risk::Dangerous, given.flag.says.clone(), given.span);
    }
    let Some(inner) = parsed.inner.first().filter(|inner| !inner.is_empty()) else { return };
    let lost = judge.lost;
    // A folder of its own for the inner command: relative paths then lead elsewhere.
    judge.lost |= ["--chdir", "--chroot"].iter().any(|name| parsed.has(name));
    // An option that is not known here may take the next word along: then the program stands further on.
    if !parsed.doubtful.is_empty() {
        for at in 1..inner.len().min(4) {
            let rest = inner.get(at..).unwrap_or_default();
            if rest.first().and_then(Arg::known).is_some_and(|name| crate::knowledge::program(name).is_some())
            {
                judge.run(rest, how);
            }
        }
    }
    if parsed.entry.rules == Some(Rules::Parallel) {
        parallel(judge, parsed, inner, how);
    } else if wrapper.shell && !parsed.has("-x") {
        match inner.iter().map(Arg::known).collect::<Option<Vec<&str>>>() {
            Some(words) => judge.shell_text(&words.join(" "), program.span),
            None if inner.iter().all(|arg| sets_up_shell(judge.found.fragment(arg.span))) => {
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
    } else if wrapper.open {
        let words = opened(judge, parsed, inner);
        judge.run(&words, how);
    } else {
        judge.run(inner, how);
    }
    judge.lost = lost;
}

/// `eval "$(ssh-agent -s)"` and the like: programs made to print what a shell should run.
fn sets_up_shell(text: &str) -> bool {
    const PRINTERS: [&str; 18] = [
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
        "/opt/homebrew/bin/brew",
    ];
    let inner = text.trim_matches('"').strip_prefix("$(").and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| {
        inner.split_whitespace().next().is_some_and(|name| PRINTERS.contains(&name))
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || " -_./".contains(c))
    })
}

/// `parallel rm ::: a b` and `parallel 'rm {}' ::: a`: the command ends where the inputs begin.
fn parallel(judge: &mut Judge<'_>, parsed: &Parsed<'_, '_>, inner: &[Arg], how: How<'_>) {
    let end = inner
        .iter()
        .position(|arg| matches!(arg.known(), Some(":::" | "::::" | ":::+" | "::::+")))
        .unwrap_or(inner.len());
    let command = inner.get(..end).unwrap_or_default();
    match command {
        [] => {
            if let Some(first) = inner.first() {
                judge.unread("runs whatever comes in as commands", first.span);
            }
        }
        [one] if one.known().is_some_and(|text| text.contains(' ')) => {
            judge.shell_text(&one.known().unwrap_or_default().replace("{}", "$x"), one.span);
        }
        [..] => {
            let words = opened(judge, parsed, command);
            judge.run(&words, how);
        }
    }
}

/// The words of an `xargs` command, with what comes in as a word that nobody knows.
fn opened(judge: &Judge<'_>, parsed: &Parsed<'_, '_>, inner: &[Arg]) -> Vec<Arg> {
    let mark = parsed.value("-I").or(parsed.value("-i")).and_then(Arg::known).unwrap_or("{}");
    let marks = |arg: &Arg| !mark.is_empty() && arg.known().is_some_and(|text| text.contains(mark));
    let come_in = |span| match judge.piped.as_slice() {
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
