//! What flows from one part of a command to another: the folder that an option names, the names that a pipeline hands on,
//! the value of a variable that others obey. Judges nothing by itself.

use std::path::{Path, PathBuf};

use planwright_shell::{SimpleCommand, Word};

use super::args::{Parsed, parse};
use super::judge::{CallContext, Judge};
use super::place::{Place, place};
use super::secrets::is_secret;
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

    /// `rm -f "$tmp"` where nothing says what is in `tmp`: the clean-up that scripts hand to `trap`. Only the whole word
    /// counts, for with an empty `$tmp` the word `"$tmp/x"` would lead to the root.
    pub(super) fn temporary(&self, command: &SimpleCommand, word: &Word) -> Option<Arg> {
        const NAMES: [&str; 12] = [
            "tmp",
            "tmpfile",
            "tmpdir",
            "tmp_file",
            "tmp_dir",
            "temp_file",
            "temp_dir",
            "tempfile",
            "tempdir",
            "TMPFILE",
            "TMP_DIR",
            "TMP_FILE",
        ];
        let raw = word.raw.strip_prefix("\"$")?.strip_suffix('"')?;
        let name = raw.strip_prefix('{').and_then(|raw| raw.strip_suffix('}')).unwrap_or(raw);
        let deletes = command.words.first().is_some_and(|program| program.raw == "rm");
        let unset = self.variables.never_set(name, self.workspace.environment);
        (deletes && unset && NAMES.contains(&name))
            .then(|| Arg { text: Text::Known { text: FRESH.to_owned(), tilde: false }, span: word.span })
    }

    /// Whether what `args` prints is made of files of the workspace, or of what came in and was such already.
    pub(super) fn hands_on_own_files(&self, args: &[Arg], how: CallContext<'_>) -> bool {
        let Some((program, rest)) = args.split_first() else { return false };
        let (Some(name), Some(entry)) = (program.known(), program.known().and_then(knowledge::program))
        else {
            return false;
        };
        let plain = how.redirects.iter().all(|redirect| redirect.fd == 2);
        let parsed = parse(entry, rest);
        let own = |arg: &&Arg| match self.target(arg) {
            Target::At(paths) | Target::Inside { folders: paths, .. } => {
                paths.iter().all(|path| place(path, &self.anchors) == Place::Workspace && !is_secret(path))
            }
            Target::Unknown => false,
        };
        let tells = match name {
            "tar" => {
                let to_pipe = parsed.value("-f").is_none_or(|file| file.known() == Some("-"));
                let elsewhere = parsed.value("-C").is_some_and(|folder| !own(&folder));
                parsed.has("-c") && to_pipe && !elsewhere && !parsed.words.is_empty()
            }
            "cat" => {
                let wipes = |arg: &&Arg| {
                    let name = arg.known().unwrap_or_default().replace(['.', '/'], "-");
                    super::words::asks_to_destroy(&[arg.with(name)]).is_some()
                };
                !parsed.words.is_empty() && !parsed.words.iter().any(wipes)
            }
            "gzip" | "zstd" | "xz" | "bzip2" | "pigz" | "lz4" | "pv" | "gunzip" | "zcat" => {
                self.own_files || !parsed.words.is_empty()
            }
            _ => false,
        };
        plain && tells && parsed.words.iter().all(own)
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
                let names = super::find::printed_leftovers(&parsed);
                let named = |start: &Arg| match (&start.text, &names) {
                    (Text::Known { text, tilde }, Some(names)) => names
                        .iter()
                        .map(|name| {
                            let pattern = format!("{}/{name}", text.trim_end_matches('/'));
                            Text::Glob { pattern, tilde: *tilde }
                        })
                        .collect(),
                    (Text::Known { .. } | Text::Glob { .. } | Text::Unknown { .. }, _) => Vec::new(),
                };
                if names.is_some() {
                    let dot =
                        Arg { text: Text::Known { text: ".".into(), tilde: false }, span: program.span };
                    let starts = if parsed.words.is_empty() { vec![&dot] } else { parsed.words.clone() };
                    let all: Vec<Vec<Text>> = starts.into_iter().map(named).collect();
                    // A folder that is not known may be any.
                    return if all.iter().any(Vec::is_empty) { Vec::new() } else { all.concat() };
                }
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
            "fd" | "fdfind" if parsed.inner.is_empty() => {
                let odd = ["--format", "--base-directory", "--search-path", "-C", "-l", "--list-details"];
                let plain = parsed.given.iter().all(|arg| {
                    arg.known().is_some_and(|text| !odd.iter().any(|start| text.starts_with(start)))
                });
                let inside = parsed.words.iter().skip(1).all(|arg| {
                    arg.known().is_some_and(|text| !text.starts_with(['/', '~']) && !text.contains(".."))
                });
                let folders: Option<Vec<Text>> = parsed.words.iter().skip(1).copied().map(below).collect();
                folders.filter(|_| plain && inside).unwrap_or_default()
            }
            "git" if matches!(parsed.subs.first().and_then(|sub| sub.known()), Some("ls-files")) => here,
            "git" if parsed.has("--name-only") => here,
            "rg" if parsed.given.iter().any(|arg| arg.known() == Some("--files")) => {
                let folders: Option<Vec<Text>> = parsed.words.iter().copied().map(below).collect();
                folders.map(|folders| if folders.is_empty() { here } else { folders }).unwrap_or_default()
            }
            "git" if parsed.given.iter().any(|arg| arg.known() == Some("--name-only")) => here,
            "grep" | "rg" if parsed.has("-l") => {
                let files: Option<Vec<Text>> = parsed.words.iter().skip(1).copied().map(below).collect();
                files.map(|files| if files.is_empty() { here } else { files }).unwrap_or_default()
            }
            "grep" if parsed.has("-o") || parsed.words.len() > 1 => Vec::new(),
            "sort" | "uniq" | "head" | "tail" | "grep" if parsed.words.len() < 2 => self.piped.clone(),
            "printf" => {
                let globs = parsed.words.iter().skip(1).map(|arg| arg.text.clone());
                globs.filter(|text| matches!(text, Text::Glob { .. })).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// `$(seq 1 5)`: whatever it comes to is made of digits.
pub(super) fn counts(word: &Word) -> bool {
    let inner = word.raw.trim_matches('"').strip_prefix("$(seq ").and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| inner.chars().all(|c| c.is_ascii_digit() || c == ' ' || c == '-' || c == 'w'))
}

/// Stands for the file or folder that `mktemp` makes.
pub(super) const FRESH: &str = "/tmp/tmp.XXXXXXXXXX";

/// `tmp=$(mktemp)` names a fresh temporary file or folder.
pub(super) fn made_by_mktemp(word: &Word) -> Option<Arg> {
    let inner = word.raw.trim_matches('"').strip_prefix("$(mktemp")?.strip_suffix(')')?;
    let plain = inner.chars().all(|c| c.is_ascii_alphanumeric() || " -_./".contains(c))
        && inner
            .split(' ')
            .all(|part| !part.contains('/') || part.starts_with("/tmp/") && !part.contains(".."));
    plain.then_some(Arg { text: Text::Known { text: FRESH.to_owned(), tilde: false }, span: word.span })
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
    // A number, no option and no folder of the system.
    let counts =
        ["%Y", "%F", "%y", "%m", "%d", "%H", "%s", "%j"].iter().any(|start| format.starts_with(start));
    (plain && (!head.is_empty() || counts) && stands(head) && stands(tail))
        .then(|| format!("{prefix}0{tail}"))
}

/// Whether a part of a name is what stands there, with nothing that a shell would put in.
fn stands(part: &str) -> bool {
    !part.contains(['$', '`', '"', '\'', '\\', '*', '?', '[', '{', ' '])
}

/// `release-$(git rev-parse --short HEAD).tar.gz` with such a name put in: no name of a commit leads out of a folder.
pub(super) fn committed(fragment: &str, prefix: &str) -> Option<String> {
    let (head, rest) = fragment.trim_matches('"').split_once("$(git ")?;
    let (question, tail) = rest.split_once(')')?;
    let asks = |start: &str, options: &[&str]| {
        question.strip_prefix(start).is_some_and(|words| {
            words.split_whitespace().all(|word| word == "HEAD" || options.contains(&word))
        })
    };
    let known = asks("rev-parse ", &["--short", "--short=7", "--short=8", "--short=10", "--short=12"])
        || asks("describe", &["--tags", "--always", "--dirty", "--abbrev=0", "--long"]);
    let named = head.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    (known && named && stands(head) && stands(tail)).then(|| format!("{prefix}0{tail}"))
}

/// `"$(printf 'page-%03d.png' $i)"`: whatever is put in, a number comes out.
pub(super) fn numbered(fragment: &str, prefix: &str) -> Option<String> {
    let (head, rest) = fragment.trim_matches('"').split_once("$(printf ")?;
    let (format, rest) = rest.trim_start().strip_prefix('\'')?.split_once('\'')?;
    let (given, tail) = rest.split_once(')')?;
    let name = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let mut parts = format.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, behind) =
            part.split_once('d').filter(|(width, _)| width.chars().all(|c| c.is_ascii_digit()))?;
        text.push('0');
        text.push_str(behind);
    }
    let variables = given.chars().all(|c| c.is_ascii_alphanumeric() || " $_{}\"".contains(c));
    (variables
        && !text.is_empty()
        && !format.starts_with('-')
        && text.chars().chain(tail.chars()).all(name)
        && !head.contains(['$', '`']))
    .then(|| format!("{prefix}{text}{tail}"))
}

/// `$(date -r "$f" +%Y-%m)`: whatever day it is, a plain name without folders.
pub(super) fn prints_a_day(raw: &str) -> bool {
    let inner = raw.trim_matches('"').strip_prefix("$(date ").and_then(|inner| inner.strip_suffix(')'));
    let Some((given, format)) = inner.and_then(|inner| inner.rsplit_once('+')) else { return false };
    let format = format.trim_end_matches(['"', '\'']);
    // Another `+` could be the format itself, and what is taken for it here the end of a file's name.
    !given.contains(['+', '(', ')', '`', ';', '|', '&', '<', '>', '\n'])
        && format.starts_with('%')
        && format.chars().all(|c| c.is_ascii_alphanumeric() || "%-_".contains(c))
        && !["%D", "%x", "%c", "%n", "%t", "%h", "%E", "%O"].iter().any(|odd| format.contains(odd))
}

/// A program that shows what it is given, or does nothing at all.
pub(super) fn only_shows(program: &str) -> bool {
    ["", "cat", "/bin/cat", "/usr/bin/cat", "true", "/bin/true", "/usr/bin/true", ":", "less", "more", "head"]
        .contains(&program)
}

/// Whether setting `name` so only keeps a program from waiting: `GIT_PAGER=cat`, `GIT_EDITOR=true`.
pub(super) fn keeps_from_waiting(name: &str, value: Option<&str>) -> bool {
    let pager = name == "PAGER" || name.ends_with("_PAGER") || name == "MANPAGER";
    let editor = matches!(name, "EDITOR" | "VISUAL" | "GIT_EDITOR" | "GIT_SEQUENCE_EDITOR");
    (pager || editor) && value.is_some_and(only_shows)
}

/// What a value adds to the risk of setting a variable.
pub(super) fn value_risk(name: &str, value: Option<&str>) -> Risk {
    const PLAIN: [&str; 27] = [
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
        "none",
        "echo",
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
        // The keys that somebody else's session answers with.
        "SSH_AUTH_SOCK" => {
            if value.is_some_and(|value| value.starts_with("/tmp/")) {
                Risk::Dangerous
            } else {
                Risk::Caution
            }
        }
        "PYTHONPATH" | "NODE_PATH" | "PERL5LIB" | "RUBYLIB" | "CLASSPATH" => {
            let open = |part: &str| {
                ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|top| Path::new(part).starts_with(top))
            };
            if value.is_some_and(|value| value.split(':').any(open)) { Risk::Dangerous } else { Risk::Safe }
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
