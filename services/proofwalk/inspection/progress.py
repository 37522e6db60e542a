"""How far an inspection is, and how long it will take: pure, over its counted items.

The estimate is the sum of what the open items are expected to take, divided by how many
are walked at a time. What an item is expected to take was measured in earlier walks of
its procedure, or is the median of its collection's; of a collection that was never
inspected, it is the mean of this inspection's own walks, once `ENOUGH` are done. Until
then there is no estimate, and `seconds_left` is None: a guess is not told as a measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proofwalk.inspection.domain import ENDED, Due, Inspection, InspectionState, ItemState
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import Budget

ENOUGH = 3
"""Walks of an inspection from which further ones are estimated."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """An inspection's items of one kind, counted."""

    state: ItemState
    due: Due
    code: str
    outcome: OutcomeKind | None
    count: int
    cost: float
    seconds: float
    expected_s: float
    measured: int
    """Those of which `expected_s` is known."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where an inspection stands."""

    done: int
    total: int
    skipped: int
    seconds_left: float | None
    measured: int
    """Measured walks that the estimate rests on: open items with earlier walks, and
    walks of this inspection."""
    waits_for: str
    spent: Budget
    outcomes: Mapping[str, int]


def progress_of(
    inspection: Inspection, tallies: Sequence[Tally], *, concurrency: int, paused: bool
) -> Progress:
    """Progress from counted items."""

    def count(*states: ItemState) -> int:
        return sum(one.count for one in tallies if one.state in states)

    waiting, asked = count(ItemState.WAITING), count(ItemState.ASKED)
    done, skipped = count(ItemState.DONE), count(ItemState.SKIPPED)
    ended = [one for one in tallies if one.state is ItemState.DONE]
    open_ones = [one for one in tallies if one.state in (ItemState.WAITING, ItemState.ASKED)]
    before = sum(one.measured for one in open_ones)
    unknown = waiting + asked - before
    spent_s = sum(one.seconds for one in ended)
    known = not unknown or done >= ENOUGH
    seconds = sum(one.expected_s for one in open_ones)
    seconds += unknown * spent_s / done if unknown and done else 0.0
    told = known and inspection.state in (InspectionState.RUNNING, InspectionState.CANCELLING)
    outcomes: dict[str, int] = {}
    for one in ended:
        assert one.outcome is not None, "what is done has an outcome"
        outcomes[one.outcome.value] = outcomes.get(one.outcome.value, 0) + one.count
    return Progress(
        done=done,
        total=done + waiting + asked,
        skipped=skipped,
        seconds_left=round(seconds / concurrency, 1) if told else None,
        measured=before + done,
        waits_for=_waits_for(inspection, waiting=waiting, asked=asked, paused=paused),
        spent=Budget(
            walks=done + asked,
            cost=sum(one.cost for one in ended),
            seconds=spent_s,
        ),
        outcomes=outcomes,
    )


def _waits_for(inspection: Inspection, *, waiting: int, asked: int, paused: bool) -> str:
    if inspection.state in ENDED:
        return ""
    if paused and not asked and inspection.state is not InspectionState.CANCELLING:
        return "the collection to go on: it is paused"
    if inspection.state is InspectionState.PLANNED:
        return "a worker that reads the documents"
    under_way = f"{asked} verification{'s' if asked != 1 else ''} under way"
    if inspection.state is InspectionState.CANCELLING:
        return f"the end of {under_way}" if asked else "a worker that ends it"
    if asked:
        return under_way
    return inspection.reason or f"{waiting} to be asked for"
