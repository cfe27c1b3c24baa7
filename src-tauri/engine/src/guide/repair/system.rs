//! The system: ports, services, packages of the distribution, containers.

use std::path::Path;

use super::super::case::{Case, one, text};
use super::super::near::nearest;
use super::super::template::Findings;

/// The command is all there is in the step, so that skipping it skips nothing else.
pub(super) fn sole(case: &Case<'_>, _: &mut Findings) -> Option<()> {
    case.sole_run().filter(|run| run.command.redirects.is_empty()).map(|_| ())
}

/// `command`: the port in use replaced by the next free one, where the command names it exactly once.
pub(super) fn next_port(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let command = &case.failure.command;
    let said: Option<u16> = found.get("port").and_then(|port| port.parse().ok());
    let numbers = digits(command);
    let looks_like_port = |number: &u32| (1024..=65_000).contains(number);
    let (start, end, port) = match said {
        Some(port) => one(numbers.iter().copied().filter(|(_, _, number)| *number == u32::from(port)))?,
        // The message names no port: the command must have one number that can be one, and only that.
        None => one(numbers.iter().copied().filter(|(_, _, number)| looks_like_port(number)))?,
    };
    let word = one(case.runs().flat_map(|run| run.command.words.iter()).filter(|word| {
        word.span.start as usize <= start && end <= word.span.end as usize && text(word).is_some()
    }));
    // The number stands in an argument (`8000`, `--port=8000`, `0.0.0.0:8000`) or in front (`PORT=3000 …`).
    let assigned = command.chars().take(start).collect::<String>().ends_with("PORT=");
    if word.is_none() && !assigned {
        return None;
    }
    let taken = listening(case);
    let free = (port + 1..port + 50).find(|port| !taken.contains(port))?;
    let chars: Vec<char> = command.chars().collect();
    let part = |signs: &[char]| signs.iter().collect::<String>();
    let changed = format!("{}{free}{}", part(&chars[..start]), part(&chars[end..]));
    found.set("port", port.to_string());
    found.set("free", free.to_string());
    found.set("command", changed);
    Some(())
}

/// `asked_port` → `free`: a port above 1024 of the same look that nobody listens on.
pub(super) fn free_high_port(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let port: u32 = found.get("asked_port")?.parse().ok()?;
    let taken = listening(case);
    let usual = match port {
        443 => 8443,
        80..=89 => 8000 + port,
        other => 8000 + other,
    };
    let free = (usual..usual + 50).find(|port| !taken.contains(port))?;
    found.set("free", free.to_string());
    Some(())
}

/// Runs of digits with their place in characters; not those that are part of a longer name or number.
fn digits(text: &str) -> Vec<(usize, usize, u32)> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        while at < chars.len() && chars[at].is_ascii_digit() {
            at += 1;
        }
        if at == start {
            at += 1;
            continue;
        }
        let joined = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || "._".contains(*c));
        let glued = start > 0 && joined(chars.get(start - 1)) || joined(chars.get(at));
        if let (false, Ok(number)) = (glued, chars[start..at].iter().collect::<String>().parse()) {
            found.push((start, at, number));
        }
    }
    found
}

/// Ports that something listens on, as Linux tells it.
fn listening(case: &Case<'_>) -> Vec<u32> {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].into_iter().filter_map(|path| case.machine.read(Path::new(path)));
    let mut ports = Vec::new();
    for table in tables {
        for line in table.lines().skip(1) {
            let columns: Vec<&str> = line.split_whitespace().collect();
            if let [_, local, _, "0A", ..] = columns.as_slice() {
                ports.extend(local.rsplit(':').next().and_then(|port| u32::from_str_radix(port, 16).ok()));
            }
        }
    }
    ports
}

/// `unit` → `near`: the near unit that is installed.
pub(super) fn near_unit(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let unit = found.get("unit")?.to_owned();
    let stem = unit.strip_suffix(".service").unwrap_or(&unit);
    let folders = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];
    let mut units: Vec<String> =
        folders.iter().flat_map(|folder| case.machine.list(Path::new(folder))).collect();
    units.sort();
    units.dedup();
    let stems = units.iter().filter_map(|name| name.strip_suffix(".service"));
    let near = nearest(stem, stems)?.to_owned();
    let run = case.only_run(&["systemctl", "service"])?;
    if run.has_arg(&["stop", "disable", "mask", "kill"]) {
        return None;
    }
    let typed = [stem.to_owned(), format!("{stem}.service")].into_iter().find(|name| run.has_arg(&[name]))?;
    let near = if typed.ends_with(".service") { format!("{near}.service") } else { near };
    found.set("typed", typed);
    found.set("near", near);
    Some(())
}

/// The lists of packages can be what is wrong: the command does not fetch them itself.
pub(super) fn apt_update(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let installs = case.runs().any(|run| {
        matches!(run.program(), "apt" | "apt-get")
            && run.has_arg(&["install", "upgrade", "dist-upgrade", "build-dep", "source", "download"])
    });
    let updates = case.runs().any(|run| run.has_arg(&["update"]));
    if !installs || updates {
        return None;
    }
    // Where there are lists, a name that is in none of them is wrong, and fetching them again does not make it right.
    let lists = case.machine.list(std::path::Path::new("/var/lib/apt/lists"));
    let has_lists = lists.iter().any(|name| name.contains("_Packages"));
    if has_lists && case.everything.contains("Unable to locate package") {
        return None;
    }
    super::programs::sudo(case, found)
}

/// `command`: `apt-get install` with `-y`.
pub(super) fn apt_yes(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["apt", "apt-get"])?;
    // Removing is a question that the user answers.
    let word = run.subcommand().filter(|word| text(word) == Some("install"))?;
    if run.has_arg(&["-y", "--yes", "--assume-yes", "-qq"]) {
        return None;
    }
    found.set("command", case.insert_after(word, " -y")?);
    Some(())
}

/// `name` → `near`: the docker command that was meant. None that removes.
pub(super) fn docker_near_command(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const COMMANDS: [&str; 26] = [
        "attach",
        "build",
        "commit",
        "compose",
        "container",
        "cp",
        "create",
        "diff",
        "exec",
        "export",
        "history",
        "image",
        "images",
        "import",
        "info",
        "inspect",
        "load",
        "login",
        "logs",
        "network",
        "pull",
        "push",
        "restart",
        "run",
        "start",
        "volume",
    ];
    let name = found.get("name")?.to_owned();
    let run = case.only_run(&["docker"])?;
    let word = run.subcommand().filter(|word| text(word) == Some(&name))?;
    let near = nearest(&name, COMMANDS)?;
    found.set("command", case.splice(&[(word.span, near)])?);
    found.set("near", near);
    Some(())
}

/// `command`: `docker compose` as the program `docker-compose`, where that is installed.
pub(super) fn docker_compose_program(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["docker"])?;
    let word = run.args().first().filter(|word| text(word) == Some("compose"))?;
    if !case.has_program("docker-compose") {
        return None;
    }
    let both = planwright_shell::Span { start: run.head().span.start, end: word.span.end };
    found.set("command", case.splice(&[(both, "docker-compose")])?);
    Some(())
}

/// `name` → `near`: the apt command that was meant. None that removes.
pub(super) fn apt_near_operation(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const OPERATIONS: [&str; 12] = [
        "install",
        "update",
        "upgrade",
        "full-upgrade",
        "dist-upgrade",
        "search",
        "show",
        "list",
        "download",
        "source",
        "build-dep",
        "policy",
    ];
    // apt's word for what other managers call so. It comes before near names: `uninstall` is near to `install`.
    const REMOVES: [&str; 4] = ["remove", "uninstall", "delete", "erase"];
    let name = found.get("name")?.to_owned();
    let run = case.only_run(&["apt", "apt-get"])?;
    let word = run.subcommand().filter(|word| text(word) == Some(&name))?;
    let removes = REMOVES.contains(&name.as_str()) || nearest(&name, REMOVES).is_some();
    let near = if removes { "remove" } else { nearest(&name, OPERATIONS)? };
    found.set("command", case.splice(&[(word.span, near)])?);
    found.set("near", near);
    Some(())
}
