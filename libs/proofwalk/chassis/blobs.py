"""Content-addressed blobs: documents, screenshots, trajectories, reports, logs. The id
of a blob is the SHA-256 of its bytes.

Putting the same bytes twice keeps one copy and makes it young again, so that collection
by age never takes what was just put. What is read is held against its id: bytes that a
disk or somebody altered are `blob.altered`, never shown as evidence. `Blobs` is the
interface; `LocalBlobs` keeps files in a folder, `ObjectBlobs` objects in a bucket. With
a ring of keys each content is an envelope; what was put before there was a ring stays
readable, and `seal_all` seals it, and gives envelopes of an earlier key the ring's
first one. Names are digests of the content: who has a text can find out whether it lies
here, sealed or not.
"""

from __future__ import annotations

from typing import Protocol

from proofwalk.chassis.blob_forms import Sealing
from proofwalk.chassis.envelopes import BadKeys, Ring
from proofwalk.chassis.local_blobs import LocalBlobs
from proofwalk.chassis.object_blobs import object_blobs
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import invalid


class Blobs(Protocol):
    """A store of immutable bytes."""

    async def put(self, data: bytes) -> str:
        """Keep `data`; returns its id. Raises `blob.not_stored`."""
        ...

    async def get(self, blob_id: str) -> bytes:
        """The bytes; raises `blob.not_found`, `blob.not_read`, `blob.altered`,
        `blob.no_key`."""
        ...

    async def has(self, blob_id: str) -> bool:
        """Whether it is there."""
        ...

    async def collect(self, *, older_than_s: float, keep: frozenset[str] = frozenset()) -> int:
        """Delete what was last put longer ago than that, except `keep`; returns how
        many."""
        ...

    async def seal_all(self) -> Sealing:
        """Seal what lies open, and what is sealed with an earlier key, with the ring's
        first. Roles may go on meanwhile. Raises `blob.no_key` without a ring."""
        ...


def blobs_of(settings: ProcessSettings) -> Blobs:
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
    if settings.blob_store.address:
        return object_blobs(settings.blob_store, ring)
    return LocalBlobs(settings.blob_path(), ring=ring)
