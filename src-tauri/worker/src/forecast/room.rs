//! The room that a command is tried out in: namespaces, and a tree of mounts. The whole machine is there to be read;
//! what is written goes to layers in memory of a fixed size. Nothing in here runs anything.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::XattrFlags;
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::UnshareFlags;

use super::diff::Layer;
use super::syscalls;

/// Where the room is built, out of sight of the command: it has a `/run` of its own.
const BUILD: &str = "/run";
/// The machine as the command sees it.
pub(super) const ROOT: &str = "/run/root";
/// Where bash finds the state of the shell that it starts from, as it sees it.
pub(super) const PROLOGUE: &str = "/run/shell-state";
/// All that can be written, in bytes and in files: `yes > file` fills this and no disk.
const ROOM: &str = "size=256m,nr_inodes=200k,mode=0755";
/// Less than this left of it is full, in bytes and in files.
const FULL: (u64, u64) = (1024 * 1024, 16);
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

#[derive(Debug)]
pub(super) struct Room {
    folders: Vec<PathBuf>,
}

impl Room {
    /// Takes this process into namespaces of its own and builds the room; the error is in words for people.
    pub(super) fn make(folders: &[PathBuf], restore: &str) -> Result<Self, String> {
        give_way();
        enter_namespaces().map_err(|error| refused("namespaces", &error))?;
        let room = Self { folders: folders.to_owned() };
        room.build(restore)?;
        Ok(room)
    }

    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// What was written, over what is there.
    pub(super) fn layers(&self) -> impl Iterator<Item = Layer> {
        self.folders.iter().enumerate().map(|(number, folder)| Layer {
            upper: upper(number),
            lower: lower(number),
            shown: folder.clone(),
        })
    }

    /// Whether there is hardly any room left.
    pub(super) fn is_full(&self) -> bool {
        let Ok(room) = rustix::fs::statvfs(BUILD) else { return false };
        room.f_bavail * room.f_frsize < FULL.0 || room.f_favail < FULL.1
    }

    fn build(&self, restore: &str) -> Result<(), String> {
        let stage = |what: &'static str| move |error: io::Error| refused(what, &error);
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
            .map_err(|error| refused("mounts", &error.into()))?;
        let data = std::ffi::CString::new(ROOM).map_err(|error| refused("room", &error.into()))?;
        mount("planwright", BUILD, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, data.as_c_str())
            .map_err(|error| refused("memory", &error.into()))?;
        make_folders(&["root", "upper", "lower", "work", "run", "dev", "shm", "empty"])
            .map_err(stage("folders"))?;
        self.has_attributes()?;
        mount_bind_recursive("/", ROOT).map_err(|error| refused("files", &error.into()))?;
        syscalls::seal(Path::new(ROOT), true).map_err(stage("read-only files"))?;
        for (number, folder) in self.folders.iter().enumerate() {
            overlay(number, folder).map_err(stage("overlays"))?;
        }
        fs::write(Path::new(BUILD).join("run/shell-state"), prologue(restore))
            .map_err(stage("shell state"))?;
        hide().map_err(stage("devices"))
    }

    /// Overlays of an ordinary user keep their marks in attributes that memory has had only since Linux 6.6.
    fn has_attributes(&self) -> Result<(), String> {
        let probe = Path::new(BUILD).join("upper");
        match rustix::fs::setxattr(&probe, "user.overlay.probe", b"y", XattrFlags::empty()) {
            Ok(()) => Ok(()),
            Err(Errno::OPNOTSUPP) => {
                Err("The Linux of this machine is too old for a forecast; it takes 6.6 or newer.".to_owned())
            }
            Err(error) => Err(refused("attributes", &error.into())),
        }
    }
}

fn refused(what: &str, error: &io::Error) -> String {
    match Errno::from_io_error(error) {
        Some(Errno::PERM | Errno::ACCESS | Errno::NOSYS | Errno::NOSPC) => {
            format!("This system does not let programs make a sandbox of their own ({what}: {error}).")
        }
        _ => format!("The sandbox could not be made ({what}: {error})."),
    }
}

/// Everything else goes first to the disks, and when memory runs out this is what ends. Failing is no harm: the limits
/// hold. Only the command gives way on the processors too: whoever watches over it must not wait behind it.
fn give_way() {
    syscalls::idle_disk();
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
}

fn enter_namespaces() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    syscalls::unshare(
        UnshareFlags::NEWUSER
            | UnshareFlags::NEWNS
            | UnshareFlags::NEWNET
            | UnshareFlags::NEWIPC
            | UnshareFlags::NEWUTS
            | UnshareFlags::NEWCGROUP,
    )?;
    // Only this one user exists in there; whoever else owns a file is nobody.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    // The next child is the first process of a process namespace of its own.
    syscalls::unshare(UnshareFlags::NEWPID)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}

fn upper(number: usize) -> PathBuf {
    Path::new(BUILD).join(format!("upper/{number}"))
}

fn lower(number: usize) -> PathBuf {
    Path::new(BUILD).join(format!("lower/{number}"))
}

fn in_root(path: &Path) -> PathBuf {
    Path::new(ROOT).join(path.strip_prefix("/").unwrap_or(path))
}

fn make_folders(names: &[&str]) -> io::Result<()> {
    names.iter().try_for_each(|name| fs::create_dir(Path::new(BUILD).join(name)))
}

/// Puts a layer in memory over a folder, which is never written to itself.
fn overlay(number: usize, folder: &Path) -> io::Result<()> {
    let (upper, lower) = (upper(number), lower(number));
    let work = Path::new(BUILD).join(format!("work/{number}"));
    for made in [&upper, &lower, &work] {
        fs::create_dir(made)?;
    }
    mount_bind(folder, &lower)?;
    syscalls::seal(&lower, false)?;
    // The top folder's own mode and owner are those of the layer. Another's folder cannot be given away.
    let metadata = fs::metadata(folder)?;
    let _ = chown(&upper, Some(metadata.uid()), Some(metadata.gid()));
    fs::set_permissions(&upper, Permissions::from_mode(metadata.mode() & 0o7777))?;
    // The numbered folders need no quoting in the options, whatever the real one is called.
    let options = format!(
        "lowerdir={},upperdir={},workdir={},userxattr",
        lower.display(),
        upper.display(),
        work.display()
    );
    let options = std::ffi::CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("planwright", in_root(folder), "overlay", flags, options.as_c_str())?;
    Ok(())
}

/// Leaves no sockets of services, no devices but the harmless ones, and nothing of the kernel's own files.
fn hide() -> io::Result<()> {
    let build = Path::new(BUILD);
    let root = Path::new(ROOT);
    let runtime = build.join(format!("run/user/{}", rustix::process::geteuid().as_raw()));
    fs::create_dir_all(build.join("run/lock"))?;
    fs::create_dir_all(&runtime)?;
    fs::set_permissions(&runtime, Permissions::from_mode(0o700))?;

    let devices = build.join("dev");
    fs::create_dir(devices.join("shm"))?;
    for device in DEVICES {
        fs::File::create_new(devices.join(device))?;
    }
    symlink("/proc/self/fd", devices.join("fd"))?;
    for (number, name) in ["stdin", "stdout", "stderr"].iter().enumerate() {
        symlink(format!("/proc/self/fd/{number}"), devices.join(name))?;
    }
    mount_bind(&devices, root.join("dev"))?;
    syscalls::seal(&root.join("dev"), false)?;
    for device in DEVICES {
        mount_bind(Path::new("/dev").join(device), root.join("dev").join(device))?;
    }
    mount_bind(build.join("shm"), root.join("dev/shm"))?;

    mount_bind(build.join("empty"), root.join("sys"))?;
    syscalls::seal(&root.join("sys"), false)?;
    // Last, for it lies over the whole of this building site.
    mount_bind(build.join("run"), root.join("run"))?;
    Ok(())
}

/// As the runner's own, without the trap that writes the state down.
fn prologue(restore: &str) -> String {
    format!("builtin unset BASH_ENV\n{{ builtin :\n{restore}\n}} >/dev/null 2>&1\nbuiltin :\n")
}
