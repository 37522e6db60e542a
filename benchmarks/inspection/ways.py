"""Two ways of inspecting one world: everything at a fixed interval, and what is due.

What is due is decided by the inspection role's own function (`inspection.due`), once a
day, over the history that its own inspections made. Both ways begin with one walk of
every procedure.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from benchmarks.inspection.world import DAYS, Page, World
from proofwalk.inspection.domain import Due, Ending, How, Inputs, Item, ItemState
from proofwalk.inspection.due import REMEMBERED, Candidate, assess
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import CollectionSpec, Source, SourceKind
from proofwalk.orders.order import Order

_BEGAN = datetime(2026, 1, 5, 3, tzinfo=UTC)


@dataclass(kw_only=True)
class Spent:
    """What a way of inspecting asked for."""

    walks: int = 0
    replays: int = 0
    by_model: float = 0.0
    """Walks that asked a model: all but the replays that were not handed over."""
    seconds: float = 0.0
    due: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Walks and replays by the reason they were asked for."""


def everything(world: World, interval: int) -> Spent:
    """Walk all procedures, every so many days."""
    spent = Spent()
    for day in range(DAYS):
        if day % interval == 0:
            for page in world.pages.values():
                _ask(world, page, How.WALK, spent)
        world.pass_a_day()
    return spent


def what_is_due(world: World, refresh_days: float, *, maps: bool) -> Spent:
    """Look once a day at what the inspection role would. `maps`: the console is mapped
    every night too, and a procedure is due when what it names has changed there."""
    spent = Spent()
    spec = CollectionSpec(
        name="simulated",
        source=Source(kind=SourceKind.FOLDER, address="/documents"),
        order=Order(target="simulated", policy="llm"),
        refresh_s=refresh_days * 86400,
    )
    past: dict[str, list[Item]] = {}
    for day in range(DAYS):
        now = _BEGAN + timedelta(days=day)
        candidates = [
            Candidate(procedure_id=page.path, page=page.path, inputs=_inputs(page, maps=maps))
            for page in world.pages.values()
        ]
        for one in assess(candidates, past, spec, now=now):
            if one.due is not Due.NOT_DUE:
                page = world.pages[one.candidate.page]
                spent.due[one.due.value] += 1
                outcome, seconds = _ask(world, page, one.how, spent)
                done = _item(one.candidate, one.due, one.how, outcome, seconds, now)
                past[page.path] = [done, *past.get(page.path, ())][:REMEMBERED]
        world.pass_a_day()
    return spent


def delays(world: World) -> list[int]:
    """Days from each drift that could be found until it was, or until the end."""
    return [
        (DAYS if one.found is None else one.found) - one.since
        for one in world.drifts
        if one.detectable
    ]


def _ask(world: World, page: Page, how: How, spent: Spent) -> tuple[OutcomeKind, float]:
    measured = world.measured
    outcome = world.walked(page.path)
    replayed = how is How.REPLAY
    seconds = page.seconds * (measured.replay_time if replayed else 1)
    spent.walks += not replayed
    spent.replays += replayed
    faithful = outcome is OutcomeKind.VERIFIED
    spent.by_model += measured.handed_over if replayed and faithful else 1
    spent.seconds += seconds
    return outcome, seconds


def _inputs(page: Page, *, maps: bool) -> Inputs:
    return Inputs(
        document=_digest(f"{page.path}/{page.edits}"),
        rule="",
        map=_digest(f"{page.path}/{page.shown}") if maps else None,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _item(
    candidate: Candidate,
    due: Due,
    how: How,
    outcome: OutcomeKind,
    seconds: float,
    now: datetime,
) -> Item:
    return Item(
        inspection_id=now.date().isoformat(),
        number=1,
        collection_id="simulated",
        procedure_id=candidate.procedure_id,
        page=candidate.page,
        title=candidate.page,
        due=due,
        state=ItemState.DONE,
        how=how,
        inputs=candidate.inputs,
        ending=Ending(outcome=outcome, seconds=seconds),
        finished_at=now,
    )


def interpolated(curve: Mapping[float, float], delay: float) -> float | None:
    """What full inspection needs for a mean delay: between the two measured delays
    around it, linear in the delay. None outside of what was measured. `curve`: mean
    delay in days -> amount."""
    known = sorted(curve)
    for low, high in itertools.pairwise(known):
        if low <= delay <= high:
            share = (delay - low) / (high - low)
            return curve[low] + share * (curve[high] - curve[low])
    return None
