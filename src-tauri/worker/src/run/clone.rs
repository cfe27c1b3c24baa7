//! Makes the process that becomes a program. This process stands still until the child has become it, or has ended; so
//! the child may work in this process's own memory, of which nothing has to be copied. That takes a stack of its own,
//! and so a few instructions of the processor's; where they are not written down the memory is copied.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::process::Pid;

/// Start of a process in the group of a descriptor (Linux 5.7).
const INTO_GROUP: u64 = 0x2_0000_0000;
/// Until the child has become a program it makes a handful of system calls.
#[cfg(target_arch = "x86_64")]
const STACK_BYTES: usize = 64 * 1024;

/// What a child does. It may not come back, and does best to allocate nothing: it may be in its parent's memory.
pub(super) type Life<T> = extern "C" fn(&T) -> !;

/// The way that is quicker here.
///
/// # Safety
/// This process must have one thread, and `life` must end in a program or in `_exit`.
pub(super) unsafe fn child<T>(life: Life<T>, of: &T, group: Option<BorrowedFd<'_>>) -> io::Result<Pid> {
    // SAFETY: as the caller's.
    #[cfg(target_arch = "x86_64")]
    return unsafe { sharing(life, of, group) };
    // SAFETY: as the caller's.
    #[cfg(not(target_arch = "x86_64"))]
    return unsafe { copying(life, of, group) };
}

/// A child that does nothing, started in the group. For a process with one thread.
pub(super) fn nothing(group: BorrowedFd<'_>) -> io::Result<Pid> {
    extern "C" fn ends(_: &()) -> ! {
        // SAFETY: ends this process without running anything that belongs to its parent.
        unsafe { libc::_exit(0) }
    }
    // SAFETY: as the caller promises; `ends` ends.
    unsafe { child(ends, &(), Some(group)) }
}

/// The child lives in this process's memory, on a stack of its own.
///
/// # Safety
/// As of [`child`].
#[cfg(target_arch = "x86_64")]
unsafe fn sharing<T>(life: Life<T>, of: &T, group: Option<BorrowedFd<'_>>) -> io::Result<Pid> {
    // In words of 16 bytes, so that both ends stand where the processor wants a stack to stand.
    let mut stack: Vec<u128> = Vec::with_capacity(STACK_BYTES / size_of::<u128>());
    let arguments = Arguments::new(libc::CLONE_VM | libc::CLONE_VFORK, group)
        .on((stack.as_mut_ptr() as u64, STACK_BYTES));
    let returned: i64;
    // SAFETY: the kernel reads `arguments`, and gives the child the new stack alone, on which `life` begins as any called
    // function does and never returns. This process goes on only when the child no longer has its memory, so that
    // `of`, `arguments` and `stack` outlive all use of them.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            // Only the child is here. No frame is above the one that it calls.
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => returned,
            in("rdi") &raw const arguments,
            in("rsi") size_of::<Arguments>(),
            in("r12") of,
            in("r13") life,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    drop(stack);
    if returned < 0 {
        return Err(i32::try_from(-returned).map_or_else(io::Error::other, io::Error::from_raw_os_error));
    }
    numbered(returned)
}

/// The child lives in a copy of this process's memory.
///
/// # Safety
/// As of [`child`].
#[cfg(any(test, not(target_arch = "x86_64")))]
unsafe fn copying<T>(life: Life<T>, of: &T, group: Option<BorrowedFd<'_>>) -> io::Result<Pid> {
    let arguments = Arguments::new(libc::CLONE_VFORK, group);
    // SAFETY: the arguments outlive the call; without a stack of its own this is a fork, as the caller may.
    match unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size_of::<Arguments>()) } {
        0 => life(of),
        ..0 => Err(io::Error::last_os_error()),
        pid => numbered(pid),
    }
}

fn numbered(pid: i64) -> io::Result<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// What `clone3` takes (`struct clone_args`).
#[repr(C)]
struct Arguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

impl Arguments {
    fn new(flags: libc::c_int, group: Option<BorrowedFd<'_>>) -> Self {
        Self {
            flags: flags as u64 | group.map_or(0, |_| INTO_GROUP),
            pidfd: 0,
            child_tid: 0,
            parent_tid: 0,
            exit_signal: libc::SIGCHLD as u64,
            stack: 0,
            stack_size: 0,
            tls: 0,
            set_tid: 0,
            set_tid_size: 0,
            cgroup: group.map_or(0, |group| group.as_raw_fd() as u64),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn on(mut self, (stack, bytes): (u64, usize)) -> Self {
        (self.stack, self.stack_size) = (stack, bytes as u64);
        self
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read as _;
    use std::os::fd::OwnedFd;

    use rustix::pipe::{PipeFlags, pipe_with};
    use rustix::process::{WaitOptions, waitpid};

    use super::*;

    extern "C" fn writes_and_ends(pipe: &OwnedFd) -> ! {
        let _ = rustix::io::write(pipe, b"here");
        // SAFETY: ends the child and runs nothing of the test's.
        unsafe { libc::_exit(7) }
    }

    /// Tests have threads; this child makes two system calls, which hold nothing of another's.
    fn lives(child: unsafe fn(Life<OwnedFd>, &OwnedFd, Option<BorrowedFd<'_>>) -> io::Result<Pid>) {
        let (ours, its) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        // SAFETY: see above.
        let pid = unsafe { child(writes_and_ends, &its, None) }.unwrap();
        drop(its);
        let mut said = String::new();
        File::from(ours).read_to_string(&mut said).unwrap();
        let (_, status) = waitpid(Some(pid), WaitOptions::empty()).unwrap().unwrap();
        assert_eq!((said.as_str(), status.exit_status()), ("here", Some(7)));
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_child_lives_in_this_memory() {
        lives(sharing);
    }

    #[test]
    fn a_child_lives_in_a_copy() {
        lives(copying);
    }

    #[test]
    fn a_group_that_is_none_is_an_error() {
        let folder = File::open("/").unwrap();
        let (_, its) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        for child in [child, copying] {
            // SAFETY: as above; no child is made at all.
            assert!(
                unsafe { child(writes_and_ends, &its, Some(std::os::fd::AsFd::as_fd(&folder))) }.is_err()
            );
        }
    }
}
