//! Which bash runs the commands, and how it is called.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use crate::order::{Order, Unstarted};

/// Where it usually is; what a command's own `PATH` has comes after these.
#[cfg(not(windows))]
const PLACES: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
/// Git for Windows brings one that runs on Windows itself.
#[cfg(windows)]
const PLACES: [&str; 2] = [r"C:\Program Files\Git\bin\bash.exe", r"C:\Program Files (x86)\Git\bin\bash.exe"];

/// `bash -c` with the order's folder and environment, and with nothing else.
pub(crate) fn command(order: &Order<'_>) -> Result<Command, Unstarted> {
    if !order.cwd.is_dir() {
        return Err(Unstarted::NoFolder(order.cwd.display().to_string()));
    }
    let mut command = Command::new(program(order).ok_or(Unstarted::NoBash)?);
    command
        .args(["--noprofile", "--norc", "+O", "extglob", "-c", order.command])
        .env_clear()
        .envs(order.environment)
        .current_dir(order.cwd);
    // As the worker calls it: what a message of bash's begins with is the same everywhere.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "bash");
    Ok(command)
}

fn program(order: &Order<'_>) -> Option<PathBuf> {
    let searched = order.environment.get(OsStr::new("PATH")).map(OsString::as_os_str);
    let found = searched.into_iter().flat_map(std::env::split_paths);
    let found = found.filter(|folder| folder.is_absolute() && !is_another_system(folder));
    let found = found.map(|folder| folder.join(format!("bash{}", std::env::consts::EXE_SUFFIX)));
    PLACES.into_iter().map(PathBuf::from).chain(found).find(|place| place.is_file())
}

/// The `bash` in Windows' own folder opens a Linux beside it: no job reaches in there, and paths are others.
fn is_another_system(folder: &std::path::Path) -> bool {
    cfg!(windows) && folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case("System32"))
}
