//! Stands in for `sudo` in a command's own shell: calls the real one with the same words, and with `-A` where sudo would
//! otherwise look for a terminal that is not there. It decides nothing and changes no other word.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::{Access, access};

/// Options whose value may be a word of its own.
const VALUED: &[u8] = b"aCcDghpRrTtUu";
const VALUED_LONG: [&str; 12] = [
    "--auth-type",
    "--close-from",
    "--login-class",
    "--chdir",
    "--group",
    "--host",
    "--prompt",
    "--chroot",
    "--role",
    "--command-timeout",
    "--type",
    "--user",
];

/// Returns only when sudo could not be called: 127 when there is none.
pub(crate) fn main() -> i32 {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some(program) = real() else {
        eprintln!("sudo: command not found");
        return 127;
    };
    let can_ask = std::env::var_os("SUDO_ASKPASS").is_some_and(|helper| !helper.is_empty());
    let mut sudo = Command::new(program);
    sudo.arg0("sudo");
    if can_ask && !reads_stdin(&words) {
        sudo.arg("-A");
    }
    let error = sudo.args(&words).exec();
    eprintln!("sudo: {error}");
    126
}

/// The first `sudo` on the PATH that is not this program.
fn real() -> Option<PathBuf> {
    let own = std::fs::canonicalize("/proc/self/exe").ok();
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    std::env::split_paths(&path)
        .map(|folder| folder.join("sudo"))
        .find(|file| access(file, Access::EXEC_OK).is_ok() && std::fs::canonicalize(file).ok() != own)
}

/// Whether sudo is told to read the password from its input (`-S`), which goes with `-A` not at all.
fn reads_stdin(words: &[OsString]) -> bool {
    let mut words = words.iter().map(|word| word.as_bytes());
    while let Some(word) = words.next() {
        if word == b"--" || !word.starts_with(b"-") {
            return false;
        }
        if word.starts_with(b"--") {
            if word.len() > 4 && b"--stdin".starts_with(word) {
                return true;
            }
            if VALUED_LONG.iter().any(|option| OsStr::new(option).as_bytes() == word) {
                words.next();
            }
            continue;
        }
        for (at, letter) in word.iter().enumerate().skip(1) {
            if *letter == b'S' {
                return true;
            }
            if VALUED.contains(letter) {
                if at + 1 == word.len() {
                    words.next();
                }
                break;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_option_counts() {
        let reads = |line: &str| reads_stdin(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for line in
            ["-S id", "-kS id", "-u root -S id", "-uroot -S id", "--stdin id", "--user root -n --stdi id"]
        {
            assert!(reads(line), "{line}");
        }
        for line in
            ["id -S", "-u S id", "-uS id", "-- -S", "-p S id", "--user=S id", "-k -n id", "--prompt -S id"]
        {
            assert!(!reads(line), "{line}");
        }
    }
}
