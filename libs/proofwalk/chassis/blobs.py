"""Content-addressed blobs: screenshots, traces, reports, logs. The id of a blob is the
SHA-256 of its bytes.

Putting the same bytes twice keeps one copy and makes it young again, so that collection
by age never takes what was just put. A file is written beside its place, synced and
renamed: a blob is there whole or not at all. Files and folders are their owner's alone.
`Blobs` is the interface; `LocalBlobs` keeps files in two levels of folders.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Protocol

from proofwalk.chassis.private_files import FILE, private_folder
from proofwalk.kernel.errors import invalid, not_found, unavailable

_ID = re.compile(r"[0-9a-f]{64}")


class Blobs(Protocol):
    """A store of immutable bytes."""

    async def put(self, data: bytes) -> str:
        """Keep `data`; returns its id. Raises `blob.not_stored`."""
        ...

    async def get(self, blob_id: str) -> bytes:
        """The bytes; raises `blob.not_found`."""
        ...

    async def has(self, blob_id: str) -> bool:
        """Whether it is there."""
        ...

    async def collect(self, *, older_than_s: float, keep: frozenset[str] = frozenset()) -> int:
        """Delete what was last put longer ago than that, except `keep`; returns how
        many."""
        ...


class LocalBlobs:
    """Blobs as files under one folder, which several processes of a machine may
    share."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, data: bytes) -> str:
        try:
            return await asyncio.to_thread(self._put, data)
        except OSError as error:
            # A full disk or a volume that went away is the environment's, and passes.
            raise unavailable(
                "blob.not_stored",
                f"{len(data)} bytes could not be stored: {error.strerror or error}",
                hint="is there room where blobs are kept, and may the role write there?",
            ) from error

    async def get(self, blob_id: str) -> bytes:
        path = self._path(blob_id)
        try:
            data = await asyncio.to_thread(path.read_bytes)
        except FileNotFoundError:
            raise not_found(
                "blob.not_found", f"no blob {blob_id}", hint="it may have been collected by age"
            ) from None
        return data

    async def has(self, blob_id: str) -> bool:
        return await asyncio.to_thread(self._path(blob_id).exists)

    async def collect(self, *, older_than_s: float, keep: frozenset[str] = frozenset()) -> int:
        return await asyncio.to_thread(self._collect, time.time() - older_than_s, keep)

    def path(self, blob_id: str) -> Path:
        """The file of a blob, for servers that stream files; it may not exist."""
        return self._path(blob_id)

    def _path(self, blob_id: str) -> Path:
        # The id becomes a path: anything but a digest is refused.
        if not _ID.fullmatch(blob_id):
            raise invalid(
                "blob.bad_id",
                f"{blob_id[:80]!r} is not a blob id",
                hint="a blob id is 64 hexadecimal characters",
            )
        return self._root / blob_id[:2] / blob_id

    def _put(self, data: bytes) -> str:
        blob_id = hashlib.sha256(data).hexdigest()
        path = self._path(blob_id)
        try:
            os.utime(path)
            return blob_id
        except FileNotFoundError:
            private_folder(path.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".put-", delete=False) as file:
            try:
                os.fchmod(file.fileno(), FILE)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return blob_id

    def _collect(self, before: float, keep: frozenset[str]) -> int:
        count = 0
        for path in self._root.glob("??/*"):
            if path.name in keep:
                continue
            try:
                if path.stat().st_mtime < before:
                    path.unlink()
                    count += not path.name.startswith(".")
            except FileNotFoundError:
                continue
        return count
