"""The READMEs of roles and libraries name source files that are there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.record import ROOT

_FILE = re.compile(r"`([\w./-]+\.(?:py|js))`")


def tracked() -> list[str]:
    order = ["git", "ls-files"]
    done = subprocess.run(order, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


FILES = frozenset(tracked())
READMES = sorted(
    path for path in FILES if path.endswith("README.md") and path.startswith(("libs", "services"))
)


def is_there(name: str, folder: Path) -> bool:
    """Whether a file is meant by its path from the README's folder; a test by its name,
    and what lies elsewhere by the end of its path."""
    if (folder / name).resolve().is_file() or name in FILES:
        return True
    elsewhere = "/" in name or name.startswith("test_")
    return elsewhere and any(path.endswith(f"/{name}") for path in FILES)


@pytest.mark.parametrize("readme", READMES)
def test_every_file_that_is_named_is_there(readme: str) -> None:
    path = ROOT / readme
    named = set(_FILE.findall(path.read_text(encoding="utf-8")))
    assert {name for name in named if not is_there(name, path.parent)} == set()
