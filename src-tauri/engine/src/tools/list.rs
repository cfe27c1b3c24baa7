//! What is in a folder: names in order, with kinds and sizes. Opens none of it.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Dir, FileType, readlinkat, statat};

use super::prepare::Target;
use super::{ToolFailure, reach};
use crate::plan::card::harmless;

/// Names that the model is told.
const MAX_TOLD: usize = 500;
/// Names that are looked at, to tell the first ones in order.
const MAX_SEEN: usize = 100_000;

pub(super) fn list(target: &Target, cancel: &AtomicBool) -> Result<String, ToolFailure> {
    let failed = |error: std::io::Error| ToolFailure::from_io(&error, &target.shown);
    let folder = reach::listing(&target.path).map_err(failed)?;
    let mut names: Vec<CString> = Vec::new();
    let mut unseen = false;
    for entry in Dir::read_from(&folder).map_err(|error| failed(error.into()))? {
        if cancel.load(Ordering::Relaxed) {
            return Err(ToolFailure::Cancelled);
        }
        let entry = entry.map_err(|error| failed(error.into()))?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        if names.len() == MAX_SEEN {
            unseen = true;
            break;
        }
        names.push(name.to_owned());
    }
    if names.is_empty() {
        return Ok("[The folder is empty.]\n".to_owned());
    }
    names.sort_unstable();
    let left_out = names.len().saturating_sub(MAX_TOLD);
    let mut told = String::new();
    for name in names.iter().take(MAX_TOLD) {
        told.push_str(&line(&folder, name));
        told.push('\n');
    }
    if unseen {
        told.push_str(&format!("[More than {MAX_SEEN} names; these are some of them.]\n"));
    } else if left_out > 0 {
        told.push_str(&format!("[{left_out} more names are left out.]\n"));
    }
    Ok(told)
}

fn line(folder: &std::os::fd::OwnedFd, name: &CString) -> String {
    let shown = harmless(&name.to_string_lossy());
    // It may be gone by now.
    let Ok(stat) = statat(folder, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW) else { return shown };
    match reach::kind(&stat) {
        FileType::Directory => format!("{shown}/"),
        FileType::RegularFile => format!("{shown}\t{} bytes", stat.st_size),
        FileType::Symlink => match readlinkat(folder, name.as_c_str(), Vec::new()) {
            Ok(target) => format!("{shown} -> {}", harmless(&target.to_string_lossy())),
            Err(_) => format!("{shown}\tlink"),
        },
        FileType::Fifo => format!("{shown}\tpipe"),
        FileType::Socket => format!("{shown}\tsocket"),
        FileType::CharacterDevice | FileType::BlockDevice => format!("{shown}\tdevice"),
        FileType::Unknown => shown,
    }
}
