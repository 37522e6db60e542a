"""Records of a log as columns: each path that leads to a value, with the values of all
records. Pure.

Paths are those of `field_mapping`: dotted, a number for the first entry of a list, a
dot inside a key escaped. JSON text of an object counts as that object, but is not
followed, since a mapping cannot follow it either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proofwalk.kernel.json_values import JsonObject

_DEEPEST = 6
_JOINTS = re.compile(r"[^a-z0-9]")


@dataclass(frozen=True, kw_only=True)
class Column:
    """The values at one path."""

    path: str
    values: Sequence[object]
    """Of the records that have one, in their order; neither null nor empty text."""
    share: float
    """Share of the records that have one."""

    @property
    def depth(self) -> int:
        """Return how many keys the path has."""
        return len(_keys(self.path))

    @property
    def names(self) -> Sequence[str]:
        """Return what the column is called: its key, the key before it, and both; in
        small letters, without joints."""
        keys = [_JOINTS.sub("", key.lower()) for key in _keys(self.path)]
        return keys[-1], "".join(keys[-2:]), *keys[-2:-1]

    def rank(self, words: Sequence[str]) -> int:
        """Return the position among `words` of the first that the column is called by;
        their number if it is called otherwise."""
        return next(
            (words.index(name) for name in self.names if name in words),
            len(words),
        )


def columns(records: Sequence[JsonObject]) -> Sequence[Column]:
    """Return the columns with plain values, shallow ones first."""
    return _gathered(records, objects=False)


def objects(records: Sequence[JsonObject]) -> Sequence[Column]:
    """Return the columns with objects, or JSON text of one; shallow ones first."""
    return _gathered(records, objects=True)


def list_path(answer: object) -> str | None:
    """Return the path of the longest list of objects in an endpoint's answer: empty if
    the answer is the list, None if there is none."""
    lists = {path: len(items) for path, items in _lists(answer, "", 0)}
    return min(lists, key=lambda path: (-lists[path], len(_keys(path))), default=None)


def _lists(value: object, path: str, depth: int) -> Iterator[tuple[str, list[object]]]:
    if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        yield path, value
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for key, inner in value.items():
            if key:
                yield from _lists(inner, _joined(path, str(key)), depth + 1)


def _gathered(records: Sequence[JsonObject], *, objects: bool) -> Sequence[Column]:
    by_path: dict[str, list[object]] = {}
    for record in records:
        for path, value in _walk(record, "", 0):
            if _is_object(value) == objects and value not in (None, "", {}):
                by_path.setdefault(path, []).append(value)
    gathered = [
        Column(path=path, values=values, share=len(values) / len(records))
        for path, values in by_path.items()
    ]
    return sorted(gathered, key=lambda column: (column.depth, column.path))


def _walk(value: object, path: str, depth: int) -> Iterator[tuple[str, object]]:
    if path and not isinstance(value, list):
        yield path, value
    if depth >= _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key:
                yield from _walk(inner, _joined(path, str(key)), depth + 1)
    elif isinstance(value, list) and value:
        yield from _walk(value[0], _joined(path, "0"), depth + 1)


def _joined(path: str, key: str) -> str:
    escaped = key.replace(".", "\\.")
    return f"{path}.{escaped}" if path else escaped


def _keys(path: str) -> list[str]:
    return path.replace("\\.", "\0").split(".")


def _is_object(value: object) -> bool:
    if isinstance(value, str) and value.startswith("{"):
        try:
            return isinstance(json.loads(value), dict)
        except json.JSONDecodeError:
            return False
    return isinstance(value, Mapping)
