"""What grows: the slope of a measured size over the number of jobs done.

A slope is Theil and Sen's, the median of the slopes between all pairs of looks, which a
few outliers (a garbage collection, a cache that fills) do not move. The first fifth of
the looks is left out: an installation that has just begun still fills its pools.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_WARM_UP = 5
"""One part of so many is left out."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """Sizes by name after so many jobs."""

    jobs: int
    sizes: Mapping[str, float]


def slopes(looks: Sequence[Look]) -> Mapping[str, float]:
    """By name: units per 1,000 jobs, of sizes that the last look has."""
    settled = looks[len(looks) // _WARM_UP :]
    if len(settled) < 2:
        return {}
    return {name: round(_slope(settled, name) * 1000, 3) for name in settled[-1].sizes}


def _slope(looks: Sequence[Look], name: str) -> float:
    points = [(look.jobs, look.sizes[name]) for look in looks if name in look.sizes]
    between = [
        (later - earlier) / (after - before)
        for (before, earlier), (after, later) in itertools.combinations(points, 2)
        if after > before
    ]
    return statistics.median(between) if between else 0.0
