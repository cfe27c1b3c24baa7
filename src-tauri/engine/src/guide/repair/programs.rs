//! Programs that are not there: meant another one, has another name here, or comes in a package.

use strsim::osa_distance;

use super::super::case::{Case, one, text};
use super::super::near::{nearest, same_letters};
use super::super::template::Findings;
use super::packages;

/// What people type most. Among several near programs the common one is meant.
const COMMON: [&str; 62] = [
    "apt",
    "apt-get",
    "awk",
    "bash",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "chown",
    "clear",
    "cp",
    "curl",
    "cut",
    "date",
    "diff",
    "docker",
    "echo",
    "export",
    "find",
    "gcc",
    "git",
    "grep",
    "gzip",
    "head",
    "java",
    "jq",
    "kubectl",
    "less",
    "ln",
    "ls",
    "make",
    "man",
    "mkdir",
    "mv",
    "node",
    "npm",
    "npx",
    "perl",
    "ping",
    "pip",
    "pip3",
    "ps",
    "pwd",
    "python",
    "python3",
    "rustc",
    "sed",
    "sleep",
    "sort",
    "source",
    "ssh",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "tee",
    "touch",
    "unzip",
    "uniq",
    "wget",
    "which",
    "zip",
];

/// Shell words that are on no `PATH`.
const BUILTINS: [&str; 13] = [
    "alias", "cd", "declare", "echo", "export", "history", "jobs", "printf", "pwd", "read", "source", "test",
    "unset",
];

/// Whether the shell has `name` itself.
pub(in crate::guide) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Never guess one of these.
const NEVER: [&str; 16] = [
    "rm", "rmdir", "dd", "shred", "kill", "killall", "pkill", "reboot", "halt", "shutdown", "poweroff",
    "mkfs", "fdisk", "wipefs", "truncate", "unlink",
];

/// `name` must be a program of the command, exactly as written.
pub(super) fn in_program_word(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?;
    let run = case.runs().find(|run| text(run.head()) == Some(name))?;
    // `NAME = value` is an assignment with blanks, not a program.
    let assignment = run.args().first().and_then(text).is_some_and(|arg| arg.starts_with('='));
    (!assignment && !name.contains('/')).then_some(())
}

/// `name` → `near`: the one near program on `PATH`.
pub(super) fn near_program(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let programs = case.programs();
    let there = programs.iter().map(String::as_str).chain(BUILTINS);
    let there: Vec<&str> = there.filter(|program| !program.starts_with("mkfs.")).collect();
    // `Cat`: a keyboard that begins each line with a capital.
    let small = name.to_lowercase();
    if small != name && there.contains(&small.as_str()) && !NEVER.contains(&small.as_str()) {
        found.set("near", small);
        return Some(());
    }
    if let Some(near) = swapped_pair(&name, &there) {
        found.set("near", near);
        return Some(());
    }
    let swapped = |near: &&&str| name.len() > 3 && is_swap(&name, near);
    if let Some(near) = one(there.iter().filter(swapped)).filter(|near| !NEVER.contains(*near)) {
        found.set("near", *near);
        return Some(());
    }
    let common = nearest(&name, there.iter().copied().filter(|program| COMMON.contains(program)));
    let near = match common {
        Some(near) => near,
        // A rare program must be the only near one of all.
        None if name.chars().count() >= 5 => {
            // `flutter` is a program that is not here, and no slip of `cluster`.
            let first = |program: &&str| program.chars().next() == name.chars().next();
            nearest(&name, there.iter().copied()).filter(first)?
        }
        None => return None,
    };
    // In so short a name another first letter is another word: `code` is no slip of `node`.
    let short = name.chars().count() <= 4 && name.len() == near.len();
    if NEVER.contains(&near)
        || short && name.chars().next() != near.chars().next() && !same_letters(&name, near)
    {
        return None;
    }
    found.set("near", near);
    Some(())
}

/// Whether two neighbouring letters have changed places, and nothing else.
fn is_swap(name: &str, near: &str) -> bool {
    name != near && name.len() == near.len() && same_letters(name, near) && osa_distance(name, near) == 1
}

/// Two letters, swapped: the one slip that is certain in so short a name.
fn swapped_pair(name: &str, there: &[&str]) -> Option<&'static str> {
    let near = match name {
        "sl" => "ls",
        "dc" => "cd",
        "pc" => "cp",
        "vm" => "mv",
        "nl" => return None,
        _ => return None,
    };
    there.contains(&near).then_some(near)
}

/// `name` → `instead`: the same tool under the name it has here.
pub(super) fn substitute(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?;
    let mut others = packages::OTHER_NAMES.iter().filter(|(old, _)| *old == name).map(|(_, new)| *new);
    let there = |new: &&str| new.split(' ').next().is_some_and(|program| case.has_program(program));
    let instead = others.find(there)?;
    // A word of several pieces cannot stand behind `sudo -H` and the like any less than one can.
    found.set("instead", instead);
    Some(())
}

/// `name` → `package` and `sudo`, for a program of the command itself.
pub(super) fn package(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    in_program_word(case, found)?;
    package_elsewhere(case, found)
}

/// `name` → `package` and `sudo`, for a program that a tool or a script of the command wanted.
pub(super) fn package_elsewhere(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?;
    // The shell did not find it: a command that changes where the shell looks may be why.
    if !case.has_program("apt-get") || case.failure.command.contains("PATH=") {
        return None;
    }
    let package = packages::of_program(name)?;
    found.set("package", package);
    sudo(case, found)
}

/// `sudo`: `sudo ` or nothing, as this user needs it.
pub(super) fn sudo(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    found.set("sudo", case.sudo()?);
    Some(())
}

/// `command`: without `sudo`, for root. Options of sudo itself mean more than root's rights.
pub(super) fn drop_sudo(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let words: Vec<_> = case.runs().filter(|run| run.wrapped_in("sudo")).map(|run| run.command).collect();
    let mut spans = Vec::new();
    for command in words {
        let (first, second) = (command.words.first()?, command.words.get(1)?);
        if text(first) != Some("sudo") {
            return None;
        }
        spans.push((planwright_shell::Span { start: first.span.start, end: second.span.start }, ""));
    }
    found.set("command", case.splice(&spans)?);
    Some(())
}

/// `command`: the sole command run through sudo. A redirection would not gain from it.
pub(super) fn add_sudo(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.sole_run()?;
    let first = run.command.words.first()?;
    let builtin = BUILTINS.contains(&run.program());
    let prefixed = !run.command.redirects.is_empty() || !run.command.assignments.is_empty();
    if builtin || prefixed || run.wrapped_in("sudo") || case.machine.is_root() || !case.has_program("sudo") {
        return None;
    }
    found.set("command", case.insert_before(first, "sudo ")?);
    Some(())
}

/// `name` is no program of the command itself: a script or a tool in it wanted it.
pub(super) fn not_in_command(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?;
    (!case.runs().any(|run| run.program() == name)).then_some(())
}

/// Packages can be installed by apt here.
pub(super) fn apt(case: &Case<'_>, _: &mut Findings) -> Option<()> {
    case.has_program("apt-get").then_some(())
}
