"""Types a script line by line into an interactive bash at a pseudo-terminal."""

import fcntl
import getpass
import os
import platform
import pty
import re
import select
import socket
import struct
import subprocess
import termios
import time

# Prompts nobody else prints; the first tells the status of the last command. And that of a shell which a script starts
# anew, with what an environment of Python puts before it.
ANEW = re.escape(f"{getpass.getuser()}@{socket.gethostname().split('.')[0]}:").encode()
PROMPT = re.compile(rb"(?:\([\w.]+\) )?(?:@@1:(-?[^@\n]*)@@|@@2@@|" + ANEW + rb"[^\n]*?[#$] )")
RC = "unset HISTFILE; PS1='@@1:$?@@'; PS2='@@2@@'\n"
# Numbers of the system calls by which a program waits for a key: read, pselect6, poll or ppoll.
WAITING = {"x86_64": {"0", "7", "270", "271"}, "aarch64": {"63", "72", "73"}}.get(platform.machine(), set())
QUIET = 0.15
# Longer than any pause of a script; what is silent for this long waits for a key in a way that is not known here.
LONG_QUIET = 2.0


class Terminal:
    """An interactive bash and the keyboard before it."""

    def __init__(self, folder, environment, rc):
        self.master, self.slave = pty.openpty()
        attributes = termios.tcgetattr(self.slave)
        attributes[1] &= ~termios.OPOST
        attributes[3] &= ~(termios.ECHO | termios.ECHOCTL)
        termios.tcsetattr(self.slave, termios.TCSANOW, attributes)
        # So narrow that lists have one column, as they have in a pipe.
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 1, 0, 0))
        self.shell = subprocess.Popen(
            ["bash", "--noediting", "--rcfile", rc, "-i"],
            stdin=self.slave, stdout=self.slave, stderr=self.slave,
            cwd=folder, env=environment, umask=0o022, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.heard = bytearray()

    def type(self, text):
        """Enters a line, and comes back when the next one is asked for or the shell has ended."""
        start = len(self.heard)
        try:
            os.write(self.master, text)
        except OSError:
            return
        self.wait_for_prompt(start)

    def wait_for_prompt(self, start):
        last = time.monotonic()
        while self.shell.poll() is None:
            if self.hear(0.02):
                last = time.monotonic()
            if PROMPT.search(self.heard, start) and not self.hear(0.002):
                return
            silent = time.monotonic() - last
            if silent > LONG_QUIET or (silent > QUIET and self.waits_for_keys()):
                return
        while self.hear(0.02):
            pass

    def hear(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            text = os.read(self.master, 65536)
        except OSError:
            return False
        self.heard += text
        return bool(text)

    def waits_for_keys(self):
        """Whether the program in the foreground has read all that was typed and waits for more."""
        try:
            unread = int.from_bytes(fcntl.ioctl(self.slave, termios.FIONREAD, b"\0" * 4), "little")
            group = os.tcgetpgrp(self.master)
            with open(f"/proc/{group}/syscall", encoding="ascii") as file:
                return unread == 0 and file.read().split()[0] in WAITING
        except (OSError, IndexError):
            return False

    def end(self):
        """As Ctrl D does. A shell with stopped jobs wants it twice, and one that ignores it has to be told."""
        for keys in (b"\x04", b"\x04", b"exit\n", b"\x04"):
            if self.shell.poll() is None:
                self.type(keys)
        try:
            self.shell.wait(1)
        except subprocess.TimeoutExpired:
            self.shell.kill()
            self.shell.wait()
        while self.hear(0.01):
            pass
        os.close(self.slave)
        os.close(self.master)
        return self.shell.returncode


def typed(script, folder, environment, rc):
    """What was said, with its prompts; how the shell ended; and whether a command failed and the shell went on."""
    with open(rc, "w", encoding="ascii") as file:
        file.write(RC)
    terminal = Terminal(folder, environment, rc)
    terminal.wait_for_prompt(0)
    for line in script.encode().splitlines():
        if terminal.shell.poll() is not None:
            break
        terminal.type(line + b"\n")
    last = -1 if terminal.shell.poll() is None else None
    went_on = any(failures(bytes(terminal.heard))[:last])
    status = terminal.end()
    return bytes(terminal.heard), status, went_on


def failures(text):
    """Of each prompt, whether the command before it failed."""
    statuses = [found.group(1) for found in PROMPT.finditer(text)]
    return [status != b"0" for status in statuses if status]


def without_prompts(text):
    """The prompts out, and with them the word that a shell says at its end."""
    return re.sub(rb"\0+(exit\n|logout\n)?", b"", PROMPT.sub(b"\0", text))
