"""The values of a condition with its references put in.

What META or an event gave is put into a pattern as text that stands for itself; a
constant of the document is part of the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from proofwalk.chassis.patterns import escaped
from proofwalk.reward_service.bindings import Bindings
from proofwalk.reward_service.event_values import text_of, values_at
from proofwalk.reward_service.expected_answers import WantedField
from proofwalk.reward_service.rules import EVENT_REFERENCE, REFERENCE, Rule, rule_invalid


class _Unbound:
    """What a reference to a name that no event has stands for."""

    def __repr__(self) -> str:
        return "a value of an event that is not there"


UNBOUND = _Unbound()


def bound_value(value: object, bindings: Bindings) -> object:
    if isinstance(value, (list, tuple)):
        return [item for given in value for item in items_of(bound_value(given, bindings))]
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
    value = EVENT_REFERENCE.sub(lambda match: text_of(_of_event(match, bindings)[0]), value)
    return REFERENCE.sub(lambda match: str(_lookup(match, bindings)), value)


def wanted_fields(rule: Rule, bindings: Bindings) -> tuple[WantedField, ...]:
    """What the rule expects to be answered, with its references put in. Raises
    `rule.invalid` for a value that an empty answer would meet."""
    wanted = []
    for name, one in rule.answer.items():
        bound = bound_value(one.exact, bindings)
        value = tuple(map(text_of, bound)) if isinstance(bound, list) else text_of(bound)
        field = WantedField(
            name=name, kind=one.as_, value=value, units=one.unit, criterion=one.judged
        )
        if not field.is_told:
            raise rule_invalid(f"answer.{name}", f"{bound!r} is no {one.as_.value} to expect")
        wanted.append(field)
    return tuple(wanted)


def bound_pattern(value: object, bindings: Bindings) -> object:
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
            else _any_of(items_of(bindings.meta[match[2]]))
        ),
        text,
    )


def _any_of(values: Sequence[object]) -> str:
    """A pattern that finds one of the values."""
    return "(?:" + "|".join(escaped(text_of(value)) for value in values) + ")"


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


def items_of(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]
