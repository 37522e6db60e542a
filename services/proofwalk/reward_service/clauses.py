"""Which events meet a clause of a rule, and in what the others differ from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.reward_service.bindings import Bindings
from proofwalk.reward_service.conditions import holds
from proofwalk.reward_service.event_values import values_at
from proofwalk.reward_service.references import bound_pattern, bound_value
from proofwalk.reward_service.rules import Clause


def fitting(clause: Clause, events: Sequence[AuditEvent], bindings: Bindings) -> list[AuditEvent]:
    return [event for event in events if not any(_misfits(clause, event, bindings))]


def _misfits(clause: Clause, event: AuditEvent, bindings: Bindings) -> Iterator[str]:
    """In what the event differs from the clause, in words; nothing if it fits."""
    if event.name not in clause.events or (clause.service and event.service != clause.service):
        yield f"it is {event.service}:{event.name}"
        return
    if clause.ok is not None and event.ok != clause.ok:
        yield f"it failed with {event.error_code}" if clause.ok else "it succeeded"
    if clause.within is not None:
        first, last = (bindings.start + timedelta(seconds=seconds) for seconds in clause.within)
        if not first <= event.time <= last:
            yield (
                f"it happened {(event.time - bindings.start).total_seconds():.0f} s after the start"
            )
    for condition in clause.where:
        found = list(values_at(event, condition.path))
        wanted = (
            bound_pattern(condition.value, bindings)
            if condition.op == "matches"
            else bound_value(condition.value, bindings)
        )
        if not holds(condition, found, wanted):
            shown = ", ".join(_short(value) for value in found) or "absent"
            yield f"{condition.path} is {shown}, not {condition.op} {_short(wanted)}"


def shortfall(clause: Clause, count: int, events: Sequence[AuditEvent], bindings: Bindings) -> str:
    wanted = (
        f"{clause.min} × {clause}, found {count}"
        if clause.min > 1 or count > clause.min
        else str(clause)
    )
    misses = []
    for event in events:
        if event.name in clause.events and (not clause.service or event.service == clause.service):
            reasons = list(_misfits(clause, event, bindings))
            if reasons:
                misses.append((len(reasons), event, reasons))
    if not misses:
        return wanted
    _, nearest, reasons = min(misses, key=lambda item: item[0])
    return f"{wanted} (nearest: {nearest.name} {nearest.id}: {'; '.join(reasons)})"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}…"
