"""Answers to information tasks, and when a field of one is the expected one. Pure.

RiskWebWorld (§3.2, §5.1) asks for named fields in a format that the task states. A
field that requires exact information is right when it equals the expected value; a
judge decides about free text alone. Equal is what a reader takes for the same value:
full-width forms, case, white space, quotes around a value and thousands separators do
not count, and neither does the order of a set. All else does: nothing is searched for
inside of a sentence, and two values in place of one are wrong.

`given_fields` reads what an agent said, `agrees` compares one field.
`reward_service.expected_answers` holds what a rule expects.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

MAX_ANSWER = 4000
"""Characters of an answer."""
FIELD_NAME = r"^[a-z][a-z0-9_]{0,39}$"


class ValueKind(StrEnum):
    """How a field's value is compared."""

    TEXT = "text"
    NUMBER = "number"
    """By value; a unit may stand behind it."""
    SET = "set"
    """Items in any order, each once."""
    LIST = "list"
    """Items in their order."""


class FieldVerdict(StrEnum):
    """What is said of one field of an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSING = "missing"
    NOT_JUDGED = "not_judged"
    """Free text about which no two judges agree, or that none was asked about."""


@dataclass(frozen=True, kw_only=True)
class AnsweredField:
    """One field that was asked for, with what was answered."""

    name: str
    value: str
    verdict: FieldVerdict
    criterion: str = ""
    """What free text has to say; empty for an exact field."""


_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』`", '"') | dict.fromkeys("‘’‚‛´", "'"))
_SEPARATORS = re.compile(r"[,;|、\n]")
_NUMBER = re.compile(r"(?P<digits>[+-]?(?:\d{1,3}(?:[, _']\d{3})+|\d+)(?:\.\d+)?)\s*(?P<unit>.*)")
_LINE = re.compile(r"\s*[-*]?\s*(?P<name>[^:=：]{1,80}?)\s*[:=：]\s*(?P<value>.*)")


def normalised(text: str) -> str:
    """Return a text as it is compared: NFKC, one case, single spaces, no quotes around
    it."""
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    # Folding may leave a sequence that NFKC would compose.
    plain = " ".join(unicodedata.normalize("NFKC", folded).split())
    while len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1].strip()
    return plain


def given_fields(text: str, names: Sequence[str]) -> Mapping[str, str]:
    """Return the fields of an answer, of those that are asked for by `names`: members
    of a JSON object, else lines `name: value`. Where one field is asked for, an answer
    without its name is its value. A field that is given twice has both values."""
    found = _members(text)
    if found is None:
        found = [
            (line["name"], line["value"])
            for line in map(_LINE.fullmatch, text.splitlines())
            if line is not None
        ]
    by_name: dict[str, list[str]] = {}
    for name, value in found:
        by_name.setdefault(_as_name(name), []).append(value.strip())
    given = {name: "\n".join(dict.fromkeys(by_name[name])) for name in names if name in by_name}
    if not given and len(names) == 1 and text.strip():
        return {names[0]: text.strip()}
    return given


def _members(text: str) -> list[tuple[str, str]] | None:
    """Return the members of a JSON object; None for any other text."""
    try:
        read = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    return [(name, _as_text(value)) for name, value in read.items() if value is not None]


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _as_name(text: str) -> str:
    return re.sub(r"[\s-]+", "_", normalised(text.replace("*", "")))


def agrees(
    kind: ValueKind, expected: str | Sequence[str], given: str, *, units: Sequence[str] = ()
) -> bool:
    """Whether a given value is the expected one. Of a number, `units` are the spellings
    of its unit; a unit that is left out is the one that the question names."""
    match kind:
        case ValueKind.TEXT:
            return normalised(_whole(expected)) == normalised(given)
        case ValueKind.NUMBER:
            wanted, told = _number(_whole(expected), units), _number(given, units)
            return wanted is not None and wanted == told
        case ValueKind.SET:
            return set(_items(expected)) == set(_items(given))
        case ValueKind.LIST:
            return _items(expected) == _items(given)


def says_something(kind: ValueKind, expected: str | Sequence[str], units: Sequence[str]) -> bool:
    """Whether an expected value can be told from an empty answer, and is a number where
    it has to be one."""
    if kind is ValueKind.NUMBER:
        return _number(_whole(expected), units) is not None
    return bool(_items(expected) if kind in (ValueKind.SET, ValueKind.LIST) else _whole(expected))


def _whole(expected: str | Sequence[str]) -> str:
    return normalised(expected if isinstance(expected, str) else ", ".join(expected))


def _number(text: str, units: Sequence[str]) -> Decimal | None:
    """Return the number that a text writes; None for another unit, or no number."""
    found = _NUMBER.fullmatch(normalised(text))
    if found is None:
        return None
    unit = found["unit"].strip()
    if unit and unit not in {normalised(one) for one in units}:
        return None
    return Decimal(re.sub(r"[, _']", "", found["digits"]))


def _items(value: str | Sequence[str]) -> list[str]:
    if isinstance(value, str):
        value = _listed(value)
    return [one for one in map(normalised, value) if one]


def _listed(text: str) -> Sequence[str]:
    """Return the items of a JSON list, or of a text with separators between them."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if plain.startswith("["):
        try:
            read = json.loads(plain)
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, list):
            return [_as_text(one) for one in read]
    return _SEPARATORS.split(plain.removeprefix("[").removesuffix("]"))
