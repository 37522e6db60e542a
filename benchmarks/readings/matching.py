"""Whether one step that was read is one thing that a label asks for.

The tolerances (T2 …) are numbered as in `alignment`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.readings.labels import Unit
from benchmarks.readings.phrases import (
    field_words,
    head,
    is_example,
    marked,
    norm,
    same,
    share,
    share_field,
    share_head,
    words,
)
from benchmarks.readings.product import Read

_STATES = {
    "on": True,
    "yes": True,
    "true": True,
    "enabled": True,
    "off": False,
    "no": False,
    "false": False,
    "disabled": False,
}
_ROWS = ("locate", "open_row", "select_row")
_SEEN = ("wait", "expect_status", "expect_text", "expect_row", "expect_value")


def matches(unit: Unit, read: Read, text: str, before: Sequence[Read]) -> bool:
    """Whether `read` is `unit`. `text` is the item's.

    `before` was read earlier in the item; one of it may have opened the field.
    """
    opened = bool(unit.field) and any(
        same(unit.field, one.label or one.value or "") and opens(one) and one.kind != "navigate"
        for one in before
    )
    ways = (unit, *unit.alternatives)
    return any(_is(_Pair(unit=way, read=read, text=text, opened=opened)) for way in ways)


def opens(read: Read) -> bool:
    """Whether a step may open a field or a place: a click, or a choice by name."""
    return read.kind in ("click", "navigate") or (read.kind == "set" and not read.label)


def by_field_name(unit: Unit, read: Read) -> bool:
    """An open choice read as a choice by the name of its field (T5)."""
    return (
        unit.do == "select"
        and not unit.label
        and unit.value is None
        and bool(unit.field)
        and read.kind == "set"
        and not read.label
        and same(unit.field, read.value or "")
    )


def exactness(unit: Unit, read: Read) -> float:
    """More for the very words, less for a choice by the name of its field."""
    if by_field_name(unit, read):
        return -0.02
    value = unit.value is not None and same(unit.value, read.value or "")
    return 0.01 * (same(unit.field, read.label) + same(unit.label, read.label) + value)


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """A thing asked for beside a step that was read."""

    unit: Unit
    read: Read
    text: str
    opened: bool
    """An earlier step opened the field."""

    @cached_property
    def bold(self) -> list[str]:
        """Words of the text with markup."""
        return marked(self.text)

    @cached_property
    def named(self) -> str:
        """The label that was read, or the value of a choice by name."""
        if self.read.kind != "set":
            return self.read.label
        return "" if self.read.label else self.read.value or ""

    @cached_property
    def marked(self) -> bool:
        """The label stands in the text with markup: then it has to be read as it is."""
        return bool(self.unit.label) and norm(self.unit.label) in self.bold

    @cached_property
    def thing(self) -> bool:
        """The step speaks of the thing that the label describes (T3)."""
        unit, read = self.unit, self.read
        spoken = read.label or read.value or ""
        pressed = read.kind in ("click", "navigate", "check") and bool(spoken)
        if pressed and norm(spoken) in self.bold:
            return False
        return bool(unit.object) and share_head(unit.object, read.said())

    @property
    def hit(self) -> bool:
        """The label was read."""
        if not self.unit.label:
            return False
        loose = not self.marked and bool(self.named) and share(self.unit.label, self.named)
        return same(self.unit.label, self.named) or loose

    @property
    def field_bold(self) -> bool:
        return bool(self.unit.field) and norm(self.unit.field) in self.bold

    @property
    def field_same(self) -> bool:
        """The field of a fill or a choice was read (T3)."""
        unit, read = self.unit, self.read
        places = [
            label
            for kind, label in read.scopes
            if kind == "field" or (kind == "section" and unit.do == "select")
        ]
        said = " ".join((read.label, read.phrase, *places))
        if self.field_bold:
            exact = any(same(unit.field, label) for label in (read.label, *places))
            return exact or field_words(unit.field) <= field_words(said)
        return share_field(f"{unit.field} {unit.object}", said)

    @property
    def field_open(self) -> bool:
        """An earlier step opened the field, and this one speaks of the thing."""
        return self.opened and share_field(self.unit.object, self.read.said())

    def is_given(self, value: str) -> bool:
        """A value read is an example of the text, or in the description (T4)."""
        described = self.unit.described
        example = self.read.example or is_example(value, self.text)
        return example or bool(described and norm(value) in norm(described))


def _is(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    unlabelled = unit.do in ("click", "row_action") and not unit.label
    described = unlabelled and read.kind in ("click", "set") and bool(pair.named)
    if described and _named_in(pair.named, unit.object):
        return True
    in_place = (
        read.kind == "set"
        and read.value is not None
        and same(unit.label, read.value)
        and (not read.label or same(unit.scope.label, read.label))
    )
    if in_place and unit.do in ("click", "navigate", "check", "select") and not unit.field:
        return True
    rule = _RULES.get(unit.do)
    return rule is not None and rule(pair)


def _named_in(named: str, thing: str) -> bool:
    if not thing or norm(named) not in norm(head(thing)):
        return False
    return norm(named) in norm(thing) or set() < words(named) <= words(thing)


def _click(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    chosen = read.kind == "set" and read.value is not None
    if not unit.label:
        return read.kind in ("click", "navigate", "set") and pair.thing and not chosen
    if read.kind == "log_on":
        console = re.search(r"\b(?:console|portal|center)$", unit.label, re.I)
        its = bool(console) and (not read.label or share(read.label, unit.label))
        return unit.do == "navigate" and ((pair.hit and bool(read.target)) or its)
    if chosen and read.label:
        placed = any(kind == "field" for kind, _ in read.scopes) or bool(unit.scope.kind)
        return same(unit.label, read.value or "") and placed
    if read.kind == "open_row":
        loose = not pair.marked and share(unit.label, read.said())
        return same(unit.label, read.label) or loose
    keyed = read.kind == "key" and unit.label in ("Enter", "Esc")
    return (read.kind in ("click", "navigate", "set") or keyed) and pair.hit


def _row(pair: _Pair) -> bool:
    said = pair.read.said()
    spoken = not pair.unit.object or share_head(pair.unit.object, said) or not said
    return pair.read.kind in _ROWS and spoken


def _open_row(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    pressed = read.kind in ("set", "click", "navigate")
    hit = bool(unit.label) and same(unit.label, pair.named or read.label)
    if hit and (read.kind == "open_row" or pressed):
        return True
    row = read.kind in ("open_row", "select_row")
    return (row or pressed) and (pair.thing or (row and not words(read.said())))


def _select(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    if unit.label or unit.value is not None:
        return _select_named(pair, unit.label or unit.value or "")
    if read.kind in _ROWS:
        if pair.field_bold or re.match(r"(?:how|whether|what|when)\b", unit.object):
            return False
        return pair.thing or not words(read.said())
    if by_field_name(unit, read):
        return True
    if read.kind != "set":
        return read.kind in ("click", "check") and pair.thing
    if read.value is not None:
        known = unit.value_kind == "example" or norm(read.value) in norm(unit.described)
        if not known and not pair.is_given(read.value):
            return False
        if not read.label:
            return True
    return pair.field_same or pair.field_open


def _select_named(pair: _Pair, option: str) -> bool:
    unit, read = pair.unit, pair.read
    if read.kind == "set":
        if read.value is not None and same(option, read.value):
            return not read.label or not unit.field or pair.field_same
        return unit.value_kind == "example" and read.value is None and pair.field_same
    if read.kind == "check":
        on = option.casefold() in ("yes", "on", "enabled")
        field_named = bool(unit.field) and same(unit.field, read.label) and read.checked == on
        return (same(option, read.label) and read.checked) or field_named
    rows = read.kind in ("select_row", "open_row") and read.value is None
    if rows and unit.value is not None and not unit.label and pair.thing:
        return True
    return read.kind in ("click", "navigate") and same(option, read.label)


def _fill(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    if unit.do == "search" and read.kind == "locate":
        return pair.thing
    if read.kind != "set":
        return False
    if unit.value is not None and unit.value_kind == "literal":
        if read.value is None or not same(unit.value, read.value):
            return False
        return not unit.field or not read.label or pair.field_same
    if read.value is not None:
        if unit.value is not None and not same(unit.value, read.value):
            return False
        if unit.value is None and not pair.is_given(read.value):
            return False
        if unit.described and not read.label and same(unit.described, read.value):
            return True
    if pair.field_bold:
        return pair.field_same or pair.field_open
    places = " ".join(label for _, label in read.scopes)
    return share_field(f"{unit.field} {unit.object}", f"{read.said()} {places}")


def _check(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    if not unit.label:
        chosen = read.kind == "select_row" and (pair.thing or not words(read.said()))
        return chosen or (read.kind in ("check", "click") and read.checked and pair.thing)
    if read.kind == "check":
        loose = not pair.marked and share(unit.label, read.label)
        return read.checked and (same(unit.label, read.label) or loose)
    if read.kind == "set":
        if not read.label:
            return same(unit.label, read.value or "")
        return same(unit.label, read.label) and read.value is None
    return read.kind == "click" and same(unit.label, read.label)


def _uncheck(pair: _Pair) -> bool:
    read = pair.read
    return read.kind == "check" and not read.checked and same(pair.unit.label, read.label)


def _toggle(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    wanted = _STATES.get((unit.value or "").casefold())
    if read.kind == "check":
        if read.checked != (read.checked if wanted is None else wanted):
            return False
        return same(unit.label, read.label) if unit.label else share(unit.object, read.said())
    if read.kind != "set":
        return False
    if not read.label and wanted and same(unit.label, read.value or ""):
        return True
    state = _STATES.get((read.value or "").casefold())
    return same(unit.label or unit.field, read.label) and wanted is not None and state is wanted


def _upload(pair: _Pair) -> bool:
    read = pair.read
    pressed = read.kind in ("click", "set") and same(pair.unit.label, pair.named)
    return read.kind == "upload" or pressed


def _press_key(pair: _Pair) -> bool:
    return pair.read.kind in ("key", "click") and share(pair.unit.value or "", pair.read.label)


def _goto_url(pair: _Pair) -> bool:
    unit, read = pair.unit, pair.read
    if read.kind not in ("navigate", "log_on", "set", "click") or not unit.value:
        return False
    address = norm(unit.value)
    spoken = [part for part in (read.label, read.value or "", read.target) if part]
    return any(address in norm(x) or (norm(x) and norm(x) in address) for x in spoken)


def _read_as(*kinds: str) -> Callable[[_Pair], bool]:
    return lambda pair: pair.read.kind in kinds


_RULES: Mapping[str, Callable[[_Pair], bool]] = {
    "click": _click,
    "navigate": _click,
    "row_action": _click,
    "row": _row,
    "open_row": _open_row,
    "select": _select,
    "fill": _fill,
    "confirm_typed": _fill,
    "search": _fill,
    "check": _check,
    "uncheck": _uncheck,
    "toggle": _toggle,
    "upload": _upload,
    "press_key": _press_key,
    "goto_url": _goto_url,
    "hover": _read_as("hover"),
    "drag": _read_as("drag"),
    "copy": _read_as("copy"),
    "sign_in": _read_as("log_on"),
    "wait": _read_as(*_SEEN),
}
"""How each act may be read (T2, T8)."""
