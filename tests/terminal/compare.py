#!/usr/bin/env python3
"""Runs each script of the corpus three ways and compares how they end: by `bash script`, typed into an interactive bash
at a terminal, and as the steps of a page by planwright-cli.

What bash does at the terminal is the truth where the script run does the same; where bash differs from itself either
will do. Prints `N of M scripts end the same`, and each difference with what differs.
"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import functools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

import at_terminal

HERE = pathlib.Path(__file__).resolve().parent
# A run that takes longer has come to a standstill.
LONGEST = 30
# What was left running gets this long to end by itself: a job that is about to end is none that is left.
GRACE = 0.5
# Files that tell the time at which they were made; their names and modes count all the same.
STAMPED = (".gz", ".tgz", ".tar", ".zip", ".pyc", ".git/index")
RULE = """[[rule]]
id = "not-ready-yet"
title = "Not ready yet"
message = ''
exit = [75]
reason = "Its status says that another attempt helps."
confidence = 1.0
[rule.repair]
action = "retry"
wait_seconds = 0
"""
# What bash says of jobs and of where it is differs by how it was started.
BY_SIGNAL = "Terminated|Killed|Hangup|Aborted|User defined signal|File size limit exceeded"
OF_A_JOB = re.compile(rf"\[\d+\][-+ ]? +(Done|Exit|Running|Stopped|{BY_SIGNAL})\b.*")
OF_JOBS = re.compile(
    rf"^(\[\d+\] \d+|(bash: \d+ +)?({BY_SIGNAL}).*|There are (stopped|running) jobs\.|exit|logout)$"
)
PREFIX = re.compile(r"^(\(root\)/script|-?bash|environment)(: -c)?: (line \d+: )?", re.MULTILINE)
QUESTION = re.compile(r"^(#\? )+")


@dataclasses.dataclass
class Ended:
    """How a script ended."""

    status: int | None
    work: dict
    home: dict
    jobs: list
    said: list
    out: str
    notes: list = dataclasses.field(default_factory=list)
    # At the terminal: whether a command failed and the shell went on. Of steps: those that failed.
    went_on: bool = False
    failed: list = dataclasses.field(default_factory=list)


class Scratch:
    """A folder to work in, a home and all that a run needs beside them."""

    def __init__(self, root):
        self.root = root
        self.work, self.home, self.tmp = (root / name for name in ("work", "home", "tmp"))
        for folder in (self.work, self.home, self.tmp):
            folder.mkdir(parents=True)
        (self.home / ".bashrc").touch()
        self.failed = False

    def environment(self, **more):
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
            "HOME": str(self.home), "TMPDIR": str(self.tmp), "SHELL": "/bin/bash", "USER": "someone",
            "PAGER": "cat", "GIT_PAGER": "cat", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
            "PYTHONDONTWRITEBYTECODE": "1", "QUOTING_STYLE": "literal", "COMPARED": str(self.root), **more,
        }

    def plain(self, text):
        """Without what is different in every run."""
        return text.replace(str(self.root), "(root)")

    def tree(self, folder):
        found = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if name != ".bash_history":
                found[name] = self.entry(path)
        return found

    def entry(self, path):
        mode = path.lstat().st_mode
        kept = stat.filemode(mode)
        if stat.S_ISLNK(mode):
            return f"-> {self.plain(os.readlink(path))}"
        if not stat.S_ISREG(mode) or str(path).endswith(STAMPED):
            return kept
        content = at_terminal.without_prompts(self.content(path)).decode("utf-8", "backslashreplace")
        return f"{kept} {PREFIX.sub('bash: ', self.plain(content))}"

    def content(self, path):
        text = path.read_bytes()
        # Prompts go to standard error, which may be a file by now.
        self.failed |= any(at_terminal.failures(text))
        return text

    def processes(self):
        """Those whose environment or folder belongs here, with what was called."""
        mark, found = f"COMPARED={self.root}\0".encode(), []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes()
                here = mark in (folder / "environ").read_bytes() + b"\0"
                here = here or os.readlink(folder / "cwd").startswith(str(self.root))
            except OSError:
                continue
            if here and command:
                found.append((int(folder.name), self.plain(command.replace(b"\0", b" ").decode(errors="replace"))))
        return found

    def ends(self, status, text, out, **more):
        """Looks at what is left once all that ends by itself has ended, and ends the rest."""
        until = time.monotonic() + GRACE
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.02)
        work, home = self.tree(self.work), self.tree(self.home)
        for pid, _ in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        jobs = sorted(command.strip() for _, command in left)
        return Ended(status, work, home, jobs, lines(self.plain(text)), PREFIX.sub("bash: ", self.plain(out)), **more)


def lines(text):
    """What was said, without what bash says of jobs and of where it is; in no order, for the streams have none."""
    kept = []
    for line in text.split("\n"):
        line = PREFIX.sub("bash: ", QUESTION.sub("", OF_A_JOB.sub("", line)))
        if line and not OF_JOBS.match(line):
            kept.append(line)
    return sorted(kept)


def by_bash(script, scratch):
    file = scratch.root / "script"
    file.write_text(script)
    status = run(["bash", str(file)], scratch, scratch.environment(), "out")
    out, err = ((scratch.root / name).read_text(errors="replace") for name in ("out", "err"))
    return scratch.ends(status, f"{out}\n{err}", out)


def run(call, scratch, environment, out):
    """Its exit status; what it says goes to two files, as a pipe would be held open by what it leaves running."""
    with open(scratch.root / out, "wb") as stdout, open(scratch.root / "err", "wb") as stderr:
        process = subprocess.Popen(
            call, cwd=scratch.work, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
            umask=0o022, start_new_session=True,
        )
        try:
            return as_shells_say(process.wait(LONGEST))
        except subprocess.TimeoutExpired:
            process.kill()
            return None


def as_shells_say(status):
    return 128 - status if status is not None and status < 0 else status


def by_hand(script, scratch):
    heard, status, went_on = at_terminal.typed(
        script, scratch.work, scratch.environment(), str(scratch.root / "rc")
    )
    text = at_terminal.without_prompts(heard).decode("utf-8", "replace")
    ended = scratch.ends(as_shells_say(status), text, text)
    return dataclasses.replace(ended, went_on=went_on or scratch.failed)


def by_steps(scratch, binaries, page, on_failure, mode="planner", trial=None):
    """`trial`: the step that may fail the first time, whose output does not count."""
    (scratch.root / "page.md").write_text(page)
    (scratch.root / "policy.toml").write_text('approve = "dangerous"\n')
    rules = scratch.root / "data" / "rules"
    rules.mkdir(parents=True)
    (rules / "retry.toml").write_text(RULE)
    call = [binaries / "planwright-cli", "run", scratch.root / "page.md", "--cwd", scratch.work, "--json",
            "--policy", scratch.root / "policy.toml", "--mode", mode, "--on-failure", on_failure]
    environment = scratch.environment(PLANWRIGHT_HOME=str(scratch.root / "data"))
    status = run(call, scratch, environment, "told")
    told = Told((scratch.root / "told").read_text(errors="replace"), status, trial)
    ended = scratch.ends(told.status(), told.said("output"), told.said("stdout"), notes=told.notes())
    ended.notes += [f"outlived the run: {job}" for job in ended.jobs]
    ended.jobs = sorted(scratch.plain(job) for job in told.jobs())
    ended.failed = told.failed()
    return ended


class Told:
    """What a run tells as JSON Lines."""

    def __init__(self, text, exit_status, trial):
        self.exit_status, self.trial = exit_status, trial
        self.events = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        self.results = [event["result"] for event in self.of("step-completed", "step-failed")]

    def of(self, *kinds):
        return [event for event in self.events if event.get("type") in kinds]

    def said(self, stream):
        return "".join(result[stream] for result in self.results if result["command"] != self.trial)

    def failed(self):
        return [event["result"]["command"] for event in self.of("step-failed")]

    def status(self):
        """Of the last command, as a terminal's shell has it when it ends."""
        if not self.results:
            return 0 if self.exit_status == 0 else None
        last = self.results[-1]["exitStatus"]
        return {"code": last.get("code"), "signal": 128 + last.get("signal", 0)}.get(last["type"])

    def jobs(self):
        """What was running when the last step was done: behind the run nothing is left."""
        told = self.of("jobs-changed")
        if len(told) > 1 and not told[-1]["jobs"] and self.events.index(told[-1]) > self.last_step():
            told.pop()
        return [job["command"] for job in told[-1]["jobs"]] if told else []

    def last_step(self):
        return max(self.events.index(event) for event in self.of("step-completed", "step-failed"))

    def notes(self):
        """Why a page may have ended otherwise than its script."""
        notes = [] if self.exit_status in (0, 1) else [f"planwright-cli ended with {self.exit_status}"]
        for event in self.of("plan-generated"):
            for left in (event["plan"].get("page") or {}).get("leftOut", []):
                notes.append(f"left out ({left['role']}): {left['text'][:60]!r}: {left['why']}")
        notes += [f"failed: {event['reason']}" for event in self.of("step-failed")]
        notes += [f"skipped: {event['reason']}" for event in self.of("step-skipped")]
        notes += [f"paused: {event['reason']}" for event in self.of("plan-paused")]
        return notes + [event["error"]["message"] for event in self.events if "error" in event]


# Pages


@functools.cache
def is_complete(text):
    """Whether bash would run this, or wait for the rest of it."""
    # Bash itself does not mind a last line that goes on to nothing.
    if (len(text) - len(text.rstrip("\\"))) % 2 == 1:
        return False
    check = subprocess.run(["bash", "-O", "extglob", "-n"], input=text + "\n", capture_output=True, text=True)
    return not re.search(r"unexpected end of file|unexpected EOF|here-document at line", check.stderr)


def blocks(script, each_command=False):
    """The script cut at blank lines, or behind each command, where bash waits for nothing more."""
    done, open_lines = [], []
    for line in script.split("\n"):
        if line or open_lines:
            open_lines.append(line)
        text = "\n".join(open_lines).rstrip("\n")
        if open_lines and (each_command or not line) and is_complete(text):
            done.append(text)
            open_lines = []
    return done + ["\n".join(open_lines)] * bool(open_lines)


def page_of(parts):
    fences = []
    for part in parts:
        fence = "`" * max([3] + [len(ticks) + 1 for ticks in re.findall(r"^`{3,}", part, re.MULTILINE)])
        fences.append(f"Run this:\n\n{fence}sh\n{part}\n{fence}\n\n")
    return "# Commands\n\n" + "".join(fences)


def with_a_failing_step(script, step):
    """Among its parts, in the middle; at the end a pause, so that what is about to end does."""
    parts = blocks(script)
    if len(parts) < 2:
        parts = blocks(script, each_command=True)
    return parts[: len(parts) // 2] + [step] + parts[len(parts) // 2:] + ["sleep 0.2"]


# Comparing


def differences(truths, ended):
    """What fits none of the truths: pairs of the aspect and what shows it."""
    found = []
    same = len({json.dumps(truth.said) for truth in truths}) == 1
    for aspect in ("work", "home", "status", "jobs", "said"):
        wanted, has = [getattr(truth, aspect) for truth in truths], getattr(ended, aspect)
        # What is about to end is still listed by a run, which ends it all behind its last step.
        is_met = len(has) >= min(map(len, wanted)) if aspect == "jobs" else has in wanted
        if not is_met:
            found.append((aspect, shown(wanted[-1], has)))
    if same and ended.out not in [truth.out for truth in truths] and not found:
        found.append(("out", shown(truths[0].out, ended.out)))
    found += [("outlived", note) for note in ended.notes if note.startswith("outlived")]
    return found


def shown(wanted, has):
    """The first two places where they differ."""
    if isinstance(wanted, dict):
        names = sorted(name for name in wanted.keys() | has.keys() if wanted.get(name) != has.get(name))
        return "; ".join(f"{name}: {short(wanted.get(name))} / {short(has.get(name))}" for name in names[:2])
    if isinstance(wanted, list):
        missing, more = [one for one in wanted if one not in has], [one for one in has if one not in wanted]
        return f"{short(missing)} / {short(more)}"
    return f"{short(wanted)} / {short(has)}"


def short(value):
    text = repr(value)
    return text if len(text) <= 140 else f"{text[:100]} … {text[-38:]}"


def compared(job):
    """One script, all ways."""
    name, script, options = job
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        result = ways(script, pathlib.Path(folder).resolve(), options)
    name = f"retry/{name}" if options.retry else name
    return {"name": name, **result, "seconds": round(time.monotonic() - started, 2)}


def ways(script, root, options):
    binaries = pathlib.Path(options.bin).resolve() if options.bin else None
    if options.retry:
        return retried(script, root, binaries)
    hand, bash = by_hand(script, Scratch(root / "b")), by_bash(script, Scratch(root / "a"))
    # Apart they write to two streams, which at the terminal are one.
    hand = dataclasses.replace(hand, out=bash.out)
    itself = differences([hand], bash)
    if binaries is None:
        return {"itself": [], "differs": itself, "notes": []}
    on_failure = "continue" if hand.went_on else "stop"
    page = page_of(blocks(script, options.each))
    steps = by_steps(Scratch(root / "c"), binaries, page, on_failure)
    truths = [bash, hand] if itself else [hand]
    return {"itself": itself, "differs": differences(truths, steps), "notes": steps.notes, "page": page}


def retried(script, root, binaries):
    """The same page twice: the step in the middle succeeds at once, or the second time."""
    ended = []
    for name in "ab":
        scratch = Scratch(root / name)
        mark = scratch.root / "tried"
        if name == "a":
            mark.touch()
        step = f"test -e {mark} || {{ touch {mark}; (exit 75); }}"
        page = page_of(with_a_failing_step(script, step))
        ended.append(by_steps(scratch, binaries, page, "stop", "agentic", step))
    once, twice = ended
    # Where the step was taken together with another one, it is none that can be tried again.
    ran = not any(note.startswith("planwright-cli") for note in once.notes)
    left_out = not ran or bool(once.failed) or step not in twice.failed
    differs = [] if left_out else differences([once], twice)
    return {"itself": [], "left_out": left_out, "differs": differs, "notes": twice.notes, "page": page}


# The corpus


def corpus(only):
    """The scripts by name, those of a file behind its own name."""
    for file in sorted((HERE / "scripts").glob("*.txt")):
        for part in re.split(r"^#### ", file.read_text(), flags=re.MULTILINE)[1:]:
            name, script = part.split("\n", 1)
            full = f"{file.stem}/{name.strip()}"
            if not only or only in full or fnmatch.fnmatch(full, only):
                yield full, script.strip("\n") + "\n"


def known():
    rows = (HERE / "known.txt").read_text().splitlines()
    return dict(row.split(None, 1) for row in rows if row.strip() and row[0] != "#")


def report(results, retry):
    counted = [one for one in results if not one.get("left_out")]
    same = [one for one in counted if not one["differs"]]
    reasons = known()
    for one in counted:
        if one["itself"] and not one["differs"]:
            print(f"bash differs from itself: {one['name']}: {one['itself'][0][0]}: {one['itself'][0][1]}")
    for one in counted:
        if one["differs"]:
            print(f"differs: {one['name']}  ({reasons.get(one['name'], 'not known')})")
            for aspect, what in one["differs"][:2]:
                print(f"    {aspect}: {what}")
            for note in one["notes"][:2]:
                print(f"    {note}")
    if retry and len(counted) < len(results):
        print(f"{len(results) - len(counted)} are left out: they fail anyway, or join the step in the middle")
    print(f"{len(same)} of {len(counted)} scripts end the same" + (" after a failed attempt" if retry else ""))
    new = [one["name"] for one in counted if one["differs"] and one["name"] not in reasons]
    return bool(new) or len(reasons) * 100 > len(list(corpus(None)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/debug", help="folder of the programs; empty: bash against itself")
    parser.add_argument("--only", help="scripts whose name has this in it, or fits this pattern")
    parser.add_argument("-j", type=int, default=1, metavar="N", help="so many at once")
    parser.add_argument("--json", metavar="FILE", help="write all results there")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many, chosen by chance")
    parser.add_argument("--retry", action="store_true", help="what a failed attempt in the middle leaves behind")
    parser.add_argument("--each", action="store_true", help="a block for each command, not for each stretch of lines")
    return parser.parse_args()


def main():
    options = arguments()
    scripts = list(corpus(options.only))
    if options.sample:
        scripts = random.sample(scripts, min(options.sample, len(scripts)))
    jobs = [(name, script, options) for name, script in scripts]
    with concurrent.futures.ProcessPoolExecutor(options.j) as pool:
        results = list(pool.map(compared, jobs))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1, ensure_ascii=False))
    return int(report(results, options.retry))


if __name__ == "__main__":
    sys.exit(main())
