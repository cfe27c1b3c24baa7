//! A page that goes into another shell and types on there: a container's, another machine's, another user's. What is typed
//! there is no command of this shell; it is handed to the command that goes in, a block at a time. A program of its own (a
//! database's) is handed the lines that the page shows at its prompt.

use super::cell::{Cell, Matter};
use super::machine::Machine;
use super::prompt::{Sign, prompt};
use super::shape::Typed;
use super::verdict::{Role, Verdict, shortened};
use super::words::words;
use crate::plan::runbook::end_for;

const SHELLS: [&str; 6] = ["bash", "sh", "ash", "zsh", "dash", "ksh"];
/// Programs that run another where its files are, with the word by which they do.
const RUNNERS: [(&str, &str); 10] = [
    ("docker", "exec"),
    ("docker", "run"),
    ("docker-compose", "exec"),
    ("podman", "exec"),
    ("podman", "run"),
    ("nerdctl", "exec"),
    ("kubectl", "exec"),
    ("oc", "exec"),
    ("lxc", "exec"),
    ("incus", "exec"),
];
/// Options of ssh that have a value.
const SSH_VALUES: &str = "BbcDEeFIiJLlmOoPpQRSWw";
/// Programs that do what comes by their input.
const READERS: [&str; 8] = ["psql", "mysql", "mariadb", "sqlite3", "redis-cli", "mongosh", "mongo", "cqlsh"];

/// Hands what is typed inside to the command that goes in; what the superuser's shell is gone into for runs by `sudo`, each on its own.
pub(super) fn bring_in(cells: &mut [Cell<'_>], machine: &Machine) {
    let mut at = 0;
    while at < cells.len() {
        at += 1;
        let entered = at - 1;
        if let Some(text) = fed(&cells[entered]) {
            if let Matter::Typed(typed) = &mut cells[entered].matter {
                (typed.text, typed.shown) = (text, Vec::new());
            }
            continue;
        }
        let Some(text) = cells[entered].plain() else { continue };
        let (Some(carrier), is_root) = (carrier(text), is_root_shell(text)) else { continue };
        let inside = inside(cells, entered);
        if inside.is_empty() {
            continue;
        }
        let why = match is_root {
            true => "what is typed in it runs by `sudo`".to_owned(),
            false => format!("what is typed in it is handed to `{carrier}`"),
        };
        cells[entered].judge(Some(Verdict { role: Role::Aside, aside: None, why }));
        let mut rest = inside.as_slice();
        if is_root {
            rest.iter().for_each(|at| raise(&mut cells[*at], machine));
            rest = &[];
        }
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|one| cells[**one].spot == cells[*first].spot).count();
            let (block, others) = rest.split_at(count);
            hand(cells, block, &carrier);
            rest = others;
        }
        if let Some(last) = inside.last()
            && let Some(leaves) = cells.get_mut(last + 1).filter(|cell| cell.plain().is_some_and(is_leaving))
        {
            let why = "it leaves what was gone into before".to_owned();
            leaves.judge(Some(Verdict { role: Role::Aside, aside: None, why }));
        }
    }
}

impl Cell<'_> {
    /// A command in one line.
    fn plain(&self) -> Option<&str> {
        match &self.matter {
            Matter::Typed(typed) if !self.inline && !typed.text.contains('\n') => Some(typed.text.trim()),
            Matter::Typed(_) | Matter::File { .. } | Matter::Manual(_) | Matter::Shown(_) => None,
        }
    }
}

/// Whether a command only opens a shell of the superuser's on this machine.
fn is_root_shell(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let opens = |words: &[&str]| {
        matches!(words, ["su"] | ["su", "-" | "-l" | "--login" | "root"] | ["su", "-" | "-l", "root"])
    };
    opens(&words)
        || words.split_first().is_some_and(|(first, rest)| {
            *first == "sudo" && (opens(rest) || matches!(rest, ["-i" | "-s" | "--login" | "--shell"]))
        })
}

/// Gives a command the superuser's rights; what changes the shell itself stays in it.
fn raise(cell: &mut Cell<'_>, machine: &Machine) {
    const OF_SHELL: [&str; 8] = ["cd", "export", "umask", "source", ".", "alias", "set", "unset"];
    let Matter::Typed(typed) = &mut cell.matter else { return };
    let first = typed.text.split_whitespace().next().unwrap_or_default();
    let is_plain = !typed.text.contains(['\n', '|', '&', ';', '<', '>', '(']);
    if machine.user == "root" || first == "sudo" || is_plain && OF_SHELL.contains(&first) {
        return;
    }
    typed.text = match is_plain {
        true => format!("sudo {}", typed.text),
        false => with_document("sudo bash -es", &[typed.text.trim_end()]),
    };
}

fn is_leaving(text: &str) -> bool {
    matches!(text, "exit" | "exit 0" | "logout" | "exit;" | "^D")
}

/// Places of the commands that are typed inside of what this one goes into.
fn inside(cells: &[Cell<'_>], entered: usize) -> Vec<usize> {
    let entry = &cells[entered];
    let host = host_of(entry);
    let left = left_at(cells, entered);
    let mut found = Vec::new();
    for (at, cell) in cells.iter().enumerate().skip(entered + 1) {
        if cell.inline || matches!(cell.matter, Matter::Shown(_)) {
            continue;
        }
        let lead = cell.lead.as_ref().map(|lead| lead.text.as_str()).unwrap_or_default();
        let said = |kind: &str| words().lead(kind, lead).is_some();
        let is_back = host.is_some() && host_of(cell) == host;
        let is_there = match cell.spot == entry.spot {
            true => true,
            // Another block has to say so.
            false => {
                !said("outside")
                    && (said("inside") || host_of(cell).is_some() || left.is_some_and(|left| at < left))
            }
        };
        let goes_on = is_there && !is_back;
        if !goes_on || !matches!(cell.matter, Matter::Typed(_)) || cell.plain().is_some_and(is_leaving) {
            break;
        }
        found.push(at);
    }
    found
}

/// Where the same part of the page leaves again what was gone into: all between is typed there.
fn left_at(cells: &[Cell<'_>], entered: usize) -> Option<usize> {
    let entry = &cells[entered];
    let within = |cell: &Cell<'_>| cell.section == entry.section;
    let mut behind = cells.iter().enumerate().skip(entered + 1).take_while(|(_, cell)| within(cell));
    let (left, found) = behind
        .find(|(_, cell)| cell.plain().is_some_and(|text| is_leaving(text) || carrier(text).is_some()))?;
    found.plain().is_some_and(is_leaving).then_some(left)
}

fn host_of<'c>(cell: &'c Cell<'_>) -> Option<&'c str> {
    match &cell.matter {
        Matter::Typed(typed) => typed.host.as_deref(),
        Matter::File { .. } | Matter::Manual(_) | Matter::Shown(_) => None,
    }
}

/// Makes one command of those of a block.
fn hand(cells: &mut [Cell<'_>], block: &[usize], carrier: &str) {
    let typed: Vec<Typed> = block
        .iter()
        .filter_map(|at| match &cells[*at].matter {
            Matter::Typed(typed) => Some(typed.clone()),
            Matter::File { .. } | Matter::Manual(_) | Matter::Shown(_) => None,
        })
        .collect();
    let (Some((first, others)), Some(last)) = (block.split_first(), typed.last()) else { return };
    let lines: Vec<&str> = typed.iter().map(|one| one.text.trim_end()).collect();
    let whole = Typed {
        text: with_document(carrier, &lines),
        lines: typed[0].lines.start..last.lines.end,
        shown: last.shown.clone(),
        host: None,
        ..typed[0].clone()
    };
    cells[*first].matter = Matter::Typed(whole);
    let why = format!("it is part of \u{201c}{}\u{201d}", shortened(lines[0]));
    for other in others {
        cells[*other].judge(Some(Verdict { role: Role::Aside, aside: None, why: why.clone() }));
    }
}

fn with_document(command: &str, lines: &[&str]) -> String {
    let text = lines.join("\n");
    let end = end_for(&text);
    format!("{command} <<'{end}'\n{text}\n{end}")
}

/// A program of its own, with the lines that the page shows at its prompt.
fn fed(cell: &Cell<'_>) -> Option<String> {
    let text = cell.plain()?;
    let program = text.split_whitespace().find(|word| READERS.contains(word))?;
    if text.contains(['|', '&', ';', '<', '>']) || text.contains(" -c") || text.contains(" -e") {
        return None;
    }
    let Matter::Typed(typed) = &cell.matter else { return None };
    let mut lines: Vec<&str> = Vec::new();
    for line in typed.shown.iter().map(|line| line.trim_start()) {
        let Some(found) = prompt(line).filter(|found| found.sign == Sign::Other) else { continue };
        let said = line[found.length..].trim();
        if !matches!(said.trim_end_matches([';', '(', ')']), "" | "\\q" | "exit" | "quit") {
            lines.push(said);
        }
    }
    let stops = if program == "psql" { " -v ON_ERROR_STOP=1" } else { "" };
    (!lines.is_empty()).then(|| with_document(&format!("{text}{stops}"), &lines))
}

/// The command by which what is entered takes its commands from its input, and stops at the first that fails.
fn carrier(text: &str) -> Option<String> {
    if text.contains(['|', '&', ';', '<', '>', '`', '\'', '"', '(']) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let (raised, rest) = match words.split_first()? {
        (&"sudo", rest) => (true, rest),
        (_, _) => (false, words.as_slice()),
    };
    if raised && let Some(own) = own_shell_of_sudo(rest) {
        return Some(format!("sudo {own}bash -es"));
    }
    let (program, rest) = rest.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "su" if !rest.iter().any(|word| word.starts_with("-c") || word.starts_with("--c")) => {
            Some(format!("{text} -c 'bash -es'"))
        }
        "ssh" => only_host(rest).then(|| format!("{} 'bash -es'", without_terminal(&words, "tT"))),
        "vagrant" if rest.first() == Some(&"ssh") && !rest.contains(&"-c") => {
            Some(format!("{text} -c 'bash -es'"))
        }
        "chroot" | "arch-chroot" if rest.len() == 1 => Some(format!("{text} /bin/bash -es")),
        _ => {
            let runs = RUNNERS.iter().any(|(runner, verb)| *runner == name && rest.contains(verb));
            let shell = rest.last()?.rsplit('/').next()?;
            (runs && SHELLS.contains(&shell)).then(|| {
                let composed = rest.contains(&"compose") || name == "docker-compose";
                let text = without_terminal(&words, "t");
                let verb = RUNNERS.iter().find(|(runner, verb)| *runner == name && rest.contains(verb));
                let verb = verb.map(|(_, verb)| *verb).unwrap_or_default();
                let takes = match (composed, text.contains(" -i")) {
                    (true, _) => text.replacen(verb, &format!("{verb} -T"), 1),
                    (false, false) if !name.ends_with("xc") && name != "incus" => {
                        text.replacen(verb, &format!("{verb} -i"), 1)
                    }
                    (false, _) => text,
                };
                format!("{takes} -es")
            })
        }
    }
}

/// `-i`, `-s`, `-u name -i`: sudo opens a shell itself. Its options without the one that does.
fn own_shell_of_sudo(rest: &[&str]) -> Option<String> {
    let mut kept = String::new();
    let mut opens = false;
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match *word {
            "-s" | "--shell" => opens = true,
            "-i" | "--login" | "-Hi" | "-iH" => {
                opens = true;
                kept += "-i ";
            }
            "-u" | "--user" => kept += &format!("-u {} ", words.next()?),
            "-H" | "-E" => kept += &format!("{word} "),
            _ => return None,
        }
    }
    opens.then_some(kept)
}

/// Whether ssh is given a host and nothing to run there.
fn only_host(rest: &[&str]) -> bool {
    let mut operands = 0;
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            Some("N" | "f" | "V") => return false,
            Some(option) if option.len() == 1 && SSH_VALUES.contains(option) => drop(words.next()),
            Some(_) => {}
            None => operands += 1,
        }
    }
    operands == 1
}

/// Without the options that ask for a terminal.
fn without_terminal(words: &[&str], letters: &str) -> String {
    let kept = words.iter().filter_map(|word| match word.strip_prefix('-') {
        Some("-tty") => None,
        Some(flags) if !flags.starts_with('-') && flags.chars().all(|flag| "itT".contains(flag)) => {
            let kept: String = flags.chars().filter(|flag| !letters.contains(*flag)).collect();
            (!kept.is_empty()).then(|| format!("-{kept}"))
        }
        Some(_) | None => Some((*word).to_owned()),
    });
    kept.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_of_the_superuser_is_known_from_one_of_somebody_else() {
        for text in ["su", "su -", "su - root", "sudo su", "sudo su -", "sudo -i", "sudo -s"] {
            assert!(is_root_shell(text), "{text}");
        }
        for text in ["su - git", "su -c id", "sudo -u git -i", "sudo ls", "ssh root@host", "suspend"] {
            assert!(!is_root_shell(text), "{text}");
        }
    }

    #[test]
    fn what_is_entered_takes_its_commands_from_its_input() {
        for (text, expected) in [
            ("docker exec -it web bash", "docker exec -i web bash -es"),
            ("docker exec -ti web /bin/sh", "docker exec -i web /bin/sh -es"),
            ("docker compose exec app sh", "docker compose exec -T app sh -es"),
            ("sudo docker run --rm -it debian:12 bash", "sudo docker run --rm -i debian:12 bash -es"),
            ("kubectl exec --stdin --tty pod -- bash", "kubectl exec -i --stdin pod -- bash -es"),
            ("lxc exec box -- bash", "lxc exec box -- bash -es"),
            ("ssh -p 2222 me@host", "ssh -p 2222 me@host 'bash -es'"),
            ("su - postgres", "su - postgres -c 'bash -es'"),
            ("sudo su - postgres", "sudo su - postgres -c 'bash -es'"),
            ("sudo -i", "sudo -i bash -es"),
            ("sudo -u git -i", "sudo -u git -i bash -es"),
            ("sudo -s", "sudo bash -es"),
            ("sudo chroot /mnt", "sudo chroot /mnt /bin/bash -es"),
        ] {
            assert_eq!(carrier(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "docker exec web ls",
            "docker run -it debian",
            "docker run -it -p 80:80 app ./start",
            "ssh host uptime",
            "ssh -N -L 1:b:2 host",
            "su -c id",
            "sudo apt install x",
            "ssh host | cat",
            "bash",
        ] {
            assert_eq!(carrier(text), None, "{text}");
        }
    }
}
