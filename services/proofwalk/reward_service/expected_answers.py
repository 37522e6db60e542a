"""What a rule expects the agent to answer, and what an answer lacks of it.

    answer:
      private_ip: {exact: $meta.private_ip}   # the truth is META's, not the page's
      retention: {exact: 30, as: number, unit: [days, 天]}
      zones: {exact: [a, b], as: set}
      purpose: {judged: says what the log store is for}

A field is `exact` or `judged` (RiskWebWorld §5.1): the first is compared
(`kernel.answers`), about the second nobody guesses, so that its verdict here is
`not_judged`. An answer is wrong if one field is. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from proofwalk.kernel.answers import (
    AnsweredField,
    FieldVerdict,
    ValueKind,
    agrees,
    given_fields,
    says_something,
)
from proofwalk.kernel.outcomes import Decision

MAX_FIELDS = 20
_SHOWN = 120


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class ExpectedField(BaseModel):
    """One field of an answer."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    exact: Any = None
    """The value: a text, a number, a list, or a reference."""
    as_: ValueKind = Field(default=ValueKind.TEXT, alias="as")
    """How the value is compared: text, number, set or list."""
    unit: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    """Spellings of a number's unit."""
    judged: str = Field(default="", max_length=2000)
    """What free text has to say, instead of `exact`."""

    @model_validator(mode="after")
    def _one_way(self) -> ExpectedField:
        if (self.exact is None) == (not self.judged):
            raise ValueError("a field of an answer is either exact or judged")
        if self.unit and self.as_ is not ValueKind.NUMBER:
            raise ValueError("only a number has a unit")
        if not _is_plain(self.exact):
            raise ValueError("exact takes a text, a number, a list of these, or a reference")
        if "$event." in str(self.exact):
            raise ValueError("an answer refers to $meta and $doc, not to events")
        return self


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str | int | float) for one in value)
    return value is None or isinstance(value, str | int | float)


@dataclass(frozen=True, kw_only=True)
class WantedField:
    """One field with its references put in."""

    name: str
    kind: ValueKind
    value: str | tuple[str, ...]
    units: tuple[str, ...]
    criterion: str

    @property
    def is_told(self) -> bool:
        """Whether there is a value that an answer can be compared with."""
        return bool(self.criterion) or says_something(self.kind, self.value, self.units)


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """What is said of each field, in the order of the rule."""

    fields: tuple[AnsweredField, ...] = ()

    @property
    def against(self) -> tuple[Decision, str] | None:
        """The decision against the answer, and why; None if every exact field is right.
        What was expected is not told: reasons are shown to agents that try again."""
        for verdict, decision in (
            (FieldVerdict.MISSING, Decision.ANSWER_MISSING),
            (FieldVerdict.WRONG, Decision.ANSWER_WRONG),
        ):
            one = next((one for one in self.fields if one.verdict is verdict), None)
            if one is not None and verdict is FieldVerdict.MISSING:
                return decision, f"the answer lacks {one.name!r}"
            if one is not None:
                return decision, f"the answer's {one.name!r} is wrong: {one.value[:_SHOWN]!r}"
        return None

    @property
    def left_open(self) -> tuple[str, ...]:
        """The fields that only a judge may decide about."""
        return tuple(one.name for one in self.fields if one.verdict is FieldVerdict.NOT_JUDGED)


def assess(wanted: Sequence[WantedField], answer: str) -> Assessment:
    """Compare an answer field by field."""
    given = given_fields(answer, [one.name for one in wanted])
    return Assessment(fields=tuple(_answered(one, given) for one in wanted))


def _answered(wanted: WantedField, given: Mapping[str, str]) -> AnsweredField:
    value = given.get(wanted.name, "")
    if not value:
        verdict = FieldVerdict.MISSING
    elif wanted.criterion:
        verdict = FieldVerdict.NOT_JUDGED
    elif agrees(wanted.kind, wanted.value, value, units=wanted.units):
        verdict = FieldVerdict.RIGHT
    else:
        verdict = FieldVerdict.WRONG
    return AnsweredField(name=wanted.name, value=value, verdict=verdict, criterion=wanted.criterion)
