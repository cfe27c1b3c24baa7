#!/usr/bin/env python3
"""Records what real programs say when they are used wrongly, as fixtures of the advice reader.

Each line of CASES is a command that fails, with what it needs before in front of `;;`; each runs in a folder of its own (made and
removed here). A program that is not on the machine is left out, and what is recorded of it stays as it is. The answers are
written by hand into the fixture: a new case gets `null` (silence).

    python3 tests/support/record_advice.py src-tauri/engine/src/guide/fixtures/advice.json
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).with_name("advice_cases.txt")
LONGEST = 6000


def clean(text, folder, home):
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).replace(str(folder), "/w/site").replace(str(home), "/w/home")
    text = re.sub(r"/[^\s'\"()]+/node_modules", "/usr/lib/node_modules", text)
    text = text.replace(str(pathlib.Path.home()), "/home/ada").replace("@" + socket.gethostname(), "@machine")
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d_:.]+Z", "2026-01-01T00:00:00Z", text)
    return text if len(text) <= LONGEST else text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]


def record(setup, command):
    top = pathlib.Path(tempfile.mkdtemp())
    folder, home = top / "site", top / "home"
    folder.mkdir()
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1"}
    for variable in ("RUSTUP_HOME", "CARGO_HOME"):
        environment.setdefault(variable, str(pathlib.Path.home() / ("." + variable.split("_")[0].lower())))
    run = dict(cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=60)
    try:
        if setup:
            subprocess.run(["bash", "-c", setup], check=True, capture_output=True, **run)
        ran = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **run)
        return ran.returncode, clean(ran.stdout, folder, home)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def main(path):
    path = pathlib.Path(path)
    known = {case["command"]: case for case in json.loads(path.read_text())} if path.exists() else {}
    cases = []
    for line in CASES.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        setup, _, command = line.rpartition(" ;; ")
        old = known.get(command)
        if shutil.which(command.split()[0]) is None and not line.startswith("!"):
            if old:
                cases.append(old)
            continue
        try:
            exit, said = record(setup, command)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            print(f"left out: {command}: {error}", file=sys.stderr)
            continue
        if exit == 0:
            print(f"left out, it works: {command}", file=sys.stderr)
            continue
        cases.append({"command": command, "exit": exit, "said": said, "expect": old["expect"] if old else None})
    path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
