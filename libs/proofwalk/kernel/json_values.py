"""Types of JSON whose members nothing promises: what a caller, a page or another
program sends.

A document of known shape has a type of its own. The rest is a `JsonObject`, and its
reader looks at a member before it uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from typing_extensions import TypeAliasType

JsonValue = TypeAliasType(
    "JsonValue",
    "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None",
)
JsonObject: TypeAlias = Mapping[str, JsonValue]


def object_of(value: JsonValue) -> JsonObject:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def list_of(value: JsonValue) -> Sequence[JsonValue]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, (list, tuple)) else ()


def int_of(value: JsonValue) -> int:
    """Return `value` if it is a number, without its fraction, else 0."""
    return int(value) if isinstance(value, (int, float)) else 0


def number_of(value: JsonValue) -> float:
    """Return `value` if it is a number, else 0."""
    return value if isinstance(value, (int, float)) else 0.0


def text_or_none(value: JsonValue) -> str | None:
    """Return `value` if it is a text, else None."""
    return value if isinstance(value, str) else None


def number_or_none(value: JsonValue) -> float | None:
    """Return `value` if it is a number, else None."""
    return value if isinstance(value, (int, float)) else None
