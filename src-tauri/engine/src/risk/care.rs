//! Changes at guarded places that make nothing weaker: closing one's own key files to others, opening a setting of the
//! system in an editor, where the person sees what happens. Judges single words, and never what is run.

use std::path::Path;

use super::args::Parsed;
use super::judge::Judge;
use super::place::{Place, is_secret, place};
use super::targets::Target;
use super::words::Arg;
use crate::protocol::Risk;

/// Modes that leave a file to its owner alone.
const CLOSING: [&str; 13] = [
    "600",
    "700",
    "400",
    "500",
    "0600",
    "0700",
    "0400",
    "0500",
    "go-rwx",
    "og-rwx",
    "go=",
    "u=rw,go=",
    "u=rwx,go=",
];
/// Editors that show the file and wait for a person.
const EDITORS: [&str; 7] = ["nano", "vim", "vi", "nvim", "emacs", "pico", "micro"];
/// Parts of paths whose files decide who may do what, or what runs at the start.
const DECIDING: [&str; 14] = [
    "passwd",
    "group",
    "shadow",
    "sudoers",
    "pam",
    "ld.so",
    "ssh",
    "cron",
    "security",
    "profile",
    "bash",
    "polkit",
    "rc.local",
    "environment",
];

impl Judge<'_> {
    /// Whether changing `arg` is such care; it is then noted and needs no other judgement.
    pub(super) fn is_daily_care(&mut self, parsed: &Parsed<'_, '_>, name: &str, arg: &Arg) -> bool {
        let Target::At(paths) = self.target(arg) else { return false };
        let all = |holds: &dyn Fn(&Path) -> bool| paths.iter().all(|path| holds(path));
        let mode = parsed.words.first().and_then(|mode| mode.known()).unwrap_or_default();
        let why = if name == "chmod" && CLOSING.contains(&mode) && !parsed.has("-R") {
            all(&|path| place(path, &self.known) == Place::Hidden)
                .then_some("closes a file of yours to others")
        } else if EDITORS.contains(&name) && parsed.given.is_empty() {
            let settings = |path: &Path| {
                let text = path.to_string_lossy();
                path.starts_with("/etc")
                    && !is_secret(path)
                    && !DECIDING.iter().any(|part| text.contains(part))
            };
            all(&settings).then_some("opens a setting of the system in an editor")
        } else {
            None
        };
        let Some(why) = why else { return false };
        self.found.add(Risk::Caution, why, arg.span);
        self.found.effects.writes_outside = true;
        paths.iter().for_each(|path| self.found.touch(path));
        true
    }
}
