"""The journal of an episode that is under way: appended to and synced step by step, so
that a crash loses at most the step under way.

A file is the magic, then frames: length and CRC-32 of the payload (little-endian, 4
bytes each), then the payload, JSON compressed with zstd. The first frame is the
episode, each further one a step. Whatever comes behind the first frame that is not
whole was being written when the process died, and is left out.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from proofwalk.kernel.json_values import JsonObject

_MAGIC = b"PWJ1"
_HEAD = struct.Struct("<III")
"""Length of the payload, length of the JSON in it, CRC-32 of the payload."""
_LARGEST = 256 * 1024 * 1024
SUFFIX = ".journal"


def text_of(entry: JsonObject) -> str:
    """An entry as JSON."""
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


class Journal:
    """Writes one journal. It holds no file open: nothing has to be closed when its
    process is stopped. Not for several threads at once."""

    def __init__(self, path: Path, episode: JsonObject) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_MAGIC)
        self.append(episode)

    def append(self, entry: JsonObject) -> None:
        """Write an entry and sync."""
        self.append_text(text_of(entry))

    def append_text(self, entry: str) -> None:
        """The same for an entry that is JSON already."""
        text = entry.encode("utf-8", "surrogatepass")
        payload: bytes = pa.Codec("zstd", compression_level=1).compress(text, asbytes=True)
        # Never created here: a journal that a successor has published and deleted stays
        # deleted.
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            with os.fdopen(file, "wb", closefd=False) as out:
                out.write(_HEAD.pack(len(payload), len(text), zlib.crc32(payload)) + payload)
            os.fsync(file)
        finally:
            os.close(file)


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """The episode and its steps as far as they were written whole; None when not even
    the episode was, or there is no file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    entries = list(_entries(data))
    return (entries[0], entries[1:]) if entries else None


def _entries(data: bytes) -> Iterator[dict[str, Any]]:
    if not data.startswith(_MAGIC):
        return
    position = len(_MAGIC)
    while position + _HEAD.size <= len(data):
        length, size, checksum = _HEAD.unpack_from(data, position)
        position += _HEAD.size
        payload = data[position : position + length]
        position += length
        if len(payload) < length or size > _LARGEST or zlib.crc32(payload) != checksum:
            return
        text: bytes = pa.Codec("zstd").decompress(payload, decompressed_size=size, asbytes=True)
        yield json.loads(text.decode("utf-8", "surrogatepass"))
