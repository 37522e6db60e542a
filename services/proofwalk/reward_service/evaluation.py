"""Whether a set of audit events meets a rule. Pure; the order in which events are given
plays no part.

The answer explains itself: which event met which clause, which clauses no event met
(with the nearest miss, in words), and which forbidden events happened. Values are
compared as the log writes them: `8080` and `"8080"` are equal, because logs write
numbers as text. A reference to a META output that is not there is `rule.invalid`, an
error of the caller; it is never a reward of 0.

`matches` searches with RE2 (`chassis.patterns`). What META or an event gave is put into
its pattern as text that stands for itself; a constant of the document is part of the
pattern.

Where clauses name events (`as`), an *assignment* gives each name an event that meets
its clause; the rule is met if it is met under some assignment. Assignments are tried
earliest events first, at most `MAX_ASSIGNMENTS` of them; when none meets the rule, the
one that comes nearest explains why. A reference to a name that no event has meets
nothing: neither what is required nor what is forbidden.
"""

from __future__ import annotations

import ipaddress
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from proofwalk.chassis.patterns import compile_pattern, escaped
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.reward_service.rules import (
    EVENT_REFERENCE,
    REFERENCE,
    Clause,
    Condition,
    Rule,
    network_of,
)

MAX_ASSIGNMENTS = 500
"""Ways of giving names to events that are tried."""


class _Unbound:
    """What a reference to a name that no event has stands for."""

    def __repr__(self) -> str:
        return "a value of an event that is not there"


UNBOUND = _Unbound()


@dataclass(frozen=True, kw_only=True)
class Match:
    """An event and the clause that it met or broke."""

    event: AuditEvent
    expectation: str


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What the events say about the rule."""

    matched: tuple[Match, ...]
    missing: tuple[str, ...]
    """Expectations not met, in words."""
    violations: tuple[Match, ...]
    """Forbidden or surplus events."""

    @property
    def met(self) -> bool:
        """Everything expected is there and nothing forbidden."""
        return not self.missing and not self.violations


@dataclass(frozen=True, kw_only=True)
class Bindings:
    """What references stand for, and where the window begins."""

    start: datetime
    doc: Mapping[str, object]
    meta: Mapping[str, object]
    events: Mapping[str, AuditEvent] = field(default_factory=dict)
    """The events that have names."""


def bindings_of(rule: Rule, *, start: datetime, outputs: Mapping[str, str]) -> Bindings:
    """The rule's references resolved. An output that is JSON of a list counts as that
    list. Raises `rule.invalid`."""
    absent = sorted(rule.meta_names - outputs.keys())
    if absent:
        raise unresolved(rule, absent[0], outputs)
    return Bindings(
        start=start, doc=rule.doc, meta={name: _decoded(value) for name, value in outputs.items()}
    )


def unresolved(rule: Rule, name: str, outputs: Mapping[str, str]) -> ProofwalkError:
    """A META output that the rule wants and nobody gave."""
    known = ", ".join(sorted(outputs)) or "none"
    return invalid(
        "rule.invalid",
        f"{rule.name} refers to $meta.{name}, which META did not give",
        hint=f"outputs given: {known}",
    )


def _decoded(value: str) -> object:
    if value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            # Text that begins like JSON, numbers that nobody reads, nesting without an
            # end: it counts as text.
            return value
    return value


def evaluate(rule: Rule, events: Sequence[AuditEvent], bindings: Bindings) -> Evaluation:
    """What `events` (those of the window) say about the rule."""
    ordered = sorted(
        {event.id: event for event in events}.values(), key=lambda event: (event.time, event.id)
    )
    nearest: Evaluation | None = None
    for assigned in itertools.islice(_assignments(rule, ordered, bindings), MAX_ASSIGNMENTS):
        found = _under(rule, ordered, assigned)
        if found.met:
            return found
        if nearest is None or _distance(found) < _distance(nearest):
            nearest = found
    assert nearest is not None, "there is always the assignment of what can be assigned"
    return nearest


def _distance(evaluation: Evaluation) -> tuple[int, int]:
    return len(evaluation.missing), len(evaluation.violations)


def _assignments(
    rule: Rule, events: Sequence[AuditEvent], bindings: Bindings, index: int = 0
) -> Iterator[Bindings]:
    """Every way to give the names of the clauses from `index` on to events that meet
    them; a name that none meets stays unbound."""
    clause = next((clause for clause in rule.all[index:] if clause.as_), None)
    if clause is None:
        yield bindings
        return
    following = rule.all.index(clause, index) + 1
    fits = _fitting(clause, events, bindings)
    if not fits:
        yield from _assignments(rule, events, bindings, following)
    for event in fits:
        yield from _assignments(
            rule,
            events,
            replace(bindings, events={**bindings.events, clause.as_: event}),
            following,
        )


def _under(rule: Rule, ordered: Sequence[AuditEvent], bindings: Bindings) -> Evaluation:
    """What the events say when the names stand for these events."""
    matched: list[Match] = []
    missing: list[str] = []
    violations: list[Match] = []
    for clause in rule.all:
        fits = _fitting(clause, ordered, bindings)
        cited = [bindings.events[clause.as_]] if clause.as_ in bindings.events else fits
        matched += [Match(event=event, expectation=str(clause)) for event in cited]
        if len(fits) < clause.min:
            missing.append(_shortfall(clause, len(fits), ordered, bindings))
        if clause.max is not None:
            violations += [
                Match(event=event, expectation=f"at most {clause.max}: {clause}")
                for event in fits[clause.max :]
            ]
    if rule.any:
        counted = [(clause, _fitting(clause, ordered, bindings)) for clause in rule.any]
        met = [(clause, fits) for clause, fits in counted if _enough(clause, fits)]
        matched += [
            Match(event=event, expectation=str(clause)) for clause, fits in met for event in fits
        ]
        if not met:
            alternatives = [
                _shortfall(clause, len(fits), ordered, bindings) for clause, fits in counted
            ]
            missing.append("one of: " + "; or: ".join(alternatives))
    for clause in rule.none:
        violations += [
            Match(event=event, expectation=f"none: {clause}")
            for event in _fitting(clause, ordered, bindings)
        ]
    if rule.order and not missing:
        missing += _out_of_order(rule, ordered, bindings)
    return Evaluation(matched=tuple(matched), missing=tuple(missing), violations=tuple(violations))


def _enough(clause: Clause, fits: Sequence[AuditEvent]) -> bool:
    return clause.min <= len(fits) and (clause.max is None or len(fits) <= clause.max)


def _out_of_order(rule: Rule, events: Sequence[AuditEvent], bindings: Bindings) -> list[str]:
    """Events of one second are taken to be in any order that helps: a log that writes
    seconds cannot say more."""
    since = None
    used: set[str] = set()
    for clause in rule.all:
        needed = clause.min
        named = bindings.events.get(clause.as_) if clause.as_ else None
        for event in [named] if named else _fitting(clause, events, bindings):
            second = event.time.replace(microsecond=0)
            if needed and event.id not in used and (since is None or second >= since):
                used.add(event.id)
                since, needed = second, needed - 1
        if needed:
            return [f"{clause}, after the events named before it"]
    return []


def _fitting(clause: Clause, events: Sequence[AuditEvent], bindings: Bindings) -> list[AuditEvent]:
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
            _pattern(condition.value, bindings)
            if condition.op == "matches"
            else _bound(condition.value, bindings)
        )
        if not holds(condition, found, wanted):
            shown = ", ".join(_short(value) for value in found) or "absent"
            yield f"{condition.path} is {shown}, not {condition.op} {_short(wanted)}"


def _shortfall(clause: Clause, count: int, events: Sequence[AuditEvent], bindings: Bindings) -> str:
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


def values_at(event: AuditEvent, path: str) -> Iterator[object]:
    """What is at a path: nothing, one value, or several where `*` stands for all
    items."""
    head, _, rest = path.partition(".")
    if head in ("request", "response", "raw"):
        yield from _walk(getattr(event, head), rest)
    elif head == "resources":
        yield from event.resources
    else:
        yield getattr(event, head)


def _walk(found: object, path: str) -> Iterator[object]:
    if not path:
        yield found
        return
    if isinstance(found, str) and found[:1] in ("{", "["):
        found = _decoded(found)
    if isinstance(found, Mapping) and path in found:
        # Logs flatten lists into keys with dots in them: `Tag.1.Key`.
        yield found[path]
        return
    part, _, rest = path.partition(".")
    if part == "*":
        items = (
            found.values()
            if isinstance(found, Mapping)
            else found
            if isinstance(found, list)
            else ()
        )
        for item in items:
            yield from _walk(item, rest)
    elif isinstance(found, Mapping) and part in found:
        yield from _walk(found[part], rest)
    elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
        yield from _walk(found[int(part)], rest)


def _bound(value: object, bindings: Bindings) -> object:
    if isinstance(value, (list, tuple)):
        return [item for given in value for item in _spread(_bound(given, bindings))]
    if not isinstance(value, str):
        return value
    whole = REFERENCE.fullmatch(value)
    if whole:
        return _lookup(whole, bindings)
    named = EVENT_REFERENCE.fullmatch(value)
    if named:
        found = _of_event(named, bindings)
        return found[0] if len(found) == 1 else found or UNBOUND
    if any(not _of_event(match, bindings) for match in EVENT_REFERENCE.finditer(value)):
        return UNBOUND
    value = EVENT_REFERENCE.sub(lambda match: _text(_of_event(match, bindings)[0]), value)
    return REFERENCE.sub(lambda match: str(_lookup(match, bindings)), value)


def _pattern(value: object, bindings: Bindings) -> object:
    """A pattern with its references put in; `UNBOUND` where an event has no such
    value."""
    text = str(value)
    if any(not _of_event(match, bindings) for match in EVENT_REFERENCE.finditer(text)):
        return UNBOUND
    text = EVENT_REFERENCE.sub(lambda match: _any_of(_of_event(match, bindings)), text)
    return REFERENCE.sub(
        lambda match: (
            str(bindings.doc[match[2]])
            if match[1] == "doc"
            else _any_of(_spread(bindings.meta[match[2]]))
        ),
        text,
    )


def _any_of(values: Sequence[object]) -> str:
    """A pattern that finds one of the values."""
    return "(?:" + "|".join(escaped(_text(value)) for value in values) + ")"


def _of_event(match: re.Match[str], bindings: Bindings) -> list[object]:
    """The values that a reference to a named event stands for; none where no event has
    the name or the value is absent."""
    event = bindings.events.get(match["name"])
    return (
        []
        if event is None
        else [value for value in values_at(event, match["path"]) if value not in (None, "")]
    )


def _lookup(match: re.Match[str], bindings: Bindings) -> object:
    return (bindings.meta if match[1] == "meta" else bindings.doc)[match[2]]


def _spread(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def holds(condition: Condition, found: Sequence[object], wanted: object) -> bool:
    """Whether the condition holds for what was found. Of several values one suffices; a
    negation holds for all of them."""
    if any(value is UNBOUND for value in _spread(wanted)):
        return False
    if condition.op == "exists":
        return bool([value for value in found if value not in (None, "")]) == bool(wanted)
    if condition.op == "ne":
        return not any(_equal(value, wanted) for value in found)
    if condition.op == "not_in":
        return not any(_equal(value, item) for value in found for item in _spread(wanted))
    return any(_relates(condition.op, value, wanted) for value in found)


def _relates(op: str, value: object, wanted: object) -> bool:
    match op:
        case "eq":
            return any(_equal(value, item) for item in _spread(wanted))
        case "in":
            return any(_equal(value, item) for item in _spread(wanted))
        case "contains":
            if isinstance(value, str) and value[:1] == "[":
                value = _decoded(value)
            return (
                any(_equal(item, wanted) for item in value)
                if isinstance(value, list)
                else _text(wanted) in _text(value)
            )
        case "matches":
            return compile_pattern(str(wanted)).search(_text(value))
        case "cidr_in":
            return _inside(value, wanted)
        case _:
            return _compares(op, value, wanted)


def _compares(op: str, value: object, wanted: object) -> bool:
    try:
        left, right = float(_text(value)), float(_text(wanted))
    except ValueError:
        return False
    return {"gt": left > right, "lt": left < right, "ge": left >= right, "le": left <= right}[op]


def _inside(value: object, wanted: object) -> bool:
    try:
        network = network_of(wanted)
        inner = ipaddress.ip_network(_text(value), strict=False)
    except ValueError:
        return False
    return inner.version == network.version and inner.subnet_of(network)  # type: ignore[arg-type]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def _equal(left: object, right: object) -> bool:
    if left is None or right is None:
        return left is right
    if isinstance(left, bool) or isinstance(right, bool):
        return _text(left).lower() == _text(right).lower()
    if isinstance(left, (int, float)) or isinstance(right, (int, float)):
        try:
            return float(_text(left)) == float(_text(right))
        except ValueError:
            return False
    return left == right or _text(left) == _text(right)
