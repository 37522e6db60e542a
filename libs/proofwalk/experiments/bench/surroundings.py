"""What a result was made with: the commit, the machine, and how busy it was."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import psutil

from proofwalk.console.browser.chromium import chromium_version, find_chromium

_CODE = ("libs", "services", "benchmarks/*.py", "suites", ":(exclude)*/looks.json")
"""Paths of what is measured. How often a frozen set was looked at is no part of it: a
run that counts its own look changes it."""


async def machine() -> dict[str, Any]:
    """Processors, memory, browser, Python."""
    return {
        "cpus": os.cpu_count(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "chromium": await chromium_version(find_chromium(None)),
        "python": platform.python_version(),
    }


def commit(root: Path) -> str:
    """The commit checked out at `root`; `-dirty` when tracked code or suites differ
    from it; `unknown` outside of a repository."""
    try:
        head = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", *_CODE)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{head}-dirty" if changed else head


def load() -> str:
    """The system's load averages over 1, 5 and 15 minutes."""
    return "/".join(f"{average:.1f}" for average in os.getloadavg())


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.strip()
