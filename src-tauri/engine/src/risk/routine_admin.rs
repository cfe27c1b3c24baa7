//! Changes at guarded places that make nothing weaker: closing one's own key files to others, opening a setting of the
//! system in an editor, where the person sees what happens, making an empty folder, linking one's own settings to where
//! they belong. Judges single words, and never what is run.

use std::path::{Path, PathBuf};

use super::args::Parsed;
use super::judge::Judge;
use super::ownership::sets_up_served;
use super::place::{Place, place};
use super::secrets::is_secret;
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

/// Files that one call may install or link to be one's own daily care.
const MOST_SOURCES: usize = 16;

impl Judge<'_> {
    /// Whether changing `arg` is such care; it is then noted and needs no other judgement.
    pub(super) fn is_routine_admin(&mut self, parsed: &Parsed<'_, '_>, name: &str, arg: &Arg) -> bool {
        let Target::At(paths) = self.target(arg) else { return false };
        let all = |holds: &dyn Fn(&Path) -> bool| paths.iter().all(|path| holds(path));
        let mode = parsed.words.first().and_then(|mode| mode.known()).unwrap_or_default();
        let why = if name == "chmod" && CLOSING.contains(&mode) && !parsed.has("-R") {
            all(&|path| place(path, &self.anchors) == Place::Hidden)
                .then_some("closes a file of yours to others")
        } else if EDITORS.contains(&name) && parsed.given.is_empty() {
            let settings = |path: &Path| {
                let text = path.to_string_lossy();
                path.starts_with("/etc")
                    && !is_secret(path)
                    && !DECIDING.iter().any(|part| text.contains(part))
            };
            // What a person types there is seen while it is typed.
            let own = |path: &Path| {
                path.starts_with(self.anchors.home.join(".config"))
                    && place(path, &self.anchors) == Place::Hidden
                    && !is_secret(path)
                    && !["/systemd/", "/autostart/", "/git/", "/gh/"]
                        .iter()
                        .any(|part| path.to_string_lossy().contains(part))
            };
            if !self.fed && all(&own) {
                Some("opens a setting of yours in an editor")
            } else {
                all(&settings).then_some("opens a setting of the system in an editor")
            }
        } else if name == "git"
            && parsed.words.get(1).is_some_and(|word| word.span == arg.span)
            && clones(parsed)
        {
            all(&|path| self.is_for_a_tool(path)).then_some("makes a new folder of yours for a tool")
        } else if name == "mkdir" {
            all(&|path| may_hold_a_folder(place(path, &self.anchors)))
                .then_some("makes a folder outside the workspace")
        } else if name == "ln" {
            let own = self.links_own(parsed, arg, &paths) || self.installs_own(parsed, arg, &paths);
            own.then_some("links a file of yours to where it belongs")
        } else if matches!(name, "cp" | "install") {
            self.installs_own(parsed, arg, &paths).then_some("puts a program of yours among your programs")
        } else if matches!(name, "chown" | "chmod" | "chgrp") {
            sets_up_served(self, parsed, arg).then_some("sets up a folder for a web site or a program")
        } else if name == "tee" && parsed.has("-a") {
            let known = self.told.as_deref().is_some_and(names_own_machines);
            (known && all(&|path| path == Path::new("/etc/hosts")))
                .then_some("gives a machine of yours a name")
        } else {
            None
        };
        let Some(why) = why.filter(|_| !self.elsewhere) else { return false };
        self.found.add(Risk::Caution, why, arg.span);
        self.found.effects.writes_outside = true;
        paths.iter().for_each(|path| self.found.touch(path));
        true
    }

    /// `~/.fzf`, `~/.tmux/plugins/tpm`: not there yet, and nothing takes what is in it by itself.
    fn is_for_a_tool(&self, path: &Path) -> bool {
        const KEPT: [&str; 15] = [
            ".ssh",
            ".gnupg",
            ".config",
            ".local",
            ".aws",
            ".kube",
            ".docker",
            ".azure",
            ".mozilla",
            ".pki",
            ".git",
            ".password-store",
            ".cache",
            ".gitconfig",
            ".netrc",
        ];
        const TOOLS: [&str; 8] = [
            ".tmux/plugins",
            ".vim/pack",
            ".vim/bundle",
            ".config/nvim",
            ".config/emacs",
            ".oh-my-zsh/custom",
            ".zsh",
            ".local/share/nvim",
        ];
        let Ok(inside) = path.strip_prefix(&self.anchors.home) else { return false };
        let first = inside.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let own = first.is_some_and(|first| {
            inside.components().count() == 1 && first.starts_with('.') && !KEPT.contains(&first.as_str())
        });
        let starts = super::startup::FILES.iter().any(|file| inside == Path::new(file));
        let tool = TOOLS.iter().any(|folder| inside.starts_with(folder));
        (own || tool) && !starts && !self.workspace.paths.exists(path)
    }

    /// `install -m 755 target/release/notes ~/.local/bin/`: made here, and under a name that means nothing else.
    fn installs_own(&self, parsed: &Parsed<'_, '_>, last: &Arg, to: &[PathBuf]) -> bool {
        let Some((_, sources)) = parsed.words.split_last().filter(|(own, _)| own.span == last.span) else {
            return false;
        };
        let folders = [".local/bin", "bin"].map(|folder| self.anchors.home.join(folder));
        let [target] = to else { return false };
        // Looked at first: each of as many names as braces make is asked about with all the others.
        let into = folders.contains(target)
            || target.parent().is_some_and(|parent| folders.iter().any(|own| own == parent));
        if !into || sources.len() > MOST_SOURCES {
            return false;
        }
        let plain = !parsed.has("-m")
            || parsed.value("-m").and_then(Arg::known).is_some_and(|mode| {
                matches!(mode, "755" | "0755" | "700" | "0700" | "u+x" | "+x" | "a+x" | "555" | "0555")
            });
        let free = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            !name.starts_with('.') && crate::knowledge::program(&name).is_none() && !self.defines(&name)
        };
        plain
            && !sources.is_empty()
            && sources.iter().all(|source| match self.target(source) {
                Target::At(paths) => paths.iter().all(|path| {
                    let called = if folders.contains(target) { path.as_path() } else { target.as_path() };
                    place(path, &self.anchors) == Place::Workspace
                        && !self.is_fresh(source)
                        && called.file_name().is_some()
                        && free(called)
                }),
                Target::Inside { .. } | Target::Unknown => false,
            })
    }

    /// `ln -s ~/dotfiles/vimrc ~/.vimrc`, and a site that is switched on: what is linked is there already and is one's own
    /// or the same service's.
    fn links_own(&self, parsed: &Parsed<'_, '_>, last: &Arg, to: &[PathBuf]) -> bool {
        let Some((_, sources)) = parsed.words.split_last().filter(|(own, _)| own.span == last.span) else {
            return false;
        };
        if sources.len() > MOST_SOURCES {
            return false;
        }
        let from: Option<Vec<PathBuf>> = sources
            .iter()
            .map(|arg| match self.target(arg) {
                Target::At(paths) if !self.is_fresh(arg) => paths.into_iter().next_back(),
                Target::At(_) | Target::Inside { .. } | Target::Unknown => None,
            })
            .collect();
        let Some(from) = from.filter(|from| !from.is_empty()) else { return false };
        // A folder that is kept for this: `~/dotfiles`, `~/.dotfiles`, `~/dots`.
        let kept = |path: &PathBuf| {
            let mut folders = path.strip_prefix(&self.anchors.home).unwrap_or(Path::new("")).components();
            folders.next().is_some_and(|first| first.as_os_str().to_string_lossy().contains("dot"))
                && folders.next().is_some()
        };
        let own = |path: &PathBuf| kept(path) && !is_secret(path);
        let starts = ["/.ssh", "/autostart", "/systemd", "/.gnupg", "/.pam", "/cron"];
        let settings = |path: &PathBuf| {
            let text = path.to_string_lossy();
            place(path, &self.anchors) == Place::Hidden
                && !is_secret(path)
                && !starts.iter().any(|part| text.contains(part))
        };
        let served = |path: &PathBuf| {
            ["/etc/nginx", "/etc/apache2", "/etc/caddy", "/etc/lighttpd"]
                .iter()
                .any(|top| path.starts_with(top))
        };
        let program = |path: &PathBuf| path.starts_with("/opt") || path.starts_with("/usr");
        let shown = |path: &PathBuf| {
            let same = from.iter().any(|source| source.file_name() == path.file_name());
            path.starts_with("/usr/local/bin") && same
        };
        from.iter().all(own) && to.iter().all(settings)
            || from.iter().all(served) && to.iter().all(served)
            || from.iter().all(program) && to.iter().all(shown)
    }
}

/// An empty folder there changes nothing by itself.
fn may_hold_a_folder(place: Place) -> bool {
    match place {
        Place::Hidden | Place::System | Place::Outside | Place::OtherHome | Place::Mounted => true,
        Place::Nowhere
        | Place::Workspace
        | Place::Guarded
        | Place::Temporary
        | Place::Home
        | Place::Disk
        | Place::Spare
        | Place::Device
        | Place::Connection => false,
    }
}

/// Whether lines for `/etc/hosts` only name machines of one's own network, by names that no public machine has.
pub(super) fn names_own_machines(text: &str) -> bool {
    const ENDINGS: [&str; 8] =
        [".local", ".lan", ".test", ".internal", ".home", ".localhost", ".home.arpa", ".intranet"];
    let near = |address: &str| {
        ["127.", "10.", "192.168.", "::1"].iter().any(|start| address.starts_with(start))
            || address
                .strip_prefix("172.")
                .and_then(|rest| rest.split('.').next()?.parse::<u8>().ok())
                .is_some_and(|part| (16..32).contains(&part))
    };
    let own = |name: &str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.')
            && (!name.contains('.') || ENDINGS.iter().any(|end| name.ends_with(end)))
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some()
        && lines.all(|line| {
            let mut words = line.split_whitespace();
            words.next().is_some_and(near) && words.clone().count() > 0 && words.all(own)
        })
}

fn clones(parsed: &Parsed<'_, '_>) -> bool {
    parsed.subs.first().and_then(|sub| sub.known()) == Some("clone")
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn what_only_sets_up_is_left_in_peace() {
        check(
            Risk::Caution,
            "ln -sf ~/dotfiles/.vimrc ~/.vimrc
            sudo ln -s /etc/nginx/sites-available/blog /etc/nginx/sites-enabled/
            sudo ln -s /opt/idea/bin/idea /usr/local/bin/idea
            mkdir -p ~/.ssh && chmod 700 ~/.ssh
            sudo mkdir -p /opt/stacks
            echo '192.168.1.20 pi.local pi' | sudo tee -a /etc/hosts
            sudo chown -R u:u /opt/stacks
            sudo chown -R www-data:www-data /var/www/blog
            sudo usermod -aG docker u
            install -m 755 target/release/notes ~/.local/bin/
            install -Dm755 build/notes ~/.local/bin/notes
            cp target/release/notes ~/.local/bin
            ln -sfn /home/u/work/app/bin/tool ~/.local/bin/tool",
        );
        check(
            Risk::Dangerous,
            "ln -sf /dev/null ~/.bash_history
            ln -s /tmp/x ~/.bashrc
            ln -s ~/x.service ~/.config/systemd/user/x.service
            ln -s ~/keys ~/.ssh/authorized_keys
            sudo ln -s /tmp/ls /usr/local/bin/ls
            sudo ln -sf /opt/x/evil /usr/local/bin/sudo
            echo '203.0.113.7 github.com' | sudo tee -a /etc/hosts
            echo '127.0.0.1 security.debian.org' | sudo tee -a /etc/hosts
            cat list | sudo tee -a /etc/hosts
            sudo chown -R mallory /var/www/blog
            sudo chmod -R 777 /var/www/blog
            sudo usermod -aG docker mallory
            cp build/sudo ~/.local/bin/
            install -m 755 build/notes ~/.local/bin/git
            install -m 4755 build/notes ~/.local/bin/
            install -m 755 /tmp/notes ~/.local/bin/
            cp build/*.sh ~/.local/bin/
            ln -s /home/u/work/app/bin/tool ~/.local/bin/ssh",
        );
    }
}
