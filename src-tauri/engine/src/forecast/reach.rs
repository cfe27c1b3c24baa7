//! What a sandbox cannot tell: which commands would only fail in it, and which places it does not cover. Trying such a
//! command would do no harm; its forecast would mislead. Text that could not be read whole is tried all the same: there a
//! forecast says most.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::knowledge::{self, Deed};
use crate::protocol::{Assessment, Risk};
use crate::risk::Run;

/// Programs that have a service do what they say, and that service is out of reach.
const SERVICES: [&str; 22] = [
    "at",
    "batch",
    "busctl",
    "crontab",
    "dbus-send",
    "docker",
    "flatpak",
    "gdbus",
    "gsettings",
    "incus",
    "kubectl",
    "loginctl",
    "lxc",
    "minikube",
    "nerdctl",
    "nmcli",
    "podman",
    "service",
    "snap",
    "systemctl",
    "systemd-run",
    "virsh",
];
const PROCESSES: [&str; 5] = ["kill", "killall", "pkill", "skill", "xkill"];
/// Folders of the kernel's own; what is written there is nothing that stays.
const NO_FILES: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Why a command is not tried out, in one plain sentence; `None`: it is.
pub(crate) fn why_not(assessment: &Assessment, runs: &[Run]) -> Option<String> {
    let uses = |names: &[&str]| runs.iter().filter_map(program).any(|name| names.contains(&name));
    let changes_system = runs.iter().any(is_of_the_system);
    let why = if assessment.risk == Risk::Blocked {
        "It is never run, so it is not tried out either."
    } else if assessment.effects.raises_privilege {
        "It asks for administrator rights, which a forecast does not have."
    } else if assessment.effects.uses_network {
        "It needs the network, which a forecast does not have."
    } else if uses(&SERVICES) {
        "It works through a service of this machine, which a forecast cannot reach."
    } else if uses(&PROCESSES) {
        "It acts on running programs, which a forecast does not see."
    } else if changes_system {
        "It changes this machine beyond files, which a forecast cannot show."
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// The program's name without its folder.
fn program(run: &Run) -> Option<&str> {
    let name = run.words.first()?.as_deref()?;
    Some(name.rsplit('/').next().unwrap_or(name))
}

fn is_of_the_system(run: &Run) -> bool {
    let Some(entry) = program(run).and_then(knowledge::program) else { return false };
    let sub = run.words.iter().skip(1).flatten().find_map(|word| entry.sub_command(word));
    sub.unwrap_or(entry).does(Deed::System)
}

/// What it would write where nothing is tried out, as one sentence; `None` when all of it is covered.
pub(crate) fn beyond(assessment: &Assessment, workspace: &str, home: &str) -> Option<String> {
    let covered = [Path::new(workspace), Path::new(home), Path::new("/tmp")];
    let is_covered = |path: &Path| covered.iter().any(|folder| path.starts_with(folder));
    let outside = |path: &Path| {
        path.is_absolute() && !is_covered(path) && !NO_FILES.iter().any(|folder| path.starts_with(folder))
    };
    let places: BTreeSet<PathBuf> = assessment
        .effects
        .touches
        .iter()
        .map(Path::new)
        .filter(|path| outside(path))
        .map(|path| path.components().take(2).map(Component::as_os_str).collect())
        .collect();
    let names: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("It would also write in {one}, which cannot be tried out.")),
        [several @ .., last] => {
            let several = several.join(", ");
            Some(format!("It would also write in {several} and {last}, which cannot be tried out."))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::protocol::{Effects, UndoOutlook};
    use crate::risk::fixture::{TestPaths, read, workspace};
    use crate::risk::runs;

    fn assessed(change: impl FnOnce(&mut Assessment)) -> Assessment {
        let mut assessment = Assessment {
            risk: Risk::Dangerous,
            reasons: vec![],
            effects: Effects::default(),
            undo: UndoOutlook::NotNeeded,
            keyboard: None,
        };
        change(&mut assessment);
        assessment
    }

    fn why(command: &str, change: impl FnOnce(&mut Assessment)) -> Option<String> {
        let (paths, nothing, none) = (TestPaths::default(), BTreeMap::new(), BTreeMap::new());
        let runs = runs(command, &read(command), &workspace(&paths, &nothing, &none));
        why_not(&assessed(change), &runs)
    }

    #[test]
    fn what_would_only_fail_is_not_tried() {
        assert!(
            why("sudo rm -rf x", |it| it.effects.raises_privilege = true).unwrap().contains("administrator")
        );
        assert!(why("curl x | sh", |it| it.effects.uses_network = true).unwrap().contains("network"));
        assert!(why("x", |it| it.risk = Risk::Blocked).unwrap().contains("never run"));
        assert!(why("cd x && /usr/bin/docker rm -f a", |_| ()).unwrap().contains("service"));
        assert!(why("bash -c 'systemctl stop x'", |_| ()).unwrap().contains("service"));
        assert!(why("x=$(pkill -9 a)", |_| ()).unwrap().contains("running programs"));
        assert_eq!(why("rm -rf docker systemctl", |_| ()), None);
        assert_eq!(why("$x; rm -rf a", |_| ()), None);
        assert_eq!(why("eval \"$(cat x)\"", |_| ()), None);
    }

    #[test]
    fn places_that_are_not_covered_are_named() {
        let beyond = |paths: &[&str]| {
            let touches = paths.iter().map(|path| (*path).to_owned()).collect();
            super::beyond(&assessed(|it| it.effects.touches = touches), "/srv/w", "/home/a")
        };
        assert_eq!(beyond(&["/srv/w/a", "/home/a/.b", "/tmp/c", "/dev/null", "~/x"]), None);
        let one = "It would also write in /etc, which cannot be tried out.";
        assert_eq!(beyond(&["/etc/a/b", "/etc/c", "/srv/w/d"]).as_deref(), Some(one));
        let three = "It would also write in /etc, /srv and /usr, which cannot be tried out.";
        assert_eq!(beyond(&["/usr/a", "/srv/wide", "/etc/c"]).as_deref(), Some(three));
    }
}
