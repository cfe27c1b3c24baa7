//! The blocked floor: what no answer, grant or mode may allow. One table of reasons and ways out, from which
//! `docs/blocked.md` is checked, and the few rules that no single program's table can hold. Knows nothing of policy.

use std::path::Path;

use planwright_shell::{RedirectKind, Span};

use super::args::Parsed;
use super::findings::Findings;
use super::judge::Judge;
use super::place::{Place, is_foundation, place};
use super::targets::Target;
use super::words::Arg;
use crate::knowledge::Rules;
use crate::protocol::Risk;

/// What is never allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Floor {
    Foundation,
    MovedFoundation,
    OpenedFoundation,
    Disk,
    ForkBomb,
    Accounts,
    Essential,
    Everything,
    Kernel,
    Protections,
}

/// One line of the floor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Why it is never allowed, in words that follow the command; the first column of `docs/blocked.md`.
    pub(crate) why: &'static str,
    /// What to do instead; the second column.
    pub(crate) instead: &'static str,
}

impl Floor {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 10] = [
        Self::Foundation,
        Self::MovedFoundation,
        Self::OpenedFoundation,
        Self::Disk,
        Self::ForkBomb,
        Self::Accounts,
        Self::Essential,
        Self::Everything,
        Self::Kernel,
        Self::Protections,
    ];

    pub(crate) const fn line(self) -> Line {
        match self {
            Self::Foundation => Line {
                why: "deletes a folder that the machine or you cannot do without",
                instead: "name the folder inside it that you mean",
            },
            Self::MovedFoundation => Line {
                why: "moves away a folder that the machine or you cannot do without",
                instead: "copy it, or name the folder inside it that you mean",
            },
            Self::OpenedFoundation => Line {
                why: "changes a whole folder that the machine or you cannot do without",
                instead: "name the folder inside it that you mean",
            },
            Self::Disk => Line {
                why: "writes straight onto the disk that the machine runs from",
                instead: "start from another medium, or run it yourself in a terminal after looking at lsblk twice",
            },
            Self::ForkBomb => Line {
                why: "starts copies of itself until the machine stops",
                instead: "test limits in a container or a virtual machine with a limit on processes",
            },
            Self::Accounts => Line {
                why: "replaces or deletes a list of who may use the machine as a whole, or the account root",
                instead: "change one entry with usermod, passwd, vipw or visudo",
            },
            Self::Essential => Line {
                why: "removes a package that the system cannot run without",
                instead: "install another version over it, or name the package that you mean",
            },
            Self::Everything => Line {
                why: "ends everything that runs",
                instead: "name the process that you mean, or turn the machine off with systemctl poweroff",
            },
            Self::Kernel => Line {
                why: "stops the machine at once, without saving anything",
                instead: "use systemctl reboot or poweroff, or systemctl kill for one service",
            },
            Self::Protections => Line {
                why: "switches off the machine's own protections as a whole",
                instead: "make an exception for the one program or port that is held up, \
                          or run it yourself in a terminal",
            },
        }
    }

    /// The reason as the user reads it, with the way out.
    pub(crate) fn reason(self) -> String {
        let line = self.line();
        format!("{}. Never allowed here; instead: {}", line.why, line.instead)
    }
}

/// Files that say who may use the machine.
const ACCOUNTS: [&str; 5] = ["/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/sudoers"];

/// What the usual systems cannot run or be repaired without.
const ESSENTIAL: [&str; 40] = [
    "libc6",
    "libc-bin",
    "glibc",
    "musl",
    "bash",
    "dash",
    "coreutils",
    "systemd",
    "systemd-sysv",
    "init",
    "sysvinit",
    "openrc",
    "base",
    "base-files",
    "base-passwd",
    "filesystem",
    "util-linux",
    "apt",
    "dpkg",
    "rpm",
    "dnf",
    "yum",
    "pacman",
    "zypper",
    "apk-tools",
    "login",
    "passwd",
    "shadow",
    "mount",
    "e2fsprogs",
    "grep",
    "sed",
    "tar",
    "gzip",
    "findutils",
    "diffutils",
    "perl-base",
    "libpam-modules",
    "pam",
    "busybox",
];

/// Services that guard the machine; two or more of them stopped by one command are its protections as a whole.
const GUARDS: [&str; 8] =
    ["ufw", "firewalld", "nftables", "apparmor", "auditd", "fail2ban", "rsyslog", "systemd-journald"];

/// What a program does that is on the floor whatever its own table says.
pub(super) fn check(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, span: Span) {
    let words: Vec<&str> = parsed.words.iter().filter_map(|arg| arg.known()).collect();
    let sub = parsed.subs.last().and_then(|sub| sub.known()).unwrap_or_default();
    let given =
        |names: &[&str]| parsed.given.iter().any(|arg| arg.known().is_some_and(|text| names.contains(&text)));
    if removes_packages(name, sub, &words, parsed) {
        for arg in &parsed.words {
            let package = arg.known().map(|text| text.split([':', '=']).next().unwrap_or(text));
            if package.is_some_and(|package| ESSENTIAL.contains(&package)) && arg.known() != Some(sub) {
                j.found.block(Floor::Essential, arg.span);
            } else if package.is_none_or(is_weighty) {
                let text = "removes what guards the machine, is the way to reach it, or keeps data";
                j.found.add(Risk::Dangerous, text, arg.span);
            }
        }
    }
    let floor = match name {
        "kill" => {
            let by_force = given(&["-9", "-KILL", "-SIGKILL", "-s", "--signal", "-11", "-SEGV", "-ABRT"]);
            let all = parsed.ended && words.contains(&"-1")
                || by_force && parsed.given.iter().skip(1).any(|arg| arg.known() == Some("-1"));
            (all || by_force && words.contains(&"1")).then_some(Floor::Everything)
        }
        "killall5" => Some(Floor::Everything),
        "userdel" | "deluser" => words.contains(&"root").then_some(Floor::Accounts),
        "passwd" => (words.contains(&"root") && given(&["-d", "--delete"])).then_some(Floor::Protections),
        "aa-teardown" => Some(Floor::Protections),
        "csrutil" => words.contains(&"disable").then_some(Floor::Protections),
        "spctl" => given(&["--master-disable", "--global-disable"]).then_some(Floor::Protections),
        "mokutil" => given(&["--disable-validation"]).then_some(Floor::Protections),
        "systemctl" if matches!(sub, "stop" | "disable" | "mask" | "kill") => {
            let guards = words.iter().filter(|word| GUARDS.contains(&word.trim_end_matches(".service")));
            (guards.count() >= 2).then_some(Floor::Protections)
        }
        "chattr" | "setfacl" => {
            let tree = parsed.given.iter().any(|arg| arg.known().is_some_and(|text| text.contains('R')));
            (tree && parsed.words.iter().any(|arg| names_foundation(j, arg)))
                .then_some(Floor::OpenedFoundation)
        }
        _ => None,
    };
    if let Some(floor) = floor {
        j.found.block(floor, span);
    }
    if replaces_words(name, parsed) {
        // `cp a b`: only the last is replaced; what is deleted or emptied goes in any place.
        let from = if matches!(name, "cp" | "install" | "ln" | "mv") {
            parsed.words.len().saturating_sub(1)
        } else {
            0
        };
        for arg in parsed.words.iter().skip(from) {
            accounts(j, arg);
        }
        if name == "mv" {
            parsed.words.iter().for_each(|arg| accounts(j, arg));
        }
    }
}

fn names_foundation(j: &Judge<'_>, arg: &Arg) -> bool {
    match j.target(arg) {
        Target::At(paths) => paths.iter().any(|path| is_foundation(path, &j.anchors)),
        Target::Inside { folders, everything } => {
            everything && folders.iter().any(|path| is_foundation(path, &j.anchors))
        }
        Target::Unknown => false,
    }
}

fn removes_packages(name: &str, sub: &str, words: &[&str], parsed: &Parsed<'_, '_>) -> bool {
    let flag = |starts: &[&str]| {
        let mut texts = parsed.given.iter().filter_map(|arg| arg.known());
        texts.any(|text| starts.iter().any(|start| text.starts_with(start)))
    };
    let verb =
        |verbs: &[&str]| verbs.contains(&sub) || words.first().is_some_and(|word| verbs.contains(word));
    match name {
        "apt" | "apt-get" | "aptitude" => verb(&["remove", "purge", "autoremove"]),
        "dpkg" => flag(&["-r", "-P", "--remove", "--purge", "--force-all"]),
        "dnf" | "yum" | "zypper" | "microdnf" | "tdnf" => verb(&["remove", "rm", "erase"]),
        "apk" => verb(&["del"]),
        "rpm" => flag(&["-e", "--erase"]),
        "pacman" | "yay" | "paru" => flag(&["-R", "--remove"]),
        _ => false,
    }
}

/// Whether a package is more than a program: a pattern of names, a guard of the machine, the way to reach it, its
/// desktop or kernel, a store of data.
fn is_weighty(package: &str) -> bool {
    const STARTS: [&str; 34] = [
        "openssh",
        "ssh",
        "sudo",
        "linux-",
        "kernel",
        "grub",
        "shim",
        "initramfs",
        "dracut",
        "network-manager",
        "NetworkManager",
        "netplan",
        "systemd",
        "dbus",
        "polkit",
        "ubuntu-",
        "gnome-shell",
        "gdm",
        "sddm",
        "lightdm",
        "plasma-",
        "xserver-xorg",
        "xorg",
        "mesa",
        "nvidia",
        "python3-minimal",
        "postgresql",
        "mysql",
        "mariadb",
        "mongodb",
        "redis",
        "clam",
        "wazuh",
        "crowdsec",
    ];
    let odd = |c: char| !c.is_ascii_alphanumeric() && !"-+._@/~".contains(c);
    package.contains(odd)
        || GUARDS.contains(&package)
        || ["linux", "python3", "selinux-policy", "cron", "iptables", "glib2", "openssl"].contains(&package)
        || STARTS.iter().any(|start| package.starts_with(start))
}

fn replaces_words(name: &str, parsed: &Parsed<'_, '_>) -> bool {
    match name {
        "cp" | "mv" | "install" | "ln" | "rm" | "unlink" | "shred" | "truncate" => true,
        "tee" => !parsed.has("-a"),
        _ => false,
    }
}

fn accounts(j: &mut Judge<'_>, arg: &Arg) {
    if let Target::At(paths) = j.target(arg)
        && paths.iter().any(|path| ACCOUNTS.iter().any(|file| path == Path::new(file)))
    {
        j.found.block(Floor::Accounts, arg.span);
    }
}

/// What a redirection writes over.
pub(super) fn redirected(j: &mut Judge<'_>, kind: RedirectKind, path: &Path, span: Span) {
    match kind {
        RedirectKind::Write | RedirectKind::WriteBoth => replaced(&mut j.found, path, span),
        RedirectKind::Append
        | RedirectKind::AppendBoth
        | RedirectKind::ReadWrite
        | RedirectKind::Read
        | RedirectKind::Duplicate
        | RedirectKind::HereDocument
        | RedirectKind::HereString => {}
    }
}

/// A resolved path whose whole content gives way to another.
pub(super) fn replaced(found: &mut Findings<'_>, path: &Path, span: Span) {
    if ACCOUNTS.iter().any(|file| path == Path::new(file)) {
        found.block(Floor::Accounts, span);
    }
}

/// A resolved path that is written to: `/proc/sysrq-trigger` and the switches that end or freeze a whole control group.
pub(super) fn kernel(found: &mut Findings<'_>, path: &Path, span: Span) {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let group = path.starts_with("/sys/fs/cgroup") && (name == "cgroup.kill" || name == "cgroup.freeze");
    if group || path == Path::new("/proc/sysrq-trigger") {
        found.block(Floor::Kernel, span);
    }
}

/// Files of the kernel whose text is run by it as a program, wherever they are mounted.
pub(super) fn runs_for_kernel(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    ["release_agent", "notify_on_release", "core_pattern", "uevent_helper", "modprobe_path"]
        .contains(&name.as_ref())
}

/// Programs for disks: their words are written straight onto the disk unless they only look.
pub(super) fn disk(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let calm = parsed.flags.iter().any(|given| given.flag.calms.is_some())
        || parsed.verb().unwrap_or(parsed.entry.risk) < Risk::Dangerous;
    if calm || parsed.entry.rules != Some(Rules::Disk) {
        return;
    }
    for arg in &parsed.words {
        if arg.known().is_some_and(|text| text.starts_with("/dev/")) {
            j.write(arg);
        }
    }
}

/// `mount` and `umount`: harmless where removable media and other disks are put, grave over the system's own folders.
pub(super) fn mount(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, span: Span) {
    let points: Vec<&Arg> = match (name, parsed.words.as_slice()) {
        ("mount", [.., last]) => vec![*last],
        (_, words) => words.to_vec(),
    };
    let options = parsed.value("-o").map(|arg| arg.known().unwrap_or("bind"));
    let risky = ["bind", "remount", "move", "suid", "exec"];
    let tame = options.is_none_or(|text| {
        !text.split(',').any(|option| risky.contains(&option.split('=').next().unwrap_or(option)))
    });
    let system_disk = name == "mount"
        && parsed.words.first().and_then(|arg| arg.known()).is_some_and(|device| {
            device.starts_with("/dev/") && place(Path::new(device), &j.anchors) == Place::Disk
        });
    let elsewhere = points.iter().all(|arg| match j.target(arg) {
        Target::At(paths) => paths.iter().all(|path| match place(path, &j.anchors) {
            Place::Mounted | Place::Temporary | Place::Workspace | Place::Spare => true,
            Place::Home => path != &j.anchors.home,
            Place::Nowhere
            | Place::Guarded
            | Place::Hidden
            | Place::OtherHome
            | Place::System
            | Place::Disk
            | Place::Device
            | Place::Connection
            | Place::Outside => false,
        }),
        Target::Inside { .. } | Target::Unknown => false,
    });
    // The kernel's own settings as a folder: who writes there needs no other way in.
    let kernels = parsed.value("-t").is_some_and(|kind| {
        kind.known().is_none_or(|kind| {
            ["cgroup", "proc", "sysfs", "debugfs", "securityfs", "tracefs", "bpf", "configfs", "devtmpfs"]
                .iter()
                .any(|own| kind.starts_with(own))
        })
    });
    let fine = tame && elsewhere && !system_disk && !kernels && !points.is_empty();
    let (risk, text) = if fine {
        (Risk::Caution, "makes a disk appear as a folder, or takes it away")
    } else {
        (Risk::Dangerous, "puts something over a folder of the system, or takes it away")
    };
    let bare = parsed.words.is_empty();
    if !bare {
        j.found.add(risk, text, span);
    }
}

#[cfg(test)]
mod tests;
