//! What a command itself says of where it belongs: another system's program, another machine's prompt, an editor, something that
//! ends the session. By names and signs; the words around it are judged elsewhere.

use std::collections::HashSet;

use super::cell::{Cell, Matter, with_line_end};
use super::file::FileMode;
use super::likeness::{command_words, is_variable};
use super::machine::Machine;
use super::packages::Getting;
use super::shape::Typed;
use super::synopsis;
use super::verdict::{Aside, Role, Verdict};
use super::words::{other_release, words};

/// What a command itself says of where it belongs.
pub(super) fn by_content(cell: &mut Cell<'_>, machine: &Machine, home: Option<&str>) {
    if let Matter::File { path, .. } = &cell.matter
        && let Some(shell) = words().shell_of(path).filter(|shell| *shell != "bash")
        && !machine.programs.is_empty()
        && !machine.programs.contains(shell)
    {
        let why = format!("it is for {shell}, which is not on this machine");
        return cell.judge(Some(Verdict { role: Role::OtherSystem, aside: None, why }));
    }
    let Matter::Typed(typed) = &cell.matter else { return };
    let other = |why: String| Some(Verdict { role: Role::OtherSystem, aside: None, why });
    if typed.windows || reads_as_windows(&typed.text) {
        let verdict = other(format!("it is for Windows, and this is {}", machine.named()));
        return cell.judge(verdict);
    }
    if let (Some(host), Some(home)) = (&typed.host, home)
        && host != home
    {
        let verdict = other(format!("its prompt is of another machine ({host})"));
        return cell.judge(verdict);
    }
    if let Some(shell) = shell_written_to(&typed.text)
        && !machine.programs.is_empty()
        && !machine.programs.contains(shell)
    {
        return cell.judge(other(format!("it is for {shell}, which is not on this machine")));
    }
    let lines: Vec<&str> = typed.text.lines().collect();
    for part in lines.iter().flat_map(|line| line.split(['|', ';', '&', '('])) {
        let typed_words = command_words(part);
        let Some(program) = typed_words.first() else { continue };
        if let Some(system) = machine.is_foreign(program) {
            let verdict = other(format!("{program} belongs to {system}, and this is {}", machine.named()));
            return cell.judge(verdict);
        }
    }
    let all: Vec<&str> = command_words(&typed.text);
    let program = all.first().copied().unwrap_or_default();
    let sources = typed.text.contains("sources.list")
        || typed.text.contains("preferences.d")
        || typed.text.contains("apt-pinning");
    if sources && let Some(release) = other_release(machine, &typed.text) {
        let verdict = other(format!(
            "it is about the release \u{201c}{release}\u{201d}, and this is {}",
            machine.named()
        ));
        return cell.judge(verdict);
    }
    let of_ubuntu = typed.text.contains("ppa:")
        || program_is(&typed.text, "add-apt-repository")
            && ["universe", "multiverse"].iter().any(|name| all.contains(name));
    if of_ubuntu && machine.id != "ubuntu" && !machine.id.is_empty() {
        let verdict = other(format!("its package source is for Ubuntu, and this is {}", machine.named()));
        return cell.judge(verdict);
    }
    if all.iter().any(|word| word.contains("raspberrypi-kernel") || word.starts_with("linux-headers-raspi"))
        && machine.id != "raspbian"
    {
        let verdict = other(format!("it is for a Raspberry Pi, and this is {}", machine.named()));
        return cell.judge(verdict);
    }
    if !cell.whole
        && let Some(optional) = synopsis::optional_parts(&typed.text)
    {
        let kept = synopsis::without(&typed.text, &optional);
        let gets = Getting::of(&kept).is_some_and(|one| !one.packages.is_empty());
        let builds = kept.split_whitespace().next().is_some_and(|first| words().builds.contains(first));
        if !gets && !builds {
            return cell.judge(Some(shows_form()));
        }
        let typed = Typed { text: kept, ..typed.clone() };
        cell.matter = Matter::Typed(typed);
        return;
    }
    if !cell.whole && synopsis::goes_on(&typed.text) {
        return cell.judge(Some(shows_form()));
    }
    if all.len() > 1 && matches!(all.last(), Some(&("--help" | "-h" | "help" | "-?"))) {
        let why = "it only shows what the program can do".to_owned();
        return cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Reference), why }));
    }
    if let ["echo", variable] = all.as_slice()
        && is_named_variable(variable)
        && !typed.text.contains(['>', '|', ';', '&', '('])
    {
        let why = "it only shows a variable".to_owned();
        return cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Reference), why }));
    }
    let takes_away = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name == "uninstall" || name.starts_with("uninstall.")
    };
    if all.iter().any(takes_away) || words().takes_away(&all) && !is_started_again(&typed.text) {
        let why = "it takes away again what the page installs".to_owned();
        return cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Uninstall), why }));
    }
    let table = words();
    if lines.len() == 1 && table.only_watches(&all) && !typed.text.contains(['|', '>', ';', '&']) {
        let why = "it only shows what goes on, until it is stopped".to_owned();
        return cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Reference), why }));
    }
    let is_number = |word: &&str| word.chars().all(|sign| sign.is_ascii_digit());
    if program == "kill" && all.last().is_some_and(is_number) {
        let why = "its process is one of the page's own run".to_owned();
        return cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Reference), why }));
    }
    if table.editors.contains(program) && all.len() > 1 {
        return edited(cell);
    }
    let joined = all.join(" ");
    let person = table.person.iter().find(|(_, starts)| {
        starts.iter().any(|start| {
            joined == *start || joined.strip_prefix(start.as_str()).is_some_and(|rest| rest.starts_with(' '))
        })
    });
    let opens = (program.starts_with('-') && typed.text.trim().starts_with("sudo ")).then_some("login");
    if let Some(kind) = person.map(|(kind, _)| kind.as_str()).or(opens)
        && !typed.text.contains('\n')
        && !(program == "su" && joined.contains(" -c"))
        && !joined.contains("&&")
    {
        let instruction = match kind {
            "reboot" => format!("Restart the machine (`{}`). Go on here afterwards.", typed.text.trim()),
            _ => format!("Do `{}` in a terminal of your own, or log out and in again.", typed.text.trim()),
        };
        let why = format!("{} ends or replaces the session, so it is done by hand", typed.text.trim());
        cell.matter = Matter::Manual(instruction);
        return cell.judge(Some(Verdict { role: Role::Manual, aside: None, why }));
    }
    let starts_session = all.len() == 1 && table.interactive.contains(program);
    if starts_session {
        let why = format!("{program} alone opens a program that waits for words");
        cell.judge(Some(Verdict { role: Role::OtherLanguage, aside: None, why }));
    }
}

/// `docker compose down && docker compose up -d`, `docker rm x || true`: what is taken away gives place to something.
fn is_started_again(text: &str) -> bool {
    text.contains("&&") || text.contains("||") || text.contains(';')
}

fn shows_form() -> Verdict {
    let why = "it shows how a command is put together, and is none to run".to_owned();
    Verdict { role: Role::Aside, aside: Some(Aside::Reference), why }
}

/// An editor opened on a file, with what the page shows in it.
fn edited(cell: &mut Cell<'_>) {
    let Matter::Typed(typed) = &cell.matter else { return };
    let all = command_words(&typed.text);
    let Some(path) = all
        .iter()
        .skip(1)
        .rfind(|word| !word.starts_with('-') && !word.starts_with('+'))
        .map(|word| (*word).to_owned())
    else {
        return;
    };
    let shown: Vec<&str> = typed.shown.iter().map(String::as_str).collect();
    if shown.iter().any(|line| !line.trim().is_empty()) {
        let mode = match &cell.lead {
            Some(lead) if words().file("append", &lead.text).is_some() => FileMode::Append,
            _ => FileMode::Write,
        };
        let content = with_line_end(&shown.join("\n"));
        let why = format!("it is shown in an editor of {path}");
        cell.matter = Matter::File { path, mode, content };
        return cell.judge(Some(Verdict { role: Role::File, aside: None, why }));
    }
    let instruction =
        match cell.lead.as_ref().map(|lead| lead.text.trim().to_owned()).filter(|text| !text.is_empty()) {
            Some(text) => format!("Edit {path}: {}", text.trim_end_matches(':')),
            None => format!("Edit {path}."),
        };
    let why = format!("`{}` opens an editor", typed.text.trim());
    cell.matter = Matter::Manual(instruction);
    cell.judge(Some(Verdict { role: Role::Manual, aside: None, why }));
}

/// The shell, other than bash, whose start-up file a command adds to.
fn shell_written_to(text: &str) -> Option<&'static str> {
    let (_, behind) = text.split_once(">>")?;
    let path = behind.split_whitespace().next()?.trim_matches(['"', '\'']);
    words().shell_of(path).filter(|shell| *shell != "bash")
}

fn program_is(text: &str, name: &str) -> bool {
    command_words(text).first() == Some(&name)
}

fn reads_as_windows(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let variable = text.split('%').nth(1).is_some_and(|name| {
        name.len() > 2 && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    }) && text.matches('%').count() >= 2;
    let path = first.contains('\\') && !first.starts_with('\\') && !first.contains(['=', '\'', '"']);
    path && !first.contains("\\ ")
        || variable
        || text.contains("$env:")
        || text.contains("\\Scripts\\")
        || names_a_drive(text)
        || first.ends_with(".exe")
        || first.ends_with(".bat")
        || first.ends_with(".ps1")
        || first.split_once('-').is_some_and(|(verb, noun)| {
            matches!(
                verb,
                "Set"
                    | "Get"
                    | "New"
                    | "Invoke"
                    | "Start"
                    | "Enable"
                    | "Add"
                    | "Remove"
                    | "Install"
                    | "Import"
                    | "Expand"
                    | "Write"
            ) && noun.starts_with(|letter: char| letter.is_uppercase())
        })
}

/// `C:\`, and no `\h:\w` of a prompt.
fn names_a_drive(text: &str) -> bool {
    text.match_indices(":\\").any(|(at, _)| {
        let mut before = text[..at].chars().rev();
        before.next().is_some_and(|letter| letter.is_ascii_alphabetic())
            && before.next().is_none_or(|sign| !sign.is_ascii_alphanumeric() && sign != '\\')
    })
}

/// `VERSION=""` before commands that use it: the reader's own value belongs there.
pub(super) fn ask_for_empty(cells: &mut [Cell<'_>]) {
    let empty = |text: &str| {
        let text = text.trim();
        let (name, value) = text.strip_prefix("export ").unwrap_or(text).split_once('=')?;
        let value = value.split(" #").next().unwrap_or_default().trim();
        let is_name = is_variable(name) && !name.contains(|letter: char| letter.is_ascii_lowercase());
        (is_name && matches!(value.trim_matches(['"', '\'']), "" | "..." | "\u{2026}"))
            .then(|| name.to_owned())
    };
    for place in 0..cells.len() {
        if cells[place].inline || cells[place].whole {
            continue;
        }
        let Some(name) = empty(cells[place].shell_text()) else { continue };
        let behind = &cells[place + 1..];
        let uses = |cell: &Cell<'_>| crate::plan::inputs::uses(cell.shell_text(), &name);
        let sets = |cell: &Cell<'_>| {
            cell.shell_text().contains(&format!("{name}="))
                || cell.shell_text().contains(&format!("{name}+="))
        };
        if behind.iter().any(uses)
            && !behind.iter().any(sets)
            && let Matter::Typed(typed) = &mut cells[place].matter
        {
            let exports = if typed.text.trim().starts_with("export ") { "export " } else { "" };
            typed.text = format!("{exports}{name}=\"<{name}>\"");
        }
    }
}

/// A page that shows how something fails shows no way, and what is typed behind that belongs to it.
pub(super) fn shown_to_fail(cells: &mut [Cell<'_>]) {
    let mut failed: Option<usize> = None;
    for cell in cells.iter_mut() {
        let Matter::Typed(typed) = &cell.matter else { continue };
        let says_so = |line: &String| {
            let line = line.trim();
            ["fatal: ", "error: ", "Error: ", "ERROR: ", "E: ", "Traceback (most recent"]
                .iter()
                .any(|start| line.starts_with(start))
                || line.contains("command not found")
        };
        if typed.shown.iter().any(says_so) {
            failed = Some(cell.spot);
        }
        if failed == Some(cell.spot) {
            let why = "the page shows how it fails".to_owned();
            cell.judge(Some(Verdict { role: Role::Aside, aside: Some(Aside::Troubleshooting), why }));
        }
    }
}

/// The keys of a package source that is for another release go with it.
pub(super) fn keys_of_sources(cells: &mut [Cell<'_>]) {
    let blocks: HashSet<usize> = cells
        .iter()
        .filter(|cell| cell.typed_text().contains("sources.list"))
        .filter(|cell| cell.verdict.as_ref().is_some_and(|verdict| verdict.role == Role::OtherSystem))
        .map(|cell| cell.spot)
        .collect();
    for cell in cells.iter_mut().filter(|cell| blocks.contains(&cell.spot)) {
        if command_words(cell.typed_text()).first() == Some(&"apt-key") {
            let why = "it is the key of a package source that is for another release".to_owned();
            cell.judge(Some(Verdict { role: Role::OtherSystem, aside: None, why }));
        }
    }
}

/// `$NAME`, `"${NAME}"`, and not `$?`.
fn is_named_variable(word: &str) -> bool {
    let name = word.trim_matches('"').strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
    name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))
}
