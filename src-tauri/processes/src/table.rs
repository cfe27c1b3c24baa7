//! The system's list of processes, as `ps` prints it: it is on every Unix, and its output has the same form on all of them.

use std::path::Path;
use std::process::{Command, Stdio};

/// Not by the `PATH`, which a user may have changed.
const PLACES: [&str; 2] = ["/bin/ps", "/usr/bin/ps"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    /// Not only waited for.
    pub(crate) lives: bool,
}

/// `None` where there is no `ps`, or where it says something else than expected.
pub(crate) fn table() -> Option<Vec<Entry>> {
    let program = PLACES.into_iter().find(|place| Path::new(place).is_file())?;
    let said = Command::new(program)
        .args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat="])
        .env_clear()
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let entries = parse(&String::from_utf8_lossy(&said.stdout))?;
    (said.status.success() && !entries.is_empty()).then_some(entries)
}

fn parse(text: &str) -> Option<Vec<Entry>> {
    text.lines().map(entry).collect()
}

fn entry(line: &str) -> Option<Entry> {
    let mut fields = line.split_ascii_whitespace();
    let mut number = || fields.next()?.parse().ok();
    let (pid, parent, group) = (number()?, number()?, number()?);
    // "Z+" on some systems, "Zs" on others.
    let lives = !fields.next()?.starts_with(['Z', 'X']);
    Some(Entry { pid, parent, group, lives })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_three_numbers_and_a_state() {
        let entry = |pid, parent, group, lives| Entry { pid, parent, group, lives };
        // The second as macOS writes them.
        assert_eq!(parse("    1     0     1 Ss\n"), Some(vec![entry(1, 0, 1, true)]));
        assert_eq!(parse("  512   511   511 Z+  \n"), Some(vec![entry(512, 511, 511, false)]));
        assert_eq!(parse("PID PPID PGID STAT\n"), None);
        assert_eq!(parse("1 0 1\n"), None);
    }

    #[test]
    fn this_process_is_listed() {
        let Some(table) = table() else {
            println!("there is no ps here");
            return;
        };
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(table.iter().any(|entry| entry.pid == own && entry.lives));
    }
}
