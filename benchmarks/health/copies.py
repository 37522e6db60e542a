"""A copy of the working tree to mutate, so that nothing else reads a mutant, and the
environment in which tests run on a tree."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path


def fresh(root: Path, copy: Path) -> None:
    """Make `copy` what git tracks at `root`, as it stands there now."""
    shutil.rmtree(copy, ignore_errors=True)
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    )
    for name in filter(None, tracked.stdout.split("\0")):
        source, target = root / name, copy / name
        if source.is_symlink() or source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def environment(tree: Path) -> Mapping[str, str]:
    """This process's, with the tree's own code before any that is installed."""
    roots = (tree / "libs", tree / "services", tree)
    own = {name: text for name, text in os.environ.items() if not name.startswith("PROOFWALK_")}
    return {**own, "PYTHONPATH": ":".join(map(str, roots))}
