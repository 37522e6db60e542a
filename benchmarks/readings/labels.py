"""Labelled items: what a sentence asks a person to do.

The fields are those of `../shared/data/readings/README.md`, told in README.md beside
this module.

`units` cuts the acts of a label into the things that a reading has to have one by one:
each label of a path is one, and an act on a row is two, the row and its control.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.kernel.errors import invalid

_CONTROL = (
    r"(?:icons?|ellipsis|(?:three|vertical|horizontal) dots?|button|link|gear|pencil|arrow|⋮|menu)"
)
_CONTROL_OF_ROW = re.compile(
    rf"(?P<control>.*?\b{_CONTROL}\b.*?)\s+(?:of|for|next to|beside|in|on|at|to the right of)\s+"
    r"(?P<row>.+)",
    re.I,
)
_THINGS = frozenset({"select", "fill", "search", "confirm_typed", "check"})


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class Scope(_Part):
    """Where the text says that the target lies."""

    kind: str = ""
    label: str = ""


NOWHERE = Scope()


class Act(_Part):
    """One act of a label."""

    do: str
    labels: tuple[str, ...] = ()
    value: str | None = None
    value_kind: str = ""
    field: str = ""
    scope: Scope = NOWHERE
    object: str = ""
    target: str = ""
    optional: bool = False
    alternatives: tuple[Act, ...] = ()


class Item(_Part):
    """A sentence or list item with its label."""

    id: str
    text: str
    kind: str
    optional: bool = False
    condition: str = ""
    acts: tuple[Act, ...] = ()
    expects: tuple[str, ...] = ()
    note: str = ""


def read_items(path: Path) -> tuple[Item, ...]:
    """The items of a JSON-lines file; raises `readings.bad_label` with the line."""
    items = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            items.append(Item.model_validate_json(line))
        except ValidationError as error:
            raise invalid(
                "readings.bad_label",
                f"{path.name}, line {number}, is no labelled item: {error.errors()[0]['msg']}",
                hint="The README.md beside the file has the fields of an item.",
            ) from error
    return tuple(items)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One thing that a label asks for. `do` is an act's, or `row` for an act's row."""

    do: str
    label: str = ""
    value: str | None = None
    value_kind: str = ""
    field: str = ""
    object: str = ""
    scope: Scope = NOWHERE
    optional: bool = False
    described: str = ""
    """A value that the text only describes; `value` is then None."""
    alternatives: tuple[Unit, ...] = ()

    def __str__(self) -> str:
        told = self.do + (f" {self.label!r}" if self.label else "")
        told += f" field {self.field!r}" if self.field else ""
        told += f" = {self.value!r}" if self.value is not None and self.value != self.label else ""
        told += f" <{self.object}>" if self.object else ""
        told += " ?" if self.optional else ""
        return told + "".join(f" | {other}" for other in self.alternatives)


def units(acts: Sequence[Act]) -> list[Unit]:
    """The things that these acts ask for, in order."""
    return [unit for act in acts for unit in _units(act)]


def _units(act: Act) -> list[Unit]:
    value, described, thing = act.value, "", act.object
    if act.do in _THINGS and act.value_kind in ("described", "free") and value is not None:
        described, value = value, None
        thing = " ".join(part for part in (described, thing) if part)

    def unit(do: str, **more: object) -> Unit:
        fields: dict[str, object] = {
            "value": value,
            "value_kind": act.value_kind,
            "field": act.field,
            "scope": act.scope,
            "optional": act.optional,
            "described": described,
        }
        return Unit(do=do, **{**fields, **more})  # type: ignore[arg-type]

    others = tuple(units(act.alternatives))
    last = act.labels[-1] if act.labels else ""
    if act.do == "row_action":
        split = _CONTROL_OF_ROW.match(thing)
        row = split["row"] if split else thing
        if act.scope.kind == "row" and act.scope.label:
            row = f"{act.scope.label} {row}"
        control = unit("click", label=last, object=act.target or thing, alternatives=others)
        return [unit("row", object=row), control]
    path = act.labels[:-1] if act.do in ("click", "navigate") else ()
    way = [unit(act.do, label=label) for label in path]
    return [*way, unit(act.do, label=last, object=thing, alternatives=others)]
