//! A small disk, made in a room of its own so that nothing of it is left behind, and the filling of it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Set in the process that has the mounts to itself.
const INSIDE: &str = "PLANWRIGHT_TORTURE_INSIDE";
/// Room for the record of some plans and not for much more.
const SIZE: &str = "size=24m";
const BALLAST: &str = "ballast";
/// Bytes for the record of the plan to come, and for what the program wants free besides.
pub(crate) const ENOUGH: u64 = 8 << 20;

/// Calls `work` with a folder on a small disk of its own. `None`: it was done in a process made for it, or, said why,
/// cannot be done here.
pub(crate) fn with_small_disk<T>(work: impl FnOnce(&Path) -> Result<T, String>) -> Result<Option<T>, String> {
    if std::env::var_os(INSIDE).is_none() {
        return again_inside();
    }
    let folder = tempfile::tempdir().expect("a folder to mount on");
    let mounted = run("mount", &["-t", "tmpfs", "-o", SIZE, "tmpfs"], folder.path());
    if !mounted {
        println!("skipped: a small disk cannot be mounted here");
        return Ok(None);
    }
    let done = work(folder.path());
    run("umount", &[], folder.path());
    done.map(Some)
}

/// The same program with mounts of its own: as root, or as a user who may be root of such a room.
fn again_inside<T>() -> Result<Option<T>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    for ways in [&["--mount"][..], &["--user", "--map-root-user", "--mount"]] {
        let usable = Command::new("unshare").args(ways).arg("true").stderr(Stdio::null()).status();
        if !usable.is_ok_and(|status| status.success()) {
            continue;
        }
        let status = Command::new("unshare")
            .args(ways)
            .arg(&program)
            .args(std::env::args_os().skip(1))
            .env(INSIDE, "1")
            .status()
            .map_err(|error| error.to_string())?;
        return if status.success() { Ok(None) } else { Err("see above".to_owned()) };
    }
    println!("skipped: no room with mounts of its own can be had here");
    Ok(None)
}

fn run(program: &str, words: &[&str], at: &Path) -> bool {
    let at: &OsStr = at.as_os_str();
    Command::new(program).args(words).arg(at).status().is_ok_and(|status| status.success())
}

/// Leaves not a byte.
pub(crate) fn fill(disk: &Path) {
    let mut file = fs::OpenOptions::new().create(true).append(true).open(disk.join(BALLAST)).unwrap();
    for size in [1 << 20, 1 << 12, 1] {
        let piece = vec![0_u8; size];
        while file.write_all(&piece).is_ok() {
            assert!(file.metadata().unwrap().len() < 64 << 20, "this is not the small disk");
        }
    }
}

pub(crate) fn make(disk: &Path) {
    match fs::remove_file(disk.join(BALLAST)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
        Ok(()) | Err(_) => {}
    }
}

/// Bytes that are free.
pub(crate) fn left(disk: &Path) -> u64 {
    let told = rustix::fs::statvfs(disk).unwrap();
    told.f_bavail * told.f_frsize
}

/// Removes all that is there.
pub(crate) fn empty(disk: &Path) {
    for entry in fs::read_dir(disk).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
}
