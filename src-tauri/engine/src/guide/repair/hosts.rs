//! What the machine itself knows: accounts, its package manager, the top of a home folder.

use std::path::Path;

use super::super::case::{Case, one, text};
use super::super::near::nearest;
use super::super::template::Findings;

/// `name` → `near`: an account or a group of this machine. Both halves of `user:group` are looked at.
pub(super) fn near_account(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let files = ["/etc/passwd", "/etc/group"];
    let texts: Vec<String> = files.iter().filter_map(|file| case.machine.read(Path::new(file))).collect();
    let known: Vec<&str> =
        texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.split(':').next()).collect();
    let (user, group) = name.split_once(':').unwrap_or((&name, ""));
    let mend = |part: &str| match part.is_empty() || known.contains(&part) {
        true => Some(part.to_owned()),
        false => nearest(part, known.iter().copied()).map(str::to_owned),
    };
    let near = match name.contains(':') {
        true => format!("{}:{}", mend(user)?, mend(group)?),
        false => mend(user)?,
    };
    (near != name).then(|| found.set("near", near))
}

/// `path` → `top`: the folder right below the home that the path is in.
pub(super) fn home_top(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    let top: Vec<&str> = path.split('/').take(4).collect();
    found.set("top", top.join("/"));
    Some(())
}

/// `verb` → `letter`: what pacman calls it.
pub(super) fn pacman_letter(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let letter = match found.get("verb")? {
        "install" => "-S",
        "search" => "-Ss",
        "update" | "upgrade" => "-Syu",
        "info" => "-Si",
        "list" => "-Q",
        _ => return None,
    };
    found.set("letter", letter);
    Some(())
}

/// Packages that Debian and Fedora call differently.
const FAMILIES: [(&str, &str); 24] = [
    ("build-essential", "gcc"),
    ("apache2", "httpd"),
    ("python3-dev", "python3-devel"),
    ("libssl-dev", "openssl-devel"),
    ("zlib1g-dev", "zlib-devel"),
    ("libffi-dev", "libffi-devel"),
    ("libpq-dev", "libpq-devel"),
    ("libxml2-dev", "libxml2-devel"),
    ("libxslt1-dev", "libxslt-devel"),
    ("libsqlite3-dev", "sqlite-devel"),
    ("libreadline-dev", "readline-devel"),
    ("libbz2-dev", "bzip2-devel"),
    ("libcurl4-openssl-dev", "libcurl-devel"),
    ("libncurses-dev", "ncurses-devel"),
    ("libjpeg-dev", "libjpeg-turbo-devel"),
    ("libpng-dev", "libpng-devel"),
    ("g++", "gcc-c++"),
    ("pkg-config", "pkgconf-pkg-config"),
    ("ninja-build", "ninja-build"),
    ("dnsutils", "bind-utils"),
    ("openssh-client", "openssh-clients"),
    ("netcat-openbsd", "nmap-ncat"),
    ("xz-utils", "xz"),
    ("vim", "vim-enhanced"),
];

/// `package` → `near`: Fedora's name of Debian's package.
pub(super) fn other_family_package(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = found.get("package")?;
    let near = FAMILIES.iter().find(|(debian, fedora)| *debian == package && debian != fedora)?.1;
    found.set("near", near);
    Some(())
}

/// How each manager begins its plain installation, in order of choice where several are here.
const INSTALLS: [(&str, &str); 6] = [
    ("apt-get", "apt-get install -y"),
    ("dnf", "dnf install -y"),
    ("pacman", "pacman -S --noconfirm"),
    ("zypper", "zypper --non-interactive install"),
    ("apk", "apk add"),
    ("brew", "brew install"),
];

/// `command` and `near`: the same installation by the manager that this machine has.
pub(super) fn manager_here(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let run = one(case.runs().filter(|run| text(run.head()) == Some(&name)))?;
    let (near, install) =
        INSTALLS.iter().find(|(program, _)| *program != name && case.has_program(program))?;
    if name.starts_with("apt") && *near == "apt-get" {
        return None;
    }
    let packages = match run.known_args()?.as_slice() {
        ["install" | "add" | "in" | "-S", rest @ ..] => rest
            .iter()
            .copied()
            .filter(|word| !matches!(*word, "-y" | "--yes" | "--noconfirm"))
            .collect::<Vec<_>>(),
        _ => return None,
    };
    if packages.is_empty() || packages.iter().any(|package| package.starts_with('-')) {
        return None;
    }
    let root = *near != "brew" && !run.wrapped_in("sudo");
    let sudo = if root { case.sudo()? } else { "" };
    let span = planwright_shell::Span { start: run.head().span.start, end: run.last_word().span.end };
    let quoted: Vec<String> = packages.into_iter().map(super::super::template::quote).collect();
    found.set("command", case.splice(&[(span, &format!("{sudo}{install} {}", quoted.join(" ")))])?);
    found.set("near", *near);
    Some(())
}

/// `name` → `package`: what cargo installs to have the command.
pub(super) fn cargo_package(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = match found.get("name")? {
        "upgrade" | "set-version" | "edit" => "cargo-edit".to_owned(),
        "component" => "cargo-component".to_owned(),
        "tauri" => "tauri-cli".to_owned(),
        "shuttle" => "cargo-shuttle".to_owned(),
        "flamegraph" => "flamegraph".to_owned(),
        "asm" | "show-asm" => "cargo-show-asm".to_owned(),
        name => format!("cargo-{name}"),
    };
    found.set("package", package);
    Some(())
}
