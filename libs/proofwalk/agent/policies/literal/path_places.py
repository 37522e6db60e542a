"""Entries of a path that stand for a thing: `Settings > Roles > [Role]`.

A guide writes in brackets what its reader puts in. An entry in brackets is such a place
where another entry of the path is none; a path whose entries are all in brackets is
written so throughout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from proofwalk.agent.reading.intents import THING, Intent, IntentKind

_PLACE = re.compile(r"\[[^\[\]]{2,60}\]|<[^<>]{2,60}>|\{[^{}]{2,60}\}")


def legs(intent: Intent) -> Iterator[Intent]:
    """Return a path as the ways between its places and the things to open there; any
    other intent as it is."""
    places = [_PLACE.fullmatch(entry) is not None for entry in intent.path]
    if not any(places) or all(places):
        yield intent
        return
    way: list[str] = []
    for entry, is_place in zip(intent.path, places, strict=True):
        if not is_place:
            way.append(entry)
            continue
        if way:
            yield replace(intent, path=tuple(way))
        way = []
        yield replace(
            intent, kind=IntentKind.OPEN_ROW, path=(), phrase=entry, noun=THING, scopes=()
        )
    if way:
        yield replace(intent, kind=IntentKind.CLICK, path=tuple(way))
