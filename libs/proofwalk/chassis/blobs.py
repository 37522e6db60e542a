"""Content-addressed blobs: screenshots, traces, reports, logs. The id of a blob is the
SHA-256 of its bytes.

Putting the same bytes twice keeps one copy and makes it young again, so that collection
by age never takes what was just put. A file is written beside its place, synced and
renamed: a blob is there whole or not at all. What is read is held against its id: bytes
that a disk or somebody altered are `blob.altered`, never shown as evidence. Files and
folders are their owner's alone. `Blobs` is the interface; `LocalBlobs` keeps files in
two levels of folders.

With a ring of keys each file is an envelope (`chassis.envelopes`), named `<id>.sealed`;
what was put before there was a ring stays readable, and `seal_all` seals it, and gives
envelopes of an earlier key the ring's first one. File names are digests of the content:
who has a text can find out whether it lies here, sealed or not.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from proofwalk.chassis.envelopes import BadKeys, BrokenEnvelope, Ring, UnknownKey
from proofwalk.chassis.private_files import FILE, private_folder
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found, unavailable

_ID = re.compile(r"[0-9a-f]{64}")
_SEALED = ".sealed"
_HALF = ".put-"


class Blobs(Protocol):
    """A store of immutable bytes."""

    async def put(self, data: bytes) -> str:
        """Keep `data`; returns its id. Raises `blob.not_stored`."""
        ...

    async def get(self, blob_id: str) -> bytes:
        """The bytes; raises `blob.not_found`, `blob.altered`, `blob.no_key`."""
        ...

    async def has(self, blob_id: str) -> bool:
        """Whether it is there."""
        ...

    async def collect(self, *, older_than_s: float, keep: frozenset[str] = frozenset()) -> int:
        """Delete what was last put longer ago than that, except `keep`; returns how
        many."""
        ...


@dataclass(frozen=True, kw_only=True)
class Sealing:
    """What `LocalBlobs.seal_all` did, in files."""

    sealed: int
    """That lay open."""
    renewed: int
    """That were sealed with an earlier key."""
    unreadable: int
    """That were altered, or sealed with a key that is not on the ring; left as they
    are."""
    current: int
    """That were sealed with the ring's first key."""


class LocalBlobs:
    """Blobs as files under one folder, which several processes of a machine may
    share."""

    def __init__(self, root: Path, *, ring: Ring | None = None) -> None:
        self._root = root
        self._ring = ring

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
        self._path(blob_id)
        return await asyncio.to_thread(self._get, blob_id)

    async def has(self, blob_id: str) -> bool:
        plain, sealed = self._path(blob_id), self._path(blob_id, sealed=True)
        return await asyncio.to_thread(lambda: plain.exists() or sealed.exists())

    async def collect(self, *, older_than_s: float, keep: frozenset[str] = frozenset()) -> int:
        return await asyncio.to_thread(self._collect, time.time() - older_than_s, keep)

    async def seal_all(self) -> Sealing:
        """Seal what lies open, and what is sealed with an earlier key, with the ring's
        first. Roles may go on meanwhile. Raises `blob.no_key` without a ring."""
        return await asyncio.to_thread(self._seal_all)

    def path(self, blob_id: str) -> Path:
        """The file that `put` makes of a blob; it may not exist."""
        return self._path(blob_id, sealed=self._ring is not None)

    def _path(self, blob_id: str, *, sealed: bool = False) -> Path:
        # The id becomes a path: anything but a digest is refused.
        if not _ID.fullmatch(blob_id):
            raise invalid(
                "blob.bad_id",
                f"{blob_id[:80]!r} is not a blob id",
                hint="a blob id is 64 hexadecimal characters",
            )
        return self._root / blob_id[:2] / (blob_id + _SEALED * sealed)

    def _put(self, data: bytes) -> str:
        blob_id = hashlib.sha256(data).hexdigest()
        path = self.path(blob_id)
        try:
            os.utime(path)
        except FileNotFoundError:
            private_folder(path.parent)
            content = data if self._ring is None else self._ring.seal(data, name=blob_id)
            _write(path, content)
        if self._ring is not None:
            self._path(blob_id).unlink(missing_ok=True)
        return blob_id

    def _get(self, blob_id: str) -> bytes:
        own_form = self._ring is not None
        for sealed in (own_form, not own_form):
            try:
                content = self._path(blob_id, sealed=sealed).read_bytes()
            except FileNotFoundError:
                continue
            data = self._opened(blob_id, content) if sealed else content
            if hashlib.sha256(data).hexdigest() != blob_id:
                raise _altered(blob_id)
            return data
        raise not_found(
            "blob.not_found", f"no blob {blob_id}", hint="it may have been collected by age"
        )

    def _opened(self, blob_id: str, content: bytes) -> bytes:
        with _envelope_of(blob_id):
            return self._keys().open(content, name=blob_id)

    def _keys(self) -> Ring:
        if self._ring is None:
            raise _no_key("blobs are sealed here, and no key is set")
        return self._ring

    def _collect(self, before: float, keep: frozenset[str]) -> int:
        count = 0
        for path in self._root.glob("??/*"):
            if path.name.removesuffix(_SEALED) in keep:
                continue
            try:
                if path.stat().st_mtime < before:
                    path.unlink()
                    count += not path.name.startswith(_HALF)
            except FileNotFoundError:
                continue
        return count

    def _seal_all(self) -> Sealing:
        self._keys()
        counts = dict.fromkeys(("sealed", "renewed", "unreadable", "current"), 0)
        for path in self._root.glob("??/*"):
            if _ID.fullmatch(path.name.removesuffix(_SEALED)):
                with contextlib.suppress(FileNotFoundError):
                    counts[self._seal_file(path)] += 1
        return Sealing(**counts)

    def _seal_file(self, path: Path) -> str:
        """What was done with a file, as `Sealing` names it."""
        blob_id = path.name.removesuffix(_SEALED)
        stat, content = path.stat(), path.read_bytes()
        times = (stat.st_atime_ns, stat.st_mtime_ns)
        if path.name == blob_id:
            if hashlib.sha256(content).hexdigest() != blob_id:
                return "unreadable"
            sealed = self._path(blob_id, sealed=True)
            if not sealed.exists():
                _write(sealed, self._keys().seal(content, name=blob_id), times=times)
            path.unlink()
            return "sealed"
        try:
            renewed = self._keys().renew(content)
        except (UnknownKey, BrokenEnvelope):
            return "unreadable"
        if renewed is None:
            return "current"
        _write(path, renewed, times=times)
        return "renewed"


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


def local_blobs(settings: ProcessSettings) -> LocalBlobs:
    """The store of these settings. Raises `settings.bad_blob_keys`."""
    text = settings.blob_keys.get_secret_value()
    try:
        ring = Ring.of_text(text) if text.strip() else None
    except BadKeys as error:
        raise invalid(
            "settings.bad_blob_keys",
            f"PROOFWALK_BLOB_KEYS: {error}",
            hint="draw a key with: openssl rand -base64 32 | tr +/ -_",
        ) from None
    return LocalBlobs(settings.blob_path(), ring=ring)


@contextlib.contextmanager
def _envelope_of(blob_id: str) -> Iterator[None]:
    try:
        yield
    except UnknownKey:
        raise _no_key(f"blob {blob_id} was sealed with a key that is not set") from None
    except BrokenEnvelope:
        raise _altered(blob_id) from None


def _no_key(message: str) -> ProofwalkError:
    return conflict(
        "blob.no_key", message, hint="set PROOFWALK_BLOB_KEYS to all keys that blobs were put with"
    )


def _altered(blob_id: str) -> ProofwalkError:
    return conflict(
        "blob.altered",
        f"the bytes of blob {blob_id} are not those that were put",
        hint="the disk or somebody changed the file; restore it from a backup",
    )
