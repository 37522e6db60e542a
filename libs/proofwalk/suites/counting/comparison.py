"""Two results held against each other, task by task: the paired bootstrap.

Only tasks that both have run count, each with the mean of its runs. What differs in the
tasks themselves (another digest under the same name) is left out and counted, for such
a pair would compare two suites and not two policies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from proofwalk.suites.counting.rows import Row
from proofwalk.suites.counting.statistics import RESAMPLES, Difference, mean, paired_bootstrap


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What B has over A."""

    tasks: int
    """Tasks that both have run."""
    left_out: int
    """Tasks that only one has run, or that were not the same."""
    pass1_a: float
    pass1_b: float
    difference: Difference
    better: tuple[str, ...]
    """Tasks on which B did better, by name."""
    worse: tuple[str, ...]


def compare(
    a: Sequence[Row], b: Sequence[Row], *, chance: Random, resamples: int = RESAMPLES
) -> Compared:
    """B against A. Raises `ValueError` when they have no task in common."""
    left, right = _rates(a), _rates(b)
    shared = sorted(left.keys() & right.keys())
    differences = [right[key] - left[key] for key in shared]
    difference = paired_bootstrap(differences, chance=chance, resamples=resamples)
    names = {task for task, _ in left.keys() | right.keys()}
    return Compared(
        tasks=len(shared),
        left_out=len(names) - len(shared),
        pass1_a=mean([left[key] for key in shared]),
        pass1_b=mean([right[key] for key in shared]),
        difference=difference,
        better=tuple(task for (task, digest) in shared if right[task, digest] > left[task, digest]),
        worse=tuple(task for (task, digest) in shared if right[task, digest] < left[task, digest]),
    )


def _rates(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.told:
            found[row.task, row.digest].append(float(row.passed))
    return {key: mean(values) for key, values in found.items()}
