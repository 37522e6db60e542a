"""At most one holder at all times, over random histories (`lease_model`) on both
databases."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from tests.account_pool.lease_model import LeaseModel


async def _migrate(url: str) -> None:
    database = Database(url)
    await migrate(database, "proofwalk.account_pool")
    await database.close()


def check(url: str, *, examples: int, steps: int, start: int | None = None) -> int:
    """So many histories of so many steps each, drawn from `start` if it is given;
    returns the steps that were taken."""
    asyncio.run(_migrate(url))
    machine = type("LeaseModelHere", (LeaseModel,), {"url": url})
    if start is not None:
        machine = seed(start)(machine)
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    run_state_machine_as_test(machine, settings=chosen)
    return int(machine.steps)  # type: ignore[attr-defined]  # a subclass of LeaseModel


@pytest.mark.timeout(240)
def test_at_most_one_holder_whatever_happens(database_url: str) -> None:
    check(database_url, examples=25 if database_url.startswith("sqlite") else 8, steps=25)


PARTS = 20
"""Of the hundred thousand steps; each is minutes, so that a run can be split (`-k`) and
go on where it was stopped."""


@pytest.mark.leases
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(PARTS))
def test_at_most_one_holder_over_a_hundred_thousand_steps(database_url: str, part: int) -> None:
    steps, turn, wanted = 0, 0, 100_000 // PARTS
    while steps < wanted:
        # Some histories are shorter than they may be, the first one always.
        examples = (wanted - steps) // 100 + 2
        steps += check(database_url, examples=examples, steps=100, start=part + PARTS * turn)
        turn += 1
