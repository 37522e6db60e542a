"""The statistics of results. Pure; chance is passed in.

`wilson` bounds a share of independent trials; `share_of_tasks` bounds one whose trials
come in groups (several runs of a task), by resampling tasks; `pass_at_k` estimates from
n runs of a task whether one of k succeeds; `paired_bootstrap` compares two policies
task by task; `crossed_bootstrap` two methods, by tasks and by seeds of training.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

Z95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""
RESAMPLES = 10_000


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What B has over A, with its 95 % interval and the two-sided p-value of no
    difference."""

    value: float
    low: float
    high: float
    p: float


def wilson(successes: int, trials: int, *, z: float = Z95) -> Estimate | None:
    """A share with Wilson's score interval; None without trials."""
    if trials == 0:
        return None
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials}")
    share = successes / trials
    weight = z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / (4 * trials))
    return Estimate(value=share, low=max(0.0, centre - half), high=min(1.0, centre + half))


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; raises `ValueError` for none."""
    if not values:
        raise ValueError("the mean of nothing")
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Sample standard deviation (n - 1); 0 for fewer than two values."""
    if len(values) < 2:
        return 0.0
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def pass_at_k(runs: int, successes: int, k: int) -> float:
    """Unbiased estimate that at least one of k runs succeeds, from `runs` ≥ k of them:
    1 - C(n - c, k) / C(n, k)."""
    if not 0 <= successes <= runs or not 1 <= k <= runs:
        raise ValueError(f"pass@{k} of {successes} in {runs}")
    return 1.0 - math.comb(runs - successes, k) / math.comb(runs, k)


def share_of_tasks(
    groups: Sequence[tuple[int, int]], *, chance: Random, resamples: int = RESAMPLES
) -> Estimate | None:
    """Successes among trials over all tasks, each task being (successes, trials), with
    a bootstrap interval over tasks."""
    told = [group for group in groups if group[1]]
    if not told:
        return None
    if all(trials == 1 for _, trials in told):
        return wilson(sum(successes for successes, _ in told), len(told))
    shares = sorted(_share(chance.choices(told, k=len(told))) for _ in range(resamples))
    return Estimate(value=_share(told), low=quantile(shares, 0.025), high=quantile(shares, 0.975))


def _share(groups: Sequence[tuple[int, int]]) -> float:
    return sum(successes for successes, _ in groups) / sum(trials for _, trials in groups)


def paired_bootstrap(
    differences: Sequence[float], *, chance: Random, resamples: int = RESAMPLES
) -> Difference:
    """The mean of per-task differences, resampled over tasks. p counts resamples beyond
    0, the observed one included."""
    if not differences:
        raise ValueError("no task was run by both")
    n = len(differences)
    means = sorted(math.fsum(chance.choices(differences, k=n)) / n for _ in range(resamples))
    return _difference(mean(differences), means)


def crossed_bootstrap(
    rows: Sequence[Sequence[float]], *, chance: Random, resamples: int = RESAMPLES
) -> Difference:
    """The mean of differences by seed (rows) and task (columns), resampled over seeds
    and over tasks, independently of each other: an interval for other seeds and other
    tasks. p as in `paired_bootstrap`."""
    if not rows or not rows[0]:
        raise ValueError("no task was run by both")
    across = range(len(rows[0]))
    means = []
    for _ in range(resamples):
        tasks = chance.choices(across, k=len(across))
        drawn = chance.choices(rows, k=len(rows))
        means.append(mean([row[task] for row in drawn for task in tasks]))
    return _difference(mean([value for row in rows for value in row]), sorted(means))


def _difference(value: float, means: Sequence[float]) -> Difference:
    """From sorted means of resamples."""
    below = sum(one <= 0 for one in means)
    above = sum(one >= 0 for one in means)
    return Difference(
        value=value,
        low=quantile(means, 0.025),
        high=quantile(means, 0.975),
        p=min(1.0, 2 * (min(below, above) + 1) / (len(means) + 1)),
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of sorted values, linear between neighbours."""
    if not ordered:
        raise ValueError("a quantile of nothing")
    place = share * (len(ordered) - 1)
    index = int(place)
    rest = place - index
    return ordered[index] if rest == 0 else ordered[index] * (1 - rest) + ordered[index + 1] * rest
