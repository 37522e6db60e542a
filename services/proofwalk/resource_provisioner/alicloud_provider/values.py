"""Terraform's values: unknowns, the msgpack wire form, and types that come as JSON
(`"string"`, `["map","string"]`).

`UNKNOWN` stands for a value that is only known after apply. `shaped` brings what an API
answered into the form that an attribute's type asks for, because APIs say "40" where a
schema says number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import msgpack

from proofwalk.api.tfplugin.v6 import tfplugin6_pb2 as pb


class _Unknown:
    """The one value that is not known yet; copying it gives itself."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __copy__(self) -> _Unknown:
        return self

    def __deepcopy__(self, memo: object) -> _Unknown:
        return self

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false")


UNKNOWN: Final = _Unknown()


def _extension(code: int, data: bytes) -> Any:
    # Code 0 is an unknown value; code 12 an unknown value with refinements, which a
    # provider may ignore.
    return UNKNOWN if code in (0, 12) else msgpack.ExtType(code, data)


def _pack(value: Any) -> Any:
    if value is UNKNOWN:
        return msgpack.ExtType(0, b"\x00")
    raise TypeError(f"no wire form for {type(value).__name__}")


def decode(value: pb.DynamicValue) -> Any:
    """The value in a message; None where there is none."""
    if value.msgpack:
        return msgpack.unpackb(value.msgpack, ext_hook=_extension, strict_map_key=False)
    if value.json:
        return json.loads(value.json)
    return None


def encode(value: Any) -> pb.DynamicValue:
    """A message that holds the value; None is an explicit null."""
    return pb.DynamicValue(msgpack=msgpack.packb(value, default=_pack))


def known(value: Any) -> Any:
    """The value with every unknown in it replaced by null: what may stand in a
    state."""
    if value is UNKNOWN:
        return None
    if isinstance(value, Mapping):
        return {key: known(item) for key, item in value.items()}
    if isinstance(value, list):
        return [known(item) for item in value]
    return value


def shaped(type_: Any, value: Any) -> Any:
    """`value` in the form of a Terraform type; unknown and null stay what they are."""
    if value is None or value is UNKNOWN:
        return value
    if isinstance(type_, list):
        kind, of = type_[0], type_[1]
        if kind in ("list", "set"):
            return [shaped(of, item) for item in value]
        if kind == "map":
            return {str(key): shaped(of, item) for key, item in value.items()}
        return {name: shaped(inner, value.get(name)) for name, inner in of.items()}
    if type_ == "string":
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value)
    if type_ == "bool":
        return value if isinstance(value, bool) else str(value).lower() == "true"
    if type_ == "number":
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        number = float(str(value))
        return int(number) if number.is_integer() else number
    return value


def seconds_of(text: Any, default: float) -> float:
    """`"10m"`, `"90s"`, `"1h30m"` as seconds: how `timeouts` blocks are written."""
    if not isinstance(text, str) or not text:
        return default
    total, digits = 0.0, ""
    for character in text.strip():
        if character.isdigit() or character == ".":
            digits += character
        elif character in "hms" and digits:
            total += float(digits) * {"h": 3600, "m": 60, "s": 1}[character]
            digits = ""
        else:
            return default
    return default if digits or total <= 0 else total
