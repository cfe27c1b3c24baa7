//! What no advice may do, whoever gives it: turn the wish round, put more force in than was asked, or leave a gap for
//! the reader to fill. These checks only take away; none of them makes a proposal better.

use strsim::osa_distance;

/// Words that take something away or end it.
const TAKES_AWAY: [&str; 38] = [
    "remove",
    "rm",
    "uninstall",
    "delete",
    "del",
    "purge",
    "erase",
    "drop",
    "destroy",
    "prune",
    "clean",
    "autoremove",
    "autoclean",
    "stop",
    "disable",
    "down",
    "kill",
    "unset",
    "unlink",
    "mask",
    "revert",
    "reset",
    "rmi",
    "rmdir",
    "rb",
    "detach",
    "close",
    "logout",
    "deinit",
    "wipe",
    "format",
    "shutdown",
    "reboot",
    "poweroff",
    "halt",
    "restore",
    "abort",
    "unpublish",
];

/// Words that bring something in or begin it.
const BRINGS_IN: [&str; 24] = [
    "install", "add", "create", "new", "init", "start", "enable", "up", "run", "set", "update", "upgrade",
    "push", "publish", "build", "attach", "link", "login", "open", "restart", "apply", "clone", "unmask",
    "mount",
];

/// Options that silence a question, skip a check or overwrite what is there.
const FORCES: [&str; 25] = [
    "--force",
    "--hard",
    "--no-verify",
    "--break-system-packages",
    "--insecure",
    "--no-check-certificate",
    "--privileged",
    "--no-preserve-root",
    "--overwrite",
    "--purge",
    "--trusted-host",
    "--delete",
    "--unsafe",
    "--allow",
    "--skip",
    "--ignore",
    "--disable",
    "--no-gpg",
    "--nogpg",
    "--no-check",
    "--accept-",
    "--discard",
    "--clobber",
    "--prune",
    "--mirror",
];

/// Programs of which `-f` or `-D` means force.
const FORCED_BY_LETTER: [&str; 13] =
    ["git", "rm", "cp", "mv", "ln", "docker", "podman", "apt", "apt-get", "gem", "umount", "kill", "hg"];

/// Programs that no advice brings into a command which did not have them.
const NEVER_NEW: [&str; 15] = [
    "rm", "rmdir", "dd", "shred", "kill", "killall", "pkill", "reboot", "halt", "shutdown", "poweroff",
    "mkfs", "fdisk", "wipefs", "truncate",
];

/// Whether a word by itself takes something away, ends it, or passes over a check.
pub(super) fn takes_away(word: &str) -> bool {
    let bare = word.trim_start_matches('-');
    TAKES_AWAY.contains(&bare)
        || NEVER_NEW.contains(&bare)
        || word.starts_with("--") && FORCES.iter().any(|force| word.starts_with(force))
}

/// Whether `near` in the place of `typed` keeps what the user wished: removing stays removing, and nothing else becomes it.
pub(super) fn keeps_direction(typed: &str, near: &str) -> bool {
    let (typed, near) = (bare(typed), bare(near));
    let class = |words: &[&str], word: &str| words.contains(&word);
    let slip_of = |words: &[&str]| {
        words.iter().any(|word| {
            let allowed = if word.len() < 4 { 0 } else { 1 + word.len() / 6 };
            // `rmii` for `rmi`: the last letter twice.
            let doubled =
                typed.strip_prefix(word).is_some_and(|rest| rest.len() == 1 && word.ends_with(rest));
            doubled || osa_distance(&typed, word) <= allowed
        })
    };
    // A word that is right in itself is no slip: `npm start` with no such script is not `npm star`.
    if class(&BRINGS_IN, &typed) && typed != near {
        return false;
    }
    if class(&TAKES_AWAY, &near) {
        // `remvoe` for `remove`, but never `stat` for `stop`: the word itself must be the slip, and of nothing else.
        return class(&TAKES_AWAY, &typed) || slip_of(&TAKES_AWAY) && !class(&BRINGS_IN, &typed);
    }
    if class(&TAKES_AWAY, &typed) {
        return false;
    }
    if class(&BRINGS_IN, &near) {
        // `uninstal` is nearer to `uninstall` than to `install`, whatever the program proposes.
        let least = |words: &[&str]| {
            words.iter().filter(|word| word.len() > 3).map(|word| osa_distance(&typed, word)).min()
        };
        return least(&TAKES_AWAY).unwrap_or(usize::MAX) > osa_distance(&typed, &near)
            || typed == near
            || osa_distance(&typed, &near) <= 1;
    }
    // `untl` for `until` begins as it does, and says no more of not doing something.
    negated(&typed) == negated(&near)
        || typed.get(..2).is_some() && typed.get(..2) == near.get(..2) && !near.starts_with("no-")
}

/// Whether `near` may take the place of `typed` in a command of `program`.
pub(super) fn may_stand_for(program: &str, typed: &str, near: &str) -> bool {
    keeps_direction(typed, near) && !is_more_forceful(&[program, typed], &[program, near])
}

fn bare(word: &str) -> String {
    word.trim_start_matches('-').to_ascii_lowercase()
}

fn negated(word: &str) -> bool {
    ["no-", "un", "dis", "without-"].iter().any(|start| word.starts_with(start))
        && !["under", "until", "unit", "unique", "union", "uni", "dist", "disp", "disk"]
            .iter()
            .any(|start| word.starts_with(start))
}

/// Whether `proposed` has force in it that `asked` has not.
pub(super) fn is_more_forceful(asked: &[&str], proposed: &[&str]) -> bool {
    let program = proposed.iter().find(|word| **word != "sudo").copied().unwrap_or_default();
    proposed.iter().any(|word| {
        // The same word with other dashes was asked for just as well.
        let asked_so = |asked: &&str| *asked == *word || word.starts_with("--") && bare(asked) == bare(word);
        if asked.iter().any(|asked| asked_so(asked) || is_slip_of_option(asked, word)) {
            return false;
        }
        let letter =
            matches!(*word, "-f" | "-D" | "-ff" | "-rf" | "-fr") && FORCED_BY_LETTER.contains(&program);
        let new_killer = NEVER_NEW.iter().any(|never| word == never || word.starts_with("mkfs."));
        letter
            || new_killer
            || FORCES.iter().any(|force| word.starts_with(force))
            || *word == "777"
            || word.starts_with('+') && program == "git"
    })
}

/// `--ignor-case` asked for `--ignore-case`: what the hand got wrong was wished all the same.
fn is_slip_of_option(asked: &str, word: &str) -> bool {
    let (asked, word) = (asked.split('=').next().unwrap_or(asked), word.split('=').next().unwrap_or(word));
    let long = asked.starts_with("--") && word.starts_with("--") && asked.len() > 6;
    let allowed = if word.len() < 12 { 1 } else { 2 };
    long && osa_distance(asked, word) <= allowed && keeps_direction(asked, word)
}

/// Whether a command of advice takes something away although `asked` did not.
pub(super) fn takes_away_newly(asked: &[&str], proposed: &[&str]) -> bool {
    let words = proposed.iter().filter(|word| **word != "sudo").take(4);
    let taking = |word: &&&str| TAKES_AWAY.contains(word) || matches!(**word, "-R" | "--remove" | "--delete");
    words.filter(|word| taking(word)).any(|word| !asked.contains(word))
}

/// Whether a piece of advice has a gap that only its reader can fill.
pub(super) fn has_gap(text: &str) -> bool {
    let signs = [
        "<",
        ">",
        "[",
        "]",
        "...",
        "…",
        "{",
        "}",
        "path/to",
        "example.com",
        "you@",
        "Your Name",
        "your-",
        "your_",
        "YOUR",
        "$",
        "*",
        "|",
        "(",
        ")",
    ];
    let shouted = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        word.len() >= 3
            && word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == '-')
            && !matches!(word, "HEAD" | "FETCH_HEAD" | "ORIG_HEAD")
    };
    signs.iter().any(|sign| text.contains(sign))
        || text
            .split_whitespace()
            .any(|word| shouted(word) || matches!(word, "foo" | "bar" | "xyz" | "NAME" | "ID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_to_remove_never_becomes_one_to_install_nor_the_other_way() {
        assert!(!keeps_direction("uninstal", "install"));
        assert!(keeps_direction("uninstal", "uninstall"));
        assert!(keeps_direction("instal", "install"));
        assert!(!keeps_direction("install", "uninstall"));
        assert!(!keeps_direction("remove", "restore-all"));
        assert!(!keeps_direction("stat", "stop"));
        assert!(keeps_direction("remvoe", "remove"));
        assert!(!keeps_direction("--color", "--no-color"));
        assert!(keeps_direction("stauts", "status"));
    }

    #[test]
    fn force_is_not_put_in() {
        assert!(is_more_forceful(&["git", "push"], &["git", "push", "--force-with-lease"]));
        assert!(is_more_forceful(&["git", "branch", "-d", "x"], &["git", "branch", "-D", "x"]));
        assert!(is_more_forceful(&["apt", "install", "x"], &["sudo", "rm", "/var/lib/dpkg/lock"]));
        assert!(!is_more_forceful(&["git", "push", "-f"], &["git", "push", "-f", "origin"]));
        assert!(!is_more_forceful(&["make"], &["make", "-f", "other.mk"]));
        assert!(!is_more_forceful(&["rg", "--ignor-case", "x"], &["rg", "--ignore-case"]));
        assert!(is_more_forceful(&["rg", "--fore", "x"], &["rg", "--force-all"]));
        assert!(takes_away_newly(&["ssh", "host"], &["ssh-keygen", "-R", "host"]));
    }

    #[test]
    fn a_gap_is_seen() {
        for gap in
            ["git push <remote>", "npm i PACKAGE", "python3 -m venv path/to/venv", "git add [file]", "x ..."]
        {
            assert!(has_gap(gap), "{gap}");
        }
        for whole in
            ["git push --set-upstream origin main", "apt install python3-venv", "git push origin HEAD:main"]
        {
            assert!(!has_gap(whole), "{whole}");
        }
    }
}
