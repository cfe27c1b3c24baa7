"""Runs a command and writes down every program that it starts, itself or through others:

    started.py LIST COMMAND...

The command gets a mount namespace of its own, for what runs beside it is none of its doing. That, and the kernel's
notices of executed files, want root: where they are refused, the command runs all the same and LIST is not written.
"""

import ctypes
import os
import struct
import subprocess
import sys
import threading

CLONE_NEWNS = 0x00020000
FAN_CLOEXEC = 0x1
FAN_UNLIMITED_QUEUE = 0x10
FAN_MARK_ADD = 0x1
FAN_MARK_MOUNT = 0x10
FAN_OPEN_EXEC = 0x1000
EVENT = struct.Struct("=IBBHQii")
# Nothing is started from these, and each would cost a mark.
VIRTUAL = {"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "mqueue", "debugfs", "tracefs", "securityfs", "bpf"}

libc = ctypes.CDLL(None, use_errno=True)


def mounts():
    for line in open("/proc/self/mountinfo"):
        before, _, behind = line.partition(" - ")
        if behind.split()[0] not in VIRTUAL:
            yield before.split()[4].encode().decode("unicode_escape")


def watch():
    """The kernel's notices, or None where they may not be had."""
    if libc.unshare(CLONE_NEWNS) != 0:
        return None
    notices = libc.fanotify_init(FAN_CLOEXEC | FAN_UNLIMITED_QUEUE, os.O_RDONLY | os.O_CLOEXEC | os.O_LARGEFILE)
    if notices < 0:
        return None
    mark = lambda path: libc.fanotify_mark(
        notices, FAN_MARK_ADD | FAN_MARK_MOUNT, ctypes.c_uint64(FAN_OPEN_EXEC), -100, os.fsencode(path)
    )
    if mark("/") != 0:
        return None
    for path in mounts():
        mark(path)
    return notices


def collect(notices, seen):
    while True:
        notes = os.read(notices, 1 << 16)
        while notes:
            size, _, _, _, _, file, _ = EVENT.unpack_from(notes)
            notes = notes[size:]
            if file >= 0:
                seen.add(os.readlink(f"/proc/self/fd/{file}"))
                os.close(file)


def main(listing, command):
    notices = watch()
    seen = set()
    if notices is not None:
        threading.Thread(target=collect, args=(notices, seen), daemon=True).start()
    status = subprocess.run(command).returncode
    if notices is not None:
        with open(listing, "a") as out:
            out.writelines(f"{path}\n" for path in sorted(seen.copy()))
    sys.exit(status if status >= 0 else 128 - status)


main(sys.argv[1], sys.argv[2:])
