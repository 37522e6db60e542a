"""How the committed results stand to the code: what `make results-state` prints.

A result names the commit that it measured, with `-dirty` where the working copy
differed. What the commit measured is declared in `benchmarks/results.yaml`; `changed`
counts the commits since that touched it. Of a commit that is not in the history they
are counted from the commit that brought the file.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from benchmarks.record import RESULTS, ROOT

DECLARED = ROOT / "benchmarks" / "results.yaml"
_GIT_S = 60
_WIDE = 140
"""Columns of what is printed, so that no line is cut where the output is no
terminal."""


@dataclass(frozen=True, kw_only=True)
class State:
    """One result and the code that it measured."""

    name: str
    commit: str
    """Without `-dirty`."""
    clean: bool
    in_history: bool
    changed: int
    """Commits since that touched what it measures."""
    target: str


def declared(path: Path = DECLARED) -> dict[str, Any]:
    """`results`, `not_clean` and `not_in_history` of the table."""
    read: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read


def committed(folder: Path = RESULTS) -> list[str]:
    """Names of the result files, without their ending."""
    return sorted(path.name.removesuffix(".json") for path in folder.glob("*.json"))


def result(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """A result file."""
    read: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return read


def state_of(name: str, entry: Mapping[str, Any], *, root: Path = ROOT) -> State:
    """How a result stands. Asks git: blocks."""
    told = str(result(name)["commit"])
    commit = told.removesuffix("-dirty")
    known = in_history(commit, root=root)
    brought = _git(
        root, "log", "-1", "--format=%H", "--", f"benchmarks/results/{name}.json"
    ).strip()
    since = commit if known else brought
    changed = (
        _git(root, "rev-list", "--count", f"{since}..HEAD", "--", *entry["measures"])
        if since
        else "0"
    )
    return State(
        name=name,
        commit=commit,
        clean=told == commit,
        in_history=known,
        changed=int(changed),
        target=str(entry["target"]),
    )


def in_history(commit: str, *, root: Path = ROOT) -> bool:
    """Whether the checkout has the commit behind it."""
    done = subprocess.run(
        ["git", "merge-base", "--is-ancestor", commit, "HEAD"],
        cwd=root,
        capture_output=True,
        timeout=_GIT_S,
        check=False,
    )
    return done.returncode == 0


def is_whole(root: Path = ROOT) -> bool:
    """Whether there is a repository with its whole history."""
    try:
        return _git(root, "rev-parse", "--is-shallow-repository").strip() == "false"
    except (OSError, subprocess.SubprocessError):
        return False


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=_GIT_S, check=True
    )
    return done.stdout


def table(states: Sequence[State]) -> Table:
    """What the target prints."""
    shown = Table(
        "result", "commit", "clean", "in history", "changed since", "measure again", box=None
    )
    for one in states:
        yes = ("yes" if one.clean else "no", "yes" if one.in_history else "no")
        shown.add_row(one.name, one.commit[:10], *yes, str(one.changed), one.target)
    return shown


def main() -> None:
    """Print the table."""
    entries = declared()["results"]
    Console(width=_WIDE).print(
        table([state_of(name, entries[name]) for name in committed() if name in entries])
    )


if __name__ == "__main__":
    main()
