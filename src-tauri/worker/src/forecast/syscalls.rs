//! System calls that no library wraps, each in a safe function.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::mem::size_of;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// Leaves namespaces. This program has one thread, and shares no descriptors.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: none of the flags used here makes descriptors invalid; `CLONE_FILES` is not among them.
    unsafe { rustix::thread::unshare_unsafe(flags) }?;
    Ok(())
}

/// The lowest class of the disk's queue.
pub(super) fn idle_disk() {
    const IDLE: libc::c_int = 3 << 13;
    const PROCESS: libc::c_int = 1;
    // SAFETY: takes three numbers and no memory.
    let _ = unsafe { libc::syscall(libc::SYS_ioprio_set, PROCESS, 0, IDLE) };
}

/// Makes a mount read-only, without devices and setuid programs; with `below` also every mount beneath it.
pub(super) fn seal(path: &Path, below: bool) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let flags = if below { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: path and attributes live through the call, and the size is that of the attributes.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A copy of this process; `None` in the copy. There is one thread, so the copy may do whatever this may.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: with one thread no lock can be held by another.
    match unsafe { libc::fork() } {
        0 => Ok(None),
        pid => Pid::from_raw(pid).filter(|_| pid > 0).map(Some).ok_or_else(io::Error::last_os_error),
    }
}

/// Has every open file but the three standard ones closed when the next program starts.
pub(super) fn keep_no_files() -> io::Result<()> {
    let last = libc::c_uint::MAX;
    // SAFETY: takes numbers only; nothing is closed yet.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, last, libc::CLOSE_RANGE_CLOEXEC) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives up the right to ever have any capability again, also as root and through programs.
pub(super) fn forgo_capabilities() -> io::Result<()> {
    // From linux/securebits.h: NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each with its lock.
    const SECURE_BITS: libc::c_ulong = 0b1100_1111;
    for capability in 0..64_u8 {
        // SAFETY: takes numbers only.
        let dropped = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, libc::c_ulong::from(capability), 0, 0, 0) };
        if dropped != 0 {
            let error = io::Error::last_os_error();
            // The first number behind the last capability.
            if error.raw_os_error() == Some(libc::EINVAL) && capability > 0 {
                break;
            }
            return Err(error);
        }
    }
    // SAFETY: takes numbers only.
    if unsafe { libc::prctl(libc::PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Has the kernel check every system call from now on with this program.
pub(super) fn filter(program: &mut [libc::sock_filter]) -> io::Result<()> {
    let length = u16::try_from(program.len()).map_err(io::Error::other)?;
    let program = libc::sock_fprog { len: length, filter: program.as_mut_ptr() };
    // SAFETY: the kernel copies the program, which lives through the call and is as long as it says.
    let done = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::c_ulong::from(libc::SECCOMP_MODE_FILTER),
            &raw const program,
            0,
            0,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
