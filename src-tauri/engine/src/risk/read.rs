//! What reading a path means: whose it is, and whether it holds what must not be shown.

use std::path::{Path, PathBuf};

use super::judge::{Judge, SURVEYED};
use super::place::{Place, place};
use super::secrets::{is_key, is_secret, reading};
use super::targets::Target;
use super::words::{Arg, Text};
use crate::protocol::Risk;

impl Judge<'_> {
    pub(super) fn read(&mut self, arg: &Arg) {
        match self.target(arg) {
            Target::At(paths) => {
                let others = |path: &PathBuf| {
                    place(path, &self.anchors) == Place::OtherHome
                        || path.starts_with("/root") && !self.anchors.home.starts_with("/root")
                };
                let told = |path: &PathBuf| {
                    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("_history"))
                };
                if paths.iter().any(|path| others(path) && told(path)) {
                    self.found.add(Risk::Dangerous, "reads what somebody else typed", arg.span);
                }
                if paths.iter().any(|path| listens(path)) {
                    self.found.add(
                        Risk::Dangerous,
                        "reads what is typed, or what is in the memory of others",
                        arg.span,
                    );
                }
                if self.elevated && paths.iter().any(others) {
                    self.found.add(Risk::Caution, "reads what belongs to someone else", arg.span);
                }
                if let Some(risk) = paths.iter().filter_map(|path| reading(path)).max() {
                    self.found.add(risk, "reads a file that usually holds passwords or keys", arg.span);
                    self.found.secrets.push(arg.span);
                    if paths.iter().all(|path| place(path, &self.anchors) != Place::Workspace) {
                        self.found.keys += 1;
                    }
                }
            }
            Target::Inside { folders, .. } => {
                let named = match &arg.text {
                    // `/proc/[0-9]*/environ`
                    Text::Glob { pattern, .. } => reading(Path::new(pattern)),
                    Text::Known { .. } | Text::Unknown { .. } => None,
                };
                let among =
                    folders.iter().any(|folder| is_secret(&folder.join("x"))).then_some(Risk::Caution);
                if let Some(risk) = named.max(among) {
                    self.found.add(risk, "reads files that usually hold passwords or keys", arg.span);
                    self.found.secrets.push(arg.span);
                }
            }
            // What the commands of `<(…)` print, which are judged by themselves; where a program lies.
            Target::Unknown
                if self.found.fragment(arg.span).starts_with("<(")
                    || super::listed::prints_where_a_program_lies(self.found.fragment(arg.span)) => {}
            // The number of a process, which is no file.
            Target::Unknown if is_of_process(self.found.fragment(arg.span)) => {}
            // `/proc/$pid/cmdline`: what a process is and does, whichever it is.
            Target::Unknown if tells_of_process(self.found.fragment(arg.span)) => {}
            // A file of a container or of another machine, by a name that tells of no password or key.
            Target::Unknown
                if self.elsewhere && arg.known().is_some_and(|text| !is_secret(Path::new(text))) => {}
            Target::Unknown => {
                self.found.add(Risk::Caution, "what it reads is only known when it runs", arg.span);
                if let Some(risk) = arg.known().and_then(|text| reading(Path::new(text))) {
                    self.found.add(risk, "reads a file that usually holds passwords or keys", arg.span);
                    // The network that it takes to get there sends nothing on.
                    if risk == Risk::Dangerous {
                        self.found.secrets.push(arg.span);
                    }
                }
                let secret = ["/.ssh", "/.aws", "/.gnupg", "/.netrc"];
                let text = self.found.fragment(arg.span).to_owned();
                let key = text.len() <= SURVEYED
                    && text
                        .split(|c: char| c.is_whitespace() || "{},\"'$;|&()".contains(c))
                        .any(|part| is_key(Path::new(part)) || part.ends_with("/environ"));
                if key {
                    self.found.add(
                        Risk::Dangerous,
                        "reads a file that usually holds passwords or keys",
                        arg.span,
                    );
                }
                // A word as long as that is a text by itself, and asked about for each of its commands.
                if text.len() > SURVEYED || secret.iter().any(|part| text.contains(part)) {
                    self.found.secrets.push(arg.span);
                }
            }
        }
    }

    /// Shows the names, sizes and times of files, or of what is in a folder.
    pub(super) fn list(&mut self, arg: &Arg) {
        let risk = match self.target(arg) {
            Target::At(paths) => paths.iter().any(|path| is_secret(path)).then_some(Risk::Caution),
            Target::Inside { folders, .. } => {
                folders.iter().any(|folder| is_secret(&folder.join("x"))).then_some(Risk::Caution)
            }
            Target::Unknown => None,
        };
        if let Some(risk) = risk {
            self.found.add(risk, "lists files that usually hold passwords or keys", arg.span);
        }
    }
}

/// The keyboard, and the memory of the machine.
fn listens(path: &Path) -> bool {
    ["/dev/input", "/dev/uinput", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore"]
        .iter()
        .any(|device| path.starts_with(device))
        || path.starts_with("/proc") && path.ends_with("mem")
}

/// `$(pgrep -n postgres)`: prints nothing but numbers.
fn is_of_process(fragment: &str) -> bool {
    let inner = fragment.trim_matches('"').strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let mut words = inner.unwrap_or_default().split_whitespace();
    matches!(words.next(), Some("pgrep" | "pidof"))
        && words.all(|word| {
            let names =
                word.starts_with("--") || word.starts_with('-') && word.contains(['a', 'l', 'd', 'S']);
            !names && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        })
}

fn tells_of_process(fragment: &str) -> bool {
    const TELLS: [&str; 12] = [
        "cmdline",
        "comm",
        "status",
        "stat",
        "statm",
        "cwd",
        "exe",
        "limits",
        "io",
        "cgroup",
        "wchan",
        "oom_score",
    ];
    let inner = fragment.trim_matches('"').strip_prefix("/proc/$");
    let Some((name, file)) = inner.and_then(|inner| inner.split_once('/')) else { return false };
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    // The number of a process by its name: no other value is put there, which could be several words.
    TELLS.contains(&file) && matches!(name, "pid" | "p" | "PID" | "$" | "!")
}
