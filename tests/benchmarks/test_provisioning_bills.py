"""What a lease answers for, told from the lines of its account's bill."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.provisioning.bills import Lease, Spending, figures_of, spending


def lease(name: str, granted: float, ended: float | None, cost: float | None = 0.0) -> Lease:
    return Lease(lease_id=name, granted_at=granted, ended_at=ended, cost=cost)


def meter(since: float, until: float | None, rate: float = 3600.0) -> dict[str, Any]:
    return {"since": since, "until": until, "rate": rate, "amount": 0.0}


def paid(at: float, amount: float) -> dict[str, Any]:
    return {"since": at, "until": at, "rate": 0.0, "amount": amount}


A = lease("a", 100, 150)
B = lease("b", 200, None)


@pytest.mark.parametrize(
    ("line", "first", "second"),
    [
        (meter(110, 120), 10, 0),
        (meter(140, 190), 50, 0),
        (meter(190, 230), 10, 30),
        (meter(50, 110), 10, 0),
        (meter(210, None), 0, 90),
        (paid(120, 228), 228, 0),
        (paid(140, -228), -228, 0),
        (paid(160, -228), 0, 0),
        (paid(200, 228), 0, 228),
        (paid(250, -5), 0, -5),
    ],
)
def test_a_lease_answers_for_its_account_up_to_the_next(
    line: dict[str, Any], first: float, second: float
) -> None:
    spent = spending([B, A], [line], now=300)
    assert (spent["a"].bill, spent["b"].bill) == pytest.approx((first, second))


@pytest.mark.parametrize(
    ("ledger", "bill", "error"),
    [(2.0, 2.0, 0), (1.98, 2.0, 0.01), (0.0, 0.0, 0), (None, 0.0, 1), (None, 2, 1), (5, 0.0, 1)],
)
def test_a_figure_that_is_missing_is_all_wrong(
    ledger: float | None, bill: float, error: float
) -> None:
    assert Spending(ledger=ledger, bill=bill).error == pytest.approx(error)


def test_leases_that_cost_nothing_do_not_make_the_figure_good() -> None:
    free = [Spending(ledger=0.0, bill=0.0)] * 5
    assert figures_of(free)["met"] is False
    figures = figures_of([*free, Spending(ledger=1.0, bill=1.0), Spending(ledger=0.97, bill=1.0)])
    assert (figures["median"], figures["value"]) == (0.015, 0.03)
    assert (figures["leases_that_cost"], figures["leases_at_no_cost"]) == (2, 5)
    assert (figures["met"], figures["above_the_bound"], figures["without_a_figure"]) == (
        False,
        1,
        0,
    )
    assert figures_of([])["value"] is None
