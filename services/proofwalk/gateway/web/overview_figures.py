"""Figures that the first page has beside its verifications: how much of the
installation is free, and how good findings were, week by week.

Each is one call that is given up soon (`Neighbours.glance`), so that the page is there
whichever role is away; the template then says that the figure is not known, and why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.inspection.v1 import findings_pb2 as findings
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as scheduler

WEEKS = 6
MOST_PRODUCTS = 12


@dataclass(frozen=True, kw_only=True)
class Free:
    """How many accounts or sandboxes could be had now."""

    free: int
    total: int
    warm: int = 0
    """Of the sandboxes, those that are started already."""


@dataclass(frozen=True, kw_only=True)
class Reviewed:
    """What reviewers said of the findings of one week."""

    accepted: int = 0
    rejected: int = 0
    waiting: int = 0

    @property
    def count(self) -> int:
        """Findings that have a review."""
        return self.accepted + self.rejected

    @property
    def percent(self) -> int:
        """Of these, the accepted ones. Asked where there are any."""
        return round(100 * self.accepted / self.count)


NOTHING = Reviewed()


@dataclass(frozen=True, kw_only=True)
class ProductRow:
    """A product's precision, a cell for each week."""

    product: str
    """Empty where findings name none."""
    cells: Sequence[Reviewed]


@dataclass(frozen=True, kw_only=True)
class PrecisionWeeks:
    """Precision by week, oldest first: of all findings, and of the products that most
    was found in."""

    weeks: Sequence[str]
    """Their Mondays."""
    whole: Sequence[Reviewed]
    products: Sequence[ProductRow]
    left_out: int
    """Products that are not shown."""


def free_accounts(reply: pool.ListAccountsResponse) -> Free:
    """Accounts of the pool. One that its target no longer offers is not lent, and the
    pool says so as its reason."""
    free = sum(one.state == "free" and not one.reason for one in reply.accounts)
    return Free(free=free, total=len(reply.accounts))


def free_sandboxes(reply: scheduler.ListToolsResponse) -> Free:
    """Sandboxes by what the quotas of the tools leave."""
    return Free(
        free=sum(max(0, one.quota - one.leased) for one in reply.tools),
        total=sum(one.quota for one in reply.tools),
        warm=sum(one.warm for one in reply.tools),
    )


def precision_weeks(reply: findings.GetWeeklyPrecisionResponse, *, today: date) -> PrecisionWeeks:
    """The table of the last `WEEKS` weeks. A week in which nothing was found is an
    empty cell."""
    present = today - timedelta(days=today.weekday())
    weeks = [(present - timedelta(weeks=ago)).isoformat() for ago in reversed(range(WEEKS))]
    by_product: dict[str, dict[str, Reviewed]] = defaultdict(dict)
    for one in reply.weeks:
        if one.week in weeks:
            by_product[one.product][one.week] = Reviewed(
                accepted=one.accepted, rejected=one.rejected, waiting=one.waiting
            )
    ordered = sorted(by_product, key=lambda name: (-_findings(by_product[name]), name))
    shown = sorted(ordered[:MOST_PRODUCTS])
    return PrecisionWeeks(
        weeks=weeks,
        whole=[
            _together(cells[week] for cells in by_product.values() if week in cells)
            for week in weeks
        ],
        products=[
            ProductRow(product=name, cells=[by_product[name].get(week, NOTHING) for week in weeks])
            for name in shown
        ],
        left_out=len(ordered) - len(shown),
    )


def _findings(cells: Mapping[str, Reviewed]) -> int:
    return sum(one.count + one.waiting for one in cells.values())


def _together(cells: Iterable[Reviewed]) -> Reviewed:
    accepted = rejected = waiting = 0
    for one in cells:
        accepted += one.accepted
        rejected += one.rejected
        waiting += one.waiting
    return Reviewed(accepted=accepted, rejected=rejected, waiting=waiting)
