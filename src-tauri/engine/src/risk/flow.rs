//! What flows from one part of a command to another: the folder that an option names, the names that a pipeline hands on,
//! the value of a variable that others obey. Judges nothing by itself.

use std::path::{Path, PathBuf};

use planwright_shell::Word;

use super::args::{Parsed, parse};
use super::judge::Judge;
use super::targets::Target;
use super::words::{Arg, Text};
use crate::knowledge::{self, Role, Takes};
use crate::protocol::Risk;

impl Judge<'_> {
    /// `git -C DIR`, `make -C DIR`: its paths are looked for there. Gives what was before.
    pub(super) fn work_in(&mut self, parsed: &Parsed<'_, '_>) -> Option<(Vec<(PathBuf, bool)>, bool)> {
        let folder = parsed.flags.iter().find(|given| {
            given.first
                && given.flag.names.iter().any(|name| name == "-C" || name == "--prefix")
                && given.flag.value == Takes::Value(Role::Read)
        })?;
        let before = (self.folders.clone(), self.lost);
        match folder.value.as_ref().map(|value| self.target(value)) {
            Some(Target::At(paths)) => self.folders = paths.into_iter().map(|path| (path, false)).collect(),
            Some(Target::Inside { .. } | Target::Unknown) | None => self.lost = true,
        }
        Some(before)
    }

    /// The names that a listing program prints, as patterns; empty when they may lie anywhere.
    pub(super) fn lists(&self, args: &[Arg]) -> Vec<Text> {
        let Some((program, rest)) = args.split_first() else { return Vec::new() };
        let (Some(name), Some(entry)) = (program.known(), program.known().and_then(knowledge::program))
        else {
            return Vec::new();
        };
        let parsed = parse(entry, rest);
        let below = |arg: &Arg| match &arg.text {
            Text::Known { text, tilde } => {
                Some(Text::Glob { pattern: format!("{}/*", text.trim_end_matches('/')), tilde: *tilde })
            }
            Text::Glob { .. } => Some(arg.text.clone()),
            Text::Unknown { .. } => None,
        };
        let here = vec![Text::Glob { pattern: "./*".into(), tilde: false }];
        let prints =
            parsed.given.iter().any(|arg| arg.known().is_some_and(|text| text.starts_with("-printf")));
        match name {
            "find" if !prints && parsed.inner.is_empty() => {
                let starts: Option<Vec<Text>> = parsed.words.iter().copied().map(below).collect();
                starts.map(|starts| if starts.is_empty() { here } else { starts }).unwrap_or_default()
            }
            "ls" if !parsed.words.is_empty() => {
                let globs: Option<Vec<Text>> = parsed
                    .words
                    .iter()
                    .map(|arg| match &arg.text {
                        Text::Glob { .. } => Some(arg.text.clone()),
                        Text::Known { .. } | Text::Unknown { .. } => None,
                    })
                    .collect();
                globs.unwrap_or_default()
            }
            "ls" | "fd" | "fdfind" if parsed.words.len() < 2 => here,
            "git" if matches!(parsed.subs.first().and_then(|sub| sub.known()), Some("ls-files")) => here,
            "git" if parsed.has("--name-only") => here,
            "git" if parsed.given.iter().any(|arg| arg.known() == Some("--name-only")) => here,
            "grep" | "rg" if parsed.has("-l") => {
                let files: Option<Vec<Text>> = parsed.words.iter().skip(1).copied().map(below).collect();
                files.map(|files| if files.is_empty() { here } else { files }).unwrap_or_default()
            }
            "sort" | "uniq" | "head" | "tail" | "grep" if parsed.words.len() < 2 => self.piped.clone(),
            "printf" => {
                let globs = parsed.words.iter().skip(1).map(|arg| arg.text.clone());
                globs.filter(|text| matches!(text, Text::Glob { .. })).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// `while :; do x & done`: a loop that never ends and does not wait for what it starts.
pub(super) fn copies_without_end(command: &str) -> bool {
    let text = command.replace(';', " ; ").replace('&', " & ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let endless = words.windows(2).any(|pair| {
        matches!(
            pair,
            ["while", "true" | ":" | "1" | "[1]" | "/bin/true"] | ["until", "false"] | ["for", "(("]
        )
    });
    endless && words.windows(2).any(|pair| pair == ["&", "done"])
}

/// `tmp=$(mktemp)` names a fresh temporary file or folder.
pub(super) fn made_by_mktemp(word: &Word) -> Option<Arg> {
    let inner = word.raw.trim_matches('"').strip_prefix("$(mktemp")?.strip_suffix(')')?;
    let plain = inner.chars().all(|c| c.is_ascii_alphanumeric() || " -_.".contains(c));
    let text = "/tmp/tmp.XXXXXXXXXX".to_owned();
    plain.then_some(Arg { text: Text::Known { text, tilde: false }, span: word.span })
}

/// `backup-$(date +%F).tar.gz` with a day put in: which file that is, is known well enough to say where it lies.
/// `prefix` is what stands before the date, with its variables put in.
pub(super) fn dated(fragment: &str, prefix: &str) -> Option<String> {
    let fragment = fragment.trim_matches('"');
    let (head, rest) = fragment.split_once("$(date ")?;
    let head = head.strip_prefix("$HOME/").or(head.strip_prefix("${HOME}/")).unwrap_or(head);
    let (format, tail) = rest.split_once(')')?;
    let format = format.trim_matches(['"', '\'']).strip_prefix('+')?;
    // `%D` and the like have slashes in them.
    let plain = format.chars().all(|c| c.is_ascii_alphanumeric() || "%-_.".contains(c))
        && !["%D", "%x", "%c", "%n", "%t"].iter().any(|odd| format.contains(odd));
    let odd = |text: &str| text.contains(['$', '`', '"', '\'', '\\', '*', '?', '[', '{', ' ']);
    (plain && !head.is_empty() && !odd(head) && !odd(tail)).then(|| format!("{prefix}0{tail}"))
}

/// What a value adds to the risk of setting a variable.
pub(super) fn value_risk(name: &str, value: Option<&str>) -> Risk {
    const PLAIN: [&str; 25] = [
        "",
        "true",
        ":",
        "/bin/true",
        "/usr/bin/vim",
        "/usr/bin/nano",
        "less -R",
        "less -FRX",
        "less -FX",
        "subl -w",
        "cat",
        "less",
        "more",
        "vim",
        "vi",
        "nvim",
        "nano",
        "emacs",
        "code",
        "code --wait",
        "hx",
        "micro",
        "bat",
        "delta",
        "firefox",
    ];
    match name {
        "PATH" => {
            let odd = |part: &str| {
                part.is_empty()
                    || ["/tmp", "/var/tmp", "/dev/shm", "."]
                        .iter()
                        .any(|open| Path::new(part).starts_with(open))
                    || part == ".."
            };
            if value.is_some_and(|value| value.split(':').any(odd)) { Risk::Dangerous } else { Risk::Caution }
        }
        "EDITOR"
        | "VISUAL"
        | "PAGER"
        | "GIT_EDITOR"
        | "GIT_SEQUENCE_EDITOR"
        | "MANPAGER"
        | "BROWSER"
        | "GIT_PAGER"
        | "SYSTEMD_PAGER"
        | "KUBE_EDITOR"
        | "FCEDIT"
        | "SUDO_EDITOR"
        | "SYSTEMD_EDITOR"
        | "BAT_PAGER"
        | "DELTA_PAGER"
        | "AWS_PAGER"
        | "PSQL_PAGER"
        | "TERMINAL" => {
            if value.is_some_and(|value| PLAIN.contains(&value)) {
                Risk::Caution
            } else {
                Risk::Dangerous
            }
        }
        // A prompt's text is expanded each time it is shown.
        "PS0" | "PS1" | "PS2" => {
            let own = |value: &str| value.replace("$(__git_ps1", "").replace("$(parse_git_branch", "");
            match value {
                Some(value) if !own(value).contains(['`']) && !own(value).contains("$(") => Risk::Safe,
                Some(_) => Risk::Dangerous,
                None => Risk::Caution,
            }
        }
        _ => Risk::Safe,
    }
}
