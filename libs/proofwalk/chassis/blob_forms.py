"""How the content of a blob is kept, wherever that is: open, or in an envelope.

A blob is named by the SHA-256 of its bytes; in a store it lies under `ab/abcd…`, and
with a ring of keys as an envelope (`chassis.envelopes`) under `ab/abcd….sealed`. Stores
(`local_blobs`, `object_blobs`) move contents; what they mean is decided here, once:
which name is looked for first, what a content must be to be given out, and what is
sealed anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from proofwalk.chassis.envelopes import BrokenEnvelope, Ring, UnknownKey
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found

SEALED = ".sealed"
_ID = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Sealing:
    """What `Blobs.seal_all` did, in contents."""

    sealed: int = 0
    """That lay open."""
    renewed: int = 0
    """That were sealed with an earlier key."""
    unreadable: int = 0
    """That were altered, or sealed with a key that is not on the ring; left as they
    are."""
    current: int = 0
    """That were sealed with the ring's first key."""

    def __add__(self, other: Sealing) -> Sealing:
        return Sealing(
            **{
                field.name: getattr(self, field.name) + getattr(other, field.name)
                for field in fields(self)
            }
        )


@dataclass(frozen=True, kw_only=True)
class Resealed:
    """What is to be done with one content."""

    counted: Sealing
    content: bytes | None = None
    """To be written under the sealed name; None: it stays."""


@dataclass(frozen=True)
class Form:
    """How a store keeps contents. Without a ring they lie open."""

    ring: Ring | None = None

    def names(self, blob_id: str) -> tuple[str, str]:
        """Where a blob is written, and where it lies if it was put in the other form.
        Raises `blob.bad_id`: the id becomes a path, and anything but a digest is
        refused."""
        if not _ID.fullmatch(blob_id):
            raise invalid(
                "blob.bad_id",
                f"{blob_id[:80]!r} is not a blob id",
                hint="a blob id is 64 hexadecimal characters",
            )
        plain = f"{blob_id[:2]}/{blob_id}"
        return (plain, plain + SEALED) if self.ring is None else (plain + SEALED, plain)

    def content(self, data: bytes, blob_id: str) -> bytes:
        """What is written of a blob."""
        return data if self.ring is None else self.ring.seal(data, name=blob_id)

    def data(self, content: bytes, name: str) -> bytes:
        """The bytes of what was found under a name. Raises `blob.altered`,
        `blob.no_key`."""
        blob_id = id_of(name)
        if blob_id is None:
            raise altered(name)
        data = self._opened(content, blob_id) if name.endswith(SEALED) else content
        if hashlib.sha256(data).hexdigest() != blob_id:
            raise altered(blob_id)
        return data

    def keys(self) -> Ring:
        """The ring. Raises `blob.no_key` where there is none."""
        if self.ring is None:
            raise _no_key("blobs are sealed here, and no key is set")
        return self.ring

    def resealed(self, content: bytes, name: str) -> Resealed:
        """How what was found under a name comes under the ring's first key. Raises
        `blob.no_key` without a ring."""
        keys, blob_id = self.keys(), id_of(name)
        if blob_id is None:
            return Resealed(counted=Sealing(unreadable=1))
        if not name.endswith(SEALED):
            if hashlib.sha256(content).hexdigest() != blob_id:
                return Resealed(counted=Sealing(unreadable=1))
            return Resealed(counted=Sealing(sealed=1), content=keys.seal(content, name=blob_id))
        try:
            renewed = keys.renew(content)
        except (UnknownKey, BrokenEnvelope):
            return Resealed(counted=Sealing(unreadable=1))
        if renewed is None:
            return Resealed(counted=Sealing(current=1))
        return Resealed(counted=Sealing(renewed=1), content=renewed)

    def _opened(self, content: bytes, blob_id: str) -> bytes:
        keys = self.keys()
        with _envelope_of(blob_id):
            return keys.open(content, name=blob_id)


def id_of(name: str) -> str | None:
    """The id of the blob that lies under a name; None: none does."""
    found = name.rpartition("/")[2].removesuffix(SEALED)
    return found if _ID.fullmatch(found) else None


def missing(blob_id: str) -> ProofwalkError:
    """`blob.not_found`."""
    return not_found(
        "blob.not_found", f"no blob {blob_id}", hint="it may have been collected by age"
    )


def altered(blob_id: str) -> ProofwalkError:
    """`blob.altered`."""
    return conflict(
        "blob.altered",
        f"the bytes of blob {blob_id} are not those that were put",
        hint="the disk or somebody changed them; restore them from a backup",
    )


@contextlib.contextmanager
def _envelope_of(blob_id: str) -> Iterator[None]:
    try:
        yield
    except UnknownKey:
        raise _no_key(f"blob {blob_id} was sealed with a key that is not set") from None
    except BrokenEnvelope:
        raise altered(blob_id) from None


def _no_key(message: str) -> ProofwalkError:
    return conflict(
        "blob.no_key", message, hint="set PROOFWALK_BLOB_KEYS to all keys that blobs were put with"
    )
