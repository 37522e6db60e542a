"""How often a reviewer accepts what walks have found.

The precision of a class of findings (of a kind, a policy, a target, a product) is
accepted / (accepted + rejected), with Wilson's 95 % interval. A finding counts once,
whatever the number of its sightings. One that nobody has judged says nothing, and is
told beside the share as `waiting`; one that was fixed counts by the review that it had.
The policy of a finding is the one that saw it first.

Over time a finding counts in the week in which a walk saw it first, whenever it was
reviewed: so a week tells how good the walks of that week were, and a later review
changes it.

Pure. The counts come from `finding_repository.tallies` and `daily_tallies`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from proofwalk.inspection.finding_life import Review
from proofwalk.suites.counting.statistics import Estimate, wilson


class Facet(StrEnum):
    """By what findings are put into classes."""

    KIND = "kind"
    POLICY = "policy"
    TARGET = "target"
    PRODUCT = "product"


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many findings of one class got one review."""

    kind: str
    policy: str
    target: str
    product: str
    review: Review
    count: int

    def facet(self, facet: Facet) -> str:
        """The name of the class that these findings belong to."""
        match facet:
            case Facet.KIND:
                return self.kind
            case Facet.POLICY:
                return self.policy
            case Facet.TARGET:
                return self.target
            case Facet.PRODUCT:
                return self.product


@dataclass(frozen=True, kw_only=True)
class Precision:
    """What reviews say of one class."""

    facet: Facet | None
    """None for all findings together."""
    name: str
    accepted: int
    rejected: int
    waiting: int
    """Findings without a review."""

    @property
    def share(self) -> Estimate | None:
        """None where nothing was reviewed."""
        return wilson(self.accepted, self.accepted + self.rejected)


@dataclass(frozen=True, kw_only=True)
class DailyTally:
    """How many findings of a product that were first seen on one day by UTC got one
    review."""

    day: date
    product: str
    review: Review
    count: int


@dataclass(frozen=True, kw_only=True)
class WeeklyPrecision:
    """What reviews say of a product's findings of one week."""

    week: date
    """Its Monday."""
    product: str
    accepted: int
    rejected: int
    waiting: int


def monday(day: date) -> date:
    """The first day of a day's week."""
    return day - timedelta(days=day.weekday())


def weekly(tallies: Iterable[DailyTally]) -> list[WeeklyPrecision]:
    """Precision by week, oldest first, and by product."""
    counts: dict[tuple[date, str], Counter[Review]] = {}
    for row in tallies:
        counts.setdefault((monday(row.day), row.product), Counter())[row.review] += row.count
    return [
        WeeklyPrecision(
            week=week,
            product=product,
            accepted=reviews[Review.ACCEPTED],
            rejected=reviews[Review.REJECTED],
            waiting=reviews[Review.NONE],
        )
        for (week, product), reviews in sorted(counts.items())
    ]


def precisions(tallies: Iterable[Tally]) -> list[Precision]:
    """Precision of all findings, then of each class of each facet, by name."""
    rows = list(tallies)
    counted = [_precision(None, "", rows)]
    for facet in Facet:
        for name in sorted({row.facet(facet) for row in rows}):
            counted.append(_precision(facet, name, [r for r in rows if r.facet(facet) == name]))
    return counted


def _precision(facet: Facet | None, name: str, rows: Iterable[Tally]) -> Precision:
    counts: Counter[Review] = Counter()
    for row in rows:
        counts[row.review] += row.count
    return Precision(
        facet=facet,
        name=name,
        accepted=counts[Review.ACCEPTED],
        rejected=counts[Review.REJECTED],
        waiting=counts[Review.NONE],
    )
