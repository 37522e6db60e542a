"""Files of chat samples and of pairs of answers, in Parquet."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from proofwalk.datasets.chat_samples import ChatMessage, ChatSample, PreferencePair
from proofwalk.kernel.errors import invalid, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.trajectories import schema

_ABOUT = b"proofwalk.samples"
_VERSION = 1
_BATCH = 256


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """What a file holds."""

    command: str
    """Of `proofwalk data`, which writes it."""
    empty: str
    hint: str


_KINDS: Mapping[type[ChatSample], _Kind] = {
    ChatSample: _Kind(
        command="samples",
        empty="no step is worth learning",
        hint="`proofwalk data stats` says what each rule dropped",
    ),
    PreferencePair: _Kind(
        command="preferences",
        empty="no walk that failed left one that was verified",
        hint="collect more walks of the same tasks: --runs, other policies",
    ),
}
Written = TypeVar("Written", bound=ChatSample)


def write_samples(path: Path, samples: Iterable[ChatSample], *, about: JsonObject) -> int:
    """Write a Parquet file of samples, whole or not at all, a batch at a time; returns
    how many. `about` says what they were made of. What the iterator raises passes
    through, and nothing is written then. Raises `data.no_samples`."""
    return _write(path, samples, about, ChatSample)


def write_preferences(path: Path, pairs: Iterable[PreferencePair], *, about: JsonObject) -> int:
    """The same of pairs."""
    return _write(path, pairs, about, PreferencePair)


def read_samples(path: Path) -> tuple[JsonObject, list[ChatSample]]:
    """What the file says it was made of, and its samples. Raises `data.not_found`,
    `data.bad_samples`."""
    return _read(path, ChatSample)


def read_preferences(path: Path) -> tuple[JsonObject, list[PreferencePair]]:
    """The same of pairs."""
    return _read(path, PreferencePair)


def _write(path: Path, samples: Iterable[Written], about: JsonObject, kind: type[Written]) -> int:
    told = json.dumps({"version": _VERSION, **about}, ensure_ascii=False, sort_keys=True).encode()
    columns = pa.schema(
        [pa.field(name, schema.arrow_type(column)) for name, column in _columns(kind)]
    ).with_metadata({_ABOUT: told})
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    count, left = 0, iter(samples)
    try:
        with pq.ParquetWriter(partial, columns, compression="zstd") as file:
            while rows := [asdict(sample) for sample in itertools.islice(left, _BATCH)]:
                file.write_table(pa.Table.from_pylist(rows, schema=columns))
                count += len(rows)
        if not count:
            raise not_found("data.no_samples", _KINDS[kind].empty, hint=_KINDS[kind].hint)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _columns(kind: type[ChatSample]) -> list[tuple[str, Any]]:
    return [
        (name, tuple[ChatMessage, ...] if name == "messages" else int if name == "step" else str)
        for name in kind.__dataclass_fields__
    ]


def _read(path: Path, kind: type[Written]) -> tuple[JsonObject, list[Written]]:
    command = _KINDS[kind].command
    if not path.is_file():
        raise not_found(
            "data.not_found",
            f"there is no file {path}",
            hint=f"run: proofwalk data {command} DIR --out FILE",
        )
    try:
        table = pq.read_table(path)
        about: dict[str, Any] = json.loads((table.schema.metadata or {})[_ABOUT])
        if int(about["version"]) != _VERSION:
            raise ValueError(f"version {about['version']}; this program reads {_VERSION}")
        if set(table.column_names) != set(kind.__dataclass_fields__):
            raise ValueError(f"its columns are not those of {command}")
        return about, [schema.record_of(row, kind) for row in table.to_pylist()]
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise invalid(
            "data.bad_samples",
            f"{path} is no file of {command}: {error}",
            hint=f"write it again: proofwalk data {command}",
        ) from error
