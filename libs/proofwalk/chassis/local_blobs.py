"""Blobs as files of a folder, which several processes of a machine may share.

A file is written beside its place, synced and renamed: a blob is there whole or not at
all. Putting the same bytes twice keeps one file and makes it young again. Files and
folders are their owner's alone. What a file holds is `blob_forms`' affair.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

from proofwalk.chassis.blob_forms import Form, Sealing, id_of, missing
from proofwalk.chassis.envelopes import Ring
from proofwalk.chassis.private_files import FILE, private_folder
from proofwalk.kernel.errors import unavailable

_HALF = ".put-"


class LocalBlobs:
    """Blobs (`chassis.blobs.Blobs`) in a folder."""

    def __init__(self, root: Path, *, ring: Ring | None = None) -> None:
        self._root = root
        self._form = Form(ring)

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
        names = self._form.names(blob_id)
        return await asyncio.to_thread(self._get, blob_id, names)

    async def has(self, blob_id: str) -> bool:
        paths = [self._root / name for name in self._form.names(blob_id)]
        return await asyncio.to_thread(lambda: any(path.exists() for path in paths))

    async def collect(self, *, older_than_s: float, keep: frozenset[str] = frozenset()) -> int:
        return await asyncio.to_thread(self._collect, time.time() - older_than_s, keep)

    async def seal_all(self) -> Sealing:
        return await asyncio.to_thread(self._seal_all)

    def path(self, blob_id: str) -> Path:
        """The file that `put` makes of a blob; it may not exist."""
        return self._root / self._form.names(blob_id)[0]

    def _put(self, data: bytes) -> str:
        blob_id = hashlib.sha256(data).hexdigest()
        path, other = (self._root / name for name in self._form.names(blob_id))
        try:
            os.utime(path)
        except FileNotFoundError:
            private_folder(path.parent)
            _write(path, self._form.content(data, blob_id))
        if self._form.ring is not None:
            other.unlink(missing_ok=True)
        return blob_id

    def _get(self, blob_id: str, names: tuple[str, str]) -> bytes:
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                return self._form.data((self._root / name).read_bytes(), name)
        raise missing(blob_id)

    def _collect(self, before: float, keep: frozenset[str]) -> int:
        count = 0
        for path in self._root.glob("??/*"):
            if id_of(path.name) in keep:
                continue
            try:
                if path.stat().st_mtime < before:
                    path.unlink()
                    count += not path.name.startswith(_HALF)
            except FileNotFoundError:
                continue
        return count

    def _seal_all(self) -> Sealing:
        self._form.keys()
        done = Sealing()
        for path in self._root.glob("??/*"):
            if id_of(path.name) is not None:
                with contextlib.suppress(FileNotFoundError):
                    done += self._seal_file(path)
        return done

    def _seal_file(self, path: Path) -> Sealing:
        stat, content = path.stat(), path.read_bytes()
        found = self._form.resealed(content, path.name)
        if found.content is not None:
            own = self.path(id_of(path.name) or "")
            if own == path or not own.exists():
                _write(own, found.content, times=(stat.st_atime_ns, stat.st_mtime_ns))
            if own != path:
                path.unlink()
        return found.counted


def _write(path: Path, content: bytes, *, times: tuple[int, int] | None = None) -> None:
    """Make the file, whole or not at all; `times`: accessed and modified, in ns."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_HALF, delete=False) as file:
        try:
            os.fchmod(file.fileno(), FILE)
            file.write(content)
            file.flush()
            if times is not None:
                os.utime(file.fileno(), ns=times)
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
