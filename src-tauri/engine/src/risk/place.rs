//! Where a path leads and how bad a change there would be. Knows no program.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::floor::Floor;
use super::{Paths, Workspace};
use crate::protocol::Risk;

/// Links followed before a path counts as leading round in a circle, as the system does.
const MOST_LINKS: u8 = 40;
/// Bytes of a file that is read to tell of what stands in it.
const SMALL_TEXT: u64 = 256 * 1024;

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

    #[cfg(unix)]
    fn is_own_folder(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let user = rustix::process::geteuid().as_raw();
        path.symlink_metadata().is_ok_and(|folder| folder.is_dir() && folder.uid() == user)
    }

    fn system_devices(&self) -> Vec<PathBuf> {
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        mounts.lines().filter_map(system_device).collect()
    }

    fn text(&self, path: &Path) -> Option<String> {
        let small = path.metadata().is_ok_and(|file| file.is_file() && file.len() <= SMALL_TEXT);
        small.then(|| std::fs::read_to_string(path).ok()).flatten()
    }
}

/// The device of a line of the list of mounts, if the system's own files are on it.
fn system_device(line: &str) -> Option<PathBuf> {
    const POINTS: [&str; 8] = ["/", "/boot", "/boot/efi", "/efi", "/home", "/usr", "/var", "/etc"];
    let mut fields = line.split(' ');
    let (device, point) = (fields.next()?, fields.next()?);
    let real =
        device.starts_with("/dev/") && !device.starts_with("/dev/mapper/") && !device.starts_with("/dev/dm-");
    (real && POINTS.contains(&point)).then(|| PathBuf::from(device))
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
        // The system is asked to resolve only what is there: it goes through every folder of the path each time.
        if part.symlink_metadata().is_ok() {
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
    /// In the home folder of someone else.
    OtherHome,
    /// On a removable medium, another disk or a share of the network.
    Mounted,
    System,
    /// The disk that the machine runs from, a part of it, or the memory.
    Disk,
    /// Another disk.
    Spare,
    Device,
    /// `/dev/tcp/…`: bash opens a connection.
    Connection,
    Outside,
}

/// Whose a program or script is, by where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    Own,
    Known,
    Stranger,
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
            Self::OtherHome => (Risk::Dangerous, "writes in the home folder of someone else"),
            Self::Mounted => {
                (Risk::Caution, "writes on a removable medium, another disk or a share of the network")
            }
            Self::System => (Risk::Dangerous, "writes in a folder of the system"),
            Self::Spare => (Risk::Dangerous, "writes straight onto a disk, over everything that is there"),
            Self::Disk => (Risk::Blocked, Floor::Disk.line().why),
            Self::Device => (Risk::Dangerous, "writes to a device"),
            Self::Connection => (Risk::Dangerous, "opens a network connection"),
            Self::Outside => (Risk::Dangerous, "writes outside the workspace"),
        }
    }

    /// How far what lies there may be run.
    pub(crate) fn trust(self) -> Trust {
        match self {
            Self::Workspace => Trust::Own,
            Self::Home | Self::Hidden | Self::System => Trust::Known,
            Self::Nowhere
            | Self::Guarded
            | Self::Temporary
            | Self::OtherHome
            | Self::Mounted
            | Self::Disk
            | Self::Spare
            | Self::Device
            | Self::Connection
            | Self::Outside => Trust::Stranger,
        }
    }

    pub(crate) fn is_outside(self) -> bool {
        match self {
            Self::Nowhere | Self::Workspace | Self::Guarded => false,
            Self::Temporary
            | Self::Home
            | Self::Hidden
            | Self::OtherHome
            | Self::Mounted
            | Self::System
            | Self::Spare
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
/// Hidden folders of the home folder that hold looks, or programs that nothing finds by their names: nothing in them runs or
/// decides anything by itself.
const LOOKS: [&str; 9] = [
    ".fonts",
    ".icons",
    ".themes",
    ".local/share/fonts",
    ".local/share/icons",
    ".local/share/themes",
    ".local/opt",
    ".local/src",
    ".local/state",
];
/// Hidden files of a project that only say what to leave out, or which version it is for.
const OF_A_PROJECT: [&str; 10] = [
    ".gitignore",
    ".gitkeep",
    ".keep",
    ".dockerignore",
    ".npmignore",
    ".editorconfig",
    ".nvmrc",
    ".node-version",
    ".python-version",
    ".ruby-version",
];
/// Where other disks, removable media and shares appear.
const MOUNTS: [&str; 8] = ["/mnt", "/media", "/run/media", "/Volumes", "/net", "/nfs", "/afs", "/misc"];
/// The disk that a machine runs from where nothing else is known.
const FIRST_DISKS: [&str; 6] =
    ["/dev/sda", "/dev/hda", "/dev/vda", "/dev/xvda", "/dev/nvme0", "/dev/mmcblk0"];
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

fn is_of_a_project(name: &OsStr) -> bool {
    OF_A_PROJECT.iter().any(|own| name == *own)
}

/// The folders that every place is told by, resolved once for a whole assessment.
#[derive(Debug)]
pub(crate) struct Anchors<'a> {
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    home_as_named: PathBuf,
    /// Asked for only when a disk is named.
    devices: OnceCell<Vec<PathBuf>>,
    paths: &'a dyn Paths,
}

impl<'a> Anchors<'a> {
    pub(crate) fn new(workspace: &Workspace<'a>) -> Self {
        Self {
            root: workspace.paths.resolve(&workspace.root),
            home: workspace.paths.resolve(&workspace.home),
            home_as_named: workspace.home.clone(),
            devices: OnceCell::new(),
            paths: workspace.paths,
        }
    }

    /// Whether the machine runs from this disk or a part of it: by what is mounted, else by the name of a first disk.
    fn runs_from(&self, device: &Path) -> bool {
        let name = device.to_string_lossy();
        let whole =
            ["/dev/mem", "/dev/kmem", "/dev/port", "/dev/mapper/", "/dev/dm-", "/dev/md", "/dev/disk/"];
        if whole.iter().any(|start| name.starts_with(start)) || name.contains(['*', '?']) {
            return true;
        }
        let devices = self.devices.get_or_init(|| self.paths.system_devices());
        if devices.is_empty() {
            return FIRST_DISKS.iter().any(|first| name.starts_with(first));
        }
        devices.iter().any(|mounted| {
            let mounted = mounted.to_string_lossy();
            disk_of(&mounted) == disk_of(&name)
        })
    }
}

/// The whole disk that a partition belongs to: `/dev/sda` of `/dev/sda2`, `/dev/nvme0n1` of `/dev/nvme0n1p3`.
fn disk_of(device: &str) -> &str {
    let stem = device.trim_end_matches(|c: char| c.is_ascii_digit());
    match stem.strip_suffix('p') {
        Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) => disk,
        Some(_) | None if device.contains("nvme") || device.contains("mmcblk") => device,
        Some(_) | None => stem,
    }
}

/// Names a resolved, absolute path's place.
pub(crate) fn place(path: &Path, known: &Anchors<'_>) -> Place {
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
            if known.runs_from(path) { Place::Disk } else { Place::Spare }
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
        let looks = LOOKS.iter().find_map(|folder| inside.strip_prefix(folder).ok());
        let seen = looks.unwrap_or(inside);
        let seen = match seen.parent() {
            Some(project) if project != Path::new("") && seen.file_name().is_some_and(is_of_a_project) => {
                project
            }
            Some(_) | None => seen,
        };
        let hidden = seen.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
        return match (hidden, path.starts_with(root)) {
            (true, _) => Place::Hidden,
            (false, true) => Place::Workspace,
            (false, false) => Place::Home,
        };
    }
    if path.starts_with("/tmp") || path.starts_with("/var/tmp") {
        return Place::Temporary;
    }
    if path.starts_with("/home") && path.components().count() > 2 {
        return Place::OtherHome;
    }
    if let Some(inside) = MOUNTS.iter().find_map(|top| path.strip_prefix(top).ok()) {
        // A whole system may be mounted there, whose settings decide as much as one's own.
        let system = inside.components().take(3).any(|part| {
            let name = part.as_os_str().to_string_lossy();
            ["etc", "root", "boot", "bin", "sbin", "usr", "lib", ".ssh", "cron.d"].contains(&name.as_ref())
        });
        return if system { Place::System } else { Place::Mounted };
    }
    if path == Path::new("/") || SYSTEM.iter().any(|top| path.starts_with(top)) {
        return Place::System;
    }
    Place::Outside
}

/// A folder that the machine or the user cannot do without: `/`, `/etc`, the home folder and whatever holds it.
pub(crate) fn is_foundation(path: &Path, known: &Anchors<'_>) -> bool {
    known.home.starts_with(path)
        || known.home_as_named.starts_with(path)
        || FOUNDATIONS.iter().chain(&SYSTEM).any(|folder| path == Path::new(folder))
}

/// Folders whose programs may be trusted by their name.
pub(crate) fn is_program_folder(folder: &Path) -> bool {
    [
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/usr/bin",
        "/usr/sbin",
        "/usr/local/bin",
        "/usr/local/sbin",
        "/opt/homebrew/bin",
    ]
    .iter()
    .any(|known| folder == Path::new(known))
}
