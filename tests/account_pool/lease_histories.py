"""Random histories of the lease model, and the hundred thousand steps in parts, for the
tests and for `benchmarks/leases`."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from tests.account_pool.lease_model import LeaseModel

STEPS = 100_000
PARTS = 20
"""Of the hundred thousand steps; each is minutes, so that a run can be split (`-k`) and
go on where it was stopped."""
_LENGTH = 100


@dataclass
class Told:
    """What histories came to: steps, and what happened in them
    (`LeaseModel.counts`)."""

    steps: int = 0
    counts: Counter[str] = field(default_factory=Counter)


def check(url: str, *, examples: int, steps: int, start: int | None = None) -> Told:
    """So many histories of so many steps each, drawn from `start` if it is given.
    Raises `AssertionError` at a history that breaks a promise."""
    return _check(url, Told(), examples=examples, steps=steps, start=start)


def check_part(url: str, part: int, *, told: Told | None = None) -> Told:
    """A part of the hundred thousand steps. `told`, if it is given, is counted on in,
    so that it holds what there was before a history that fails."""
    told, turn, wanted = told or Told(), 0, STEPS // PARTS
    while told.steps < wanted:
        # Some histories are shorter than they may be, the first one always.
        examples = (wanted - told.steps) // _LENGTH + 2
        _check(url, told, examples=examples, steps=_LENGTH, start=part + PARTS * turn)
        turn += 1
    return told


def _check(url: str, told: Told, *, examples: int, steps: int, start: int | None) -> Told:
    asyncio.run(_migrate(url))
    machine = type("LeaseModelHere", (LeaseModel,), {"url": url, "counts": told.counts})
    if start is not None:
        machine = seed(start)(machine)
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    try:
        run_state_machine_as_test(machine, settings=chosen)
    finally:
        told.steps += int(machine.steps)  # type: ignore[attr-defined]  # a subclass of LeaseModel
    return told


async def _migrate(url: str) -> None:
    database = Database(url)
    await migrate(database, "proofwalk.account_pool")
    await database.close()
