//! Options that no table tells of, given to a program that only looks, or looks as long as no word follows: where one names a
//! file to write, or speaks of changing something, it is not taken for looking. Programs of one kind share a table, and each has options of its own.

use super::args::Parsed;
use super::judge::Judge;
use super::words::{Arg, Text};
use crate::knowledge::OtherFlags;
use crate::protocol::Risk;

/// Words in the name of an option that speak of changing something.
const ACTS: [&str; 50] = [
    "activate",
    "add",
    "apply",
    "clear",
    "command",
    "daemon",
    "daemonize",
    "delete",
    "edit",
    "erase",
    "eval",
    "exec",
    "execute",
    "fix",
    "flush",
    "force",
    "import",
    "inplace",
    "install",
    "kill",
    "listen",
    "lock",
    "mknodes",
    "move",
    "overwrite",
    "prune",
    "publish",
    "purge",
    "push",
    "reboot",
    "register",
    "remove",
    "rename",
    "repair",
    "replace",
    "reset",
    "restart",
    "restore",
    "save",
    "script",
    "send",
    "serve",
    "set",
    "shutdown",
    "start",
    "stop",
    "unlock",
    "updatemetadata",
    "upload",
    "wipe",
];

/// Words in the name of an option behind which a file to write stands, if a file stands there.
const WRITES: [&str; 12] =
    ["output", "out", "outfile", "logfile", "log", "dump", "save", "write", "report", "export", "dest", "to"];

/// Says of a file, or of a change, what the program's own entry does not.
pub(super) fn check(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let by_verb = parsed.verb();
    let looks = match by_verb {
        Some(risk) => risk == Risk::Safe,
        None => parsed.entry.risk == Risk::Safe,
    };
    if !looks || parsed.entry.other_flags != OtherFlags::Harmless || parsed.entry.wraps.is_some() {
        return;
    }
    for arg in &parsed.doubtful {
        let Some(text) = arg.known() else { continue };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(arg.with(value.to_owned()))),
            None => (text, None),
        };
        let next = || {
            let at = parsed.number_of(arg)?;
            parsed.all.get(at + 1).cloned()
        };
        if let Some(long) = name.strip_prefix("--") {
            let long = long.to_lowercase();
            let words: Vec<&str> = long.split(['-', '_']).collect();
            if matches!(
                words.first(),
                Some(&("no" | "show" | "list" | "print" | "without" | "ignore" | "skip"))
            ) {
                continue;
            }
            if words.iter().any(|word| WRITES.contains(word))
                && let Some(file) = value.or_else(next).filter(names_file)
            {
                j.write(&file);
            } else if words.iter().any(|word| ACTS.contains(word)) {
                j.found.add(Risk::Caution, "an option that may change something", arg.span);
            }
        } else if let Some(attached) = name.strip_prefix("-o").or_else(|| name.strip_prefix("-w")) {
            let attached = (!attached.is_empty()).then(|| arg.with(attached.to_owned()));
            if let Some(file) = attached.or(value).or_else(next).filter(names_file) {
                j.write(&file);
            }
        }
    }
}

/// Says of the options that no table tells of what their names say, whatever the program: `--delete-destination=true`.
pub(super) fn harms_by_name(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let here = stays_here(parsed.all);
    let looks = parsed.reports() || parsed.verb() == Some(Risk::Safe);
    let harm = flags(parsed).find_map(|text| Some((text, named_harm(text, here, looks)?)));
    let Some((text, why)) = harm else { return };
    if let Some(span) = parsed.given.iter().find(|arg| arg.known() == Some(text)).map(|arg| arg.span) {
        j.found.add(Risk::Dangerous, why, span);
    }
}

/// The same of a program that nothing is known of.
pub(super) fn stranger_harms_by_name(j: &mut Judge<'_>, words: &[Arg]) {
    let here = stays_here(words);
    for word in words {
        if let Some(why) = word.known().and_then(|text| named_harm(text, here, false)) {
            j.found.add(Risk::Dangerous, why, word.span);
        }
    }
}

fn stays_here(words: &[Arg]) -> bool {
    words.iter().map(Arg::sure).any(|text| text.contains("localhost") || text.contains("127.0.0.1"))
}

/// What an option with this name does, if that is harm. `here`: it talks to this machine; `looks`: nothing is changed.
fn named_harm(text: &str, here: bool, looks: bool) -> Option<&'static str> {
    const DELETES: [&str; 8] = ["delete", "erase", "wipe", "purge", "destroy", "obliterate", "nuke", "scrub"];
    // What these delete is not what anybody works on.
    const TAME: [&str; 5] =
        ["--delete-branch", "--delete-source-branch", "--purge-cache", "--wipe-cache", "--delete-cache"];
    const WHOLE: [&str; 7] = [
        "--rm-home",
        "--overwrite-destination",
        "--overwrite-tables",
        "--ignore-immutable",
        "--invert-paths",
        "--allow-vendor-change",
        "--no-preserve-root",
    ];
    const UNCHECKED: [&str; 4] =
        ["--insecure-skip-tls-verify", "--no-check-certificate", "--no-verify-ssl", "--skippgpcheck"];
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let off = matches!(value, Some("false" | "no" | "0" | "none" | "never" | "prompt"));
    let first = name.strip_prefix("--")?.split(['-', '_']).next()?;
    let deletes = DELETES.contains(&first) && !TAME.contains(&name) || WHOLE.contains(&name);
    if deletes && !off && !looks {
        Some("an option that deletes or overwrites")
    } else if (off && name.ends_with("tls-verify") || !off && UNCHECKED.contains(&name)) && !here {
        Some("does not check who answers")
    } else {
        None
    }
}

/// What is shown and how, whatever the program.
const FORMS: [&str; 16] = [
    "-v",
    "-vv",
    "-q",
    "-j",
    "-J",
    "--verbose",
    "--quiet",
    "--json",
    "--plain",
    "--full",
    "--no-pager",
    "--no-legend",
    "--pretty",
    "--output",
    "--color",
    "--list",
];

/// The same where no word follows.
const FORMS_OF_A_BARE_ONE: [&str; 8] = ["-n", "-l", "-t", "-P", "-p", "-s", "-4", "-6"];

/// Whether the options say no more than what is shown and how: `ifdown -a` without a word is not asking.
pub(super) fn only_forms(parsed: &Parsed<'_, '_>) -> bool {
    parsed.given.iter().all(|arg| arg.known().is_some())
        && flags(parsed).all(|flag| FORMS_OF_A_BARE_ONE.contains(&flag))
}

/// The options that say more than what is shown and how, or that no table tells of.
pub(super) fn flags<'p>(parsed: &'p Parsed<'_, '_>) -> impl Iterator<Item = &'p str> {
    let name = |text: &'p str| text.split('=').next().unwrap_or(text);
    let told = move |arg: &Arg, name: &str| {
        let at = parsed.number_of(arg);
        let mut flags = parsed.flags.iter().filter(|given| given.flag.risk.is_none());
        flags.any(|given| Some(given.at) == at || given.flag.names.iter().any(|own| own == name))
    };
    let known = parsed.given.iter().filter_map(|arg| Some((*arg, arg.known()?)));
    known
        .filter(move |(arg, text)| !FORMS.contains(&name(text)) && !told(arg, name(text)))
        .map(|(_, text)| text)
}

/// `out.txt`, `~/x`, `/tmp/x`, and not `json` or `pid,args`.
fn names_file(arg: &Arg) -> bool {
    let text = match &arg.text {
        Text::Known { text, .. } | Text::Glob { pattern: text, .. } => text,
        Text::Unknown { prefix, .. } => prefix,
    };
    let ending = |text: &str| {
        text.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty()
                && (1..=5).contains(&ending.len())
                && ending.chars().all(|c| c.is_ascii_alphanumeric())
                && ending.chars().any(|c| c.is_ascii_alphabetic())
        })
    };
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/~ ".contains(c));
    text.starts_with(['/', '~']) || text.starts_with("./") || text.starts_with("../") || plain && ending(text)
}
