//! What the program that starts this one has open and did not mean to hand on. A descriptor that arrives over a socket is
//! inherited by whatever is started before it is marked, and would live on here: that of the lock which keeps the machine
//! awake, for one.
#![allow(unsafe_code)]

/// Closes every file but the three standard ones; to be called before anything else is opened.
#[cfg(target_os = "linux")]
pub(crate) fn close() {
    let last = libc::c_uint::MAX;
    // SAFETY: takes numbers only, and nothing in this program has a descriptor yet.
    let _ = unsafe { libc::syscall(libc::SYS_close_range, 3, last, 0) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn close() {}
