"""Inspections that were begun in a span of time, and the turns of schedules that come
in it: pure.

A turn that was missed or let pass is not among them: what happened are inspections, and
what comes begins with the time that the schedule will take next.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from proofwalk.inspection.domain import Collection, Inspection, next_turn
from proofwalk.kernel.errors import invalid

MOST_ENTRIES = 1000
LONGEST = timedelta(days=100)


@dataclass(frozen=True, kw_only=True)
class Span:
    """The moments from `first` until just before `last`. Raises `calendar.bad_span`."""

    first: datetime
    last: datetime

    def __post_init__(self) -> None:
        if not timedelta() < self.last - self.first <= LONGEST:
            raise invalid(
                "calendar.bad_span",
                f"from {self.first.isoformat()} to {self.last.isoformat()} is no span of a calendar",
                hint=f"give a later end, at most {LONGEST.days} days away",
            )

    def has(self, moment: datetime) -> bool:
        return self.first <= moment < self.last


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An inspection, or a turn that comes."""

    collection: Collection
    at: datetime
    inspection: Inspection | None = None
    """None for a turn that comes."""


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """Entries by time."""

    entries: Sequence[Entry]
    more: bool
    """There are further ones, which are left out."""


def calendar_of(
    collections: Sequence[Collection], begun: Sequence[Inspection], span: Span, *, now: datetime
) -> Calendar:
    """The calendar of these collections and of their inspections within the span."""
    by_id = {one.id: one for one in collections}
    entries = [
        Entry(collection=by_id[one.collection_id], at=one.created_at, inspection=one)
        for one in begun
    ]
    for collection in collections:
        turns = itertools.islice(_turns(collection, span, now=now), MOST_ENTRIES + 1)
        entries += [Entry(collection=collection, at=turn) for turn in turns]
    entries.sort(key=lambda one: (one.at, one.collection.spec.name, one.collection.id))
    return Calendar(entries=entries[:MOST_ENTRIES], more=len(entries) > MOST_ENTRIES)


def _turns(collection: Collection, span: Span, *, now: datetime) -> Iterator[datetime]:
    """Turns within the span that come; none while the collection is paused."""
    turn = collection.next_run_at
    while turn is not None and turn < span.last:
        if span.has(turn):
            yield max(turn, now)
        turn = next_turn(collection.spec.schedule, max(turn, now))
