//! What the command may not do, beyond what its room lacks. Done in its own process just before it becomes bash; a step
//! that fails ends it there.

use std::io;
use std::path::PathBuf;

use landlock::{AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr};
use rustix::process::{Resource, Rlimit, setrlimit, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use super::init::PROCESSES;
use super::syscalls;

/// Bytes of one file, as large as the room.
const FILE: u64 = 256 * 1024 * 1024;
/// Seconds of one process on a processor, should all else fail.
const PROCESSOR: u64 = 20;

/// `written`: where files may be opened for writing.
pub(super) fn confine(written: &[PathBuf]) -> io::Result<()> {
    setsid()?;
    rustix::process::nice(19)?;
    // What this program was started with may lead anywhere.
    syscalls::keep_no_files()?;
    let limits = [
        (Resource::Nproc, PROCESSES as u64),
        (Resource::Fsize, FILE),
        (Resource::Cpu, PROCESSOR),
        (Resource::Core, 0),
        (Resource::Memlock, 0),
        (Resource::Msgqueue, 0),
        (Resource::Nofile, 1024),
    ];
    for (resource, most) in limits {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    syscalls::forgo_capabilities()?;
    set_no_new_privs(true)?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none)?;
    keep_from_pipes(written);
    syscalls::filter(&mut forbid())
}

/// A read-only mount does not keep anyone from writing into the named pipe of a service. Where the kernel has no
/// Landlock this is left out; every file is guarded by the mounts.
fn keep_from_pipes(written: &[PathBuf]) {
    // Without the last, files could not be linked or moved from one folder to another.
    let write = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::Refer;
    let ruled = Ruleset::default().handle_access(write).and_then(Ruleset::create).and_then(|ruleset| {
        let places = written.iter().filter_map(|path| PathFd::new(path).ok());
        ruleset.add_rules(places.map(|place| Ok::<_, landlock::RulesetError>(PathBeneath::new(place, write))))
    });
    // `Err` and a kernel without it are the same here.
    drop(ruled.and_then(landlock::RulesetCreated::restrict_self));
}

/// System calls that no command needs here, most of them ways out of many a sandbox before: the whole of the network,
/// with it the sockets of services; new namespaces and mounts; other processes; keyrings; memory that belongs to no
/// process and so counts nowhere.
const FORBIDDEN: [libc::c_long; 50] = [
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the number of this architecture in linux/audit.h is needed here");

/// From here on numbers are another set of calls (x32), which would go past the list.
const OTHER_SET: u32 = 0x4000_0000;
/// `CLONE_NEWNS` to `CLONE_NEWNET`.
const NEW_NAMESPACE: u32 = 0x7E02_0000;

/// The list as a program for the kernel. Another architecture's call ends the process; a forbidden one is refused.
fn forbid() -> Vec<libc::sock_filter> {
    const NUMBER: u32 = 0;
    const ARCH: u32 = 4;
    const FIRST_ARGUMENT: u32 = 16;
    let load = |offset| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    let skip = |test, value, yes, no| instruction(libc::BPF_JMP | test | libc::BPF_K, yes, no, value);
    let answer = |value| instruction(libc::BPF_RET | libc::BPF_K, 0, 0, value);
    let refuse = |errno: libc::c_int| answer(libc::SECCOMP_RET_ERRNO | errno.unsigned_abs());
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);

    let mut program = vec![
        load(ARCH),
        skip(libc::BPF_JEQ, ARCHITECTURE, 1, 0),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER),
        skip(libc::BPF_JGE, OTHER_SET, 0, 1),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        // Its flags are out of reach behind a pointer; every C library falls back to the older call.
        skip(libc::BPF_JEQ, number(libc::SYS_clone3), 0, 1),
        refuse(libc::ENOSYS),
    ];
    for call in FORBIDDEN {
        program.extend([skip(libc::BPF_JEQ, number(call), 0, 1), refuse(libc::EPERM)]);
    }
    program.extend([
        skip(libc::BPF_JEQ, number(libc::SYS_clone), 0, 3),
        load(FIRST_ARGUMENT),
        skip(libc::BPF_JSET, NEW_NAMESPACE, 0, 1),
        refuse(libc::EPERM),
        answer(libc::SECCOMP_RET_ALLOW),
    ]);
    program
}

fn instruction(code: u32, yes: u8, no: u8, value: u32) -> libc::sock_filter {
    libc::sock_filter { code: u16::try_from(code).unwrap_or(u16::MAX), jt: yes, jf: no, k: value }
}
