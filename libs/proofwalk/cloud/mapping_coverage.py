"""What a mapping makes of recorded entries: how many become events of the account, why
the others do not, and which fields of the events stay empty. Pure.

It is for whoever writes a mapping: a field that is empty in every entry is looked for
at a wrong path, or the log does not have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from proofwalk.cloud.field_mapping import EventMapping, MissingField
from proofwalk.kernel.evidence import AuditEvent

FIELDS = ("actor", "error_code", "request", "response", "resources")
"""Fields of an event that may be empty."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What became of some records."""

    records: int
    events: Sequence[AuditEvent]
    """Those that map and are the account's, newest first."""
    others: int
    """Records of other accounts."""
    refused: Mapping[str, int]
    """Records without a field that every event has, counted by what they lack."""
    empty: Sequence[str]
    """Fields that the mapping names and that no event has."""


def coverage(
    records: Sequence[object], mapping: EventMapping, external_id: str, *, now: datetime
) -> Coverage:
    """Count what the mapping makes of the records for an account, read `now`."""
    events: list[AuditEvent] = []
    refused: Counter[str] = Counter()
    others = 0
    for record in records:
        if not isinstance(record, Mapping):
            refused["it is no object"] += 1
        elif not mapping.counts(record):
            refused["`only` leaves it out"] += 1
        elif not mapping.concerns(record, external_id):
            others += 1
        else:
            try:
                events.append(mapping.event(record, near=now))
            except MissingField as missing:
                refused[str(missing)] += 1
    events.sort(key=lambda event: event.time, reverse=True)
    return Coverage(
        records=len(records),
        events=events,
        others=others,
        refused=refused,
        empty=[
            name
            for name in FIELDS
            if name in mapping.model_fields_set
            and events
            and not any(getattr(event, name) for event in events)
        ],
    )
