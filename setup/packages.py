"""Installs this working copy and its packages into the environment that it is run with:
`python -m setup.packages [EXTRA …]`.

By uv, which takes a sixth of pip's processor time for it, with the indexes, links and
certificates that pip is configured with, in the versions of requirements.lock, and no
file whose digest is not there. Where uv cannot be had, or an index cannot be read, by
pip, which checks no digests beside a working copy: that is said. What uv refused for
its digest is never installed so, nor anything where uv itself was refused. Byte code is
written when a module is first imported: most of what is installed never is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from setup.pins import LOCK, read, versions

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
INSTALL = (
    *PIP,
    "install",
    "--progress-bar",
    "off",
    "--no-compile",
    "--root-user-action",
    "ignore",
)
UV_BY_PIP = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "trusted-host": "UV_INSECURE_HOST",
}
"""What pip's settings are called in uv's environment. They may hold credentials, so
they are never arguments."""
DIFFERS = ("Hash mismatch", "DO NOT MATCH THE HASHES")
"""uv's and pip's words for a file that is not the one that was locked."""
_SEPARATORS = {"UV_FIND_LINKS": ","}


def main(extras: Sequence[str]) -> int:
    """Install; the exit code of whoever installed."""
    lock = LOCK.read_text(encoding="utf-8")
    wanted = f".[{','.join(extras)}]" if extras else "."
    with tempfile.TemporaryDirectory() as scratch:
        alone = Path(scratch) / "uv.txt"
        alone.write_text(f"{read(lock)['uv']}\n", encoding="utf-8")
        # pip checks digests of a list in which every package has some.
        done = _run([*INSTALL, "--quiet", "-r", str(alone)], os.environ)
        if done.returncode == 0:
            done = _by_uv(wanted)
            if done.returncode == 0:
                return 0
        if any(words in done.stderr for words in DIFFERS):
            return done.returncode
        print("uv could not install the packages; pip tries, which checks no digests", flush=True)
        constraints = Path(scratch) / "versions.txt"
        constraints.write_text(versions(lock), encoding="utf-8")
        command = [*INSTALL, "--constraint", str(constraints), "--editable", wanted]
        return subprocess.run(command, check=False).returncode


def _by_uv(wanted: str) -> subprocess.CompletedProcess[str]:
    """uv's try."""
    uv = [
        str(Path(sys.executable).with_name("uv")),
        "pip",
        "install",
        "--python",
        sys.executable,
        "--constraint",
        str(LOCK),
    ]
    # As pip has it: the best version of all indexes, and no cache of several gigabytes
    # beside pip's own.
    uv += ["--index-strategy", "unsafe-best-match", "--no-cache", "--editable", wanted]
    return _run(uv, environment(configuration(), os.environ))


def _run(command: Sequence[str], variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command; what it said on stderr is shown and kept."""
    done = subprocess.run(command, env=variables, stderr=subprocess.PIPE, text=True, check=False)
    print(done.stderr, end="", file=sys.stderr, flush=True)
    return done


def configuration() -> str:
    """pip's own account of its settings, from files and variables."""
    return subprocess.run(
        [*PIP, "config", "list"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout


def environment(told: str, own: Mapping[str, str]) -> Mapping[str, str]:
    """uv's environment for what `pip config list` says. What is set for uv already
    stays; of pip's, a variable is over a file."""
    found: dict[str, str] = {}
    for line in told.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        variable = UV_BY_PIP.get(key)
        if (
            variable
            and section in ("global", "install", ":env:")
            and (variable not in found or section != "global")
        ):
            values = value.strip("'\"").replace("\\n", " ").split()
            found[variable] = _SEPARATORS.get(variable, " ").join(values)
    return {**found, **own}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
