"""Records of files: JSON lines, and text lines that a pattern takes apart.

A file that was rotated goes on beside itself: `audit.log.1`, `audit.log-20260101.gz`.
Those last written to since the window began are read first, the oldest first. The last
line of the file itself, without a line end, is still being written and is left out.
What is read is bounded over all files, unpacked.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from proofwalk.chassis.patterns import compile_pattern
from proofwalk.kernel.errors import ProofwalkError, unavailable

MAX_LOG_BYTES = 256 * 1024 * 1024
"""Most bytes of a log's files. A larger log needs an endpoint or a database."""
_ROTATED = re.compile(r"[.-](?P<turn>\d{1,14}(?:[-_T]\d{1,6})?)(?P<packed>\.gz)?")
_CHUNK = 1024 * 1024


class JsonLines:
    """A file with one JSON object a line. A line that is no JSON is left out."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return every line of the files that may be of the window, as it is."""
        return await asyncio.to_thread(self._read, start)

    def _read(self, start: datetime) -> Sequence[object]:
        records: list[object] = []
        for line in _lines(self._path, start):
            try:
                records.append(json.loads(line))
            except (json.JSONDecodeError, RecursionError):
                continue
        return records


class TextLines:
    """A file of text lines; the named parts of a pattern are the fields of a record."""

    def __init__(self, path: Path, pattern: str) -> None:
        self._path = path
        self._pattern = compile_pattern(pattern)

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return a record for every line that the pattern finds."""
        return await asyncio.to_thread(self._read, start)

    def _read(self, start: datetime) -> Sequence[object]:
        return [
            {**parts, "line": line}
            for line in _lines(self._path, start)
            if (parts := self._pattern.parts(line)) is not None
        ]


def _lines(path: Path, start: datetime) -> list[str]:
    left = MAX_LOG_BYTES
    lines: list[str] = []
    try:
        for older in _rotated(path, start):
            content = _content(older, left)
            left -= len(content)
            lines += content.decode("utf-8", errors="replace").splitlines()
        content = _content(path, left)
    except OSError as error:
        raise unavailable(
            "cloud.unavailable", f"the audit log {path} cannot be read: {error.strerror or error}"
        ) from None
    complete, _, _ = content.decode("utf-8", errors="replace").rpartition("\n")
    return lines + complete.splitlines()


def _rotated(path: Path, start: datetime) -> list[Path]:
    """Return the files that this one was before, the oldest first."""
    since = start.timestamp()
    found = [
        (one.stat().st_mtime, one)
        for one in path.parent.iterdir()
        if one.name.startswith(path.name)
        and _ROTATED.fullmatch(one.name[len(path.name) :])
        and one.is_file()
    ]
    return [one for written, one in sorted(found) if written >= since]


def _content(path: Path, most: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        try:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise _too_large(path)
                chunks.append(chunk)
        except (EOFError, zlib.error) as error:
            raise OSError(f"it is no whole gzip file ({type(error).__name__})") from None
    return b"".join(chunks)


def _too_large(path: Path) -> ProofwalkError:
    return unavailable(
        "cloud.unavailable",
        f"{path}, with what was rotated away, is larger than {MAX_LOG_BYTES} bytes",
        hint="rotate it, or use http or sql",
    )
