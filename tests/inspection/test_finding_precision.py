"""Precision as reviewers see it."""

from __future__ import annotations

from datetime import date

import pytest

from proofwalk.inspection.finding_life import Review
from proofwalk.inspection.finding_precision import (
    DailyTally,
    Facet,
    Tally,
    WeeklyPrecision,
    precisions,
    weekly,
)


def tally(review: Review, count: int, kind: str = "renamed", policy: str = "literal") -> Tally:
    return Tally(
        kind=kind, policy=policy, target="devcloud", product="ecs", review=review, count=count
    )


TALLIES = [
    tally(Review.ACCEPTED, 8),
    tally(Review.REJECTED, 2),
    tally(Review.NONE, 90),
    tally(Review.REJECTED, 1, kind="missing", policy="model"),
    tally(Review.NONE, 4, kind="disabled"),
]


def test_findings_that_wait_do_not_count() -> None:
    everything = precisions(TALLIES)[0]
    assert (everything.accepted, everything.rejected, everything.waiting) == (8, 3, 94)
    assert everything.share is not None
    assert everything.share.value == pytest.approx(8 / 11)


def test_each_class_has_wilsons_interval() -> None:
    renamed = next(one for one in precisions(TALLIES) if one.name == "renamed")
    share = renamed.share
    assert share is not None
    # 8 of 10, as statsmodels' proportion_confint(8, 10, method="wilson") has it.
    assert (share.low, share.value, share.high) == pytest.approx(
        (0.4901625, 0.8, 0.9433178), abs=1e-6
    )


def test_a_class_that_nobody_reviewed_has_no_share() -> None:
    disabled = next(one for one in precisions(TALLIES) if one.name == "disabled")
    assert (disabled.share, disabled.waiting) == (None, 4)


def test_every_facet_tells_all_findings() -> None:
    for facet in Facet:
        rows = [one for one in precisions(TALLIES) if one.facet is facet]
        assert sum(one.accepted + one.rejected + one.waiting for one in rows) == 105


def test_nothing_is_nothing() -> None:
    assert [(one.facet, one.share) for one in precisions([])] == [(None, None)]


def test_days_are_counted_in_the_week_of_their_monday_and_by_product() -> None:
    def found(day: int, product: str, review: Review, count: int) -> DailyTally:
        return DailyTally(day=date(2026, 11, day), product=product, review=review, count=count)

    told = weekly(
        [
            found(23, "ecs", Review.ACCEPTED, 2),
            found(29, "ecs", Review.REJECTED, 1),
            found(22, "ecs", Review.NONE, 4),
            found(25, "", Review.ACCEPTED, 3),
        ]
    )
    assert told == [
        WeeklyPrecision(
            week=date(2026, 11, day), product=product, accepted=yes, rejected=no, waiting=waiting
        )
        for day, product, yes, no, waiting in (
            (16, "ecs", 0, 0, 4),
            (23, "", 3, 0, 0),
            (23, "ecs", 2, 1, 0),
        )
    ]
    assert weekly([]) == []
