//! Where a path leads and how bad a change there would be. Knows no program.

use std::path::{Component, Path, PathBuf};

use super::{Paths, Workspace};
use crate::protocol::Risk;

/// Links followed before a path counts as leading round in a circle, as the system does.
const MOST_LINKS: u8 = 40;

/// The real file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskPaths;

impl Paths for DiskPaths {
    fn resolve(&self, path: &Path) -> PathBuf {
        // A link to whatever is open here; for the command it is something else.
        if is_stream(path) {
            return path.to_owned();
        }
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            match step(&path) {
                Step::Resolved(real) => return real,
                Step::Onward(next) => path = next,
            }
        }
        clean(&path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn exists(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }
}

enum Step {
    Resolved(PathBuf),
    /// The same place under another name, which is to be resolved in turn.
    Onward(PathBuf),
}

/// The longest part that exists is resolved by the system; the rest is kept and cleaned up in words. A link to nothing
/// is followed too: what is written to it comes into being where it points.
fn step(path: &Path) -> Step {
    let mut kept: Vec<Component<'_>> = Vec::new();
    let mut part = path;
    let whole =
        |start: PathBuf, kept: &[Component<'_>]| kept.iter().rev().fold(start, |path, name| path.join(name));
    loop {
        if let Ok(real) = part.canonicalize() {
            let real = whole(real, &kept);
            return if kept.contains(&Component::ParentDir) {
                // What stands behind `..` may be a link of its own.
                Step::Onward(clean(&real))
            } else {
                Step::Resolved(clean(&real))
            };
        }
        if let (Ok(target), Some(folder)) = (part.read_link(), part.parent()) {
            return Step::Onward(whole(folder.join(target), &kept));
        }
        match (part.components().next_back(), part.parent()) {
            (Some(name), Some(parent)) => {
                kept.push(name);
                part = parent;
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => return Step::Resolved(clean(path)),
        }
    }
}

/// Takes `.` and `..` out in words alone.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => cleaned.push(component),
        }
    }
    cleaned
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// `/dev/null`, the terminal, the standard streams.
    Nowhere,
    Workspace,
    /// Inside the workspace, but what is written there runs later: hooks and settings of git.
    Guarded,
    Temporary,
    Home,
    /// A hidden file in the home folder: settings, start files, keys.
    Hidden,
    System,
    /// A whole disk or the memory.
    Disk,
    Device,
    /// `/dev/tcp/…`: bash opens a connection.
    Connection,
    Outside,
}

impl Place {
    /// How bad it is to write there, and why.
    pub(crate) fn writing(self) -> (Risk, &'static str) {
        match self {
            Self::Nowhere => (Risk::Safe, "writes nowhere"),
            Self::Workspace => (Risk::Caution, "writes in the workspace"),
            Self::Guarded => (Risk::Dangerous, "writes where git takes settings and programs from"),
            Self::Temporary => (Risk::Caution, "writes in the folder for temporary files"),
            Self::Home => (Risk::Caution, "writes outside the workspace, in the home folder"),
            Self::Hidden => {
                (Risk::Dangerous, "writes a hidden file of the home folder, where settings and keys are")
            }
            Self::System => (Risk::Dangerous, "writes in a folder of the system"),
            Self::Disk => (Risk::Blocked, "writes straight onto a disk"),
            Self::Device => (Risk::Dangerous, "writes to a device"),
            Self::Connection => (Risk::Dangerous, "opens a network connection"),
            Self::Outside => (Risk::Dangerous, "writes outside the workspace"),
        }
    }

    pub(crate) fn is_outside(self) -> bool {
        match self {
            Self::Nowhere | Self::Workspace | Self::Guarded => false,
            Self::Temporary
            | Self::Home
            | Self::Hidden
            | Self::System
            | Self::Disk
            | Self::Device
            | Self::Connection
            | Self::Outside => true,
        }
    }
}

const SYSTEM: [&str; 15] = [
    "/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/root", "/run", "/sbin", "/snap",
    "/sys", "/usr", "/var",
];
const FOUNDATIONS: [&str; 12] = [
    "/",
    "/dev",
    "/home",
    "/srv",
    "/mnt",
    "/media",
    "/tmp",
    "/usr/bin",
    "/usr/lib",
    "/usr/sbin",
    "/usr/share",
    "/var/lib",
];
const DISKS: [&str; 14] =
    ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "mapper", "dm-", "md", "loop", "mem", "kmem", "port"];
const STREAMS: [&str; 9] = ["null", "zero", "full", "stdin", "stdout", "stderr", "tty", "random", "urandom"];

/// One of the process's own streams, or a device that keeps nothing.
fn is_stream(path: &Path) -> bool {
    path.strip_prefix("/dev").is_ok_and(|device| {
        let name = device.to_string_lossy();
        let number = name.strip_prefix("fd/").unwrap_or_default();
        let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
        STREAMS.contains(&name.as_ref()) || is_number
    })
}

/// The folders that every place is told by, resolved once for a whole assessment.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    home_as_named: PathBuf,
}

impl Known {
    pub(crate) fn new(workspace: &Workspace<'_>) -> Self {
        Self {
            root: workspace.paths.resolve(&workspace.root),
            home: workspace.paths.resolve(&workspace.home),
            home_as_named: workspace.home.clone(),
        }
    }
}

/// Names a resolved, absolute path's place.
pub(crate) fn place(path: &Path, known: &Known) -> Place {
    if is_stream(path) {
        return Place::Nowhere;
    }
    if let Ok(device) = path.strip_prefix("/dev") {
        let name = device.to_string_lossy();
        return if name.starts_with("tcp/") || name.starts_with("udp/") {
            Place::Connection
        } else if name.starts_with("shm/") {
            Place::Temporary
        } else if DISKS.iter().any(|disk| name.starts_with(disk)) {
            Place::Disk
        } else {
            Place::Device
        };
    }
    let (root, home) = (&known.root, &known.home);
    // A workspace that is the home folder or a part of the system itself protects nothing that lies in it.
    let proper_root = !home.starts_with(root) && !is_foundation(root, known);
    if proper_root && let Ok(inside) = path.strip_prefix(root) {
        let git = inside.components().any(|part| part.as_os_str() == ".git");
        return if git { Place::Guarded } else { Place::Workspace };
    }
    if let Ok(inside) = path.strip_prefix(home) {
        let hidden = inside.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
        return match (hidden, path.starts_with(root)) {
            (true, _) => Place::Hidden,
            (false, true) => Place::Workspace,
            (false, false) => Place::Home,
        };
    }
    if path.starts_with("/tmp") || path.starts_with("/var/tmp") {
        return Place::Temporary;
    }
    if path == Path::new("/") || SYSTEM.iter().any(|top| path.starts_with(top)) {
        return Place::System;
    }
    Place::Outside
}

/// A folder that the machine or the user cannot do without: `/`, `/etc`, the home folder and whatever holds it.
pub(crate) fn is_foundation(path: &Path, known: &Known) -> bool {
    known.home.starts_with(path)
        || known.home_as_named.starts_with(path)
        || FOUNDATIONS.iter().chain(&SYSTEM).any(|folder| path == Path::new(folder))
}

/// Whether a folder is one that a build or a package manager makes again by itself.
pub(crate) fn is_build_product(path: &Path) -> bool {
    const PRODUCTS: [&str; 31] = [
        "node_modules",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "target",
        "dist",
        "build",
        "out",
        "__pycache__",
        ".venv",
        "venv",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".tox",
        ".next",
        ".nuxt",
        ".cache",
        ".parcel-cache",
        ".turbo",
        ".gradle",
        "coverage",
        "htmlcov",
        ".nyc_output",
        ".svelte-kit",
        ".output",
        "_build",
        "cmake-build-debug",
        "cmake-build-release",
        "bazel-out",
        ".eggs",
    ];
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    PRODUCTS.contains(&name.as_ref()) || name.ends_with(".egg-info")
}

/// Whether a file usually holds passwords or keys.
pub(crate) fn is_secret(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.ends_with(".pub")
        || name == "known_hosts"
        || name.ends_with(".example")
        || name.ends_with(".sample")
    {
        return false;
    }
    let folders = [
        "/.ssh/",
        "/.gnupg/",
        "/.aws/",
        "/.kube/",
        "/.config/gh/",
        "/.docker/",
        "/.azure/",
        "/.password-store/",
        "/.local/share/keyrings/",
        "/.config/gcloud/",
    ];
    let whole = format!("{}/", path.to_string_lossy());
    let files = [
        ".netrc",
        ".pgpass",
        ".git-credentials",
        ".npmrc",
        ".pypirc",
        ".env",
        "id_rsa",
        "id_ed25519",
        "id_ecdsa",
        "shadow",
        "gshadow",
        "sudoers",
        "credentials",
        "environ",
        "master.key",
        "credentials.toml",
        "credentials.json",
        ".vault-token",
    ];
    folders.iter().any(|folder| whole.contains(folder))
        || files.contains(&name.as_str())
        || name.starts_with(".env.")
        || name.ends_with(".pem")
        || name.ends_with(".key")
        || name.ends_with(".kdbx")
}

/// How bad it is that a command reads there; `None` is nothing to speak of.
pub(crate) fn reading(path: &Path) -> Option<Risk> {
    const KEEPERS: [&str; 3] = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers"];
    is_secret(path).then(|| {
        let keeper = KEEPERS.iter().any(|file| path == Path::new(file));
        if keeper { Risk::Dangerous } else { Risk::Caution }
    })
}

/// Folders whose programs may be trusted by their name.
pub(crate) fn is_program_folder(folder: &Path) -> bool {
    ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"]
        .iter()
        .any(|known| folder == Path::new(known))
}
