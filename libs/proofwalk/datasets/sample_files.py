"""Files of chat samples, in Parquet."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from proofwalk.datasets.chat_samples import ChatMessage, ChatSample
from proofwalk.kernel.errors import invalid, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.trajectories import schema

_ABOUT = b"proofwalk.samples"
_VERSION = 1
_BATCH = 256


def write_samples(path: Path, samples: Iterable[ChatSample], *, about: JsonObject) -> int:
    """Write a Parquet file of samples, whole or not at all, a batch at a time; returns
    how many. `about` says what they were made of. What the iterator raises passes
    through, and nothing is written then. Raises `data.no_samples`."""
    told = json.dumps({"version": _VERSION, **about}, ensure_ascii=False, sort_keys=True).encode()
    columns = pa.schema(
        [pa.field(name, schema.arrow_type(kind)) for name, kind in _columns()]
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
            raise not_found(
                "data.no_samples",
                "no step is worth learning",
                hint="`proofwalk data stats` says what each rule dropped",
            )
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _columns() -> list[tuple[str, Any]]:
    return [
        (name, tuple[ChatMessage, ...] if name == "messages" else int if name == "step" else str)
        for name in ChatSample.__dataclass_fields__
    ]


def read_samples(path: Path) -> tuple[dict[str, Any], list[ChatSample]]:
    """What the file says it was made of, and its samples. Raises `data.not_found`,
    `data.bad_samples`."""
    if not path.is_file():
        raise not_found(
            "data.not_found",
            f"there is no file {path}",
            hint="run: proofwalk data samples DIR --out FILE",
        )
    try:
        table = pq.read_table(path)
        about: dict[str, Any] = json.loads((table.schema.metadata or {})[_ABOUT])
        if int(about["version"]) != _VERSION:
            raise ValueError(f"version {about['version']}; this program reads {_VERSION}")
        return about, [schema.record_of(row, ChatSample) for row in table.to_pylist()]
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise invalid(
            "data.bad_samples",
            f"{path} is no file of samples: {error}",
            hint="write it again: proofwalk data samples",
        ) from error
