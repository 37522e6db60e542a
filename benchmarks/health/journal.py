"""What is measured once and not again: rows in a file, a line each, and what they come
to.

A row of a mutant names a digest of the module and of its near tests. It counts as long
as neither has changed, so a new test has its package asked again, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.health.mutants import Mutant


class Fate(StrEnum):
    """What the near tests said to a mutant."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    """They did not end, which is noticing, too."""
    SURVIVED = "survived"
    BROKEN = "broken"
    """The tool could not make it; it is in no figure."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A mutant, and its fate."""

    package: str
    digest: str
    mutant: Mutant
    fate: Fate
    seconds: float
    change: str = ""
    """The lines that differ, of a survivor."""


def digest_of(paths: Iterable[Path]) -> str:
    """A digest of files, by name and content."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return sha.hexdigest()[:16]


def read(path: Path) -> list[Trial]:
    """The rows of a journal; a line that a kill cut off is left out."""
    trials: list[Trial] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        row |= {"mutant": Mutant(**row["mutant"]), "fate": Fate(row["fate"])}
        trials.append(Trial(**row))
    return trials


def add(path: Path, trial: Trial) -> None:
    """Add a row to a journal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_cut_off = path.is_file() and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if is_cut_off else "") + json.dumps(asdict(trial)) + "\n")


def valid(trials: Iterable[Trial], package: str, digests: Mapping[str, str]) -> dict[Mutant, Trial]:
    """The package's trials of what stands there now; `digests` by module."""
    return {
        trial.mutant: trial
        for trial in trials
        if trial.package == package and digests.get(trial.mutant.module) == trial.digest
    }


def tally(trials: Sequence[Trial]) -> Counter[Fate]:
    """How many met which fate."""
    return Counter(trial.fate for trial in trials)


def changed(diff: str) -> str:
    """The lines that a diff takes away and puts there instead."""
    return "\n".join(
        line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")
    )
