//! How many heaps this process has. The C library gives each thread one, up to eight a processor, and keeps what they once
//! held; each command's output is read by a thread of its own, so a hundred of them left ten megabytes of gaps. Two heaps are
//! enough for threads that mostly wait: the `at-once` benchmark is no slower with them.

/// For the whole process; what was taken before stays as it is. To be called before there are many threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn share() {
    const HEAPS: libc::c_int = 2;
    // SAFETY: `mallopt` takes the allocator's own lock, and this parameter only bounds what is made later.
    #[allow(unsafe_code)]
    let taken = unsafe { libc::mallopt(libc::M_ARENA_MAX, HEAPS) };
    if taken == 0 {
        tracing::debug!("the allocator keeps its own number of heaps");
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share() {}
