"""Reads what a cloud says against a template, and tells which value is to blame
(AliyunConsoleAgent §4.2: generate, validate, mend).

The message names a resource and a code. A code names a parameter
(`InvalidInstanceType.ValueNotSupported`), a shortage of the zone
(`OperationDenied.NoStock`) or a name that is taken; the next value of that field is
tried. What names none of these is not mended by another value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proofwalk.authoring.catalogue import Field
from proofwalk.authoring.provider import Pair, snake
from proofwalk.authoring.resources import Resource, Tried

_BLAMED = re.compile(r"(?P<type>\w+)\.(?P<label>\w+) line \d+: (?:\w+ failed: )?(?P<code>[\w.]+):")
_SHORTAGE = re.compile(r"NoStock|SoldOut|Zone|ResourceNotAvailable")
_TAKEN = re.compile(r"Duplicate|AlreadyExist|Taken|EntityAlreadyExists")
_JUDGED = re.compile(r"^(?:Invalid|Incorrect|Unsupported|Missing)|(?:NotSupported?|NotFound)$")


MENDABLE = frozenset({"provision.create_failed", "provision.no_stock"})
"""Codes of failures that another value may mend."""
Place = tuple[str, str]
"""Kind and field."""


class Blamable(NamedTuple):
    """A resource that a message may name."""

    type: str
    label: str
    pair: Pair | None


def mended(message: str, resources: Sequence[Resource], tried: Tried) -> Tried | None:
    """The values to leave out in the next round; None where no value is to blame."""
    places = blamed(message, [Blamable(one.type.name, one.label, one.pair) for one in resources])
    if not places:
        return None
    return {**tried, **{place: tried.get(place, 0) + 1 for place in places}}


def blamed(message: str, resources: Sequence[Blamable]) -> frozenset[Place]:
    """The fields whose values a message blames."""
    return frozenset(_blamed(message, resources))


def _blamed(message: str, resources: Sequence[Blamable]) -> Iterator[Place]:
    for told in _BLAMED.finditer(message):
        resource = next(
            (one for one in resources if (one.type, one.label) == (told["type"], told["label"])),
            None,
        )
        if resource is None or resource.pair is None:
            continue
        kind = resource.pair.kind
        if _SHORTAGE.search(told["code"]):
            yield from _zones(resources)
        elif _TAKEN.search(told["code"]):
            yield kind.id, kind.name
        elif one := _named(told["code"], resource.pair):
            yield kind.id, one.id


def _zones(resources: Sequence[Blamable]) -> Iterator[Place]:
    """All that say a zone move together."""
    for resource in resources:
        for one in resource.pair.kind.fields.values() if resource.pair else ():
            if one.zoned:
                yield resource.pair.kind.id if resource.pair else "", one.id


def _named(code: str, pair: Pair) -> Field | None:
    """The field whose parameter the code names."""
    for part in code.split("."):
        words = set(snake(_JUDGED.sub("", part)).split("_")) - {""}
        if not words:
            continue
        for one in pair.kind.fields.values():
            parameter = set(snake(one.parameter).split("_"))
            if one.parameter and (words == parameter or words ^ parameter <= pair.type.words):
                return one
    return None
