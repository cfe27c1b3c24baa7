//! Who asks, as the machine tells it and not as the program says: the parent of the process that connected.

use std::fs;
use std::path::Path;

/// Programs that are known to ask.
const KNOWN: [&str; 11] = [
    "sudo",
    "ssh",
    "ssh-add",
    "ssh-agent",
    "ssh-keygen",
    "scp",
    "sftp",
    "git",
    "git-remote-http",
    "git-remote-https",
    "git-lfs",
];
/// Where programs are that a user did not just put there.
const INSTALLED: [&str; 7] = ["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/home/linuxbrew/"];
/// Longest call that is shown, in characters.
const CALL: usize = 300;

/// A process that asks.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    /// Which process: its number and when it started, so that a number used again is another one.
    pub(super) process: (i32, u64),
    /// Its name, or its path when it is no installed program.
    pub(super) program: String,
    pub(super) called_as: String,
    /// Why it may be another than it seems, for people.
    pub(super) doubt: Option<String>,
}

impl Asker {
    /// `helper` is the process that connected; `as_root`: this program runs as root.
    pub(super) fn of(helper: i32, as_root: bool) -> Self {
        let parent = stat(helper).map_or(0, |stat| stat.parent);
        let started = stat(parent).map_or(0, |stat| stat.started);
        let program = program(parent);
        let called_as = call(parent);
        let doubt = match &program {
            None => Some("It cannot be told which program asks.".to_owned()),
            // What sudo runs as cannot be had by pretending.
            Some(name) if name == "sudo" && !as_root && !runs_as_root(parent) => Some(
                "It calls itself sudo but does not run with sudo's rights, so it is something else."
                    .to_owned(),
            ),
            Some(name) if KNOWN.contains(&name.as_str()) => None,
            Some(name) => Some(format!("{name} is none of the programs that usually ask for passwords.")),
        };
        let program = program.unwrap_or_else(|| "an unknown program".to_owned());
        Self { process: (parent, started), program, called_as, doubt }
    }
}

/// The most processes between a program and its command's worker.
const GENERATIONS: usize = 512;

/// Whether the process is this worker, or below it. What loses its parent comes to the worker, so nothing that a command
/// started is left out.
pub(super) fn descends_from(process: i32, worker: i32) -> bool {
    let parent = |pid: &i32| stat(*pid).map(|stat| stat.parent).filter(|parent| *parent > 0);
    std::iter::successors(Some(process), parent).take(GENERATIONS).any(|pid| pid == worker)
}

struct Stat {
    parent: i32,
    /// In ticks since the machine started.
    started: u64,
}

fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything, brackets too.
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Stat { parent, started })
}

fn program(pid: i32) -> Option<String> {
    let Ok(path) = fs::read_link(format!("/proc/{pid}/exe")) else {
        // Not ours to look into: it has more rights, as sudo has. Its name must do.
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        return Some(super::question::one_line(&name)).filter(|name| !name.is_empty());
    };
    let text = path.to_string_lossy();
    let name = if INSTALLED.iter().any(|place| text.starts_with(place)) {
        Path::new(text.as_ref()).file_name()?.to_string_lossy().into_owned()
    } else {
        text.into_owned()
    };
    Some(super::question::one_line(&name))
}

fn call(pid: i32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> =
        bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(String::from_utf8_lossy).collect();
    super::question::bounded(&super::question::one_line(&words.join(" ")), CALL)
}

/// Whether its effective user is root.
fn runs_as_root(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    users.and_then(|users| users.split_whitespace().nth(1)) == Some("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_no_program_that_asks() {
        let mut child = std::process::Command::new("sleep").arg("10").spawn().unwrap();
        let asker = Asker::of(i32::try_from(child.id()).unwrap(), false);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(asker.process.0, i32::try_from(std::process::id()).unwrap());
        assert_eq!(Some(asker.process.1), stat(asker.process.0).map(|stat| stat.started));
        let path = std::env::current_exe().unwrap();
        assert_eq!(asker.program, path.to_string_lossy());
        assert!(asker.called_as.contains(path.file_name().unwrap().to_str().unwrap()), "{asker:?}");
        assert!(asker.doubt.is_some());
    }

    #[test]
    fn a_process_descends_from_those_above_it_and_from_no_other() {
        let own = i32::try_from(std::process::id()).unwrap();
        let mut child = std::process::Command::new("sleep").arg("10").spawn().unwrap();
        let below = i32::try_from(child.id()).unwrap();
        let found = [
            descends_from(below, own),
            descends_from(own, own),
            descends_from(own, below),
            descends_from(-1, own),
            descends_from(own, 0),
        ];
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, [true, true, false, false, false]);
    }

    #[test]
    fn who_is_gone_is_unknown() {
        let asker = Asker::of(-1, false);
        assert_eq!(asker.program, "an unknown program");
        assert_eq!(asker.doubt.as_deref(), Some("It cannot be told which program asks."));
    }
}
