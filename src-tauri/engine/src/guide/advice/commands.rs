//! Whole command lines in a message: the same command said rightly, or one to run before it.

use std::sync::LazyLock;

use planwright_shell::Span;
use regex::Regex;

use super::super::case::{Case, Run, text};
use super::said::Line;
use super::words::quoted_at;
use super::{Offer, checks, pattern};
use crate::knowledge;

/// Words before a command line that make it advice.
static CUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:run|running|re-?run|try|use|using|execute|executing|type|do|with|via|by|call|invoke|issue|command|enter|need|install|fix|resolve|please|set|perhaps)\b",
    )
});

/// A command line that nothing encloses, up to the end of its line.
static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:run|try|use|type|execute|running|try running|using|with)(?: this| the following)?(?: command)?(:?)\s+((?:sudo )?[a-z][a-zA-Z0-9._+-]*(?: [^\n]*)?)$",
    )
});

/// What asks for something other than the repair of this failure.
static ASIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:for (?:more|help|usage|details?|information|a list|further|all|supported|full)|to (?:see|view|list|show|display|learn|get (?:help|a list|more)|abort|skip|suppress|disable|silence|hide|report|debug|inspect|check|verify|discard|unstage|undo|ignore|quit|cancel|update,? run|upgrade,? run|bypass|override|turn off|find out|read|diagnose|search|remove|delete)\b",
        r"|learn more|see also|\buse `[^`]+` to create|documentation|upgrading|new (?:major |minor |patch )?(?:release|version)|is (?:now )?available|backtrace|verbose|if you(?:'re| (?:wish|want|prefer|are|really|would like|do want|know|still))\b|alternatively|you can also|optionally|at your own risk|fund\b|explain|not recommended|unless|careful|dangerous|instead of|stack trace|full log",
        // What comes after work that only a person can do, or does another thing than was asked for.
        r"|\b(?:disable|silence|suppress|hide) (?:this|these|the) (?:message|warning|hint|advice)|\bmanually\b|\bconflicts?\b|\bafter (?:you|resolving|fixing|editing)|\bonce (?:you|that|this|it|all)\b|\bwhen (?:you(?:'re| are|'ve| have)|done)\b|\bedit(?:ing)? the\b|\buse `[^`]+` to initiali[sz]e\b)",
    ))
});

/// What makes it certain that the command has to run before.
static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:\bmust|\bneeds?\b|\bfirst\b|\bbefore\b|\bplease\b|to (?:fix|resolve|solve|correct|recover|repair|reload|continue|finish|install|create|initiali[sz]e|generate|download|enable|set|add|allow|start|proceed|populate|make|build|get|restore|update|synchroni[sz]e|register|log ?in|authenticate|unlock|complete)\b",
        r"|\brequired?\b|\bmissing\b|not available|not (?:been )?(?:installed|initiali[sz]ed|configured|found|built|generated|set up|running|logged)|can be installed|have you|did you (?:forget|run)|forgot|\btry running\b|\btry:|\bby running|\byou (?:can|should|may|have to) (?:install|fix|resolve|run|do|use|create|try)|^\W*(?:help|hint|tip|note|fix|solution)?:? ?(?:run|try|install)\b|\bthen run\b|\bso run\b|out of date|outdated|not up[ -]to[ -]date)",
    ))
});

/// Sub-commands that only tell something.
const TELLS: [&str; 23] = [
    "help",
    "--help",
    "-h",
    "-help",
    "--version",
    "-V",
    "list",
    "ls",
    "status",
    "show",
    "log",
    "logs",
    "search",
    "view",
    "explain",
    "info",
    "describe",
    "--list",
    "version",
    "doctor",
    "--usage",
    "configure",
    "login",
];

/// Words by which a command brings in or starts what another program lacks.
const BRINGS: [&str; 14] = [
    "install", "add", "ci", "sync", "require", "restore", "update", "start", "enable", "up", "init",
    "create", "default", "set",
];

/// English words that are programs too.
const WORDS: [&str; 33] = [
    "make", "find", "test", "time", "which", "who", "at", "sort", "look", "more", "less", "file", "install",
    "set", "cut", "join", "split", "read", "apply", "clear", "script", "host", "watch", "yes", "w", "last",
    "id", "link", "open", "top", "as", "expand", "type",
];

#[derive(Debug)]
struct Advice {
    command: String,
    /// The words around it.
    why: String,
}

pub(super) fn offers(case: &Case<'_>, said: &[Line]) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    for advice in advice(case, said) {
        if is_aside(&advice) {
            continue;
        }
        let Some(command) = without_gaps(case, &advice.command) else { continue };
        let offer = replacing(case, &command, &advice.why).or_else(|| before(case, &command, &advice.why));
        if let Some(offer) = offer
            && !offers.iter().any(|other| other.command == offer.command)
        {
            offers.push(offer);
        }
    }
    // The command itself, said rightly, is worth more than another one before it.
    offers.sort_by_key(|offer| offer.before);
    offers
}

fn is_aside(advice: &Advice) -> bool {
    let words: Vec<&str> = advice.command.split_whitespace().filter(|word| *word != "sudo").collect();
    // How a work that has paused goes on or ends is for the person who has looked at what stopped it.
    if words.iter().any(|word| matches!(*word, "--continue" | "--skip" | "--abort" | "--quit")) {
        return true;
    }
    let tells = words.iter().take(3).any(|word| TELLS.contains(word)) || words.contains(&"--help");
    let reads = matches!(
        words.first(),
        Some(&("man" | "info" | "journalctl" | "cat" | "echo" | "cd" | "export" | "eval" | "open" | "less"))
    );
    tells || reads || ASIDE.as_ref().is_none_or(|aside| aside.is_match(&advice.why))
}

fn advice(case: &Case<'_>, said: &[Line]) -> Vec<Advice> {
    let (Some(cue), Some(open)) = (CUE.as_ref(), OPEN.as_ref()) else { return Vec::new() };
    let mut found = Vec::new();
    for (index, line) in said.iter().enumerate() {
        if is_entry(line) {
            continue;
        }
        let direct = index.checked_sub(1).map_or("", |above| said[above].text.as_str());
        let above = sentence_above(said, index);
        let mut on_line = false;
        for (at, command) in quoted_at(&line.text) {
            let before = &line.text[..at];
            // The sentence may have begun on the line above.
            let near_cue = cue.is_match(before) || before.trim().is_empty() && cue.is_match(direct);
            if near_cue && is_command(case, &command, true) {
                on_line = true;
                found.push(Advice { command, why: format!("{above}\n{}", line.text) });
            }
        }
        if !on_line
            && let Some(groups) = open.captures(&line.text)
            && let Some(command) = groups.get(2)
        {
            let after_colon = groups.get(1).is_some_and(|colon| !colon.is_empty());
            let command = cut_sentence(command.as_str());
            if is_command(case, command, after_colon) && !command.starts_with(['\'', '"', '`']) {
                on_line = true;
                found.push(Advice { command: command.to_owned(), why: format!("{above}\n{}", line.text) });
            }
        }
        if !on_line && cue.is_match(&line.text) {
            found.extend(block(case, said, index));
        }
    }
    found
}

/// The line above, and those before it that the same sentence began on: a condition stands at its beginning.
fn sentence_above(said: &[Line], index: usize) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in said[..index].iter().rev().take(3) {
        let ends = |text: &str| text.is_empty() || text.ends_with(['.', ':', '!', '?']);
        if lines.last().is_some_and(|below| ends(below) || ends(&line.text)) {
            break;
        }
        lines.push(&line.text);
    }
    lines.reverse();
    lines.join(" ")
}

/// `install-test    Runs an install and …`: an entry of a list of commands describes, and advises nothing.
fn is_entry(line: &Line) -> bool {
    let name = line.text.find("  ").map(|end| &line.text[..end]);
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .split(", ")
                .all(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c)))
    };
    line.indent > 0 && name.is_some_and(is_name)
}

/// The one command line below line `index`.
fn block(case: &Case<'_>, said: &[Line], index: usize) -> Option<Advice> {
    let cue = &said[index];
    let ends_open = cue.text.ends_with(':');
    // Of two ways that lead to different things only a person can choose.
    let is_choice = cue.text.to_ascii_lowercase().contains("either");
    if is_choice || cue.text.ends_with('.') && !cue.text.ends_with("...") {
        return None;
    }
    let below = said[index + 1..].iter().skip_while(|line| line.text.is_empty());
    let mut commands = Vec::new();
    for line in below.take_while(|line| !line.text.is_empty()).take(6) {
        let command = line.text.trim_start_matches("$ ").split(" # ").next().unwrap_or_default().trim();
        let command = command.split("  #").next().unwrap_or(command).trim();
        let command = command.trim_matches(['`', '"']);
        if (line.indent > cue.indent || ends_open) && is_command(case, command, true) {
            commands.push(command);
        } else {
            break;
        }
    }
    // Of several the machine's own packages come first; several other lines are a recipe that nobody vouches for.
    let apt = |command: &&&str| command.trim_start_matches("sudo ").starts_with("apt");
    let command = match commands.as_slice() {
        [one] => one,
        several => several.iter().find(apt).filter(|_| case.has_program("apt-get"))?,
    };
    let above = index.checked_sub(1).map_or("", |above| said[above].text.as_str());
    Some(Advice { command: (*command).to_owned(), why: format!("{above}\n{}", cue.text) })
}

/// Where prose goes on behind a command.
fn cut_sentence(text: &str) -> &str {
    let ends = [
        " to ",
        " for ",
        " first",
        " before ",
        " and ",
        " in order",
        ". ",
        ", ",
        " (",
        " if ",
        " or ",
        " again",
        " from ",
    ];
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ',', ';', '!', ')', ':', '?', '\'', '"', '`']).trim()
}

/// Whether a text begins with a program that is known, here or at all.
fn is_command(case: &Case<'_>, line: &str, marked: bool) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| *word == "sudo");
    let Some(program) = words.next() else { return false };
    let more = words.next();
    let plain = program.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._+-".contains(c));
    let own = case.runs().any(|run| run.program() == program);
    let is_program = own || knowledge::program(program).is_some() || case.has_program(program);
    // One word alone is a name more often than a command.
    plain && is_program && (more.is_some() || own && marked) && (marked || own || !WORDS.contains(&program))
}

/// The command with optional parts left out and a sole gap filled from the sole operand; `None` where a gap remains.
fn without_gaps(case: &Case<'_>, command: &str) -> Option<String> {
    static OPTIONAL: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r" \[[^\]]*\]"));
    static GAP: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"<(?:file|files|path|name|package|pathspec|branch|branchname|url|dir|directory|module|host|image|repository|unit|service)>(?:\.\.\.)?",
        )
    });
    let command = OPTIONAL.as_ref()?.replace_all(command, "").into_owned();
    let mut gaps = GAP.as_ref()?.find_iter(&command);
    let command = match (gaps.next(), gaps.next()) {
        (Some(gap), None) => {
            let run = case.sole_run()?;
            let has_sub = knowledge::program(run.program()).is_some_and(|entry| !entry.sub.is_empty());
            let operands: Vec<&str> =
                run.known_args()?.into_iter().filter(|arg| !arg.starts_with('-')).collect();
            let [operand] = operands.get(usize::from(has_sub)..)? else { return None };
            let quoted = super::super::template::quote(operand);
            format!("{}{quoted}{}", &command[..gap.start()], &command[gap.end()..])
        }
        _ => command,
    };
    (!checks::has_gap(&command) && !command.contains([';', '&', '\\'])).then_some(command)
}

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().map(|word| word.trim_matches(['\'', '"'])).collect()
}

fn asked<'a>(run: &Run<'a>) -> Vec<&'a str> {
    run.command.words.iter().filter_map(text).collect()
}

/// The run that `command` is meant to take the place of: the same program and sub-command, with all that was asked.
fn replacing(case: &Case<'_>, command: &str, why: &str) -> Option<Offer> {
    let proposed = words(command);
    let (program, rest) =
        proposed.iter().position(|word| *word != "sudo").map(|at| proposed.split_at(at + 1))?;
    let program = *program.last()?;
    let sub = rest.iter().find(|word| !word.starts_with('-'));
    let mut same = case.runs().filter(|run| {
        let operands = run.args().iter().map(text);
        run.program() == program
            && run.subcommand().and_then(text) == sub.copied()
            && operands.into_iter().all(|word| word.is_some_and(|word| proposed.contains(&word)))
    });
    let run = same.next().filter(|_| same.next().is_none())?;
    if checks::is_more_forceful(&asked(&run), &proposed) || checks::takes_away_newly(&asked(&run), &proposed)
    {
        return None;
    }
    let span = Span { start: run.head().span.start, end: run.last_word().span.end };
    let there: String = case
        .failure
        .command
        .chars()
        .skip(span.start as usize)
        .take((span.end - span.start) as usize)
        .collect();
    // A redirection between the words would be lost.
    if there.contains(['>', '<']) {
        return None;
    }
    let new = command.trim_start_matches("sudo ");
    let command = case.splice(&[(span, new)])?;
    Some(Offer::changed(command, reason(&run, why, new), 0.85))
}

/// A step before the command.
fn before(case: &Case<'_>, command: &str, why: &str) -> Option<Offer> {
    if !FIRST.as_ref()?.is_match(why) {
        return None;
    }
    let proposed = words(command);
    let runs: Vec<Run<'_>> = case.runs().collect();
    let run = runs.first()?;
    let all: Vec<&str> = runs.iter().flat_map(asked).collect();
    let plain: Vec<&str> = proposed.iter().copied().filter(|word| *word != "sudo").collect();
    let repeats = runs.iter().any(|run| {
        let own: Vec<&str> = asked(run).into_iter().filter(|word| *word != "sudo").collect();
        own == plain
    });
    // `apt install` alone is how it begins, not what to run; a project's own manager knows what to install.
    let own = matches!(
        plain.first(),
        Some(&("npm" | "yarn" | "pnpm" | "bun" | "bundle" | "composer" | "poetry" | "pipenv"))
    );
    if plain.len() == 2 && matches!(plain.get(1), Some(&("install" | "add"))) && !own {
        return None;
    }
    if repeats || checks::is_more_forceful(&all, &proposed) || checks::takes_away_newly(&all, &proposed) {
        return None;
    }
    // A package of anybody's under a name that the message made of the missing word is no repair that one can vouch for.
    let program = *plain.first()?;
    // Of another program it is believed only what brings in something that is missing: hooks and plug-ins talk too.
    let brings = plain.iter().take(4).any(|word| BRINGS.contains(word));
    if !brings && !runs.iter().any(|run| run.program() == program) {
        return None;
    }
    // A script that was run by its path is not found by its name alone.
    let own_here = |run: &Run<'_>| run.program() == program && !run.head().raw.contains('/');
    if !(case.has_program(program) || runs.iter().any(own_here)) {
        return None;
    }
    // Without a list of packages there is nothing that `npm install` could install.
    let node = matches!(program, "npm" | "yarn" | "pnpm" | "bun") && plain.len() == 2;
    if node && case.folder.is_some() && !case.exists("package.json") {
        return None;
    }
    let mut step = match command.strip_prefix("sudo ") {
        Some(rest) => format!("{}{rest}", case.sudo()?),
        None if matches!(
            program,
            "apt" | "apt-get" | "dpkg" | "snap" | "dnf" | "yum" | "pacman" | "systemctl"
        ) =>
        {
            format!("{}{command}", case.sudo()?)
        }
        None => command.to_owned(),
    };
    if matches!(program, "apt" | "apt-get") && plain.get(1) == Some(&"install") && !plain.contains(&"-y") {
        step = step.replacen(" install ", " install -y ", 1);
    }
    let step = case.in_its_folder(&step)?;
    let mut offer = Offer::changed(step, reason(run, why, command), 0.8);
    offer.before = true;
    Some(offer)
}

fn reason(run: &Run<'_>, why: &str, command: &str) -> String {
    let line = why.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let program = run.program();
    let short: String = line.chars().take(160).collect();
    match short.is_empty() || short.contains(['{', '}']) {
        true => format!("{program} itself proposes {command}."),
        false => format!(
            "{program} itself proposes {command}: \u{201c}{}\u{201d}.",
            short.trim_end_matches([':', '.'])
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_can_be_read() {
        assert!([&CUE, &OPEN, &ASIDE, &FIRST].into_iter().all(|pattern| pattern.is_some()));
    }

    #[test]
    fn prose_behind_a_command_is_cut() {
        assert_eq!(cut_sentence("apt update to fetch lists."), "apt update");
        assert_eq!(cut_sentence("npm install"), "npm install");
    }
}
