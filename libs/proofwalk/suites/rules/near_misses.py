"""Near misses of a rule: recorded passing events changed in one place so that the rule
must not be met any more.

Every near miss is one by construction, whatever else is in the recording. A change is
made to *every* event that may fit the clause concerned (an event of that operation and
outcome whose values do not plainly contradict the clause), so no event is left that
fits; what cannot be constructed with certainty is not made. Whether the judge really
rejects them is what a proof measures: the judge takes the events of the window [start,
end + Δ] and applies the rule, as it does for an episode.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.condition_values import (
    failing_value,
    meeting_value,
    other_value,
    same_value,
)
from proofwalk.suites.rules.documents import Clause, RuleDocument, operations_of, triple_of
from proofwalk.suites.rules.event_members import (
    ABSENT,
    MAPPINGS,
    is_nested,
    value_at,
    with_member,
    without_member,
)

_REFERENCE = re.compile(r"\$(meta|doc|event)\.([\w.*]+)")


@dataclass(frozen=True, kw_only=True)
class NearMiss:
    """Events that must not meet the rule. `place` is the clause (`all.0`), `why` says
    what was changed."""

    kind: str
    place: str
    why: str
    events: tuple[AuditEvent, ...]
    answer: str | None = None
    """What is told instead; None for what was."""


def near_misses(rule: RuleDocument, recording: Recording) -> tuple[NearMiss, ...]:
    """Return every near miss of `rule` (the document of its YAML file) that can be made
    of a recording that meets it."""
    return tuple(_Making(rule, recording).all())


class _Making:
    def __init__(self, rule: RuleDocument, recording: Recording) -> None:
        self._rule = rule
        self._recording = recording
        self._events = tuple(recording.events)
        self._delta = float(rule.get("delta_s", 0))
        self._required = [
            (f"all.{number}", clause) for number, clause in enumerate(rule.get("all") or ())
        ]
        alternatives = list(rule.get("any") or ())
        if len(alternatives) == 1:
            self._required.append(("any.0", alternatives[0]))
        self._alternatives = alternatives if len(alternatives) > 1 else []

    def all(self) -> Iterator[NearMiss]:
        for place, clause in self._required:
            fits = [event for event in self._events if self._may_fit(clause, event)]
            if fits and int(clause.get("min", 1)) >= 1:
                yield from self._of_clause(place, clause, fits)
            if fits:
                yield from self._surplus(place, clause, fits)
        if self._alternatives:
            yield from self._without_alternatives()
        yield from self._out_of_order()
        yield from self._forbidden()

    def _of_clause(
        self, place: str, clause: Clause, fits: Sequence[AuditEvent]
    ) -> Iterator[NearMiss]:
        name = str(clause["event"])
        least = int(clause.get("min", 1))
        spared = {event.id for event in fits[: least - 1]}
        dropped = {event.id for event in fits} - spared
        yield NearMiss(
            kind="dropped",
            place=place,
            why=f"{name} did not happen",
            events=tuple(e for e in self._events if e.id not in dropped),
        )
        yield from self._other_outcome(place, name, clause.get("ok", True), fits)
        yield from self._other_event(place, name, clause.get("service"), fits)
        yield from self._outside_window(place, name, fits)
        for condition in clause.get("where") or ():
            yield from self._other_parameter(place, name, condition, fits)

    def _surplus(
        self, place: str, clause: Clause, fits: Sequence[AuditEvent]
    ) -> Iterator[NearMiss]:
        """More events that fit than the clause allows."""
        most = clause.get("max")
        if most is not None:
            surplus = [
                replace(e, id=f"{e.id}-{n}", time=e.time)
                for n in range(int(most) + 1)
                for e in fits
            ]
            yield NearMiss(
                kind="surplus",
                place=place,
                why=f"{clause['event']} happened more than {most} times",
                events=(*self._events, *surplus),
            )

    def _other_outcome(
        self, place: str, name: str, ok: object, fits: Sequence[AuditEvent]
    ) -> Iterator[NearMiss]:
        """The events refused where they must succeed, and the other way round."""
        if ok is True:
            yield self._changed(
                "failed",
                place,
                f"{name} was refused",
                fits,
                lambda e: replace(e, ok=False, error_code="OperationDenied"),
            )
        elif ok is False:
            yield self._changed(
                "failed",
                place,
                f"{name} succeeded",
                fits,
                lambda e: replace(e, ok=True, error_code=""),
            )

    def _other_event(
        self, place: str, name: str, service: object, fits: Sequence[AuditEvent]
    ) -> Iterator[NearMiss]:
        """The events as those of another service, if the clause names one, and of
        another operation."""
        if service:
            other = "Vpc" if service != "Vpc" else "Ecs"
            yield self._changed(
                "other_service",
                place,
                f"{name} is an event of {other}",
                fits,
                lambda e: replace(e, service=other),
            )
        yield self._changed(
            "other_operation",
            place,
            f"another operation than {name}",
            fits,
            lambda e: replace(e, name=f"Preview{e.name}"),
        )

    def _outside_window(
        self, place: str, name: str, fits: Sequence[AuditEvent]
    ) -> Iterator[NearMiss]:
        """The events an hour before the window, and an hour after it."""
        before = self._recording.start - timedelta(hours=1)
        yield self._changed(
            "outside_window",
            place,
            f"{name} happened before the episode",
            fits,
            lambda e: replace(e, time=before),
        )
        after = self._recording.end + timedelta(seconds=self._delta, hours=1)
        yield self._changed(
            "outside_window",
            place,
            f"{name} happened after the window",
            fits,
            lambda e: replace(e, time=after),
        )

    def _other_parameter(
        self, place: str, name: str, condition: Any, fits: Sequence[AuditEvent]
    ) -> Iterator[NearMiss]:
        """The events with a value that violates the condition; none where that cannot
        be made of every event."""
        path, op, value = triple_of(condition)
        changed = [self._violating(event, path, op, value) for event in fits]
        if all(event is not None for event in changed):
            by_id = {event.id: event for event in changed if event is not None}
            yield NearMiss(
                kind="parameter",
                place=place,
                why=f"{name}: not {path} {op} {value!r}",
                events=tuple(by_id.get(event.id, event) for event in self._events),
            )

    def _changed(
        self, kind: str, place: str, why: str, fits: Sequence[AuditEvent], change: Any
    ) -> NearMiss:
        chosen = {event.id for event in fits}
        return NearMiss(
            kind=kind,
            place=place,
            why=why,
            events=tuple(change(e) if e.id in chosen else e for e in self._events),
        )

    def _without_alternatives(self) -> Iterator[NearMiss]:
        fits = [
            event
            for event in self._events
            if any(self._may_fit(clause, event) for clause in self._alternatives)
        ]
        if not all(int(clause.get("min", 1)) >= 1 for clause in self._alternatives) or not fits:
            return
        chosen = {event.id for event in fits}
        yield NearMiss(
            kind="dropped",
            place="any",
            why="none of the alternatives happened",
            events=tuple(event for event in self._events if event.id not in chosen),
        )
        if all(clause.get("ok", True) is True for clause in self._alternatives):
            yield self._changed(
                "failed",
                "any",
                "every alternative was refused",
                fits,
                lambda e: replace(e, ok=False, error_code="OperationDenied"),
            )

    def _out_of_order(self) -> Iterator[NearMiss]:
        """The events of a clause moved behind all events of the clause that follows
        it."""
        if not self._rule.get("order"):
            return
        clauses = [
            (place, clause)
            for place, clause in self._required
            if place.startswith("all.") and int(clause.get("min", 1)) >= 1
        ]
        for (place, first), (_, second) in pairwise(clauses):
            one = [event for event in self._events if self._may_fit(first, event)]
            two = [event for event in self._events if self._may_fit(second, event)]
            if not one or not two or {event.id for event in one} & {event.id for event in two}:
                continue
            # The log writes whole seconds, so the distance is larger than one.
            late = max(event.time for event in two) + timedelta(seconds=2)
            why = f"{first['event']} happened after {second['event']}"
            yield self._changed(
                "order", place, why, one, lambda e, at=late: replace(e, time=max(at, e.time))
            )

    def _forbidden(self) -> Iterator[NearMiss]:
        """One event more that fits a forbidden clause."""
        for number, clause in enumerate(self._rule.get("none") or ()):
            event = self._fitting(clause, f"none.{number}")
            if event is not None:
                yield NearMiss(
                    kind="forbidden",
                    place=f"none.{number}",
                    why=f"{clause['event']} happened too",
                    events=(*self._events, event),
                )

    def _fitting(self, clause: Clause, place: str) -> AuditEvent | None:
        """An event that fits the clause, or None where a condition does not say how."""
        within = clause.get("within")
        middle = self._recording.start + (self._recording.end - self._recording.start) / 2
        name = next(operations_of(clause))
        event = AuditEvent(
            id=f"near-miss-{place}",
            time=self._recording.start + timedelta(seconds=sum(within) / 2) if within else middle,
            service=str(clause.get("service") or "Ecs"),
            name=name,
            kind="ConsoleOperation",
            write=True,
            ok=clause.get("ok", True) is not False,
            error_code="OperationDenied" if clause.get("ok", True) is False else "",
            actor=next((known.actor for known in self._events), ""),
        )
        for condition in clause.get("where") or ():
            path, op, value = triple_of(condition)
            wanted = self._resolved(value)
            meeting = meeting_value(op, wanted)
            if wanted is None or meeting is None:
                return None
            changed = event if meeting is ABSENT else with_member(event, path, meeting)
            if changed is None:
                return None
            event = changed
        return event

    def _resolved(self, value: Any) -> list[Any] | None:
        """The values that a constant or reference stands for; None where they are not
        known."""
        if isinstance(value, (list, tuple)):
            inner = [self._resolved(entry) for entry in value]
            return (
                None
                if any(entry is None for entry in inner)
                else [one for entry in inner for one in entry or ()]
            )
        if not isinstance(value, str):
            return [value]
        whole = _REFERENCE.fullmatch(value)
        if whole:
            return self._referred(whole[1], whole[2])
        parts = list(_REFERENCE.finditer(value))
        for part in reversed(parts):
            stands = self._referred(part[1], part[2])
            if stands is None or len(stands) != 1:
                return None
            value = value[: part.start()] + str(stands[0]) + value[part.end() :]
        return [value]

    def _referred(self, kind: str, name: str) -> list[Any] | None:
        if kind == "event":
            named, _, path = name.partition(".")
            clause = next(
                (clause for _, clause in self._required if clause.get("as") == named), None
            )
            fits = [
                event
                for event in self._events
                if clause is not None and self._may_fit(clause, event, deep=False)
            ]
            values = [value_at(event, path) for event in fits]
            return values if len(values) == 1 and values[0] not in (None, ABSENT, "") else None
        known: JsonObject = (
            self._recording.outputs if kind == "meta" else self._rule.get("doc") or {}
        )
        if name not in known:
            return None
        value = known[name]
        if isinstance(value, str) and value[:1] == "[":
            try:
                value = json.loads(value)
            except ValueError:
                return [value]
        return list(value) if isinstance(value, list) else [value]

    def _may_fit(self, clause: Clause, event: AuditEvent, *, deep: bool = True) -> bool:
        """False only where the event certainly does not fit."""
        if event.name not in set(operations_of(clause)):
            return False
        if clause.get("service") and event.service != clause["service"]:
            return False
        if clause.get("ok", True) is not None and event.ok is not clause.get("ok", True):
            return False
        for condition in clause.get("where") or ():
            path, op, value = triple_of(condition)
            if op not in ("eq", "in") or path.partition(".")[0] not in MAPPINGS or "*" in path:
                continue
            if not deep and "$event." in str(value):
                continue
            wanted, have = self._resolved(value), value_at(event, path)
            if (
                wanted is None
                or isinstance(have, (dict, list))
                or (have is ABSENT and is_nested(event, path))
            ):
                continue
            if have is ABSENT or not any(same_value(have, one) for one in wanted):
                return False
        return True

    def _violating(self, event: AuditEvent, path: str, op: str, value: Any) -> AuditEvent | None:
        """The event with another value at `path`, so that the condition does not hold;
        None where that is not certain."""
        if path.partition(".")[0] not in MAPPINGS or "*" in path:
            return None
        have, wanted = value_at(event, path), self._resolved(value)
        if have is ABSENT and (op not in ("ne", "not_in", "exists") or is_nested(event, path)):
            return None
        if op == "exists":
            return (
                without_member(event, path) if value is not False else with_member(event, path, "x")
            )
        if op in ("ne", "not_in"):
            return with_member(event, path, wanted[0]) if wanted else None
        if op in ("eq", "in"):
            other = other_value(have)
            if wanted is not None and any(same_value(other, one) for one in wanted):
                other = f"{have}-other"
            return None if isinstance(have, (dict, list)) else with_member(event, path, other)
        if wanted is None or len(wanted) != 1:
            return None
        missing = failing_value(op, wanted[0])
        return None if missing is None else with_member(event, path, missing)
