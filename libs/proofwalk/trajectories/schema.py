"""How the records lie in a Parquet file.

One row is one `StepRecord`. Columns follow from the types by one rule, so that the file
says what the program says: text and enumerations are strings, `int` is int64, `float`
is double, moments are UTC timestamps in microseconds, a dataclass is a struct, tuples
and frozen sets are lists (sets sorted), `X | None` is nullable, a type that the rule
does not know is JSON text. `bytes` are not stored: pictures are content addresses. The
file's metadata holds, under `proofwalk.trajectory`, a JSON object `{schema_version,
episode, ending}` (`EpisodeRecord`, `EndingRecord`). Compression is zstd.

A reader takes the default of a column that a file does not have and passes over one
that it does not know, so adding a field with a default keeps `SCHEMA_VERSION`; renaming
one, taking one away or changing its meaning or type raises it.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

import pyarrow as pa
import pyarrow.parquet as pq

from proofwalk.kernel.clock import isoformat, parse_moment
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.trajectories.records import EndingRecord, EpisodeRecord, StepRecord

R = TypeVar("R")
SCHEMA_VERSION = 2
METADATA_KEY = b"proofwalk.trajectory"
_COMPRESSION = 3
_SCALARS = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    datetime: pa.timestamp("us", tz="UTC"),
}


@cache
def _fields(record: type) -> tuple[tuple[str, Any, bool], ...]:
    """Name, type and whether it may be left out, of every stored field."""
    hints = typing.get_type_hints(record)
    return tuple(
        (
            field.name,
            hints[field.name],
            field.default is not dataclasses.MISSING
            or field.default_factory is not dataclasses.MISSING,
        )
        for field in dataclasses.fields(record)
        if hints[field.name] is not bytes
    )


def _optional(hint: Any) -> Any:
    """`X` of `X | None`; None when it is not of that form."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        rest = [part for part in typing.get_args(hint) if part is not type(None)]
        return rest[0] if len(rest) == 1 and len(typing.get_args(hint)) == 2 else None
    return None


def _items(hint: Any) -> Any:
    """`X` of a tuple or frozen set of `X`; None when it is neither, or mixes types."""
    if typing.get_origin(hint) in (tuple, frozenset):
        kinds = {part for part in typing.get_args(hint) if part is not Ellipsis}
        return kinds.pop() if len(kinds) == 1 else None
    return None


def arrow_type(hint: Any) -> Any:
    """The column type of a Python type."""
    if (inner := _optional(hint)) is not None:
        return arrow_type(inner)
    if (item := _items(hint)) is not None:
        return pa.list_(arrow_type(item))
    if dataclasses.is_dataclass(hint):
        return pa.struct(
            [pa.field(name, arrow_type(kind)) for name, kind, _ in _fields(cast(type, hint))]
        )
    return _SCALARS.get(hint, pa.string())


@cache
def arrow_schema() -> Any:
    """The schema of the file's rows."""
    return pa.schema([pa.field(name, arrow_type(kind)) for name, kind, _ in _fields(StepRecord)])


Convert = Callable[[Any], Any]


def _record_writer(fields: Sequence[tuple[str, Convert | None]]) -> Convert:
    """From a dataclass to a dictionary; most fields are what they are already."""
    names = [name for name, _ in fields]
    converted = [(name, convert) for name, convert in fields if convert is not None]
    read = attrgetter(*names) if len(names) > 1 else (lambda value: (getattr(value, names[0]),))

    def write(value: Any) -> dict[str, Any]:
        plain = dict(zip(names, read(value), strict=True))
        for name, convert in converted:
            plain[name] = convert(plain[name])
        return plain

    return write


@cache
def _writer(hint: Any) -> Convert | None:
    """What turns a value of this type into what JSON can hold, moments as ISO 8601;
    None when it is that already.

    A step has thousands of values: what is to be done for a type is found out once.
    """
    if (inner := _optional(hint)) is not None:
        some = _writer(inner)
        return None if some is None else lambda value: None if value is None else some(value)
    if (item := _items(hint)) is not None:
        one, put = _writer(item), sorted if typing.get_origin(hint) is frozenset else list
        return put if one is None else lambda value: put([one(each) for each in value])
    if dataclasses.is_dataclass(hint):
        return _record_writer(
            [(name, _writer(kind)) for name, kind, _ in _fields(cast(type, hint))]
        )
    if hint is datetime:
        return isoformat
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda value: value.value
    if hint in _SCALARS or typing.get_origin(hint) is typing.Literal:
        return None
    return lambda value: json.dumps(value, ensure_ascii=False, default=str)


@cache
def _mover(hint: Any) -> Convert | None:
    """What turns a plain form into what the columns take: moments as moments; None when
    there are none in it."""
    if (inner := _optional(hint)) is not None:
        some = _mover(inner)
        return None if some is None else lambda plain: None if plain is None else some(plain)
    if (item := _items(hint)) is not None:
        one = _mover(item)
        return None if one is None else lambda plain: [one(each) for each in plain]
    if dataclasses.is_dataclass(hint):
        moved = [
            (name, move)
            for name, kind, _ in _fields(cast(type, hint))
            if (move := _mover(kind)) is not None
        ]
        return (
            (
                lambda plain: {
                    **plain,
                    **{name: move(plain[name]) for name, move in moved if name in plain},
                }
            )
            if moved
            else None
        )
    return parse_moment if hint is datetime else None


def from_plain(plain: Any, hint: Any) -> Any:
    """A value of this type from its plain form, or from what a Parquet row gives."""
    if (inner := _optional(hint)) is not None:
        return None if plain is None else from_plain(plain, inner)
    if (item := _items(hint)) is not None:
        return typing.get_origin(hint)(from_plain(one, item) for one in plain or ())
    if dataclasses.is_dataclass(hint):
        record = cast(type, hint)
        values = {
            name: from_plain(plain[name], kind)
            for name, kind, defaulted in _fields(record)
            if name in plain and not (plain[name] is None and defaulted and _optional(kind) is None)
        }
        return record(**values)
    if hint is datetime:
        return parse_moment(plain) if isinstance(plain, str) else plain.astimezone(UTC)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(plain)
    if hint in _SCALARS or typing.get_origin(hint) is typing.Literal:
        return plain
    return json.loads(plain)


def record_of(plain: Mapping[str, object], record: type[R]) -> R:
    """One record from its plain form. Raises what a wrong form raises: `TypeError`,
    `KeyError`, `ValueError`."""
    return cast(R, from_plain(plain, record))


def plain_of(record: object) -> dict[str, Any]:
    """One record as its plain form."""
    write = _writer(cast(Hashable, type(record)))
    assert write is not None, "records are dataclasses"
    return cast(dict[str, Any], write(record))


def write(episode: JsonObject, steps: Sequence[JsonObject], ending: EndingRecord) -> bytes:
    """The file of an episode: `episode` and `steps` in their plain form."""
    about = {"schema_version": SCHEMA_VERSION, "episode": episode, "ending": plain_of(ending)}
    schema = arrow_schema().with_metadata(
        {METADATA_KEY: json.dumps(about, ensure_ascii=False).encode()}
    )
    move = _mover(StepRecord)
    rows = [move(step) if move is not None else step for step in steps]
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.Table.from_pylist(rows, schema=schema),
        sink,
        compression="zstd",
        compression_level=_COMPRESSION,
    )
    return cast(bytes, sink.getvalue().to_pybytes())


def read_about(file: Any) -> tuple[EpisodeRecord, EndingRecord]:
    """What a `pyarrow.parquet.ParquetFile` says about its episode. Raises
    `trajectory.unreadable`, `trajectory.newer_schema`."""
    try:
        about = json.loads((file.schema_arrow.metadata or {})[METADATA_KEY])
        version = int(about["schema_version"])
        if version > SCHEMA_VERSION:
            raise invalid(
                "trajectory.newer_schema",
                f"the file has schema version {version}; this program reads versions up to"
                f" {SCHEMA_VERSION}",
                hint="read it with the release that wrote it, or a later one",
            )
        return record_of(about["episode"], EpisodeRecord), record_of(about["ending"], EndingRecord)
    except (KeyError, TypeError, ValueError) as error:
        raise invalid(
            "trajectory.unreadable",
            f"the Parquet file does not say which episode it is of: {type(error).__name__}",
            hint="is it a trajectory of Proofwalk?",
        ) from error
