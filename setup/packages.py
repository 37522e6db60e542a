"""Installs this working copy and its packages into the environment that it is run with:
`python setup/packages.py [EXTRA …]`.

By uv, which takes a sixth of pip's processor time for it, with the indexes, links and
certificates that pip is configured with, in the versions of requirements.lock. Where uv
cannot be had, or fails, by pip. Byte code is written when a module is first imported:
most of what is installed never is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

LOCK = "requirements.lock"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
INSTALL = (
    *PIP,
    "install",
    "--progress-bar",
    "off",
    "--no-compile",
    "--root-user-action",
    "ignore",
    "--constraint",
    LOCK,
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
_SEPARATORS = {"UV_FIND_LINKS": ","}


def main(extras: Sequence[str]) -> int:
    """Install; the exit code of whoever installed."""
    wanted = f".[{','.join(extras)}]" if extras else "."
    if subprocess.run([*INSTALL, "--quiet", "uv"], check=False).returncode == 0:
        uv = [
            str(Path(sys.executable).with_name("uv")),
            "pip",
            "install",
            "--python",
            sys.executable,
            "--constraint",
            LOCK,
        ]
        # As pip has it: the best version of all indexes, and no cache of several
        # gigabytes beside pip's own.
        uv += ["--index-strategy", "unsafe-best-match", "--no-cache", "--editable", wanted]
        if (
            subprocess.run(uv, env=environment(configuration(), os.environ), check=False).returncode
            == 0
        ):
            return 0
        print("uv could not install the packages; pip tries", flush=True)
    return subprocess.run([*INSTALL, "--editable", wanted], check=False).returncode


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
